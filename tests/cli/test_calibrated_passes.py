"""A calibrator applied to S stochastic predictions acts on each (Mimori 2021, eq. 51): fit, apply, evaluate --calibrator and
--disagreement agree with each other, and with passes calibrated one by one."""
import json
import re

import numpy as np
import pytest
from conftest import softmax, values

S, N, K = 4, 300, 5
METRICS = ("--metrics", "nll,ece,brier,disagreement_loss,disagreement_ce,el")


@pytest.fixture
def passes(folder):
    """Logits of S passes around an over-confident model, votes of 2 to 6 raters; and one plain prediction to fit on."""
    rng = np.random.default_rng(5)
    truth = rng.normal(size=(N, K))
    votes = rng.integers(2, 7, size=N)
    folder.npy("counts.npy", np.stack([rng.multinomial(v, p) for v, p in zip(votes, softmax(truth))]))
    plain = 2.5 * truth + 0.3 * rng.normal(size=(N, K))
    samples = plain + rng.normal(size=(S, N, K))
    folder.npy("plain.npy", plain)
    folder.npy("samples.npy", samples)
    for s in range(S):
        folder.npy(f"pass{s}.npy", samples[s])
    return samples


def fit(folder, method, name, *more):
    run = folder.run("calibrate", "fit", "--method", method, *more, "--counts", "counts.npy", "-o", name, "--quiet")
    assert run.code == 0, run.err
    return name


def model(folder, kind):
    """A model fitted on the plain prediction: temperature, vector scaling, or temperature and alpha."""
    if kind != "alpha":
        return fit(folder, kind, f"{kind}.json", "--logits", "plain.npy")
    fit(folder, "temperature", "t.json", "--logits", "plain.npy")
    return fit(folder, "alpha", "alpha.json", "--after", "t.json", "--logits", "plain.npy")


def applied(folder, kind, name, *inputs):
    outputs = ("-o", f"{name}-a.npy", "--out-probs", f"{name}.npy") if kind == "alpha" else ("-o", f"{name}.npy")
    run = folder.run("calibrate", "apply", f"{kind}.json", *inputs, *outputs, "--disagreement", f"{name}-d.npy", "--quiet")
    assert run.code == 0, run.err
    return np.load(folder / f"{name}.npy"), np.load(folder / f"{name}-d.npy")


@pytest.mark.parametrize("kind", ["temperature", "vector", "matrix", "isotonic", "alpha"])
def test_each_pass_is_calibrated_by_itself(folder, passes, kind):
    m = model(folder, kind)
    z, differ = applied(folder, kind, "together", "--sample-logits", "samples.npy")
    one = [applied(folder, kind, f"one{s}", "--logits", f"pass{s}.npy") for s in range(S)]
    # To the last bit: sums over passes in their order, then one division.
    sum_z, sum_d = one[0][0].copy(), one[0][1].copy()
    for s in range(1, S):
        sum_z, sum_d = sum_z + one[s][0], sum_d + one[s][1]
    assert np.array_equal(z, sum_z / S) and np.array_equal(differ, sum_d / S)
    # The same from evaluate: with the model, and from the calibrated passes.
    direct = folder.evaluate("--sample-logits", "samples.npy", "--calibrator", m, "--counts", "counts.npy", *METRICS)
    concentration = ("--concentration", "one0-a.npy") if kind == "alpha" else ()
    files = folder.evaluate("--samples", *(f"one{s}.npy" for s in range(S)), *concentration, "--counts", "counts.npy", *METRICS)
    assert values(direct) == values(files)
    counts = np.load(folder / "counts.npy")
    n = counts.sum(axis=1)
    phi = (counts * (n[:, None] - counts)).sum(axis=1) / (n * (n - 1))
    assert values(direct)["disagreement_loss"] == pytest.approx(np.mean(differ**2 - 2 * differ * phi + phi), abs=1e-12)
    assert values(direct)["brier"] == pytest.approx(values(folder.evaluate("--probs", "together.npy", "--counts", "counts.npy", *METRICS))["brier"], abs=1e-15)


def test_the_statistic_is_not_that_of_the_mean(folder, passes):
    """What eq. 51 is about: passes that differ are each surer than their mean."""
    model(folder, "temperature")
    z, differ = applied(folder, "temperature", "together", "--sample-logits", "samples.npy")
    t = next(p["values"][0] for step in json.loads((folder / "temperature.json").read_text())["steps"] for p in step["parameters"].values())
    t = t if t > 1 else 1 / t  # the file may hold the temperature or its inverse
    naive = softmax(passes / t)
    assert z == pytest.approx(naive.mean(axis=0), abs=1e-12)
    assert differ == pytest.approx((1 - (naive**2).sum(axis=2)).mean(axis=0), abs=1e-12)
    assert (differ < 1 - (z**2).sum(axis=1) - 1e-6).mean() > 0.9


@pytest.mark.parametrize("kind", ["temperature", "vector", "alpha"])
def test_a_fit_on_passes_is_a_fit_on_all_of_them(folder, passes, kind):
    """Every pass with the votes of its item; what fit prints of it is what evaluate says."""
    fit(folder, kind, "passes.json", "--sample-logits", "samples.npy")
    folder.npy("rows.npy", passes.reshape(S * N, K))
    folder.npy("rows-counts.npy", np.concatenate([np.load(folder / "counts.npy")] * S))
    run = folder.run("calibrate", "fit", "--method", kind, "--logits", "rows.npy", "--counts", "rows-counts.npy", "-o", "rows.json", "--quiet")
    assert run.code == 0, run.err
    read = lambda name: json.loads((folder / name).read_text())["steps"][0]
    a, b = read("passes.json"), read("rows.json")
    assert {k: p["values"] for k, p in a["parameters"].items()} == {k: p["values"] for k, p in b["parameters"].items()}
    assert a["fit"]["items"] == N and b["fit"]["items"] == S * N
    said = folder.run("calibrate", "fit", "--method", kind, "--sample-logits", "samples.npy", "--counts", "counts.npy", "-o", "again.json").out
    key = "disagreement_loss" if kind == "alpha" else "nll"
    after = values(folder.evaluate("--sample-logits", "samples.npy", "--calibrator", "again.json", "--counts", "counts.npy", "--metrics", key))[key]
    shown = [float(x) for x in re.findall(r"\d\.\d+", said)]
    assert any(abs(x - after) <= 6e-5 * max(1, after) for x in shown), (after, said)
