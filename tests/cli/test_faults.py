"""Faults: at any point of a command that writes, the system may fail or the command may be killed. Afterwards every file holds what it held
before or all that it should hold, and nothing else is left. tests/faults/fault.cpp makes the system fail at a chosen call."""
import json
import os
import pathlib
import random
import shutil
import subprocess

import numpy as np
import pytest

from conftest import LIMIT_S, PLUMB, ROOT, Folder, make_task, repetitions

LABELS = ("--probs", "probs.npy", "--labels", "labels.npy")
COUNTS = ("--logits", "logits.npy", "--counts", "counts.npy")
FAST = ("--metrics", "accuracy,ece,auroc", "--bandwidth", "0.05")

# Each command and the files that it writes.
COMMANDS = {
    "evaluate": (("evaluate", *LABELS, *FAST, "--json", "r.json", "--save-state", "r.state"), ("r.json", "r.state")),
    "report": (("evaluate", *LABELS, *FAST, "--bootstrap", "20", "--report", "r.html"), ("r.html",)),
    "plots": (("evaluate", *LABELS, *FAST, "--plots", "plots"), ()),
    "fit": (("calibrate", "fit", "--method", "temperature", *COUNTS, "--cross-fit", "3", "--out-probs", "o.npy", "-o", "m.json"),
            ("o.npy", "m.json")),
    "apply": (("calibrate", "apply", "model.json", "--logits", "logits.npy", "-o", "a.csv"), ("a.csv",)),
    "export": (("calibrate", "export", "model.json", "-o", "m.onnx"), ("m.onnx",)),
    "compare": (("compare", "--model", "a=probs.npy", "--model", "b=other.npy", "--labels", "labels.npy", *FAST, "--bootstrap", "20",
                 "--json", "c.json"), ("c.json",)),
    "stability": (("stability", *LABELS, "--repeats", "2", "--json", "s.json"), ("s.json",)),
    "uncertainty": (("uncertainty", *LABELS, "--suspects", "5", "--suspects-csv", "u.csv", "--json", "u.json"), ("u.csv", "u.json")),
    "merge": (("merge", "a.state", "b.state", "--json", "g.json"), ("g.json",)),
    "raters": (("raters", "--ratings", "ratings.npy", "--bootstrap", "10", "--json", "t.json"), ("t.json",)),
    "sets": (("calibrate", "fit", "--method", "sets", *LABELS, "-o", "sets.json"), ("sets.json",)),
}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    path = tmp_path_factory.mktemp("faults") / "fault.so"
    subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-O1", "-shared", "-fPIC", "-o", path, ROOT / "tests/faults/fault.cpp", "-ldl"],
                   check=True)
    return path


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """A folder with the inputs of all commands."""
    folder = Folder(tmp_path_factory.mktemp("inputs"))
    task = make_task(n=300)
    for name in ("probs", "logits", "labels", "counts"):
        folder.npy(name + ".npy", task[name])
    folder.npy("other.npy", task["probs"][:, ::-1] * 0.5 + task["probs"] * 0.5)
    folder.npy("ratings.npy", np.stack([task["labels"], np.roll(task["labels"], 1), task["labels"]], axis=1))
    for name in ("a", "b"):
        assert folder.run("evaluate", *LABELS, *FAST, "--quiet", "--save-state", name + ".state").code == 0
    fit = folder.run("calibrate", "fit", "--method", "temperature", *COUNTS, "-o", "model.json")
    assert fit.code == 0, fit.err
    return folder


def contents(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(pathlib.Path(folder).rglob("*")) if p.is_file()}


def run(folder, args, library=None, fault=None, log=None):
    env = dict(os.environ, PLUMB_FAULT=fault or "count:0")
    if library is not None:
        env["LD_PRELOAD"] = str(library)
    if log is not None:
        env["PLUMB_FAULT_LOG"] = str(log)
    return subprocess.run([PLUMB, *args, "--threads", "2"] if args[0] != "merge" and args[1] not in ("export",) else [PLUMB, *args],
                          cwd=folder, env=env, capture_output=True, text=True, timeout=LIMIT_S)


class Case:
    """A command in a folder of its own: what it leaves undisturbed, and how many calls it makes to write it."""

    def __init__(self, args, outputs, inputs, library, tmp_path):
        self.args, self.library, self.place = args, library, tmp_path
        self.start = tmp_path / "start"
        shutil.copytree(inputs.path, self.start)
        for name in outputs:
            (self.start / name).write_text("what was there before")
        self.before = contents(self.start)
        folder, log = self.fresh(), tmp_path / "calls"
        done = run(folder, args, library, "count:0", log)
        assert done.returncode == 0, done.stderr
        # A command starts no program that counts calls of its own.
        self.calls = int(log.read_text().split()[-1])
        self.after = contents(folder)

    def fresh(self):
        folder = self.place / "run"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.start, folder)
        return folder

    def check(self, folder, fault, killed=False):
        """Every file is old or new; only a killed run may leave an unfinished file."""
        for name, data in contents(folder).items():
            if killed and pathlib.Path(name).name.startswith(".") and name.endswith(".tmp"):
                continue
            assert data in (self.before.get(name), self.after.get(name)), (fault, name, len(data))
        missing = set(self.before) - set(contents(folder))
        assert not missing, (fault, missing)


@pytest.fixture(params=COMMANDS)
def case(request, inputs, library, tmp_path):
    args, outputs = COMMANDS[request.param]
    return Case(args, outputs, inputs, library, tmp_path)


def points(case, whole, brief, seed):
    """Calls to fail at, by chance."""
    return sorted(random.Random(f"{seed} {case.args}").sample(range(1, case.calls + 1), min(case.calls, repetitions(whole, brief))))


def test_a_system_that_fails(case):
    for error in ("ENOSPC", "EIO"):
        for at in points(case, 60, 2, error):
            folder, fault = case.fresh(), f"{error}:{at}"
            done = run(folder, case.args, case.library, fault)
            case.check(folder, fault)
            if done.returncode == 0:
                # The call was not needed: sweeping, or syncing a directory.
                assert contents(folder) == case.after, fault
            else:
                assert done.returncode == 2 and done.stderr.splitlines()[-1].startswith("plumb: "), (fault, done.returncode, done.stderr)
                assert ("No space left" if error == "ENOSPC" else "nput/output error") in done.stderr, (fault, done.stderr)


def test_a_killed_command(case):
    """Over all commands 24 kill points in the short form, 200 and more in the long one."""
    for at in points(case, 30, 2, "kill"):
        folder, fault = case.fresh(), f"KILL:{at}"
        assert run(folder, case.args, case.library, fault).returncode == -9, fault
        case.check(folder, fault, killed=True)
        again = run(folder, case.args)
        assert again.returncode == 0 and contents(folder) == case.after, (fault, again.stderr)


def test_an_interrupted_command(case):
    for name, number in (("INT", 2), ("TERM", 15)):
        for at in points(case, 30, 1, name):
            folder, fault = case.fresh(), f"{name}:{at}"
            done = run(folder, case.args, case.library, fault)
            assert done.returncode in (0, 128 + number, -number), (fault, done.returncode, done.stderr)
            case.check(folder, fault)


def test_short_reads_and_writes(case):
    for size in (7,) if repetitions(2, 1) == 1 else (1000, 7):
        folder = case.fresh()
        done = run(folder, case.args, case.library, f"short:{size}")
        assert done.returncode == 0 and contents(folder) == case.after, (size, done.stderr)


def test_interrupted_system_calls(case):
    for at in points(case, 60, 1, "EINTR"):
        folder, fault = case.fresh(), f"EINTR:{at}"
        done = run(folder, case.args, case.library, fault)
        case.check(folder, fault)
        assert done.returncode in (0, 2), (fault, done.returncode, done.stderr)
