"""What a result offers."""
import pickle

import pytest

import plumb
from plumb._core import core
from conftest import cohort

D = cohort()
R = plumb.evaluate(probs=D["probs"], counts=D["counts"], groups=D["groups"], bootstrap=30, name="net",
                   metrics=["ece", "nll", "accuracy", "ece_l2_debiased"])


def test_metrics():
    m = R["ece"]
    assert 0 <= m.low <= m.high <= 1 and float(m) == m.value and m.interval and m.p_value is not None
    assert "ece" in R and len(R) == len(list(R)) and set(R.keys()) == set(R)
    assert R["ece_debiased"].value == R["ece_l2_debiased"].value
    with pytest.raises(KeyError, match="did you mean 'ece'"):
        R["eec"]
    assert repr(pickle.loads(pickle.dumps(m))) == repr(m)
    undefined = plumb.evaluate(probs=D["probs"], labels=D["labels"], metrics="el")["el"]
    assert undefined.value is None and "undefined" in repr(undefined)
    with pytest.raises(ValueError, match="undefined"):
        float(undefined)


def test_attributes_and_text():
    assert R.items == 240 and R.classes == 3 and R.verdict["verdict"] in ("off", "cannot tell", "trustworthy")
    assert R.to_dict()["name"] == "net" and "items" in dir(R)
    with pytest.raises(AttributeError, match="has no 'item'"):
        R.item
    assert "ece" in str(R) and "In words" in str(R) and "⟦" not in str(R)
    assert repr(R).startswith("<plumb evaluate: 240 items")
    other = plumb.compare({"a": D["probs"], "b": D["probs"][::-1]}, labels=D["labels"], metrics="nll", bootstrap=20)
    assert other["nll"]["best"] == "a" and "nll" in str(other)
    assert "ece" in str(plumb.stability(probs=D["probs"], counts=D["counts"], repeats=3, step=0.4))
    unsure = plumb.uncertainty(probs=D["probs"], labels=D["labels"])
    assert "entropy" in str(unsure) and unsure["entropy"]["eor"]


def test_provenance():
    assert R.argv[1].startswith("plumb.evaluate(probs=probs, counts=counts, ") and R.argv[0] == "python" and len(R.argv) == 2 and "bootstrap=30" in R.argv[1] and "bins" not in R.argv[1]
    assert [(i["path"], i["shape"]) for i in R.inputs] == [("probs", [240, 3]), ("counts", [240, 3]), ("groups", [240])]


def test_save_load_pickle(tmp_path):
    R.save(tmp_path / "r.json")
    again = plumb.Result.load(tmp_path / "r.json")
    assert again == R and again["ece"].value == R["ece"].value
    copy = pickle.loads(pickle.dumps(R))
    assert copy == R and str(copy) == str(R)
    (tmp_path / "x.json").write_text("[]")
    with pytest.raises(ValueError, match="not a result of plumb"):
        plumb.Result.load(tmp_path / "x.json")
    with pytest.raises((ValueError, OSError)):
        R.save(tmp_path / "no" / "r.json")


def test_frames():
    pytest.importorskip("pandas")
    frame = R.to_frame().set_index("metric")
    assert frame.loc["ece", "value"] == R["ece"].value and frame.loc["nll", "low"] == R["nll"].low
    table = R.to_frame("reliability")
    assert len(table) == 15 and "mean_p" in table.columns
    with pytest.raises(KeyError, match="reliability"):
        R.to_frame("reliabilty")


def test_plots():
    assert "reliability" in R.plots
    plot = R.plot()
    assert "vega-lite" in plot["$schema"] and plot.get("datasets") or plot.get("data")
    assert any("vegalite" in kind for kind in plot._repr_mimebundle_())
    with pytest.raises(ValueError, match="there is no plot"):
        R.plot("nothing")


def test_report(tmp_path):
    if not core.has_page():
        pytest.skip("the report page was not built in: node or web/node_modules is missing")
    R.report(tmp_path / "a.html", title="A <net>")
    page = (tmp_path / "a.html").read_text()
    assert "<html" in page and "A &lt;net&gt;" in page
    plumb.report(before=R, after=R, path=tmp_path / "b.html")
    assert "before" in (tmp_path / "b.html").read_text()
    assert R._repr_html_().startswith("<iframe srcdoc=")
    with pytest.raises(ValueError, match=".html"):
        R.report(tmp_path / "a.pdf")
    with pytest.raises(ValueError, match="at least one"):
        plumb.report(path=tmp_path / "c.html")


def test_the_next_step_is_a_call():
    p, y = [0.2, 0.4, 0.6, 0.8] * 30, [0, 1, 0, 1] * 30
    shown = str(plumb.evaluate(probs=p, labels=y, metrics="ece"))
    assert "plumb.evaluate(probs=probs, labels=labels, metrics='ece', bootstrap=200)" in " ".join(shown.split())
    few = str(plumb.evaluate(probs=p, labels=y, bootstrap=20, level=0.99))
    assert "bootstrap=200" in few and "bootstrap=20," not in few
    cases = str(plumb.evaluate_cases([{"probs": [[0.2, 0.8]], "ratings": [[[0, 1]], [[1, 1]]]}], metrics="ece"))
    assert "plumb plumb" not in shown + few + cases and "--" not in shown + few + cases
