"""plumb.metrics: a function for every key of the registry."""
import inspect
import json

import numpy as np
import pytest

import plumb
from conftest import cohort
from test_parity import regression

D = cohort(n=150)
BINARY = {"probs": D["truth"] ** 1.2, "counts": np.stack([(D["ratings"] >= 0).sum(1) - D["counts"][:, 2], D["counts"][:, 2]], 1),
          "truth": D["truth"]}


def test_the_registry_is_the_tools(folder):
    known = json.loads(folder.run("list", "--json"))
    for ours, theirs in ((plumb.metrics.registry, known["metrics"]),
                         (plumb.metrics.regression.registry, known["regression_metrics"])):
        assert [(row["key"], row["line"]) for row in ours] == [(row["key"], row["line"]) for row in theirs]


@pytest.mark.parametrize("row", plumb.metrics.registry, ids=lambda row: row["key"])
def test_every_function(row):
    key = row["key"]
    arrays = BINARY if row["task"] == "binary" else {k: D[k] for k in ("probs", "counts")}
    more = {"bandwidth": 0.05, "bootstrap": 20 if key == "ece_corrected" else 0}
    expected = plumb.evaluate(**arrays, metrics=key, **more)[key]
    function = getattr(plumb.metrics, key)
    assert function(**arrays, **more) == expected.value
    assert function.__doc__.lower().startswith(row["line"].lower()[:20]) and function.__name__ == key
    assert list(inspect.signature(function).parameters)[:2] == ["probs", "labels"]


@pytest.mark.parametrize("row", plumb.metrics.regression.registry, ids=lambda row: row["key"])
def test_every_function_of_a_regression(row):
    d = regression()
    mean = d["mean"] + np.random.default_rng(2).normal(size=(3, 120)) / 3
    arrays = {"mean_samples": mean, "variance_samples": np.tile(d["variance"], (3, 1)), "targets": d["targets"]}
    expected = plumb.evaluate(**arrays, metrics=row["key"])[row["key"]].value
    assert getattr(plumb.metrics.regression, row["key"])(**arrays) == expected
    if row["key"] not in ("uce_mc", "uce_aleatoric"):
        alone = getattr(plumb.metrics.regression, row["key"])(d["mean"], d["variance"], d["targets"])
        assert alone == plumb.evaluate(mean=d["mean"], variance=d["variance"], targets=d["targets"])[row["key"]].value


def test_against_the_definition():
    """ECE and Brier score, written down anew."""
    p, y = D["truth"], (D["labels"] == 2).astype(int)
    cell = np.minimum((p * 15).astype(int), 14)
    ece = sum(abs(p[cell == b].sum() - y[cell == b].sum()) for b in range(15)) / len(p)
    assert plumb.metrics.ece(p, y) == pytest.approx(ece, abs=1e-12)
    assert plumb.metrics.brier(p, y) == pytest.approx(np.mean((p - y) ** 2), abs=1e-12)
    q, z = D["probs"], D["labels"]
    assert plumb.metrics.nll(q, z) == pytest.approx(-np.log(q[np.arange(150), z]).mean(), abs=1e-12)
    assert plumb.metrics.nll(labels=z, logits=D["logits"], weights=D["weights"]) == pytest.approx(
        -np.average(np.log(q[np.arange(150), z]), weights=D["weights"]), abs=1e-12)
