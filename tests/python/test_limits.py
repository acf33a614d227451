"""What importing and calling cost: CPU time, the least of several runs, and on a busy or slow machine in proportion to numpy's."""
import os
import subprocess
import sys
import time

import numpy as np
import pytest

import plumb
from conftest import ROOT

IMPORT_SECONDS = 0.15  # 0.01 was measured, and 0.10 with numpy and all functions
NUMPY_SECONDS = 0.075  # what importing numpy takes on a machine that has nothing else to do
# 13 microseconds were measured (docs/python.md); 20 are promised on a machine that has nothing else to do.
CALL_SECONDS = 20e-6
LOOP_SECONDS = 11e-6  # what adding_up() took on that machine
TREE = str(ROOT / "build" / "python")
EVERYTHING = "import numpy, plumb; plumb.evaluate, plumb.metrics.ece, plumb.fit, plumb.Accumulator, plumb.train"


@pytest.fixture(scope="module")
def cached(tmp_path_factory):
    """An environment where compiled Python files are kept, as pip leaves them."""
    folder = tmp_path_factory.mktemp("cache")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment.update(PYTHONPATH=TREE, PYTHONPYCACHEPREFIX=str(folder))
    seconds_of(EVERYTHING, environment)
    return environment


def seconds_of(imports, environment):
    code = f"import time; begin = time.process_time(); {imports}; print(time.process_time() - begin)"
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment).stdout)


def loaded(statement):
    code = f"{statement}\nimport sys; print(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                              env=dict(os.environ, PYTHONPATH=TREE)).stdout.split())


def test_importing_is_quick(cached):
    runs = [[seconds_of(imports, cached) for imports in ("import numpy", "import plumb", EVERYTHING)] for _ in range(5)]
    numpy_alone, alone, everything = map(min, zip(*runs))
    slow = max(1, numpy_alone / NUMPY_SECONDS)  # above 1: the machine is busy, or not the one of the measurements
    assert everything < IMPORT_SECONDS * slow, runs
    assert alone < 0.4 * max(numpy_alone, NUMPY_SECONDS), runs


def test_importing_brings_nothing_along():
    heavy = {"torch", "torchmetrics", "sklearn", "pandas", "polars", "pyarrow", "matplotlib", "altair", "tqdm"}
    light = loaded("import plumb")
    assert "plumb._plumb" in light and not light & (heavy | {"numpy", "inspect", "json", "plumb.functions", "plumb.metrics"})
    assert not loaded(EVERYTHING) & heavy


def test_names_are_found_when_they_are_used():
    assert set(plumb.__all__) <= set(dir(plumb))
    assert all(getattr(plumb, name) is not None for name in plumb.__all__)
    assert plumb.evaluate is plumb.functions.evaluate and plumb.sklearn.Temperature.__module__ == "plumb.sklearn"
    with pytest.raises(AttributeError, match="no attribute 'evalute'"):
        plumb.evalute  # noqa: B018
    with pytest.raises(ImportError):
        exec("from plumb import evalute")  # noqa: S102


def adding_up(numbers):
    total = 0.0
    for x in numbers:
        total += x * x
    return total


def test_a_call_costs_little():
    rng = np.random.default_rng(0)
    p = rng.random(1000)
    y = (rng.random(1000) < p).astype(np.uint8)
    taken, added_in, numbers = [], [], p.tolist()
    for _ in range(20):
        begin = time.thread_time()
        for _ in range(100):
            plumb.metrics.ece(p, y)
        middle = time.thread_time()
        for _ in range(100):
            adding_up(numbers)
        taken.append((middle - begin) / 100)
        added_in.append((time.thread_time() - middle) / 100)
    slow = max(1, min(added_in) / LOOP_SECONDS)  # the same machine, the same minute
    assert min(taken) < CALL_SECONDS * slow, (min(taken), min(added_in))
