"""Each bad input: exit code 2, one sentence that names file, place, value and remedy, and no output file.

One long list on purpose: a new refusal is a row here, beside its neighbours.
"""
import os
import struct
import zipfile

import numpy as np
import pytest


def complaint(folder, *args, command="evaluate"):
    """The one sentence. Also checks that nothing was written."""
    before = folder.names()
    run = folder.run(command, *args, "--json", "out.json")
    assert run.code == 2, (run.code, run.out, run.err)
    assert run.err.startswith("plumb: ") and run.err.count("\n") == 1 and run.err.endswith("\n"), run.err
    assert run.out == ""
    assert folder.names() == before, "an output file was left behind"
    return run.err


def expect(text, *parts):
    for part in parts:
        assert part in text, f"{part!r} is not in {text!r}"


def probs_with(folder, change, name="bad.npy", dtype=np.float64):
    """The good probabilities with one change."""
    p = np.load(folder / "probs.npy").astype(dtype)
    change(p)
    return folder.npy(name, p)


# --- files -----------------------------------------------------------------------------------------------------------


def test_missing_file(folder, task):
    expect(complaint(folder, "--probs", "nowhere.npy", "--labels", "labels.npy"), "nowhere.npy", "exist")


def test_pattern_without_match(folder, task):
    expect(complaint(folder, "--probs", "none-*.npy", "--labels", "labels.npy"), "none-*.npy")


def test_directory(folder, task):
    (folder / "dir.npy").mkdir()
    expect(complaint(folder, "--probs", "dir.npy", "--labels", "labels.npy"), "dir.npy", "directory")


@pytest.mark.parametrize("name", ["empty.npy", "empty.npz", "empty.csv"])
def test_empty(folder, task, name):
    folder.text(name, "")
    expect(complaint(folder, "--probs", name, "--labels", "labels.npy"), name, "empty")


@pytest.mark.parametrize("cut", [5, 9, 40, 128, 200, -1])
def test_truncated(folder, task, cut):
    whole = (folder / "probs.npy").read_bytes()
    (folder / "cut.npy").write_bytes(whole[:cut])
    expect(complaint(folder, "--probs", "cut.npy", "--labels", "labels.npy"), "cut.npy")


def test_wrong_magic(folder, task):
    (folder / "no.npy").write_bytes(b"GIF89a" + bytes(200))
    expect(complaint(folder, "--probs", "no.npy", "--labels", "labels.npy"), "no.npy")


@pytest.mark.parametrize("shape", ["(4000, 4)", "(99999999999, 99999999999)", "(-1, 4)", "(400,"])
def test_header_that_lies(folder, task, shape):
    header = ("{'descr': '<f8', 'fortran_order': False, 'shape': %s, }" % shape).ljust(117) + "\n"
    body = np.load(folder / "probs.npy").tobytes()
    (folder / "lie.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + body)
    expect(complaint(folder, "--probs", "lie.npy", "--labels", "labels.npy"), "lie.npy")


def test_object_dtype(folder, task):
    np.save(folder / "obj.npy", np.array([{}, []], dtype=object), allow_pickle=True)
    expect(complaint(folder, "--probs", "obj.npy", "--labels", "labels.npy"), "obj.npy", "object")


def test_complex_dtype(folder, task):
    folder.npy("c.npy", np.ones((400, 4), dtype=complex))
    expect(complaint(folder, "--probs", "c.npy", "--labels", "labels.npy"), "c.npy")


def test_npz_without_the_array(folder, task):
    np.savez(folder / "a.npz", probs=task["probs"], other=task["labels"])
    expect(complaint(folder, "--probs", "a.npz:prob", "--labels", "labels.npy"), "a.npz", "prob", "probs")
    expect(complaint(folder, "--probs", "a.npz", "--labels", "labels.npy"), "a.npz", "probs", "other")


def test_npz_with_broken_checksum(folder, task):
    np.savez(folder / "a.npz", probs=task["probs"])
    whole = bytearray((folder / "a.npz").read_bytes())
    whole[1000] ^= 1
    (folder / "a.npz").write_bytes(whole)
    expect(complaint(folder, "--probs", "a.npz:probs", "--labels", "labels.npy"), "a.npz")


def test_zip_that_is_no_npz(folder, task):
    with zipfile.ZipFile(folder / "z.npz", "w") as z:
        z.writestr("readme.txt", "hello")
    expect(complaint(folder, "--probs", "z.npz", "--labels", "labels.npy"), "z.npz")


@pytest.mark.parametrize("name", ["p.parquet", "p.nii.gz", "p.xyz"])
def test_formats_that_are_not_read(folder, task, name):
    (folder / name).write_bytes(b"PAR1 or whatever it may be")
    expect(complaint(folder, "--probs", name, "--labels", "labels.npy"), name)


def test_csv_unknown_column_suggests_the_nearest(folder, task):
    folder.text("t.csv", "score,label\n0.5,1\n0.25,0\n")
    expect(complaint(folder, "--probs", "t.csv:scor", "--labels", "t.csv:label"), "t.csv", "scor", '"score"')


def test_csv_value_that_is_no_number(folder, task):
    folder.text("t.csv", "p,y\n0.5,1\n0.25x,0\n")
    expect(complaint(folder, "--probs", "t.csv:p", "--labels", "t.csv:y"), "t.csv", "line 3", "0.25x")


def test_csv_missing_value(folder, task):
    folder.text("t.csv", "p,y\n0.5,1\n,0\n")
    expect(complaint(folder, "--probs", "t.csv:p", "--labels", "t.csv:y"), "t.csv", "line 3")


def test_csv_row_of_other_length(folder, task):
    folder.text("t.csv", "p,y\n0.5,1\n0.25\n")
    expect(complaint(folder, "--probs", "t.csv:p", "--labels", "t.csv:y"), "t.csv", "line 3")


# --- shapes ----------------------------------------------------------------------------------------------------------


def test_wrong_shape(folder, task):
    folder.npy("deep.npy", np.full((10, 2, 2, 2), 0.5))
    expect(complaint(folder, "--probs", "deep.npy", "--labels", "labels.npy"), "deep.npy", "10 x 2 x 2 x 2")
    expect(complaint(folder, "--probs", "probs.npy", "--labels", "probs.npy"), "400 x 4")
    folder.npy("wide.npy", np.ones((400, 5), dtype=int))
    expect(complaint(folder, "--probs", "probs.npy", "--counts", "wide.npy"), "wide.npy", "5", "4")


def test_scalar_and_no_rows(folder, task):
    folder.npy("scalar.npy", np.float64(0.5))
    expect(complaint(folder, "--probs", "scalar.npy", "--labels", "labels.npy"), "scalar.npy")
    folder.npy("none.npy", np.zeros((0, 4)))
    folder.npy("nolabels.npy", np.zeros(0, dtype=int))
    expect(complaint(folder, "--probs", "none.npy", "--labels", "nolabels.npy"), "none.npy")


@pytest.mark.parametrize("flag", ["--labels", "--weights", "--groups", "--by", "--ids", "--truth"])
def test_lengths_that_differ(folder, task, flag):
    p = folder.npy("p.npy", task["probs"][:, 0])
    y = folder.npy("y.npy", (task["labels"] == 0).astype(int))
    short = folder.npy("short.npy", np.ones(399))
    args = ["--probs", p, "--labels", y, flag, short] if flag != "--labels" else ["--probs", p, flag, short]
    expect(complaint(folder, *args), "399", "400")


def test_shards_that_do_not_fit(folder, task):
    folder.npy("other.npy", np.full((10, 3), 1 / 3))
    expect(complaint(folder, "--probs", "probs.npy", "other.npy", "--labels", "labels.npy"), "other.npy")


def test_samples_of_other_shapes(folder, task):
    folder.npy("s.npy", np.stack([task["probs"]] * 2))
    folder.npy("other.npy", task["probs"][:10])
    expect(complaint(folder, "--samples", "s.npy", "other.npy", "--labels", "labels.npy"), "other.npy")
    expect(complaint(folder, "--samples", "labels.npy", "--labels", "labels.npy"), "labels.npy", "400")


# --- probabilities ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value,word", [(np.nan, "nan"), (np.inf, "inf"), (-np.inf, "inf")])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_not_finite(folder, task, value, word, dtype):
    bad = probs_with(folder, lambda p: p.__setitem__((17, 2), value), dtype=dtype)
    text = complaint(folder, "--probs", bad, "--labels", "labels.npy").lower()
    expect(text, "bad.npy", "row 17", "column 2", word)


@pytest.mark.parametrize("value,shown", [(1.5, "1.5"), (-0.25, "-0.25")])
def test_outside_of_0_and_1(folder, task, value, shown):
    bad = probs_with(folder, lambda p: p.__setitem__((17, 2), value))
    expect(complaint(folder, "--probs", bad, "--labels", "labels.npy"), "bad.npy", "row 17", "column 2", shown)


def test_binary_column_outside(folder, task):
    p = task["probs"][:, 0].copy()
    p[5] = 1.0000001
    bad = folder.npy("bad.npy", p)
    expect(complaint(folder, "--probs", bad, "--labels", "labels.npy"), "bad.npy", "row 5", "1.0000001")


def test_rows_that_do_not_sum_to_1(folder, task):
    bad = probs_with(folder, lambda p: p.__setitem__(17, [0.5, 0.25, 0.125, 0.0625]))
    expect(complaint(folder, "--probs", bad, "--labels", "labels.npy"), "bad.npy", "row 17", "0.9375", "--normalize")


def test_the_first_bad_row_is_named_whatever_the_threads(folder, task):
    def change(p):
        p[300] = np.nan
        p[17, 2] = 7
        p[399, 0] = -1

    bad = probs_with(folder, change)
    sentences = {complaint(folder, "--probs", bad, "--labels", "labels.npy", "--threads", n) for n in (1, 2, 16)}
    assert len(sentences) == 1
    expect(sentences.pop(), "row 17", "column 2", "7")


def test_logits_given_as_probabilities(folder, task):
    expect(complaint(folder, "--probs", "logits.npy", "--labels", "labels.npy"), "logits.npy", "--logits")


def test_nan_in_logits(folder, task):
    x = task["logits"].copy()
    x[3, 1] = np.nan
    bad = folder.npy("bad.npy", x)
    expect(complaint(folder, "--logits", bad, "--labels", "labels.npy"), "bad.npy", "row 3", "column 1")


# --- labels, counts, ratings, weights ----------------------------------------------------------------------------------


@pytest.mark.parametrize("value,shown", [(4, "4"), (-1, "-1"), (1.5, "1.5"), (np.nan, "nan")])
def test_labels_out_of_range(folder, task, value, shown):
    y = task["labels"].astype(float)
    y[17] = value
    bad = folder.npy("bad.npy", y)
    expect(complaint(folder, "--probs", "probs.npy", "--labels", bad).lower(), "bad.npy", "row 17", shown)


def test_label_that_is_no_class(folder, task):
    folder.text("y.csv", "y\n" + "\n".join(["cat"] * 399 + ["cow"]) + "\n")
    expect(complaint(folder, "--probs", "probs.npy", "--labels", "y.csv:y", "--classes", "cat,dog,bird,fish"), "y.csv", "cow")
    expect(complaint(folder, "--probs", "probs.npy", "--labels", "y.csv:y"), "y.csv", "--classes")


def test_class_names_that_do_not_fit(folder, task):
    expect(complaint(folder, "--probs", "probs.npy", "--labels", "labels.npy", "--classes", "a,b,c"), "--classes", "3", "4")
    expect(complaint(folder, "--probs", "probs.npy", "--labels", "labels.npy", "--classes", "a,b,c,a"), '"a"')
    expect(complaint(folder, "--probs", "probs.npy", "--labels", "labels.npy", "--classes", "a,,c,d"), "--classes")


@pytest.mark.parametrize("value,shown", [(-1, "-1"), (0.5, "0.5"), (np.nan, "nan"), (np.inf, "inf")])
def test_invalid_counts(folder, task, value, shown):
    n = task["counts"].astype(float)
    n[17, 2] = value
    bad = folder.npy("bad.npy", n)
    expect(complaint(folder, "--probs", "probs.npy", "--counts", bad).lower(), "bad.npy", "row 17", "column 2", shown)


@pytest.mark.parametrize("value,shown", [(4, "4"), (0.5, "0.5")])
def test_invalid_ratings(folder, task, value, shown):
    r = np.stack([task["labels"], task["labels"]], axis=1).astype(float)
    r[17, 1] = value
    bad = folder.npy("bad.npy", r)
    expect(complaint(folder, "--probs", "probs.npy", "--ratings", bad), "bad.npy", "row 17", "column 1", shown)


def test_no_votes_at_all(folder, task):
    zeros = folder.npy("zeros.npy", np.zeros((400, 4), dtype=int))
    expect(complaint(folder, "--probs", "probs.npy", "--counts", zeros), "zeros.npy", "vote")
    unrated = folder.npy("unrated.npy", np.full((400, 3), -1))
    expect(complaint(folder, "--probs", "probs.npy", "--ratings", unrated), "unrated.npy", "vote")


@pytest.mark.parametrize("value,shown", [(-0.5, "-0.5"), (np.nan, "nan"), (np.inf, "inf")])
def test_invalid_weights(folder, task, value, shown):
    w = np.ones(400)
    w[17] = value
    bad = folder.npy("bad.npy", w)
    text = complaint(folder, "--probs", "probs.npy", "--labels", "labels.npy", "--weights", bad).lower()
    expect(text, "bad.npy", "row 17", shown)


def test_weights_all_zero(folder, task):
    bad = folder.npy("bad.npy", np.zeros(400))
    expect(complaint(folder, "--probs", "probs.npy", "--labels", "labels.npy", "--weights", bad), "bad.npy", "zero")


def test_truth(folder, task):
    t = folder.npy("t.npy", np.full(400, 0.5))
    expect(complaint(folder, "--probs", "probs.npy", "--labels", "labels.npy", "--truth", t), "binary")
    p = folder.npy("p.npy", task["probs"][:, 0])
    y = folder.npy("y.npy", (task["labels"] == 0).astype(int))
    bad = folder.npy("bad.npy", np.where(np.arange(400) == 9, 1.5, 0.5))
    expect(complaint(folder, "--probs", p, "--labels", y, "--truth", bad), "bad.npy", "row 9", "1.5")


# --- flags -------------------------------------------------------------------------------------------------------------

GOOD = ("--probs", "probs.npy", "--labels", "labels.npy")


@pytest.mark.parametrize("args,parts", [
    ((), ("--probs",)),
    (("--probs", "probs.npy"), ("--labels",)),
    (GOOD + ("--logits", "logits.npy"), ("--probs", "--logits")),
    (GOOD + ("--counts", "counts.npy"), ("--labels", "--counts")),
    (GOOD + ("--bins", "0"), ("--bins", "0")),
    (GOOD + ("--bins", "1000000000"), ("--bins", "1000000000")),
    (GOOD + ("--bins", "1e9"), ("--bins", "1000000000")),
    (GOOD + ("--bins", "-3"), ("--bins", "-3")),
    (GOOD + ("--bins", "ten"), ("--bins", "ten")),
    (GOOD + ("--bins", "10", "--bins", "20"), ("--bins", "2 times")),
    (GOOD + ("--bins",), ("--bins", "value")),
    (GOOD + ("--bins", "10", "20"), ("20",)),
    (GOOD + ("--binning", "with"), ("--binning", "width", "mass", "with")),
    (GOOD + ("--level", "1"), ("--level", "1")),
    (GOOD + ("--level", "95"), ("--level", "95")),
    (GOOD + ("--level", "nan"), ("--level",)),
    (GOOD + ("--threads", "-1"), ("--threads", "-1")),
    (GOOD + ("--threads", "100000"), ("--threads", "100000")),
    (GOOD + ("--seed", "-1"), ("--seed", "-1")),
    (GOOD + ("--seed", "1.5"), ("--seed", "1.5")),
    (GOOD + ("--bootstrap", "-1"), ("--bootstrap", "-1")),
    (GOOD + ("--bootstrap", "1e12"), ("--bootstrap", "1000000000000")),
    (GOOD + ("--clip", "0.5"), ("--clip", "0.5")),
    (GOOD + ("--clip", "-0.1"), ("--clip", "-0.1")),
    (GOOD + ("--metrics", "ece,brierr"), ("brierr", '"brier"')),
    (GOOD + ("--metrics", "mse_p"), ("mse_p",)),
    (GOOD + ("--fail-if", "ece"), ("--fail-if", "ece>0.05")),
    (GOOD + ("--fail-if", "ece>much"), ("--fail-if", "ece>much")),
    (GOOD + ("--fail-if", "ecce>0.1"), ("ecce", '"ece"')),
    (GOOD + ("--metrics", "nll", "--fail-if", "ece>0.1"), ("ece", "--metrics")),
    (GOOD + ("--lables", "x"), ("--lables", '"--labels"')),
    (("probs.npy",), ("probs.npy", "flag")),
    (GOOD + ("--save-state", "--quiet"), ("--save-state", "--quiet")),
    (("--variance", "v.npy", "--targets", "y.npy"), ("--variance", "regression", "--mean")),
    (GOOD + ("--bandwidth", "0"), ("--bandwidth", "0")),
    (GOOD + ("--leave-out", "all"), ("--leave-out", "all")),
])
def test_flags(folder, task, args, parts):
    expect(complaint(folder, *args), *parts)


# --- output ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("flag", ["--json", "--save-state"])
@pytest.mark.parametrize("path", ["labels.npy/out", "no/such/dir/out", "/proc/out"])
def test_unwritable_output(folder, task, flag, path):
    before = folder.names()
    run = folder.run("evaluate", *GOOD, flag, path)
    assert run.code == 2 and run.out == "" and run.err.count("\n") == 1
    expect(run.err, path)
    assert folder.names() == before


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
@pytest.mark.parametrize("flag", ["--json", "--save-state"])
def test_disk_full(folder, task, flag):
    run = folder.run("evaluate", *GOOD, flag, "/dev/full")
    assert run.code == 2 and run.err.count("\n") == 1
    expect(run.err, "/dev/full", "No space left")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_standard_output_full(folder, task):
    with open("/dev/full", "w") as full:
        run = folder.run("evaluate", *GOOD, stdout=full)
    assert run.code == 2 and run.err.count("\n") == 1
    expect(run.err, "standard output")


def test_an_error_leaves_the_old_output_alone(folder, task):
    folder.text("out.json", "mine")
    bad = probs_with(folder, lambda p: p.__setitem__((17, 2), 7))
    assert folder.run("evaluate", "--probs", bad, "--labels", "labels.npy", "--json", "out.json").code == 2
    assert (folder / "out.json").read_text() == "mine"


def test_no_writing_over_an_input(folder, task):
    before = (folder / "probs.npy").read_bytes()
    run = folder.run("evaluate", *GOOD, "--json", "./probs.npy")
    assert run.code == 2 and "probs.npy" in run.err
    assert (folder / "probs.npy").read_bytes() == before


# --- states ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def state(folder, task):
    assert folder.run("evaluate", *GOOD, "--save-state", "s.plumb", "--quiet").code == 0
    return folder / "s.plumb"


@pytest.mark.parametrize("more,word", [(("--bins", "10"), "--bins"), (("--clip", "1e-6"), "--clip"),
                                       (("--classes", "a,b,c,d"), "--classes"), (("--normalize",), "--normalize")])
def test_states_of_unlike_options(folder, state, more, word):
    assert folder.run("evaluate", *GOOD, *more, "--save-state", "t.plumb", "--quiet").code == 0
    expect(complaint(folder, "s.plumb", "t.plumb", command="merge"), "s.plumb", "t.plumb", word)


@pytest.mark.parametrize("change", ["cut", "flip", "magic", "more"])
def test_broken_states(folder, state, change):
    b = bytearray(state.read_bytes())
    if change == "cut":
        b = b[: len(b) // 2]
    elif change == "flip":
        b[len(b) // 2] ^= 64
    elif change == "magic":
        b[:4] = b"GIF8"
    else:
        b += b"x"
    (folder / "bad.plumb").write_bytes(b)
    expect(complaint(folder, "s.plumb", "bad.plumb", command="merge"), "bad.plumb")


def test_merge_of_nothing_or_of_something_else(folder, state):
    expect(complaint(folder, command="merge"), "--save-state")
    expect(complaint(folder, "probs.npy", command="merge"), "probs.npy")
    expect(complaint(folder, "nowhere.plumb", command="merge"), "nowhere.plumb")


def test_state_of_equal_mass_bins(folder, task):
    run = folder.run("evaluate", *GOOD, "--binning", "mass", "--save-state", "m.plumb")
    assert run.code == 2 and "--binning" in run.err and "m.plumb" not in folder.names()


# --- the other commands --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("items", ["0", "-5", "1e10", "x"])
def test_demo_items(folder, items):
    run = folder.run("demo", "--out", "d", "--items", items)
    assert run.code == 2 and run.err.count("\n") == 1 and "--items" in run.err and folder.names() == []


def test_demo_where_nothing_can_be_written(folder):
    folder.text("file", "x")
    run = folder.run("demo", "--out", "file/d")
    assert run.code == 2 and run.err.count("\n") == 1 and "file/d" in run.err


def test_describe_of_nothing(folder):
    for args in ((), ("nowhere.npy",)):
        run = folder.run("describe", *args)
        assert run.code == 2 and run.err.count("\n") == 1 and run.out == ""


@pytest.mark.parametrize("flag", ["--json", "--report", "--save-state", "--plots"])
def test_an_empty_output_name_is_refused(folder, task, flag):
    """A gate whose $OUT is not set must not lose its file silently."""
    r = folder.run("evaluate", "--probs", "probs.npy", "--labels", "labels.npy", flag, "")
    assert r.code == 2 and f"{flag} was given an empty name" in r.err


def test_bins_that_no_memory_holds(folder):
    folder.npy("p.npy", np.full((4, 1000), 0.001))
    folder.npy("y.npy", np.arange(4))
    r = folder.run("evaluate", "--probs", "p.npy", "--labels", "y.npy", "--bins", 1000000)
    assert r.code == 2 and "give at most 1000" in r.err


@pytest.mark.parametrize("args,word", [
    (("evaluate", "--probs", "probs.npy", "--labels", "labels.npy", "--report", "page.txt"), "ends in .html"),
    (("calibrate", "apply", "m.json", "--probs", "probs.npy", "-o", "-"), "instead of -"),
    (("evaluate", "--mean", "probs.npy", "--variance", "probs.npy", "--targets", "probs.npy", "--calibrator", "m.json"),
     "the inputs are those of a regression"),
    (("stability", "--probs", "one.npy", "--labels", "zero.npy"), "give more items"),
])
def test_the_remedy_helps(folder, task, args, word):
    folder.npy("one.npy", [0.5])
    folder.npy("zero.npy", [0])
    folder.run("calibrate", "fit", "--method", "temperature", "--probs", "probs.npy", "--labels", "labels.npy", "-o", "m.json")
    r = folder.run(*args)
    assert r.code == 2 and word in r.err, r.err
    assert "-" not in folder.names() and "page.txt" not in folder.names()
