"""Sigma scaling during training (Laves 2021, Fig. 4)."""
import numpy as np
from kit.chart import chart
from kit.claims import mean_of
from laves.network import train


def run(x):
    lower, gap, rows = [], [], []
    for seed in range(x.size(4, 8)):
        history = x.history(train(x, f"cells{seed}", 1, seed, "--intra-training"))
        last = history[-10:]
        column = lambda part, key: np.mean([e[part][key] for e in last])
        learned, plain, scaled = column("train", "nll"), column("test", "nll"), column("test", "nll_scaled")
        lower.append(scaled - plain)
        gap.append((scaled - learned) / (plain - learned))
        rows.append([seed, learned, plain, scaled, gap[-1]])
        if seed == 0:
            epochs = [e["epoch"] for e in history]
            x.chart("intra", "Fig. 4: NLL by epoch, seed 0", chart({"training": (epochs, [e["train"]["nll"] for e in history]), "test": (epochs, [e["test"]["nll"] for e in history]),
                                                                    "test, scaled": (epochs, [e["test"]["nll_scaled"] for e in history])}, "epoch", "NLL"))
    x.table("Means of the last ten epochs", ["seed", "training NLL (with dropout)", "test NLL", "test NLL, scaled", "share of the gap left"], rows)
    return {"lower": mean_of(lower, "seeds"), "gap": mean_of(gap, "seeds")}
