"""A short run of every command; also run under the sanitizers."""
import json

import pytest
from conftest import run_plumb


def test_alone_is_a_friendly_help():
    run = run_plumb()
    assert run.code == 0 and run.err == ""
    assert "plumb demo --out demo" in run.out and "evaluate" in run.out


def test_version():
    run = run_plumb("--version")
    assert run.code == 0 and run.out.startswith("plumb ") and run.out.count("\n") == 1


@pytest.mark.parametrize("command", ["evaluate", "merge", "list", "describe", "demo"])
def test_help_teaches_by_example(command):
    run = run_plumb(command, "--help")
    assert run.code == 0 and run.err == ""
    assert f"plumb {command}" in run.out and "Example" in run.out
    assert run_plumb("help", command).out == run.out


def test_list():
    table, data = run_plumb("list"), json.loads(run_plumb("list", "--json").out)
    assert table.code == 0
    keys = [m["key"] for m in data["metrics"]]
    assert len(keys) == len(set(keys)) > 25
    for m in data["metrics"]:
        assert f"  {m['key']} " in table.out
        assert m["line"]


def test_demo_then_everything(folder):
    assert folder.run("demo", "--out", "d", "--items", "600").code == 0
    assert folder.names() == ["d"]
    test = folder / "d" / "test"
    assert sorted(p.name for p in test.iterdir() if p.suffix != ".parquet") == ["annotations.csv", "counts.npy", "items.csv", "labels.npy",
                                                     "logits.npy", "predictions.csv", "probs.npy", "votes.csv"]
    run = folder.run("evaluate", "--probs", "d/test/probs.npy", "--counts", "d/test/counts.npy", "--groups",
                     "d/test/items.csv:patient", "--by", "d/test/items.csv:site", "--bootstrap", "20", "--json", "r.json",
                     "--save-state", "s.plumb")
    assert run.code == 0, run.err
    assert "over-confident on average" in run.out and "By slice" in run.out and "95% interval" in run.out
    assert json.loads((folder / "r.json").read_text())["items"] == 400
    assert folder.run("merge", "s.plumb", "--quiet").code == 0
    assert "--probs" in folder.run("describe", "d/test/probs.npy").out


def test_demo_is_the_same_for_the_same_seed(folder):
    for out, seed in (("a", 3), ("b", 3), ("c", 4)):
        assert folder.run("demo", "--out", out, "--items", "90", "--seed", seed, "--quiet").code == 0
    read = lambda name: (folder / name / "test" / "probs.npy").read_bytes()
    assert read("a") == read("b") != read("c")


def test_unknown_command_suggests_the_nearest():
    run = run_plumb("evalute")
    assert run.code == 2 and run.err.count("\n") == 1 and '"evaluate"' in run.err
