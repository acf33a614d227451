"""What other tools need for the same work on this machine; each is skipped with a message if it is not installed. The Python package
of this checkout, if it was built, comes first."""
import os
import sys
import time

import numpy as np

SCALE = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0


def best(body, runs=2):
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        body()
        times.append(time.perf_counter() - begin)
    return min(times)


def say(name, seconds):
    print(f"{name:46s} {seconds:9.4f} s", flush=True)


def binary(n):
    rng = np.random.default_rng(1)
    p = rng.random(n, dtype=np.float32)
    return p, (rng.random(n, dtype=np.float32) < p * p).astype(np.uint8)


def ece_bincount(p, y, bins=15):
    cell = np.minimum((p * bins).astype(np.int64), bins - 1)
    n = np.bincount(cell, minlength=bins)
    conf = np.bincount(cell, weights=p, minlength=bins)
    hits = np.bincount(cell, weights=y, minlength=bins)
    return np.abs(conf - hits).sum() / n.sum()


def ece_mass(p, y, bins=15):
    order = np.argsort(p, kind="stable")
    return sum(abs(a.mean() - b.mean()) for a, b in zip(np.array_split(p[order], bins), np.array_split(y[order], bins))) / bins


p, y = binary(int(1e8 * SCALE))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "build", "python"))
try:
    import plumb

    say("plumb from Python, ECE of 1e8", best(lambda: plumb.metrics.ece(p, y), 3))
    p1, y1 = p[:1000].copy(), y[:1000].copy()
    say("plumb from Python, 1,000 calls of 1,000", best(lambda: [plumb.metrics.ece(p1, y1) for _ in range(1000)], 3))
except ImportError as error:
    print(f"plumb's Python package is left out: {error}")
say("numpy bincount, table of 1e8", best(lambda: ece_bincount(p, y)))
try:
    import torch
    from torchmetrics.functional.classification import binary_calibration_error

    tp, ty = torch.from_numpy(p), torch.from_numpy(y.astype(np.int64))
    say("torchmetrics, ECE of 1e8", best(lambda: binary_calibration_error(tp, ty, n_bins=15), 1))
    print("   torchmetrics says", float(binary_calibration_error(tp, ty, n_bins=15)), "numpy says", ece_bincount(p, y))
except ImportError:
    print("torchmetrics is not installed")
p, y = binary(int(1e7 * SCALE))
try:
    from netcal.metrics import ECE

    say("netcal, ECE of 1e7", best(lambda: ECE(15).measure(p, y), 1))
except ImportError:
    print("netcal is not installed")
try:
    import relplot

    say("relplot, smECE of 1e7", best(lambda: relplot.smECE(p, y), 1))
except ImportError:
    print("relplot is not installed")
say("numpy argsort, equal-mass ECE of 1e7", best(lambda: ece_mass(p, y)))
try:
    from sklearn.metrics import roc_auc_score

    say("scikit-learn roc_auc_score of 1e7", best(lambda: roc_auc_score(y, p)))
except ImportError:
    print("scikit-learn is not installed")
rng = np.random.default_rng(2)
z = rng.random((int(5e4 * SCALE), 1000), dtype=np.float32)
z /= z.sum(1, keepdims=True)
labels = rng.integers(0, 1000, len(z))


def classwise():
    cell = np.minimum((z * 15).astype(np.int64), 14) + 15 * np.arange(1000)
    np.bincount(cell.ravel(), weights=z.ravel(), minlength=15000)
    np.bincount(cell.ravel(), minlength=15000)


say("numpy bincount, class-wise 5e4 x 1000", best(classwise))
p, y = binary(int(1e5 * SCALE))


def bootstrap():
    r = np.random.default_rng(3)
    cell = np.minimum((p * 15).astype(np.int64), 14)
    gap = (p - y).astype(np.float64)
    for _ in range(1000):
        np.bincount(cell, weights=gap * r.poisson(1.0, len(p)), minlength=15)


say("numpy, 1000 bootstrap replicates of ECE, 1e5", best(bootstrap, 1))


def kde_quadratic(n, h=0.02):
    q = p[:n].astype(np.float64).clip(1e-9, 1 - 1e-9)
    from math import lgamma

    a, b = q / h + 1, (1 - q) / h + 1
    lg = np.vectorize(lgamma)
    norm = lg(a + b) - lg(a) - lg(b)
    out = 0.0
    for i in range(0, n, 500):
        x = q[i : i + 500, None]
        k = np.exp((a - 1) * np.log(x) + (b - 1) * np.log1p(-x) + norm)
        k[np.arange(len(x)), np.arange(i, i + len(x))] = 0
        out += np.abs(k @ y[:n] / k.sum(1) - x[:, 0]).sum()
    return out / n


n = int(3e4 * SCALE)
say("numpy, quadratic kernel ECE of 3e4", best(lambda: kde_quadratic(n), 1))
try:
    from probmetrics.calibrators import get_calibrator

    rng = np.random.default_rng(4)
    logits = rng.normal(size=(int(5e4 * SCALE), 100)).astype(np.float32)
    classes = np.array([rng.choice(100, p=q) for q in np.exp(logits) / np.exp(logits).sum(1, keepdims=True)])
    sharp = np.exp(2 * logits) / np.exp(2 * logits).sum(1, keepdims=True)
    say("probmetrics, temperature of 5e4 x 100", best(lambda: get_calibrator("temp-scaling").fit(sharp, classes), 1))
except ImportError:
    print("probmetrics is not installed")


def crowd_kit():
    """Its Dawid-Skene alone: the package as a whole imports transformers and torch."""
    import importlib.util
    import types

    if importlib.util.find_spec("crowdkit") is None:
        raise ImportError
    package = types.ModuleType("crowdkit.aggregation")
    package.__path__ = [os.path.join(os.path.dirname(importlib.util.find_spec("crowdkit").origin), "aggregation")]
    sys.modules["crowdkit.aggregation"] = package
    from crowdkit.aggregation.classification.dawid_skene import DawidSkene

    return DawidSkene


try:
    import pandas

    model = crowd_kit()
    rng = np.random.default_rng(5)
    items, classes, raters = int(2e5 * SCALE), 10, 500
    truth, first = rng.integers(0, classes, items), rng.integers(0, raters - 5, items)
    rater = (first[:, None] + np.arange(5)).ravel()
    right = rng.random(5 * items) < 0.4 + 0.55 * rater / raters
    votes = pandas.DataFrame({"task": np.repeat(np.arange(items), 5), "worker": rater,
                              "label": np.where(right, np.repeat(truth, 5), rng.integers(0, classes, 5 * items))})
    say("crowd-kit, 10 iterations on 1e6 votes", best(lambda: model(n_iter=10, tol=0).fit(votes), 1))
except ImportError:
    print("crowd-kit is not installed")
