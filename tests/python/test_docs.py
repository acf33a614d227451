"""The examples in docstrings and in docs/python.md."""
import doctest
import importlib
import pathlib
import pkgutil
import re

import numpy as np
import pytest

import plumb

ROOT = pathlib.Path(__file__).resolve().parents[2]
ELSEWHERE = ("_plumb", "__main__", "torch", "torchmetrics")  # tests/python/with_torch has the latter two
MODULES = ["plumb"] + [f"plumb.{m.name}" for m in pkgutil.iter_modules(plumb.__path__) if m.name not in ELSEWHERE]
OPTIONAL = {"plumb.sklearn": "sklearn", "plumb._display": "sklearn"}


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    if name in OPTIONAL:
        pytest.importorskip(OPTIONAL[name])
    failed, _ = doctest.testmod(importlib.import_module(name), extraglobs={"plumb": plumb})
    assert failed == 0


def python_blocks(page):
    return re.findall(r"^```python run\n(.*?)^```", (ROOT / page).read_text(), re.S | re.M)


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_pages(page, tmp_path, monkeypatch, capsys):
    """Blocks that open with ```python run; those of a page share their variables."""
    monkeypatch.chdir(tmp_path)
    names = {}
    blocks = python_blocks(page)
    assert blocks
    for block in blocks:
        exec(compile(block, page, "exec"), names)  # noqa: S102
