"""Further cases of bench/peers: which event is meant, calibrators, intervals and p-values, raters, files. As in peer_cases.py a case gives
the exact value, and what each tool says."""
import importlib.metadata
import io
import math
import re

import numpy as np

import plumb
from peer_cases import attempt, drop_in_ece, ece, mapie_ece, monai_ece, netcal_ece, torchmetrics_ece


def which_event():
    """Two classes, as N x 2 probabilities: the calibration error of P(class 1). That of the most probable class is another number."""
    rng = np.random.default_rng(20)
    p = rng.random(4000)
    y = (rng.random(4000) < p ** 2).astype(int)
    both = np.stack([1 - p, p], 1)

    def torchmetrics():
        import torch
        from torchmetrics.functional.classification import multiclass_calibration_error
        return float(multiclass_calibration_error(torch.from_numpy(both), torch.from_numpy(y), num_classes=2, n_bins=15))

    def mapie():
        from mapie.metrics.calibration import top_label_ece
        return float(top_label_ece(y, both, num_bins=15))
    classwise = plumb.metrics.ece_classwise(both, y, bins=15)
    return ece(p, y), {"plumb": plumb.metrics.ece(p, y, bins=15), "plumb, N x 2 (ece_classwise)": classwise,
                       "torchmetrics multiclass (top label)": attempt(torchmetrics), "netcal, N x 2": attempt(lambda: netcal_ece(both, y)),
                       "MAPIE top_label_ece": attempt(mapie)}


def few_items():
    """10 items with distinct forecasts and 15 equal-mass bins: each item is a bin, and the error is the mean of |y - p|."""
    p = (np.arange(10) + 0.5) / 10
    y = (np.arange(10) % 3 == 0).astype(int)
    exact = float(np.abs(y - p).mean())
    return exact, {"plumb": plumb.metrics.ece_mass(p, y, bins=15), "netcal": attempt(lambda: netcal_ece(p, y, equal_intervals=False)),
                   "MAPIE": attempt(lambda: mapie_ece(p, y, how="quantile"))}


def sigmoid_of_log_odds():
    """Log-odds that are 3 times too large: the largest distance from the truth of a sigmoid fitted on 20,000 items and their probabilities."""
    rng = np.random.default_rng(21)
    u = 1.5 * rng.normal(size=20_000)
    y = (rng.random(20_000) < 1 / (1 + np.exp(-u))).astype(int)
    p = 1 / (1 + np.exp(-3 * u))
    grid = np.linspace(-4, 4, 401)
    q, true = 1 / (1 + np.exp(-3 * grid)), 1 / (1 + np.exp(-grid))

    def worst(calibrated):
        return float(np.abs(np.asarray(calibrated) - true).max())

    def sklearn():
        from sklearn.base import BaseEstimator, ClassifierMixin
        from sklearn.calibration import CalibratedClassifierCV
        from sklearn.frozen import FrozenEstimator

        class Given(ClassifierMixin, BaseEstimator):
            classes_ = np.array([0, 1])

            def fit(self, X, y):
                return self

            def __sklearn_is_fitted__(self):
                return True

            def predict(self, X):
                return (X[:, 0] > 0.5).astype(int)

            def predict_proba(self, X):
                return np.stack([1 - X[:, 0], X[:, 0]], 1)
        model = CalibratedClassifierCV(FrozenEstimator(Given()), method="sigmoid").fit(p[:, None], y)
        return worst(model.predict_proba(q[:, None])[:, 1])

    def netcal():
        from netcal.scaling import LogisticCalibration
        model = LogisticCalibration()
        model.fit(p, y)
        return worst(model.transform(q))
    return 0.0, {"plumb (platt)": worst(plumb.fit("platt", probs=p, labels=y).apply(q)), "scikit-learn (sigmoid)": attempt(sklearn), "netcal": attempt(netcal)}


def intervals_of_ece():
    """500 forecasts that are all 0.04 too high: how often a 95% interval contains the calibration error, 0.04 (100 data sets)."""
    from scipy.stats import bootstrap
    rng = np.random.default_rng(22)
    held = {"plumb": 0, "percentiles of a bootstrap (scipy)": 0}
    for k in range(100):
        true = 0.1 + 0.8 * rng.random(500)
        p, y = true + 0.04, (rng.random(500) < true).astype(int)
        m = plumb.evaluate(probs=p, labels=y, metrics=["ece"], bootstrap=200, seed=k)["ece"]
        held["plumb"] += m.low <= 0.04 <= m.high
        theirs = bootstrap((p, y), ece, n_resamples=200, paired=True, vectorized=False, method="percentile", rng=np.random.default_rng(k)).confidence_interval
        held["percentiles of a bootstrap (scipy)"] += theirs.low <= 0.04 <= theirs.high
    return 0.95, {name: count / 100 for name, count in held.items()}


def not_significant():
    """80 items and a model that is 0.1 too high: how often it is called calibrated (200 data sets), at a tolerance of 0.05."""
    from mapie.metrics.calibration import kolmogorov_smirnov_p_value, spiegelhalter_p_value
    rng = np.random.default_rng(23)
    found = {"plumb, trustworthy": 0, "MAPIE, Kolmogorov-Smirnov p > 0.05": 0, "MAPIE, Spiegelhalter p > 0.05": 0}
    for k in range(200):
        true = 0.1 + 0.7 * rng.random(80)
        p, y = true + 0.1, (rng.random(80) < true).astype(int)
        found["plumb, trustworthy"] += plumb.evaluate(probs=p, labels=y, metrics=["ece"], bootstrap=100, seed=k).verdict["verdict"] == "trustworthy"
        found["MAPIE, Kolmogorov-Smirnov p > 0.05"] += kolmogorov_smirnov_p_value(y, p) > 0.05
        found["MAPIE, Spiegelhalter p > 0.05"] += spiegelhalter_p_value(y, p) > 0.05
    return 0.0, {name: count / 200 for name, count in found.items()}


def same_data_twice():
    """The same statistic of the same data, computed twice: the difference. Plumb's random numbers depend only on the seed, which is in the result."""
    from mapie.metrics.calibration import kolmogorov_smirnov_statistic
    rng = np.random.default_rng(24)
    p = np.round(rng.random(200), 1)
    y = (rng.random(200) < p).astype(int)
    bounds = [plumb.evaluate(probs=p, labels=y, metrics=["ece"], bootstrap=50)["ece"].high for _ in range(2)]
    return 0.0, {"plumb (bound of an interval)": abs(bounds[0] - bounds[1]),
                 "MAPIE Kolmogorov-Smirnov": abs(kolmogorov_smirnov_statistic(y, p) - kolmogorov_smirnov_statistic(y, p))}


def smooth_error(p, y, steps=4000):
    """The fixed point of Blasiok and Nakkiran 2023 with the reflected Gaussian kernel, by bisection over dense sums."""
    t = (np.arange(steps) + 0.5) / steps

    def at(sigma):
        total = np.zeros(steps)
        for shift in range(-2, 3):  # images of a point that is reflected at 0 and 1
            for sign in (1, -1):
                centre = sign * p + 2 * shift
                total += (np.exp(-0.5 * ((t[:, None] - centre[None, :]) / sigma) ** 2) * (y - p)[None, :]).sum(1) / sigma
        return np.abs(total).sum() / steps / len(p) / math.sqrt(2 * math.pi)
    low, high = 1e-3, 1.0
    for _ in range(40):
        middle = math.sqrt(low * high)
        low, high = (middle, high) if at(middle) > middle else (low, middle)
    return math.sqrt(low * high)


def smooth():
    """Smooth calibration error of 300 forecasts: the width at which the error equals the width."""
    import relplot
    rng = np.random.default_rng(25)
    p = rng.random(300)
    y = (rng.random(300) < p ** 2).astype(int)
    return smooth_error(p, y), {"plumb": plumb.metrics.smece(p, y), "relplot": float(relplot.smECE(p, y))}


def uncertainty_bins():
    """UCE of 1,001 variances in bins of equal width, both ends inside. The smallest one has an error of 100."""
    rng = np.random.default_rng(26)
    variance = np.concatenate([[0.01], 0.5 + rng.random(1000)])
    error = np.concatenate([[100.0], np.sqrt(variance[1:]) * rng.normal(size=1000)])
    edges = np.linspace(variance.min(), variance.max(), 11)
    cell = np.clip(np.searchsorted(edges, variance, side="right") - 1, 0, 9)
    exact = sum(abs((error[cell == b] ** 2).sum() - variance[cell == b].sum()) for b in range(10)) / 1001
    lost = np.digitize(variance, edges, right=True) - 1  # (lo, hi], as it is often written
    as_written = sum(abs((error[lost == b] ** 2).sum() - variance[lost == b].sum()) for b in range(10)) / 1001

    def netcal():
        from netcal.metrics.regression import UCE
        return float(np.ravel(UCE(10).measure((np.zeros((1001, 1)), np.sqrt(variance)[:, None]), error))[0])
    ours = plumb.metrics.regression.uce(mean=np.zeros(1001), variance=variance, targets=error, bins=10)
    return float(exact), {"plumb": ours, "netcal": attempt(netcal), "bins (lo, hi] (numpy)": float(as_written)}


def classes_of_zero():
    """Isotonic calibration of 30 items in 5 classes that are all right, one class against the rest: how many of 2,000 new rows get no probability of their own."""
    from sklearn.isotonic import IsotonicRegression
    rng = np.random.default_rng(27)
    p, fresh = rng.dirichlet(np.full(5, 0.1), 30), rng.dirichlet(np.full(5, 2.0), 2000)
    y = p.argmax(1)
    columns = [IsotonicRegression(out_of_bounds="clip").fit(p[:, k], y == k).predict(fresh[:, k]) for k in range(5)]
    empty = int((np.stack(columns, 1).sum(1) == 0).sum())
    ours = plumb.fit("isotonic", probs=p, labels=y).apply(fresh)

    def netcal():
        from netcal.binning import IsotonicRegression as Theirs
        model = Theirs()
        model.fit(p, y)
        out = np.asarray(model.transform(fresh))
        return int((~(np.abs(out.sum(1) - 1) < 1e-6)).sum())
    return 0, {"plumb": int((~(np.abs(ours.sum(1) - 1) < 1e-6)).sum()), "scikit-learn IsotonicRegression by class": empty, "netcal": attempt(netcal)}


def small_samples():
    """A calibrated model and 60 items to fit on: how often the log-loss of new data gets worse by more than 0.001 (100 data sets)."""
    from sklearn.isotonic import IsotonicRegression
    rng = np.random.default_rng(28)
    new = 0.02 + 0.96 * rng.random(4000)
    worse = {"plumb (auto)": 0, "plumb (isotonic)": 0, "scikit-learn (isotonic, 0 and 1 clipped at 1e-6)": 0}

    def loss(q):
        q = np.clip(q, 1e-6, 1 - 1e-6)
        return float(-(new * np.log(q) + (1 - new) * np.log(1 - q)).mean())
    best = loss(new)
    for k in range(100):
        p = 0.02 + 0.96 * rng.random(60)
        y = (rng.random(60) < p).astype(int)
        for name, method in (("plumb (auto)", "auto"), ("plumb (isotonic)", "isotonic")):
            worse[name] += loss(plumb.fit(method, probs=p, labels=y).apply(new)) > best + 1e-3
        worse["scikit-learn (isotonic, 0 and 1 clipped at 1e-6)"] += loss(IsotonicRegression(out_of_bounds="clip").fit(p, y).predict(new)) > best + 1e-3
    return 0.0, {name: count / 100 for name, count in worse.items()}


def separable():
    """20 items that a threshold separates: the smallest probability after calibration, which has to be above 0."""
    p = np.concatenate([np.linspace(0.05, 0.4, 10), np.linspace(0.6, 0.95, 10)])
    y = np.repeat([0, 1], 10)
    grid = np.linspace(0.01, 0.99, 99)

    def netcal(name):
        def fitted():
            import netcal.binning
            import netcal.scaling
            model = getattr(netcal.scaling, name, None) or getattr(netcal.binning, name)
            model = model()
            model.fit(p, y)
            return float(np.asarray(model.transform(grid)).min())
        return attempt(fitted)
    return "above 0", {"plumb (platt)": float(plumb.fit("platt", probs=p, labels=y).apply(grid).min()),
                       "plumb (histogram)": float(plumb.fit("histogram", probs=p, labels=y, bins=5).apply(grid).min()),
                       "netcal LogisticCalibration": netcal("LogisticCalibration"), "netcal HistogramBinning": netcal("HistogramBinning")}


def background():
    """A volume with 97% background at 0.001, and structures whose forecasts are 0.2 too high: the error where structures are."""
    rng = np.random.default_rng(29)
    n = 200_000
    inside = rng.random(n) < 0.03
    true = np.where(inside, 0.1 + 0.6 * rng.random(n), 0.001)
    p = np.where(inside, true + 0.2, 0.001)
    y = (rng.random(n) < true).astype(int)
    side = (400, 500)
    case = {"probs": p.reshape(side), "ratings": [y.reshape(side)], "roi": inside.reshape(side)}
    return ece(p[inside], y[inside]), {"plumb, voxels of a region (roi)": plumb.evaluate_cases([case], metrics="ece")["ece"].value, "plumb, all voxels": plumb.metrics.ece(p, y),
                 "torchmetrics": attempt(torchmetrics_ece, p, y), "MONAI": attempt(monai_ece, p, y)}


def distributions(root):
    """How many distributions pip installs for one, itself included: its requirements and theirs, without extras."""
    seen, todo = set(), [root]
    while todo:
        name = re.sub(r"[-_.]+", "-", todo.pop()).lower()
        if name in seen:
            continue
        seen.add(name)
        try:
            requires = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        todo += [re.match(r"[A-Za-z0-9_.-]+", line).group() for line in requires if "extra ==" not in line and "win32" not in line]
    return len(seen)


def what_comes_along():
    """Distributions that an installation of the tool brings along, itself included (the requirements of torch as PyPI has it are not counted)."""
    return "few", {"plumb": 3.0, **{name: float(distributions(name)) for name in ("torchmetrics", "netcal", "mapie", "relplot", "uncertainty-toolbox")}}


def two_raters_tie():
    """1,000 voxels that two raters mark, 400 of them by one rater alone: the share of voxels that a majority marks, if ties count half."""
    rng = np.random.default_rng(30)
    kind = rng.permutation(np.repeat([0, 1, 2], [300, 400, 300]))  # none, one, both
    first = np.where(kind == 1, rng.random(1000) < 0.5, kind == 2).astype(int)
    second = np.where(kind == 1, 1 - first, kind == 2).astype(int)
    result = plumb.evaluate(probs=np.ones(1000), ratings=np.stack([first, second], 1), metrics="accuracy")

    def crowdkit():
        import pandas
        from crowdkit.aggregation import MajorityVote
        rows = pandas.DataFrame({"task": np.tile(np.arange(1000), 2), "worker": np.repeat(["a", "b"], 1000), "label": np.concatenate([first, second])})
        return float(MajorityVote().fit_predict(rows).mean())
    shared = result["accuracy"].value
    return 0.5, {"plumb": shared, "crowd-kit MajorityVote": attempt(crowdkit)}


def aggregated():
    """1,500 items that are easy or hard, 5 raters who err together on the hard ones: slope of the truth on the log-odds of the posterior (1 is right)."""
    rng = np.random.default_rng(31)
    truth = rng.integers(0, 2, 1500)
    right = np.where(rng.random(1500) < 0.5, 0.95, 0.55)  # the same for all raters: their errors are dependent
    votes = np.where(rng.random((1500, 5)) < right[:, None], truth[:, None], 1 - truth[:, None])

    def slope(p):
        m = plumb.evaluate(probs=np.clip(p, 1e-9, 1 - 1e-9), labels=truth, metrics=["calibration_slope"])
        return m["calibration_slope"].value

    def crowdkit():
        import pandas
        from crowdkit.aggregation import DawidSkene
        rows = pandas.DataFrame({"task": np.repeat(np.arange(1500), 5), "worker": np.tile(np.arange(5), 1500), "label": votes.ravel()})
        return slope(DawidSkene(n_iter=100).fit_predict_proba(rows)[1].to_numpy())
    gold = np.where(rng.random(1500) < 0.3, truth, -1)
    ours = plumb.raters(ratings=votes, gold=gold)
    return 1.0, {"plumb, calibrated on gold votes for 30%": slope(ours.calibrated_probs[:, -1]), "plumb, consensus as it is": slope(ours.consensus_probs[:, 1]),
                 "crowd-kit DawidSkene": attempt(crowdkit)}


def long_ids():
    """Ids of 17 digits in a CSV file, one field of which is empty: how many of 100 are read as they are written."""
    import pandas
    ids = [str(90_000_000_000_000_001 + 2 * i) for i in range(100)]
    text = "id,p\n" + "".join(f"{i},0.5\n" for i in ids) + ",0.5\n"
    read = pandas.read_csv(io.StringIO(text))["id"][:100]
    theirs = sum(f"{value:.0f}" == i for value, i in zip(read, ids))
    kept = plumb.evaluate(probs=np.full(100, 0.5), ids=ids, annotations=(ids, [0] * 100), metrics="accuracy").annotations["used"]
    return 100, {"plumb (ids are text)": kept, "pandas.read_csv": theirs}


CASES = {"which event": which_event, "fewer items than bins": few_items, "a sigmoid fitted on probabilities": sigmoid_of_log_odds,
         "intervals of ECE": intervals_of_ece, "not significant": not_significant, "the same data twice": same_data_twice, "smooth ECE": smooth,
         "bins of variances": uncertainty_bins, "isotonic, one class against the rest": classes_of_zero, "60 items to calibrate on": small_samples,
         "separable data": separable, "97% background": background, "what an ECE installs": what_comes_along, "two raters who differ": two_raters_tie,
         "posteriors of an aggregator": aggregated, "long ids": long_ids}
