"""plumb calibrate: fit, apply, show, export; model files; the real data if available."""
import csv
import json
import os
import pathlib
import resource
import subprocess

import jsonschema
import numpy as np
import pytest
from conftest import DATA, ROOT, make_task, needs_data

BINARY = ["temperature", "beta", "platt", "isotonic", "histogram", "ets", "mix-n-match", "structured-vector",
          "structured-matrix", "quadratic", "spline", "none"]
MULTI = ["temperature", "vector", "matrix", "dirichlet", "isotonic", "histogram", "ets", "mix-n-match", "structured-vector",
         "structured-matrix", "none"]


def fit(folder, method, *args, out="m.json"):
    run = folder.run("calibrate", "fit", "--method", method, *args, "-o", out)
    assert run.code == 0, run.err
    return run


def apply(folder, *args, model="m.json", out="out.npy"):
    run = folder.run("calibrate", "apply", model, *args, "-o", out)
    assert run.code == 0, run.err
    return np.load(folder / out)


def complaint(folder, *args):
    before = folder.names()
    run = folder.run("calibrate", *args)
    assert run.code == 2, (run.out, run.err)
    assert run.err.count("\n") == 1 and run.out == ""
    assert folder.names() == before
    return run.err


@pytest.fixture
def binary(folder):
    t = make_task(k=3)
    p = t["probs"][:, 0]
    folder.npy("p.npy", p)
    folder.npy("l.npy", np.log(p) - np.log1p(-p))
    folder.npy("y.npy", (t["labels"] == 0).astype(int))
    return p


# --- every method, from files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", MULTI)
def test_multiclass(folder, task, method):
    run = fit(folder, method, "--logits", "logits.npy", "--counts", "counts.npy")
    assert "before" in run.out and "nll" in run.out
    z = apply(folder, "--logits", "logits.npy")
    assert z.dtype == np.float64 and z.shape == task["probs"].shape
    assert np.allclose(z.sum(axis=1), 1, atol=1e-12) and (z >= 0).all()
    assert folder.run("calibrate", "show", "m.json").code == 0


@pytest.mark.parametrize("method", BINARY)
def test_binary(folder, binary, method):
    fit(folder, method, "--logits", "l.npy", "--labels", "y.npy")
    z = apply(folder, "--logits", "l.npy")
    assert z.shape == binary.shape and ((z >= 0) & (z <= 1)).all()
    folder.npy("two.npy", np.stack([1 - binary, binary], axis=1))
    two = apply(folder, "--probs", "two.npy")
    assert two.shape == (len(binary), 2) and np.allclose(two[:, 1], z, atol=1e-9)


def test_formats_and_shards_give_the_same_model(folder, task):
    fit(folder, "temperature", "--logits", "logits.npy", "--counts", "counts.npy", out="a.json")
    folder.npy("l1.npy", task["logits"][:150])
    folder.npy("l2.npy", task["logits"][150:])
    np.savez(folder / "d.npz", counts=task["counts"])
    fit(folder, "temperature", "--logits", "l1.npy", "l2.npy", "--counts", "d.npz:counts", "--threads", "3", out="b.json")
    steps = [json.loads((folder / f).read_text())["steps"] for f in ("a.json", "b.json")]
    assert steps[0] == steps[1]


def test_apply_is_the_same_for_any_threads(folder, task):
    fit(folder, "matrix", "--logits", "logits.npy", "--counts", "counts.npy")
    assert (apply(folder, "--logits", "logits.npy", "--threads", "1") == apply(folder, "--logits", "logits.npy", "--threads", "7")).all()


# --- pipelines, alpha --------------------------------------------------------------------------------------------------


def test_alpha_after_temperature(folder, task):
    args = ("--logits", "logits.npy", "--counts", "counts.npy")
    fit(folder, "temperature", *args, out="t.json")
    run = fit(folder, "alpha", "--after", "t.json", *args, out="both.json")
    assert "disagreement_loss" in run.out
    z = apply(folder, "--logits", "logits.npy", model="t.json", out="z.npy")
    alpha = apply(folder, "--logits", "logits.npy", "--out-probs", "same.npy", "--disagreement", "d.npy", model="both.json")
    assert (folder / "z.npy").read_bytes() == (folder / "same.npy").read_bytes()
    assert alpha.shape == (len(z),) and (alpha > 0).all()
    expected = (1 - (z ** 2).sum(axis=1)) * alpha / (alpha + 1)
    assert np.allclose(np.load(folder / "d.npy"), expected, atol=1e-12)
    shown = folder.run("calibrate", "show", "both.json").out
    assert "Step 1: temperature" in shown and "Step 2: alpha" in shown


def test_alpha_with_features(folder, task):
    folder.npy("u.npy", task["rng"].normal(size=(400, 5)))
    args = ("--probs", "probs.npy", "--counts", "counts.npy")
    fit(folder, "alpha", *args, "--features", "u.npy")
    alpha = apply(folder, "--probs", "probs.npy", "--features", "u.npy")
    assert len(set(alpha)) > 100
    assert "--features" in complaint(folder, "apply", "m.json", "--probs", "probs.npy", "-o", "x.npy")


def test_auto_shows_the_league(folder, task):
    run = fit(folder, "auto", "--logits", "logits.npy", "--counts", "counts.npy")
    assert "held-out log-loss" in run.out and "chosen" in run.out and "none" in run.out


def test_the_folds_of_auto_do_not_nest(folder):
    """A spline has folds of its own: as many within as without took a minute."""
    rng = np.random.default_rng(4)
    p = rng.uniform(.01, .99, 400)
    folder.npy("p.npy", p)
    folder.npy("y.npy", (rng.random(400) < p ** 2).astype(int))
    spent = []
    for folds in (4, 24):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        run = folder.run("calibrate", "fit", "--method", "auto", "--folds", folds, "--probs", "p.npy", "--labels", "y.npy",
                         "-o", f"m{folds}.json")
        assert run.code == 0 and "spline" in run.out, run.err
        spent.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
    assert spent[1] < 18 * spent[0], spent  # six times the folds; 36 times when they nest


def test_a_full_map_of_many_classes_takes_votes(folder):
    rng = np.random.default_rng(5)
    folder.npy("z.npy", rng.normal(size=(50, 300)))
    folder.npy("y.npy", rng.integers(0, 300, 50))
    for method in ("matrix", "dirichlet", "structured-matrix"):
        err = complaint(folder, "fit", "--method", method, "--logits", "z.npy", "--labels", "y.npy", "-o", "m.json")
        assert "90300 parameters of 300 classes" in err and "50 votes" in err and "structured-vector" in err
    assert folder.run("calibrate", "fit", "--method", "structured-vector", "--logits", "z.npy", "--labels", "y.npy", "-o",
                      "m.json").code == 0


def test_cross_fit(folder, task):
    args = ("--probs", "probs.npy", "--counts", "counts.npy", "--cross-fit", "4", "--out-probs", "oof.npy")
    fit(folder, "temperature", *args)
    oof = np.load(folder / "oof.npy")
    assert oof.shape == task["probs"].shape and np.allclose(oof.sum(axis=1), 1)
    assert not np.array_equal(oof, apply(folder, "--probs", "probs.npy"))


def test_the_same_file_is_noticed(folder, task):
    fit(folder, "temperature", "--probs", "probs.npy", "--counts", "counts.npy")
    run = folder.run("calibrate", "apply", "m.json", "--probs", "probs.npy", "-o", "z.npy")
    assert run.code == 0 and "fitted on these predictions" in run.err
    run = folder.run("evaluate", "--probs", "probs.npy", "--counts", "counts.npy", "--calibrator", "m.json", "--metrics", "ece")
    assert run.code == 0 and "fitted on these" in " ".join((run.out + run.err).split())
    other = folder.npy("other.npy", task["probs"][::-1])
    run = folder.run("calibrate", "apply", "m.json", "--probs", other, "-o", "z.npy")
    assert run.code == 0 and run.err == ""


def test_evaluate_with_a_calibrator(folder, task):
    fit(folder, "vector", "--logits", "logits.npy", "--counts", "counts.npy")
    apply(folder, "--logits", "logits.npy", out="z.npy")
    keys = ("--metrics", "nll,ece,brier")
    a = folder.evaluate("--probs", "z.npy", "--counts", "counts.npy", *keys)
    b = folder.evaluate("--logits", "logits.npy", "--counts", "counts.npy", "--calibrator", "m.json", *keys)
    assert a["metrics"] == b["metrics"]
    jsonschema.validate(b, json.loads((ROOT / "docs" / "result.schema.json").read_text()))


# --- bad input ---------------------------------------------------------------------------------------------------------

GOOD = ("--logits", "logits.npy", "--counts", "counts.npy")


@pytest.mark.parametrize("args,parts", [
    (("fit", *GOOD, "-o", "m.json"), ("--method",)),
    (("fit", "--method", "temperature", *GOOD), ("-o",)),
    (("fit", "--method", "temprature", *GOOD, "-o", "m.json"), ("temprature", "temperature")),
    (("fit", "--method", "platt", *GOOD, "-o", "m.json"), ("platt", "binary")),
    (("fit", "--method", "temperature", *GOOD, "--lambda", "1", "-o", "m.json"), ("--lambda", "alpha")),
    (("fit", "--method", "vector", *GOOD, "--lambda-b", "-1", "-o", "m.json"), ("--lambda-b", "-1")),
    (("fit", "--method", "temperature", *GOOD, "--folds", "3", "-o", "m.json"), ("--folds",)),
    (("fit", "--method", "temperature", *GOOD, "--cross-fit", "3", "-o", "m.json"), ("--out-probs",)),
    (("fit", "--method", "temperature", *GOOD, "--cross-fit", "1", "--out-probs", "o.npy", "-o", "m.json"), ("--cross-fit", "1")),
    (("fit", "--method", "alpha", *GOOD, "--cross-fit", "3", "--out-probs", "o.npy", "-o", "m.json"), ("--cross-fit", "alpha")),
    (("fit", "--method", "temperature", *GOOD, "--cross-fit", "3", "--out-probs", "m.json", "-o", "m.json"), ("m.json",)),
    (("fit", "--method", "alpha", "--logits", "logits.npy", "--labels", "labels.npy", "-o", "m.json"), ("labels.npy", "two votes")),
    (("fit", "--method", "temperature", "--logits", "logits.npy", "-o", "m.json"), ("--labels",)),
    (("fit", "--method", "temperature", *GOOD, "-o", "no/such/dir/m.json"), ("no/such/dir",)),
    (("fit", "--method", "temperature", *GOOD, "-o", "./logits.npy"), ("logits.npy",)),
    (("apply", "logits.npy", "--logits", "logits.npy", "-o", "z.npy"), ("logits.npy", "calibrator")),
    (("apply", "nowhere.json", "--logits", "logits.npy", "-o", "z.npy"), ("nowhere.json",)),
    (("apply", "--logits", "logits.npy", "-o", "z.npy"), ("model",)),
    (("show", "counts.npy"), ("counts.npy",)),
    (("fitt",), ("fitt", '"fit"')),
])
def test_complaints(folder, task, args, parts):
    text = complaint(folder, *args)
    for part in parts:
        assert part in text, text


def test_a_model_for_other_classes(folder, task, binary):
    fit(folder, "temperature", "--probs", "p.npy", "--labels", "y.npy")
    text = complaint(folder, "apply", "m.json", "--logits", "logits.npy", "-o", "z.npy")
    assert "m.json" in text and "2" in text and "4" in text
    fit(folder, "vector", *GOOD)
    assert "--logits" in complaint(folder, "apply", "m.json", "--probs", "probs.npy", "-o", "z.npy")


@pytest.mark.parametrize("change", ["cut", "flip", "future", "foreign", "empty"])
def test_broken_models(folder, task, change):
    fit(folder, "isotonic", *GOOD)
    b = (folder / "m.json").read_text()
    if change == "cut":
        b = b[: len(b) // 2]
    elif change == "flip":
        b = b.replace("0.", "1.", 1)
    elif change == "future":
        b = b.replace('"format": 1', '"format": 99')
    elif change == "foreign":
        b = '{"a": 1}'
    else:
        b = ""
    folder.text("bad.json", b)
    for args in (("apply", "bad.json", "--logits", "logits.npy", "-o", "z.npy"), ("show", "bad.json"),
                 ("export", "bad.json", "-o", "m.onnx"), ("fit", "--method", "alpha", "--after", "bad.json", *GOOD, "-o", "n.json")):
        assert "bad.json" in complaint(folder, *args)


# --- ONNX --------------------------------------------------------------------------------------------------------------

ONNX_PYTHON = pathlib.Path(os.environ.get("PLUMB_ONNX_PYTHON", ROOT / ".venv-onnx" / "bin" / "python"))
RUN_ONNX = """
import sys, numpy, onnxruntime
s = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
x = numpy.load(sys.argv[2]).astype(numpy.float32)
numpy.save(sys.argv[3], s.run(None, {s.get_inputs()[0].name: x if x.ndim == 2 else x[:, None]})[0])
"""


@pytest.mark.skipif(not (ONNX_PYTHON.parent.parent / "ready").exists() and "PLUMB_ONNX_PYTHON" not in os.environ, reason="onnxruntime is not installed (tools/setup onnx)")
@pytest.mark.parametrize("classes,methods", [(4, MULTI), (2, [m for m in BINARY if not m.startswith("structured")])])
def test_onnx_runs_and_agrees(folder, task, binary, classes, methods):
    x = (task["logits"] if classes == 4 else np.load(folder / "l.npy")).astype(np.float32)
    folder.npy("x.npy", x)
    votes = ("--counts", "counts.npy") if classes == 4 else ("--labels", "y.npy")
    for method in methods:
        fit(folder, method, "--logits", "x.npy", *votes)
        assert folder.run("calibrate", "export", "m.json", "-o", "m.onnx").code == 0
        z = apply(folder, "--logits", "x.npy")
        subprocess.run([ONNX_PYTHON, "-c", RUN_ONNX, folder / "m.onnx", folder / "x.npy", folder / "o.npy"], check=True)
        assert np.abs(np.load(folder / "o.npy").reshape(z.shape) - z).max() < 1e-6, method


# --- the real data -----------------------------------------------------------------------------------------------------


def halves(name):
    if name == "cifar10h":
        return "--probs", np.load(DATA / "plambda_cifar10_vgg16_probs.npy"), np.load(DATA / "cifar10h-counts.npy")
    with open(DATA / "nli" / "chaosnli_snli.csv") as file:
        rows = list(csv.DictReader(file))
    return ("--logits", np.array([[float(r[f"{name}_{k}"]) for k in "enc"] for r in rows]),
            np.array([[int(float(r[f"c100_{k}"])) for k in "enc"] for r in rows]))


@needs_data
def test_the_known_temperature(folder):
    folder.npy("p.npy", np.load(DATA / "plambda_cifar10_vgg16_probs.npy")[:5000])
    folder.npy("y.npy", np.load(DATA / "plambda_cifar10_labels.npy")[:5000])
    fit(folder, "temperature", "--probs", "p.npy", "--labels", "y.npy")
    t = json.loads((folder / "m.json").read_text())["steps"][0]["parameters"]["T"]["values"][0]
    assert abs(t - 1.7359) < 5e-5


@needs_data
@pytest.mark.parametrize("name", ["cifar10h", "roberta-base_0", "bert-base-uncased_0"])
@pytest.mark.parametrize("first", [True, False])
def test_held_out_halves(folder, name, first):
    flag, x, counts = halves(name)
    half = len(x) // 2
    train, test = (slice(0, half), slice(half, None)) if first else (slice(half, None), slice(0, half))
    folder.npy("xa.npy", x[train])
    folder.npy("ca.npy", counts[train])
    folder.npy("xb.npy", x[test])
    folder.npy("cb.npy", counts[test])

    def score(*args):
        r = folder.evaluate(*args, "--counts", "cb.npy", "--clip", "1e-12", "--metrics", "nll,ece,disagreement_loss,disagreement_ce")
        return {k: m["value"] for k, m in r["metrics"].items()}

    fit(folder, "temperature", flag, "xa.npy", "--counts", "ca.npy", out="t.json")
    fit(folder, "auto", flag, "xa.npy", "--counts", "ca.npy", out="auto.json")
    fit(folder, "alpha", "--after", "t.json", flag, "xa.npy", "--counts", "ca.npy", out="ta.json")
    apply(folder, flag, "xb.npy", model="t.json", out="t.npy")
    apply(folder, flag, "xb.npy", model="auto.json", out="auto.npy")
    apply(folder, flag, "xb.npy", model="ta.json", out="alpha.npy")
    none, t, auto = score(flag, "xb.npy"), score("--probs", "t.npy"), score("--probs", "auto.npy")
    assert t["nll"] <= none["nll"] and auto["nll"] <= none["nll"]
    alpha = score("--probs", "t.npy", "--concentration", "alpha.npy")
    assert alpha["nll"] == t["nll"] and alpha["ece"] == t["ece"]
    assert alpha["disagreement_loss"] < t["disagreement_loss"]
    assert abs(alpha["disagreement_ce"]) < abs(t["disagreement_ce"])
