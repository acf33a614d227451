"""Slices, their tables on a terminal, the confusion matrix, names of raters and classes."""
import fcntl
import json
import os
import pty
import struct
import subprocess
import termios

import jsonschema
import numpy as np
import pytest

from conftest import PLUMB, ROOT

SCHEMA = json.loads((ROOT / "docs" / "result.schema.json").read_text())
N = 240


@pytest.fixture
def two(folder):
    """A binary task in which one of two scanners is worse."""
    rng = np.random.default_rng(3)
    p = rng.uniform(size=N).round(3)
    scanner = np.arange(N) % 2
    y = (rng.uniform(size=N) < np.where(scanner == 1, p ** 2, p)).astype(int)
    folder.npy("p.npy", p)
    folder.npy("y.npy", y)
    rows = "".join(f"{'ABC'[i % 3]},s{scanner[i]}\n" for i in range(N))
    folder.text("t.csv", "site,scanner\n" + rows)
    return folder


def test_a_second_by_is_a_second_way_to_slice(two):
    base = ("--probs", "p.npy", "--labels", "y.npy")
    both = two.evaluate(*base, "--by", "t.csv:site", "--by", "t.csv:scanner", "--bootstrap", 20)
    jsonschema.validate(both, SCHEMA)
    assert [(g["by"], g["group"]) for g in both["per_group"]] == [
        ("site", "A"), ("site", "B"), ("site", "C"), ("scanner", "s0"), ("scanner", "s1")]
    one = two.evaluate(*base, "--by", "t.csv:scanner", "--bootstrap", 20)
    assert [g["metrics"] for g in both["per_group"][3:]] == [g["metrics"] for g in one["per_group"]]
    for g, alone in zip(both["per_group"][3:], one["per_group"]):
        for key, i in g["intervals"].items():
            assert (i["low"], i["high"]) == (alone["intervals"][key]["low"], alone["intervals"][key]["high"])
            assert i["simultaneous_low"] <= alone["intervals"][key]["simultaneous_low"] <= i["low"]
            assert i["simultaneous_high"] >= alone["intervals"][key]["simultaneous_high"] >= i["high"]
    assert any("5 slices were compared" in note for note in both["notes"])


def test_shards_of_a_way_to_slice(two):
    names = [line.split(",")[0] for line in (two / "t.csv").read_text().split()[1:]]
    two.text("a.csv", "site\n" + "\n".join(names[:100]) + "\n")
    two.text("b.csv", "site\n" + "\n".join(names[100:]) + "\n")
    base = ("--probs", "p.npy", "--labels", "y.npy")
    whole = two.evaluate(*base, "--by", "t.csv:site", "--by", "t.csv:scanner")
    split = two.evaluate(*base, "--by", "a.csv:site", "b.csv:site", "--by", "t.csv:scanner")
    assert [g["metrics"] for g in whole["per_group"]] == [g["metrics"] for g in split["per_group"]]


def test_a_way_to_slice_of_another_length_is_refused(two):
    two.text("short.csv", "site\n" + "A\n" * 10)
    run = two.run("evaluate", "--probs", "p.npy", "--labels", "y.npy", "--by", "t.csv:site", "--by", "short.csv:site")
    assert run.code == 2 and "short.csv" in run.err and "10 rows" in run.err


def test_a_thousand_slices_have_values_and_a_sentence(folder):
    rng = np.random.default_rng(0)
    folder.npy("p.npy", rng.uniform(size=5000))
    folder.npy("y.npy", rng.integers(0, 2, 5000))
    folder.npy("by.npy", np.arange(5000) % 1000)
    r = folder.evaluate("--probs", "p.npy", "--labels", "y.npy", "--by", "by.npy", "--bootstrap", 10, "--metrics", "ece,accuracy")
    assert len(r["per_group"]) == 1000 and "intervals" not in r["per_group"][0]
    assert any("1,000 slices have no intervals" in note for note in r["notes"])


def terminal(folder, columns, *args):
    """What plumb prints on a terminal of that width."""
    main, other = pty.openpty()
    fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    child = subprocess.Popen([PLUMB, *map(str, args)], cwd=folder.path, stdout=other, stderr=subprocess.DEVNULL,
                             env=dict(os.environ, NO_COLOR="1", TERM="xterm"))
    os.close(other)
    text = b""
    while True:
        try:
            more = os.read(main, 65536)
        except OSError:
            break
        if not more:
            break
        text += more
    child.wait()
    os.close(main)
    return text.decode().replace("\r\n", "\n").split("\n")


@pytest.mark.parametrize("columns", [80, 60])
def test_slice_tables_fit_the_terminal(two, columns):
    names = "\n".join(f"a rather long name of the slice {i % 3}" for i in range(N))
    two.text("long.csv", "name\n" + names + "\n")
    for more in ([], ["--bootstrap", "20"]):
        lines = terminal(two, columns, "evaluate", "--probs", "p.npy", "--labels", "y.npy", "--by", "t.csv:site", "--by",
                         "long.csv:name", "--bandwidth", "0.05", *more)
        first = next(i for i, line in enumerate(lines) if line.startswith("By slice: site"))
        table = lines[first:next(i for i, line in enumerate(lines) if i > first and line.startswith(("Notes", "Next")))]
        assert max(map(len, table)) <= columns, max(table, key=len)
        assert any("ece" in line for line in table)
        assert any("95% interval" in line for line in table) == bool(more)


def test_list_fits_the_terminal(folder):
    lines = terminal(folder, 80, "list")
    assert len(lines) > 100
    assert max(map(len, lines)) <= 80, max(lines, key=len)
    wide = terminal(folder, 150, "list")
    assert max(map(len, wide)) <= 150


def test_list_fits_a_pipe(folder, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    lines = folder.run("list").out.splitlines()
    assert len(lines) > 100 and max(map(len, lines)) <= 80, max(lines, key=len)
    cost = folder.run("list", "--cost").out.splitlines()
    assert "ns per row" in cost[0] and max(map(len, cost)) <= 80, max(cost, key=len)
    monkeypatch.setenv("COLUMNS", "120")
    wide = folder.run("list").out.splitlines()
    assert 80 < max(map(len, wide)) <= 120 and len(wide) < len(lines)


def test_confusion_counts_votes(folder):
    folder.npy("p.npy", np.array([[.8, .1, .1], [.6, .3, .1], [.1, .2, .7]]))
    folder.npy("c.npy", np.array([[2, 2, 0], [3, 0, 0], [0, 0, 1]]))
    r = folder.evaluate("--probs", "p.npy", "--counts", "c.npy")
    jsonschema.validate(r, SCHEMA)
    cells = {(c["predicted"], c["observed"]): c for c in r["tables"]["confusion"]}
    assert cells[0, 0]["items"] == 1.5 and cells[0, 1]["items"] == 0.5 and cells[2, 2]["items"] == 1
    assert cells[0, 1]["share"] == 1 and cells[1, 1]["items"] == 0


def test_raters_have_their_own_names(folder):
    rng = np.random.default_rng(1)
    folder.npy("p.npy", rng.uniform(size=40))
    votes = rng.integers(0, 2, (40, 3))
    folder.text("v.csv", "anna,boris,chen\n" + "".join(",".join(map(str, v)) + "\n" for v in votes))
    r = folder.evaluate("--probs", "p.npy", "--ratings", "v.csv")
    assert [row["rater"] for row in r["tables"]["raters"]] == ["anna", "boris", "chen"]
    assert r["tables"]["rater_pairs"][0]["other"] == "boris"
    for i, name in enumerate(("anna", "boris", "chen")):
        folder.npy(f"{name}.npy", votes[:, i])
    files = folder.evaluate("--probs", "p.npy", "--ratings", "anna.npy", "boris.npy", "chen.npy")
    assert [row["rater"] for row in files["tables"]["raters"]] == ["anna", "boris", "chen"]
    folder.npy("v.npy", votes)
    assert [row["rater"] for row in folder.evaluate("--probs", "p.npy", "--ratings", "v.npy")["tables"]["raters"]] == [0, 1, 2]


def test_classes_from_a_file(folder):
    folder.npy("p.npy", np.array([.2, .8, .4]))
    folder.text("y.csv", "y\ndog\ncat\ncat\n")
    folder.text("classes.txt", "cat\r\ndog\n\n")
    r = folder.evaluate("--probs", "p.npy", "--labels", "y.csv:y", "--classes", "classes.txt")
    assert r["class_names"] == ["cat", "dog"]
    folder.text("gap.txt", "cat\n\ndog\n")
    run = folder.run("evaluate", "--probs", "p.npy", "--labels", "y.csv:y", "--classes", "gap.txt")
    assert run.code == 2 and "line 2 is empty" in run.err


def test_the_demo_names_its_classes(folder):
    folder.run("demo", "--out", "d", "--items", 300, "--quiet")
    names = (folder / "d/classes.txt").read_text().split()
    assert len(names) == 8 and names[0] == "neutrophil"
    assert "--classes d/classes.txt" in (folder / "d/README.txt").read_text()
    r = folder.evaluate("--probs", "d/test/probs.npy", "--counts", "d/test/counts.npy", "--classes", "d/classes.txt")
    assert r["class_names"] == names


def test_a_curve_says_nothing_where_nothing_was_predicted(folder):
    rng = np.random.default_rng(2)
    p = rng.uniform(0.9, 0.901, size=400)
    folder.npy("p.npy", p)
    folder.npy("y.npy", (rng.uniform(size=400) < p).astype(int))
    r = folder.evaluate("--probs", "p.npy", "--labels", "y.npy", "--bandwidth", "0.0001", "--bootstrap", 20)
    curve = r["tables"]["reliability_kde"]
    assert any(row["density"] == 0 for row in curve)
    for row in curve:
        if row["density"] == 0:
            assert row["estimate"] is None and row["band_low"] is None
        if row["band_low"] is not None:
            assert 0 <= row["band_low"] <= row["band_high"] <= 1


def test_more_slices_than_are_computed_are_refused_before_the_work(folder):
    n = 240_000
    folder.npy("p.npy", np.linspace(0.01, 0.99, n))
    folder.npy("y.npy", np.arange(n) % 2)
    folder.npy("id.npy", np.arange(n) // 2)
    base = ("evaluate", "--probs", "p.npy", "--labels", "y.npy", "--by", "id.npy")
    run = folder.run(*base, "--json", "r.json")
    assert run.code == 2 and run.err.count("\n") == 1 and "r.json" not in folder.names()
    assert "id.npy" in run.err and "of 120,000 slices" in run.err and "at most 41 metrics (--metrics ece,brier)" in run.err
    assert "give --by fewer names" in run.err
    few = folder.run(*base, "--metrics", "accuracy", "--json", "r.json", "--quiet")
    assert few.code == 0 and len(json.loads((folder / "r.json").read_text())["per_group"]) == 120_000
