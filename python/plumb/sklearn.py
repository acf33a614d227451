"""Calibrators for scikit-learn.

:class:`Calibrator` and its subclasses (``Temperature``, ``Platt``, ``Dirichlet``, ..., ``Auto``) are fitted on N x K
probabilities or logits. :class:`CalibratedClassifierCV` calibrates any classifier by cross-validation, with the class and the
arguments of scikit-learn's own, and any method of plumb.

>>> import numpy as np
>>> from sklearn.linear_model import LogisticRegression
>>> rng = np.random.default_rng(0)
>>> X = rng.normal(size=(600, 3))
>>> y = (X[:, 0] + rng.normal(size=600) > 0).astype(int)
>>> model = CalibratedClassifierCV(LogisticRegression(C=1e4), method="temperature", cv=3).fit(X, y)
>>> model.predict_proba(X[:2]).shape
(2, 2)
"""
import warnings

try:
    import sklearn
except ImportError as error:
    raise ImportError(f"plumb.sklearn needs scikit-learn, which cannot be imported ({error}); run: pip install scikit-learn") from None

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, TransformerMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import check_cv
from sklearn.preprocessing import LabelEncoder
from sklearn.utils import _safe_indexing, get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (_check_method_params, _check_sample_weight, check_array, check_consistent_length, check_is_fitted, column_or_1d,
                                      has_fit_parameter)

import plumb
from plumb._display import CalibrationDisplay  # noqa: F401


class Calibrator(TransformerMixin, BaseEstimator):
    """A calibrator of class probabilities.

    ``fit(X, y)`` takes N x K probabilities, or logits with ``logits=True`` (N numbers or N x 1: of class 1), and labels;
    ``counts=`` takes N x K votes instead of labels. ``transform(X)`` and ``predict_proba(X)`` are the calibrated
    probabilities, N x K (two columns for a binary task).
    """

    def __init__(self, method="auto", *, logits=False, options=None):
        self.method = method
        self.logits = logits
        self.options = options

    def fit(self, X, y=None, sample_weight=None, groups=None, counts=None):
        X = self._predictions(X)
        if (y is None) == (counts is None):
            raise ValueError("give labels y, or counts=")
        columns = {"weights": sample_weight, "groups": groups}
        self.n_features_in_ = 1 if X.ndim == 1 else X.shape[1]
        width = 2 if X.ndim == 1 else X.shape[1]
        if counts is not None:
            self.classes_ = np.arange(width)
            columns["counts"] = counts
        else:
            y = column_or_1d(y, warn=True)
            check_classification_targets(y)
            check_consistent_length(X, y)
            encoder = LabelEncoder().fit(y)
            self.classes_, columns["labels"] = encoder.classes_, encoder.transform(y)
            if len(self.classes_) != width:
                if y.dtype.kind not in "iuf" or y.min() < 0 or y.max() >= width:
                    raise ValueError(f"y has {len(self.classes_)} classes but X has {width} columns")
                self.classes_, columns["labels"] = np.arange(width), y.astype(np.int64)  # some class was not seen
        self.model_ = plumb.fit(self.method, **{self._kind(): X}, **columns, **(self.options or {}))
        return self

    def transform(self, X):
        check_is_fitted(self, "model_")
        X = self._checked(X)
        width = 1 if X.ndim == 1 else X.shape[1]
        if X.ndim == 1 and self.n_features_in_ > 1:
            raise ValueError("Expected 2D array, got 1D array instead. Reshape your data: a row for each item, with a column for "
                             f"each of the {self.n_features_in_} classes.")
        if width != self.n_features_in_:
            raise ValueError(f"X has {width} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input")
        out = self.model_.apply(**{self._kind(): self._predictions(X)})
        return np.stack([1 - out, out], axis=1) if out.ndim == 1 else out

    def predict_proba(self, X):
        return self.transform(X)

    def predict(self, X):
        check_is_fitted(self, "model_")
        return self.classes_[np.argmax(self.transform(X), axis=1)]

    def _kind(self):
        return "logits" if self.logits else "probs"

    def _checked(self, X):
        return check_array(X, ensure_2d=False, dtype=[np.float64, np.float32])

    def _predictions(self, X):
        X = self._checked(X)
        return X[:, 0] if X.ndim == 2 and X.shape[1] == 1 else X


def _named(name, method, line):
    def __init__(self, *, logits=False, options=None):
        Calibrator.__init__(self, method, logits=logits, options=options)
    out = type(name, (Calibrator,), {"__init__": __init__, "__doc__": f"``Calibrator(\"{method}\")``: {line}.",
                                     "__module__": __name__})
    return out


_BINARY = {row["method"] for row in plumb.calibrators() if row["task"] == "binary"}
_CLASSES = {row["method"]: "".join(part.capitalize() for part in row["method"].split("-"))
            for row in plumb.calibrators() if row["task"] != "regression" and row["method"] != "alpha"}
for _row in plumb.calibrators():
    if _row["method"] in _CLASSES and _row["method"] != "none":
        globals()[_CLASSES[_row["method"]]] = _named(_CLASSES[_row["method"]], _row["method"], _row["line"])


def _method_of(estimator):
    """The predictions of the classifier: probabilities, otherwise scores of the decision function, taken as logits."""
    for name, logits in (("predict_proba", False), ("decision_function", True)):
        if hasattr(estimator, name):
            return name, logits
    raise AttributeError(f"{type(estimator).__name__} has neither predict_proba nor decision_function")


class CalibratedClassifierCV(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """A classifier with calibrated probabilities.

    In each of ``cv`` folds the estimator is fitted on the rest and the fold's predictions are kept; the calibrator is fitted
    on all of these out-of-fold predictions, and the estimator once more on everything (scikit-learn's ``ensemble=False``).
    ``cv="prefit"``, or a fitted ``FrozenEstimator``, calibrates the estimator as it is on all of the data.

    ``method`` is a name of ``plumb.calibrators()``; "auto" chooses by cross-validation. ``options`` are those of
    ``plumb.fit``. ``groups`` keep a patient's or an image's rows in one fold, and are the unit of the calibrator's splits.

    ``sample_weight`` goes to the calibrator, and to the estimator if its ``fit`` takes it. With scikit-learn's metadata routing
    enabled, the estimator and the splitter get what they request.
    """

    def __init__(self, estimator=None, *, method="auto", cv=None, options=None):
        self.estimator = estimator
        self.method = method
        self.cv = cv
        self.options = options

    def fit(self, X, y, sample_weight=None, groups=None, **fit_params):
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        X, y = indexable(X, y)
        base = self._base()
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X)
        inner, splits = self._routed(base, sample_weight, groups, fit_params)
        encoder = LabelEncoder().fit(y)
        self.classes_ = encoder.classes_
        if len(self.classes_) < 2:
            raise ValueError(f"a classifier needs two or more classes, and y has {len(self.classes_)} class"
                             f"{'' if len(self.classes_) == 1 else 'es'} in {len(y)} items")
        if len(self.classes_) > 2 and self.method in _BINARY:
            raise ValueError("Only binary classification is supported. The type of the target is multiclass. (The method "
                             f"{self.method} is for two classes and y has {len(self.classes_)}: use temperature or dirichlet.)")
        labels = encoder.transform(y)
        if self.cv == "prefit" or type(base).__name__ == "FrozenEstimator":
            self.estimator_ = base
            self._name, self._logits = _method_of(base)
            scores = self._scores(base, X)
        else:
            scores = self._out_of_fold(base, X, y, labels, inner, splits)
            self.estimator_ = clone(base).fit(X, y, **inner)
        self.calibrator_ = plumb.fit(self.method, **{"logits" if self._logits else "probs": scores}, labels=labels,
                                     weights=sample_weight, groups=groups, normalize=not self._logits, **(self.options or {}))
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    def _base(self):
        return LogisticRegression() if self.estimator is None else self.estimator

    def _routed(self, base, sample_weight, groups, fit_params):
        """What the estimator's fit and the splitter's split are given."""
        given = {name: value for name, value in (("sample_weight", sample_weight), ("groups", groups)) if value is not None}
        if sklearn.get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", **given, **fit_params)
            return routed.estimator.fit, {"groups": groups, **routed.splitter.split}
        inner = dict(fit_params)
        if sample_weight is not None and has_fit_parameter(base, "sample_weight"):
            inner["sample_weight"] = sample_weight
        elif sample_weight is not None:
            warnings.warn(f"{type(base).__name__} does not take sample_weight in fit, so the weights are used for its calibration "
                          "only", stacklevel=3)
        return inner, {"groups": groups}

    def get_metadata_routing(self):
        fits = MethodMapping().add(caller="fit", callee="fit")
        splits = MethodMapping().add(caller="fit", callee="split")
        return (MetadataRouter(owner=type(self).__name__).add_self_request(self)
                .add(estimator=self._base(), method_mapping=fits)
                .add(splitter=None if isinstance(self.cv, str) else self.cv, method_mapping=splits))

    def _out_of_fold(self, base, X, y, labels, inner, splits):
        groups = splits["groups"]
        counts = np.bincount(labels)
        cv = check_cv(self.cv, labels, classifier=True)
        folds = cv.get_n_splits(X, labels, groups)
        if groups is None and isinstance(self.cv, (int, type(None))) and counts.min() < folds:
            raise ValueError(f"cv={folds} folds need {folds} items of every class, and class {self.classes_[counts.argmin()]!r} "
                             f"has {counts.min()}")
        scores = None
        for train, test in cv.split(X, labels, **splits):
            part = _check_method_params(X, inner, indices=train)
            fitted = clone(base).fit(_safe_indexing(X, train), _safe_indexing(y, train), **part)
            self._name, self._logits = _method_of(fitted)
            found = self._scores(fitted, _safe_indexing(X, test))
            if scores is None:
                scores = np.full((len(labels), *found.shape[1:]), np.nan)
            scores[test] = found
        if np.isnan(scores).any():
            raise ValueError("the folds of cv do not cover every item once, so not every item has an out-of-fold prediction")
        return scores

    def _scores(self, fitted, X):
        """In the order of all classes; a class that is missing in a fold gets the smallest score of that fold."""
        found = np.asarray(getattr(fitted, self._name)(X), dtype=np.float64)
        if found.ndim == 1 or len(fitted.classes_) == len(self.classes_):
            return found
        low = found.min(axis=1, keepdims=True) - 10 if self._logits else 0
        out = np.zeros((len(found), len(self.classes_))) + low
        out[:, np.searchsorted(self.classes_, fitted.classes_)] = found
        return out

    def predict_proba(self, X):
        check_is_fitted(self, "calibrator_")
        scores = self._scores(self.estimator_, X)
        kind = "logits" if self._logits else "probs"
        out = self.calibrator_.apply(**{kind: scores}, normalize=not self._logits)
        return np.stack([1 - out, out], axis=1) if out.ndim == 1 else out

    def predict(self, X):
        check_is_fitted(self, "calibrator_")
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = get_tags(self._base())
        tags.classifier_tags.multi_class = self.method not in _BINARY
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.pairwise = inner.input_tags.pairwise
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        return tags


def scorer(metric, **options):
    """A scorer for cross-validation and searches, larger for better models: ``scorer("ece", bins=10)``.

    The classifier's ``predict_proba`` is judged. Metrics whose smaller values are better change their sign; those with an
    ideal value count their distance from it.
    """
    row = next((row for row in plumb.metrics.registry if row["key"] == metric), None)
    function = getattr(plumb.metrics, metric, None)
    if row is None or function is None:
        raise ValueError(f"there is no metric {metric!r}; plumb.metrics.registry lists them")

    def score(estimator, X, y, sample_weight=None):
        labels = np.searchsorted(estimator.classes_, y)
        value = function(estimator.predict_proba(X), labels, weights=sample_weight, **options)
        return {"higher": value, "zero": -abs(value), "one": -abs(value - 1)}.get(row["better"], -value)
    score.__name__ = f"plumb_{metric}"
    return score
