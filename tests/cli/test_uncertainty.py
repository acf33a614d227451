"""plumb uncertainty: the paper's examples from --histogram, ranking, thresholds, suspects, same bits, bad input."""
import base64
import csv
import itertools
import json
import struct

import jsonschema
import numpy as np
import pytest
from conftest import DATA, ROOT, make_task, needs_data, softmax, without_argv

SCHEMA = json.loads((ROOT / "docs" / "result.schema.json").read_text())

THIRD, QUARTER = 1 / 3, 0.25
# (w, p), options, {key: (printed value, its number of decimals)} of Finlay 2022
EXAMPLES = {
    "1, first agent": ([1000] * 3, [1 - .042, 1 - .040, 1 - .038], [], {"eor": (1.0357, 4)}),
    "1, second agent": ([1000] * 3, [1 - .076, 1 - .041, 1 - .003], [], {"eor": (5.6158, 4)}),
    "3 and 5": ([.25] * 4, [1 / 16, .5, .5, 15 / 16], [], {"eor": (8, 9), "auroc": (.828125, 9)}),
    "5, reversed": ([.25] * 4, [15 / 16, .5, .5, 1 / 16], [], {"eor": (8, 9), "auroc": (.171875, 9)}),
    "4": ([.14, .31, .55], [.80, .95, .99], ["--base-rate", ".94"], {"eor": (4.40, 2)}),
    "4, its own mean": ([.14, .31, .55], [.80, .95, .99], [], {"eor": (3.80, 2)}),
    "6, first": ([1] * 3, [.15, .4, .8], [], {"eor": (3.584, 3), "auroc": (.792, 3)}),
    "6, second": ([1] * 3, [.4, .5, .99], [], {"eor": (20.80, 2), "auroc": (.781, 3)}),
    "8, first": ([1] * 2, [.94, .999], [], {"eor": (16.73, 2), "conditional_entropy": (.169, 3)}),
    "8, second": ([1] * 2, [.95, .99], [], {"eor": (2.382, 3), "conditional_entropy": (.184, 3)}),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_printed_examples(folder, name):
    w, p, options, printed = EXAMPLES[name]
    folder.text("bins.csv", "w,p\n" + "".join(f"{a!r},{b!r}\n" for a, b in zip(w, p)))
    result = folder.run("uncertainty", "--histogram", "bins.csv", *options, "--json", "-").json
    for key, (value, decimals) in printed.items():
        assert round(result["measures"]["histogram"][key]["value"], decimals) == pytest.approx(value, abs=1e-12)
    assert folder.run("uncertainty", "--histogram", "bins.csv", *options).code == 0


def test_histogram_with_certain_bins_is_pooled(folder):
    folder.text("bins.csv", "w,p\n1,0.5\n1,0.9\n1,1\n")
    result = folder.run("uncertainty", "--histogram", "bins.csv", "--json", "-").json
    measure = result["measures"]["histogram"]
    a = 0.8
    odds = lambda p: max(p / (1 - p) / (a / (1 - a)), a / (1 - a) / (p / (1 - p)))
    assert measure["pooled_bins"] == 1
    assert measure["eor"]["value"] == pytest.approx(odds(0.5) / 3 + 2 * odds(0.95) / 3)
    refused = folder.run("uncertainty", "--histogram", "bins.csv", "--degenerate", "jeffreys")
    assert refused.code == 2 and "counts" in refused.err
    said = folder.run("uncertainty", "--histogram", "bins.csv", "--degenerate", "error", "--json", "-").json
    assert said["measures"]["histogram"]["eor"]["value"] is None
    assert "only right answers" in said["measures"]["histogram"]["eor"]["why"]


@pytest.fixture
def seven(folder):
    """Seven classes, labels, counts, ids and a score that is noise."""
    t = make_task(n=600, k=7, seed=3)
    for name in ("probs", "logits", "labels", "counts"):
        folder.npy(name + ".npy", t[name])
    folder.npy("noise.npy", t["rng"].random(600))
    folder.text("ids.csv", "id\n" + "".join(f"case-{i}\n" for i in range(600)))
    return t


BASE = ["uncertainty", "--probs", "probs.npy", "--labels", "labels.npy"]


def test_measures_against_numpy(folder, seven):
    result = folder.run(*BASE, "--bins", 20, "--score", "noise=noise.npy", "--json", "-").json
    jsonschema.validate(result, SCHEMA)
    p, y = seven["probs"], seven["labels"]
    right = (p.argmax(1) == y).astype(float)
    down = -np.sort(-p, axis=1)
    measures = {"entropy": -(p * np.log(p)).sum(1), "u1": -np.log(down[:, 0]), "u5": -np.log(down[:, :5].sum(1)),
                "loss": -np.log(p[np.arange(600), y]), "noise": np.load(folder / "noise.npy")}
    assert set(result["measures"]) == set(measures)
    assert result["accuracy"] == right.mean() == result["base_accuracy"]
    for name, values in measures.items():
        order = np.argsort(values, kind="stable")
        p_bin = right[order].reshape(20, 30).mean(1)  # no ties: bins of 30 items
        got = result["measures"][name]
        assert [b["accuracy"] for b in got["bins"]] == pytest.approx(p_bin.tolist())
        assert got["binned_brier"]["value"] == pytest.approx((p_bin * (1 - p_bin)).mean())
        wrong, good = values[right == 0], values[right == 1]
        assert got["auroc_unbinned"]["value"] == pytest.approx((wrong[:, None] > good[None]).mean())
        risk = 1 - np.cumsum(right[order]) / np.arange(1, 601)
        assert got["aurc"]["value"] == pytest.approx(risk.mean())
    eor = {name: m["eor"]["value"] for name, m in result["measures"].items()}
    assert list(eor.values()) == sorted(eor.values(), reverse=True), "the best first"
    assert eor["noise"] == min(eor.values())
    assert result["measures"]["noise"]["eor"]["p_value"] > 0.01 and result["measures"]["u1"]["eor"]["p_value"] < 0.02
    assert result["measures"]["noise"]["eor"]["null_mean"] > 1.05


def test_thresholds_follow_their_definition(folder, seven):
    result = folder.run(*BASE, "--targets", "0.97,0.9,0.5", "--measures", "u1", "--json", "-").json
    p, y = seven["probs"], seven["labels"]
    right, u1 = p.argmax(1) == y, -np.log(p.max(1))
    low, shares = -np.inf, 0
    for cut in result["measures"]["u1"]["thresholds"]:
        good = [v for v in [*u1, np.inf]
                if ((u1 >= low) & (u1 < v)).any() and right[(u1 >= low) & (u1 < v)].mean() >= cut["target"]]
        if not good:
            assert cut["threshold"] is None and cut["share"] == 0
            continue
        inside = (u1 >= low) & (u1 < max(good))
        assert cut["share"] == pytest.approx(inside.mean()) and cut["accuracy"] == pytest.approx(right[inside].mean())
        assert ((u1 >= low) & (u1 < cut["threshold"]) == inside).all()
        low, shares = cut["threshold"], shares + cut["share"]
    assert result["measures"]["u1"]["rest"]["share"] == pytest.approx(1 - shares)


def test_suspects(folder, seven):
    result = folder.run(*BASE, "--ids", "ids.csv", "--suspects", 6, "--suspects-csv", "look.csv", "--json", "-").json
    p, y = seven["probs"], seven["labels"]
    wrong = np.flatnonzero(p.argmax(1) != y)
    want = wrong[np.argsort(-p[wrong].max(1), kind="stable")][:6]
    assert [s["id"] for s in result["suspects"]] == [f"case-{i}" for i in want]
    assert [s["label"] for s in result["suspects"]] == y[want].tolist()
    assert [s["prediction"] for s in result["suspects"]] == p[want].argmax(1).tolist()
    rows = list(csv.DictReader((folder / "look.csv").open()))
    assert [r["id"] for r in rows] == [s["id"] for s in result["suspects"]]
    assert [float(r["score"]) for r in rows] == [s["score"] for s in result["suspects"]]
    # Nothing is left when something goes wrong.
    (folder / "look.csv").unlink()
    assert folder.run("uncertainty", "--probs", "probs.npy", "--labels", "noise.npy", "--suspects-csv", "look.csv").code == 2
    assert "look.csv" not in folder.names()


def test_pictures_of_suspects(folder, seven):
    n = len(seven["labels"])
    folder.npy("images.npy", np.arange(n * 100 * 50, dtype=np.uint64).reshape(n, 100, 50).astype(np.uint8))
    pictured = folder.run(*BASE, "--suspects", 3, "--images", "images.npy", "--json", "-").json
    jsonschema.validate(pictured, SCHEMA)
    for s in pictured["suspects"]:
        png = base64.b64decode(s["image"].removeprefix("data:image/png;base64,"), validate=True)
        assert png.startswith(b"\x89PNG") and struct.unpack(">II", png[16:24]) == (32, 64), "half of 50, and the most"
    assert pictured["inputs"][-1]["flag"] == "--images"
    plain = folder.run(*BASE, "--suspects", 3, "--json", "-").json
    assert [s["row"] for s in plain["suspects"]] == [s["row"] for s in pictured["suspects"]]
    assert "image" not in plain["suspects"][0]
    folder.npy("few.npy", np.zeros((3, 4, 4)))
    folder.text("files.csv", "file\n" + "nowhere.png\n" * n)
    for flags, word in ((["few.npy", "--json", "-"], "3 pictures"), (["images.npy"], "--report"),
                        (["files.csv:file", "--json", "-"], "no picture nowhere.png"), (["labels.npy", "--json", "-"], "height")):
        run = folder.run(*BASE, "--images", *flags)
        assert run.code == 2 and word in run.err and run.err.count("\n") == 1, run.err


def test_row_order_and_threads(folder, seven):
    rng = np.random.default_rng(1)
    weights = rng.random(600)
    rounded = np.round(seven["probs"], 1) + 1e-3  # many ties
    data = {"p": rounded / rounded.sum(1, keepdims=True), "c": seven["counts"], "w": weights, "s": rng.integers(0, 9, 600)}
    order = rng.permutation(600)
    for name, x in data.items():
        folder.npy(f"a-{name}.npy", x)
        folder.npy(f"b-{name}.npy", x[order])
    ids = [f"i{i}" for i in range(600)]
    folder.text("a-i.csv", "\n".join(["id", *ids]))
    folder.text("b-i.csv", "\n".join(["id", *(ids[i] for i in order)]))
    runs = []
    for part, threads, coarsen in itertools.product("ab", (1, 3), (0, 0.4)):
        r = folder.run("uncertainty", "--probs", f"{part}-p.npy", "--counts", f"{part}-c.npy", "--weights", f"{part}-w.npy",
                       "--score", f"own={part}-s.npy", "--ids", f"{part}-i.csv", "--bins", 30, "--coarsen", coarsen,
                       "--permutations", 0, "--threads", threads, "--json", "-").json
        for s in r["suspects"]:
            del s["row"]
        runs.append((coarsen, without_argv(r)))
    for coarsen in (0, 0.4):
        same = [r for c, r in runs if c == coarsen]
        assert all(r == same[0] for r in same)


def test_resampling_does_not_depend_on_threads(folder, seven):
    args = [*BASE[:3], "--counts", "counts.npy", "--bootstrap", 10, "--permutations", 10, "--json", "-"]
    one, many = (folder.run(*args[:1], *args[1:], "--threads", t).json for t in (1, 4))
    assert without_argv(one) == without_argv(many)
    assert "low" in one["measures"]["u1"]["aurc"]


def test_votes_count_by_share(folder, seven):
    result = folder.run("uncertainty", "--probs", "probs.npy", "--counts", "counts.npy", "--json", "-").json
    counts, top = seven["counts"], seven["probs"].argmax(1)
    assert result["accuracy"] == pytest.approx(counts[np.arange(600), top].sum() / counts.sum())
    five = folder.run("uncertainty", "--probs", "probs.npy", "--counts", "counts.npy", "--top", 5, "--json", "-").json
    best = np.argsort(-seven["probs"], axis=1)[:, :5]
    assert five["accuracy"] == pytest.approx(np.take_along_axis(counts, best, 1).sum() / counts.sum())


def test_samples(folder):
    rng = np.random.default_rng(5)
    base = rng.normal(size=(300, 3)) * 2
    logits = np.stack([base + rng.normal(size=(300, 3)) for _ in range(4)])
    folder.npy("labels.npy", np.array([rng.choice(3, p=p) for p in softmax(base)]))
    folder.npy("stack.npy", logits)
    for s in range(4):
        folder.npy(f"s{s}.npy", logits[s])
    a = folder.run("uncertainty", "--sample-logits", "stack.npy", "--labels", "labels.npy", "--json", "-").json
    b = folder.run("uncertainty", "--sample-logits", *(f"s{s}.npy" for s in range(4)), "--labels", "labels.npy", "--json", "-").json
    assert a["measures"] == b["measures"]
    assert {"variance", "mutual_information", "expected_entropy"} <= set(a["measures"])
    assert "why" in a["measures"]["u5"]
    p = softmax(logits)
    centred = p - p.mean(0)
    cov = np.einsum("sia,sib->iab", centred, centred) / 4
    frobenius = np.sort(np.sqrt((cov ** 2).sum((1, 2))))
    bins = a["measures"]["variance"]["bins"]
    assert bins[0]["low"] == pytest.approx(frobenius[0]) and bins[-1]["high"] == pytest.approx(frobenius[-1])


def test_coarsen_and_its_warning(folder, seven):
    plain = folder.run(*BASE, "--measures", "u1", "--bins", 100, "--json", "-").json
    assert any("too small to trust" in note for note in plain["notes"])
    merged = folder.run(*BASE, "--measures", "u1", "--coarsen", 0.3, "--json", "-").json
    assert len(merged["measures"]["u1"]["bins"]) < 100
    assert all(b["relative_error"] <= 0.3 for b in merged["measures"]["u1"]["bins"])
    assert merged["notes"] == []


def test_odds_ratio_by_the_rarer_outcome(folder, seven):
    result = folder.run(*BASE, "--measures", "u1", "--bootstrap", 20, "--json", "-").json
    jsonschema.validate(result, SCHEMA)
    p, y = seven["probs"], seven["labels"]
    right, u1 = p.argmax(1) == y, -np.log(p.max(1))
    rare = min(right.sum(), (~right).sum())
    bins = min(100, rare // 25)
    got = result["measures"]["u1"]
    assert got["eor_bins"] == len(got["odds_bins"]) == bins >= 2
    order = np.argsort(u1, kind="stable")
    is_rare = (right == (right.sum() < (~right).sum()))[order]
    cell = np.minimum(bins - 1, bins * (np.cumsum(is_rare) - is_rare) // rare)  # no ties
    acc = np.array([right[order][cell == b].mean() for b in range(bins)])
    share = np.bincount(cell) / 600
    odds = acc / (1 - acc) / (right.mean() / (1 - right.mean()))
    assert got["eor"]["value"] == pytest.approx((share * np.maximum(odds, 1 / odds)).sum())
    assert got["eor"]["interval"] == "log" and 1 <= got["eor"]["low"] < got["eor"]["value"] < got["eor"]["high"]
    assert "min(100" in result["settings"]["eor_bins"]
    given = folder.run(*BASE, "--measures", "u1", "--bins", 100, "--json", "-").json["measures"]["u1"]
    assert "odds_bins" not in given and given["binned_brier"] == {"value": got["binned_brier"]["value"]}


def test_guaranteed_thresholds(folder, seven):
    run = folder.run(*BASE, "--targets", "0.6,0.999", "--measures", "u1", "--json", "-").json
    p, y = seven["probs"], seven["labels"]
    right, u1 = p.argmax(1) == y, -np.log(p.max(1))
    low, high = run["measures"]["u1"]["thresholds"]
    sure = low["guaranteed"]
    kept = u1 < sure["threshold"] - 1e-12  # the threshold is the value of the next item; logarithms may differ in the last digit
    assert sure["share"] == pytest.approx(kept.mean()) and sure["accuracy"] == pytest.approx(right[kept].mean())
    assert sure["accuracy"] > 0.6 and sure["threshold"] <= low["threshold"]
    assert low["kept"]["share"] == pytest.approx((u1 < low["threshold"] - 1e-12).mean())
    assert high["guaranteed"] == {"threshold": None, "share": 0.0, "accuracy": None}
    assert any("0.999 cannot be guaranteed with 600 items" in note for note in run["notes"])
    assert run["settings"]["confidence"] == 0.95
    off = folder.run(*BASE, "--measures", "u1", "--confidence", 0, "--json", "-").json
    assert "guaranteed" not in off["measures"]["u1"]["thresholds"][0]
    out = folder.run(*BASE).out
    assert "with probability at least 95% over the test set" in " ".join(out.split())


def test_flags_that_would_do_nothing_are_refused(folder, seven):
    for flag in ("--by", "--concentration", "--truth"):
        run = folder.run(*BASE, flag, "labels.npy")
        assert run.code == 2 and flag in run.err and run.err.count("\n") == 1
    assert "--concentration" not in folder.run("uncertainty", "--help").out
    named = [folder.run(*BASE, flag, "u1", "--json", "-").json["measures"] for flag in ("--metrics", "--measures")]
    assert named[0] == named[1]


def test_no_cell_of_the_csv_is_a_formula(folder, seven):
    bad = ["=1+1", "+cmd|x", "-2+3", "@SUM(A1)", "\t=1", " =1", "\uff1d1", "a;b", "-5", "plain", 'q"x']
    names = (bad * 60)[:600]
    with (folder / "odd.csv").open("w", newline="") as f:
        csv.writer(f).writerows([["id"], *([f"{n}"] for n in names)])
    folder.run(*BASE, "--ids", "odd.csv", "--suspects", 100, "--suspects-csv", "look.csv", "--quiet")
    rows = list(csv.DictReader((folder / "look.csv").open(newline="")))
    assert len({r["id"] for r in rows}) == len({b.strip() for b in bad}), "a reader of CSV trims"
    for r in rows:
        cell = r["id"].strip(" ")
        assert cell == "-5" or cell[0] not in "=+-@\t\uff1d", r
        assert r["id"] in bad or r["id"][1:] in {b.strip() for b in bad}


BAD = {
    "a score without a name": (["--score", "noise.npy"], "NAME=FILE"),
    "a score named like a measure": (["--score", "entropy=noise.npy"], "already a measure"),
    "an odd name": (["--score", "My Score=noise.npy"], "lower-case letters"),
    "a score of other length": (["--score", "x=short.npy"], "short.npy"),
    "an unknown measure": (["--measures", "entropie"], "entropy"),
    "samples needed": (["--measures", "variance"], "--samples"),
    "targets": (["--targets", "0.9,much"], "much"),
    "targets beyond 1": (["--targets", "99"], "at most 1"),
    "confidence": (["--confidence", "95"], "--confidence"),
    "base rate": (["--base-rate", "1.2"], "strictly between 0 and 1"),
    "suspects by what": (["--suspects-by", "u2"], "u1"),
    "both": (["--histogram", "h.csv"], "cannot be combined"),
    "top": (["--top", "3"], "--top"),
    "output over input": (["--suspects-csv", "probs.npy"], "overwrite"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_sentence(folder, seven, name):
    folder.npy("short.npy", np.zeros(5))
    folder.text("h.csv", "w,p\n1,0.5\n")
    flags, word = BAD[name]
    run = folder.run(*BASE, *flags)
    assert run.code == 2 and run.err.startswith("plumb: ") and run.err.count("\n") == 1, run.err
    assert word in run.err
    assert run.out == ""


def test_terminal_says_what_it_means(folder, seven):
    out = folder.run(*BASE, "--bootstrap", 5).out
    for words in ("best first", "changes the odds", "Thresholds", "Defer the most uncertain items", "Suspects"):
        assert words in out
    assert max(map(len, out.splitlines())) <= 130


def test_gates_are_on_scores_of_measures(folder, seven):
    eor = folder.run(*BASE, "--json", "-").json["measures"]["u1"]["eor"]["value"]
    held = folder.run(*BASE, "--quiet", "--fail-if", f"u1.eor<{eor + 1}", "--fail-if", f"u1.eor>{eor + 1}")
    assert held.code == 3 and held.err.count("\n") == 1 and "u1.eor" in held.err
    assert folder.run(*BASE, "--quiet", "--fail-if", f"u1.eor<{eor - 1}").code == 0
    unknown = folder.run(*BASE, "--quiet", "--fail-if", "u1.eorr<1")
    assert unknown.code == 2 and unknown.err.count("\n") == 1 and "u1.eor" in unknown.err


@needs_data
def test_cifar_and_snli():
    from conftest import run_plumb
    cifar = run_plumb("uncertainty", "--probs", DATA / "plambda_cifar10_vgg16_probs.npy", "--labels",
                      DATA / "plambda_cifar10_labels.npy", "--json", "-").json
    assert cifar["accuracy"] == pytest.approx(0.9358, abs=0.01)
    u1 = cifar["measures"]["u1"]
    assert u1["eor_bins"] == 25 and 10 < u1["eor"]["value"] < 16, "119 on 100 bins of equal mass"
    assert u1["eor"]["value"] > 10 * u1["eor"]["null_mean"]
    assert len(cifar["suspects"]) == 20
    table = DATA / "nli" / "snli_test.csv"
    members = ["roberta-base_0", "roberta-base_1", "roberta-base_2", "bert-base-uncased_0", "bert-base-uncased_1"]
    snli = run_plumb("uncertainty", "--sample-logits", *(f"{table}:{m}_e,{m}_n,{m}_c" for m in members), "--labels",
                     f"{table}:gold", "--ids", f"{table}:uid", "--json", "-").json
    assert snli["settings"]["samples"] == 5
    assert snli["measures"]["entropy"]["thresholds"][0]["threshold"] > 0
    assert snli["measures"]["mutual_information"]["auroc"]["value"] > 0.7
