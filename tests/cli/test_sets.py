"""calibrate fit --method sets, calibrate apply, evaluate --sets: coverage against votes, after a temperature, by level, bad input."""
import json

import jsonschema
import numpy as np
import pytest
from conftest import DATA, ROOT, make_task, needs_data

SCHEMA = json.loads((ROOT / "docs" / "result.schema.json").read_text())


@pytest.fixture
def halves(folder):
    t = make_task(n=1200, k=5, seed=8)
    for name in ("probs", "logits", "labels", "counts"):
        folder.npy(f"val_{name}.npy", t[name][:600])
        folder.npy(f"test_{name}.npy", t[name][600:])
    return folder


@pytest.mark.parametrize("score", ["lac", "aps", "raps"])
def test_votes_of_new_items_are_covered(halves, score):
    assert halves.run("calibrate", "fit", "--method", "sets", "--set-score", score, "--levels", "0.8,0.9", "--probs",
                      "val_probs.npy", "--counts", "val_counts.npy", "-o", "m.json").code == 0
    several = halves.run("calibrate", "apply", "m.json", "--probs", "test_probs.npy", "-o", "s.npy")
    assert several.code == 2 and "0.8, 0.9" in several.err
    sizes = {}
    for level in (0.8, 0.9):
        assert halves.run("calibrate", "apply", "m.json", "--probs", "test_probs.npy", "-o", "s.npy", "--level", level).code == 0
        sets, counts = np.load(halves / "s.npy"), np.load(halves / "test_counts.npy")
        assert sets.shape == (600, 5) and set(np.unique(sets)) <= {0, 1}
        result = halves.run("evaluate", "--sets", "s.npy", "--counts", "test_counts.npy", "--json", "-").json
        jsonschema.validate(result, SCHEMA)
        held = (sets * counts).sum(1) / counts.sum(1)
        assert result["sets"]["coverage"] == pytest.approx(held.mean(), abs=1e-12)
        assert result["sets"]["mean_size"] == pytest.approx(sets.sum(1).mean(), abs=1e-12)
        assert abs(held.mean() - level) < 0.06  # standard error 0.015 on either half
        for row in result["tables"]["set_sizes"]:
            assert row["coverage"] == pytest.approx(held[sets.sum(1) == int(row["size"])].mean(), abs=1e-12)
        sizes[level] = sets.sum()
    assert sizes[0.8] < sizes[0.9]


def test_after_a_temperature_and_from_logits(halves):
    halves.run("calibrate", "fit", "--method", "temperature", "--logits", "val_logits.npy", "--counts", "val_counts.npy", "-o", "t.json")
    run = halves.run("calibrate", "fit", "--method", "sets", "--after", "t.json", "--logits", "val_logits.npy", "--labels",
                     "val_labels.npy", "-o", "both.json")
    assert run.code == 0, run.err
    assert halves.run("calibrate", "apply", "both.json", "--logits", "test_logits.npy", "-o", "s.csv").code == 0
    halves.run("calibrate", "apply", "t.json", "--logits", "test_logits.npy", "-o", "p.npy")
    p = np.load(halves / "p.npy")
    tau = json.loads((halves / "both.json").read_text())["steps"][1]["parameters"]["tau"]["values"][0]
    sets = np.loadtxt(halves / "s.csv", delimiter=",", skiprows=1)
    assert np.array_equal(sets, (1 - p <= tau).astype(float))
    assert halves.run("evaluate", "--sets", "s.csv:in_*", "--labels", "test_labels.npy").code == 0


def test_groups_raters_and_slices(folder):
    rng = np.random.default_rng(3)
    p = rng.uniform(size=300)
    votes = (rng.uniform(size=(300, 4)) < p[:, None]).astype(int)
    folder.npy("p.npy", p)
    folder.npy("votes.npy", votes)
    folder.npy("patient.npy", np.arange(300) // 5)
    assert folder.run("calibrate", "fit", "--method", "sets", "--by-class", "--probs", "p.npy", "--ratings", "votes.npy", "-o", "c.json").code == 0
    run = folder.run("calibrate", "fit", "--method", "sets", "--probs", "p.npy", "--ratings", "votes.npy", "--groups", "patient.npy", "-o", "m.json")
    assert run.code == 0 and "new group" in run.out
    assert folder.run("calibrate", "apply", "m.json", "--probs", "p.npy", "-o", "s.npy").code == 0
    result = folder.run("evaluate", "--sets", "s.npy", "--ratings", "votes.npy", "--groups", "patient.npy", "--by", "patient.npy",
                        "--json", "-").json
    jsonschema.validate(result, SCHEMA)
    assert [row["against"] for row in result["tables"]["set_coverage"]] == ["votes", "majority", "0", "1", "2", "3"]
    sets = np.load(folder / "s.npy")
    assert result["tables"]["set_coverage"][3]["coverage"] == pytest.approx(sets[np.arange(300), votes[:, 1]].mean())
    assert len(result["tables"]["set_slices"]) == 60 and result["settings"]["unit"] == "group"


@pytest.mark.parametrize("args, words", [
    (("calibrate", "fit", "--method", "sets", "--probs", "val_probs.npy", "--labels", "val_labels.npy"), "-o"),
    (("calibrate", "fit", "--method", "sets", "--levels", "90", "--probs", "val_probs.npy", "--labels", "val_labels.npy", "-o", "m.json"), "--levels"),
    (("calibrate", "fit", "--method", "sets", "--lambda", "1", "--probs", "val_probs.npy", "--labels", "val_labels.npy", "-o", "m.json"), "raps"),
    (("evaluate", "--sets", "val_probs.npy", "--labels", "val_labels.npy"), "neither 0 nor 1"),
    (("evaluate", "--sets", "val_labels.npy", "--labels", "val_labels.npy"), "column for each class"),
    (("evaluate", "--sets", "val_counts.npy"), "no labels or votes"),
    (("evaluate", "--sets", "val_probs.npy", "--probs", "val_probs.npy", "--labels", "val_labels.npy"), "by themselves"),
])
def test_bad_input(halves, args, words):
    run = halves.run(*args)
    assert run.code == 2 and words in run.err and len(run.err.strip().splitlines()) == 1, run.err


@needs_data
def test_sets_of_majority_labels_miss_raters(folder):
    """CIFAR-10H: what Stutz et al. (2023) saw with dermatologists; the standard error of a coverage is 0.003."""
    probs, counts = np.load(DATA / "plambda_cifar10_vgg16_probs.npy"), np.load(DATA / "cifar10h-counts.npy")
    rows = np.random.default_rng(1).permutation(10000)
    for name, part in (("fit", rows[:5000]), ("test", rows[5000:])):
        folder.npy(f"{name}_p.npy", probs[part] / probs[part].sum(axis=1, keepdims=True))
        folder.npy(f"{name}_c.npy", counts[part])
        folder.npy(f"{name}_y.npy", counts[part].argmax(axis=1))
    held = {}
    for votes in (("--counts", "fit_c.npy"), ("--labels", "fit_y.npy")):
        assert folder.run("calibrate", "fit", "--method", "sets", "--levels", "0.95", "--probs", "fit_p.npy", *votes, "-o", "m.json").code == 0
        assert folder.run("calibrate", "apply", "m.json", "--probs", "test_p.npy", "-o", "s.npy").code == 0
        held[votes[0]] = folder.run("evaluate", "--sets", "s.npy", "--counts", "test_c.npy", "--json", "-").json["sets"]["coverage"]
    assert abs(held["--counts"] - 0.95) < 0.012 and 0.90 < held["--labels"] < 0.935, held
