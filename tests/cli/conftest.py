"""Shared by the tests of the command line: the tool itself, small inputs, the real data if available."""
import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLUMB = os.environ.get("PLUMB_BIN", str(ROOT / "build" / "bin" / "plumb"))
DATA = pathlib.Path(os.environ.get("PLUMB_DATA", ROOT.parent / "shared" / "data"))
LIMIT_S = 300


class Run:
    """One run of the tool: exit code, output, and the JSON of it."""

    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    @property
    def json(self):
        assert self.code in (0, 3), self.err
        return json.loads(self.out)


def run_plumb(*args, cwd=None, env=None, stdout=subprocess.PIPE):
    full = dict(os.environ, **(env or {}))
    done = subprocess.run([PLUMB, *map(str, args)], cwd=cwd, env=full, stdout=stdout, stderr=subprocess.PIPE,
                          text=True, timeout=LIMIT_S)
    return Run(done)


class Folder:
    """A temporary folder to run in, with ways to put inputs there."""

    def __init__(self, path):
        self.path = path

    def __truediv__(self, name):
        return self.path / name

    def npy(self, name, array):
        np.save(self.path / name, array)
        return name

    def text(self, name, text):
        (self.path / name).write_text(text, newline="")
        return name

    def run(self, *args, **more):
        return run_plumb(*args, cwd=self.path, **more)

    def evaluate(self, *args, **more):
        """The JSON of plumb evaluate; with a bandwidth given, since searching for it takes time."""
        given = () if "--bandwidth" in args else ("--bandwidth", "0.05")
        return self.run("evaluate", *given, *args, "--json", "-", **more).json

    def names(self):
        return sorted(p.name for p in self.path.iterdir())


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path)


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def make_task(n=400, k=4, seed=1):
    """Logits, probabilities, labels, and counts of 1 to 5 votes from an over-confident model."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(n, k)) * 1.5
    votes = rng.integers(1, 6, size=n)
    counts = np.stack([rng.multinomial(v, p) for v, p in zip(votes, softmax(truth))])
    logits = 2.0 * truth + rng.normal(size=(n, k)) * 0.5
    return {"logits": logits, "probs": softmax(logits), "labels": counts.argmax(axis=1), "counts": counts, "rng": rng}


@pytest.fixture
def task(folder):
    """A multiclass task in files: probs.npy (float64), logits.npy, labels.npy, counts.npy."""
    t = make_task()
    for name in ("probs", "logits", "labels", "counts"):
        folder.npy(name + ".npy", t[name])
    return t


def values(result, part="metrics"):
    return {key: m["value"] for key, m in result[part].items()}


def without_argv(result):
    """What must not depend on how the same data were given."""
    return {k: v for k, v in result.items() if k not in ("argv", "inputs")}


def repetitions(whole, brief):
    """How often a long test repeats itself: briefly in "make test", wholly in "make test-long" (PLUMB_LONG=1)."""
    return whole if os.environ.get("PLUMB_LONG", "0") not in ("", "0") else brief


needs_data = pytest.mark.skipif(not DATA.is_dir(), reason=f"the real data are not at {DATA} (set PLUMB_DATA)")
