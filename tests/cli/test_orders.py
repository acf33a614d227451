"""evaluate --orders and --statistic: order 1 is cl, pairs are disagreement, concentrations and samples, bad input."""
import json

import jsonschema
import numpy as np
import pytest
from conftest import ROOT, make_task

SCHEMA = json.loads((ROOT / "docs" / "result.schema.json").read_text())


def orders(folder, *args):
    result = folder.evaluate("--probs", "probs.npy", "--counts", "counts.npy", "--metrics", "cl,cl_plugin,disagreement_loss,disagreement_cl",
                             *args)
    jsonschema.validate(result, SCHEMA)
    return result


def test_order_one_is_cl_and_pairs_are_disagreement(folder, task):
    result = orders(folder, "--orders", "1,2", "--statistic", "2 votes: not all agree")
    metrics, found = result["metrics"], result["orders"]
    assert found["order_1"]["debiased"]["value"] == pytest.approx(metrics["cl"]["value"], abs=1e-12)
    assert found["order_1"]["plugin"]["value"] == pytest.approx(metrics["cl_plugin"]["value"], abs=1e-12)
    pairs = found["2 votes: not all agree"]
    assert pairs["loss"]["value"] == pytest.approx(metrics["disagreement_loss"]["value"], abs=1e-12)
    assert pairs["debiased"]["value"] == pytest.approx(metrics["disagreement_cl"]["value"], abs=1e-12)
    assert found["order_2"]["multisets"] == 10 and pairs["multisets"] == 1
    rows = result["tables"]["statistic_1"]
    assert len(rows) == 15 and sum(row["items"] for row in rows) == found["order_2"]["items"]


def test_concentrations_and_samples(folder, task):
    folder.npy("alpha.npy", np.full(400, 3.0))
    with_alpha = orders(folder, "--concentration", "alpha.npy", "--statistic", "2 votes: not all agree")
    assert with_alpha["orders"]["2 votes: not all agree"]["loss"]["value"] == pytest.approx(
        with_alpha["metrics"]["disagreement_loss"]["value"], abs=1e-12)
    other = make_task(seed=2)["probs"]
    folder.npy("samples.npy", np.stack([task["probs"], other]))
    result = folder.evaluate("--samples", "samples.npy", "--counts", "counts.npy", "--metrics", "disagreement_loss",
                             "--statistic", "2 votes: not all agree")
    assert result["orders"]["2 votes: not all agree"]["loss"]["value"] == pytest.approx(
        result["metrics"]["disagreement_loss"]["value"], abs=1e-12)


def test_intervals_and_threads(folder, task):
    args = ("--orders", "2", "--bootstrap", "20")
    one, two = orders(folder, *args, "--threads", "1"), orders(folder, *args, "--threads", "2")
    assert one["orders"] == two["orders"]
    value = one["orders"]["order_2"]["debiased"]
    assert value["low"] < value["high"] and "low" not in one["orders"]["order_2"]["plugin"]
    assert "orders" not in orders(folder)
    shown = folder.run("evaluate", "--probs", "probs.npy", "--counts", "counts.npy", "--metrics", "ece", "--orders", "2")
    assert shown.code == 0 and "order_2" in shown.out


@pytest.mark.parametrize("args, words", [
    (("--orders", "0"), "--orders"),
    (("--orders", "two"), "--orders"),
    (("--statistic", "most agree"), "--statistic"),
    (("--statistic", "3 votes: at least 2 for 9"), "no class"),
])
def test_bad_input(folder, task, args, words):
    run = folder.run("evaluate", "--probs", "probs.npy", "--counts", "counts.npy", *args)
    assert run.code == 2 and words in run.err and len(run.err.strip().splitlines()) == 1, run.err
