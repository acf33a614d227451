"""Which metric follows MSE_p and KL_p (Liu 2022, Fig. 3, 11, 12)."""
import csv

import numpy as np
from kit.chart import chart
from kit.claims import Missing, every, quantiles_of
from liu.networks import RISKS

METRICS = ("brier", "ece", "mce", "ks", "auroc")
NETWORKS = ("early_stop", "overfit", "infinite", "cape_bin")


def rank_correlation(a, b):
    rank = lambda v: np.argsort(np.argsort(v)).astype(float)
    return np.corrcoef(rank(a), rank(b))[0, 1]


def run(x):
    found, rows, kl = {}, [], {}
    # Ages of the drawn faces, from their true risk in the linear scenario.
    x.demo("faces", "faces", "--items", "5000", "--size", "8")
    age = 100 * np.concatenate([x.load(f"faces/{part}/truth.npy") for part in ("train", "validation", "test")])
    forecasts = x.size(40, 120)
    for scenario, psi in RISKS.items():
        rng = np.random.default_rng([21, len(scenario)])
        p = np.clip(psi(age), 0.005, 0.995)[:2329]
        y = (rng.random(len(p)) < p).astype(int)
        logit = np.log(p / (1 - p))
        x.save("y.npy", y)
        x.save("p.npy", p)
        seen = []
        for _ in range(forecasts):
            slope, level, noise = np.exp(rng.normal(scale=0.4)), rng.normal(scale=0.3), rng.exponential(0.5)
            x.save("q.npy", 1 / (1 + np.exp(-(logit.mean() + slope * (logit - logit.mean()) + level + noise * rng.normal(size=len(p))))))
            got = x.evaluate("--probs", "q.npy", "--labels", "y.npy", "--truth", "p.npy", "--bins", "15", "--binning", "mass",
                             "--metrics", "mse_p,kl_p," + ",".join(METRICS))["metrics"]
            seen.append([got[m]["value"] for m in ("mse_p", "kl_p", *METRICS)])
        v = np.array(seen)
        v[:, 2 + METRICS.index("auroc")] *= -1  # the higher the better
        draws = [rng.integers(forecasts, size=forecasts) for _ in range(x.size(400, 2000))]
        correlations = lambda i, to: np.array([rank_correlation(v[i, 2 + k], v[i, to]) for k in range(len(METRICS))])
        everything = np.arange(forecasts)
        for to, where in ((0, found), (1, kl)):
            value, again = correlations(everything, to), np.array([correlations(i, to) for i in draws])
            others = {METRICS[k]: quantiles_of(value[0] - value[k], again[:, 0] - again[:, k], "bootstrap over forecasts, percentile") for k in range(1, len(METRICS))}
            if to == 0:
                found[scenario] = every(others, below=False)
            else:
                kl |= {f"{scenario}, {k}": m for k, m in others.items()}
            rows.append([scenario, "MSE_p" if to == 0 else "KL_p", *map(float, value)])
        if scenario == "linear":
            x.chart("linear", "Fig. 3: each metric (scaled to its largest value) against MSE_p, linear scenario",
                    chart({f"{m} (points)": (v[:, 0], np.abs(v[:, 2 + k]) / np.abs(v[:, 2 + k]).max()) for k, m in enumerate(METRICS)}, "MSE_p", "metric"))
    found["kl"] = every(kl, below=False)
    x.table("Rank correlations over forecasts", ["scenario", "with", *METRICS], rows)
    files = {n: x.file(f"cape_utkface_unif_{n}.csv") for n in NETWORKS}
    if all(files.values()):
        brier, mse, table = [], [], []
        for name, path in files.items():
            with open(path) as f:
                q = np.array([[float(r["p_hat"]), float(r["y"]), float(r["p_true"])] for r in csv.DictReader(f)])
            brier.append((q[:, 0] - q[:, 1]) ** 2)
            mse.append((q[:, 0] - q[:, 2]) ** 2)
            got = x.evaluate("--probs", f"{path}:p_hat", "--labels", f"{path}:y", "--truth", f"{path}:p_true", "--metrics", "mse_p,brier,ece,ks,auroc", "--binning", "mass")["metrics"]
            table.append([name, *(got[m]["value"] for m in ("mse_p", "brier", "ece", "ks", "auroc"))])
        x.table("Published outputs of four ResNet-18 on UTKFace, linear", ["network", "MSE_p", "Brier", "ECE", "KS", "AUROC"], table)
        pairs = [(a, b) for a in range(4) for b in range(a)]
        tau = lambda i: np.mean([np.sign(brier[a][i].mean() - brier[b][i].mean()) * np.sign(mse[a][i].mean() - mse[b][i].mean()) for a, b in pairs])
        n, rng = len(brier[0]), np.random.default_rng(22)
        draws = [rng.integers(n, size=n) for _ in range(400)]
        found["real"] = quantiles_of(tau(np.arange(n)), [tau(i) for i in draws])
        found["table"] = quantiles_of(mse[0].mean(), [mse[0][i].mean() for i in draws])
    return {key: found.get(key, Missing("the outputs on UTKFace (cape_utkface_unif_*.csv) are not in --data")) for key in x.keys}
