"""Evaluation of Dask data frames: a state for each partition, merged in a tree.

    >>> result = plumb.dask.evaluate(df, probs="p", labels="y")            # doctest: +SKIP
    >>> sites = plumb.dask.evaluate(df, probs="p", labels="y", by="site")  # doctest: +SKIP

The bits are those of one pass over all rows on one machine, for any partitions; a task that runs again after a lost worker
changes nothing. plumb and numpy must be installed on the workers.
"""
from plumb import _parts

_WIDTH = 32  # states that one task merges


def _delayed():
    try:
        import dask
    except ImportError as error:
        raise ImportError(f"plumb.dask needs dask, which cannot be imported ({error}); run: pip install \"dask[dataframe]\"") from None
    return dask


def _of_partition(frame, columns, by, options):
    parts = _parts.Parts(columns, by, options)
    parts.update(frame)
    return parts.states()


def _of_states(several, columns, options):
    names = sorted({name for states in several for name in states}, key=lambda name: name or "")
    return {name: _parts.merged([states[name] for states in several if name in states], columns, options) for name in names}


def states(df, *, by=None, **arguments):
    """{slice: bytes}: what ``plumb evaluate --save-state`` writes for all rows of each slice; without ``by`` one, under None.

    ``df`` is a Dask data frame, or a list of frames that are computed later (``dask.delayed``).
    """
    dask = _delayed()
    columns, options = _parts.split(dict(arguments))
    _parts.empty(columns, options)  # wrong options are refused here, not on a worker
    named = [name for column in columns.values() for name in ([column] if isinstance(column, str) else column)]
    frames = df[list(dict.fromkeys([*named, *([by] if by is not None else [])]))].to_delayed() if hasattr(df, "to_delayed") else list(df)
    left = [dask.delayed(_of_partition, pure=True)(frame, columns, by, options) for frame in frames]
    while len(left) > 1:
        left = [dask.delayed(_of_states, pure=True)(left[i:i + _WIDTH], columns, options) for i in range(0, len(left), _WIDTH)]
    return dask.compute(left[0])[0] if left else {}


def evaluate(df, *, by=None, **arguments):
    """The result of all rows, or with ``by`` (the name of a column) a dict of the results of its values.

    Columns are named as the arguments of ``plumb.evaluate``: ``probs="p"`` (a column of numbers or of lists),
    ``probs=["p0", "p1", "p2"]``, ``logits=``, ``labels=``, ``counts=``, ``ratings=``, ``weights=``, or ``mean=``, ``variance=``,
    ``targets=``. The options are those of ``plumb.Accumulator``.
    """
    columns, options = _parts.split(dict(arguments))
    return _parts.results(states(df, by=by, **arguments), columns, options, by)


def _with_column(frame, model, columns, into):
    p = _parts.calibrated(model, frame, columns) if len(frame) else []
    return frame.assign(**{into: list(p) if getattr(p, "ndim", 1) > 1 else p})


def apply(df, model, *, into="calibrated", **columns):
    """The data frame with a column of calibrated probabilities: ``apply(df, model, probs="p")``.

    Of several classes it is a column of arrays.
    """
    _delayed()
    columns, rest = _parts.split(columns)
    if rest:
        raise TypeError(f"{next(iter(rest))}= is not the name of a kind of column")
    several = any(not isinstance(column, str) for column in columns.values())
    meta = df._meta.assign(**{into: [] if not several else []}).astype({into: object if several else float})
    return df.map_partitions(_with_column, model.to_bytes(), columns, into, meta=meta)
