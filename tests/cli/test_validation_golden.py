"""Net benefit, CORP parts and scores against dcurves, model-diagnostics and scikit-learn (tests/golden/validation.py)."""
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
def result(tmp_path_factory):
    lines = ["p,y"]
    for i in range(400):
        u, v = (i * 0.6180339887498949) % 1, (i * 0.7548776662466927 + 0.3) % 1
        p = 0.02 + 0.9 * u ** 1.5
        lines.append(f"{p!r},{int(v < p ** 1.3)}")
    path = tmp_path_factory.mktemp("golden") / "data.csv"
    path.write_text("\n".join(lines) + "\n")
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
