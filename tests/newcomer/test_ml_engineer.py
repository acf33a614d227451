"""An engineer has a classifier in Python and wants to know in CI whether its probabilities can be trusted."""
import json
import re
import subprocess
import sys
import types

import numpy as np
from conftest import ROOT, blocks, commands_in, page


class Model:
    """Over-confident: its logits are twice too large."""

    def predict_proba(self, x):
        e = np.exp(2 * (x - x.max(axis=1, keepdims=True)))
        return e / e.sum(axis=1, keepdims=True)


def save_predictions(walk, monkeypatch, n=3000):
    """The two lines of Python in docs/start.md, with a model and data."""
    monkeypatch.chdir(walk.path)
    rng = np.random.default_rng(1)
    x = rng.normal(size=(n, 4)) * 1.5
    p = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
    y = np.array([rng.choice(4, p=row) for row in p])
    saving = next(block for block in blocks("docs/start.md", "python") if "np.save" in block)
    exec(saving, {"np": np, "model": Model(), "x": x, "y": y})
    assert {"probs.npy", "labels.npy"} <= {f.name for f in walk.path.iterdir()}


def value(printed, key):
    return float(re.search(rf"^  {key} +([0-9.]+)", printed, re.M)[1])


def test_the_readme_begins_with_a_command_that_exists():
    first = re.search(r"^    (make \w+)$", page("README.md"), re.M)[1]
    subprocess.run([*first.split(), "-n"], cwd=ROOT, check=True, capture_output=True)


def test_the_tool_tries_itself(walk):
    demo, evaluate = walk.help_commands()[:2]
    assert demo.startswith("plumb demo")
    for advised in commands_in(walk.shell(demo)):
        assert "In words" in walk.shell(advised)
    assert "accuracy" in walk.shell(evaluate)


def test_own_files_to_a_verdict_and_a_repair(walk, monkeypatch):
    save_predictions(walk, monkeypatch)
    own = [c for c in walk.help_commands() if "demo" not in c]
    describe = next(c for c in own if " describe " in c)
    assert "could be --probs" in walk.shell(describe)
    evaluate = next(c for c in own if "--bootstrap" in c)
    assert "Clearly off" in walk.shell(evaluate)

    # What the tool advises, step by step, from the plainest run to the end.
    steps = walk.follow(evaluate.replace(" --bootstrap 200", ""))
    said = [command for command, _ in steps]
    assert "No verdict" in steps[0][1] and said[1] == evaluate
    fit = next(c for c in said if " calibrate fit " in c)
    assert said.index(fit) == 2
    again = next(i for i, c in enumerate(said) if i > 2 and c.startswith("plumb evaluate"))
    assert re.search("^Trustworthy", steps[again][1], re.M)
    assert value(steps[again][1], "ece") < 0.3 * value(steps[1][1], "ece")


def test_a_gate_and_a_tracker(walk, monkeypatch):
    save_predictions(walk, monkeypatch)
    gate = next(c for c in walk.help_commands() if "--fail-if" in c)
    assert "the gate failed" in walk.shell(gate, code=3)
    # The step of the workflow fails too, and leaves its result for the tracker.
    step = next(c for block in blocks("docs/start.md", "yaml") for c in re.findall(r"run: (plumb .*)", block))
    walk.shell(step, code=3)
    logged = {}
    monkeypatch.setitem(sys.modules, "mlflow", types.SimpleNamespace(log_metrics=logged.update))
    tracking = next(block for block in blocks("docs/start.md", "python") if "mlflow" in block)
    assert len(tracking.strip().splitlines()) == 3
    exec(tracking, {})
    result = json.loads((walk.path / "calibration.json").read_text())
    assert logged["ece"] == result["metrics"]["ece"]["value"] > 0.05
    assert all(isinstance(v, (int, float)) for v in logged.values()) and len(logged) > 10
