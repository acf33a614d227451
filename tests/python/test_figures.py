"""Figures, charts and frames of results: the files of the command line, byte for byte."""
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

import plumb
from conftest import PLUMB, ROOT, cohort

D = cohort()
R = plumb.evaluate(probs=D["probs"], counts=D["counts"], by={"site": D["by"]}, bootstrap=20, name="net",
                   metrics=["ece", "nll", "auroc"])


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("figures")
    R.save(folder / "result.json")
    return folder


def figures_or_skip(folder):
    try:
        R.save_figure(folder / "reliability.svg")
    except ValueError as error:
        if "libplumb_figures.so" in str(error):
            pytest.skip(f"figures were not built: {error}")
        raise


@pytest.mark.parametrize("suffix", ["svg", "pdf", "png"])
def test_the_bytes_of_the_command_line(saved, suffix):
    figures_or_skip(saved)
    R.save_figure(saved / f"reliability.{suffix}")
    R.save_figure(saved / f"mine.{suffix}", "slices", view="nll", width=85, height=60, font=8, title="A title", dpi=100)
    subprocess.run([PLUMB, "report", "result.json", "--figure", f"reliability=tool.{suffix}"], cwd=saved, check=True)
    subprocess.run([PLUMB, "report", "result.json", "--figure", f"slices:nll=sized.{suffix}", "--figure-width", "85",
                    "--figure-height", "60", "--figure-font", "8", "--figure-title", "A title", "--figure-dpi", "100"],
                   cwd=saved, check=True)
    for ours, tool in (("reliability", "tool"), ("mine", "sized")):
        assert (saved / f"{ours}.{suffix}").read_bytes() == (saved / f"{tool}.{suffix}").read_bytes(), ours


def test_wrong_figures_are_refused(saved):
    figures_or_skip(saved)
    for call, why in ((("x.jpg", "reliability"), "x.jpg is neither"), (("x.svg", "reliabilty"), "did you mean \"reliability\""),
                      (("x.svg",), "no plot \"x\"")):
        with pytest.raises(ValueError, match=why):
            R.save_figure(saved / call[0], *call[1:])
    with pytest.raises(ValueError, match="there is no metric of this name"):
        R.save_figure(saved / "x.svg", "slices", view="nl")
    with pytest.raises(ValueError, match="width"):
        R.save_figure(saved / "x.svg", "reliability", width=-3)
    with pytest.raises(TypeError, match="no argument colour="):
        R.save_figure(saved / "x.svg", "reliability", colour="red")
    assert not (saved / "x.svg").exists()


def test_charts_of_altair():
    altair = pytest.importorskip("altair")
    for name in R.plots:
        chart = R.plot(name).to_altair()
        assert isinstance(chart, altair.TopLevelMixin) and chart.to_dict(), name


def test_every_plot_is_a_specification(saved):
    for name in R.plots:
        spec = R.plot(name)
        spec.save(saved / "spec.json")
        assert json.loads((saved / "spec.json").read_text()) == spec and "vega-lite" in spec["$schema"]


def test_frames_of_every_command():
    pytest.importorskip("pandas")
    frame = R.to_frame().set_index("metric")
    assert frame.loc["ece", "value"] == R["ece"].value and frame.loc["nll", "low"] == R["nll"].low
    u = plumb.uncertainty(probs=D["probs"], labels=D["labels"])
    row = u.to_frame().set_index("measure").loc["entropy"]
    assert row["auroc"] == u["entropy"]["auroc"]["value"] and row["eor_bins"] == u["entropy"]["eor_bins"]
    s = plumb.stability(probs=D["probs"], counts=D["counts"], estimators=["ece"], start=0.5, step=0.25, repeats=3)
    rows = s.to_frame()
    assert set(rows["labels"]) == {"multi", "single"} and list(rows["mean"][:3]) == s["ece"]["multi"]["mean"]
    c = plumb.compare({"a": D["probs"], "b": D["logits"].astype(float) * 0 + 1 / 3}, labels=D["labels"], metrics=["nll"])
    assert list(c.to_frame()["model"]) == ["a", "b"]


def test_polars_where_there_is_no_pandas(monkeypatch):
    polars = pytest.importorskip("polars")
    monkeypatch.setitem(sys.modules, "pandas", None)
    frame = R.to_frame()
    assert isinstance(frame, polars.DataFrame) and frame.filter(polars.col("metric") == "ece")["value"][0] == R["ece"].value
    assert isinstance(R.to_frame("reliability"), polars.DataFrame)
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match="needs pandas or polars"):
        R.to_frame()


def test_the_report_inline_and_as_a_file(saved):
    R.report(saved / "r.html")
    page = (saved / "r.html").read_text()
    assert page.startswith("<!") and "net" in page and len(page) > 100_000
    inline = R._repr_html_()
    assert inline.startswith("<iframe srcdoc=") and "sandbox" in inline
    with pytest.raises(ValueError, match="ends in .html"):
        R.report(saved / "r.txt")


def test_the_report_as_a_pdf(saved, monkeypatch):
    """Printed by the command, with Chromium; without either the reason is given."""
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ValueError, match="printed by the command plumb, which is not there"):
        R.report(saved / "r.pdf")
    monkeypatch.setenv("PATH", f"{os.path.dirname(PLUMB)}:/usr/bin:/bin")
    if not shutil.which("chromium"):
        pytest.skip("there is no chromium to print with")
    plumb.report(before=R, after=R, path=saved / "r.pdf", title="Two")
    assert (saved / "r.pdf").read_bytes().startswith(b"%PDF")
    R.report(saved / "one.pdf")
    assert (saved / "one.pdf").stat().st_size > 10_000


def test_a_notebook_needs_no_file(tmp_path):
    """A result, its figure's specification, its page and a calibrated model, in an empty folder that stays empty."""
    code = (f"import sys; sys.path.insert(0, {str(ROOT / 'build' / 'python')!r})\nimport numpy as np, plumb\n"
            "p = np.linspace(0.01, 0.99, 200); y = np.arange(200) % 3 == 0\nr = plumb.evaluate(probs=p, labels=y, bootstrap=20)\n"
            "r._repr_html_(), r.plot(), str(r), plumb.fit('platt', probs=p, labels=y).apply(p)")
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    assert not list(tmp_path.iterdir())
    assert np.isfinite(R["ece"].value)
