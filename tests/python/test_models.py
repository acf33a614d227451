"""Calibrators: the bits of the tool."""
import pickle

import numpy as np
import pytest

import plumb
from conftest import cohort
from test_parity import regression

D = cohort()
CLASSIFIERS = [row for row in plumb.calibrators() if row["task"] != "regression"]


@pytest.mark.parametrize("row", CLASSIFIERS, ids=lambda row: row["method"])
def test_every_method(folder, row):
    binary = row["task"] == "binary"
    logits = D["logits"][:, 0] if binary else D["logits"]
    counts = np.stack([D["counts"][:, 1:].sum(1), D["counts"][:, 0]], 1) if binary else D["counts"]
    arrays = {"logits": logits, "counts": counts, "groups": D["groups"]}
    folder.run("calibrate", "fit", "--method", row["method"], *folder.flags(arrays), "-o", "m.json", "--quiet")
    model = plumb.fit(row["method"], **arrays)
    theirs = plumb.load(folder.path / "m.json")
    assert model.to_dict()["steps"] == theirs.to_dict()["steps"]
    np.save(folder.path / "logits.npy", logits)
    folder.run("calibrate", "apply", "m.json", "--logits", "logits.npy", "-o", "q.npy", "--quiet")
    calibrated = model.concentration(logits=logits) if row["method"] == "alpha" else model.apply(logits=logits)
    assert np.array_equal(calibrated, np.load(folder.path / "q.npy"))
    assert np.array_equal(pickle.loads(pickle.dumps(model)).apply(logits=logits), model.apply(logits=logits))
    assert model.apply(logits=logits).shape == logits.shape


def test_save_load_after_and_onnx(tmp_path):
    first = plumb.fit("temperature", logits=D["logits"], counts=D["counts"])
    both = plumb.fit("alpha", logits=D["logits"], counts=D["counts"], after=first)
    both.save(tmp_path / "m.json")
    again = plumb.load(tmp_path / "m.json")
    assert np.array_equal(again.concentration(logits=D["logits"]), both.concentration(logits=D["logits"]))
    assert np.array_equal(again.apply(logits=D["logits"]), first.apply(logits=D["logits"]))
    assert "temperature then alpha" in repr(both) and len(first.to_onnx()) > 100
    with pytest.raises(ValueError, match="no concentration"):
        first.concentration(logits=D["logits"])
    with pytest.raises(ValueError, match="temprature"):
        plumb.fit("temprature", logits=D["logits"], counts=D["counts"])
    with pytest.raises(TypeError, match="lamda="):
        plumb.fit("vector", logits=D["logits"], counts=D["counts"], lamda=1)
    with pytest.raises(ValueError):
        first.apply(logits=D["logits"][:, :2])
    with pytest.raises(ValueError):
        plumb.Model.from_bytes(b"{}")


def test_two_columns_come_back_as_two(folder):
    p = np.stack([1 - D["truth"], D["truth"]], 1)
    y = (D["labels"] == 2).astype(int)
    model = plumb.fit("beta", probs=p, labels=y)
    np.save(folder.path / "p.npy", p)
    model.save(folder.path / "m.json")
    folder.run("calibrate", "apply", "m.json", "--probs", "p.npy", "-o", "q.npy", "--quiet")
    assert np.array_equal(model.apply(p), np.load(folder.path / "q.npy")) and model.apply(p).shape == (240, 2)
    assert np.array_equal(model.apply(p[:, 1]), model.apply(p)[:, 1])


def test_a_regression(folder):
    d = regression()
    columns = {k: d[k] for k in ("mean", "variance", "targets")}
    folder.run("calibrate", "fit", "--method", "sigma", *folder.flags(columns), "-o", "m.json", "--quiet")
    model = plumb.fit("sigma", **columns)
    assert model.to_dict()["steps"] == plumb.load(folder.path / "m.json").to_dict()["steps"]
    better = model.apply(mean=d["mean"], variance=d["variance"])
    assert better.shape == (120,) and plumb.metrics.regression.zms(d["mean"], better, d["targets"]) == pytest.approx(1, abs=1e-6)
    low, high = plumb.fit("conformal", **columns).intervals(mean=d["mean"], variance=d["variance"], level=0.9)
    assert ((low <= d["targets"]) & (d["targets"] <= high)).mean() >= 0.9


def test_each_pass_is_calibrated_by_itself():
    """Of stochastic predictions the calibrated one is the mean over calibrated passes (Mimori 2021, eq. 51)."""
    rng = np.random.default_rng(8)
    for shape in ((3, 200, 4), (3, 200)):
        passes = rng.normal(size=shape)
        labels = rng.integers(0, 4 if len(shape) == 3 else 2, size=200)
        model = plumb.fit("temperature", logits=passes[0], labels=labels)
        one = [model.apply(logits=p) for p in passes]
        assert np.array_equal(model.apply(sample_logits=passes), (one[0] + one[1] + one[2]) / 3)
