"""The core names options by a marker, never by a flag; each front end spells it, and JSON has it in backticks."""
import json
import re

import numpy as np
import pytest

from conftest import ROOT, run_plumb

LITERAL = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*(?:.|\n)*?\*/')
COMMANDS = ["evaluate", "evaluate --manifest x", "audit", "compare", "uncertainty", "raters", "evaluate --sets x", "evaluate --quantiles x",
            "calibrate fit --method sets", "calibrate fit --method cqr", "calibrate fit --method multigroup", "calibrate apply --quantiles x",
            "stability", "stability --manifest x", "calibrate fit --manifest x", "calibrate fit --states x", "report", "train", "predict", "merge", "describe", "list", "demo",
            "evaluate --mean x", "demo regression", "demo faces", "calibrate fit", "calibrate fit --mean x", "calibrate apply",
            "calibrate apply --mean x", "calibrate show", "calibrate export"]


def sources():
    files = [p for room in ("src", "include") for p in sorted((ROOT / room).rglob("*.?pp"))]
    assert len(files) > 100
    return files


def literals(text):
    """(line, literal) of every string literal; comments are none."""
    for m in LITERAL.finditer(text):
        if not m.group().startswith("/"):
            yield text.count("\n", 0, m.start()) + 1, m.group()


def test_literals_are_found():
    text = 'f("a \\"--b", R"(--c)");  // "--d"\n/* "--e" */ g("http://x", "--f");'
    assert [(line, s) for line, s in literals(text) if "--" in s] == [(1, '"a \\"--b"'), (1, 'R"(--c)"'), (2, '"--f"')]


def test_no_flag_in_the_core():
    found = [f"{p.relative_to(ROOT)}:{line}: {s}" for p in sources() for line, s in literals(p.read_text())
             if re.search(r"--[a-z]", s)]
    assert not found, "\n".join(found)


def options():
    """Every option of every command, in snake_case."""
    names = set()
    for command in COMMANDS:
        run = run_plumb(*command.split(), "--help")
        if command in ("train", "predict") and run.code != 0:
            continue  # a build without LibTorch
        assert run.code == 0, run.err
        names |= {n.replace("-", "_") for n in re.findall(r"(?m)^\s+(?:-\w,)?--([a-z][a-z0-9-]*)", run.out)}
    assert {"probs", "save_state", "cross_fit", "coarsen"} <= names
    return names


def test_markers_name_real_options():
    known = options()
    found = {}
    for p in sources():
        for _, s in literals(re.sub(r'\bopt\("(\w+)"\)', r'"⟦\1⟧"', p.read_text())):
            for name in re.findall("⟦([^⟦⟧]+)⟧", s):
                found.setdefault(name, p.relative_to(ROOT))
    assert "bootstrap" in found
    unknown = {n: str(p) for n, p in found.items() if n not in known and n != "{}"}  # fmt fills in the name
    assert not unknown, unknown


def sentences(value, key=""):
    """What a JSON result says in words: reasons and notes."""
    if isinstance(value, dict):
        for k, v in value.items():
            yield from sentences(v, k)
    elif isinstance(value, list):
        for v in value:
            yield from sentences(v, key)
    elif isinstance(value, str) and key in ("why", "notes", "outcome"):
        yield value


CASES = [
    ("evaluate", "--probs", "p.npy", "--labels", "y.npy"),
    ("evaluate", "--probs", "p.npy", "--labels", "y.npy", "--metrics", "all", "--clip", "1e-3", "--bootstrap", "2"),
    ("evaluate", "--mean", "p.npy", "--variance", "v.npy", "--targets", "t.npy", "--range", "0,0.1"),
    ("compare", "--model", "a=p.npy", "--model", "b=q.npy", "--labels", "y.npy", "--bootstrap", "2"),
    ("uncertainty", "--probs", "p.npy", "--labels", "y.npy"),
    ("stability", "--probs", "q.npy", "--labels", "y.npy", "--repeats", "2"),
]


@pytest.mark.parametrize("args", CASES, ids=lambda a: " ".join(a[:3]))
def test_json_quotes_names(folder, args):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, size=60)
    folder.npy("y.npy", y)
    folder.npy("p.npy", np.where(np.arange(60) < 4, 1.0 - y, 0.25 + 0.5 * y))  # four votes on probability 0
    folder.npy("q.npy", 0.3 + 0.4 * y)
    folder.npy("v.npy", np.full(60, 0.04))
    folder.npy("t.npy", y + 0.1 * rng.normal(size=60))
    run = folder.run(*args, "--json", "out.json", "--plots", "plots")
    assert run.code == 0, run.err
    text = (folder / "out.json").read_text()
    said = list(sentences(json.loads(text)))
    assert "⟦" not in text + run.out + run.err
    assert not [s for s in said if "--" in s]
    assert {name for s in said for name in re.findall("`(.*?)`", s)} <= options(), said
    assert not [p.name for p in (folder / "plots").glob("*.json") if "⟦" in p.read_text()]
    assert folder.run(*args, "--json", "-").out.count("⟦") == 0


def test_page_spells_flags(folder):
    """A page is for those who type the command; notes and reasons come from its JSON, so that a saved result gives the same page."""
    folder.npy("p.npy", np.array([0.0, 1.0, 0.5, 0.25]))
    folder.npy("y.npy", np.array([1, 1, 0, 0]))
    run = folder.run("evaluate", "--probs", "p.npy", "--labels", "y.npy", "--report", "r.html", "--json", "r.json")
    if "no report page" in run.err:
        pytest.skip("this build has no report page")
    assert run.code == 0, run.err
    assert folder.run("report", "r.json", "-o", "again.html").code == 0
    for name in ("r.html", "again.html"):
        page = (folder / name).read_text()
        assert "⟦" not in page and "Without --bootstrap, miscalibration" in page, name
        assert "give --clip" in page and "`" not in page.split("<script>")[0], name
    listed = folder.run("list", "--json").out
    assert "⟦" not in listed and "⟦" not in folder.run("list").out and "truth: --truth" in folder.run("list").out


def test_describe_offers_real_options(folder):
    folder.npy("p.npy", np.array([[0.2, 0.8], [0.5, 0.5]]))
    folder.text("t.csv", "id,label,x,n\na,cat,-0.5,3\nb,dog,1.5,4\nc,cat,0.1,0\n")
    run = folder.run("describe", "p.npy", "t.csv")
    offered = re.findall(r"could be --([a-z-]+):", run.out)
    assert run.code == 0 and {"probs", "labels", "logits", "ids"} <= set(offered) and "with --classes" in run.out
    assert {o.replace("-", "_") for o in offered} <= options()
