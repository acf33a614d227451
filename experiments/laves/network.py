"""What the experiments on Laves 2021 share: QM9's predictions, drawn images, scores by item."""
import csv
import json

import numpy as np

QM9 = "regression/qm9_qm9_E_uncalibrated_{}.csv"
PARTS = ("aleatoric", "epistemic")


def qm9(x):
    """{part: {mean, aleatoric, epistemic, variance, targets}} of an ensemble of networks, or None."""
    found = {}
    for part, name in (("validation", "validation"), ("test", "test")):
        path = x.file(QM9.format(name))
        if path is None:
            return None
        with open(path) as f:
            rows = list(csv.DictReader(f))
        read = lambda column: np.array([float(r[column]) for r in rows])
        got = {"mean": read("prediction"), "aleatoric": read("uncertainty_aleatoric"), "epistemic": read("uncertainty_epistemic"), "targets": read("E_")}
        got["variance"] = got["aleatoric"] + got["epistemic"]
        for key, values in got.items():
            x.save(f"qm9/{part}/{key}.npy", values)
        found[part] = got
    return found


def train(x, run, outputs, seed, *more):
    """A network on drawn images, chosen by the validation MSE as in the paper, with dropout."""
    size = str(x.size(16, 32))
    data = x.demo("regression-images", f"images{outputs}", "--outputs", str(outputs), "--items", str(x.size(1800, 9000)), "--size", size, "--clahe")
    network = ("--model", "mlp", "--hidden", "256,256", "--epochs", "40") if x.quick else ("--model", "resnet18", "--width", "32", "--epochs", "200")
    x.train(run, "--data", data, *network, "--dropout", "0.2", "--head", "gaussian", "--optimizer", "adam", "--lr", "0.001", "--weight-decay", "1e-7", "--batch", "64",
            "--select", "mse", "--patience", "0", "--seed", seed, "--data-seed", "0", "--device", "cpu", *more)
    return run


def passes(x, run, split="test", *more):
    """25 passes with dropout; the folder, and {mean, aleatoric, epistemic, variance, targets}."""
    return predicted(x, run, f"{run}/mc-{split}", "--split", split, "--mc-dropout", "--samples", "25", *more)


def predicted(x, run, out, *flags):
    x.predict(run, out, *flags)
    got = {key: x.load(f"{out}/{key}.npy") for key in ("mean", "aleatoric", "epistemic", "variance")}
    if (x.work / out / "targets.npy").exists():
        got["targets"] = x.load(f"{out}/targets.npy")
    return out, got


def calibrate(x, method, fit, test, name, *more):
    """The calibrated variance of `test`, fitted on `fit` (folders with mean, variance and targets), and the model's parameters."""
    if name not in ("",) and method.startswith("sigma-aleatoric"):
        flags = lambda folder: ("--mean", f"{folder}/mean.npy", "--aleatoric", f"{folder}/aleatoric.npy", "--epistemic", f"{folder}/epistemic.npy")
    else:
        flags = lambda folder: ("--mean", f"{folder}/mean.npy", "--variance", f"{folder}/variance.npy")
    x.plumb("calibrate", "fit", "--method", method, *flags(fit), "--targets", f"{fit}/targets.npy", "-o", f"{name}.json", "--quiet", *more)
    x.plumb("calibrate", "apply", f"{name}.json", *flags(test), "-o", f"{name}.npy", "--quiet")
    parameters = {}
    for step in json.loads((x.work / f"{name}.json").read_text())["steps"]:
        parameters.update(step["parameters"])
    return x.load(f"{name}.npy"), parameters


def flat(a):
    """One row per item: the mean over outputs is taken where the paper takes it."""
    return a.reshape(len(a), -1)


def squared_error(p):
    return flat((p["targets"] - p["mean"]) ** 2)


def nll_items(p, variance):
    v = flat(variance) * np.ones_like(squared_error(p))
    return (0.5 * (np.log(2 * np.pi * v) + squared_error(p) / v)).mean(axis=1)


def uce(error, variance, bins=15):
    """Eq. 13: bins of equal width in the variance; both averaged over the outputs."""
    e, v = flat(error).mean(axis=1), flat(variance).mean(axis=1)
    low, high = v.min(), v.max()
    b = np.minimum(((v - low) / max(high - low, 1e-300) * bins).astype(int), bins - 1)
    return np.abs(np.bincount(b, e - v, bins)).sum() / len(v)


def bootstrap(x, n, statistic, draws=None):
    rng = np.random.default_rng(11)
    return [statistic(rng.integers(n, size=n)) for _ in range(draws or x.size(200, 1000))]
