"""JSON lines as inputs: the same bits as from a CSV, lists as matrices, and what is refused."""
import json
import subprocess

import numpy as np
import pytest

from conftest import PLUMB

NAMES = ["ant", "bee", "cat"]


@pytest.fixture
def table(folder):
    rng = np.random.default_rng(4)
    probs = rng.dirichlet([1, 1, 1], 90)
    y = [int(rng.choice(3, p=p)) for p in probs]
    rows = [{"id": f"x{i}", **{f"p_{c}": float(v) for c, v in zip(NAMES, p)}, "z": [float(v) for v in p], "y": k,
             "label": NAMES[k], "site": {"name": "ab"[i % 2]}} for i, (p, k) in enumerate(zip(probs, y))]
    folder.text("t.jsonl", "".join(json.dumps(r) + "\n" for r in rows))
    flat = [{k: v for k, v in r.items() if k not in ("z", "site")} | {"site.name": r["site"]["name"]} for r in rows]
    folder.text("t.csv", ",".join(flat[0]) + "\n" + "".join(",".join(map(str, r.values())) + "\n" for r in flat))
    folder.npy("p.npy", probs)
    return folder


def parts(result):
    return {k: result.get(k) for k in ("metrics", "per_group", "tables", "votes", "class_names")}


def test_the_bits_of_a_csv(table):
    flags = ("--probs", "{}:p_*", "--labels", "{}:label", "--by", "{}:site.name", "--ids", "{}:id", "--bootstrap", "10")
    a, b = (table.evaluate(*[f.format(name) for f in flags]) for name in ("t.csv", "t.jsonl"))
    assert parts(a) == parts(b) and b["class_names"] == NAMES


def test_a_list_is_a_matrix(table):
    a = table.evaluate("--probs", "t.jsonl:z", "--labels", "t.jsonl:y")
    b = table.evaluate("--probs", "p.npy", "--labels", "t.csv:y")
    assert parts(a) == parts(b) and a["inputs"][0]["shape"] == [90, 3]


def test_from_standard_input(table):
    done = subprocess.run([PLUMB, "evaluate", "--probs", "-:z", "--labels", "-:y", "--json", "-"], cwd=table.path,
                          input=(table / "t.jsonl").read_bytes(), capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["items"] == 90


def test_shards_and_describe(table):
    lines = (table / "t.jsonl").read_text().splitlines(keepends=True)
    table.text("s1.jsonl", "".join(lines[:40]))
    table.text("s2.ndjson", "".join(lines[40:]))
    a = table.evaluate("--probs", "s1.jsonl:z", "s2.ndjson:z", "--labels", "s1.jsonl:y", "s2.ndjson:y")
    b = table.evaluate("--probs", "t.jsonl:z", "--labels", "t.jsonl:y")
    assert parts(a) == parts(b)
    told = table.run("describe", "t.jsonl").out
    assert "t.jsonl:z\n    float64 90 x 3" in told and "could be --probs: rows sum to 1" in told
    assert "t.jsonl:site.name" in told


@pytest.mark.parametrize("line,spec,sentence", [
    ('{"z": [0.5, 0.5], "y": 0}', "t.jsonl:z", "has 2 values where the first list has 3"),
    ('{"z": [0.5, 0.5, null], "y": 0}', "t.jsonl:z", "the value is missing"),
    ('{"z": [[1, 0, 0]], "y": 0}', "t.jsonl:z", "lists of lists"),
    ('{"z": {"a": 1}, "y": 0}', "t.jsonl:z", "the list is missing"),
    ('{"z": [0.2, 0.3, "0.5"], "y": 0}', "t.jsonl:z", "is text, not a number"),
    ('{"z": [0.2, 0.3, 0.5], "y": 0', "t.jsonl:z", "row 90 (line 91) ends before its object is complete"),
    ('{"z": [0.2, 0.3, 0.5], "y": 0}', "t.jsonl:zz", 'has no column "zz"'),
    ('{"z": [0.2, 0.3, 0.5], "y": 0}', "t.jsonl:site", 'has no column "site"'),
])
def test_what_is_refused(table, line, spec, sentence):
    table.text("t.jsonl", (table / "t.jsonl").read_text() + line + "\n")
    done = table.run("evaluate", "--probs", spec, "--labels", "t.jsonl:y")
    assert done.code == 2 and sentence in done.err, done.err
    assert len(done.err.strip().splitlines()) == 1
