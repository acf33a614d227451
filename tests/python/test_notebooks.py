"""The notebook that needs no torch; tests/python/with_torch runs the others."""
from conftest import ROOT, run_notebook


def test_raters(tmp_path, monkeypatch):
    names = run_notebook(ROOT / "docs" / "notebooks" / "raters.ipynb", tmp_path, monkeypatch)
    assert not list(tmp_path.iterdir()) and names["after"]["ece"].value < 0.1
