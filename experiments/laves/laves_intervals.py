"""Coverage of prediction intervals before and after sigma scaling (Laves 2021, section 4.1)."""
import numpy as np
from kit.chart import chart
from kit.claims import Missing, mean_of, metric_of
from kit.tool import NO_TRAIN
from laves.network import calibrate, passes, qm9, train

LEVELS = (50, 90, 95, 99)


def coverage(x, folder, variance):
    return x.evaluate("--mean", f"{folder}/mean.npy", "--variance", variance, "--targets", f"{folder}/targets.npy", "--metrics",
                      ",".join(f"coverage_{q}" for q in LEVELS), "--bootstrap", "50")


def row(name, result):
    return [name, *(result["metrics"][f"coverage_{q}"]["value"] for q in LEVELS)]


def run(x):
    found, rows = {}, []
    if qm9(x):
        calibrate(x, "sigma", "qm9/validation", "qm9/test", "qm9-sigma")
        before, after = coverage(x, "qm9/test", "qm9/test/variance.npy"), coverage(x, "qm9/test", "qm9-sigma.npy")
        rows += [row("QM9, none", before), row("QM9, sigma", after)]
        found |= {"qm9_narrow": metric_of(before, "coverage_90"), "qm9_99": metric_of(after, "coverage_99"), "qm9_wide": metric_of(after, "coverage_50")}
    if x.has_train():
        seen = []
        for seed in range(x.size(3, 5)):
            name = train(x, f"cells{seed}", 1, seed)
            fit, _ = passes(x, name, "validation")
            test, _ = passes(x, name, "test")
            calibrate(x, "sigma", fit, test, f"{name}-sigma")
            both = [row(label, coverage(x, test, v)) for label, v in ((f"cells, seed {seed}, none", f"{test}/variance.npy"), (f"cells, seed {seed}, sigma", f"{name}-sigma.npy"))]
            rows += both
            seen.append([r[1:] for r in both])
        c = np.array(seen)  # seed x (none, sigma) x level
        found |= {"cells_narrow": mean_of(c[:, 0, 1], "seeds"), "cells_99": mean_of(c[:, 1, 3], "seeds"),
                  "cells_closer": mean_of(np.abs(c[:, 1, 1] - 0.9) - np.abs(c[:, 0, 1] - 0.9), "seeds")}
    x.table("Observed coverage", ["", *(f"{q}%" for q in LEVELS)], rows)
    if rows:
        keep = {r[0]: ([q / 100 for q in LEVELS], r[1:]) for r in rows if "seed" not in r[0] or "seed 0" in r[0]}
        x.chart("intervals", "Fig. 6: observed against nominal coverage", chart(keep, "nominal", "observed", diagonal=True))
    return {key: found.get(key, Missing(NO_TRAIN if key.startswith("cells") else "the QM9 predictions are not in --data")) for key in x.keys}
