"""Robustness: nothing is lost, misread or damaged by unusual inputs."""
import json
import os
import resource
import signal
import subprocess
import time

import numpy as np
import pytest

from conftest import PLUMB, values

LABELS = ("--probs", "probs.npy", "--labels", "labels.npy")
FIT = ("calibrate", "fit", "--method", "temperature", *LABELS)
FAST = ("--metrics", "accuracy,ece")


def refused(folder, *args, code=2):
    """One sentence without control characters, and every file as it was."""
    before = {name: (folder / name).read_bytes() for name in folder.names() if (folder / name).is_file()}
    run = folder.run(*args)
    assert run.code == code and run.err.startswith("plumb: ") and run.err.count("\n") == 1, (run.code, run.err)
    assert all(c.isprintable() for c in run.err[:-1]), run.err
    assert {name: (folder / name).read_bytes() for name in folder.names() if (folder / name).is_file()} == before
    return run.err


# What may be written where.

@pytest.mark.parametrize("args", [
    ("stability", *LABELS, "--repeats", "2", "--json", "probs.npy"),
    ("stability", *LABELS, "--repeats", "2", "--json", "./labels.npy"),
    ("evaluate", *LABELS, *FAST, "--json", "link"),
    ("evaluate", *LABELS, *FAST, "--save-state", "./sub/../probs.npy"),
    ("uncertainty", *LABELS, "--suspects-csv", "./labels.npy"),
    ("compare", "--model", "a=probs.npy", "--model", "b=probs.npy", "--labels", "labels.npy", "--json", "./probs.npy"),
    (*FIT, "-o", "./probs.npy"),
])
def test_no_output_over_an_input(folder, task, args):
    (folder / "sub").mkdir()
    (folder / "link").symlink_to("probs.npy")
    assert "would overwrite the input" in refused(folder, *args)


@pytest.mark.parametrize("args", [
    ("evaluate", *LABELS, *FAST, "--json", "q.out", "--save-state", "./q.out"),
    ("evaluate", *LABELS, *FAST, "--json", "q.out", "--save-state", "dangling"),
    ("uncertainty", *LABELS, "--json", "q.out", "--suspects-csv", "sub/../q.out"),
    (*FIT, "-o", "q.out", "--cross-fit", "3", "--out-probs", "dangling"),
])
def test_two_outputs_are_never_one_file(folder, task, args):
    (folder / "sub").mkdir()
    (folder / "dangling").symlink_to("q.out")
    assert "same file" in refused(folder, *args)


def test_an_output_follows_its_link(folder, task):
    (folder / "sub").mkdir()
    (folder / "dangling").symlink_to("sub/out.json")
    assert folder.run("evaluate", *LABELS, *FAST, "--quiet", "--json", "dangling").code == 0
    assert (folder / "dangling").is_symlink() and json.loads((folder / "sub" / "out.json").read_text())
    (folder / "loop").symlink_to("loop")
    assert "loop" in refused(folder, "evaluate", *LABELS, *FAST, "--json", "loop")
    assert folder.run("evaluate", *LABELS, *FAST, "--quiet", "--json", "/dev/null", "--save-state", "/dev/null").code == 0


def test_an_input_that_is_a_broken_link(folder, task):
    (folder / "broken.npy").symlink_to("gone.npy")
    err = refused(folder, "evaluate", "--probs", "broken.npy", *LABELS[2:])
    assert "broken.npy is a link to gone.npy, which does not exist" in err


@pytest.mark.parametrize("args", [(*FIT, "-o", "-"), ("evaluate", *LABELS, "--save-state", "-"),
                                  ("uncertainty", *LABELS, "--suspects-csv", "-")])
def test_a_dash_is_no_file(folder, task, args):
    assert "instead of -" in refused(folder, *args)


def test_what_a_killed_run_left_is_swept(folder, task):
    left, other, held = (folder / n for n in (".r.json.plumb-4711-0.tmp", ".mine.tmp", ".s.plumb-4712-3.tmp"))
    for path in (left, other, held):
        path.write_text("half")
    import fcntl
    with held.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert folder.run("evaluate", *LABELS, *FAST, "--quiet", "--json", "r.json").code == 0
        assert not left.exists() and other.exists() and held.exists()


def test_a_killed_run_leaves_what_the_next_one_sweeps(folder, task):
    os.mkfifo(folder / "slow")
    run = subprocess.Popen([PLUMB, "evaluate", *LABELS, "--metrics", "all", "--bootstrap", "100000", "--json", "r.json"], cwd=folder.path,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 60
    while not any(n.endswith(".tmp") for n in folder.names()) and time.monotonic() < end:
        time.sleep(0.02)
    run.send_signal(signal.SIGKILL)
    run.wait()
    assert [n for n in folder.names() if n.endswith(".tmp")]
    assert folder.run("evaluate", *LABELS, *FAST, "--quiet", "--json", "other.json").code == 0
    assert not [n for n in folder.names() if n.endswith(".tmp")]


# Names are text.

def test_long_ids_and_leading_zeros_stay_apart(folder, task):
    n = len(task["labels"])
    ids = [str(12345678901234560 + i % 60) for i in range(n)]
    folder.text("t.csv", "long,zeros\n" + "".join(f"{a},{b}\n" for a, b in zip(ids, np.tile(["007", "7", "07", "0"], n))))
    result = folder.evaluate(*LABELS, "--metrics", "accuracy", "--by", "t.csv:long")
    assert len(result["per_group"]) == 60
    result = folder.evaluate(*LABELS, "--metrics", "accuracy", "--by", "t.csv:zeros")
    assert [s["group"] for s in result["per_group"]] == ["0", "7", "07", "007"]


def test_numerals_are_names_where_the_classes_are_numerals(folder, task):
    labels, k = task["labels"], task["probs"].shape[1]
    folder.npy("from1.npy", labels + 1)
    plain = values(folder.evaluate(*LABELS, *FAST))
    names = ",".join(str(i + 1) for i in range(k))
    assert values(folder.evaluate("--probs", "probs.npy", "--labels", "from1.npy", "--classes", names, *FAST)) == plain
    assert "not among the classes" in refused(folder, "evaluate", *LABELS, "--classes", names)
    assert "a position or a name" in refused(folder, "evaluate", *LABELS, "--classes", ",".join(map(str, reversed(range(k)))))
    folder.npy("p.npy", task["probs"][:, 0])
    folder.npy("y.npy", (labels == 0).astype(int))
    folder.npy("pm.npy", np.where(labels == 0, 1, -1))
    binary = values(folder.evaluate("--probs", "p.npy", "--labels", "y.npy", *FAST))
    assert "--classes -1,1" in refused(folder, "evaluate", "--probs", "p.npy", "--labels", "pm.npy")
    assert values(folder.evaluate("--probs", "p.npy", "--labels", "pm.npy", "--classes", "-1,1", *FAST)) == binary


def table(folder, name, matrix, columns):
    return folder.text(name, ",".join(columns) + "\n" + "".join(",".join(map(repr, map(float, row))) + "\n" for row in matrix))


def test_the_header_names_the_classes(folder, task):
    names = ["ant", "bee", "cat", "dog"]
    table(folder, "p.csv", task["probs"], [f"p_{n}" for n in names])
    folder.text("y.csv", "y\n" + "".join(names[k] + "\n" for k in task["labels"]))
    result = folder.evaluate("--probs", "p.csv", "--labels", "y.csv", *FAST)
    assert result["class_names"] == names
    assert values(result) == values(folder.evaluate(*LABELS, *FAST))
    other = refused(folder, "evaluate", "--probs", "p.csv", "--labels", "y.csv", "--classes", "dog,ant,bee,cat")
    assert "ant, bee, cat, dog" in other and "dog, ant, bee, cat" in other
    own = folder.evaluate("--probs", "p.csv", "--labels", "labels.npy", "--classes", "w,x,y,z", *FAST)
    assert own["class_names"] == ["w", "x", "y", "z"]
    table(folder, "c.csv", task["counts"], ["bee", "ant", "cat", "dog"])
    assert "c.csv" in refused(folder, "evaluate", "--probs", "p.csv", "--counts", "c.csv")
    table(folder, "q.csv", task["probs"][:, ::-1], [f"p_{n}" for n in names[::-1]])
    assert "q.csv" in refused(folder, "compare", "--model", "a=p.csv", "--model", "b=q.csv", "--labels", "y.csv")
    assert "a different order" in refused(folder, "evaluate", "--probs", "p.csv", "q.csv", "--labels", "y.csv")
    table(folder, "numbered.csv", task["probs"], ["p0", "p1", "p2", "p3"])
    assert "class_names" not in folder.evaluate("--probs", "numbered.csv", "--labels", "labels.npy", *FAST) or \
        not folder.evaluate("--probs", "numbered.csv", "--labels", "labels.npy", *FAST)["class_names"]
    table(folder, "turned.csv", task["probs"], ["p3", "p2", "p1", "p0"])
    assert "turned.csv" in refused(folder, "evaluate", "--probs", "turned.csv", "--labels", "labels.npy")


def test_ids_of_another_length(folder, task):
    folder.text("ids.csv", "id\na\nb\n")
    for command in ("evaluate", "uncertainty"):
        text = refused(folder, command, *LABELS, "--ids", "ids.csv:id")
        assert "probs.npy has 400 rows" in text and "ids.csv:id has 2 rows" in text


# Weights: only their ratios count.

@pytest.mark.parametrize("factor", [1 / 3, 1 / 400, 1e-30, 1e-35, 1e-300, 1e11])
@pytest.mark.parametrize("constant", [True, False])
def test_a_common_factor_of_the_weights(folder, task, factor, constant):
    w = np.ones(400) if constant else np.random.default_rng(3).random(400)
    folder.npy("w.npy", w)
    folder.npy("v.npy", w * factor)
    ratings = np.stack([task["rng"].choice(4, size=3, p=p) for p in task["probs"]])
    folder.npy("r.npy", ratings)
    given = ("--probs", "probs.npy", "--ratings", "r.npy", "--metrics", "all")
    a = values(folder.evaluate(*given, "--weights", "w.npy"))
    b = values(folder.evaluate(*given, "--weights", "v.npy"))
    assert a.keys() == b.keys()
    for key in a:
        assert (a[key] is None) == (b[key] is None), key
        assert a[key] is None or abs(a[key] - b[key]) <= 1e-9 * max(1, abs(a[key])), (key, a[key], b[key])


def test_states_of_rescaled_weights_are_refused(folder, task):
    folder.npy("v.npy", np.full(400, 1e-30))
    assert "--save-state" in refused(folder, "evaluate", *LABELS, "--weights", "v.npy", "--save-state", "s", *FAST)


# Inputs that change, and files made to be hard.

def test_refused_threads_are_done_without(folder):
    """100 stacks do not fit in 200 MB: the run goes on with fewer threads and gives the same values."""
    n = 500_000
    folder.npy("p.npy", np.linspace(0, 1, n, dtype=np.float32))
    folder.npy("y.npy", (np.arange(n) % 3 == 0).astype(np.uint8))
    command = ["evaluate", "--probs", "p.npy", "--labels", "y.npy", *FAST, "--quiet", "--json"]
    assert folder.run(*command, "one.json", "--threads", "1").code == 0
    limit = lambda: resource.setrlimit(resource.RLIMIT_DATA, (200 * 10**6, 200 * 10**6))
    done = subprocess.run([PLUMB, *command, "many.json", "--threads", "256"], cwd=folder.path, preexec_fn=limit,
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    one, many = (json.loads((folder / name).read_text())["metrics"] for name in ("one.json", "many.json"))
    assert one == many


def test_an_input_that_shrinks(folder, task):
    probs = np.tile(task["probs"], (500, 1))
    folder.npy("big.npy", probs)
    folder.npy("y.npy", np.tile(task["labels"], 500))
    os.mkfifo(folder / "labels.fifo")
    run = subprocess.Popen([PLUMB, "evaluate", "--probs", "big.npy", "--labels", "labels.fifo", *FAST, "--json", "out.json"],
                           cwd=folder.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with (folder / "labels.fifo").open("wb") as fifo:  # big.npy is mapped by the time this opens
        os.truncate(folder / "big.npy", 8192)
        fifo.write((folder / "y.npy").read_bytes())
    out, err = run.communicate(timeout=60)
    assert run.returncode == 2 and err.count("\n") == 1 and "big.npy became shorter" in err, (run.returncode, err)
    assert "out.json" not in folder.names() and not [n for n in folder.names() if n.endswith(".tmp")]


@pytest.mark.parametrize("head,end", [("", ""), ('{"plumb":"1","command":"evaluate","x":', "}")])
def test_deep_json(folder, head, end):
    folder.text("deep.json", head + "[" * 80000 + "]" * 80000 + end)
    assert "levels deep" in refused(folder, "report", "deep.json", "--plots", "plots")
    assert "levels deep" in refused(folder, "calibrate", "show", "deep.json")


def test_many_keys(folder):
    folder.text("many.json", '{"kind": "plumb calibrator", "format": 1, ' + ",".join(f'"k{i}": 1' for i in range(200_000)) + "}")
    begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    assert "keys" in refused(folder, "calibrate", "show", "many.json")
    taken = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin  # CPU time: others may use the machine too
    assert taken < 5  # 0.01 was measured


def test_seed_is_echoed(folder, task):
    for seed in (2**64 - 1, 2**63, 7):
        assert folder.evaluate(*LABELS, *FAST, "--seed", seed)["settings"]["seed"] == seed


def test_describe_selects(folder, task):
    np.savez(folder / "s.npz", probs=task["probs"], labels=task["labels"])
    text = refused(folder, "describe", "s.npz:nope")
    assert "nope" in text and "probs" in text
    shown = folder.run("describe", "s.npz:labels").out
    assert "s.npz:labels" in shown and "s.npz:probs" not in shown


@pytest.mark.parametrize("args,word", [
    (("evaluate", *LABELS, "--quiet=maybe"), "--quiet takes no value"),
    (("eval", *LABELS), '"evaluate"'),
    (("evaluate", *LABELS, "--metrics", "ECE"), '"ece"'),
    (("calibrate", "fit", "--method", "temp", *LABELS, "-o", "m.json"), '"temperature"'),
    (("compare", "--probs", "probs.npy", "--labels", "labels.npy"), "--model NAME=FILE"),
    (("evaluate", *LABELS, *FAST, "--plots", "plots.png"), "folder"),
    (("compare", "a=probs.npy", "b=probs.npy", "--labels", "labels.npy"), "--model a=probs.npy"),
    (("evaluate", *LABELS, *FAST, "--report", "page.docx"), "ends in .html"),
    (("evaluate", *LABELS, *FAST, "--title", "Mine"), "--report"),
    (("evaluate", "--logits", "logits.npy", "--labels", "labels.npy", "--normalize"), "--normalize"),
    (("evaluate", "--probs", "probs.npy", "probs.npy", "--labels", "labels.npy"), "probs.npy (and 1 more) has 800 rows"),
    (("report", "probs.npy", "-o", "-"), "-o writes a file"),
    (("calibrate", "fit", "--method", "temperature", *LABELS, "--truth", "labels.npy", "-o", "m.json"), "--truth has no effect"),
])
def test_says_what_was_meant(folder, task, args, word):
    assert word in refused(folder, *args)
    assert "plots.png" not in folder.names()


def test_a_list_in_brackets(folder, task):
    half = len(task["probs"]) // 2
    folder.npy("a.npy", task["probs"][:half])
    folder.npy("b.npy", task["probs"][half:])
    run = folder.run("evaluate", "--probs", "[a.npy,b.npy]", "--labels", "labels.npy", *FAST, "--json", "-")
    if run.code == 0:
        assert values(run.json) == values(folder.evaluate(*LABELS, *FAST))
    else:
        assert run.code == 2 and run.err.count("\n") == 1 and "[a.npy,b.npy]" in run.err, run.err


# Text from files.

def test_no_escape_sequence_reaches_the_terminal(folder, task):
    evil = "\x1b]0;owned\x07\x1b[2J\u202edlrow"
    n = len(task["labels"])
    table(folder, "p.csv", task["probs"], ["a", "b", "c", evil])
    folder.text("t.csv", f"site,{evil}\n" + "".join(f"{evil if i % 2 else 'north'},x{i % 3}\n" for i in range(n)))
    (folder / f"{evil}.npy").write_bytes((folder / "probs.npy").read_bytes())
    bad = set("\x1b\x07\u202e")
    for args in (("describe", "p.csv", "t.csv", f"{evil}.npy"), ("evaluate", *LABELS, *FAST, "--by", "t.csv:site"),
                 ("evaluate", "--probs", "p.csv", "--labels", "labels.npy", *FAST), ("describe", f"{evil}.none"),
                 ("list", evil), (evil,), ("evaluate", f"--{evil}")):
        run = folder.run(*args)
        assert not bad & set(run.out + run.err), args
    exact = folder.evaluate(*LABELS, *FAST, "--by", "t.csv:site")
    assert json.dumps(evil)[1:-1] in json.dumps(exact)  # data are data


def test_no_cell_is_a_formula(folder, task):
    n = len(task["labels"])
    folder.text("ids.csv", "id\n" + "".join(f'"=HYPERLINK(""x"",{i})"\n' if i % 2 else f"-{i}\n" for i in range(n)))
    assert folder.run("uncertainty", *LABELS, "--ids", "ids.csv:id", "--suspects", "20", "--suspects-csv", "s.csv", "--quiet").code == 0
    import csv
    ids = [row["id"] for row in csv.DictReader((folder / "s.csv").read_text().splitlines())]
    assert any(i.startswith("'=") for i in ids) and not any(i.startswith("=") for i in ids)


def test_class_names_are_utf8(folder, task):
    run = subprocess.run([os.fsencode(PLUMB), b"evaluate", *map(os.fsencode, LABELS), b"--classes", b"a,b,c,d\xff"], cwd=folder.path,
                         capture_output=True)
    assert run.returncode == 2 and b"UTF-8" in run.stderr and b"\xff" not in run.stderr, run.stderr


@pytest.mark.parametrize("name,content,word", [
    ("a.png", b"\x89PNG\r\n\x1a\n" + bytes(50), "PNG"),
    ("a.csv", b"\x89PNG\r\n\x1a\n" + bytes(50), ".png"),
    ("a.jpg", b"\xff\xd8\xff\xe0" + bytes(50), "JPEG"),
    ("a.json", b'{"p": 0.5, "y": 1}\n{"p": 0.25, "y": 0}\n', "JSON"),
    ("a.csv", b'{"p": 0.5, "y": 1}\n{"p": 0.25, "y": 0}\n', "JSON"),
    ("a.csv", b'"";"p";"y"\n"1";0,5;1\n"2";0,25;0\n', "semicolons"),
])
def test_other_formats_are_named(folder, task, name, content, word):
    (folder / name).write_bytes(content)
    assert word in refused(folder, "evaluate", "--probs", name, "--labels", "labels.npy")


def test_objects_of_text(folder, task):
    np.save(folder / "o.npy", np.array(["a", "b"], dtype=object), allow_pickle=True)
    assert "astype(str)" in refused(folder, "evaluate", "--probs", "probs.npy", "--labels", "o.npy")


def test_regression_words(folder):
    folder.npy("m.npy", np.zeros((4, 10)))
    folder.npy("v.npy", np.ones((3, 10)))
    folder.npy("y.npy", np.zeros(10))
    assert "3 passes" in refused(folder, "evaluate", "--mean-samples", "m.npy", "--variance-samples", "v.npy", "--targets", "y.npy")
    folder.npy("huge.npy", np.full(10, 1e40))
    assert "1e34" in refused(folder, "evaluate", "--mean", "y.npy", "--variance", "huge.npy", "--targets", "y.npy")


def test_kl_p_says_how_many_items_the_clip_moves(folder):
    folder.npy("p.npy", np.full(10, 0.5))
    folder.npy("y.npy", np.arange(10) % 2)
    folder.npy("t.npy", np.r_[0, 1, np.full(8, 0.5)])
    why = folder.evaluate("--probs", "p.npy", "--labels", "y.npy", "--truth", "t.npy", "--metrics", "kl_p")["metrics"]["kl_p"]["why"]
    assert "2 items" in why and "depends on the clip" in why


# Plots.

def test_plots_never_replace_a_result(folder):
    folder.npy("p.npy", np.linspace(0.01, 0.99, 50))
    folder.npy("y.npy", (np.arange(50) % 2))
    data = ["--probs", "p.npy", "--labels", "y.npy", "--metrics", "ece", "--quiet"]
    (folder.path / "plots").mkdir()
    run = folder.run("evaluate", *data, "--plots", "plots", "--json", "plots/reliability.vl.json")
    assert run.code == 2 and run.err.count("\n") == 1 and "--plots" in run.err
    assert folder.run("evaluate", *data, "--json", "plots/reliability.vl.json").code == 0
    run = folder.run("report", "plots/reliability.vl.json", "-o", "r.html", "--plots", "plots")
    assert run.code == 2 and "may overwrite the input" in run.err


def test_weights_too_far_apart_are_bad_input(folder):
    folder.npy("p.npy", np.linspace(0.01, 0.99, 50))
    folder.npy("y.npy", (np.arange(50) % 2))
    folder.npy("w.npy", np.where(np.arange(50) % 2, 1.0, 1e-30))
    run = folder.run("evaluate", "--probs", "p.npy", "--labels", "y.npy", "--weights", "w.npy", "--bootstrap", 50, "--quiet")
    assert run.code == 2 and run.err.count("\n") == 1 and "scale weights" in run.err
