"""plumb compare: values of evaluate side by side, paired differences, wins, bad input."""
import json

import jsonschema
import numpy as np
import pytest
from conftest import ROOT, make_task, softmax, values, without_argv

SCHEMA = json.loads((ROOT / "docs" / "result.schema.json").read_text())
KEYS = "accuracy,nll,brier,ece,ece_debiased,auroc"


@pytest.fixture
def two(folder):
    t = make_task(n=500, k=4, seed=2)
    folder.npy("raw.npy", t["probs"])
    folder.npy("logits.npy", t["logits"])
    folder.npy("ts.npy", softmax(t["logits"] / 2))
    folder.npy("labels.npy", t["labels"])
    folder.npy("counts.npy", t["counts"])
    folder.npy("groups.npy", np.arange(500) % 50)
    return t


def compare(folder, *args):
    result = folder.run("compare", *args, "--json", "-").json
    jsonschema.validate(result, SCHEMA)
    return result


BASE = ["--model", "raw=raw.npy", "--model", "ts=ts.npy", "--counts", "counts.npy", "--metrics", KEYS]


def test_values_are_those_of_evaluate(folder, two):
    result = compare(folder, *BASE, "--bootstrap", 100)
    for name in ("raw", "ts"):
        one = values(folder.evaluate("--probs", f"{name}.npy", "--counts", "counts.npy", "--metrics", KEYS))
        assert {k: m["values"][name]["value"] for k, m in result["compare"]["metrics"].items()} == one
    nll = result["compare"]["metrics"]["nll"]
    assert nll["best"] == "ts" and nll["clear"]
    d = nll["differences"][0]
    assert (d["from"], d["to"]) == ("raw", "ts")
    assert d["difference"] == nll["values"]["ts"]["value"] - nll["values"]["raw"]["value"]
    assert d["low"] < d["difference"] < d["high"] < 0 and d["p_value"] == pytest.approx(2 / 101)
    assert result["compare"]["metrics"]["accuracy"]["best"] is None, "temperature moves no answer"
    wins = result["compare"]["wins"]
    assert wins["ts"]["best"] >= 3 and wins["ts"]["clear"] <= wins["ts"]["best"]


def test_each_model_has_its_verdict(folder, two):
    flags = ["--labels", "labels.npy", "--bootstrap", 60]
    run = folder.run("compare", *BASE[:4], *flags, "--metrics", "nll", "--json", "c.json")
    result = json.loads((folder / "c.json").read_text())
    jsonschema.validate(result, SCHEMA)
    assert result["settings"]["tolerance"] == 0.05
    words = " ".join(run.out.split())
    for name in ("raw", "ts"):
        alone = folder.evaluate("--probs", f"{name}.npy", *flags)
        assert result["compare"]["verdicts"][name] == alone["verdict"]
        said = folder.run("evaluate", "--probs", f"{name}.npy", *flags).out.split("\n\n")[1]
        assert f"{name}: " + " ".join(said.split()) in words
    raw = result["compare"]["verdicts"]["raw"]["verdict"]
    assert raw == "off", "logits twice too large"
    gate = lambda g: folder.run("compare", *BASE[:4], *flags, "--metrics", "nll", "--quiet", "--fail-if", g)
    failed = gate("raw.verdict==off")
    assert failed.code == 3 and 'raw.verdict is "off"' in failed.err
    assert gate("raw.verdict!=off").code == 0
    for wrong, word in (("verdict==off", 'as in "ts.verdict==off"'), ("rw.verdict==off", "raw"), ("raw.verdict==bad", "cannot tell")):
        run = gate(wrong)
        assert run.code == 2 and run.err.count("\n") == 1 and word in run.err, run.err
    none = folder.run("compare", *BASE[:4], "--labels", "labels.npy", "--bootstrap", 0, "--metrics", "nll", "--quiet",
                      "--fail-if", "raw.verdict==off")
    assert none.code == 2 and "there is no verdict" in none.err


def test_pairing_is_narrower_than_two_intervals(folder, two):
    m = compare(folder, *BASE, "--bootstrap", 100)["compare"]["metrics"]["brier"]
    d = m["differences"][0]
    width = lambda x: x["high"] - x["low"]
    assert width(d) < 0.7 * (width(m["values"]["raw"]) + width(m["values"]["ts"]))


def test_three_models_logits_and_groups(folder, two):
    result = compare(folder, "--model", "ts=ts.npy", "--model-logits", "raw=logits.npy", "--model", "again=ts.npy",
                     "--labels", "labels.npy", "--groups", "groups.npy", "--metrics", KEYS, "--bootstrap", 10)
    assert result["compare"]["models"] == ["ts", "raw", "again"]
    assert result["settings"]["unit"] == "group"
    metric = result["compare"]["metrics"]["nll"]
    assert [(d["from"], d["to"]) for d in metric["differences"]] == [("ts", "raw"), ("ts", "again"), ("raw", "again")]
    assert metric["best"] is None and metric["differences"][1]["p_value"] == 1
    out = folder.run("compare", *BASE, "--bootstrap", 0).out
    assert "ts minus raw" in out and "add --bootstrap 200" in " ".join(out.split())


def test_threads_change_nothing(folder, two):
    one, many = (compare(folder, *BASE, "--bootstrap", 8, "--threads", t) for t in (1, 3))
    assert without_argv(one) == without_argv(many)


def test_every_metric_by_default(folder, two):
    result = compare(folder, "--model", "a=raw.npy", "--model", "b=ts.npy", "--labels", "labels.npy", "--bootstrap", 4,
                     "--bandwidth", 0.05)
    assert {"ece_kde", "smece", "ks", "aurc", "brier_resolution"} <= set(result["compare"]["metrics"])
    table = folder.run("compare", "--model", "a=raw.npy", "--model", "b=ts.npy", "--labels", "labels.npy", "--bootstrap", 4,
                       "--bandwidth", 0.05).out
    assert "b minus a" in table and "b against a: 4 replicates are too few to rule out chance; use --bootstrap 200" in " ".join(table.split())


def test_a_reference_is_named_and_shown(folder, two):
    three = [*BASE, "--model", "again=raw.npy", "--bootstrap", 99]
    result = compare(folder, *three, "--reference", "ts")
    assert result["compare"]["reference"] == "ts" and compare(folder, *three)["compare"]["reference"] is None
    nll = result["compare"]["metrics"]["nll"]["differences"]
    assert [(d["from"], d["to"]) for d in nll] == [("ts", "raw"), ("ts", "again")]
    assert all(d["difference"] > 0 and d["p_value"] <= d["adjusted_p_value"] <= 0.05 for d in nll)
    out = folder.run("compare", *three, "--reference", "ts").out
    assert "raw minus ts" in out and "again minus ts" in out and "raw against ts: worse on" in out
    assert max(len(line) for line in out.splitlines()) <= 100
    assert "<= 0.020" in out, "p-values at their floor are bounds"
    first = folder.run("compare", *three).out
    assert "ts minus raw" in first and "again minus raw" in first
    assert "again against raw: none of the differences" in first
    assert folder.run("compare", *three, "--reference", "ts", "--quiet", "--fail-if", "raw.nll>0").code == 3
    unknown = folder.run("compare", *three, "--reference", "tz")
    assert unknown.code == 2 and unknown.err.count("\n") == 1 and '"ts"' in unknown.err


BAD = {
    "one model": (["--model", "raw=raw.npy", "--labels", "labels.npy"], "two models or more"),
    "no name": (["--model", "raw.npy", "--model", "ts=ts.npy", "--labels", "labels.npy"], "NAME=FILE"),
    "one name twice": (["--model", "a=raw.npy", "--model", "a=ts.npy", "--labels", "labels.npy"], "different names"),
    "other items": (["--model", "a=raw.npy", "--model", "b=short.npy", "--labels", "labels.npy"], "short"),
    "other classes": (["--model", "a=raw.npy", "--model", "b=binary.npy", "--labels", "labels.npy"], "classes"),
    "no labels": (["--model", "a=raw.npy", "--model", "b=ts.npy"], "--labels"),
    "logits as probabilities": (["--model", "a=raw.npy", "--model", "b=logits.npy", "--labels", "labels.npy"], "logits"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_sentence(folder, two, name):
    folder.npy("short.npy", two["probs"][:10])
    folder.npy("binary.npy", two["probs"][:, 0])
    flags, word = BAD[name]
    run = folder.run("compare", *flags, "--metrics", KEYS)
    assert run.code == 2 and run.err.count("\n") == 1, run.err
    assert word in run.err


def test_gates_are_on_differences_to_the_first(folder, two):
    difference = compare(folder, *BASE, "--bootstrap", 0)["compare"]["metrics"]["nll"]["differences"][0]["difference"]
    assert difference < 0, "ts is the better one"
    held = folder.run("compare", *BASE, "--bootstrap", 0, "--quiet", "--fail-if", f"nll<{difference / 2!r}", "--fail-if", "nll>0")
    assert held.code == 3 and held.err.count("\n") == 1 and "the difference of nll" in held.err
    assert folder.run("compare", *BASE, "--bootstrap", 0, "--quiet", "--fail-if", f"nll<{2 * difference!r}").code == 0
    three = [*BASE, "--model", "again=raw.npy", "--bootstrap", 0, "--quiet", "--fail-if"]
    assert folder.run("compare", *three, "ts.nll<0").code == 3
    assert folder.run("compare", *three, "again.nll<0").code == 0
    which = folder.run("compare", *three, "nll<0")
    assert which.code == 2 and which.err.count("\n") == 1 and "ts.nll" in which.err
    typo = folder.run("compare", *three, "ts.nlll<0")
    assert typo.code == 2 and typo.err.count("\n") == 1 and '"nll"' in typo.err


def test_one_group_has_no_winner_by_chance(folder, two):
    folder.npy("one.npy", np.zeros(500, int))
    r = compare(folder, *BASE, "--groups", "one.npy", "--bootstrap", 50)
    assert all("p_value" not in d for m in r["compare"]["metrics"].values() for d in m["differences"])
    assert all(w["clear"] == 0 for w in r["compare"]["wins"].values())
    assert any("no intervals" in n for n in r["notes"])


def test_a_gate_may_name_the_second_of_two(folder, two):
    assert folder.run("compare", *BASE, "--bootstrap", 0, "--fail-if", "ts.nll<0").code == 3
    assert folder.run("compare", *BASE, "--bootstrap", 0, "--fail-if", "nll<0").code == 3
    assert folder.run("compare", *BASE, "--bootstrap", 0, "--fail-if", "no.nll<0").code == 2
    for models in (BASE[4:], BASE[2:]):  # none, one
        alone = folder.run("compare", *models, "--fail-if", "ts.nll<0")
        assert alone.code == 2 and "two models or more" in alone.err


def test_groups_with_keys_that_need_no_column(folder, two):
    r = compare(folder, "--model", "raw=raw.npy", "--model", "ts=ts.npy", "--labels", "labels.npy", "--groups", "groups.npy",
                "--metrics", "ece,nll", "--bootstrap", 20)
    assert r["compare"]["metrics"]["ece"]["differences"][0]["low"] is not None


def test_few_groups_are_not_tested(folder, two):
    folder.npy("five.npy", np.arange(500) % 5)
    r = compare(folder, *BASE, "--groups", "five.npy", "--bootstrap", 50)
    differences = [d for m in r["compare"]["metrics"].values() for d in m["differences"]]
    assert differences and not any(d.get("p_value") or d.get("adjusted_p_value") for d in differences)
    assert any("differences have no p-values: fewer than ten groups" in note for note in r["notes"])
