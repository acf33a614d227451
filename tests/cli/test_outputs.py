"""Nothing that a user has or asks for is silently lost: outputs, models and shards with the same file name."""
import numpy as np
import pytest

LABELS = ("--probs", "probs.npy", "--labels", "labels.npy")
COUNTS = ("--logits", "logits.npy", "--counts", "counts.npy")
FIT = ("calibrate", "fit", "--method", "temperature", *LABELS)


def refused(folder, *args):
    """One sentence, exit code 2, and every file as it was."""
    before = {name: (folder / name).read_bytes() for name in folder.names()}
    run = folder.run(*args)
    assert run.code == 2 and run.err.count("\n") == 1, (run.code, run.err)
    assert {name: (folder / name).read_bytes() for name in folder.names()} == before
    return run.err


@pytest.mark.parametrize("args,flags", [
    (("evaluate", *LABELS, "--json", "x", "--report", "x"), ("--json", "--report")),
    (("evaluate", *LABELS, "--json", "x", "--save-state", "x"), ("--json", "--save-state")),
    (("uncertainty", *LABELS, "--json", "x", "--report", "x"), ("--json", "--report")),
    (("uncertainty", *LABELS, "--json", "x", "--suspects-csv", "x"), ("--json", "--suspects-csv")),
    (("compare", "--model", "a=probs.npy", "--model", "b=probs.npy", "--labels", "labels.npy", "--json", "x", "--report", "x"),
     ("--json", "--report")),
    (("stability", *COUNTS, "--json", "x", "--report", "x"), ("--json", "--report")),
    ((*FIT, "-o", "x", "--report", "x"), ("-o", "--report")),
    ((*FIT, "-o", "x", "--cross-fit", "3", "--out-probs", "x"), ("-o", "--out-probs")),
])
def test_two_outputs_on_one_file(folder, task, args, flags):
    text = refused(folder, *args)
    assert "same file x" in text or "node" in text, text  # without a page --report is refused first
    if "same file" in text:
        assert all(flag in text for flag in flags), text


def test_a_model_is_not_written_over_by_its_successor(folder, task):
    assert folder.run(*FIT, "-o", "m.json", "--quiet").code == 0
    assert "m.json" in refused(folder, *FIT, "--after", "m.json", "-o", "m.json")


def test_npy_bytes_get_no_other_name(folder, task):
    assert folder.run(*FIT, "-o", "m.json", "--quiet").code == 0
    assert ".npy" in refused(folder, "calibrate", "apply", "m.json", "--probs", "probs.npy", "-o", "out.npz")


def test_classes_in_another_order_are_noticed(folder, task):
    names = [f"c{k}" for k in range(task["probs"].shape[1])]
    assert folder.run(*FIT, "--classes", ",".join(names), "-o", "m.json", "--quiet").code == 0
    same = folder.run("evaluate", *LABELS, "--classes", ",".join(names), "--calibrator", "m.json", "--metrics", "ece", "--quiet")
    assert same.code == 0, same.err
    other = refused(folder, "evaluate", *LABELS, "--classes", ",".join(names[::-1]), "--calibrator", "m.json", "--metrics", "ece")
    assert "--classes" in other and ",".join(names) in other


def test_a_shard_counts_once(folder, task):
    assert folder.run("evaluate", *LABELS, "--metrics", "ece", "--save-state", "s", "--quiet").code == 0
    assert "twice" in refused(folder, "merge", "s", "s")
    shown = folder.run("merge", "s", "--metrics", "mce").out
    assert "mce" in shown and "more" not in shown


def test_steps_below_one_item(folder, task):
    assert "--step" in refused(folder, "stability", *COUNTS, "--step", "1e-9")
    assert "--estimators" in refused(folder, "stability", *COUNTS, "--estimators", "foo")


def test_one_class_leaves_auto_alone(folder, task):
    folder.npy("zeros.npy", np.zeros(len(task["labels"]), int))
    run = folder.run("calibrate", "fit", "--method", "auto", "--probs", "probs.npy", "--labels", "zeros.npy", "-o", "m.json")
    assert run.code == 0, run.err
    assert "one class" in run.out and "Step 1: none" in run.out, run.out


def test_list_by_word(folder):
    shown = folder.run("list", "sigma").out
    assert "sigma-parts" in shown and "temperature" not in shown
    assert "xyzzy" in refused(folder, "list", "xyzzy")


def test_onnx_bytes_get_no_other_name(folder, task):
    assert folder.run("calibrate", "fit", "--method", "temperature", *LABELS, "-o", "m.json", "--quiet").code == 0
    run = folder.run("calibrate", "export", "m.json", "-o", "m.txt")
    assert run.code == 2 and "name it .onnx" in run.err and "m.txt" not in folder.names()
    assert "to m.onnx" in folder.run("calibrate", "export", "m.json", "-o", "m.onnx").out
