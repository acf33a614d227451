"""Net benefit, CORP parts and scores against dcurves, model-diagnostics and scikit-learn (tests/golden/validation.py); slope,
intercept, their tests and decisions at thresholds against R's glm, rms and pROC (tests/golden/risk.R)."""
import csv
import json

import pytest

from conftest import ROOT, run_plumb

# Both sides sum 400 doubles in orders of their own.
ROUNDING = 1e-12


@pytest.fixture(scope="module")
def golden():
    with open(ROOT / "tests" / "golden" / "validation.csv") as file:
        return {row["key"]: float(row["value"]) for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def risk():
    with open(ROOT / "tests" / "golden" / "risk.csv") as file:
        return {row["key"]: float(row["value"]) for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    lines = ["p,y"]
    for i in range(400):
        u, v = (i * 0.6180339887498949) % 1, (i * 0.7548776662466927 + 0.3) % 1
        p = 0.02 + 0.9 * u ** 1.5
        lines.append(f"{p!r},{int(v < p ** 1.3)}")
    path = tmp_path_factory.mktemp("golden") / "data.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def result(data):
    path = data
    run = run_plumb("evaluate", "--probs", f"{path}:p", "--labels", f"{path}:y", "--metrics",
                    "mcb,dsc,unc,log_mcb,log_dsc,log_unc,brier,nll,auroc,auprc", "--thresholds", "0.05,0.1,0.2,0.35,0.5,0.75", "--json", "-")
    assert run.code == 0, run.err
    return json.loads(run.out)


def test_scores_and_parts(golden, result):
    keys = [key for key in golden if not key.startswith("net_benefit")]
    assert len(keys) == 10
    for key in keys:
        assert result["metrics"][key]["value"] == pytest.approx(golden[key], abs=ROUNDING), key


def test_net_benefit(golden, result):
    rows = result["tables"]["thresholds"]
    assert len(rows) == 6
    for row in rows:
        assert row["net_benefit"] == pytest.approx(golden[f"net_benefit p {row['threshold']:g}"], abs=ROUNDING)
        assert row["treat_all"] == pytest.approx(golden[f"net_benefit all {row['threshold']:g}"], abs=ROUNDING)


def test_risk_model_in_r(risk, data):
    run = run_plumb("evaluate", "--probs", f"{data}:p", "--labels", f"{data}:y", "--metrics",
                    "calibration_slope,calibration_intercept,oe_ratio,auroc,brier,spiegelhalter_z", "--thresholds", "0.1,0.2,0.5",
                    "--bootstrap", "20", "--json", "-")
    assert run.code == 0, run.err
    found = json.loads(run.out)
    metrics = found["metrics"]
    for key in ("calibration_slope", "calibration_intercept"):
        assert metrics[key]["value"] == pytest.approx(risk[key], rel=1e-9), key
        # The likelihoods are sums of 400 logarithms, whose difference has fewer digits.
        assert metrics[key]["p_value"] == pytest.approx(risk[f"{key} p"], rel=1e-9), key
    assert metrics["oe_ratio"]["value"] == pytest.approx(risk["oe_ratio"], rel=1e-12)
    # val.prob stops its fit at 1e-7.
    assert metrics["calibration_slope"]["value"] == pytest.approx(risk["rms Slope"], rel=1e-6)
    for ours, theirs in (("auroc", "rms C (ROC)"), ("auroc", "pROC auc"), ("brier", "rms Brier"), ("spiegelhalter_z", "rms S:z")):
        assert metrics[ours]["value"] == pytest.approx(risk[theirs], rel=1e-10), theirs
    for row in found["tables"]["thresholds"]:
        for key in ("sensitivity", "specificity", "ppv", "npv"):
            assert row[key] == pytest.approx(risk[f"pROC {key} {row['threshold']:g}"], abs=1e-12), key
