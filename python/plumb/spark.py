"""Evaluation of Spark data frames: a state for each partition, merged in a tree; rows are never shuffled.

    >>> result = plumb.spark.evaluate(df, probs="p", labels="y")            # doctest: +SKIP
    >>> sites = plumb.spark.evaluate(df, probs="p", labels="y", by="site")  # doctest: +SKIP

The bits are those of one pass over all rows on one machine, for any partitions; a task that Spark runs again after a lost
worker changes nothing. plumb and numpy must be installed on the workers.
"""
from plumb import _parts

_WIDTH = 32  # states that the driver merges, each of the partitions that a task has merged
_SCHEMA = "part long, slice string, state binary"


def _arrow():
    try:
        import pyarrow
        import pyspark  # noqa: F401
    except ImportError as error:
        raise ImportError(f"plumb.spark needs pyspark and pyarrow, which cannot be imported ({error}); run: pip install pyspark pyarrow") from None
    return pyarrow


def _batch(part, states):
    pyarrow = _arrow()
    return pyarrow.RecordBatch.from_pydict(
        {"part": pyarrow.array([part] * len(states), pyarrow.int64()), "slice": pyarrow.array(list(states), pyarrow.string()),
         "state": pyarrow.array(list(states.values()), pyarrow.binary())})


def states(df, *, by=None, **arguments):
    """{slice: bytes}: what ``plumb evaluate --save-state`` writes for all rows of each slice; without ``by`` one, under None."""
    _arrow()
    columns, options = _parts.split(dict(arguments))
    _parts.empty(columns, options)  # wrong options are refused here, not on a worker

    def of_partition(batches):
        from pyspark import TaskContext
        parts = _parts.Parts(columns, by, options)
        for batch in batches:
            parts.update(batch)
        if parts.sums:
            yield _batch(TaskContext.get().partitionId(), parts.states())

    def of_states(table):
        pyarrow = _arrow()
        rows = table.to_pydict()
        state = _parts.merged(rows["state"], columns, options)
        return pyarrow.Table.from_batches([_batch(rows["part"][0] % _WIDTH, {rows["slice"][0]: state})])

    named = {name for column in columns.values() for name in ([column] if isinstance(column, str) else column)}
    needed = [name for name in df.columns if name in named or name == by]
    partials = df.select(*needed).mapInArrow(of_partition, _SCHEMA)
    partials = partials.groupBy(partials.part % _WIDTH, "slice").applyInArrow(of_states, _SCHEMA)
    found = {}
    for row in partials.collect():
        found.setdefault(row["slice"], []).append(bytes(row["state"]))
    return {name: _parts.merged(some, columns, options) for name, some in sorted(found.items(), key=lambda item: item[0] or "")}


def evaluate(df, *, by=None, **arguments):
    """The result of all rows, or with ``by`` (the name of a column) a dict of the results of its values.

    Columns are named as the arguments of ``plumb.evaluate``: ``probs="p"`` (a column of numbers or of arrays),
    ``probs=["p0", "p1", "p2"]``, ``logits=``, ``labels=``, ``counts=``, ``ratings=``, ``weights=``, or ``mean=``, ``variance=``,
    ``targets=``. The options are those of ``plumb.Accumulator``.
    """
    columns, options = _parts.split(dict(arguments))
    return _parts.results(states(df, by=by, **arguments), columns, options, by)


def apply(df, model, *, into="calibrated", **columns):
    """The data frame with a column of calibrated probabilities: ``apply(df, model, probs="p")``.

    Of several classes it is a column of arrays.
    """
    pyarrow = _arrow()
    from pyspark.sql.types import ArrayType, DoubleType, StructType
    columns, rest = _parts.split(columns)
    if rest:
        raise TypeError(f"{next(iter(rest))}= is not the name of a kind of column")
    saved = model.to_bytes()
    several = any(not isinstance(column, str) or isinstance(df.schema[column].dataType, ArrayType) for column in columns.values())
    schema = StructType([*df.schema.fields]).add(into, ArrayType(DoubleType()) if several else DoubleType())

    def of_partition(batches):
        for batch in batches:
            if batch.num_rows:
                p = _parts.calibrated(saved, batch, columns)
                yield pyarrow.RecordBatch.from_arrays([*batch.columns, pyarrow.array(p.tolist() if several else p)],
                                                      names=[*batch.schema.names, into])

    return df.mapInArrow(of_partition, schema)
