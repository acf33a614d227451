"""The .pyi files: written from the sources, true at run time (mypy's stubtest), and of use to a type checker."""
import ast
import os
import subprocess
import sys

import pytest

import plumb
from conftest import ROOT

TREE = ROOT / "build" / "python"
ENVIRONMENT = dict(os.environ, PYTHONPATH=str(TREE), MYPYPATH=str(TREE))
# What stubtest cannot know: the entry point imports the package that only a wheel has; torch is in another environment, where
# tests/python/with_torch compares the signatures; a namespace that has a class in the stub.
ALLOWED = ["plumb.__main__", "plumb.metrics.regression", "plumb.torch", "plumb.torchmetrics", "plumb._parts"]
SETTINGS = "[mypy]\nignore_missing_imports = True\n"


def test_the_stubs_are_current(tmp_path):
    subprocess.run([sys.executable, ROOT / "python" / "stubs", tmp_path], check=True, env=ENVIRONMENT)
    written = sorted(path.name for path in tmp_path.iterdir())
    assert written == sorted(path.name for path in (ROOT / "python" / "plumb").glob("*.pyi"))
    for name in written:
        assert (tmp_path / name).read_text() == (ROOT / "python" / "plumb" / name).read_text(), name
    names = {node.name for node in ast.parse((tmp_path / "metrics.pyi").read_text()).body if isinstance(node, ast.FunctionDef)}
    assert {row["key"] for row in plumb.metrics.registry} <= names


def test_they_are_true(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "mypy.ini").write_text(SETTINGS)
    (tmp_path / "allowed").write_text("\n".join(ALLOWED))
    done = subprocess.run([sys.executable, "-m", "mypy.stubtest", "--mypy-config-file", "mypy.ini", "--allowlist", "allowed",
                           "--ignore-missing-stub", "--ignore-unused-allowlist", "plumb"], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


PROGRAM = """
import numpy, plumb
p = numpy.zeros(3)
result = plumb.evaluate(probs=p, labels=[0, 1, 0], bootstrap=100)
metric: plumb.Metric = result["ece"]
low: float = metric.low or 0.0
value: float = plumb.metrics.ece(p, [0, 1, 0], bins=10)
rows: list[dict[str, object]] = list(plumb.calibrators())
reveal_type(plumb.fit("platt", probs=p, labels=p).apply(p))
"""
WRONG = {"plumb.evaluate(prob=1)": "prob", "plumb.metrics.ece([1], [1], bins='ten')": "bins", "plumb.metrics.regression.crsp()": "crsp",
         "plumb.fit(5)": "method", "plumb.evaluate(probs=1).plot(name=3)": "name", "plumb.Result.load(1.5)": "path"}


def test_they_help_a_type_checker(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "mypy.ini").write_text(SETTINGS)
    (tmp_path / "program.py").write_text(PROGRAM + "\n".join(WRONG))
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--config-file", "mypy.ini", "program.py"], cwd=tmp_path,
                          env=ENVIRONMENT, capture_output=True, text=True)
    complaints = [line for line in done.stdout.splitlines() if ": error:" in line]
    first = PROGRAM.count("\n") + 1
    assert [int(line.split(":")[1]) for line in complaints] == list(range(first, first + len(WRONG))), done.stdout
    assert "ndarray" in done.stdout
