"""The examples in torchmetrics' own documentation, from the installed package, and the cases of its tests, run against plumb.

Its tests (unittests/classification/test_calibration_error.py) are not installed with it. They compare probabilities and logits, in one
and in several dimensions, with ignored targets, three numbers of bins and the norms l1 and max, batch by batch and as a whole, with a
reference implementation; here the reference is written down, in double. docs/python-torch.md lists the differences.
"""
import doctest
import importlib
import itertools

import numpy as np
import pytest
import torch

import plumb.torchmetrics as ours

THEIRS = ("torchmetrics.classification.calibration_error", "torchmetrics.functional.classification.calibration_error")


def examples():
    for module in THEIRS:
        module = importlib.import_module(module)
        for test in doctest.DocTestFinder().find(module):
            if test.examples and "CalibrationError" in test.docstring + "calibration_error" and not test.name.endswith(".plot"):
                yield test


@pytest.mark.parametrize("test", list(examples()), ids=lambda t: t.name.split(".")[-1])
def test_their_examples(test):
    for example in test.examples:
        for package in ("torchmetrics.functional.classification", "torchmetrics.classification"):
            example.source = example.source.replace(f"from {package} import", "from plumb.torchmetrics import")
    test.globs = {"torch": torch}
    assert any("plumb" in example.source for example in test.examples)
    assert doctest.DocTestRunner().run(test).failed == 0


def reference(p, hits, bins, norm):
    cell = np.minimum((p * bins).astype(int), bins - 1)
    gaps = np.array([p[cell == b].mean() - hits[cell == b].mean() for b in np.unique(cell)])
    share = np.array([np.mean(cell == b) for b in np.unique(cell)])
    return np.abs(gaps).max() if norm == "max" else (share * np.abs(gaps)).sum()


@pytest.mark.parametrize("bins, norm, ignored, shape, kind",
                         list(itertools.product([10, 15, 20], ["l1", "max"], [None, -1, 0], [(32,), (32, 5)], ["probs", "logits"])))
def test_their_cases(bins, norm, ignored, shape, kind):
    g = torch.Generator().manual_seed(42)
    preds = torch.rand((4, *shape), generator=g, dtype=torch.float64) if kind == "probs" else torch.randn((4, *shape), generator=g, dtype=torch.float64)
    target = torch.randint(2, (4, *shape), generator=g)
    if ignored is not None:
        target[torch.rand(target.shape, generator=g) < 0.2] = ignored
    metric = ours.BinaryCalibrationError(n_bins=bins, norm=norm, ignore_index=ignored).set_dtype(torch.float64)
    p, y = ((preds if kind == "probs" else preds.sigmoid()).numpy(), target.numpy())
    for i in range(4):
        keep = y[i] != ignored
        assert abs(float(metric(preds[i], target[i])) - reference(p[i][keep], y[i][keep], bins, norm)) < 1e-12
    keep = y != ignored
    assert abs(float(metric.compute()) - reference(p[keep], y[keep], bins, norm)) < 1e-12


@pytest.mark.parametrize("bins, norm, ignored, kind", list(itertools.product([10, 20], ["l1", "max"], [None, -1, 0], ["probs", "logits"])))
def test_their_multiclass_cases(bins, norm, ignored, kind):
    g = torch.Generator().manual_seed(7)
    preds = torch.randn((4, 32, 5, 6), generator=g, dtype=torch.float64)
    preds = preds.softmax(2) if kind == "probs" else preds
    target = torch.randint(5, (4, 32, 6), generator=g)
    if ignored is not None:
        target[torch.rand(target.shape, generator=g) < 0.2] = ignored
    metric = ours.MulticlassCalibrationError(5, n_bins=bins, norm=norm, ignore_index=ignored).set_dtype(torch.float64)
    for i in range(4):
        metric.update(preds[i], target[i])
    top = (preds if kind == "probs" else preds.softmax(2)).max(2)
    keep = (target != (ignored if ignored is not None else -100)).numpy()
    expected = reference(top.values.numpy()[keep], (top.indices == target).numpy()[keep], bins, norm)
    assert abs(float(metric.compute()) - expected) < 1e-12
