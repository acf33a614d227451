"""What the engines have in common: a part of a table becomes a state, and states become one."""
import numpy as np

import plumb

COLUMNS = ("probs", "logits", "labels", "counts", "ratings", "weights", "truth", "mean", "variance", "std", "targets", "errors")


def split(arguments):
    """The columns' names, and the options."""
    columns = {name: arguments.pop(name) for name in COLUMNS if arguments.get(name) is not None}
    for name in [name for name in arguments if name in COLUMNS]:
        del arguments[name]
    if not columns:
        raise TypeError("name the columns, for example probs=\"p\", labels=\"y\"")
    for name, column in columns.items():
        if not isinstance(column, (str, list, tuple)):
            raise TypeError(f"{name}= takes the name of a column or a list of names, not {column!r:.40}")
    return columns, arguments


def _numbers(column, name):
    """One column as an array; a column of lists as rows."""
    if hasattr(column, "combine_chunks"):  # Arrow, in chunks
        column = column.combine_chunks()
    if hasattr(column, "flatten") and hasattr(column, "type"):  # Arrow
        if "list" in str(column.type):
            return _rows(column, name)
        return column.to_numpy(zero_copy_only=False)
    array = column.to_numpy() if hasattr(column, "to_numpy") else np.asarray(column)
    if array.dtype == object and len(array) and isinstance(array[0], (list, tuple, np.ndarray)):
        return np.stack([np.asarray(row) for row in array])
    return array


def _rows(column, name):
    if column.null_count:
        raise ValueError(f"{name}: a list is missing")
    flat = column.flatten().to_numpy(zero_copy_only=False)
    rows = len(column)
    if rows == 0:
        return np.zeros((0, 1))
    width = len(flat) // rows
    lengths = column.value_lengths().to_numpy(zero_copy_only=False)
    if (np.asarray(lengths) != width).any():
        raise ValueError(f"{name}: the lists of {lengths.min()} and {lengths.max()} numbers differ in length; give one number for each class")
    return flat.reshape(rows, width)


def arrays(table, columns):
    """{"probs": array} of a data frame, an Arrow table or a batch."""
    column_of = table.column if hasattr(table, "schema") and hasattr(table, "column") else table.__getitem__
    out = {}
    for name, column in columns.items():
        if isinstance(column, str):
            out[name] = _numbers(column_of(column), column)
        else:
            out[name] = np.column_stack([_numbers(column_of(one), one) for one in column])
    return out


def rows_of(table):
    return table.num_rows if hasattr(table, "num_rows") else len(table)


def empty(columns, options):
    regression = any(name in columns for name in ("mean", "errors"))
    return (plumb.RegressionAccumulator if regression else plumb.Accumulator)(**options)


class Parts:
    """The states of a part of the data, by slice; without slices there is one, under None."""

    def __init__(self, columns, by, options):
        self.columns, self.by, self.options = columns, by, {"threads": 1, **options}  # the engine has threads of its own
        self.sums = {}

    def update(self, table):
        if rows_of(table) == 0:
            return
        given = arrays(table, self.columns)
        if self.by is None:
            self._sums(None).update(**given)
            return
        names = np.asarray(_numbers(table.column(self.by) if hasattr(table, "schema") else table[self.by], self.by)).astype(str)
        for name in np.unique(names):
            rows = names == name
            self._sums(str(name)).update(**{key: array[rows] for key, array in given.items()})

    def _sums(self, name):
        if name not in self.sums:
            self.sums[name] = empty(self.columns, self.options)
        return self.sums[name]

    def states(self):
        return {name: sums.to_bytes() for name, sums in self.sums.items()}


def merged(states, columns, options):
    """The bytes of one state."""
    sums = None
    for state in states:
        one = type(empty(columns, {})).from_bytes(state)
        sums = one if sums is None else sums.merge(one)
    return sums.to_bytes()


def results(states, columns, options, by):
    """The Result of each slice, or the one of all."""
    if not states:
        raise ValueError("the data have no rows")
    kind = type(empty(columns, {}))
    told = {name: options[name] for name in ("metrics", "threads") if name in options}
    out = {name: kind.from_bytes(state, **told).compute() for name, state in states.items()}
    return out if by is not None else out[None]


def calibrated(model, table, columns):
    """Calibrated probabilities of a part of the data."""
    return plumb.Model.from_bytes(model).apply(**arrays(table, columns))
