"""The automatic choice on real digits and few items, where a temperature without a prior ran to 0."""
import gzip

import numpy as np
import pytest
from conftest import DATA, needs_data, repetitions, softmax


def digits(name, offset):
    return np.frombuffer(gzip.open(DATA / "mnist" / name).read(), np.uint8, offset=offset)


@pytest.fixture(scope="module")
def held_out():
    """Logits of a small network and labels of 4,000 of the 10,000 test images; it learns from the others."""
    rng = np.random.default_rng(0)
    x = digits("t10k-images-idx3-ubyte.gz", 16).reshape(-1, 784) / 255.0
    y = digits("t10k-labels-idx1-ubyte.gz", 8).astype(int)
    order = rng.permutation(len(y))
    x, y = x[order], y[order]
    w, v = rng.normal(size=(784, 100)) * 0.05, rng.normal(size=(100, 10)) * 0.1
    for step in range(1200):
        rows = rng.integers(0, 6000, 100)
        hidden = np.maximum(x[rows] @ w, 0)
        error = softmax(hidden @ v)
        error[np.arange(100), y[rows]] -= 1
        rate = 0.3 * (1 - step / 1200) / 100
        back = (error @ v.T) * (hidden > 0)
        v -= rate * hidden.T @ error
        w -= rate * x[rows].T @ back
    return np.maximum(x[6000:] @ w, 0) @ v, y[6000:]


def losses(z, y):
    return -np.log(z[np.arange(len(y)), y])


@needs_data
@pytest.mark.parametrize("n", [50, 100])
def test_auto_does_no_harm_on_real_digits(folder, held_out, n):
    """No worse than nothing by 0.005 or a standard error in 95% of splits, within two Monte-Carlo standard errors; and never a
    probability of 0 for the truth."""
    u, y = held_out
    assert (u.argmax(axis=1) == y).mean() > 0.93
    splits, harmed = repetitions(20, 5), 0
    for split in range(splits):
        order = np.random.default_rng(split).permutation(len(y))
        fit, rest = order[:n], order[n:]
        folder.npy("u.npy", u[fit])
        folder.npy("y.npy", y[fit])
        folder.npy("rest.npy", u[rest])
        assert folder.run("calibrate", "fit", "--method", "auto", "--logits", "u.npy", "--labels", "y.npy", "-o", "a.json").code == 0
        assert folder.run("calibrate", "apply", "a.json", "--logits", "rest.npy", "-o", "z.npy").code == 0
        worse = losses(np.load(folder / "z.npy"), y[rest]) - losses(softmax(u[rest]), y[rest])
        assert np.isfinite(worse).all(), f"split {split}"
        harmed += worse.mean() > max(0.005, worse.std() / np.sqrt(len(worse)))
    assert harmed <= splits * (0.05 + 2 * np.sqrt(0.05 * 0.95 / splits)), f"{harmed} of {splits} splits"
