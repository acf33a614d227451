"""plumb calibrate fit --states: models fitted on merged states."""
import json

import numpy as np
import pytest
from conftest import run_plumb


@pytest.fixture
def shards(tmp_path):
    rng = np.random.default_rng(2)
    p = rng.random(4000)
    y = rng.random(4000) < p**2 / (p**2 + (1 - p)**2)
    rows = rng.integers(0, 3, 4000)
    for name, part in [("all", rows >= 0), *((str(i), rows == i) for i in range(3))]:
        np.save(tmp_path / f"p{name}.npy", p[part])
        np.save(tmp_path / f"y{name}.npy", y[part].astype("u1"))
        done = run_plumb("evaluate", "--probs", tmp_path / f"p{name}.npy", "--labels", tmp_path / f"y{name}.npy", "--save-state", tmp_path / f"{name}.plumb", "--quiet")
        assert done.code == 0, done.err
    return tmp_path


def fitted(folder, method, *inputs):
    done = run_plumb("calibrate", "fit", "--method", method, *inputs, "-o", folder / "model.json", "--quiet")
    assert done.code == 0, done.err
    model = json.loads((folder / "model.json").read_text())
    done = run_plumb("calibrate", "apply", folder / "model.json", "--probs", folder / "pall.npy", "-o", folder / "out.npy", "--quiet")
    assert done.code == 0, done.err
    return model["steps"], np.load(folder / "out.npy")


@pytest.mark.parametrize("method", ["temperature", "platt", "beta", "isotonic"])
def test_any_split_gives_one_model(shards, method):
    steps, out = fitted(shards, method, "--states", shards / "all.plumb")
    assert fitted(shards, method, "--states", *(shards / f"{i}.plumb" for i in (2, 0, 1)))[0] == steps
    plain = () if method == "isotonic" else ("--prior-votes", 0)
    _, direct = fitted(shards, method, "--probs", shards / "pall.npy", "--labels", shards / "yall.npy", *plain)
    _, alike = fitted(shards, method, "--states", shards / "all.plumb", *plain)
    np.testing.assert_allclose(alike, direct, atol=1e-6)  # both searches end at a gradient of 1e-6


def test_refusals(shards):
    def refused(words, *arguments):
        done = run_plumb("calibrate", "fit", "--method", "platt", "-o", shards / "m.json", *arguments)
        assert done.code == 2 and words in done.err and not (shards / "m.json").exists(), done.err

    np.save(shards / "w.npy", np.ones(4000))
    run_plumb("evaluate", "--probs", shards / "pall.npy", "--labels", shards / "yall.npy", "--weights", shards / "w.npy", "--save-state", shards / "w.plumb", "--quiet")
    refused("have weights", "--states", shards / "w.plumb")
    refused("given twice", "--states", shards / "0.plumb", shards / "0.plumb")
    done = run_plumb("calibrate", "fit", "--method", "spline", "--states", shards / "0.plumb", "-o", shards / "m.json")
    assert done.code == 2 and "temperature, platt, beta and isotonic" in done.err
