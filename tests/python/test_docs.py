"""The examples in docstrings, in README.md and in the guides."""
import ast
import doctest
import importlib
import os
import pathlib
import pkgutil
import re
import subprocess
import sys

import numpy as np
import pytest

import plumb
from conftest import PLUMB

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
PAGES = ["README.md"] + [page.relative_to(ROOT).as_posix() for page in sorted((ROOT / "docs").rglob("*.md"))
                         if page != ROOT / "docs" / "python-torch.md" and page != ROOT / "docs" / "scale.md" and "```python run" in page.read_text()]


@pytest.mark.parametrize("page", PAGES)
def test_pages(page, tmp_path, monkeypatch, capsys):
    """Blocks that open with ```python run; those of a page share their variables."""
    if ".to_frame" in "".join(python_blocks(page)) or "import pandas" in "".join(python_blocks(page)):
        pytest.importorskip("pandas")
    if page == "docs/python/report.md" and not plumb._core.core.has_page():
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


# Guides of the command line whose page in Python has another name, or that are about something else.
OTHER = {"python": "start", "sql": "scale"}
NOT_GUIDES = {"README", "concepts", "cpp", "formats", "glossary", "gpu", "inference", "numerics", "peers", "python-torch", "reliability", "reproduce",
              "simulate", "state", "train", "train-data", "train-runs"}


def test_every_guide_has_a_page():
    guides = {page.stem for page in (ROOT / "docs").glob("*.md")} - NOT_GUIDES
    assert {f"docs/python/{OTHER.get(guide, guide)}.md" for guide in guides} <= set(PAGES)


def test_every_flag_has_a_place():
    """The page that python/flags writes from the help of every command."""
    done = subprocess.run([sys.executable, ROOT / "python" / "flags", PLUMB], capture_output=True, text=True,
                          env=dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(plumb.__file__))))
    assert done.returncode == 0, done.stderr
    assert done.stdout == (ROOT / "docs" / "python" / "flags.md").read_text()


def test_every_case_of_peers_was_measured():
    """docs/peers.md has the cases that bench/peers runs, and no others; a case that was changed needs bench/peers --write."""
    cases = []
    for source in ("peer_cases.py", "peer_cases_more.py"):
        tree = ast.parse((ROOT / "bench" / source).read_text())
        found = next(node for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "CASES")
        cases += [key.value for key in found.value.keys]
    page = (ROOT / "docs" / "peers.md").read_text()
    table = page[page.index("<!-- bench/peers -->"):page.index("<!-- end -->")]
    assert [row.split("|")[1].strip() for row in table.splitlines() if row.startswith("| ") and row.split("|")[1].strip()] == ["case", *cases]
    assert "not measured" not in table
