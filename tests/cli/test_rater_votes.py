"""evaluate --ordered, --rater-weights, --leave-one-rater-out, decomposition; sets by slice; risk control."""
import json

import jsonschema
import numpy as np
import pytest
from conftest import ROOT, make_task

SCHEMA = json.loads((ROOT / "docs" / "result.schema.json").read_text())


@pytest.fixture
def rated(folder):
    """Probabilities of 4 grades, and the grades from raters a, b, c; c leaves out every fifth item."""
    t = make_task(n=300, k=4, seed=5)
    rng = np.random.default_rng(6)
    truth = t["probs"] ** 0.5
    truth /= truth.sum(axis=1, keepdims=True)
    votes = np.array([[rng.choice(4, p=p) for _ in range(3)] for p in truth])
    folder.npy("probs.npy", t["probs"])
    lines = ["a,b,c"] + [f"{a},{b},{'' if i % 5 == 0 else c}" for i, (a, b, c) in enumerate(votes)]
    folder.text("votes.csv", "\n".join(lines) + "\n")
    folder.votes, folder.probs = votes, t["probs"]
    return folder


def evaluated(folder, *args):
    result = folder.evaluate("--probs", "probs.npy", "--ratings", "votes.csv:a,b,c", "--metrics", "brier,ece", *args)
    jsonschema.validate(result, SCHEMA)
    return result


def test_ordered_scores_and_thresholds(rated):
    result = evaluated(rated, "--ordered")
    below = np.cumsum(rated.probs, axis=1)[:, :3]
    total = votes = 0
    for i, row in enumerate(rated.votes):
        for v in row[:2] if i % 5 == 0 else row:
            total += ((below[i] - (v <= np.arange(3))) ** 2).mean()
            votes += 1
    assert result["ordered"]["rps"]["value"] == pytest.approx(total / votes, abs=1e-12)
    assert result["ordered"]["votes"] == votes == result["votes"]
    rows = result["tables"]["ordered_thresholds"]
    assert [row["above"] for row in rows] == ["class 0", "class 1", "class 2"]
    assert sum(row["brier"] for row in rows) / 3 == pytest.approx(total / votes, abs=1e-12)
    assert len(result["tables"]["reliability_above_1"]) == 15
    with_intervals = evaluated(rated, "--ordered", "--bootstrap", "20")["tables"]["ordered_thresholds"]
    assert all(row["ece_low"] <= row["ece_high"] for row in with_intervals)


def test_gates_on_ordered_classes_and_orders(rated):
    def gate(text, *args):
        return rated.run("evaluate", "--probs", "probs.npy", "--ratings", "votes.csv:a,b,c", "--metrics", "ece", *args, "--fail-if",
                         text, "--quiet").code
    assert gate("rps>0.9", "--ordered") == 0
    assert gate("rps.high>0", "--ordered") == 3
    assert gate("order_2>-1", "--orders", "2") == 3
    assert gate("rps>0") == 2  # not computed


def test_decomposition_with_orders(rated):
    parts = evaluated(rated, "--orders", "2")["decomposition"]
    p = rated.probs
    assert parts["total"]["value"] == pytest.approx((1 - (p ** 2).sum(axis=1)).mean(), abs=1e-12)
    assert parts["aleatoric"]["value"] == parts["total"]["value"]  # plain probabilities know of no other part
    el = rated.evaluate("--probs", "probs.npy", "--ratings", "votes.csv:a,b,c", "--metrics", "el")["metrics"]["el"]["value"]
    assert parts["epistemic_observed"]["value"] == pytest.approx(el, abs=1e-12)


def test_states_keep_orders_and_ordered_classes(rated):
    flags = ("--orders", "2", "--statistic", "2 votes: all agree", "--ordered")
    whole = evaluated(rated, *flags)
    counts = np.array([np.bincount(row[:2] if i % 5 == 0 else row, minlength=4) for i, row in enumerate(rated.votes)])
    for name, part in (("1", slice(0, 130)), ("2", slice(130, 300))):
        rated.npy("p.npy", rated.probs[part])
        rated.npy("c.npy", counts[part])
        run = rated.run("evaluate", "--probs", "p.npy", "--counts", "c.npy", "--metrics", "ece", *flags, "--save-state", f"{name}.state", "--quiet")
        assert run.code == 0, run.err
    merged = rated.run("merge", "2.state", "1.state", "--metrics", "brier,ece", "--json", "-").json
    jsonschema.validate(merged, SCHEMA)
    assert merged["orders"] == whole["orders"]
    for key in ("rps", "emd", "emd_squared", "emd_squared_plugin", "ece_thresholds"):
        assert merged["ordered"][key]["value"] == whole["ordered"][key]["value"], key
    for a, b in zip(merged["tables"]["ordered_thresholds"], whole["tables"]["ordered_thresholds"]):
        assert all(a[key] == b[key] for key in ("above", "forecast", "observed", "ece", "oe_ratio", "ece_l2_debiased"))
    assert merged["tables"]["reliability_above_2"] == whole["tables"]["reliability_above_2"]
    assert "order_2" in rated.run("merge", "1.state", "2.state").out
    run = rated.run("evaluate", "--probs", "p.npy", "--counts", "c.npy", "--metrics", "ece", "--save-state", "3.state", "--quiet")
    other = rated.run("merge", "1.state", "3.state")
    assert run.code == 0 and other.code == 2 and "--orders" in other.err, other.err


def test_rater_weights_repeat_votes(rated):
    weighted = evaluated(rated, "--rater-weights", "a=2,c=0")
    counts = np.zeros((300, 4), int)
    for i, (a, b, _) in enumerate(rated.votes):
        counts[i, a] += 2
        counts[i, b] += 1
    rated.npy("counts.npy", counts)
    expected = rated.evaluate("--probs", "probs.npy", "--counts", "counts.npy", "--metrics", "brier,ece")
    for key in ("brier", "ece"):
        assert weighted["metrics"][key]["value"] == expected["metrics"][key]["value"]
    assert weighted["settings"]["rater_weights"] == ["a=2", "c=0"]
    rated.text("w.csv", "w\n1\n0.5\n0\n")
    assert evaluated(rated, "--rater-weights", "w.csv:w")["metrics"] == weighted["metrics"]
    all_keys = rated.evaluate("--probs", "probs.npy", "--ratings", "votes.csv:a,b,c", "--rater-weights", "a=2")
    assert "el" not in all_keys["metrics"] and "lsq" in all_keys["metrics"]
    shown = rated.run("evaluate", "--probs", "probs.npy", "--ratings", "votes.csv:a,b,c", "--rater-weights", "a=2", "--ordered")
    assert shown.code == 0 and "weighted by rater" in shown.out and "rps" in shown.out


def test_leave_one_rater_out(rated):
    result = evaluated(rated, "--leave-one-rater-out")
    without = rated.evaluate("--probs", "probs.npy", "--ratings", "votes.csv:a,c", "--metrics", "brier,ece")
    for key in ("brier", "ece"):
        assert result["leave_one_rater_out"]["b"][key] == without["metrics"][key]["value"]
    rows = {row["metric"]: row for row in result["tables"]["rater_influence"]}
    for key in ("brier", "ece"):
        found = [result["leave_one_rater_out"][r][key] for r in "abc"]
        assert (rows[key]["lowest"], rows[key]["highest"]) == (min(found), max(found))
    shown = rated.run("evaluate", "--probs", "probs.npy", "--ratings", "votes.csv:a,b,c", "--metrics", "ece", "--leave-one-rater-out")
    assert "without one rater" in shown.out


@pytest.mark.parametrize("args, words", [
    (("--rater-weights", "d=2"), "no rater is called \"d\""),
    (("--rater-weights", "a=two"), "NAME=WEIGHT"),
    (("--rater-weights", "a=0.3333"), "three digits"),
    (("--rater-weights", "a=0,b=0,c=0"), "every rater"),
    (("--rater-weights", "a=-1"), "0 to 1000"),
    (("--rater-weights", "a=2", "--orders", "2"), "--orders"),
    (("--rater-weights", "a=2", "--metrics", "el"), "pairs of votes"),
    (("--rater-weights", "a=2", "--save-state", "s.state"), "--save-state"),
])
def test_bad_weights(rated, args, words):
    run = rated.run("evaluate", "--probs", "probs.npy", "--ratings", "votes.csv:a,b,c", *args)
    assert run.code == 2 and words in run.err and len(run.err.strip().splitlines()) == 1, run.err
    assert not (rated / "s.state").exists()


def test_raters_must_be_known(rated):
    rated.npy("counts.npy", np.ones((300, 4), int))
    for flags in (("--rater-weights", "a=2"), ("--leave-one-rater-out",)):
        run = rated.run("evaluate", "--probs", "probs.npy", "--counts", "counts.npy", *flags)
        assert run.code == 2 and "who voted" in run.err, run.err
    rated.npy("p.npy", rated.probs[:, 0])
    rated.npy("y.npy", (rated.votes[:, 0] == 0).astype(int))
    run = rated.run("evaluate", "--probs", "p.npy", "--labels", "y.npy", "--ordered")
    assert run.code == 2 and "three classes" in run.err, run.err


def test_reports_show_votes(rated):
    run = rated.run("evaluate", "--probs", "probs.npy", "--ratings", "votes.csv:a,b,c", "--metrics", "ece", "--ordered", "--orders", "2",
                    "--leave-one-rater-out", "--report", "r.html", "--quiet")
    assert run.code == 0, run.err
    page = (rated / "r.html").read_text()
    for title in ("Votes taken together", "Uncertainty in two parts", "Ordered classes", "Without one rater"):
        assert title in page
    run = rated.run("raters", "--ratings", "votes.csv:a,b,c", "--probs", "probs.npy", "--ordered", "--json", "r.json")
    assert run.code == 0 and "The median rater has" in run.out, run.err
    result = json.loads((rated / "r.json").read_text())
    jsonschema.validate(result, SCHEMA)
    assert set(result["ceiling"]) == {"agreement", "brier", "rps"} and result["ceiling"]["agreement"]["raters"] == 3
    assert rated.run("report", "r.json", "-o", "r2.html").code == 0
    assert "The model beside the raters" in (rated / "r2.html").read_text()


def test_sets_by_slice(rated):
    site = np.where(np.arange(300) % 3 == 0, "north", "south")
    rated.text("items.csv", "site\n" + "\n".join(site) + "\n")
    votes = ("--ratings", "votes.csv:a,b,c")
    run = rated.run("calibrate", "fit", "--method", "sets", "--probs", "probs.npy", *votes, "--by", "items.csv:site", "-o", "m.json")
    assert run.code == 0 and "of each site" in run.out, run.err
    assert rated.run("calibrate", "apply", "m.json", "--probs", "probs.npy", "--by", "items.csv:site", "-o", "s.npy").code == 0
    tau = json.loads((rated / "m.json").read_text())["steps"][0]["parameters"]["tau"]["values"]
    expected = 1 - rated.probs <= np.where(site == "north", tau[0], tau[1])[:, None]
    assert np.array_equal(np.load(rated / "s.npy"), expected)
    for args, words in (((), "--by"), (("--by", "other.csv:site"), "west")):
        rated.text("other.csv", "site\n" + "west\n" * 300)
        run = rated.run("calibrate", "apply", "m.json", "--probs", "probs.npy", *args, "-o", "t.npy")
        assert run.code == 2 and words in run.err and not (rated / "t.npy").exists(), run.err


def test_risk_control_of_masks(folder):
    rng = np.random.default_rng(9)
    case = np.repeat(np.arange(40), 50)
    u = rng.normal(size=2000) - 1
    votes = (rng.uniform(size=(2000, 3)) < 1 / (1 + np.exp(-u - rng.normal(size=40)[case]))[:, None]).astype(int)
    folder.npy("p.npy", 1 / (1 + np.exp(-u)))
    folder.npy("votes.npy", votes)
    folder.npy("case.npy", case)
    inputs = ("--probs", "p.npy", "--ratings", "votes.npy")
    run = folder.run("calibrate", "fit", "--method", "risk-control", *inputs, "--groups", "case.npy", "--levels", "0.9", "-o", "m.json")
    assert run.code == 0 and "40 cases" in run.out, run.err
    assert folder.run("calibrate", "apply", "m.json", "--probs", "p.npy", "-o", "mask.npy").code == 0
    mask = np.load(folder / "mask.npy")[:, 1]
    found = [(votes[case == c] * mask[case == c, None]).sum() / votes[case == c].sum() for c in range(40)]
    assert (sum(1 - f for f in found) + 1) / 41 <= 0.1 + 1e-9
    result = folder.run("evaluate", "--sets", "mask.npy", "--ratings", "votes.npy", "--groups", "case.npy", "--json", "-").json
    assert result["tables"]["set_classes_of_groups"][1]["coverage"] == pytest.approx(np.mean(found), abs=1e-12)
    no_case = folder.run("calibrate", "fit", "--method", "risk-control", *inputs, "-o", "n.json")
    assert no_case.code == 2 and "--groups" in no_case.err and not (folder / "n.json").exists()


def test_soft_targets_are_saved_as_the_fit_they_are(rated):
    for method, step in (("dirichlet-soft", "dirichlet"), ("temperature-soft", "temperature"), ("temperature-smooth", "temperature"),
                         ("temperature-drawn", "temperature")):
        run = rated.run("calibrate", "fit", "--method", method, "--probs", "probs.npy", "--ratings", "votes.csv:a,b,c", "-o", "m.json")
        assert run.code == 0, run.err
        assert json.loads((rated / "m.json").read_text())["steps"][0]["method"] == step
        assert rated.run("calibrate", "apply", "m.json", "--probs", "probs.npy", "-o", "q.npy").code == 0
