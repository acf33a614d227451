"""Arrays of every kind: the bits are those of a plain numpy array."""
import array
import gc
import sys
import threading

import numpy as np
import pytest

import plumb
from conftest import cohort

D = cohort(n=120)
PLAIN = plumb.evaluate(probs=D["probs"], labels=D["labels"], metrics=["ece", "nll", "ks"]).to_dict()["metrics"]


def found(probs, labels=D["labels"], **more):
    return plumb.evaluate(probs=probs, labels=labels, metrics=["ece", "nll", "ks"], **more).to_dict()["metrics"]


@pytest.mark.parametrize("change", [
    lambda p: np.asfortranarray(p), lambda p: np.repeat(p, 2, 0)[::2], lambda p: p[::-1][::-1], lambda p: np.tile(p, 2)[:, :3],
    lambda p: p.astype(">f8"), lambda p: np.asfortranarray(p.astype(">f8")), lambda p: p.astype(object), lambda p: p.tolist(),
    lambda p: p.astype(np.longdouble), lambda p: memoryview(p),
], ids=["fortran", "strided", "reversed", "gaps", "swapped", "swapped fortran", "objects", "lists", "long double", "memoryview"])
def test_layouts(change):
    assert found(change(D["probs"])) == PLAIN


def test_read_only_and_misaligned():
    p = D["probs"].copy()
    p.setflags(write=False)
    assert found(p) == PLAIN
    packed = np.zeros(120, dtype=np.dtype([("flag", "u1"), ("p", "f8", 3)]))
    packed["p"] = D["probs"]
    assert found(packed["p"]) == PLAIN
    raw = np.zeros(D["probs"].nbytes + 1, dtype=np.uint8)
    odd = raw[1:].view(np.float64).reshape(D["probs"].shape)
    odd[:] = D["probs"]
    assert not odd.flags.aligned and found(odd) == PLAIN


@pytest.mark.parametrize("dtype", ["f2", "f4", ">f2", ">f4"])
def test_narrow_floats(dtype):
    p = D["truth"].astype(dtype)
    y = D["labels"] > 1
    assert found(p, y) == found(p.astype(np.float64), y)


@pytest.mark.parametrize("dtype", ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4", ">u2", "f4", "O"])
def test_labels_of_every_type(dtype):
    y = D["labels"] > 1 if dtype == "?" else D["labels"]
    p = D["truth"] if dtype == "?" else D["probs"]
    assert found(p, y.astype(dtype)) == found(p, y.astype(np.int64))


def test_buffers():
    p = array.array("d", D["truth"])
    assert found(p, D["labels"] > 1) == found(D["truth"], D["labels"] > 1)


class Lender:
    """Nothing but the two methods of DLPack."""

    def __init__(self, numbers):
        self.numbers = numbers

    def __dlpack__(self, **how):
        return self.numbers.__dlpack__(**how)

    def __dlpack_device__(self):
        return self.numbers.__dlpack_device__()


def test_dlpack():
    assert found(Lender(D["probs"]), Lender(D["labels"])) == PLAIN


class Tensor(Lender):
    """A tensor that takes part in training, as torch's do: it exposes its memory only once it is detached."""
    dtype = "torch.float64"

    def __init__(self, numbers, attached=True):
        super().__init__(numbers)
        self.attached = attached

    def detach(self):
        return Tensor(self.numbers, False)

    def cpu(self):
        return self

    def __dlpack__(self, **how):
        if self.attached:
            raise BufferError("a tensor that requires a gradient")
        return super().__dlpack__(**how)


def test_tensors_are_detached():
    assert found(Tensor(D["probs"]), Tensor(D["labels"])) == PLAIN


def test_frames():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(D["probs"], columns=["p_cat", "p_dog", "p_fox"])
    named = plumb.evaluate(probs=frame, labels=pandas.Series(np.array(["cat", "dog", "fox"])[D["labels"]]),
                           metrics=["ece", "nll", "ks"])
    assert named.class_names == ["cat", "dog", "fox"] and named.to_dict()["metrics"] == PLAIN
    assert named.notes == []
    swapped = frame[["p_fox", "p_cat", "p_dog"]]
    with pytest.raises(ValueError, match="same order"):
        plumb.evaluate(probs=swapped, labels=D["labels"], classes=["cat", "dog", "fox"])
    ratings = pandas.DataFrame(D["ratings"], columns=list("abcde")).where(lambda r: r >= 0)
    raters = plumb.evaluate(probs=frame, ratings=ratings)
    assert list(raters.per_rater) == list("abcde")
    assert raters["ece"].value == plumb.evaluate(probs=D["probs"], ratings=D["ratings"])["ece"].value
    by = pandas.DataFrame({"site": D["by"], "old": D["groups"] > 30})
    sliced = plumb.evaluate(probs=frame, labels=D["labels"], by=by, metrics="ece")
    assert {g["by"] for g in sliced.per_group} == {"site", "old"}
    missing = pandas.Series(D["labels"]).astype("Int64")
    assert found(frame.to_numpy(), missing) == PLAIN


def test_arrow():
    """Tables by the PyCapsule interface, columns as arrays; whole or in chunks."""
    pyarrow = pytest.importorskip("pyarrow")
    names = ["p_cat", "p_dog", "p_fox"]
    table = pyarrow.table({name: D["probs"][:, k] for k, name in enumerate(names)})
    chunks = pyarrow.concat_tables([table.slice(0, 50), table.slice(50)])
    labels = pyarrow.array(np.array(["cat", "dog", "fox"])[D["labels"]])

    class Stream:  # nothing but the interface
        def __init__(self, inner):
            self.inner = inner

        def __arrow_c_stream__(self, requested_schema=None):
            return self.inner.__arrow_c_stream__(requested_schema)
    for one in (table, chunks, Stream(chunks), table.to_batches()[0]):
        result = plumb.evaluate(probs=one, labels=labels, metrics=["ece", "nll", "ks"])
        assert result.class_names == ["cat", "dog", "fox"] and result.to_dict()["metrics"] == PLAIN
    y = pyarrow.chunked_array([D["labels"][:7], D["labels"][7:]])
    assert found(D["probs"], y) == PLAIN
    assert found(D["truth"], pyarrow.array(D["labels"] == 2)) == found(D["truth"], D["labels"] == 2)
    ratings = pyarrow.table({r: [None if c < 0 else int(c) for c in D["ratings"][:, k]] for k, r in enumerate("abcde")})
    raters = plumb.evaluate(probs=table, ratings=ratings)
    assert list(raters.per_rater) == list("abcde")
    assert raters["ece"].value == plumb.evaluate(probs=D["probs"], ratings=D["ratings"])["ece"].value
    lists = pyarrow.table({"p": pyarrow.FixedSizeListArray.from_arrays(D["probs"].ravel(), 3)})
    assert found(lists) == PLAIN
    with pytest.raises(ValueError, match="probs"):
        plumb.evaluate(probs=pyarrow.table({"p": ["a", "b"]}), labels=[0, 1])


class Stream:
    """Nothing but the PyCapsule interface of streams."""

    def __init__(self, held):
        self.held = held

    def __arrow_c_stream__(self, requested_schema=None):
        return self.held.__arrow_c_stream__(requested_schema)


class OneArray:
    """Nothing but the PyCapsule interface of arrays."""

    def __init__(self, held):
        self.held = held

    def __arrow_c_array__(self, requested_schema=None):
        return self.held.__arrow_c_array__(requested_schema)


def test_arrow_arrays_and_columns_by_themselves():
    """Batches and columns behind __arrow_c_array__, columns behind __arrow_c_stream__, numbers, text and lists."""
    pyarrow = pytest.importorskip("pyarrow")
    y = pyarrow.array(D["labels"])
    batch = pyarrow.record_batch({name: D["probs"][:, k] for k, name in enumerate(("p_cat", "p_dog", "p_fox"))})
    names = np.array(["cat", "dog", "fox"])[D["labels"]]
    for labels in (OneArray(y), Stream(pyarrow.chunked_array([y[:7], y[7:]])), OneArray(y.dictionary_encode())):
        assert found(D["probs"], labels) == PLAIN
    # pyarrow 20 crashes when it exports views of short text.
    text = pyarrow.string_view() if int(pyarrow.__version__.split(".")[0]) > 20 else pyarrow.large_string()
    for labels in (OneArray(pyarrow.array(names)), Stream(pyarrow.chunked_array([pyarrow.array(names).cast(text)]))):
        result = plumb.evaluate(probs=OneArray(batch), labels=labels, metrics=["ece", "nll", "ks"])
        assert result.class_names == ["cat", "dog", "fox"] and result.to_dict()["metrics"] == PLAIN
    lists = pyarrow.array(list(D["probs"]))
    for probs in (lists, OneArray(lists), Stream(pyarrow.chunked_array([lists[:50], lists[50:]]))):
        assert found(probs) == PLAIN
    with pytest.raises(ValueError, match="^labels, row 3: the value is null; fill it or drop the row$"):
        found(D["probs"], OneArray(pyarrow.array([None if i == 3 else 1 for i in range(120)])))
    with pytest.raises(ValueError, match="^probs holds timestamps, which no flag takes"):
        found(OneArray(pyarrow.array([0] * 120, pyarrow.timestamp("us"))))


def test_names_in_arrow_columns():
    """Ids beyond 2^53 stay exact; text and nulls of judgements."""
    pyarrow = pytest.importorskip("pyarrow")
    ids = [2**60 + i for i in range(120)]
    rows = [(ids[i], f"r{r}", None if c < 0 else int(c)) for i in range(120) for r, c in enumerate(D["ratings"][i])]
    columns = dict(zip(("item", "rater", "label"), zip(*rows)))
    expected = plumb.evaluate(probs=D["probs"], ratings=D["ratings"])["ece"].value
    for given in (pyarrow.table(columns), {name: OneArray(pyarrow.array(c)) for name, c in columns.items()}):
        joined = plumb.evaluate(probs=D["probs"], ids=OneArray(pyarrow.array(ids)), annotations=given)
        assert joined["ece"].value == expected and joined.annotations["without_label"] > 0
    sliced = plumb.evaluate(probs=D["probs"], labels=D["labels"], by={"site": OneArray(pyarrow.array(D["by"]))}, metrics="ece",
                            groups=OneArray(pyarrow.array(D["groups"])), bootstrap=10)
    assert sliced.to_dict()["per_group"] == plumb.evaluate(probs=D["probs"], labels=D["labels"], by={"site": D["by"]}, metrics="ece",
                                                           groups=D["groups"], bootstrap=10).to_dict()["per_group"]


def test_pyarrow_gives_no_warnings(recwarn):
    pyarrow = pytest.importorskip("pyarrow")
    assert found(pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(D["probs"].ravel()), 3), pyarrow.array(D["labels"])) == PLAIN
    assert not recwarn.list


def test_rows_that_are_lists():
    pandas = pytest.importorskip("pandas")
    assert found(pandas.Series(list(D["probs"]))) == PLAIN
    assert found(pandas.DataFrame({"p": list(D["probs"])})["p"]) == PLAIN
    rows = list(D["probs"])
    with pytest.raises(ValueError, match="^probs, row 5 has 2 values where the first list has 3$"):
        found(pandas.Series(rows[:5] + [rows[5][:2]] + rows[6:]))
    with pytest.raises(ValueError, match="^probs, row 5: the list is missing"):
        found(pandas.Series(rows[:5] + [None] + rows[6:]))


def test_masked_values_are_missing():
    votes = np.ma.masked_less(D["ratings"], 0)
    votes.data[votes.mask] = 2  # what lies below a mask does not count
    assert plumb.evaluate(probs=D["probs"], ratings=votes)["ece"].value == plumb.evaluate(probs=D["probs"], ratings=D["ratings"])["ece"].value
    assert found(np.ma.masked_array(D["probs"])) == PLAIN
    with pytest.raises(ValueError, match="probs, row 4, column 1 is nan"):
        found(np.ma.masked_array(D["probs"], mask=np.arange(360).reshape(120, 3) == 13))
    with pytest.raises(ValueError, match="labels, row 4 is empty|labels, row 4"):
        found(D["probs"], np.ma.masked_array(np.array(["a", "b", "c"])[D["labels"]], mask=np.arange(120) == 4))


class OnGpu(Tensor):
    device = "cuda:0"
    copied = 0

    def detach(self):
        return self

    def cpu(self):
        OnGpu.copied += 1
        return Tensor(self.numbers, False)

    def __dlpack__(self, **how):
        raise BufferError("not in the memory of this machine")


def test_tensors_of_another_device_are_copied_with_a_note():
    result = plumb.evaluate(probs=OnGpu(D["probs"]), labels=D["labels"], metrics=["ece", "nll", "ks"])
    assert result.to_dict()["metrics"] == PLAIN and result.notes == ["probs was copied from the device cuda:0"]
    assert OnGpu.copied == 1 and "copied from the device" in str(result)
    assert plumb.metrics.ece(OnGpu(D["probs"]), D["labels"]) == PLAIN["ece"]["value"]


class OfCupy:
    __cuda_array_interface__ = {}

    def get(self):
        return D["probs"]


def test_arrays_of_cupy():
    assert found(OfCupy()) == PLAIN


def test_what_has_no_values_yet():
    polars = pytest.importorskip("polars")
    with pytest.raises(TypeError, match="^probs is a LazyFrame, which has no values yet; call its collect\\(\\) first$"):
        found(polars.DataFrame(D["probs"]).lazy())
    with pytest.raises(TypeError, match="^probs takes an array, not [^\n]*$"):
        found({"a\nb": 1})


def test_annotations_of_a_frame():
    pandas = pytest.importorskip("pandas")
    rows = [(f"i{i}", f"r{r}", c) for i in range(120) for r, c in enumerate(D["ratings"][i]) if c >= 0]
    frame = pandas.DataFrame(rows, columns=["item", "rater", "label"])
    joined = plumb.evaluate(probs=D["probs"], ids=[f"i{i}" for i in range(120)], annotations=frame)
    assert joined["ece"].value == plumb.evaluate(probs=D["probs"], ratings=D["ratings"])["ece"].value
    with pytest.raises(ValueError, match="ids="):
        plumb.evaluate(probs=D["probs"], annotations=frame)
    with pytest.raises(TypeError, match="item, rater and label"):
        plumb.evaluate(probs=D["probs"], ids=np.arange(120), annotations=frame["item"])


def test_nothing_is_copied_and_nothing_is_kept():
    p, y = np.random.default_rng(0).random(1000), np.zeros(1000, dtype=np.int8)
    y[:500] = 1
    gc.collect()
    before = sys.getrefcount(p), sys.getrefcount(y)
    for _ in range(20):
        plumb.evaluate(probs=p, labels=y, metrics="ece")
        plumb.metrics.ece(p, y)
        with pytest.raises(ValueError):
            plumb.evaluate(probs=p, labels=y[:-1])
    gc.collect()
    assert (sys.getrefcount(p), sys.getrefcount(y)) == before


def test_zero_items():
    with pytest.raises(ValueError, match="has no items"):
        plumb.evaluate(probs=np.zeros((0, 3)), labels=np.zeros(0, dtype=int))
    with pytest.raises(ValueError):
        plumb.metrics.ece([], [])


def test_many_threads_at_once():
    answers = []

    def work():
        answers.append([found(D["probs"]) for _ in range(5)])
    threads = [threading.Thread(target=work) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(answers) == 8 and all(a == PLAIN for one in answers for a in one)
