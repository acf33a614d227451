"""Output: the schema, the gate, files, the terminal."""
import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import termios
import time

import jsonschema
import numpy as np
import pytest
from conftest import DATA, PLUMB, ROOT, make_task, needs_data, values

SCHEMA = json.loads((ROOT / "docs" / "result.schema.json").read_text())
LABELS = ("--probs", "probs.npy", "--labels", "labels.npy")
COUNTS = ("--probs", "probs.npy", "--counts", "counts.npy")


def validate(result):
    jsonschema.Draft202012Validator(SCHEMA).validate(result)


# --- schema --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("args", [LABELS, COUNTS, COUNTS + ("--bootstrap", 20), LABELS + ("--metrics", "ece,nll"),
                                  COUNTS + ("--binning", "mass", "--by", "labels.npy"), LABELS + ("--clip", "0.01")])
def test_schema(folder, task, args):
    validate(folder.evaluate(*args))


def test_a_missing_interval_has_its_reason(folder):
    p, y = folder.npy("p.npy", np.ones(50)), folder.npy("y.npy", np.ones(50, dtype=int))
    result = folder.evaluate("--probs", p, "--labels", y, "--metrics", "nll,brier", "--bootstrap", 20)
    validate(result)
    nll, brier = result["metrics"]["nll"], result["metrics"]["brier"]
    assert "low" not in nll and "all replicates have the same value" in nll["interval_why"]
    assert brier["low"] < brier["high"] and "interval_why" not in brier
    broken = json.loads(json.dumps(result))
    broken["metrics"]["brier"]["interval_why"] = "both"
    with pytest.raises(jsonschema.ValidationError):
        validate(broken)


def test_slices_and_consensus_have_a_reason_for_each_missing_interval(folder):
    rng = np.random.default_rng(3)
    z = rng.dirichlet(np.ones(3), 40)
    counts = np.array([rng.multinomial(3, q) for q in z])
    site = np.array(["large"] * 34 + ["small"] * 6)
    (folder.path / "site.csv").write_text("site\n" + "\n".join(site) + "\n")
    result = folder.evaluate("--probs", folder.npy("z.npy", z), "--counts", folder.npy("c.npy", counts),
                             "--by", "site.csv:site", "--bootstrap", 20, "--metrics", "all")
    validate(result)
    for part in ("metrics", "consensus"):
        with_value = {k: m for k, m in result[part].items() if m["value"] is not None}
        assert len(with_value) > 20
        for key, m in with_value.items():
            assert ("low" in m) != ("interval_why" in m), (part, key)
        assert with_value["mce"]["interval_why"].startswith("noise alone")
    large, small = result["per_group"]
    assert "interval_why" not in large and "ece" in large["intervals"]
    assert "intervals" not in small
    assert set(small["interval_why"].values()) == {"the slice has fewer than 10 items"}
    assert {"ece", "accuracy", "nll"} <= set(small["interval_why"])


def test_a_trusted_model_of_rare_events_is_told_that_the_tolerance_hides_them(folder):
    """Forecasts five times too high at a prevalence of 0.0015."""
    p = np.full(20000, 0.0075)
    y = np.zeros(20000, dtype=int)
    y[:30] = 1
    args = ("evaluate", "--probs", folder.npy("p.npy", p), "--labels", folder.npy("y.npy", y), "--bootstrap", 100)
    run = folder.run(*args, "--json", "r.json")
    text = " ".join(run.out.split())
    assert "But the tolerance is larger than the share of the rarer outcome (0.15%)" in text
    assert "see oe_ratio, or give --tolerance 0.0003" in text
    assert "The forecasts are too high on average, though within the tolerance, which is wide for so rare an outcome" in text
    assert "There are 0.2 times as many events as forecast" in text
    result = json.loads((folder.path / "r.json").read_text())
    validate(result)
    assert result["verdict"]["verdict"] == "trustworthy" and "`tolerance` 0.0003" in result["verdict"]["why"]
    assert folder.run(*args, "--tolerance", "0.0003", "--json", "-").json["verdict"]["verdict"] == "off"


def test_schema_binary_and_merge(folder, task):
    p = folder.npy("p.npy", task["probs"][:, 0])
    y = folder.npy("y.npy", (task["labels"] == 0).astype(int))
    t = folder.npy("t.npy", np.clip(task["probs"][:, 0], 0.01, 0.99))
    result = folder.evaluate("--probs", p, "--labels", y, "--truth", t, "--bootstrap", 10, "--save-state", "s.plumb")
    validate(result)
    assert {"mse_p", "kl_p", "calibration_slope"} <= set(result["metrics"])
    validate(folder.run("merge", "s.plumb", "--json", "-").json)


@pytest.mark.parametrize("change", [
    lambda r: r["metrics"]["ece"].update(value=None),
    lambda r: r["metrics"]["ece"].update(why="because"),
    lambda r: r["metrics"]["ece"].pop("high"),
    lambda r: r["metrics"]["ece"].update(p_value=0),
    lambda r: r["metrics"]["ece"].update(vlaue=1),
    lambda r: r.pop("votes"),
    lambda r: r.update(item=3),
    lambda r: r["settings"].update(threads=2),
    lambda r: r["settings"].pop("null"),
    lambda r: r["tables"]["reliability"][0].pop("gap"),
    lambda r: r["tables"]["reliability"][0].update(items=1.5),
    lambda r: r["inputs"][0].update(dtype="double"),
])
def test_schema_catches_mistakes(folder, task, change):
    result = folder.evaluate(*LABELS, "--bootstrap", 4)
    validate(result)
    change(result)
    with pytest.raises(jsonschema.ValidationError):
        validate(result)


def test_traceable(folder, task):
    args = (*COUNTS, "--bins", "7", "--seed", "5", "--bootstrap", "3", "--classes", "a,b,c,d")
    result = folder.run("evaluate", *args, "--bandwidth", "0.05", "--json", "-").json
    assert result["argv"] == ["plumb", "evaluate", *args, "--bandwidth", "0.05", "--json", "-"]
    s = result["settings"]
    assert (s["bins"], s["seed"], s["bootstrap"], s["scale"]) == (7, 5, 3, "probabilities")
    assert "threads" not in s
    assert result["inputs"] == [{"flag": "--probs", "path": "probs.npy", "shape": [400, 4], "dtype": "float64"},
                                {"flag": "--counts", "path": "counts.npy", "shape": [400, 4], "dtype": "int64"}]
    assert len(result["tables"]["reliability"]) == 7 and result["class_names"] == ["a", "b", "c", "d"]
    assert result["votes"] == int(np.load(folder / "counts.npy").sum())


def test_undefined_is_null_with_a_reason(folder):
    p = folder.npy("p.npy", np.array([0.0, 1.0, 0.5]))
    y = folder.npy("y.npy", np.array([1, 1, 0]))
    m = folder.evaluate("--probs", p, "--labels", y)["metrics"]["nll"]
    assert m["value"] is None and "give `clip` 1e-12" in m["why"]
    table = folder.run("evaluate", "--probs", p, "--labels", y)
    assert "Not defined here" in table.out and m["why"].replace("`clip`", "--clip") in " ".join(table.out.split())
    clipped = folder.evaluate("--probs", p, "--labels", y, "--clip", "1e-3")
    assert clipped["metrics"]["nll"]["value"] == pytest.approx((-np.log(1e-3) - np.log(1 - 1e-3) - np.log(0.5)) / 3, abs=1e-12)
    assert any("clip" in note for note in clipped["notes"])


# --- the gate --------------------------------------------------------------------------------------------------------------


def test_gate(folder, task):
    ece = values(folder.evaluate(*LABELS))["ece"]
    held = folder.run("evaluate", *LABELS, "--fail-if", f"ece>{ece / 2}", "--fail-if", "accuracy < 0", "--json", "r.json")
    assert held.code == 3
    assert held.err.count("\n") == 1 and "ece" in held.err and "accuracy" not in held.err
    assert values(json.loads((folder / "r.json").read_text()))["ece"] == ece, "the result is written all the same"
    assert folder.run("evaluate", *LABELS, "--fail-if", f"ece>{ece * 2}", "--quiet").code == 0


@pytest.mark.parametrize("op,holds", [(">", False), (">=", True), ("<", False), ("<=", True)])
def test_gate_at_the_bound(folder, task, op, holds):
    ece = values(folder.evaluate(*LABELS))["ece"]
    run = folder.run("evaluate", *LABELS, "--fail-if", f"ece {op} {ece!r}", "--quiet")
    assert run.code == (3 if holds else 0) and run.out == ""


def test_two_gates_that_hold_are_both_named(folder, task):
    run = folder.run("evaluate", *LABELS, "--fail-if", "ece>=0", "--fail-if", "brier>=0", "--quiet")
    assert run.code == 3 and run.err.count("\n") == 2 and "ece" in run.err and "brier" in run.err


def test_gate_on_bounds_p_values_and_the_verdict(folder, task):
    args = (*LABELS, "--metrics", "ece,accuracy", "--bootstrap", "40", "--quiet")
    result = folder.evaluate(*args[:-1])
    verdict, ece = result["verdict"]["verdict"], result["metrics"]["ece"]
    for gate, fails in ((f"ece.low>={ece['low']!r}", True), (f"ece.high<{ece['high']!r}", False), ("ece.p_value<=1", True),
                        (f"verdict=={verdict}", True), (f"verdict != {verdict}", False)):
        run = folder.run("evaluate", *args, "--fail-if", gate)
        assert run.code == (3 if fails else 0), (gate, run.err)
        assert ("the gate failed" in run.err) == fails
    for gate in ("verdict!=trustworthy", "ece.low>0", "accuracy.p_value<1"):  # what is absent never passes
        run = folder.run("evaluate", *LABELS, "--metrics", "ece,accuracy", "--quiet", "--fail-if", gate)
        assert run.code == 2 and "cannot be decided" in run.err, run.err
    assert folder.run("evaluate", *args, "--fail-if", "verdict!=good").code == 2


def test_gate_on_what_is_undefined(folder):
    p = folder.npy("p.npy", np.array([0.0, 1.0]))
    y = folder.npy("y.npy", np.array([1, 1]))
    run = folder.run("evaluate", "--probs", p, "--labels", y, "--fail-if", "nll>1", "--json", "r.json")
    assert run.code == 2 and run.err.count("\n") == 1 and "nll" in run.err and "r.json" not in folder.names()


def test_gate_on_a_merge(folder, task):
    assert folder.run("evaluate", *LABELS, "--save-state", "s.plumb", "--quiet").code == 0
    assert folder.run("merge", "s.plumb", "--fail-if", "ece>=0", "--quiet").code == 3
    assert folder.run("merge", "s.plumb", "--fail-if", "ks>=0", "--quiet").code == 3
    assert folder.run("merge", "s.plumb", "--fail-if", "ece_corrected>=0", "--metrics", "ece_corrected", "--quiet").code == 2


def test_merge_yields_the_kernel_curve(folder, task):
    assert folder.run("evaluate", *LABELS, "--bandwidth", "0.03", "--save-state", "s.plumb", "--json", "one.json", "--quiet").code == 0
    assert folder.run("merge", "s.plumb", "--json", "all.json", "--quiet").code == 0
    one, merged = (json.loads((folder.path / name).read_text()) for name in ("one.json", "all.json"))
    assert merged["tables"]["reliability_kde"] == one["tables"]["reliability_kde"]
    assert merged["settings"]["bandwidth"] == 0.03


# --- where it goes ------------------------------------------------------------------------------------------------------------


def test_json_alone_on_standard_output(folder, task):
    run = folder.run("evaluate", *LABELS, "--json", "-")
    assert run.err == ""
    json.loads(run.out)


def test_json_in_a_file_and_the_table_on_the_terminal(folder, task):
    run = folder.run("evaluate", *LABELS, "--json", "r.json")
    assert "In words" in run.out
    assert folder.names() == ["counts.npy", "labels.npy", "logits.npy", "probs.npy", "r.json"], "nothing else is left"
    quiet = folder.run("evaluate", *LABELS, "--json", "r.json", "--quiet")
    assert quiet.out == quiet.err == ""


def on_a_terminal(folder, args, columns=90, env=None):
    """Runs with a pseudo-terminal on both ends and returns what it showed."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    full = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm"} | (env or {})
    process = subprocess.Popen([PLUMB, *args], cwd=folder.path, stdout=slave, stderr=slave, env=full)
    os.close(slave)
    shown = b""
    while True:
        try:
            more = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        shown += more
    assert process.wait() == 0
    os.close(master)
    return shown.decode()


def test_colours_only_on_a_terminal(folder, task):
    args = ["evaluate", *LABELS]
    assert "\x1b[" not in folder.run(*args).out
    assert "\x1b[1m" in on_a_terminal(folder, args)
    assert "\x1b[1m" not in on_a_terminal(folder, args, env={"NO_COLOR": "1"})
    assert "\x1b[1m" not in on_a_terminal(folder, args, env={"TERM": "dumb"})


def test_table_keeps_to_the_terminal(folder, task):
    for line in on_a_terminal(folder, ["evaluate", *LABELS], columns=70, env={"NO_COLOR": "1"}).split("\r\n"):
        assert len(line) <= 70, line


def test_progress_only_on_a_terminal(folder, task):
    args = ["evaluate", *LABELS, "--bootstrap", "50"]
    assert "%" in on_a_terminal(folder, args).split("400 items")[0]
    assert folder.run(*args).err == ""
    assert "\r[" not in on_a_terminal(folder, args + ["--quiet"])


def test_broken_pipe_is_quiet(folder, task):
    for command in (["list"], ["evaluate", *LABELS, "--json", "-"]):
        process = subprocess.Popen([PLUMB, *command], cwd=folder.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


@pytest.mark.parametrize("number,code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interruption_leaves_no_torn_file(folder, number, code):
    t = make_task(n=20000, k=10)
    folder.npy("probs.npy", t["probs"])
    folder.npy("labels.npy", t["labels"])
    before = folder.names()
    process = subprocess.Popen([PLUMB, "evaluate", *LABELS, "--bootstrap", "200000", "--json", "r.json", "--save-state", "s.plumb"],
                               cwd=folder.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # a job in the background ignores it
    deadline = time.time() + 60
    while folder.names() == before and time.time() < deadline:
        time.sleep(0.02)  # until the output files are open
    assert folder.names() != before, "the work had not begun"
    time.sleep(0.2)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == code and out == b""
    assert folder.names() == before


def test_stranger_at_the_door(folder):
    """Names that are not UTF-8, and names with colons and brackets."""
    t = make_task(n=30)
    odd = os.fsencode(str(folder.path)) + b"/caf\xe9.npy"
    with open(odd, "wb") as f:
        np.save(f, t["probs"])
    folder.npy("labels.npy", t["labels"])
    folder.npy("a:b [1].npy", t["probs"])
    run = subprocess.run([os.fsencode(PLUMB), b"evaluate", b"--probs", odd, b"--labels", b"labels.npy", b"--bandwidth", b"0.05",
                          b"--json", b"-"],
                         cwd=folder.path, stdout=subprocess.PIPE, check=True)
    one = json.loads(run.stdout)
    assert values(folder.evaluate("--probs", "a:b [1].npy", "--labels", "labels.npy")) == values(one)


def test_describe(folder, task):
    folder.text("votes.csv", "rater_1,rater_2,site,p\n0,1,north,0.5\n1,,south,0.25\n")
    text = folder.run("describe", "probs.npy", "logits.npy", "labels.npy", "counts.npy", "votes.csv").out
    for part in ("float64 400 x 4", "--probs", "--logits", "--labels", "--counts", "votes.csv:site", "north"):
        assert part in text, part


# --- real data ------------------------------------------------------------------------------------------------------------

CIFAR = str(DATA / "plambda_cifar10_vgg16_probs.npy")


@needs_data
def test_cifar_labels(folder):
    result = folder.evaluate("--probs", CIFAR, "--labels", DATA / "plambda_cifar10_labels.npy")
    v = values(result)
    # ECE: any left- or right-closed rule gives this on these data to 1e-6.
    assert v["ece"] == pytest.approx(0.039780, abs=1e-6)
    assert v["ece_mass"] == pytest.approx(0.0397, abs=5e-5)
    assert v["nll"] == pytest.approx(0.257065, abs=5e-7)
    assert v["brier"] == pytest.approx(0.105446, abs=5e-7)
    assert v["ks"] == pytest.approx(0.039702, abs=5e-7)
    table = folder.run("evaluate", "--probs", CIFAR, "--labels", DATA / "plambda_cifar10_labels.npy")
    assert "The mean confidence is 97.6%, and the accuracy is 93.6%." in " ".join(table.out.split())


@needs_data
def test_cifar_counts_gives_every_key_that_applies(folder):
    result = folder.evaluate("--probs", CIFAR, "--counts", DATA / "cifar10h-counts.npy", "--bootstrap", 40)
    validate(result)
    rows = folder.run("list", "--json").json["metrics"]
    wanted = {m["key"] for m in rows if m["task"] in ("any", "multiclass") and m["needs"] != "truth" and m["cost"] != "quadratic" and not m["on_request"]}
    assert set(result["metrics"]) - {"ece_debiased"} == wanted  # the other name of ece_l2_debiased
    for row in rows:
        m = result["metrics"].get(row["key"])
        if m is None or m["value"] is None:
            continue
        assert {"low", "high", "interval"} <= set(m) or row["interval"] == "none" or m["interval_why"], row["key"]
        assert (("p_value" in m) and ("null_mean" in m)) == row["null"], row["key"]
        assert m.get("low", 0) <= m.get("high", 0)
    assert result["items"] == 10000 and result["votes"] == int(np.load(DATA / "cifar10h-counts.npy").sum())
