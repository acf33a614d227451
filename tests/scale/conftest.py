"""Shared by the tests of SQL and of clusters: the package and the tool as they were built, and some data."""
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLUMB = os.environ.get("PLUMB_BIN", str(ROOT / "build" / "bin" / "plumb"))
PACKAGE = os.environ.get("PLUMB_PACKAGE", str(ROOT / "build" / "python"))
EXTENSION = os.environ.get("PLUMB_DUCKDB_EXTENSION", str(ROOT / "build" / "lib" / "plumb" / "plumb.duckdb_extension"))
sys.path.insert(0, PACKAGE)
os.environ["PYTHONPATH"] = PACKAGE  # of the workers


def binary(rows, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.random(rows)
    return {"p": p, "y": (rng.random(rows) < p).astype(np.int64), "site": rng.integers(0, 3, rows)}


def classes(rows, seed=0):
    """Probabilities of three classes, and the votes of four raters by class."""
    rng = np.random.default_rng(seed)
    z = rng.dirichlet(np.ones(3), rows)
    z[:, 2] = 1 - z[:, 0] - z[:, 1]
    return z, np.stack([rng.multinomial(4, row / row.sum()) for row in z])


class Tool:
    """The command line, in a folder where arrays become files."""

    def __init__(self, path):
        self.path = path

    def run(self, *arguments):
        done = subprocess.run([PLUMB, *map(str, arguments)], cwd=self.path, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def state(self, *options, **arrays):
        flags = []
        for name, array in arrays.items():
            np.save(self.path / f"{name}.npy", array)
            flags += ["--" + name, f"{name}.npy"]
        self.run("evaluate", *flags, *options, "--save-state", "state", "--quiet")
        return (self.path / "state").read_bytes()

    def result(self, *arguments):
        return json.loads(self.run(*arguments, "--json", "-", "--quiet"))


@pytest.fixture
def tool(tmp_path):
    return Tool(tmp_path)
