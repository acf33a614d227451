"""Calibrators: fitted, applied, saved."""
import json
import os

from plumb import _call
from plumb._core import core

_REGRESSION = {row["method"] for row in core.calibrators() if row["task"] == "regression"}
# What they take besides the data; other methods take those of the last two lines of _KNOWN, and refuse what they do not use.
_OWN = {"sets": {"set_score", "levels", "penalty", "by_class", "seed", "threads"}, "risk-control": {"levels", "threads"},
        "multigroup": {"cut", "cross", "rounds", "level", "seed", "threads"}, "cqr": set()}
_KNOWN = {"set_score", "by_class", "cut", "cross", "rounds", "level",
          "penalty", "lambda_b", "lambda_w", "tune", "folds", "bins", "prior_votes", "weight_votes", "seed", "threads",
          "per_output", "hidden", "hold_out", "score", "levels", "clip"}


def calibrators():
    """The methods that ``fit`` takes: [{method, line, task}]."""
    return core.calibrators()


class Model:
    """A fitted calibrator, of probabilities or of variances. It can be pickled, saved, and shared between threads."""

    def __init__(self, fitted):
        self._core = fitted

    def apply(self, probs=None, *, logits=None, samples=None, sample_logits=None, mean=None, mean_samples=None, variance=None,
              std=None, aleatoric=None, epistemic=None, variance_samples=None, quantiles=None, within=None, features=None,
              normalize=False, classes=None, by=None, level=None):
        """Calibrated probabilities (N x K, or N if the input has one column), variances of a regression, or quantiles (N x Q).

        A model of sets gives N x K booleans; ``level`` chooses one of its levels, and ``by`` gives the slices of one that was
        fitted by slice. One that repairs groups (multigroup) takes them as ``by``.
        """
        kind = core.model_kind(self._core)
        if kind == "quantiles":
            return core.apply_quantiles(self._core, dict(quantiles=quantiles, within=within))
        if quantiles is not None or within is not None:
            raise TypeError("quantiles= and within= are for models of the method \"cqr\"")
        if kind in ("sets", "multigroup"):
            columns = dict(probs=probs, logits=logits, samples=samples, sample_logits=sample_logits, normalize=normalize,
                           classes=_call.class_list(classes), by=_call.slices(by))
            if kind == "multigroup":
                return core.apply_groups(self._core, columns)
            return core.sets(self._core, columns, level).astype(bool)
        if by is not None or level is not None:
            raise TypeError(f"{'by' if level is None else 'level'}= is for models of sets or of named groups")
        if kind == "variances":
            return self._core.apply_regression(
                dict(mean=mean, mean_samples=mean_samples, variance=variance, std=std, aleatoric=aleatoric,
                     epistemic=epistemic, variance_samples=variance_samples))
        return self._calibrated(probs, logits, samples, sample_logits, features, normalize, classes)[0]

    def concentration(self, probs=None, *, logits=None, samples=None, sample_logits=None, features=None, normalize=False,
                      classes=None):
        """Dirichlet alpha_0 of each item, of a model whose last step is "alpha"."""
        alpha = self._calibrated(probs, logits, samples, sample_logits, features, normalize, classes)[1]
        if alpha is None:
            raise ValueError("the model gives no concentration; fit an \"alpha\" step after it")
        return alpha

    def disagreement(self, probs=None, *, logits=None, samples=None, sample_logits=None, features=None, normalize=False):
        """The probability that two raters disagree, for each item (``plumb calibrate apply --disagreement``)."""
        return self._core.disagreement(dict(probs=probs, logits=logits, samples=samples, sample_logits=sample_logits,
                                            features=features, normalize=normalize))

    def _calibrated(self, probs, logits, samples, sample_logits, features, normalize, classes):
        return self._core.apply(dict(probs=probs, logits=logits, samples=samples, sample_logits=sample_logits,
                                     features=features, normalize=normalize, classes=_call.class_list(classes)))

    def intervals(self, *, level=0.95, **columns):
        """(low, high): where the targets of a regression lie with this probability."""
        return self._core.intervals(columns, level)

    def to_dict(self):
        """Task, classes, steps with their parameters and the outcome of the fit."""
        return json.loads(self._core.to_bytes())

    @property
    def task(self):
        return self.to_dict()["task"]

    def save(self, path):
        """The file that ``plumb calibrate apply`` and plumb/apply.hpp read; it appears complete or not at all."""
        self._core.save(os.fspath(path))

    def to_bytes(self):
        return self._core.to_bytes()

    def to_onnx(self):
        """The bytes of an .onnx file."""
        return self._core.to_onnx()

    @classmethod
    def from_bytes(cls, model):
        return cls(core.Model.from_bytes(bytes(model)))

    def __reduce__(self):
        return Model.from_bytes, (self.to_bytes(),)

    def __repr__(self):
        found = self.to_dict()
        return f"<plumb model: {' then '.join(step['method'] for step in found['steps'])}, {found['task']}>"


def fit(method="auto", *, after=None, progress=None, probs=None, logits=None, samples=None, sample_logits=None,
        normalize=False, labels=None, counts=None, ratings=None, annotations=None, duplicates="last", ids=None, weights=None,
        groups=None, by=None, classes=None, features=None, mean=None, mean_samples=None, variance=None, std=None, aleatoric=None,
        epistemic=None, variance_samples=None, targets=None, errors=None, quantiles=None, quantile_levels=None, within=None,
        states=None, **options):
    """Fits a calibrator (``plumb calibrate fit``); "auto" chooses one by cross-validation.

    The arguments are those of :func:`plumb.evaluate`. Options: ``penalty`` (the command line's ``--lambda``), ``lambda_b``,
    ``lambda_w``, ``tune``, ``folds``, ``bins``, ``prior_votes``, ``weight_votes``, ``seed``, ``threads``; for variances
    ``per_output``, ``hidden``, ``hold_out``, ``score``, ``levels``, ``clip``. One that the method does not use is refused.

    Methods with a guarantee: "sets" (``set_score``, ``levels``, ``penalty``, ``by_class``, ``by``), "risk-control" (``levels``; the
    case of each row as ``groups``) and, for quantiles, "cqr" (``quantiles``, ``quantile_levels``, ``targets``, ``within``).
    "multigroup" repairs named groups (``by``, ``cut``, ``cross``, ``rounds``, ``level``). ``states`` (bytes or paths, as
    :func:`plumb.merge` takes them) stand for data that no machine has all of.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> z = rng.normal(size=2000)
    >>> y = rng.random(2000) < 1 / (1 + np.exp(-z))
    >>> model = plumb.fit("temperature", logits=3 * z, labels=y)
    >>> bool(abs(model.to_dict()["steps"][0]["parameters"]["T"]["values"][0] - 3) < 0.5)
    True
    """
    columns, options, previous = _split("fit", dict(locals()))
    if states is not None:
        return Model(core.fit_states(method, [_call.state_bytes(state) for state in states], options))
    if method == "sets":
        return Model(core.fit_sets(columns, options, previous))
    if method == "risk-control":
        return Model(core.fit_risk_control(columns, options))
    if method == "multigroup":
        return Model(core.fit_multigroup(columns, options, 0))
    if method == "cqr":
        return Model(core.fit_cqr(columns))
    if _is_regression(method, columns):
        return Model(core.fit_regression(method, columns, options))
    return Model(core.fit(method, columns, options, previous))


def cross_fit(method, folds, *, after=None, progress=None, probs=None, logits=None, samples=None, sample_logits=None,
              normalize=False, labels=None, counts=None, ratings=None, annotations=None, duplicates="last", ids=None, weights=None,
              groups=None, by=None, classes=None, features=None, mean=None, mean_samples=None, variance=None, std=None,
              aleatoric=None, epistemic=None, variance_samples=None, targets=None, errors=None, **options):
    """Out-of-fold probabilities or variances: each item is calibrated by a fit without it (``plumb calibrate fit --cross-fit``).

    One data set then serves to calibrate and to evaluate. Splits are by group if given, otherwise by item. The arguments are those
    of :func:`plumb.fit`.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> z = rng.normal(size=2000)
    >>> y = rng.random(2000) < 1 / (1 + np.exp(-z))
    >>> p = plumb.cross_fit("temperature", 5, logits=3 * z, labels=y)
    >>> plumb.metrics.ece(p, y) < plumb.metrics.ece(1 / (1 + np.exp(-3 * z)), y)
    True
    """
    columns, options, previous = _split("cross_fit", dict(locals()))
    if not isinstance(folds, int) or not 2 <= folds <= 1000:
        raise ValueError(f"folds is a whole number from 2 to 1000, not {folds!r}")
    if method in ("sets", "risk-control", "cqr"):
        raise ValueError(f"the method {method!r} gives no probabilities to cross-fit")
    if method == "multigroup":
        return core.fit_multigroup(columns, options, folds)
    if _is_regression(method, columns):
        return core.cross_fit_regression(method, columns, options, folds)
    return core.cross_fit(method, columns, options, previous, folds)


def _is_regression(method, columns):
    return method in _REGRESSION or (method == "auto" and any(name in columns for name in ("mean", "mean_samples", "errors")))


def _split(function, given):
    """Columns, options, and the compiled model whose steps come first."""
    options, method, after = given.pop("options"), given.pop("method"), given.pop("after")
    given.pop("folds", None), given.pop("states", None)
    for name in options:
        if name not in _KNOWN:
            raise TypeError(f"{function}() has no argument {name}=")
        if name not in _OWN.get(method, _KNOWN):
            raise TypeError(f"the method {method!r} has no option {name}=")
    columns = {name: value for name, value in given.items() if value is not None}
    if columns.get("by") is not None and method not in ("sets", "multigroup"):
        raise TypeError(f"by= has no effect on the method {method!r}; it is for sets and multigroup")
    if any(name in columns for name in ("quantiles", "quantile_levels", "within")) and method != "cqr":
        raise TypeError("quantiles=, quantile_levels= and within= are for the method 'cqr'")
    if after is not None and method in ("risk-control", "multigroup", "cqr"):
        raise TypeError(f"after= has no effect on the method {method!r}")
    columns["progress"] = _call.bar(columns.get("progress"))
    columns["by"] = _call.slices(columns.get("by"))
    columns["annotations"] = _call.judgements(columns.get("annotations"))
    columns["classes"] = _call.class_list(columns.get("classes"))
    return columns, {**options, **_call.cuts(options.pop("cut", None))}, None if after is None else after._core


def load(path):
    """A model that ``save()`` or ``plumb calibrate fit -o`` wrote."""
    return Model(core.Model.load(os.fspath(path)))
