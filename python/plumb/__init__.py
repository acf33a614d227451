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
from plumb.functions import compare, evaluate, stability, uncertainty
from plumb.models import Model, calibrators, fit, load
from plumb.result import Metric, Plot, Result, report
from plumb.streaming import Accumulator, RegressionAccumulator
from plumb import metrics, train

__all__ = ["Accumulator", "Metric", "Model", "Plot", "RegressionAccumulator", "Result", "calibrators", "compare", "evaluate",
           "fit", "load", "metrics", "report", "scorer", "stability", "train", "uncertainty"]


def scorer(metric, **options):
    """A scorer for scikit-learn's cross-validation and searches, larger for better models: ``plumb.scorer("ece", bins=10)``.

    See :func:`plumb.sklearn.scorer`.
    """
    from plumb.sklearn import scorer as make
    return make(metric, **options)
