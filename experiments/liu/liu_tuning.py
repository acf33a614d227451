"""Strength of the modified losses (Liu 2022, Fig. 13 to 15)."""
import numpy as np
from kit.chart import chart
from kit.claims import mean_of
from liu.networks import RISKS, faces, train

STRENGTHS = {"focal": ("0.5", "1", "2", "4"), "entropy": ("0.1", "0.3", "1", "2"), "mmce": ("1", "3", "5", "8")}


def run(x):
    data, seen, rows = faces(x, "linear"), {}, []
    for seed in range(x.size(3, 8)):
        for method, strengths in STRENGTHS.items():
            for strength in (strengths[0], strengths[2], strengths[3]) if x.quick else strengths:
                got = train(x, f"{method}-{strength}-{seed}", data, method, seed, "--strength", strength)
                seen.setdefault(method, {}).setdefault(seed, []).append(got["test"]["mse_p"])
                rows.append([method, strength, seed, got["test"]["mse_p"], got["validation"]["nll"]])
    x.table("By strength", ["method", "strength", "seed", "test MSE_p", "validation log-loss"], rows)
    spread = {m: np.array([max(v) - min(v) for v in by.values()]) for m, by in seen.items()}
    best = [max(seen["mmce"][s]) - min(*seen["focal"][s], *seen["entropy"][s]) for s in seen["mmce"]]
    x.chart("risks", "Fig. 14: risk by age", chart({name: (np.arange(117), psi(np.arange(117))) for name, psi in RISKS.items()}, "age", "probability"))
    return {"focal": mean_of(spread["mmce"] - spread["focal"], "seeds"), "entropy": mean_of(spread["mmce"] - spread["entropy"], "seeds"), "best": mean_of(best, "seeds")}
