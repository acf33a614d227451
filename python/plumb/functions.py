"""The commands of plumb as functions."""
from plumb import _call
from plumb._core import core
from plumb.result import Result

_ITEMS = ("probs", "logits", "samples", "sample_logits", "normalize", "labels", "counts", "ratings", "annotations",
          "duplicates", "ids", "weights", "truth", "concentration", "groups", "by", "classes")
_REGRESSION = ("mean", "mean_samples", "variance", "std", "aleatoric", "epistemic", "variance_samples", "targets", "errors",
               "reference")
_SHARED = ("weights", "groups", "by", "ids")
_OTHERS = ("sets", "quantiles", "quantile_levels", "calibrator", "scores", "images", "histogram", "gold", "gold_counts", "name",
           "models", "model_logits")
# Options of evaluate() that act on one run of class probabilities, and mean nothing to sums of batches.
ABOUT_VOTES = ("orders", "statistic", "ordered", "rater_weights", "leave_one_rater_out")


def _split(function, given):
    """Columns and options for the compiled module, of what differs from the defaults."""
    given = _call.changed(function, given)
    call = _call.written(function.__name__, given)
    columns = {name: given.pop(name) for name in (*_ITEMS, *_REGRESSION, *_OTHERS) if name in given}
    columns["progress"] = _call.bar(given.pop("progress", None))
    columns["by"] = _call.slices(columns.get("by"))
    columns["annotations"] = _call.judgements(columns.get("annotations"))
    columns["classes"] = _call.class_list(columns.get("classes"))
    columns["calibrator"] = _call.calibrator(columns.get("calibrator"))
    columns["_call"] = call
    return columns, {**given, **_call.rater_weights(given.pop("rater_weights", None)), **_call.cuts(given.pop("cut", None))}


def evaluate(*, probs=None, logits=None, samples=None, sample_logits=None, normalize=False,
             labels=None, counts=None, ratings=None, annotations=None, duplicates="last",
             mean=None, mean_samples=None, variance=None, std=None, aleatoric=None, epistemic=None, variance_samples=None,
             targets=None, errors=None, reference=None, range=None,
             sets=None, quantiles=None, quantile_levels=None,
             ids=None, weights=None, truth=None, concentration=None, groups=None, by=None, classes=None, calibrator=None,
             metrics=None, bins=15, binning="width", ties="half", bootstrap=0, level=0.95, tolerance=None, null="model",
             clip=0.0, bandwidth="auto", leave_out="vote", curve="loess", thresholds=None, orders=None, statistic=None, ordered=False,
             rater_weights=None, leave_one_rater_out=False, seed=0, threads=0, sample_items=0, name=None, progress=None):
    """Evaluates the probabilities of a classifier, or the variances of a regression (``plumb evaluate``).

    Predictions, one of: ``probs`` (N x K probabilities, or N of class 1), ``logits``, ``samples`` (S x N x K or
    S x N of stochastic predictions), ``sample_logits``. Labels or votes, one of: ``labels`` (N class indices or names),
    ``counts`` (N x K votes), ``ratings`` (N x R, a column for each rater; negative or missing: not rated), ``annotations``
    (columns item, rater, label, joined by ``ids``; ``duplicates`` is "last", "keep" or "refuse").

    A regression has ``mean`` (or ``mean_samples``), its ``variance``, ``std``, or ``aleatoric`` and ``epistemic`` parts (or
    ``variance_samples``), and ``targets``; or ``errors`` instead of mean and targets. ``reference`` takes the variances of a
    reference set, ``range`` the range of the bins of ``uce``. Forecasts of quantiles have ``quantiles`` (N x Q),
    ``quantile_levels`` and ``targets``. ``sets`` (N x K, 1 where the set of an item contains the class) are evaluated by
    themselves, against labels or votes.

    ``calibrator`` is a model that is applied first. ``orders=[2, 3]`` and ``statistic="3 votes: all agree"`` ask about votes
    taken together, ``ordered=True`` says that the classes have an order, ``rater_weights={"senior": 2}`` (or a number for each
    rater) weighs votes by rater, and ``leave_one_rater_out=True`` evaluates without each of them.

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
    if "sets" in columns:
        _only(columns, options, _SET_ARGUMENTS, "is not for sets, which are evaluated by themselves")
        return Result(core.evaluate_sets(columns, options))
    if "quantiles" in columns:
        _only(columns, options, _QUANTILE_ARGUMENTS, "is not for forecasts of quantiles")
        return Result(core.evaluate_quantiles(columns, options))
    _refuse(columns, ("quantile_levels",), "names the columns of quantiles=; also give those")
    if not any(name in columns for name in ("mean", "mean_samples", "errors")):
        _refuse(columns, _REGRESSION, "is for a regression; also give mean= and targets=, or errors=")
        _refuse(options, ("range",), "is for a regression; also give mean= and targets=, or errors=")
        return Result(core.evaluate(columns, options))
    _refuse(columns, set(_ITEMS) - set(_SHARED), "is for class probabilities, and this is a regression")
    _refuse(options, ("binning", "ties", "null", "bandwidth", "leave_out", "curve", "thresholds", "sample_items", *ABOUT_VOTES),
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
                scores=None, images=None, histogram=None, measures=None, top=1, bins=None, degenerate="pool", base_rate=None, coarsen=0.0,
                targets=(0.99, 0.95), confidence=0.95, suspects=20, suspects_by=None, bootstrap=0, permutations=100,
                level=0.95, seed=0, threads=0, name=None, progress=None):
    """Which measure of uncertainty separates right answers from wrong ones, and which threshold to use (``plumb uncertainty``).

    ``scores`` is a dict of your own columns by name, larger for less certain items. ``result["entropy"]`` has what the
    measure is worth and its thresholds. ``images`` (N x H x W, with channels first or last, or paths) are shown beside the
    suspects of a report. ``histogram`` (two columns, weight and accuracy of each bin) is evaluated instead of items.
    """
    given = dict(locals())
    if scores is not None and not isinstance(scores, dict):
        raise TypeError("scores takes a dict of columns by name, as in scores={\"margin\": margin}")
    thresholds = list(given.pop("targets"))
    columns, options = _split(uncertainty, given)
    options["targets"] = thresholds
    if "histogram" in columns:
        _only(columns, {}, ("histogram", "name"), "and histogram= cannot be combined; give one of them")
    return Result(core.uncertainty(columns, options))


def audit(*, by, probs=None, logits=None, samples=None, sample_logits=None, normalize=False, labels=None, counts=None,
          ratings=None, annotations=None, duplicates="last", ids=None, weights=None, truth=None, concentration=None, groups=None,
          classes=None, calibrator=None, cut=None, cross=1, min_items=50, rank="ece", metrics=None, bins=15, binning="width",
          ties="half", bootstrap=200, level=0.95, tolerance=None, null="model", clip=0.0, bandwidth="auto", leave_out="vote",
          curve="loess", thresholds=None, seed=0, threads=0, name=None, progress=None):
    """Every slice and intersection against all other items, ranked by how surely it is worse (``plumb audit``).

    ``by`` are the ways to slice: columns in a dict or a data frame. ``cut={"age": [40, 65], "bmi": 4}`` cuts numbers at 40 and
    65, and into four parts of equal size; ``cross=2`` adds the intersections of two ways. ``result.to_frame("audit")`` has the
    slices.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> p, site = rng.random(3000), rng.integers(0, 3, 3000)
    >>> y = rng.random(3000) < np.where(site == 2, p ** 3, p)
    >>> result = plumb.audit(probs=p, labels=y, by={"site": site})
    >>> [row["slice"] for row in result.tables["audit_ranks"]]
    ['2', '1', '0']
    """
    given = dict(locals())
    columns, options = _split(audit, given)
    return Result(core.audit(columns, options))


def raters(*, ratings=None, annotations=None, duplicates="last", ids=None, groups=None, classes=None, probs=None, logits=None,
           normalize=False, gold=None, gold_counts=None, gold_method="temperature", one_coin=False, ordered=False, prior=1.0,
           converged_at=1e-8, iterations=1000, ask=20, target_se=0.1, bootstrap=0, level=0.95, seed=0, threads=0, name=None,
           progress=None):
    """Accuracy, bias and agreement of the raters, and their consensus (``plumb raters``).

    The consensus is ``result.consensus_probs`` (N x K). ``gold`` (N or N x R classes from experts; negative or missing: none)
    or ``gold_counts`` evaluate it, and ``result.calibrated_probs`` is the consensus calibrated on them by ``gold_method``. With
    ``probs`` or ``logits`` the model is scored beside the raters.

    >>> ratings = [[0, 0, 1], [1, 1, 1], [0, 0, 0], [1, 1, 0], [1, 1, 1], [0, 0, 0]]
    >>> result = plumb.raters(ratings=ratings)
    >>> result.consensus_probs.argmax(1).tolist()
    [0, 1, 0, 1, 1, 0]
    """
    given = dict(locals())
    columns, options = _split(raters, given)
    found, consensus, calibrated = core.raters(columns, options)
    return Result(found, arrays={"consensus_probs": consensus, "calibrated_probs": calibrated})


def merge(states, *, metrics=None, level=0.95, tolerance=None, thresholds=None, threads=0, name=None):
    """The result of states that accumulators, other machines or ``--save-state`` wrote (``plumb merge``).

    ``states`` are bytes or paths of files. The result is that of one run over all the data, bit for bit.

    >>> parts = [plumb.Accumulator().update(probs=[0.2, 0.8], labels=y).to_bytes() for y in ([0, 1], [0, 0])]
    >>> float(plumb.merge(parts)["accuracy"])
    0.75
    """
    given = _call.changed(merge, dict(locals()))
    from plumb.streaming import Accumulator, RegressionAccumulator
    options = {name: given[name] for name in ("metrics", "level", "tolerance", "thresholds", "threads") if name in given}
    parts = [_call.state_bytes(state) for state in states]
    if not parts:
        raise ValueError("merge() takes at least one state")
    kind = RegressionAccumulator if core.is_regression_state(parts[0]) else Accumulator
    sums = kind.from_bytes(parts[0], **options)
    for state in parts[1:]:
        sums.merge(kind.from_bytes(state))
    return sums.compute(name)


def demo(kind="cohort", *, items=None, seed=0):
    """Simulated data to try Plumb on, as ``plumb demo`` writes them: {"validation": columns, "test": columns}.

    "cohort": cells on blood smears, raters who disagree and an over-confident model. "regression": tips of needles, and variances
    that are too small.

    >>> data = plumb.demo(items=600)["test"]
    >>> data["probs"].shape == (len(data["site"]), len(data["classes"]))
    True
    """
    made = {"cohort": core.simulated_cohort, "regression": core.simulated_regression}
    if kind not in made:
        raise ValueError(f"kind takes one of {', '.join(made)}, not {kind!r}")
    return dict(zip(("validation", "test"), made[kind](items or 0, seed)))


_SET_ARGUMENTS = ("sets", "labels", "counts", "ratings", "annotations", "duplicates", "classes", "ids", "groups", "by", "name",
                  "ties", "level", "seed", "threads")
_QUANTILE_ARGUMENTS = ("quantiles", "quantile_levels", "targets", "weights", "groups", "by", "name", "bootstrap", "level", "seed",
                       "threads")
_INNER = ("_call", "progress")


def _only(columns, options, allowed, why):
    for name in sorted({**columns, **options}):
        if name not in (*allowed, *_INNER) and {**columns, **options}[name] is not None:
            raise TypeError(f"{name}= {why}")


def _refuse(given, names, why):
    for name in sorted(names):
        if given.get(name) is not None:
            raise TypeError(f"{name}= {why}")
