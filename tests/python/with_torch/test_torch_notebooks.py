"""The notebooks that need torch, the page about torch, and docstrings."""
import doctest
import re

import pytest

import plumb.torch
import plumb.torchmetrics
from conftest import ROOT, run_notebook


@pytest.mark.parametrize("name", ["ship", "regression"])
def test_notebook(name, tmp_path, monkeypatch):
    run_notebook(ROOT / "docs" / "notebooks" / f"{name}.ipynb", tmp_path, monkeypatch)


def test_every_notebook_is_tested():
    assert {path.stem for path in (ROOT / "docs" / "notebooks").glob("*.ipynb")} == {"raters", "ship", "regression"}


@pytest.mark.parametrize("module", [plumb.torch, plumb.torchmetrics], ids=lambda m: m.__name__)
def test_docstrings(module):
    assert doctest.testmod(module) == (0, doctest.testmod(module).attempted)


def test_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    blocks = re.findall(r"^```python run\n(.*?)^```", (ROOT / "docs" / "python-torch.md").read_text(), re.S | re.M)
    assert blocks
    for block in blocks:
        exec(compile(block, "python-torch.md", "exec"), names)  # noqa: S102
