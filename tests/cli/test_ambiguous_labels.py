"""Calibrators for ambiguous labels on CIFAR-10H and ChaosNLI: the claims of arXiv 2603.22879 with public models."""
import csv
import json

import numpy as np
import pytest

from conftest import DATA, needs_data, run_plumb

# What the paper prints: how much lower the ECE against the votes is than with a temperature for majority labels.
LEAST = {"dirichlet-soft": 0.55, "temperature-smooth": 0.09}


def cifar():
    return np.load(f"{DATA}/plambda_cifar10_vgg16_probs.npy"), np.load(f"{DATA}/cifar10h-counts.npy")


def chaos():
    with open(f"{DATA}/nli/chaosnli_snli.csv") as file:
        rows = list(csv.DictReader(file))
    logits = np.array([[float(row[f"roberta-base_0_{c}"]) for c in "enc"] for row in rows])
    z = np.exp(logits - logits.max(axis=1, keepdims=True))
    return z / z.sum(axis=1, keepdims=True), np.array([[int(row[f"c100_{c}"]) for c in "enc"] for row in rows])


@needs_data
@pytest.mark.parametrize("data", [cifar, chaos])
def test_soft_targets_beat_majority_labels(data, tmp_path):
    z, counts = data()
    order = np.random.default_rng(3).permutation(len(z))
    fit, new = order[: len(z) // 2], order[len(z) // 2:]
    for name, array in (("z", z[fit]), ("votes", counts[fit]), ("majority", counts[fit].argmax(axis=1)), ("new", z[new]), ("seen", counts[new])):
        np.save(tmp_path / f"{name}.npy", array)
    ece = {}
    for method, flag, labels in (("temperature", "--labels", "majority"), ("dirichlet-soft", "--counts", "votes"),
                                 ("temperature-smooth", "--counts", "votes")):
        for command in (("calibrate", "fit", "--method", method, "--probs", tmp_path / "z.npy", flag, tmp_path / f"{labels}.npy", "-o", tmp_path / "m.json"),
                        ("calibrate", "apply", tmp_path / "m.json", "--probs", tmp_path / "new.npy", "-o", tmp_path / "out.npy"),
                        ("evaluate", "--probs", tmp_path / "out.npy", "--counts", tmp_path / "seen.npy", "--metrics", "ece", "--json", "-")):
            run = run_plumb(*command)
            assert run.code == 0, run.err
        ece[method] = json.loads(run.out)["metrics"]["ece"]["value"]
    for method, least in LEAST.items():
        assert ece[method] < (1 - least) * ece["temperature"], (method, ece)
