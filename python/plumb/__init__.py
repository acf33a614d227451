"""Can a model's probabilities be trusted?

    >>> import numpy as np, plumb
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(4000)
    >>> y = rng.random(4000) < p
    >>> result = plumb.evaluate(probs=p, labels=y, bootstrap=100)
    >>> result["ece"].value < 0.05
    True
    >>> result.verdict["verdict"]
    'trustworthy'

Arrays are numpy arrays, objects that expose their memory (buffers, DLPack), or data frames. Everything is computed by the
library behind the command ``plumb``: the same data give the same bits.
"""
from plumb._core import version as __version__

# Where each name is; its module is loaded when the name is first used, so that importing plumb costs a few milliseconds.
_HOMES = {
    "cases": ("evaluate_cases",),
    "functions": ("audit", "compare", "demo", "evaluate", "merge", "raters", "stability", "uncertainty"),
    "models": ("Model", "calibrators", "cross_fit", "fit", "load"),
    "result": ("Metric", "Plot", "Result", "report"),
    "streaming": ("Accumulator", "RegressionAccumulator"),
    "": ("metrics", "train"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}
_MODULES = ("cases", "dask", "functions", "metrics", "models", "result", "sklearn", "spark", "streaming", "torch", "torchmetrics", "train")

__all__ = ["Accumulator", "Metric", "Model", "Plot", "RegressionAccumulator", "Result", "audit", "calibrators", "compare",
           "cross_fit", "demo", "evaluate", "evaluate_cases", "fit", "load", "merge", "metrics", "raters", "report", "scorer",
           "stability", "train", "uncertainty"]


def __getattr__(name):
    from importlib import import_module
    if _HOME.get(name):
        value = globals()[name] = getattr(import_module(f"plumb.{_HOME[name]}"), name)
        return value
    if name in _MODULES:
        return import_module(f"plumb.{name}")
    raise AttributeError(f"module 'plumb' has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})



def scorer(metric, **options):
    """A scorer for scikit-learn's cross-validation and searches, larger for better models: ``plumb.scorer("ece", bins=10)``.

    See :func:`plumb.sklearn.scorer`.
    """
    from plumb.sklearn import scorer as make
    return make(metric, **options)
