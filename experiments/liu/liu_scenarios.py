"""All methods on drawn faces (Liu 2022, Tables 1 and 3 to 7)."""
import numpy as np
from kit.claims import every, mean_of
from liu.networks import SCENARIOS, faces, train

TRAINED = ("ce", "focal", "entropy", "mmce", "cape-bin", "cape-kernel", "ce-resampled")
SCALED = {"temperature": "temperature", "platt": "platt", "dirichlet": "beta", "mix-n-match": "mix-n-match"}
METRICS = ("ece", "mce", "ks", "brier", "mse_p", "kl_p")


def run(x):
    seeds, scenarios = x.size(3, 8), x.size(SCENARIOS[:1], SCENARIOS)
    mse, rows = {}, []
    for scenario in scenarios:
        data = faces(x, scenario)
        for seed in range(seeds):
            probs = {}
            for method in TRAINED:
                name = f"{scenario}-{method}-{seed}"
                more = ("--start-from", f"{scenario}-ce-{seed}", "--cape-lr", x.size("0.01", "0.0003")) if method.startswith("cape") else ()
                train(x, name, data, method, seed, *more)
                probs[method] = f"{name}/test/probs.npy"
            if x.quick is False or seed < 2:
                name = f"{scenario}-ensemble-{seed}"
                train(x, name, data, "ce", 1000 + 10 * seed, "--ensemble", x.size("3", "5"))
                probs["ensemble"] = f"{name}/test/probs.npy"
            ce = f"{scenario}-ce-{seed}"
            for label, method in SCALED.items():
                x.plumb("calibrate", "fit", "--method", method, "--logits", f"{ce}/validation/logits.npy", "--labels", f"{ce}/validation/labels.npy", "-o", "scaled.json", "--quiet")
                x.plumb("calibrate", "apply", "scaled.json", "--logits", f"{ce}/test/logits.npy", "-o", f"{ce}/{label}.npy", "--quiet")
                probs[label] = f"{ce}/{label}.npy"
            for label, file in probs.items():
                got = x.evaluate("--probs", file, "--labels", f"{ce}/test/labels.npy", "--truth", f"{ce}/test/truth.npy", "--binning", "mass", "--metrics", ",".join(METRICS),
                                 *(("--bootstrap", "1000") if not x.quick else ()))["metrics"]
                rows.append([scenario, label, seed, *(got[m]["value"] for m in METRICS)])
                mse.setdefault(label, {})[scenario, seed] = got["mse_p"]["value"]
    x.table("Test metrics (Table 1 prints them times 100)", ["scenario", "method", "seed", *METRICS], rows)
    # Differences by seed, the mean over scenarios, so that the runs that are compared are independent of each other.
    def by_seed(label, other):
        both = [s for s in range(seeds) if all((c, s) in mse[label] and (c, s) in mse[other] for c in scenarios)]
        return mean_of([np.mean([mse[label][c, s] - mse[other][c, s] for c in scenarios]) for s in both], "seeds")
    others = [label for label in mse if not label.startswith("cape") and label != "ce-resampled"]
    better = min(("cape-bin", "cape-kernel"), key=lambda m: np.mean(list(mse[m].values())))
    return {"oracle": every({label: by_seed("ce-resampled", label) for label in mse if label != "ce-resampled"}, below=True), "cape_bin": by_seed("cape-bin", "ce"),
            "cape_kernel": by_seed("cape-kernel", "ce"), "best": every({label: by_seed(better, label) for label in others}, below=True), "platt": by_seed("platt", "ce")}
