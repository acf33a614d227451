"""Bootstraps that have few units to draw from, or one."""
import numpy as np
import pytest


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_few_units_to_draw_from(folder, task, groups):
    """A replicate may draw none of four sites; from one site nothing can be drawn."""
    folder.npy("g.npy", np.arange(400) % groups)
    r = folder.evaluate("--probs", "probs.npy", "--labels", "labels.npy", "--groups", "g.npy", "--bootstrap", 200)
    assert ("low" in r["metrics"]["nll"]) == (groups > 1)
    assert ("p_value" in r["metrics"]["ece"]) == (groups > 1)
    assert any(("no intervals" if groups == 1 else f"are based on {groups} groups") in n for n in r["notes"])


def test_one_item_has_no_interval(folder):
    folder.npy("p.npy", [0.2, 0.7, 0.4])
    folder.npy("y.npy", [0, 1, 1])
    folder.npy("w.npy", [0, 1.5, 0])
    r = folder.evaluate("--probs", "p.npy", "--labels", "y.npy", "--weights", "w.npy", "--bootstrap", 50)
    assert r["metrics"]["brier"]["value"] == pytest.approx(0.09) and "low" not in r["metrics"]["brier"]
    r = folder.run("evaluate", "--mean", "p.npy", "--variance", "p.npy", "--targets", "y.npy", "--weights", "w.npy", "--bootstrap", 50,
                   "--json", "-").json
    assert r["metrics"]["mse"]["value"] is not None and "low" not in r["metrics"]["mse"]
    assert any("no intervals" in n for n in r["notes"])
    r = folder.run("uncertainty", "--probs", "p.npy", "--labels", "y.npy", "--weights", "w.npy", "--bootstrap", 50, "--json", "-").json
    assert any("no intervals" in n for n in r["notes"])
