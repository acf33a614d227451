"""plumb reproduce: verdicts from intervals, declared claims, the page of all claims, and some experiments in their short form."""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from conftest import DATA, PLUMB, ROOT, repetitions, run_plumb

EXPERIMENTS = ROOT / "experiments"
sys.path.insert(0, str(EXPERIMENTS))
from kit import catalogue, claims  # noqa: E402
from kit.claims import Measured, Missing, verdict  # noqa: E402

KNOWN = catalogue.experiments()
# Quick ones for "make test"; all of them in "make test-long".
SUBSET = ["finlay-examples", "mimori-fig1", "finlay-thresholds", "laves-aux", "liu-linear"]


def test_the_verdict_is_a_function_of_interval_and_region():
    at = lambda low, high: Measured((low + high) / 2, low, high, "")
    assert verdict(at(1, 2), [0, 3]) == "holds" and verdict(at(0, 3), [0, 3]) == "holds"
    assert verdict(at(-1, 2), [0, 3]) == "not settled" and verdict(at(2, 4), [0, 3]) == "not settled"
    assert verdict(at(4, 5), [0, 3]) == "does not hold" and verdict(at(-2, -1), [0, 3]) == "does not hold"
    assert verdict(at(-9, -1), [None, 0]) == "holds" and verdict(at(1, 9), [None, 0]) == "does not hold"
    assert verdict(at(-9, 9), [None, 0]) == "not settled"
    assert verdict(Missing("no data"), [0, 1]) == "not testable here"


def test_a_claim_about_all_rows_needs_all_of_them():
    at = lambda value, half: Measured(value, value - half, value + half, "")
    rows = {"a": at(-2, 1), "b": at(-1, 0.5), "c": at(-3, 1)}
    assert verdict(claims.every(rows, below=True), [None, 0]) == "holds"
    assert verdict(claims.every({**rows, "d": at(-0.2, 0.5)}, below=True), [None, 0]) == "not settled"
    assert verdict(claims.every({**rows, "d": at(3, 1)}, below=True), [None, 0]) == "does not hold"
    # One row of many that is barely above 0 is what chance gives.
    assert verdict(claims.every({**{str(k): at(-1, 0.9) for k in range(9)}, "d": at(1, 0.95)}, below=True), [None, 0]) == "not settled"
    assert verdict(claims.every({"a": at(2, 1), "b": at(-3, 1)}, below=False), [0, None]) == "does not hold"


def test_means_have_the_level_of_their_intervals():
    rng, runs = np.random.default_rng(3), 4000
    inside = 0
    for _ in range(runs):
        m = claims.mean_of(rng.normal(size=4))
        inside += m.low <= 0 <= m.high
    assert abs(inside / runs - 0.95) < 0.015, inside / runs  # 4 standard errors
    assert claims.t_quantile(60) == pytest.approx(2.0003, abs=2e-3) and claims.t_quantile(4) == 2.776


@pytest.mark.parametrize("m", [2, 5, 9, 10, 30])
def test_rows_at_once_are_widened_as_bonferroni_does(m):
    from statistics import NormalDist
    at = Measured(0.0, -1.959964, 1.959964, "")
    got = claims.every({str(k): at for k in range(m)}, below=True)
    needed = NormalDist().inv_cdf(1 - 0.025 / m)
    assert -got.low >= needed - 0.01, (got.low, needed)
    assert -got.low <= needed * 1.25


def test_every_claim_is_declared():
    assert len(KNOWN) == 21
    for name, declared in KNOWN.items():
        assert {"paper", "what", "full", "claims", "data"} <= set(declared), name
        keys = [claim["key"] for claim in declared["claims"]]
        assert len(set(keys)) == len(keys)
        for claim in declared["claims"]:
            low, high = claim["region"]
            assert (low is not None or high is not None) and (low is None or high is None or low <= high), (name, claim["key"])
            assert claim["claim"] and claim["paper"]
        script = EXPERIMENTS / declared["folder"] / (name.replace("-", "_") + ".py")
        assert script.exists(), script


def kept():
    return [json.loads(path.read_text()) for path in sorted(EXPERIMENTS.glob("*/results/*.json"))]


def test_kept_results_are_those_of_the_declared_claims():
    assert kept()
    for result in kept():
        declared = KNOWN[result["experiment"]]["claims"]
        assert [c["key"] for c in result["claims"]] == [c["key"] for c in declared], result["experiment"]
        for c, d in zip(result["claims"], declared):
            assert c["region"] == d["region"], (result["experiment"], c["key"])
            ours = c["ours"]
            measured = Missing(ours["missing"]) if "missing" in ours else Measured(ours["value"], ours["low"], ours["high"], "")
            assert c["verdict"] == verdict(measured, d["region"]), (result["experiment"], c["key"])


def test_the_page_is_made_from_the_kept_results():
    spec = importlib.util.spec_from_file_location("page", EXPERIMENTS / "page.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.page() == (ROOT / "docs/reproduce.md").read_text(), "run python3 experiments/page.py"


@pytest.mark.parametrize("args, word", [
    ((), "name the experiments"),
    (("--list", "all"), "--list takes no names"),
    (("finlay-examples",), "--out is needed"),
    (("finlay-table", "-o", "out"), 'no experiment "finlay-table"'),
    (("finlay-examples", "-o", "out", "--data", "nowhere"), "there is no folder nowhere"),
])
def test_bad_usage_is_one_sentence(folder, args, word):
    run = folder.run("reproduce", *args)
    assert run.code == 2 and word in run.err and run.err.count("\n") == 1, run.err
    assert folder.names() == []


def test_the_list_names_every_experiment():
    listed = run_plumb("reproduce", "--list").out
    assert [line.split()[0] for line in listed.splitlines()[1:]] == list(KNOWN)


def test_what_is_missing_is_one_sentence(folder, tmp_path):
    run = folder.run("reproduce", "--list", env={"PATH": str(tmp_path / "empty")})
    assert run.code == 2 and run.err.count("\n") == 1 and "needs python3" in run.err
    lonely = tmp_path / "bin" / "plumb"
    lonely.parent.mkdir()
    lonely.write_bytes(pathlib.Path(PLUMB).read_bytes())
    lonely.chmod(0o755)
    done = subprocess.run([str(lonely), "reproduce", "--list"], capture_output=True, text=True, cwd=tmp_path,
                          env={k: v for k, v in os.environ.items() if k != "PLUMB_EXPERIMENTS"})
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "PLUMB_EXPERIMENTS" in done.stderr
    # A python3 without numpy, and no other.
    blind = tmp_path / "blind"
    blind.mkdir()
    (blind / "numpy.py").write_text("raise ImportError\n")
    run = folder.run("reproduce", "--list", env={"PYTHONPATH": str(blind)})
    assert run.code == 2 and run.err.count("\n") == 1 and "python3-numpy" in run.err


def test_without_data_claims_are_not_testable(folder):
    run = folder.run("reproduce", "laves-aux", "finlay-thresholds", "--quick", "-o", "out", env={"PLUMB_DATA": ""})
    assert run.code == 0, run.err
    for name in ("laves-aux", "finlay-thresholds"):
        result = json.loads((folder / "out" / name / "result.json").read_text())
        assert {c["verdict"] for c in result["claims"]} == {"not testable here"}
        assert all(".csv" in c["ours"]["missing"] or ".npy" in c["ours"]["missing"] for c in result["claims"])


@pytest.mark.parametrize("name", repetitions(list(KNOWN), SUBSET))
def test_an_experiment_runs_in_its_short_form(name, tmp_path):
    env = dict(os.environ, PLUMB_DATA=str(DATA) if DATA.is_dir() else "")
    out = tmp_path / "out"
    done = subprocess.run([PLUMB, "reproduce", name, "--quick", "-o", str(out)], capture_output=True, text=True, env=env, timeout=900)
    assert done.returncode == 0, done.stderr
    result = json.loads((out / name / "result.json").read_text())
    assert [c["key"] for c in result["claims"]] == [c["key"] for c in KNOWN[name]["claims"]]
    assert (out / name / "report.md").read_text().startswith(f"# {name} (")
    assert name in (out / "claims.md").read_text()
    if name == "finlay-examples":
        assert {c["verdict"] for c in result["claims"]} == {"holds"}
    # The same again changes no verdict: what is kept is used, and all seeds are fixed.
    if name in ("finlay-examples", "liu-linear"):
        again = subprocess.run([PLUMB, "reproduce", name, "--quick", "-o", str(out)], capture_output=True, text=True, env=env, timeout=900)
        assert again.returncode == 0
        assert json.loads((out / name / "result.json").read_text())["claims"] == result["claims"]
        other = subprocess.run([PLUMB, "reproduce", name, "-o", str(out)], capture_output=True, text=True, env=env, timeout=900)
        assert other.returncode == 2 and "has another run" in other.stderr
