"""CaPE with and without early learning (Liu 2022, appendix M and Table 12)."""
import numpy as np
from kit.claims import mean_of
from liu.networks import SCENARIOS, faces, train


def run(x):
    scenarios, rows = x.size(SCENARIOS[:1], SCENARIOS), []
    differences = {"bin": [], "kernel": []}
    for seed in range(x.size(5, 8)):
        mine = {"bin": [], "kernel": []}
        for scenario in scenarios:
            data = faces(x, scenario)
            train(x, f"{scenario}-ce-{seed}", data, "ce", seed)
            for kind in mine:
                late = train(x, f"{scenario}-{kind}-{seed}", data, f"cape-{kind}", seed, "--start-from", f"{scenario}-ce-{seed}", "--cape-lr", x.size("0.01", "0.0003"))
                start = train(x, f"{scenario}-{kind}-start-{seed}", data, f"cape-{kind}", seed, "--from-start")
                mine[kind].append(start["test"]["mse_p"] - late["test"]["mse_p"])
                rows.append([scenario, kind, seed, start["test"]["mse_p"], late["test"]["mse_p"]])
        for kind, values in mine.items():
            differences[kind].append(np.mean(values))
    x.table("Test MSE_p", ["scenario", "CaPE", "seed", "from the start", "from the early stop"], rows)
    return {kind: mean_of(values, "seeds") for kind, values in differences.items()}
