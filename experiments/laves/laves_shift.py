"""Uncertainty on shifted images (Laves 2021, section 4.2 and Fig. 7)."""
import numpy as np
from kit.chart import chart
from kit.claims import mean_of
from laves.network import predicted, train


def run(x):
    x.demo("regression-images", "others", "--outputs", "2", "--items", str(x.size(600, 2000)), "--size", x.size("16", "32"))
    ratios, rows = {"MC dropout": [], "ensemble": []}, []
    for seed in range(x.size(3, 5)):
        runs = {"MC dropout": train(x, f"cells{seed}", 1, seed), "ensemble": train(x, f"ensemble{seed}", 1, 100 + 10 * seed, "--ensemble", x.size("3", "5"))}
        for name, run in runs.items():
            sampling = ("--mc-dropout", "--samples", "25") if name == "MC dropout" else ()
            mean = []
            for label, flags in (("test", ("--split", "test")), ("clahe", ("--split", "test-clahe")), ("other", ("--data", "others", "--split", "test"))):
                _, p = predicted(x, run, f"{run}/shift-{label}", *flags, *sampling)
                mean.append(p["variance"].mean())  # a factor for all, as sigma scaling has, does not change the ratios
                if seed == 0:
                    v = np.sort(np.sqrt(p["variance"].ravel()))
                    rows.append((f"{name}, {label}", v))
            ratios[name].append([mean[1] / mean[0], mean[2] / mean[0]])
    r = {name: np.array(values) for name, values in ratios.items()}
    x.table("Mean variance relative to the test set", ["", "seed", "CLAHE", "other domain"],
            [[name, k, *map(float, row)] for name, values in r.items() for k, row in enumerate(values)])
    share = np.linspace(0.01, 0.99, 40)
    x.chart("shift", "Fig. 7: quantiles of the standard deviation, seed 0", chart({name: (np.log10(np.quantile(v, share)), share) for name, v in rows}, "log10 standard deviation", "share below"))
    log = {name: np.log(values) for name, values in r.items()}
    return {"moderate": mean_of(r["MC dropout"][:, 0], "seeds"), "severe": mean_of(r["MC dropout"][:, 1], "seeds"),
            "comparable": mean_of(log["ensemble"][:, 0] - log["MC dropout"][:, 0], "seeds"), "ensemble": mean_of(log["ensemble"][:, 1] - log["MC dropout"][:, 1], "seeds")}
