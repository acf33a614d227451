"""The examples in docstrings, in README.md and in the guides."""
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


# docs/python-torch.md is run by tests/python/with_torch, docs/scale.md by tests/scale.
PAGES = ["README.md"] + [f"docs/{page.name}" for page in sorted((ROOT / "docs").glob("*.md"))
                         if page.name not in ("python-torch.md", "scale.md") and "```python run" in page.read_text()]


@pytest.mark.parametrize("page", PAGES)
def test_pages(page, tmp_path, monkeypatch, capsys):
    """Blocks that open with ```python run; those of a page share their variables."""
    if page in ("docs/annotations.md", "docs/validation.md"):
        pytest.importorskip("pandas")
    if page == "docs/report.md" and not plumb._core.core.has_page():
        pytest.skip("the report page was not built in: node or web/node_modules is missing")
    monkeypatch.chdir(tmp_path)
    names = {}
    try:
        for block in python_blocks(page):
            exec(compile(block, page, "exec"), names)  # noqa: S102
    except ValueError as error:
        if "libplumb_figures.so" not in str(error):
            raise
        pytest.skip(str(error))


def test_every_guide_has_an_example():
    guides = ["annotations", "calibrate", "compare", "figures", "gates", "python", "regression", "report", "stability", "uncertainty",
              "validation"]
    assert {f"docs/{guide}.md" for guide in guides} <= set(PAGES)
