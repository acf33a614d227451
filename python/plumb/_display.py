"""scikit-learn's CalibrationDisplay with the uncertainty of the curve."""
import numpy as np
from sklearn.calibration import CalibrationDisplay as _Display
from sklearn.utils.validation import column_or_1d

import plumb


class CalibrationDisplay(_Display):
    """A reliability diagram with a consistency band and intervals, in place of scikit-learn's.

    ``from_estimator(estimator, X, y)`` and ``from_predictions(y_true, y_prob)`` have the arguments of scikit-learn's class, and
    ``sample_weight``, ``groups`` (the unit of resampling), ``bootstrap`` (replicates; 0: no band, no intervals) and ``level``.
    The band shows where the points of a calibrated model lie; a point outside is a sign of miscalibration. Its bars are
    simultaneous intervals of the observed frequency: they hold for all points at once. ``result_`` is the evaluation behind it,
    with the ECE, its interval and the verdict.

    ``plot(band=False, intervals=False)`` leaves either out. All else goes to matplotlib, which only plotting needs.
    """

    def __init__(self, prob_true, prob_pred, y_prob, *, estimator_name=None, pos_label=None, band=None, intervals=None,
                 result=None):
        super().__init__(prob_true, prob_pred, y_prob, estimator_name=estimator_name, pos_label=pos_label)
        self.band = band
        self.intervals = intervals
        self.result_ = result

    def plot(self, *, ax=None, name=None, ref_line=True, band=True, intervals=True, **kwargs):
        super().plot(ax=ax, name=name, ref_line=ref_line, **kwargs)
        colour = self.line_.get_color()
        self.band_ = self.intervals_ = None
        if band and self.band is not None:
            self.band_ = self.ax_.fill_between(self.prob_pred, *self.band, color=colour, alpha=0.15, linewidth=0)
        if intervals and self.intervals is not None:
            low, high = self.intervals
            self.intervals_ = self.ax_.errorbar(self.prob_pred, self.prob_true, fmt="none", ecolor=colour, capsize=2,
                                                yerr=np.clip([self.prob_true - low, high - self.prob_true], 0, None))
        return self

    @classmethod
    def from_predictions(cls, y_true, y_prob, *, n_bins=5, strategy="uniform", pos_label=None, name=None, ax=None, ref_line=True,
                         sample_weight=None, groups=None, bootstrap=200, level=0.95, seed=0, **kwargs):
        if strategy not in ("uniform", "quantile"):
            raise ValueError(f"strategy takes \"uniform\" or \"quantile\", not {strategy!r}")
        y_true, y_prob = column_or_1d(y_true), column_or_1d(y_prob)
        pos_label = _positive(y_true, pos_label)
        about = dict(weights=sample_weight, groups=groups, bootstrap=bootstrap, level=level, seed=seed)
        happened = y_true == pos_label
        result = plumb.evaluate(probs=y_prob, labels=happened, bins=n_bins, metrics=["ece"],
                                binning={"uniform": "width", "quantile": "mass"}[strategy], **about)
        table = result.tables["reliability"]
        rows = [row for row in table if row["items"] > 0]
        column = lambda key: np.array([row[key] for row in rows])  # noqa: E731
        band = intervals = None
        if bootstrap:
            band = column("band_low"), column("band_high")
            lows = np.array([row["low"] for row in table[1:]])
            intervals = _frequencies(happened, np.searchsorted(lows, y_prob, side="right"), about)
        display = cls(column("mean_y"), column("mean_p"), y_prob, estimator_name=name, pos_label=pos_label, band=band,
                      intervals=intervals, result=result)
        return display.plot(ax=ax, ref_line=ref_line, **kwargs)


def _positive(y_true, pos_label):
    found = np.unique(y_true)
    if pos_label is not None:
        if pos_label not in found and len(found):
            raise ValueError(f"pos_label={pos_label!r} is not among the labels {found.tolist()!r:.80}")
        return pos_label
    if len(found) > 2 or not set(found.tolist()) <= {0, 1} and not set(found.tolist()) <= {-1, 1}:
        raise ValueError(f"y_true has the labels {found.tolist()!r:.80}; say which is the positive one with pos_label=")
    return 1


def _frequencies(happened, bins, about):
    """Bounds of the observed frequency by bin, NaN where a bin has too few items: the accuracy of a model that always says yes."""
    shares = plumb.evaluate(probs=np.ones(len(happened)), labels=happened, by={"bin": bins}, metrics=["accuracy"], **about)
    bounds = {int(row["group"]): row.get("intervals", {}).get("accuracy", {}) for row in shares.per_group}
    several = len(bounds) > 1
    low, high = ("simultaneous_low", "simultaneous_high") if several else ("low", "high")
    return tuple(np.array([bounds[b].get(side) for b in sorted(bounds)], dtype=float) for side in (low, high))
