"""Quantile forecasts: plumb evaluate --quantiles, cqr; regression: auto, --cross-fit, --calibrator."""
import json
import random

import jsonschema
import numpy as np
import pytest

from conftest import ROOT, run_plumb

SCHEMA = json.loads((ROOT / "docs" / "result.schema.json").read_text())
LEVELS = ("--quantile-levels", "0.1,0.5,0.9")


@pytest.fixture(scope="module")
def stays(tmp_path_factory):
    """Quantiles that are too narrow, more so in ward b."""
    rng = random.Random(1)
    lines = ["q10,q50,q90,y,ward,m,v"]
    for i in range(400):
        m, hard = rng.gauss(0, 2), i % 2
        y = m + (2 if hard else 1) * rng.gauss(0, 1)
        lines.append(f"{m - 0.8:.6f},{m:.6f},{m + 0.8:.6f},{y:.6f},{'ab'[hard]},{m:.6f},{0.25:.6f}")
    path = tmp_path_factory.mktemp("stays") / "stays.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def quantiles(stays):
    return ("--quantiles", f"{stays}:q10,q50,q90")


def test_scores_with_intervals(stays):
    run = run_plumb("evaluate", *quantiles(stays), *LEVELS, "--targets", f"{stays}:y", "--by", f"{stays}:ward", "--bootstrap", "50",
                    "--json", "-")
    assert run.code == 0, run.err
    result = json.loads(run.out)
    jsonschema.validate(result, SCHEMA)
    data = np.genfromtxt(stays, delimiter=",", skip_header=1, usecols=(0, 1, 2, 3))
    q, y = data[:, :3], data[:, 3]
    loss = np.mean([np.maximum(t * (y - q[:, k]), (t - 1) * (y - q[:, k])) for k, t in enumerate((0.1, 0.5, 0.9))])
    m = result["metrics"]
    assert m["pinball"]["value"] == pytest.approx(loss, rel=1e-9)
    score = q[:, 2] - q[:, 0] + 10 * np.maximum(q[:, 0] - y, 0) + 10 * np.maximum(y - q[:, 2], 0)
    assert m["interval_score_80"]["value"] == pytest.approx(score.mean(), rel=1e-9)
    assert m["coverage_80"]["value"] == pytest.approx(np.mean((q[:, 0] <= y) & (y <= q[:, 2])), abs=1e-12)
    assert m["pinball"]["low"] < m["pinball"]["value"] < m["pinball"]["high"]
    assert [r["level"] for r in result["tables"]["quantiles"]] == [0.1, 0.5, 0.9]
    assert {g["group"] for g in result["per_group"]} == {"a", "b"}
    shown = run_plumb("evaluate", *quantiles(stays), *LEVELS, "--targets", f"{stays}:y")
    assert shown.code == 0 and "pinball" in shown.out and "interval_score_80" in shown.out


def test_a_page_is_drawn(stays, tmp_path):
    run = run_plumb("evaluate", *quantiles(stays), *LEVELS, "--targets", f"{stays}:y", "--plots", str(tmp_path / "plots"), "--quiet")
    assert run.code == 0, run.err
    assert (tmp_path / "plots" / "intervals.vl.json").exists()


def test_cqr_repairs_the_coverage_in_each_ward(stays, tmp_path):
    model, out = tmp_path / "cqr.json", tmp_path / "q.npy"
    fit = run_plumb("calibrate", "fit", "--method", "cqr", *quantiles(stays), *LEVELS, "--targets", f"{stays}:y", "--within",
                    f"{stays}:ward", "-o", str(model))
    assert fit.code == 0, fit.err
    assert "in each category" in fit.out
    run = run_plumb("calibrate", "apply", str(model), *quantiles(stays), "--within", f"{stays}:ward", "-o", str(out))
    assert run.code == 0, run.err
    after = json.loads(run_plumb("evaluate", "--quantiles", str(out), *LEVELS, "--targets", f"{stays}:y", "--by", f"{stays}:ward",
                                 "--json", "-").out)
    for group in after["per_group"]:
        assert 0.8 <= group["metrics"]["coverage_80"] <= 0.82
    shown = run_plumb("calibrate", "show", str(model))
    assert shown.code == 0 and "cqr" in shown.out


@pytest.mark.parametrize("flags, words", [
    (["--quantile-levels", "0.1,0.9"], "3 columns for 2 levels"),
    (["--quantile-levels", "0.1,0.5,x"], "--quantile-levels takes numbers"),
    (["--quantile-levels", "0.5,0.1,0.9"], "must ascend"),
    ([], "no levels given"),
])
def test_bad_levels(stays, flags, words):
    run = run_plumb("evaluate", *quantiles(stays), *flags, "--targets", f"{stays}:y")
    assert run.code == 2 and words in run.err, run.err


def test_models_of_another_kind_are_refused(stays, tmp_path):
    sigma, cqr = tmp_path / "sigma.json", tmp_path / "cqr.json"
    regression = ("--mean", f"{stays}:m", "--variance", f"{stays}:v", "--targets", f"{stays}:y")
    assert run_plumb("calibrate", "fit", "--method", "sigma", *regression, "-o", str(sigma)).code == 0
    assert run_plumb("calibrate", "fit", "--method", "cqr", *quantiles(stays), *LEVELS, "--targets", f"{stays}:y", "-o", str(cqr)).code == 0
    run = run_plumb("calibrate", "apply", str(sigma), *quantiles(stays), "-o", str(tmp_path / "x.npy"))
    assert run.code == 2 and "does not calibrate quantiles" in run.err
    run = run_plumb("calibrate", "apply", str(cqr), "--variance", f"{stays}:v", "-o", str(tmp_path / "x.npy"))
    assert run.code == 2 and "--quantiles" in run.err
    run = run_plumb("evaluate", *regression, "--calibrator", str(cqr))
    assert run.code == 2 and "calibrates quantiles" in run.err


def test_auto_cross_fit_and_evaluate_with_a_calibrator(stays, tmp_path):
    model, held_out = tmp_path / "auto.json", tmp_path / "v.npy"
    regression = ("--mean", f"{stays}:m", "--variance", f"{stays}:v", "--targets", f"{stays}:y")
    fit = run_plumb("calibrate", "fit", "--method", "auto", *regression, "-o", str(model), "--cross-fit", "5", "--out-variances", str(held_out))
    assert fit.code == 0, fit.err
    assert "sigma gains" in fit.out
    before = json.loads(run_plumb("evaluate", *regression, "--json", "-").out)["metrics"]
    after = json.loads(run_plumb("evaluate", *regression, "--calibrator", str(model), "--json", "-").out)
    assert after["metrics"]["nll"]["value"] < before["nll"]["value"] - 0.5
    assert after["metrics"]["zms"]["value"] == pytest.approx(1, abs=0.05)
    assert any("was fitted on these predictions" in note for note in after["notes"])
    v = np.load(held_out)
    assert v.shape == (400,) and len(np.unique(v.round(9))) >= 2
    cross = json.loads(run_plumb("evaluate", "--mean", f"{stays}:m", "--variance", str(held_out), "--targets", f"{stays}:y", "--json", "-").out)
    assert cross["metrics"]["nll"]["value"] > after["metrics"]["nll"]["value"]


def test_cross_fit_goes_with_its_file(stays, tmp_path):
    regression = ("--mean", f"{stays}:m", "--variance", f"{stays}:v", "--targets", f"{stays}:y", "-o", str(tmp_path / "m.json"))
    run = run_plumb("calibrate", "fit", "--method", "sigma", *regression, "--cross-fit", "5")
    assert run.code == 2 and "go together" in run.err
    run = run_plumb("calibrate", "fit", "--method", "conformal", *regression, "--cross-fit", "5", "--out-variances", str(tmp_path / "v.npy"))
    assert run.code == 2 and "intervals alone" in run.err
    assert not (tmp_path / "m.json").exists()
