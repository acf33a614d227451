"""What is printed fits a terminal of 80 columns, and p-values at their floor are marked as bounds."""
import json
import re
import resource
import subprocess

import numpy as np
import pytest

from conftest import PLUMB
from test_option_names import COMMANDS
from test_slices import terminal


@pytest.fixture
def task(folder):
    """Five samples of four classes and five raters: the widest tables."""
    rng = np.random.default_rng(8)
    z = 2 * rng.normal(size=(900, 4))
    samples = z + 0.7 * rng.normal(size=(5, 900, 4))
    votes = np.array([(z + rng.gumbel(size=z.shape)).argmax(1) for _ in range(5)])
    p = np.exp(2 * z)
    folder.npy("p.npy", p / p.sum(1, keepdims=True))
    folder.npy("s.npy", samples)
    folder.npy("y.npy", votes[0])
    v = rng.uniform(0.5, 1, size=900)
    folder.npy("v.npy", v)
    folder.npy("t.npy", v + v * rng.normal(size=900))
    folder.npy("counts.npy", np.stack([(votes == k).sum(0) for k in range(4)], 1))
    return folder


def too_long(lines, columns=80):
    """A command stays whole, because it is to be copied; so does a word without spaces."""
    return [line for line in lines if len(line) > columns and not line.startswith("    plumb ") and len(line.split()) > 2]


@pytest.mark.parametrize("args", [
    ("uncertainty", "--sample-logits", "s.npy", "--labels", "y.npy", "--bootstrap", 5),
    ("uncertainty", "--probs", "p.npy", "--labels", "y.npy", "--confidence", 0),
    ("stability", "--probs", "p.npy", "--counts", "counts.npy", "--repeats", 4, "--estimators", "ece"),
    ("calibrate", "fit", "--method", "matrix", "--probs", "p.npy", "--counts", "counts.npy", "-o", "m.json"),
    ("calibrate", "fit", "--method", "auto", "--probs", "p.npy", "--counts", "counts.npy", "-o", "m.json"),
    ("calibrate", "fit", "--method", "sets", "--levels", "0.9", "--probs", "p.npy", "--counts", "counts.npy", "-o", "m.json"),
    ("calibrate", "fit", "--method", "sigma", "--mean", "v.npy", "--variance", "v.npy", "--targets", "t.npy", "-o", "m.json"),
    ("calibrate", "fit", "--method", "aux", "--mean", "v.npy", "--variance", "v.npy", "--targets", "t.npy", "-o", "m.json"),
    ("compare", "--model", "raw=p.npy", "--model", "same=p.npy", "--counts", "counts.npy", "--bootstrap", 5),
    ("describe", "p.npy", "counts.npy", "s.npy"),
], ids=lambda args: " ".join(map(str, args[:4])))
def test_results_fit_the_terminal(task, args):
    lines = terminal(task, 80, *args)
    assert len(lines) > 3 and not too_long(lines), too_long(lines)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_fits_the_terminal(folder, command):
    args = [*command.split(), "--help"]
    lines, wide = terminal(folder, 80, *args), terminal(folder, 1000, *args)
    assert not too_long(lines), too_long(lines)
    assert not too_long(wide, 100), "nor is it wider than people like to read"
    assert " ".join(lines).split() == " ".join(wide).split(), "only the breaks differ"


def test_long_tables_come_in_two_parts(task):
    args = ("uncertainty", "--sample-logits", "s.npy", "--labels", "y.npy")
    wide, narrow = "\n".join(terminal(task, 140, *args)), "\n".join(terminal(task, 80, *args))
    assert re.search(r"measure +target +plain .* guaranteed +kept\n", wide)
    assert re.search(r"measure +target +plain .* accuracy\n", narrow) and re.search(r"measure +target +guaranteed +kept\n", narrow)
    for text in set(re.findall(r"\S*\d\.\d\S*", wide)):
        assert text in narrow, text


def test_p_values_at_their_floor_are_bounds(task):
    run = task.run("uncertainty", "--probs", "p.npy", "--labels", "y.npy", "--permutations", 19)
    assert run.code == 0 and re.search(r"u1 .* <= 0\.050 ", run.out), run.out
    z = np.load(task / "p.npy")
    task.npy("flat.npy", 0.5 * z + 0.125)
    run = task.run("compare", "--model", "a=p.npy", "--model", "b=flat.npy", "--labels", "y.npy", "--bootstrap", 39, "--json", "c.json")
    metrics = json.loads((task / "c.json").read_text())["compare"]["metrics"]
    tiny = [k for k, m in metrics.items() for d in m["differences"] if d.get("p_value", 1) is not None and d.get("p_value", 1) < 0.0005]
    assert run.code == 0 and "<= 0.050" in run.out and "<= 0.000" not in run.out, run.out
    assert ("< 0.001" in run.out) == any(k in run.out for k in tiny)


def test_numbers_of_items_have_one_form(folder):
    p = np.linspace(0.01, 0.99, 1234)
    folder.npy("p.npy", p)
    folder.npy("y.npy", (p > 0.4).astype(int))
    for args in (["evaluate"], ["uncertainty"], ["stability", "--repeats", "2", "--estimators", "ece"],
                 ["calibrate", "fit", "--method", "none", "-o", "m.json"]):
        run = folder.run(*args, "--probs", "p.npy", "--labels", "y.npy")
        assert run.code == 0 and "1,234 " in run.out and not re.search(r"\b1234 (items|units)", run.out), run.out


def test_every_metric_has_a_measured_cost(folder):
    listed = json.loads(folder.run("list", "--json").out)
    unmeasured = [m["key"] for kind in ("metrics", "regression_metrics") for m in listed[kind] if m["ns_per_row"] is None]
    assert not unmeasured, "run build/bin/plumb_bench --costs src/report/costs.inc"


def test_too_little_memory_is_said_before_the_work(folder):
    rng = np.random.default_rng(0)
    folder.npy("p.npy", rng.uniform(size=2_000_000).astype(np.float32))
    folder.npy("y.npy", rng.integers(0, 2, 2_000_000, dtype=np.uint8))
    folder.npy("w.npy", rng.uniform(1, 2, size=2_000_000).astype(np.float32))
    # Without weights a ladder takes the place of the sorted column.
    args = [PLUMB, "evaluate", "--probs", "p.npy", "--labels", "y.npy", "--weights", "w.npy", "--threads", "1"]

    def run(*more):
        # Data, not address space: mapped files do not count.
        limit = lambda: resource.setrlimit(resource.RLIMIT_DATA, (48 << 20, 48 << 20))
        return subprocess.run([*args, *more], cwd=folder.path, capture_output=True, text=True, preexec_fn=limit)

    refused = run()
    assert refused.returncode == 2 and "2000000 rows need about 0.2 GB of memory" in refused.stderr, refused.stderr
    remedy = re.search(r"--metrics (\S+)$", refused.stderr.strip()).group(0).split()
    assert run(*remedy).returncode == 0
