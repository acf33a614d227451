"""Arguments that are not arrays of numbers in this machine's byte order: what the compiled module reads instead of them.

Arrays that the module can read in place never come here.
"""
import numbers

import numpy as np

_NUMBERS = "biuf"  # numpy's kinds


def prepare(name, value):
    """(array of numbers or list of texts, shape, whether the bytes are swapped, names of the columns, a note or None)"""
    value, note = _on_cpu(name, value)
    array, columns = _as_numpy(name, value)
    if array.ndim == 0:
        raise TypeError(f"{name} takes an array, not {_shown(value)}")
    if isinstance(array, np.ma.MaskedArray):
        array = _unmasked(array)
    if array.dtype.kind == "O":
        array = _plain(name, array)
    if array.dtype.name == "bfloat16":  # of JAX and TensorFlow
        array = array.astype(np.float32)
    if array.dtype.kind in "MmST":
        array = _as_text(array)
    if array.dtype.kind == "U":
        return array.ravel().tolist(), list(array.shape), False, columns, note
    if array.dtype.kind not in _NUMBERS:
        raise TypeError(f"{name} has the type {array.dtype}, which is neither numbers nor text")
    if array.dtype.itemsize > 8:
        array = array.astype(np.float64)
    if not array.flags.aligned or any(stride % array.dtype.itemsize for stride in array.strides):
        array = np.array(array)
    swapped = not array.dtype.isnative
    if swapped:
        array = array.view(array.dtype.newbyteorder("="))
    return array, list(array.shape), swapped, columns, note


def _shown(value):
    return " ".join(repr(value).split())[:60]


def _on_cpu(name, value):
    """An array on another device as one in memory, and a sentence that says so."""
    if hasattr(value, "detach"):  # torch
        value = value.detach()
        device = str(getattr(value, "device", "cpu"))
        value = value.cpu()
        if str(value.dtype) == "torch.bfloat16":
            value = value.float()
        value = np.from_dlpack(value)
        return value, None if device == "cpu" else f"{name} was copied from the device {device}"
    if hasattr(value, "__cuda_array_interface__") and hasattr(value, "get"):  # CuPy
        return value.get(), f"{name} was copied from the GPU"
    return value, None


def _unmasked(array):
    """NaN, or empty text, where a value is masked: it is missing."""
    mask = np.ma.getmaskarray(array)
    if not mask.any():
        return array.data
    if array.dtype.kind in "biuf":
        return array.astype(np.float64).filled(np.nan)
    return np.where(mask, None, array.data.astype(object))


def columns_of(value):
    """{name: column} of a data frame; None for anything else."""
    names = getattr(value, "columns", None)
    if names is None or not hasattr(value, "__getitem__") or isinstance(value, np.ndarray):
        return None
    if hasattr(value, "column_names"):  # an Arrow table
        names = value.column_names
    return {str(name): value[name] for name in names}


def _as_numpy(name, value):
    if hasattr(value, "collect_schema") and hasattr(value, "collect"):  # polars
        raise TypeError(f"{name} is a {type(value).__name__}, which has no values yet; call its collect() first")
    frame = columns_of(value)
    if frame is not None:
        named = all(isinstance(column, str) for column in value.columns) or hasattr(value, "column_names")
        array = value.to_numpy() if hasattr(value, "to_numpy") else np.column_stack([_column(c) for c in frame.values()])
        return array, list(frame) if named else []
    try:
        return _column(value), []
    except ValueError as error:
        raise ValueError(f"{name} is not an array: its rows differ in length or kind ({error})") from None


def _column(value):
    if isinstance(value, np.ma.MaskedArray):
        return value  # with its mask
    if not isinstance(value, np.ndarray) and hasattr(value, "to_numpy"):  # a column of a data frame
        try:
            return np.asarray(value.to_numpy())
        except (TypeError, ValueError):
            return np.asarray(value.to_numpy(zero_copy_only=False))  # Arrow
    return np.asarray(value)


def _plain(name, array):
    """Objects as numbers where all of them are (NaN where one is missing), otherwise as text ("" where one is missing)."""
    flat = array.ravel().tolist()
    missing = [x is None or type(x).__name__ in ("NAType", "NaTType") or (isinstance(x, float) and x != x) for x in flat]
    there = [x for x, absent in zip(flat, missing) if not absent]
    if array.ndim == 1 and there and all(isinstance(x, (list, tuple, np.ndarray)) for x in there):
        return _stacked(name, flat, missing)
    if all(isinstance(x, (str, bytes)) for x in there) and there:
        text = ["" if absent else x.decode() if isinstance(x, bytes) else x for x, absent in zip(flat, missing)]
        return np.array(text, dtype=str).reshape(array.shape)
    if all(isinstance(x, (numbers.Real, np.bool_)) or hasattr(x, "__float__") for x in there):
        if not any(missing) and all(isinstance(x, numbers.Integral) for x in there):
            return np.array(flat, dtype=np.int64).reshape(array.shape)
        return np.array([np.nan if absent else float(x) for x, absent in zip(flat, missing)]).reshape(array.shape)
    odd = next(x for x in there if not isinstance(x, str))
    raise TypeError(f"{name} mixes text with {type(odd).__name__} ({odd!r:.40}); give either names or numbers")


def _stacked(name, rows, missing):
    """N lists of K values as N x K."""
    if any(missing):
        raise ValueError(f"{name}, row {missing.index(True)}: the list is missing; fill it or drop the row")
    for i, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise ValueError(f"{name}, row {i} has {len(row)} values where the first list has {len(rows[0])}")
    array = np.array([np.asarray(row) for row in rows])
    return _plain(name, array) if array.dtype.kind == "O" else array


def _as_text(array):
    if array.dtype.kind == "S":
        return np.char.decode(array, "utf-8")
    return array.astype(str)
