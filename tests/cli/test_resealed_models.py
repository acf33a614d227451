"""Models changed by hand with a fitting checksum: whatever their parameters are, apply writes probabilities or refuses."""
import json

import numpy as np
import pytest

MULTI = ["temperature", "vector", "matrix", "dirichlet", "isotonic", "histogram", "ets", "mix-n-match", "structured-vector",
         "structured-matrix"]
BINARY = ["temperature", "beta", "platt", "isotonic", "histogram", "ets", "mix-n-match", "structured-matrix", "quadratic", "spline"]
REGRESSION = ["sigma", "aux", "isotonic-quantile", "conformal"]
KEY = ',\n "checksum": "'


def sealed(body):
    """The text of a model with its checksum (FNV-1a of all before it)."""
    h = 0xCBF29CE484222325
    for byte in body.encode():
        h = ((h ^ byte) * 0x100000001B3) % 2**64
    return f'{body}{KEY}{h:016x}"\n}}\n'


def resealed(model):
    parts = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in model.items() if key != "checksum"]
    return sealed("{\n " + ",\n ".join(parts))


def changes(model, numbers):
    """The model with the values of one parameter replaced: all of them the same, or with signs in turn."""
    for name, parameter in model["steps"][0]["parameters"].items():
        old = parameter["values"]
        for x in numbers:
            for new in ([x] * len(old), [x * (-1) ** i for i in range(len(old))]):
                parameter["values"] = new
                yield f"{name} {x}", resealed(model)
        parameter["values"] = old


def refused(run):
    return run.code == 2 and run.err.count("\n") == 1 and "m.json" in run.err


@pytest.mark.parametrize("kind,method", [("multi", m) for m in MULTI] + [("binary", m) for m in BINARY])
def test_probabilities_or_a_sentence(folder, task, kind, method):
    folder.npy("p.npy", task["probs"][:, 0])
    folder.npy("y.npy", (task["labels"] == 0).astype(int))
    data, seen = (["--logits", "logits.npy"], "labels.npy") if kind == "multi" else (["--probs", "p.npy"], "y.npy")
    assert folder.run("calibrate", "fit", "--method", method, *data, "--labels", seen, "-o", "m.json", "--quiet").code == 0
    model = json.loads((folder / "m.json").read_text())
    said = 0
    for what, text in changes(model, (1e308, 1e-308)):
        folder.text("m.json", text)
        run = folder.run("calibrate", "apply", "m.json", *data, "-o", "z.npy", "--quiet")
        if run.code == 0:
            z = np.load(folder / "z.npy")
            assert (z >= 0).all() and (z <= 1).all(), (method, what)  # false for NaN
            if z.ndim == 2:
                assert np.allclose(z.sum(axis=1), 1, atol=1e-6), (method, what)
        else:
            assert refused(run), (method, what, run.err)
            said += 1
    if kind == "multi" and method in ("temperature", "vector", "matrix", "dirichlet", "structured-matrix"):
        assert said > 0  # infinities meet in a softmax


@pytest.mark.parametrize("method", REGRESSION)
def test_variances_or_a_sentence(folder, method):
    rng = np.random.default_rng(1)
    mean = rng.normal(size=200)
    folder.npy("mean.npy", mean)
    folder.npy("variance.npy", rng.uniform(0.2, 1, size=200))
    folder.npy("y.npy", mean + rng.normal(size=200))
    data = ["--mean", "mean.npy", "--variance", "variance.npy"]
    assert folder.run("calibrate", "fit", "--method", method, *data, "--targets", "y.npy", "-o", "m.json", "--quiet").code == 0
    model = json.loads((folder / "m.json").read_text())
    said = 0
    for what, text in changes(model, (1e308, -1e308)):
        folder.text("m.json", text)
        for out in (["-o", "z.npy"], ["--intervals", "z.npy", "--levels", "0.9"]):
            run = folder.run("calibrate", "apply", "m.json", *data, *out, "--quiet")
            if run.code == 0:
                assert np.isfinite(np.load(folder / "z.npy")).all(), (method, what)
            else:
                assert run.code == 2 and run.err.count("\n") == 1 and "model" in run.err or refused(run), (method, what, run.err)
                said += 1
    assert said > 0


def test_an_unknown_step_names_the_file(folder, task):
    data = ["--logits", "logits.npy"]
    assert folder.run("calibrate", "fit", "--method", "temperature", *data, "--labels", "labels.npy", "-o", "m.json", "--quiet").code == 0
    model = json.loads((folder / "m.json").read_text())
    model["steps"][0]["method"] = "temprature"
    folder.text("m.json", resealed(model))
    for args in (("apply", "m.json", *data, "-o", "z.npy"), ("export", "m.json", "-o", "m.onnx")):
        run = folder.run("calibrate", *args)
        assert refused(run) and '"temprature"' in run.err, run.err


def test_features_of_any_size(folder, task):
    features = np.random.default_rng(1).normal(size=(len(task["labels"]), 2))
    data = ["--logits", "logits.npy", "--features"]
    folder.npy("f.npy", features * 1e15)  # nanoseconds of a clock, say
    fit = ["calibrate", "fit", "--method", "alpha", "--counts", "counts.npy"]
    assert folder.run(*fit, *data, "f.npy", "-o", "m.json", "--quiet").code == 0
    for bad in (1e60, 1e308, np.inf, np.nan):
        folder.npy("bad.npy", np.full(features.shape, bad))
        for args in (fit + data + ["bad.npy", "-o", "n.json"], ["calibrate", "apply", "m.json"] + data + ["bad.npy", "-o", "a.npy"]):
            run = folder.run(*args)
            assert run.code == 2 and run.err.count("\n") == 1 and "bad.npy, row" in run.err and "1e20" in run.err, run.err
