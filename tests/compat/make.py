#!/usr/bin/env python3
"""make.py PLUMB FOLDER: the files of one release, frozen: a model of every method, states, results, and what that release read in them.
Run once for each release, as tests/compat/<version>; tests/cli/test_compat.py reads them with the current tool forever after."""
import json
import pathlib
import subprocess
import sys

import numpy as np

N, K, SEED = 60, 3, 20


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def inputs(folder):
    """Sixty items of three classes with one to four votes, the same for two classes, and sixty regressions."""
    rng = np.random.default_rng(SEED)
    logits = np.round(rng.normal(size=(N, K)) * 2, 3)
    votes = rng.integers(1, 5, size=N)
    counts = np.stack([rng.multinomial(v, p) for v, p in zip(votes, softmax(logits / 2))])
    arrays = {"logits": logits, "counts": counts, "labels": counts.argmax(axis=1), "groups": np.arange(N) // 4,
              "binary": logits[:, 0], "hits": np.stack([counts[:, 1:].sum(axis=1), counts[:, 0]], axis=1), "event": (counts.argmax(axis=1) == 0) + 0,
              "mean": np.round(rng.normal(size=N), 3), "aleatoric": np.round(rng.uniform(0.2, 1, size=N), 3),
              "epistemic": np.round(rng.uniform(0.1, 0.3, size=N), 3)}
    arrays["targets"] = np.round(arrays["mean"] + rng.normal(size=N) * np.sqrt(arrays["aleatoric"]), 3)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)


CLASSES = ["--logits", "logits.npy", "--counts", "counts.npy"]
BINARY = ["--logits", "binary.npy", "--counts", "hits.npy"]
SPREAD = ["--mean", "mean.npy", "--aleatoric", "aleatoric.npy", "--epistemic", "epistemic.npy"]
REGRESSION = [*SPREAD, "--targets", "targets.npy"]
VARIANCES = ("sigma", "sigma-laplace", "sigma-aleatoric", "sigma-parts", "aux", "aux-aleatoric", "isotonic-quantile", "conformal")

INTERVALS = ("conformal",)

STATES = {"classes": CLASSES, "single": ["--logits", "logits.npy", "--labels", "labels.npy", "--groups", "groups.npy"],
          "binary": BINARY, "regression": REGRESSION,
          "replicates": ["--logits", "binary.npy", "--labels", "event.npy", "--groups", "groups.npy", "--null", "signs", "--bootstrap", "12"]}
RESULTS = {"evaluate": [*CLASSES, "--bootstrap", "40"], "regression": [*REGRESSION, "--bootstrap", "40"]}


def main():
    tool, folder = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True)
    inputs(folder)

    def run(*args):
        done = subprocess.run([tool, *args, "--quiet"], cwd=folder, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(args)}: {done.stderr}")

    listed = json.loads(subprocess.run([tool, "list", "--json"], capture_output=True, text=True, check=True).stdout)
    release = listed["plumb"]
    fits = {"sets": (CLASSES, CLASSES[:2])}
    for row in listed["calibrators"]:
        if row["method"] == "auto":
            continue
        if row["task"] in ("any", "multiclass"):
            fits[row["method"]] = (CLASSES, CLASSES[:2])
        if row["task"] in ("any", "binary"):
            fits[row["method"] + "-binary"] = (BINARY, BINARY[:2])
    for method in VARIANCES:
        fits[method] = (REGRESSION, SPREAD)
    applied = {}
    for name, (fit_on, apply_to) in fits.items():
        run("calibrate", "fit", "--method", name.removesuffix("-binary"), *fit_on, "-o", f"{name}.json")
        output = ["--levels", "0.5,0.9", "--intervals"] if name in INTERVALS else ["-o"]
        apply_to = [*apply_to, *output, f"{name}.npy"]
        run("calibrate", "apply", f"{name}.json", *apply_to)
        applied[name] = apply_to
    for name, flags in STATES.items():
        run("evaluate", *flags, "--save-state", f"{name}.plumb")
        run("merge", f"{name}.plumb", "--json", f"{name}.merged.json")
    for name, flags in RESULTS.items():
        run("evaluate", *flags, "--json", f"{name}.result.json")
    frozen = {"plumb": release, "models": applied, "states": sorted(STATES), "results": sorted(RESULTS)}
    (folder / "frozen.json").write_text(json.dumps(frozen, indent=1) + "\n")


if __name__ == "__main__":
    main()
