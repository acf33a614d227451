"""What goes wrong in this field, as cases: the exact value, and what each tool says. bench/peers prints them.

The exact value is computed here in double from the definition, or is known from how the data were made.
"""
import math
import pathlib
import subprocess
import tempfile

import numpy as np

import plumb


def ece(p, y, bins=15, w=None):
    """Every p in exactly one bin: min(floor(p B), B - 1)."""
    p, y = np.asarray(p, np.float64), np.asarray(y, np.float64)
    w = np.ones(len(p)) if w is None else np.asarray(w, np.float64)
    cell = np.minimum((p * bins).astype(np.int64), bins - 1)
    return float(np.abs(np.bincount(cell, w * (p - y), bins)).sum() / w.sum())


def torchmetrics_ece(p, y, bins=15):
    import torch
    from torchmetrics.functional.classification import binary_calibration_error
    return float(binary_calibration_error(torch.from_numpy(np.ascontiguousarray(p)), torch.from_numpy(np.asarray(y, np.int64)), n_bins=bins))


def drop_in_ece(p, y, bins=15):
    import torch
    from plumb.torchmetrics import binary_calibration_error
    return float(binary_calibration_error(torch.from_numpy(np.ascontiguousarray(p)), torch.from_numpy(np.asarray(y, np.int64)), n_bins=bins))


def netcal_ece(p, y, bins=15, **how):
    from netcal.metrics import ECE
    return float(ECE(bins, **how).measure(np.asarray(p), np.asarray(y)))


def mapie_ece(p, y, bins=15, how="uniform"):
    from mapie.metrics.calibration import expected_calibration_error
    return float(expected_calibration_error(np.asarray(y), np.asarray(p), num_bins=bins, split_strategy=how))


NEWEST = pathlib.Path(__file__).resolve().parents[1] / ".venv-torch-current" / "bin" / "python"
MONAI = """
import sys, numpy, torch
from monai.metrics import CalibrationErrorMetric
p, y = (torch.from_numpy(numpy.load(f"{sys.argv[1]}/{name}.npy")).reshape(1, 1, -1) for name in "py")
metric = CalibrationErrorMetric(num_bins=int(sys.argv[2]), calibration_reduction=sys.argv[3])
metric(y_pred=p, y=y)
print(float(metric.aggregate()))
"""


def monai_ece(p, y, bins=15, reduction="expected"):
    """In an environment of its own ("tools/setup current-torch"), since MONAI needs a newer torch than the other tools."""
    if not NEWEST.exists():
        raise ImportError("there is no .venv-torch-current")
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/p.npy", p), np.save(f"{folder}/y.npy", y)
        done = subprocess.run([NEWEST, "-W", "ignore", "-c", MONAI, folder, str(bins), reduction], capture_output=True, text=True)
    if done.returncode != 0:
        raise ImportError(done.stderr.strip().splitlines()[-1][:60])
    return float(done.stdout)


def sklearn_curve(p, y, bins=15, strategy="uniform"):
    """The largest gap of calibration_curve(), which gives no counts."""
    from sklearn.calibration import calibration_curve
    true, predicted = calibration_curve(y, p, n_bins=bins, strategy=strategy)
    return float(np.abs(true - predicted).max())


BINARY = {"plumb": lambda p, y: plumb.metrics.ece(p, y), "plumb.torchmetrics": drop_in_ece, "torchmetrics": torchmetrics_ece,
          "MONAI": monai_ece, "netcal": netcal_ece, "MAPIE": mapie_ece}


def certain():
    """p = 1 beside p = 0.97, and p = 0 beside p = 0.02, with gaps of opposite sign: each pair is one bin."""
    p = np.repeat([1.0, 0.97, 0.0, 0.02], [600, 400, 600, 400])
    y = np.concatenate([np.arange(600) < 540, np.ones(400), np.arange(600) < 60, np.zeros(400)])
    return ece(p, y), {name: attempt(tool, p, y.astype(int)) for name, tool in BINARY.items()}


def voxels(n=60_000_000):
    """A volume in float32: 98% background at 0.01, the rest uniform; an event happens with seven tenths of its forecast."""
    rng = np.random.default_rng(1)
    p = np.where(rng.random(n, dtype=np.float32) < 0.98, np.float32(0.01), rng.random(n, dtype=np.float32))
    y = (rng.random(n, dtype=np.float32) < np.float32(0.7) * p).astype(np.uint8)
    tools = {name: BINARY[name] for name in ("plumb", "plumb.torchmetrics", "torchmetrics", "MONAI")}
    return ece(p, y), {name: attempt(tool, p, y) for name, tool in tools.items()}


def halves():
    """20,000 forecasts in float16, most of them in one bin."""
    rng = np.random.default_rng(2)
    p = np.where(rng.random(20_000) < 0.9, 0.03, rng.random(20_000)).astype(np.float16)
    y = (rng.random(20_000) < p).astype(int)
    return ece(p, y), {name: attempt(tool, p, y) for name, tool in BINARY.items()}


def attempt(tool, *given):
    try:
        return tool(*given)
    except ImportError as error:
        return f"not measured: {error}"
    except (RuntimeError, TypeError, ValueError) as error:
        return f"error: {str(error).splitlines()[0][:60]}"


def constant():
    """One distinct value, 0.3, and half of the outcomes happen: a single bin with a gap of 0.2, however many bins are asked for."""
    p, y = np.full(1000, 0.3), np.arange(1000) % 2
    return 0.2, {"plumb": plumb.metrics.ece_mass(p, y), "netcal": attempt(lambda: netcal_ece(p, y, equal_intervals=False)),
                 "MAPIE": attempt(lambda: mapie_ece(p, y, how="quantile")),
                 "scikit-learn (largest gap)": attempt(lambda: sklearn_curve(p, y, strategy="quantile"))}


def order_of_ties():
    """Kolmogorov-Smirnov error of a model that only says 0.4 and 0.6: largest change over 20 orders of the same rows (0 is right)."""
    rng = np.random.default_rng(3)
    p = np.repeat([0.4, 0.6], 500)
    y = (rng.random(1000) < p).astype(int)
    orders = [rng.permutation(1000) for _ in range(20)]

    def spread(measure):
        found = [measure(p[o], y[o]) for o in orders]
        return max(found) - min(found)

    def mapie(q, z):
        from mapie.metrics.calibration import cumulative_differences
        return float(np.abs(cumulative_differences(z, q, noise_amplitude=0.0)).max())
    return 0.0, {"plumb": spread(plumb.metrics.ks), "MAPIE (without its random jitter)": spread(mapie)}


def weights():
    """Weight 3 instead of three copies of a row."""
    rng = np.random.default_rng(4)
    p = rng.random(300)
    y, w = (rng.random(300) < p ** 2).astype(int), rng.integers(1, 4, 300)
    import inspect

    from sklearn.calibration import calibration_curve
    copies = ece(np.repeat(p, w), np.repeat(y, w))
    no = "takes no weights"
    return copies, {"plumb": plumb.metrics.ece(p, y, weights=w), "torchmetrics": no, "MONAI": no, "netcal": no, "MAPIE": no,
                    "scikit-learn calibration_curve": "" if "sample_weight" in inspect.signature(calibration_curve).parameters else no}


def log_of_zero():
    """One outcome in 100 that was given probability 0: the log-loss is infinite."""
    from sklearn.metrics import log_loss
    p, y = np.full(100, 0.5), np.arange(100) % 2
    p[1] = 0.0
    found = plumb.evaluate(probs=p, labels=y, metrics="nll")["nll"]
    return math.inf, {"plumb": f"undefined: {found.why}", "scikit-learn float64": log_loss(y, p), "scikit-learn float32": log_loss(y, p.astype(np.float32))}


def guessed_logits():
    """A batch of logits that all lie in [0, 1]. The exact value is that of their sigmoids."""
    rng = np.random.default_rng(5)
    z = rng.random(500)
    y = (rng.random(500) < 1 / (1 + np.exp(-z))).astype(int)
    return ece(1 / (1 + np.exp(-z)), y), {"plumb, logits=": plumb.metrics.ece(labels=y, logits=z), "torchmetrics": torchmetrics_ece(z, y),
                                          "plumb.torchmetrics (the same guess)": drop_in_ece(z, y)}


def temperature():
    """2,000 items of 10 classes whose logits are 8 times too large: the temperature that minimises the log-loss."""
    rng = np.random.default_rng(6)
    z = 1.5 * rng.normal(size=(2000, 10))
    y = (z + rng.gumbel(size=z.shape)).argmax(1)
    sharp = 8 * z

    def loss(t):
        u = sharp / t
        top = u.max(1)
        return float(np.mean(top + np.log(np.exp(u - top[:, None]).sum(1)) - u[np.arange(2000), y]))
    low, high = 0.01, 100.0
    for _ in range(200):  # ternary search of a function with one valley
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, b) if loss(a) < loss(b) else (a, high)
    p = np.exp(sharp - sharp.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    fitted = plumb.fit("temperature", logits=sharp, labels=y).to_dict()["steps"][0]["parameters"]["T"]["values"][0]

    def netcal():
        from netcal.scaling import TemperatureScaling
        model = TemperatureScaling()
        model.fit(p, y)
        return 1 / float(np.ravel(model.temperature)[0])

    def probmetrics():
        from probmetrics.calibrators import get_calibrator
        model = get_calibrator("temp-scaling")
        model.fit(p, y)
        out = model.predict_proba(p[:1])[0]
        order = np.argsort(out)[-2:]
        return float((sharp[0, order[1]] - sharp[0, order[0]]) / (np.log(out[order[1]]) - np.log(out[order[0]])))
    return (low + high) / 2, {"plumb": fitted, "netcal": attempt(netcal), "probmetrics": attempt(probmetrics)}


def small_isotonic():
    """Isotonic calibration on 40 items: the smallest probability that it gives. After a 0, one event is an infinite log-loss."""
    from sklearn.isotonic import IsotonicRegression
    rng = np.random.default_rng(7)
    p = rng.random(40)
    y = (rng.random(40) < p).astype(int)
    grid = np.linspace(0.001, 0.999, 999)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(p, y).predict(grid)
    ours = plumb.fit("isotonic", probs=p, labels=y).apply(grid)
    return "above 0", {"plumb": float(ours.min()), "scikit-learn": float(theirs.min())}


def biased_quantiles():
    """Means that are 0.8 standard deviations too low: the share of new outcomes below the recalibrated 90% quantile."""
    rng = np.random.default_rng(8)
    sigma = np.ones(4000)
    y = 0.8 + rng.normal(size=4000)
    mean = np.zeros(4000)
    model = plumb.fit("isotonic-quantile", mean=mean[:2000], std=sigma[:2000], targets=y[:2000])
    high = model.intervals(mean=mean[2000:], std=sigma[2000:], level=0.8)[1]

    def toolbox():
        from uncertainty_toolbox.recalibration import get_quantile_recalibrator
        quantile = get_quantile_recalibrator(mean[:2000], sigma[:2000], y[:2000])
        return float(np.mean(y[2000:] <= quantile(mean[2000:], sigma[2000:], 0.9)))
    return 0.9, {"plumb": float(np.mean(y[2000:] <= high)), "uncertainty-toolbox": attempt(toolbox)}


def perfect():
    """1,000 forecasts of a calibrated model, in 15 bins: a plug-in ECE is above 0 by chance alone. What a tool says about that chance."""
    rng = np.random.default_rng(9)
    p = rng.random(1000)
    y = (rng.random(1000) < p).astype(int)
    corrected = plumb.evaluate(probs=p, labels=y, bootstrap=400, metrics=["ece_corrected"])["ece_corrected"].value
    return 0.0, {"plumb (ece_corrected)": corrected} | {name: attempt(tool, p, y) for name, tool in BINARY.items()}


def pixels():
    """40 images of 500 pixels that share one random shift each: how often a 95% interval of the mean outcome, 0.5, holds it (200 data sets)."""
    rng = np.random.default_rng(10)
    groups = np.repeat(np.arange(40), 500)
    held = {"plumb, groups=": 0, "plumb, pixels alone": 0, "scipy.stats.bootstrap": 0}
    from scipy.stats import bootstrap
    for k in range(200):
        p = np.repeat(1 / (1 + np.exp(-2 * rng.normal(size=40))), 500)
        y = (rng.random(20_000) < p).astype(int)
        for name, more in (("plumb, groups=", {"groups": groups}), ("plumb, pixels alone", {})):
            m = plumb.evaluate(probs=np.ones(20_000), labels=y, metrics=["accuracy"], bootstrap=100, seed=k, **more)["accuracy"]
            held[name] += m.low <= 0.5 <= m.high
        theirs = bootstrap((y,), np.mean, n_resamples=100, method="percentile", rng=np.random.default_rng(k), vectorized=True)
        held["scipy.stats.bootstrap"] += theirs.confidence_interval.low <= 0.5 <= theirs.confidence_interval.high
    return 0.95, {name: count / 200 for name, count in held.items()}


def selective_ties():
    """Area under the risk-coverage curve of a score with three values: largest change over 20 orders of the same rows (0 is right)."""
    rng = np.random.default_rng(11)
    p = rng.choice([0.6, 0.75, 0.9], 600)
    y = (rng.random(600) < p).astype(int)

    def spread(measure):
        found = [measure(p[o], y[o]) for o in (rng.permutation(600) for _ in range(20))]
        return max(found) - min(found)

    def by_rows(q, z):  # one point per row, in the order of a stable sort, as it is often written
        wrong = 1 - z[np.argsort(-q, kind="stable")]
        return float(np.mean(np.cumsum(wrong) / np.arange(1, len(q) + 1)))
    return 0.0, {"plumb": spread(plumb.metrics.aurc), "one point per row (numpy)": spread(by_rows)}


def ence_grows():
    """ENCE of calibrated variances of 3,000 items, with 60 bins over that with 15: it grows by chance alone. The reference of zms is 1."""
    rng = np.random.default_rng(12)
    sigma = np.exp(0.5 * rng.normal(size=3000))
    mean, y = np.zeros(3000), sigma * rng.normal(size=3000)
    given = dict(mean=mean, std=sigma, targets=y)

    def theirs(bins):
        order = np.argsort(sigma)
        parts = np.array_split(order, bins)
        rmv, rmse = (np.array([np.sqrt(np.mean(a[i] ** 2)) for i in parts]) for a in (sigma, y))
        return float(np.mean(np.abs(rmv - rmse) / rmv))
    ours = plumb.metrics.regression
    return 1.0, {"plumb, zms": ours.zms(**given), "plumb, ence": ours.ence(**given, bins=60) / ours.ence(**given, bins=15),
                 "ENCE as published (numpy)": theirs(60) / theirs(15)}


CASES = {"p = 0 and p = 1": certain, "60 million voxels, float32": voxels, "float16": halves, "one distinct value, equal-mass bins": constant,
         "ties and the order of rows": order_of_ties, "weights": weights, "log(0)": log_of_zero, "logits between 0 and 1": guessed_logits,
         "temperature": temperature, "isotonic on 40 items": small_isotonic, "biased quantiles": biased_quantiles,
         "ECE of a calibrated model": perfect, "pixels of one image": pixels, "selective prediction with ties": selective_ties,
         "more bins": ence_grows}
