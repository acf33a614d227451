"""Shared by the tests of the Python package: the package as it was built, the tool beside it, small data."""
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLUMB = os.environ.get("PLUMB_BIN", str(ROOT / "build" / "bin" / "plumb"))
DATA = pathlib.Path(os.environ.get("PLUMB_DATA", ROOT.parent / "shared" / "data"))
if not os.environ.get("PLUMB_INSTALLED"):  # else what pip installed is tested
    sys.path.insert(0, str(ROOT / "build" / "python"))

import plumb  # noqa: E402


@pytest.fixture(autouse=True)
def in_docs(doctest_namespace):
    doctest_namespace["plumb"] = plumb


class Folder:
    """A folder where arrays become files for the tool."""

    def __init__(self, path):
        self.path = path

    def flags(self, arrays):
        """--probs probs.npy ... of {"probs": array}."""
        out = []
        for name, array in arrays.items():
            np.save(self.path / f"{name}.npy", array)
            out += ["--" + name.replace("_", "-"), f"{name}.npy"]
        return out

    def run(self, *args):
        env = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}  # of tests/python/asan
        done = subprocess.run([PLUMB, *map(str, args)], cwd=self.path, capture_output=True, text=True, timeout=300, env=env)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def json(self, *args):
        return json.loads(self.run(*args, "--json", "-").replace(".npy", ""))


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path)


def same(python, tool):
    """The result of Python has everything that the tool's JSON has, bit for bit, but for who asked and from where."""
    ours = python.to_dict()
    assert set(ours) == set(tool)
    for member in set(ours) - {"argv", "inputs"}:
        assert ours[member] == tool[member], member
    read = [sorted((i["shape"], i["dtype"]) for i in result["inputs"]) for result in (ours, tool)]
    assert read[0] == read[1]


def cohort(n=240, classes=3, votes=5, seed=1):
    """Over-confident probabilities of a known model, with several votes per item."""
    rng = np.random.default_rng(seed)
    logits = 1.5 * rng.normal(size=(n, classes))
    true = np.exp(logits - logits.max(1, keepdims=True))
    true /= true.sum(1, keepdims=True)
    ratings = np.stack([(true.cumsum(1) < rng.random((n, 1))).sum(1) for _ in range(votes)], 1)
    ratings[rng.random(ratings.shape) < 0.2] = -1
    ratings[:, 0] = np.abs(ratings[:, 0])
    counts = np.stack([(ratings == k).sum(1) for k in range(classes)], 1)
    sharp = np.exp(1.4 * logits)
    return {"probs": sharp / sharp.sum(1, keepdims=True), "logits": 1.4 * logits, "labels": ratings[:, 0], "ratings": ratings,
            "counts": counts, "truth": true[:, -1], "weights": rng.integers(1, 4, n) / 2, "groups": rng.integers(0, 60, n),
            "by": np.array([f"site {i}" for i in rng.integers(0, 3, n)])}


def run_notebook(path, folder, monkeypatch):
    """Runs the code cells of a notebook in order, in an empty folder. What ends a cell must have a form that Jupyter can show."""
    import ast
    monkeypatch.chdir(folder)
    names = {"__name__": "__main__"}
    cells = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
    assert len(cells) > 3 and not any(cell["outputs"] for cell in cells)
    for i, cell in enumerate(cells):
        source = "".join(cell["source"])
        tree = ast.parse(source)
        shown = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) and not source.rstrip().endswith(";") else None
        exec(compile(tree, f"{path.name}, cell {i}", "exec"), names)  # noqa: S102
        if shown is not None:
            value = eval(compile(ast.Expression(shown.value), f"{path.name}, cell {i}", "eval"), names)  # noqa: S307
            assert value is None or getattr(value, "_repr_html_", value.__repr__)()
    return names
