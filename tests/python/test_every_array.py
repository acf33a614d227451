"""The whole registry through every kind of array, and real data: the bits of the command line."""
import array
import itertools

import numpy as np
import pytest

import plumb
from conftest import DATA, cohort

SKIP = {"argv", "inputs"}


class OnlyDlpack:
    """A tensor of some library: DLPack and nothing else."""

    def __init__(self, held):
        self.held = held

    def __dlpack__(self, **how):
        return self.held.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.held.__dlpack_device__()


class OnlyArrow:
    """A table behind the Arrow PyCapsule interface and nothing else."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def misaligned(a):
    raw = np.zeros(a.nbytes + 1, np.uint8)
    out = raw[1:].view(a.dtype).reshape(a.shape)
    out[...] = a
    return out


def strided(a):
    wide = np.zeros((2 * a.shape[0], *a.shape[1:]), a.dtype)
    wide[::2] = a
    return wide[::2]


def read_only(a):
    a = a.copy()
    a.flags.writeable = False
    return a


def buffer(a):
    return memoryview(np.ascontiguousarray(a))


def flat(a):
    """array.array has one dimension."""
    return array.array(a.dtype.char, a.tolist()) if a.ndim == 1 and a.dtype.char in "dlBq" else a


def frame(a):
    import pandas
    return pandas.DataFrame(a) if a.ndim == 2 else pandas.Series(a)


def arrow(a):
    pyarrow = pytest.importorskip("pyarrow")
    columns = a.T if a.ndim == 2 else [a]
    return OnlyArrow(pyarrow.table({f"c{i}": np.ascontiguousarray(c) for i, c in enumerate(columns)}))


def chunked(a):
    """An Arrow table of two batches."""
    pyarrow = pytest.importorskip("pyarrow")
    half = len(a) // 2
    return OnlyArrow(pyarrow.concat_tables([arrow(a[:half]).table, arrow(a[half:]).table]))


def polars_frame(a):
    polars = pytest.importorskip("polars")
    return polars.DataFrame(a, schema=[f"c{i}" for i in range(a.shape[1])]) if a.ndim == 2 else polars.Series(a)


KINDS = {"fortran": np.asfortranarray, "strided": strided, "backwards": lambda a: a[::-1].copy()[::-1], "read-only": read_only,
         "swapped": lambda a: a.astype(a.dtype.newbyteorder()), "misaligned": misaligned, "memoryview": buffer, "array.array": flat,
         "dlpack": lambda a: OnlyDlpack(np.ascontiguousarray(a)), "list": lambda a: a.tolist(), "pandas": frame, "arrow": arrow,
         "arrow in two batches": chunked, "polars": polars_frame}


def values(result):
    """All but names that frames bring along."""
    found = {k: v for k, v in result.to_dict().items() if k not in SKIP | {"class_names", "notes", "tables", "per_class", "raters", "per_rater"}}
    return found | {"reliability": result.tables["reliability"]}


D = cohort(n=150)
ARRAYS = {"classes": {k: np.ascontiguousarray(D[k]) for k in ("probs", "counts", "weights", "groups")},
          "binary": {"probs": D["truth"] ** 1.5, "labels": (D["labels"] == 2).astype(np.int64), "truth": D["truth"], "weights": D["weights"]}}
HOW = dict(metrics="all", bandwidth=0.05)
EXPECTED = {name: values(plumb.evaluate(**arrays, **HOW)) for name, arrays in ARRAYS.items()}


@pytest.mark.parametrize("name, kind", list(itertools.product(ARRAYS, KINDS)))
def test_every_metric(name, kind):
    found = values(plumb.evaluate(**{k: KINDS[kind](a) for k, a in ARRAYS[name].items()}, **HOW))
    for member in EXPECTED[name]:
        assert found[member] == EXPECTED[name][member], member


def test_the_registry_is_covered():
    """Together the two tasks give a value to every key."""
    there = {key for found in EXPECTED.values() for key, one in found["metrics"].items() if one["value"] is not None}
    assert {row["key"] for row in plumb.metrics.registry} - there == {"ece_corrected"}  # needs bootstrap=; test_parity.py has it


@pytest.mark.parametrize("kind", KINDS)
def test_real_data(kind, tmp_path):
    """CIFAR-10, 400 items: each kind of array gives what the tool says about the files (tests/python/test_parity.py has all of them)."""
    paths = [DATA / "plambda_cifar10_vgg16_probs.npy", DATA / "plambda_cifar10_labels.npy"]
    if not all(path.is_file() for path in paths):
        pytest.skip(f"the real data are not at {DATA}")
    probs, labels = (np.ascontiguousarray(np.load(path)[:400]) for path in paths)
    expected = values(plumb.evaluate(probs=probs, labels=labels))
    assert values(plumb.evaluate(probs=KINDS[kind](probs), labels=KINDS[kind](labels))) == expected
