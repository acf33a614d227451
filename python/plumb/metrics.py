"""Every metric of the registry as a function: ``plumb.metrics.ece(p, y)``.

The arguments are those of :func:`plumb.evaluate`: probabilities and labels come first, all else by keyword (``logits=``,
``counts=``, ``ratings=``, ``weights=``, ``bins=``, ...). The value is a float; a metric that is undefined for the data
raises ValueError with the reason. The metrics of a regression are in ``plumb.metrics.regression``.

>>> plumb.metrics.brier([0.25, 0.75, 0.75, 0.5], [0, 1, 0, 1])
0.234375
"""
import inspect
import types

from plumb._core import core

_metric, _regression_metric = core.metric, core.regression_metric
_NEEDS = {"votes": "", "pairs": " Needs two votes on some item (counts= or ratings=).",
          "truth": " Needs the true probabilities (truth=)."}
_BETTER = {"lower": "Lower is better.", "higher": "Higher is better.", "zero": "0 is ideal.", "one": "1 is ideal.", "neither": ""}


def _parameters(positional, keywords, **defaults):
    P = inspect.Parameter
    return inspect.Signature([P(n, P.POSITIONAL_OR_KEYWORD, default=None) for n in positional] +
                             [P(n, P.KEYWORD_ONLY, default=None) for n in keywords] +
                             [P(n, P.KEYWORD_ONLY, default=v) for n, v in defaults.items()], return_annotation=float)


_SIGNATURE = _parameters(
    ("probs", "labels"), ("logits", "samples", "sample_logits", "counts", "ratings", "annotations", "ids", "weights", "truth",
                          "concentration", "groups", "classes"),
    normalize=False, duplicates="last", bins=15, binning="width", ties="half", clip=0.0, bandwidth="auto", leave_out="vote",
    curve="loess", bootstrap=0, seed=0, threads=0)
_REGRESSION_SIGNATURE = _parameters(
    ("mean", "variance", "targets"), ("std", "mean_samples", "aleatoric", "epistemic", "variance_samples", "errors", "weights",
                                      "groups", "range"), bins=15, clip=0.0, bootstrap=0, seed=0, threads=0)


def _finish(function, row, signature, module):
    function.__name__ = function.__qualname__ = row["key"]
    function.__module__ = module
    function.__doc__ = f"{row['line'][0].upper()}{row['line'][1:]}.\n\n{_BETTER[row['better']]}{_NEEDS[row['needs']]}".strip()
    function.__signature__ = signature
    return function


def _judged(more):
    """Judgements by name, where there are any."""
    if "annotations" in more:
        from plumb import _call
        more["annotations"] = _call.judgements(more["annotations"])
    return more


def _classification(row):
    key = row["key"]

    def function(probs=None, labels=None, **more):
        return _metric(key, probs, labels, _judged(more) if more else more)
    return _finish(function, row, _SIGNATURE, __name__)


def _regression(row):
    key = row["key"]

    def function(mean=None, variance=None, targets=None, **more):
        more.update(mean=mean, variance=variance, targets=targets)
        return _regression_metric(key, more)
    return _finish(function, row, _REGRESSION_SIGNATURE, __name__ + ".regression")


registry = core.registry()
"""What is known about each metric: key, line, task, needs, better, range, cost."""
for _row in registry:
    globals()[_row["key"]] = _classification(_row)
for _alias, _key in core.aliases():
    globals()[_alias] = globals()[_key]
regression = types.SimpleNamespace(**{row["key"]: _regression(row) for row in core.regression_registry()},
                                   registry=core.regression_registry())
__all__ = [row["key"] for row in registry] + ["regression", "registry"]
