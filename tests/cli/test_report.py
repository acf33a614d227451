"""plumb report, --report and --plots: one page, a pure function of results, and a clear message if there is none."""
import json
import re

import pytest
from conftest import Folder

QUICK = ("--metrics", "ece,accuracy,nll", "--quiet")


@pytest.fixture
def results(folder, task):
    """raw.json and page.html of one run, other.json of another."""
    run = folder.run("evaluate", "--probs", "probs.npy", "--counts", "counts.npy", *QUICK, "--json", "raw.json", "--report",
                     "page.html")
    if run.code == 2 and "no report page" in run.err:
        pytest.skip(run.err.strip())
    assert run.code == 0, run.err
    assert folder.run("evaluate", "--probs", "probs.npy", "--labels", "labels.npy", *QUICK, "--json", "other.json").code == 0
    return folder


def document(path):
    return json.loads(re.search(r'id="plumb-document">(.*?)</script>', path.read_text(), re.S).group(1))


def test_a_saved_result_gives_the_same_page(results):
    assert results.run("report", "raw.json", "-o", "again.html").code == 0
    assert (results / "again.html").read_bytes() == (results / "page.html").read_bytes()


def test_with_a_report_the_result_says_what_it_was_made_from(results):
    made, plain = (json.loads((results / name).read_text()) for name in ("raw.json", "other.json"))
    assert all(re.fullmatch("[0-9a-f]{64}", i["sha256"]) for i in made["inputs"])
    assert 0 < len(made["tables"]["sample"]) <= 2000
    assert not any("sha256" in i for i in plain["inputs"]) and "sample" not in plain["tables"]


def test_a_million_items_are_sampled(folder: Folder, results):
    import numpy as np
    rng = np.random.default_rng(0)
    p = rng.random(1_000_000)
    folder.npy("p.npy", p)
    folder.npy("y.npy", (rng.random(p.size) < p).astype(np.uint8))
    assert folder.run("evaluate", "--probs", "p.npy", "--labels", "y.npy", *QUICK, "--report", "big.html").code == 0
    assert (folder / "big.html").stat().st_size < 2_500_000


def test_results_go_together_under_their_names(results):
    assert results.run("report", "raw.json", "other.json", "--names", "raw,after", "-o", "both.html").code == 0
    doc = document(results / "both.html")
    assert [m["name"] for m in doc["models"]] == ["raw", "after"]
    assert {p["name"] for s in doc["sections"] for p in s["plots"]} >= {"reliability", "confidence"}
    assert results.run("report", "raw.json", "other.json", "-o", "both.html").code == 0
    assert [m["name"] for m in document(results / "both.html")["models"]] == ["raw", "other"]


def test_plots_are_specs_with_their_data(results):
    run = results.run("report", "raw.json", "--plots", "plots")
    assert run.code == 0, run.err
    spec = json.loads((results / "plots" / "reliability.vl.json").read_text())
    assert "vega-lite" in spec["$schema"] and len(spec["datasets"]["rows"]) > 5
    assert not list((results / "plots").glob(".plumb*")), "nothing else is left there"
    if not run.err:
        assert (results / "plots" / "reliability.svg").read_text().startswith("<svg")


@pytest.mark.parametrize("args, words", [
    (("report",), "no result given"),
    (("report", "raw.json"), "-o report.html"),
    (("report", "none.json", "-o", "x.html"), "none.json"),
    (("report", "probs.npy", "-o", "x.html"), "not JSON"),
    (("report", "odd.json", "-o", "x.html"), "not a plumb result"),
    (("report", "raw.json", "--names", "a,b", "-o", "x.html"), "2 names for 1 result"),
    (("report", "raw.json", "-o", "raw.json"), "overwrite the input"),
    (("report", "raw.json", "-o", "nowhere/x.html"), "nowhere"),
    (("evaluate", "--probs", "probs.npy", "--labels", "labels.npy", "--report", "-"), "give it a name"),
    (("evaluate", "--probs", "probs.npy", "--labels", "labels.npy", "--report", "x", "--json", "x"), "same file"),
])
def test_bad_usage_is_one_sentence_and_leaves_nothing(results, args, words):
    results.text("odd.json", '{"a": 1}')
    before = results.names()
    run = results.run(*args)
    assert run.code == 2 and words in run.err and run.err.count("\n") == 1, run.err
    assert results.names() == before
