"""The commands of plumb as functions."""
from plumb import _call
from plumb._core import core
from plumb.result import Result

_ITEMS = ("probs", "logits", "samples", "sample_logits", "normalize", "labels", "counts", "ratings", "annotations",
          "duplicates", "ids", "weights", "truth", "concentration", "groups", "by", "classes")
_REGRESSION = ("mean", "mean_samples", "variance", "std", "aleatoric", "epistemic", "variance_samples", "targets", "errors",
               "reference")
_SHARED = ("weights", "groups", "by", "ids")


def _split(function, given):
    """Columns and options for the compiled module, of what differs from the defaults."""
    given = _call.changed(function, given)
    call = _call.written(function.__name__, given)
    columns = {name: given.pop(name) for name in (*_ITEMS, *_REGRESSION, "scores", "name", "models", "model_logits")
               if name in given}
    columns["progress"] = _call.bar(given.pop("progress", None))
    columns["by"] = _call.slices(columns.get("by"))
    columns["annotations"] = _call.judgements(columns.get("annotations"))
    columns["classes"] = _call.class_list(columns.get("classes"))
    columns["_call"] = call
    return columns, given


def evaluate(*, probs=None, logits=None, samples=None, sample_logits=None, normalize=False,
             labels=None, counts=None, ratings=None, annotations=None, duplicates="last",
             mean=None, mean_samples=None, variance=None, std=None, aleatoric=None, epistemic=None, variance_samples=None,
             targets=None, errors=None, reference=None, range=None,
             ids=None, weights=None, truth=None, concentration=None, groups=None, by=None, classes=None,
             metrics=None, bins=15, binning="width", ties="half", bootstrap=0, level=0.95, tolerance=None, null="model",
             clip=0.0, bandwidth="auto", leave_out="vote", curve="loess", thresholds=None, seed=0, threads=0, sample_items=0,
             name=None, progress=None):
    """Evaluates the probabilities of a classifier, or the variances of a regression (``plumb evaluate``).

    Predictions, one of: ``probs`` (N x K probabilities, or N of class 1), ``logits``, ``samples`` (S x N x K or
    S x N of stochastic predictions), ``sample_logits``. Labels or votes, one of: ``labels`` (N class indices or names),
    ``counts`` (N x K votes), ``ratings`` (N x R, a column for each rater; negative or missing: not rated), ``annotations``
    (columns item, rater, label, joined by ``ids``; ``duplicates`` is "last", "keep" or "refuse").

    A regression has ``mean`` (or ``mean_samples``), its ``variance``, ``std``, or ``aleatoric`` and ``epistemic`` parts (or
    ``variance_samples``), and ``targets``; or ``errors`` instead of mean and targets. ``reference`` takes the variances of a
    reference set, ``range`` the range of the bins of ``uce``.

    ``groups`` is the unit of resampling (patients, images), ``by`` what to report by: a column, several in a dict or a data
    frame. ``bootstrap`` replicates give intervals, p-values and the verdict. ``metrics`` are keys of ``plumb.metrics``, or
    "all". The other options are those of the command line. ``progress``: True for a bar of tqdm, or a function that is told
    the share done.

    >>> result = plumb.evaluate(probs=[0.25, 0.75, 0.75, 0.5], labels=[0, 1, 0, 1])
    >>> result["brier"].value
    0.234375
    """
    given = dict(locals())
    columns, options = _split(evaluate, given)
    if not any(name in columns for name in ("mean", "mean_samples", "errors")):
        _refuse(columns, _REGRESSION, "is for a regression; also give mean= and targets=, or errors=")
        _refuse(options, ("range",), "is for a regression; also give mean= and targets=, or errors=")
        return Result(core.evaluate(columns, options))
    _refuse(columns, set(_ITEMS) - set(_SHARED), "is for class probabilities, and this is a regression")
    _refuse(options, ("binning", "ties", "null", "bandwidth", "leave_out", "curve", "thresholds", "sample_items"),
            "is for class probabilities, and this is a regression")
    return Result(core.evaluate_regression(columns, options))


def compare(probs=None, logits=None, *, normalize=False, labels=None, counts=None, ratings=None, annotations=None,
            duplicates="last", ids=None, weights=None, truth=None, groups=None, classes=None, reference=None,
            metrics=None, bins=15, binning="width", ties="half", bootstrap=200, level=0.95, tolerance=0.05, clip=0.0,
            bandwidth="auto", leave_out="vote", curve="loess", thresholds=None, seed=0, threads=0, name=None, progress=None):
    """Two or more models on the same items, with paired differences (``plumb compare``).

    ``probs`` and ``logits`` are dicts of models by name. ``reference`` names the model that the others are compared with;
    without one all pairs are.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(500)
    >>> result = plumb.compare({"raw": p ** 2, "right": p}, labels=rng.random(500) < p, metrics="brier")
    >>> result["brier"]["best"]
    'right'
    """
    given = dict(locals())
    for argument in ("probs", "logits"):
        if given[argument] is not None and not isinstance(given[argument], dict):
            raise TypeError(f"{argument} takes a dict of models by name, as in {argument}={{\"old\": p, \"new\": q}}")
    columns, options = _split(compare, given)
    options["reference"] = columns.pop("reference", None)
    columns["models"] = columns.pop("probs", None)
    columns["model_logits"] = columns.pop("logits", None)
    return Result(core.compare(columns, options))


def stability(*, probs=None, logits=None, samples=None, sample_logits=None, normalize=False, labels=None, counts=None,
              ratings=None, annotations=None, duplicates="last", ids=None, weights=None, concentration=None, groups=None,
              classes=None, estimators=None, start=0.2, step=0.05, repeats=100, subsets="nested", single="majority",
              ties="half", bins=15, binning="width", clip=0.0, bandwidth="auto", leave_out="vote", seed=0, threads=0,
              name=None, progress=None):
    """How an estimate varies as the test set shrinks, with one label per item and with all votes (``plumb stability``).

    ``estimators`` are keys of ``plumb.metrics`` (by default "ece"); ``start`` is the smallest share of the test set, which
    the command line calls ``--from``; ``single`` is "majority", "random" or "rater:NAME".
    """
    given = dict(locals())
    columns, options = _split(stability, given)
    return Result(core.stability(columns, options))


def uncertainty(*, probs=None, logits=None, samples=None, sample_logits=None, normalize=False, labels=None, counts=None,
                ratings=None, annotations=None, duplicates="last", ids=None, weights=None, groups=None, classes=None,
                scores=None, measures=None, top=1, bins=None, degenerate="pool", base_rate=None, coarsen=0.0,
                targets=(0.99, 0.95), confidence=0.95, suspects=20, suspects_by=None, bootstrap=0, permutations=100,
                level=0.95, seed=0, threads=0, name=None, progress=None):
    """Which measure of uncertainty separates right answers from wrong ones, and which threshold to use (``plumb uncertainty``).

    ``scores`` is a dict of your own columns by name, larger for less certain items. ``result["entropy"]`` has what the
    measure is worth and its thresholds.
    """
    given = dict(locals())
    if scores is not None and not isinstance(scores, dict):
        raise TypeError("scores takes a dict of columns by name, as in scores={\"margin\": margin}")
    thresholds = list(given.pop("targets"))
    columns, options = _split(uncertainty, given)
    options["targets"] = thresholds
    return Result(core.uncertainty(columns, options))


def _refuse(given, names, why):
    for name in sorted(names):
        if given.get(name) is not None:
            raise TypeError(f"{name}= {why}")
