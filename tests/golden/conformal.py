"""Golden values of split-conformal sets and of conformalized quantile regression, from MAPIE 1.6.0 (PyPI).

python3 tests/golden/conformal.py > tests/golden/conformal.json, in an environment with mapie and scikit-learn. The data are
made by formulas, so that any program can make them.
"""
import json

import numpy as np
from mapie.classification import SplitConformalClassifier
from mapie.regression import ConformalizedQuantileRegressor
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin


def parts(n, *steps):
    i = np.arange(n)
    return [(i * step + 0.1) % 1 for step in steps]


def probabilities(n):
    a, b, c = parts(n, 0.6180339887498949, 0.7548776662466927, 0.5698402909980532)
    z = np.exp(3 * np.stack([a, b, c], axis=1))
    return z / z.sum(axis=1, keepdims=True)


def labels(z):
    (u,) = parts(len(z), 0.8191725133961645)
    return (u[:, None] > np.cumsum(z ** 0.7 / (z ** 0.7).sum(axis=1, keepdims=True), axis=1)).sum(axis=1)


class Given(ClassifierMixin, BaseEstimator):
    """Its features are its probabilities."""

    classes_ = np.arange(3)
    n_features_in_ = 3

    def __sklearn_is_fitted__(self):
        return True

    def fit(self, x, y):
        return self

    def predict_proba(self, x):
        return x

    def predict(self, x):
        return x.argmax(axis=1)


class Column(RegressorMixin, BaseEstimator):
    """Predicts one of its features."""

    def __init__(self, k=0):
        self.k = k

    def __sklearn_is_fitted__(self):
        return True

    def fit(self, x, y):
        return self

    def predict(self, x):
        return x[:, self.k]


z = probabilities(300)
y = labels(z)
fit, new = slice(0, 199), slice(199, 300)
out = {}
for level in (0.8, 0.9):  # aps of MAPIE is randomised
    model = SplitConformalClassifier(Given(), confidence_level=level, prefit=True, conformity_score="lac")
    model.conformalize(z[fit], y[fit])
    out[f"lac {level}"] = ["".join(str(int(x)) for x in row) for row in model.predict_set(z[new])[1][:, :, 0]]

m, w = parts(300, 0.6180339887498949, 0.7548776662466927)
low, high = 5 * m - 0.8, 5 * m + 0.8
target = 5 * m + 3 * (w - 0.5)
x = np.stack([low, high, 5 * m], axis=1)
model = ConformalizedQuantileRegressor([Column(0), Column(1), Column(2)], confidence_level=0.8, prefit=True)
model.conformalize(x[fit], target[fit])
interval = model.predict_interval(x[new], symmetric_correction=True)[1][:, :, 0]
out["cqr 0.8"] = [[float(a), float(b)] for a, b in interval]
print("{" + ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in out.items()) + "}")
