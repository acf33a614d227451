"""plumb raters: a naive model of the raters, the consensus as a file, gold votes, ordered classes, annotations, bad input."""
import json

import jsonschema
import numpy as np
import pytest
from conftest import DATA, ROOT, needs_data, without_argv

SCHEMA = json.loads((ROOT / "docs" / "result.schema.json").read_text())
FIXED_POINT = 1e-6  # the tool stops at a change of 1e-8


def simulate(n=400, raters=6, k=3, missing=0.2, seed=1):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, n)
    right = np.linspace(0.55, 0.9, raters)
    votes = np.where(rng.uniform(size=(n, raters)) < right, truth[:, None], rng.integers(0, k, (n, raters)))
    votes[rng.uniform(size=votes.shape) < missing] = -1
    return truth, votes


def dawid_skene(votes, k, prior, iterations=4000):
    """The two steps of the paper with dense arrays."""
    seen = votes[:, :, None] == np.arange(k)  # item, rater, vote
    q = seen.sum(1) / np.maximum(1, seen.sum((1, 2)))[:, None]
    judged = seen.any((1, 2))
    for _ in range(iterations):
        p = q[judged].sum(0) + prior / k
        p /= p.sum()
        pi = np.einsum("nt,nry->rty", q[judged], seen[judged]) + prior / k
        pi /= pi.sum(2, keepdims=True)
        log_q = np.log(p) + np.einsum("nry,rty->nt", seen, np.log(pi))
        q = np.exp(log_q - log_q.max(1, keepdims=True))
        q /= q.sum(1, keepdims=True)
    return p, pi, q


@pytest.mark.parametrize("prior", [0, 1])
def test_against_the_paper(folder, prior):
    _, votes = simulate()
    folder.npy("votes.npy", votes)
    if prior == 0:
        assert (votes >= 0).any(1).all()
    result = folder.run("raters", "--ratings", "votes.npy", "--prior", prior, "-o", "q.npy", "--json", "-").json
    jsonschema.validate(result, SCHEMA)
    p, pi, q = dawid_skene(votes, 3, prior)
    assert result["dawid_skene"]["converged"]
    assert np.abs(np.load(folder / "q.npy") - q).max() < FIXED_POINT
    assert np.allclose([row["share"] for row in result["tables"]["prevalence"]], p, atol=FIXED_POINT)
    shares = np.array([row["share"] for row in result["tables"]["rater_confusion"]]).reshape(pi.shape)
    assert np.abs(shares - pi).max() < FIXED_POINT
    accuracy = [row["accuracy"] for row in result["tables"]["rater_profiles"]]
    assert np.allclose(accuracy, (pi[:, range(3), range(3)] * p).sum(1), atol=FIXED_POINT)


def test_intervals_threads_and_order(folder):
    _, votes = simulate(n=150)
    folder.npy("votes.npy", votes)
    args = ("raters", "--ratings", "votes.npy", "--bootstrap", 20, "--ordered", "--json", "-")
    one, many = folder.run(*args, "--threads", 1).json, folder.run(*args, "--threads", 3).json
    assert without_argv(one) == without_argv(many)
    assert set(one["agreement"]) == {"rater_agreement", "fleiss_kappa", "krippendorff_alpha", "krippendorff_ordinal",
                                     "krippendorff_interval"}
    for value in one["agreement"].values():
        assert value["low"] < value["value"] < value["high"]
    for row in one["tables"]["rater_profiles"] + one["tables"]["prevalence"]:
        assert row["low"] < row.get("accuracy", row.get("share")) < row["high"]


def test_annotations_of_named_classes(folder):
    folder.text("votes.csv", "item,rater,label\n" + "".join(
        f"scan-{i},{r},{'bad' if (i + (r == 'c') * (i % 4 == 0)) % 2 else 'good'}\n" for i in range(1, 21) for r in "abc"))
    result = folder.run("raters", "--annotations", "votes.csv", "--classes", "good,bad", "-o", "q.csv", "--json", "-").json
    jsonschema.validate(result, SCHEMA)
    assert result["class_names"] == ["good", "bad"] and result["items"] == 20 and result["votes"] == 60
    lines = (folder / "q.csv").read_text().splitlines()
    assert lines[0] == "id,p_good,p_bad" and lines[1].startswith("scan-1,") and lines[2].startswith("scan-10,")
    worst = min(result["tables"]["rater_profiles"], key=lambda row: row["accuracy"])
    assert worst["rater"] == "c"
    assert folder.run("evaluate", "--probs", "q.csv:p_*", "--ids", "q.csv:id", "--annotations", "votes.csv").code == 0


def test_gold_votes_judge_and_calibrate(folder):
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 600)
    shared = np.where(rng.uniform(size=600) < 0.75, truth, 1 - truth)  # a mistake that all raters share
    votes = np.where(rng.uniform(size=(600, 8)) < 0.9, shared[:, None], 1 - shared[:, None])
    gold = np.where(rng.uniform(size=600) < 0.5, truth, -1)
    folder.npy("votes.npy", votes)
    folder.npy("gold.npy", gold)
    result = folder.run("raters", "--ratings", "votes.npy", "--gold", "gold.npy", "-o", "q.npy", "--calibrated", "c.npy",
                        "--json", "-").json
    jsonschema.validate(result, SCHEMA)
    q, c = np.load(folder / "q.npy"), np.load(folder / "c.npy")
    some = gold >= 0
    alone = folder.evaluate("--probs", folder.npy("p.npy", q[some, 1]), "--labels", folder.npy("y.npy", gold[some]),
                            "--metrics", "nll,brier,ece")
    for key, metric in alone["metrics"].items():
        assert result["metrics"][key]["value"] == pytest.approx(metric["value"], rel=1e-12)
    scores = result["calibrated_consensus"]["scores"]
    assert scores["ece"]["before"] > 0.2 > 0.1 > scores["ece"]["after"]
    assert c.shape == q.shape and (np.argmax(c, 1) == np.argmax(q, 1)).all()
    assert np.abs(c[some, 1] - truth[some]).mean() > 0.2  # no longer certain


def test_the_model_beside_the_raters(folder):
    rng = np.random.default_rng(5)
    p = rng.dirichlet(np.ones(3), 200)
    votes = np.stack([[rng.choice(3, p=row) for _ in range(4)] for row in p])
    folder.npy("p.npy", p)
    folder.npy("votes.npy", votes)
    result = folder.run("raters", "--ratings", "votes.npy", "--probs", "p.npy", "--ordered", "--json", "-").json
    jsonschema.validate(result, SCHEMA)
    rows = {(row["rater"], row["metric"]): row for row in result["tables"]["ceiling"]}
    assert len(rows) == 12
    others = votes[:, [0, 2, 3]]
    assert rows["1", "agreement"]["rater_value"] == pytest.approx((others == votes[:, [1]]).mean())
    assert rows["1", "agreement"]["model_value"] == pytest.approx((others == p.argmax(1)[:, None]).mean())
    hit = np.eye(3)[others]
    assert rows["1", "brier"]["model_value"] == pytest.approx(((hit - p[:, None]) ** 2).sum(2).mean())
    cumulated = (np.cumsum(p, 1)[:, None] - np.cumsum(hit, 2))[:, :, :2]
    assert rows["1", "rps"]["model_value"] == pytest.approx((cumulated ** 2).sum(2).mean() / 2)
    assert rows["1", "rps"]["low"] < rows["1", "rps"]["difference"] < rows["1", "rps"]["high"]


@pytest.mark.parametrize("args, words", [
    ((), "no votes given"),
    (("--counts", "c.npy"), "does not say who voted"),
    (("--ratings", "one.npy"), "has one rater"),
    (("--ratings", "none.npy"), "has no votes"),
    (("--ratings", "votes.npy", "--target-se", "0"), "--target-se"),
    (("--ratings", "votes.npy", "--prior", "-1"), "--prior"),
    (("--ratings", "votes.npy", "--converged-at", "0"), "--converged-at"),
    (("--ratings", "votes.npy", "--bootstrap", "1"), "--bootstrap"),
    (("--ratings", "votes.npy", "--calibrated", "c.npy"), "--gold"),
    (("--ratings", "votes.npy", "--gold", "short.npy"), "rows"),
    (("--ratings", "votes.npy", "--gold", "votes.npy", "--gold-method", "temperatur"), "did you mean"),
    (("--ratings", "votes.npy", "-o", "votes.npy"), "-o"),
])
def test_bad_input(folder, args, words):
    folder.npy("votes.npy", simulate(n=30)[1])
    folder.npy("one.npy", np.zeros((5, 1)))
    folder.npy("none.npy", -np.ones((5, 3)))
    folder.npy("short.npy", np.zeros(7))
    run = folder.run("raters", *args)
    assert run.code == 2 and words in run.err and len(run.err.strip().splitlines()) == 1, run.err


@needs_data
def test_the_consensus_of_imagenet_raters_is_over_confident(folder):
    def ratings(name):
        tensor = np.load(DATA / "raters" / name)["tensor"]  # rater, item, one-hot answer
        return np.where(tensor.sum(-1) > 0, tensor.argmax(-1), -1).T
    folder.npy("votes.npy", ratings("imagenet_real_raters_golden.npz"))
    folder.npy("gold.npy", ratings("imagenet_real_golden.npz"))
    result = folder.run("raters", "--ratings", "votes.npy", "--gold", "gold.npy", "--json", "-").json
    assert result["metrics"]["agreement"]["value"] == pytest.approx(0.776, abs=5e-4)
    scores = result["calibrated_consensus"]["scores"]["nll"]
    assert scores["before"] == pytest.approx(14.7, abs=0.1) and scores["after"] == pytest.approx(0.66, abs=5e-3)


def test_dawid_skene_is_that_of_crowd_kit(folder):
    """tests/golden/dawid_skene.py made the values with crowd-kit 1.4.1, which adds 1e-10 to each probability."""
    votes = ROOT / "tests" / "golden" / "dawid_skene.csv"
    run = folder.run("raters", "--annotations", f"{votes}:item,rater,label", "--prior", "0", "--converged-at", "1e-13",
                     "--iterations", "100000", "-o", "c.csv", "--json", "r.json", "--quiet")
    assert run.code == 0, run.err
    golden = json.loads((ROOT / "tests" / "golden" / "dawid_skene.json").read_text())
    rows = [line.split(",") for line in (folder / "c.csv").read_text().splitlines()]
    assert len(rows) - 1 == len(golden["posterior"])
    for name, *p in rows[1:]:
        assert [float(x) for x in p] == pytest.approx(golden["posterior"][name], abs=1e-6)
    for row in json.loads((folder / "r.json").read_text())["tables"]["rater_confusion"]:
        assert row["share"] == pytest.approx(golden["confusion"][row["rater"]][int(row["truth"])][int(row["vote"])], abs=1e-6)
