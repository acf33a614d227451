"""The flags of docs/validation.md: --thresholds and --curve."""
import csv
import json

import pytest

from conftest import run_plumb


@pytest.fixture
def cohort(tmp_path):
    rows = ["p,q,y"]
    for i in range(200):
        u, v = (i * 0.6180339887498949) % 1, (i * 0.7548776662466927 + 0.3) % 1
        p = 0.02 + 0.9 * u ** 1.5
        rows.append(f"{p:.6f},{0.1 + 0.8 * u:.6f},{int(v < p ** 1.3)}")
    path = tmp_path / "cohort.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def evaluate(cohort, *more):
    run = run_plumb("evaluate", "--probs", f"{cohort}:p", "--labels", f"{cohort}:y", *more)
    assert run.code == 0, run.err
    return run


def test_thresholds_are_in_the_terminal_and_in_json(cohort):
    run = evaluate(cohort, "--metrics", "ece", "--thresholds", "0.2,0.1", "--bootstrap", "50")
    assert "Decisions" in run.out and "net benefit" in run.out and "treat all" in run.out
    result = json.loads(evaluate(cohort, "--metrics", "ece", "--thresholds", "0.2,0.1", "--json", "-").out)
    rows = result["tables"]["thresholds"]
    assert [r["threshold"] for r in rows] == [0.1, 0.2]
    data = [line.split(",") for line in cohort.read_text().split()[1:]]
    for row in rows:
        t = row["threshold"]
        tp = sum(float(p) >= t and y == "1" for p, _, y in data)
        fp = sum(float(p) >= t and y == "0" for p, _, y in data)
        assert row["net_benefit"] == pytest.approx(tp / 200 - fp / 200 * t / (1 - t), abs=1e-12)
        assert row["ppv"] == pytest.approx(tp / (tp + fp), abs=1e-12)
    assert len(result["tables"]["decision_curve"]) == 99


def test_without_thresholds_nothing_is_said(cohort):
    run = evaluate(cohort)
    assert "Decisions" not in run.out and "kuiper" not in run.out and "mcb" not in run.out
    metrics = json.loads(evaluate(cohort, "--json", "-").out)["metrics"]
    assert "kuiper" in metrics and "ipa" in metrics and "ici" not in metrics and "mcb" not in metrics


@pytest.mark.parametrize("flags, words", [
    (["--thresholds", "0.1,x"], "--thresholds takes numbers between 0 and 1"),
    (["--thresholds", "1"], "--thresholds must lie between 0 and 1, not 1"),
    (["--curve", "lowess"], "--curve"),
])
def test_bad_values(cohort, flags, words):
    run = run_plumb("evaluate", "--probs", f"{cohort}:p", "--labels", f"{cohort}:y", *flags)
    assert run.code == 2 and words in run.err


def test_curves(cohort):
    values = {}
    for curve in ("loess", "rcs", "kernel"):
        result = json.loads(evaluate(cohort, "--metrics", "ici,e50,e90,emax", "--curve", curve, "--json", "-").out)
        assert result["settings"]["curve"] == curve
        m = {key: v["value"] for key, v in result["metrics"].items()}
        assert 0 < m["e50"] <= m["e90"] <= m["emax"] and m["ici"] <= m["emax"]
        assert len(result["tables"]["calibration_curve"]) > 80
        values[curve] = m["ici"]
    assert len(set(values.values())) == 3
    assert max(values.values()) - min(values.values()) < 0.03


def test_compare_has_differences_of_net_benefit(cohort):
    run = run_plumb("compare", "--model", f"a={cohort}:p", "--model", f"b={cohort}:q", "--labels", f"{cohort}:y",
                    "--thresholds", "0.2", "--bootstrap", "50", "--metrics", "brier", "--json", "-")
    assert run.code == 0, run.err
    (row,) = json.loads(run.out)["tables"]["net_benefit"]
    assert (row["from"], row["to"], row["threshold"]) == ("a", "b", 0.2)
    assert row["low"] <= row["difference"] <= row["high"]


def test_tripod(cohort, tmp_path):
    path = tmp_path / "performance.csv"
    evaluate(cohort, "--metrics", "auroc,oe_ratio,ici", "--thresholds", "0.2", "--bootstrap", "50", "--tripod", str(path))
    rows = list(csv.DictReader(path.open()))
    by_measure = {r["measure"]: r for r in rows}
    assert [r["measure"] for r in rows][:2] == ["items", "share of votes for the event"]
    assert by_measure["items"]["value"] == "200" and by_measure["items"]["item"] == "21"
    auroc = by_measure["auroc"]
    assert auroc["topic"] == "discrimination" and float(auroc["low"]) < float(auroc["value"]) < float(auroc["high"])
    assert by_measure["oe_ratio"]["interval"] == "exact" and by_measure["ici"]["low"] == ""
    assert "threshold of 0.2" in by_measure["net_benefit"]["note"]
    page = tmp_path / "performance.html"
    evaluate(cohort, "--metrics", "auroc", "--tripod", str(page))
    assert "<td>auroc</td>" in page.read_text()
    run = run_plumb("evaluate", "--probs", f"{cohort}:p", "--labels", f"{cohort}:y", "--tripod", "x.txt")
    assert run.code == 2 and "--tripod writes .csv or .html" in run.err


def test_a_merged_state_has_decisions_and_the_isotonic_fit(cohort, tmp_path):
    lines = cohort.read_text().splitlines()
    half = len(lines) // 2
    for name, rows in (("a", lines[1:half]), ("b", lines[half:])):
        (tmp_path / f"{name}.csv").write_text("\n".join([lines[0], *rows]) + "\n")
        run = run_plumb("evaluate", "--probs", f"{tmp_path / name}.csv:p", "--labels", f"{tmp_path / name}.csv:y", "--save-state",
                        tmp_path / f"{name}.plumb", "--quiet")
        assert run.code == 0, run.err
    one = json.loads(evaluate(cohort, "--thresholds", "0.1,0.2", "--metrics", "mcb,skce", "--json", "-").out)
    run = run_plumb("merge", tmp_path / "a.plumb", tmp_path / "b.plumb", "--thresholds", "0.1,0.2", "--metrics", "mcb,skce", "--json", "-")
    assert run.code == 0, run.err
    merged = json.loads(run.out)
    for table in ("thresholds", "decision_curve", "reliability_corp"):
        assert merged["tables"][table] == one["tables"][table]
    for key in ("mcb", "skce"):
        assert merged["metrics"][key]["value"] == one["metrics"][key]["value"]
    for wrong, words in (("2", "between 0 and 1"), ("x", "--thresholds takes numbers")):
        run = run_plumb("merge", tmp_path / "a.plumb", "--thresholds", wrong)
        assert run.code == 2 and words in run.err


def test_one_class_against_the_rest(tmp_path):
    rows, two = ["a,b,c,label"], ["p,y"]
    for i in range(300):
        u, v, w = ((i * step + 0.2) % 1 for step in (0.6180339887498949, 0.7548776662466927, 0.5698402909980532))
        z = [u + 0.1, v + 0.1, 0.3]
        z = [x / sum(z) for x in z]
        label = "abc"[0 if w < z[0] else 1 if w < z[0] + z[1] else 2]
        rows.append(",".join(map(repr, z)) + "," + label)
        two.append(f"{z[1]!r},{int(label == 'b')}")
    (tmp_path / "three.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "two.csv").write_text("\n".join(two) + "\n")
    three, binary = tmp_path / "three.csv", tmp_path / "two.csv"
    shared = ["--metrics", "calibration_slope,oe_ratio,auroc,brier", "--thresholds", "0.3", "--bootstrap", "20", "--json", "-"]
    for name in ("b", "1"):
        run = run_plumb("evaluate", "--probs", f"{three}:a,b,c", "--labels", f"{three}:label", "--one-vs-rest", name, *shared)
        assert run.code == 0, run.err
        one = json.loads(run.out)
        assert one["settings"]["one_vs_rest"] == name and one["class_names"] == ["not b", "b"]
        direct = json.loads(run_plumb("evaluate", "--probs", f"{binary}:p", "--labels", f"{binary}:y", *shared).out)
        assert one["metrics"] == direct["metrics"]
        assert one["tables"]["thresholds"] == direct["tables"]["thresholds"]
    run = run_plumb("audit", "--probs", f"{three}:a,b,c", "--labels", f"{three}:label", "--by", f"{three}:label", "--one-vs-rest", "c",
                    "--metrics", "oe_ratio", "--bootstrap", "20", "--json", "-")
    assert run.code == 0 and json.loads(run.out)["task"] == "binary", run.err
    run = run_plumb("compare", "--model", f"x={three}:a,b,c", "--model", f"y={three}:a,b,c", "--labels", f"{three}:label", "--classes", "a,b,c",
                    "--one-vs-rest", "a", "--metrics", "calibration_slope", "--thresholds", "0.3", "--bootstrap", "20", "--json", "-")
    assert run.code == 0 and "net_benefit" in json.loads(run.out)["tables"], run.err
    for wrong, words in (("d", 'no class is called "d"'), ("3", "class 3 does not exist"), ("1.5", "no class is called")):
        run = run_plumb("evaluate", "--probs", f"{three}:a,b,c", "--labels", f"{three}:label", "--one-vs-rest", wrong)
        assert run.code == 2 and words in run.err, run.err
    run = run_plumb("evaluate", "--probs", f"{binary}:p", "--labels", f"{binary}:y", "--one-vs-rest", "1")
    assert run.code == 2 and "three classes or more" in run.err


def test_p_values_of_closed_forms_are_not_those_of_few_replicates(tmp_path):
    rows = ["p,y"]
    for i in range(2000):
        u, v = (i * 0.6180339887498949) % 1, (i * 0.7548776662466927 + 0.3) % 1
        rows.append(f"{0.02 + 0.9 * u!r},{int(v < 0.4 + 0.2 * u)}")
    (tmp_path / "far.csv").write_text("\n".join(rows) + "\n")
    run = evaluate(tmp_path / "far.csv", "--metrics", "calibration_slope,ks", "--bootstrap", "20")
    line = {text.split()[0]: text for text in run.out.splitlines() if text.startswith("  calibration_slope ") or text.startswith("  ks ")}
    assert line["calibration_slope"].endswith("< 0.0001") and line["ks"].endswith("<= 0.0476")
