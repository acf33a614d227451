"""Intervals, p-values and verdicts of merged states, on the command line."""
import json

import numpy as np
import pytest
from conftest import run_plumb

COMMON = ("--bootstrap", 40, "--seed", 2)


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    path = tmp_path_factory.mktemp("shards")
    rng = np.random.default_rng(4)
    p = rng.random(900)
    arrays = {"p": p, "y": (rng.random(900) < p).astype("u1"), "g": np.arange(900) // 20, "id": np.arange(900)}
    part = rng.integers(0, 3, 900)
    for name, rows in [("all", part >= 0), *((str(i), part == i) for i in range(3))]:
        for key, array in arrays.items():
            np.save(path / f"{key}{name}.npy", array[rows])
    return path


def state(folder, part, name, *options):
    """Saves one and returns the result that evaluate prints."""
    done = run_plumb("evaluate", "--probs", folder / f"p{part}.npy", "--labels", folder / f"y{part}.npy", "--save-state", folder / name, "--json", "-", *options)
    assert done.code == 0, done.err
    return json.loads(done.out)


def merged(folder, *names):
    done = run_plumb("merge", *(folder / name if not str(name).startswith("--") else name for name in names), "--json", "-")
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_groups_in_any_parts_give_the_intervals_of_one_run(shards):
    whole = state(shards, "all", "whole", *COMMON, "--groups", shards / "gall.npy", "--null", "signs")
    for i in range(3):
        state(shards, i, f"s{i}", *COMMON, "--groups", shards / f"g{i}.npy", "--null", "signs")
    run_plumb("merge", shards / "s2", shards / "s0", "--save-state", shards / "s20", "--quiet")
    result = merged(shards, "s20", "s1")
    for key in ("ece", "ece_corrected", "brier", "nll", "accuracy", "auroc"):
        for part in ("value", "low", "high", "interval"):
            assert result["metrics"][key].get(part) == whole["metrics"][key].get(part), (key, part)
    assert result["metrics"]["ece"]["p_value"] == whole["metrics"]["ece"]["p_value"]
    assert result["verdict"]["high"] == whole["verdict"]["high"] and result["verdict"]["unit"] == "groups"
    assert result["metrics"] == merged(shards, "whole")["metrics"] and result["verdict"] == merged(shards, "whole")["verdict"]


def test_ids_in_any_parts_give_one_result(shards):
    state(shards, "all", "whole", *COMMON, "--ids", shards / "idall.npy")
    for i in range(3):
        state(shards, i, f"i{i}", *COMMON, "--ids", shards / f"id{i}.npy")
    result, one = merged(shards, "i1", "i0", "i2"), merged(shards, "whole")
    assert result["metrics"] == one["metrics"] and result["verdict"] == one["verdict"]
    assert result["metrics"]["ks"]["p_value"] > 0 and result["verdict"]["p_value"] > 0
    done = run_plumb("merge", shards / "i0", shards / "i1", shards / "i2", "--fail-if", "ece.low>0.5", "--fail-if", "ece.p_value<0.0001", "--quiet")
    assert done.code in (0, 2), done.err
    done = run_plumb("merge", shards / "i0", shards / "i1", shards / "i2", "--fail-if", "brier.high>0.01", "--quiet")
    assert done.code == 3, done.err


def test_without_a_name_the_result_says_so(shards):
    state(shards, "all", "rows", *COMMON)
    assert any("another split would give other intervals" in note for note in merged(shards, "rows")["notes"])
    state(shards, "all", "groups", *COMMON, "--groups", shards / "gall.npy")
    result = merged(shards, "groups")
    assert any("no p-values" in note for note in result["notes"]) and "p_value" not in result["metrics"]["ece"]
    assert result["metrics"]["brier"]["low"] is not None


def test_an_item_in_two_states_is_refused(shards):
    for i in (0, 1):
        state(shards, i, f"c{i}", "--ids", shards / f"id{i}.npy", "--check-ids")
    assert merged(shards, "c0", "c1")["items"] > 0
    run_plumb("merge", shards / "c0", shards / "c1", "--save-state", shards / "c01", "--quiet")
    done = run_plumb("merge", shards / "c01", shards / "c0")
    assert done.code == 2 and "an id occurs in both states" in done.err
    done = run_plumb("evaluate", "--probs", shards / "p0.npy", "--labels", shards / "y0.npy", "--check-ids", "--save-state", shards / "x")
    assert done.code == 2 and "--check-ids needs --ids" in done.err and not (shards / "x").exists()


@pytest.mark.parametrize("options, name", [(("--bootstrap", 41, "--seed", 2), "--bootstrap"), (("--bootstrap", 40, "--seed", 3), "--seed"), ((), "--bootstrap")])
def test_what_differs_is_named(shards, options, name):
    state(shards, 0, "a", *COMMON, "--ids", shards / "id0.npy")
    state(shards, 1, "b", *options, "--ids", shards / "id1.npy")
    done = run_plumb("merge", shards / "a", shards / "b")
    assert done.code == 2 and name in done.err, done.err
