"""Prediction sets and conformalized quantiles against MAPIE (tests/golden/conformal.py)."""
import json

import numpy as np
import pytest

from conftest import ROOT, run_plumb


@pytest.fixture(scope="module")
def golden():
    return json.loads((ROOT / "tests" / "golden" / "conformal.json").read_text())


def parts(n, *steps):
    i = np.arange(n)
    return [(i * step + 0.1) % 1 for step in steps]


def probabilities(n):
    z = np.exp(3 * np.stack(parts(n, 0.6180339887498949, 0.7548776662466927, 0.5698402909980532), axis=1))
    return z / z.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("level", ["0.8", "0.9"])
def test_sets(golden, tmp_path, level):
    z = probabilities(300)
    (u,) = parts(300, 0.8191725133961645)
    y = (u[:, None] > np.cumsum(z ** 0.7 / (z ** 0.7).sum(axis=1, keepdims=True), axis=1)).sum(axis=1)
    np.save(tmp_path / "fit.npy", z[:199])
    np.save(tmp_path / "y.npy", y[:199])
    np.save(tmp_path / "new.npy", z[199:])
    run = run_plumb("calibrate", "fit", "--method", "sets", "--set-score", "lac", "--levels", level, "--probs", tmp_path / "fit.npy",
                    "--labels", tmp_path / "y.npy", "-o", tmp_path / "m.json")
    assert run.code == 0, run.err
    run = run_plumb("calibrate", "apply", tmp_path / "m.json", "--probs", tmp_path / "new.npy", "-o", tmp_path / "sets.npy")
    assert run.code == 0, run.err
    found = ["".join(str(int(x)) for x in row) for row in np.load(tmp_path / "sets.npy")]
    assert found == golden[f"lac {level}"]


def test_cqr(golden, tmp_path):
    m, w = parts(300, 0.6180339887498949, 0.7548776662466927)
    quantiles = np.stack([5 * m - 0.8, 5 * m, 5 * m + 0.8], axis=1)
    target = 5 * m + 3 * (w - 0.5)
    np.save(tmp_path / "fit.npy", quantiles[:199])
    np.save(tmp_path / "y.npy", target[:199])
    np.save(tmp_path / "new.npy", quantiles[199:])
    levels = ("--quantile-levels", "0.1,0.5,0.9")
    run = run_plumb("calibrate", "fit", "--method", "cqr", "--quantiles", tmp_path / "fit.npy", *levels, "--targets", tmp_path / "y.npy",
                    "-o", tmp_path / "m.json")
    assert run.code == 0, run.err
    run = run_plumb("calibrate", "apply", tmp_path / "m.json", "--quantiles", tmp_path / "new.npy", "-o", tmp_path / "new_intervals.npy")
    assert run.code == 0, run.err
    found = np.load(tmp_path / "new_intervals.npy")
    assert np.abs(found[:, [0, 2]] - np.array(golden["cqr 0.8"])).max() < 1e-12
    assert (found[:, 1] == quantiles[199:, 1]).all()
