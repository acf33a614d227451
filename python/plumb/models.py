"""Calibrators: fitted, applied, saved."""
import json
import os

from plumb import _call
from plumb._core import core

_REGRESSION = {row["method"] for row in core.calibrators() if row["task"] == "regression"}


def calibrators():
    """The methods that ``fit`` takes: [{method, line, task}]."""
    return core.calibrators()


class Model:
    """A fitted calibrator, of probabilities or of variances. It can be pickled, saved, and shared between threads."""

    def __init__(self, fitted):
        self._core = fitted

    def apply(self, probs=None, *, logits=None, samples=None, sample_logits=None, mean=None, mean_samples=None, variance=None,
              std=None, aleatoric=None, epistemic=None, variance_samples=None, features=None, normalize=False, classes=None):
        """Calibrated probabilities (N x K, or N if the input has one column), or variances of a regression."""
        if self.task == "regression":
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
        groups=None, classes=None, features=None, mean=None, mean_samples=None, variance=None, std=None, aleatoric=None,
        epistemic=None, variance_samples=None, targets=None, errors=None, **options):
    """Fits a calibrator (``plumb calibrate fit``); "auto" chooses one by cross-validation.

    The arguments are those of :func:`plumb.evaluate`. Options: ``penalty`` (the command line's ``--lambda``), ``lambda_b``,
    ``lambda_w``, ``tune``, ``folds``, ``bins``, ``prior_votes``, ``weight_votes``, ``seed``, ``threads``; for variances
    ``per_output``, ``hidden``, ``hold_out``, ``score``, ``levels``, ``clip``. One that the method does not use is refused.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> z = rng.normal(size=2000)
    >>> y = rng.random(2000) < 1 / (1 + np.exp(-z))
    >>> model = plumb.fit("temperature", logits=3 * z, labels=y)
    >>> bool(abs(model.to_dict()["steps"][0]["parameters"]["T"]["values"][0] - 3) < 0.5)
    True
    """
    given = dict(locals())
    del given["options"], given["method"], given["after"]
    known = {"penalty", "lambda_b", "lambda_w", "tune", "folds", "bins", "prior_votes", "weight_votes", "seed", "threads",
             "per_output", "hidden", "hold_out", "score", "levels", "clip"}
    for name in options:
        if name not in known:
            raise TypeError(f"fit() has no argument {name}=")
    columns = {name: value for name, value in given.items() if value is not None}
    columns["progress"] = _call.bar(progress)
    if method in _REGRESSION:
        return Model(core.fit_regression(method, columns, options))
    columns["annotations"] = _call.judgements(annotations)
    columns["classes"] = _call.class_list(classes)
    return Model(core.fit(method, columns, options, None if after is None else after._core))


def load(path):
    """A model that ``save()`` or ``plumb calibrate fit -o`` wrote."""
    return Model(core.Model.load(os.fspath(path)))
