"""--device cuda: with the kernels' arithmetic compiled for the host as the plugin, and without a plugin."""
import json
import os
import pathlib

import jsonschema
import numpy as np
import pytest
from conftest import PLUMB, ROOT

PLUGIN = pathlib.Path(os.environ.get("PLUMB_CUDA_TEST_PLUGIN", pathlib.Path(PLUMB).parent.parent / "lib" / "cuda_on_host"))


@pytest.fixture
def device():
    if not (PLUGIN / "libplumb_cuda.so").exists():
        pytest.skip("the tests of the room cuda were not built")
    return {"PLUMB_PLUGINS": str(PLUGIN)}


def binary(folder, rows=5000, seed=1):
    rng = np.random.default_rng(seed)
    p = rng.random(rows).astype(np.float32)
    p[:200] *= 1e-9
    folder.npy("p.npy", p)
    folder.npy("y.npy", (rng.random(rows) < p * p).astype(np.uint8))
    return "--probs", "p.npy", "--labels", "y.npy"


def several(folder, rows=3000, classes=6, seed=2):
    rng = np.random.default_rng(seed)
    z = rng.random((rows, classes)) ** 3 + 1e-3
    folder.npy("p.npy", z / z.sum(1, keepdims=True))
    folder.npy("y.npy", rng.integers(0, classes, rows))
    return "--probs", "p.npy", "--labels", "y.npy"


@pytest.mark.parametrize("make", [binary, several])
def test_the_numbers_are_those_of_the_cpu(folder, device, make):
    inputs = make(folder)
    got = folder.run("evaluate", *inputs, "--device", "cuda", "--json", "-", env=device).json
    keys = ",".join(got["metrics"])
    expected = folder.run("evaluate", *inputs, "--metrics", keys, "--json", "-").json
    assert len(got["metrics"]) > 15
    assert {k: m["value"] for k, m in got["metrics"].items()} == {k: m["value"] for k, m in expected["metrics"].items()}
    assert got["tables"]["reliability"] == expected["tables"]["reliability"]
    assert any("the sums were computed on" in note for note in got["notes"])
    assert got["command"] == "evaluate"
    jsonschema.Draft202012Validator(json.loads((ROOT / "docs" / "result.schema.json").read_text())).validate(got)


def test_intervals_are_advised_without_the_device(folder, device):
    run = folder.run("evaluate", *binary(folder), "--device", "cuda", env=device)
    assert run.code == 0 and "--bootstrap 200" in run.out and "--device" not in run.out


def test_states_of_both_merge(folder, device):
    rng = np.random.default_rng(3)
    p, y = rng.random(4000), rng.integers(0, 2, 4000)
    for name, part in (("a", slice(0, 1500)), ("b", slice(1500, 4000)), ("all", slice(0, 4000))):
        folder.npy(f"p_{name}.npy", p[part])
        folder.npy(f"y_{name}.npy", y[part])
    assert folder.run("evaluate", "--probs", "p_a.npy", "--labels", "y_a.npy", "--device", "cuda", "--save-state", "a.plumb",
                   "--quiet", env=device).code == 0
    assert folder.run("evaluate", "--probs", "p_b.npy", "--labels", "y_b.npy", "--save-state", "b.plumb", "--quiet",
                   "--metrics", "ece").code == 0
    merged = folder.run("merge", "a.plumb", "b.plumb", "--metrics", "ece,nll,brier,cl", "--json", "-").json["metrics"]
    whole = folder.run("evaluate", "--probs", "p_all.npy", "--labels", "y_all.npy", "--metrics", "ece,nll,brier,cl", "--json",
                    "-").json["metrics"]
    assert {k: m["value"] for k, m in merged.items()} == {k: m["value"] for k, m in whole.items()}


@pytest.mark.parametrize("place, value", [("p", np.nan), ("p", 1.5), ("y", 7)])
def test_bad_values_are_reported_in_the_same_words(folder, device, place, value):
    inputs = binary(folder)
    data = np.load(folder / f"{place}.npy")
    data[4321] = value
    folder.npy(f"{place}.npy", data)
    here = folder.run("evaluate", *inputs, "--device", "cuda", "--json", "out.json", "--save-state", "s.plumb", env=device)
    there = folder.run("evaluate", *inputs)
    assert here.code == there.code == 2
    assert here.err == there.err and f"{place}.npy, row 4321" in here.err
    assert not (folder / "out.json").exists() and not (folder / "s.plumb").exists()


@pytest.mark.parametrize("flags, words", [
    (("--metrics", "ks"), "--metrics: ks is not computed on a CUDA device"),
    (("--metrics", "all"), "--metrics: all is not computed on a CUDA device"),
    (("--bootstrap", "5"), "--bootstrap is not computed on a CUDA device"),
    (("--clip", "1e-9"), "--clip is not computed on a CUDA device"),
    (("--weights", "p.npy"), "weights are not read on a CUDA device"),
    (("--by", "y.npy"), "slices are not computed on a CUDA device"),
    (("--binning", "mass"), "--binning mass is not computed on a CUDA device"),
])
def test_what_is_not_computed_is_refused(folder, device, flags, words):
    run = folder.run("evaluate", *binary(folder), "--device", "cuda", *flags, env=device)
    assert run.code == 2 and words in run.err and len(run.err.strip().splitlines()) == 1


def test_without_a_plugin_one_sentence_says_so(folder):
    if (pathlib.Path(PLUMB).parent.parent / "lib" / "plumb" / "libplumb_cuda.so").exists():
        pytest.skip("the plugin for CUDA devices was built")
    run = folder.run("evaluate", *binary(folder), "--device", "cuda", "--json", "out.json", env={"PLUMB_PLUGINS": str(folder.path)})
    assert run.code == 2 and not (folder / "out.json").exists()
    assert len(run.err.strip().splitlines()) == 1
    assert "a CUDA device needs libplumb_cuda.so, which is not in" in run.err and "docs/gpu.md" in run.err
