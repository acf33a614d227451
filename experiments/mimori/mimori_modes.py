"""Three modes of uncertainty (Mimori 2021, appendix E and Fig. 3)."""
import numpy as np
from kit.chart import chart
from kit.claims import Missing, every, magnitude, mean_of

SHARES = (np.arange(200) + 0.5) / 200


def distance(a, b):
    """Wasserstein distance of two samples, from their quantiles."""
    return float(np.abs(np.quantile(a, SHARES) - np.quantile(b, SHARES)).mean())


def run(x):
    mnist = x.file("mnist")
    seeds = x.size(3, 5)
    means, shares, distances, densities, rows = {t: [] for t in range(10)}, {"raw": [], "mcdo": [], "alpha": []}, {}, {}, []
    for votes in (2, 5):
        data = x.demo("digits", f"digits{votes}", "--validation-votes", str(votes), "--items", str(x.size(6000, 10000 if mnist else 70000)), *(("--mnist", str(mnist)) if mnist else ()))
        network = ("--model", "mlp", "--hidden", "128") if x.quick else ("--model", "cnn")
        for seed in range(seeds):
            run = f"net{votes}-{seed}"
            x.train(run, "--data", data, "--targets", "counts", *network, "--dropout", "0.5", "--optimizer", "adam", "--lr", "0.001", "--epochs", x.size("15", "100"),
                    "--batch", "128", "--patience", x.size("5", "10"), "--seed", str(seed), "--device", "cpu")
            x.predict(run, f"{run}/mc", "--mc-dropout", "--samples", "20")
            x.plumb("calibrate", "fit", "--method", "alpha", "--logits", f"{run}/validation/logits.npy", "--features", f"{run}/validation/features.npy",
                    "--counts", f"{run}/validation/counts.npy", "-o", f"{run}/alpha.json", "--quiet")
            x.plumb("calibrate", "apply", f"{run}/alpha.json", "--logits", f"{run}/test/logits.npy", "--features", f"{run}/test/features.npy", "-o", f"{run}/alpha.npy", "--quiet")
            numeral, q = x.load(f"{data}/test/numeral.npy"), x.load(f"{data}/test/truth.npy")
            z = x.load(f"{run}/test/probs.npy")
            z = z[:, 1] if z.ndim == 2 else z
            mc = x.load(f"{run}/mc/samples.npy")
            mc = mc[..., 1] if mc.ndim == 3 else mc
            a = x.load(f"{run}/alpha.npy")
            rng = np.random.default_rng([41, votes, seed])
            # Point masses where a parameter is 0.
            b = np.clip(z, 1e-9, 1 - 1e-9)
            drawn = rng.beta(np.maximum(a * b, 1e-6), np.maximum(a * (1 - b), 1e-6), size=(20, len(z)))
            spread = {"raw": z[None], "mcdo": mc, "alpha": drawn}
            differ = {"raw": 2 * z * (1 - z), "mcdo": (2 * mc * (1 - mc)).mean(axis=0), "alpha": a / (a + 1) * 2 * z * (1 - z)}
            divided, unsure = (numeral >= 2) & (numeral <= 5), numeral >= 6
            truth = (2 * q * (1 - q))[unsure].mean() - (2 * q * (1 - q))[divided].mean()
            for name, s in spread.items():
                d = {t: distance(s[:, numeral == t].ravel(), q[numeral == t]) for t in range(10)}
                distances.setdefault((name, votes), []).append([np.mean([d[t] for t in range(2, 10)]), np.mean([d[t] for t in range(6, 10)])])
                rows.append([votes, seed, name, *(d[t] for t in range(10)), (differ[name][unsure].mean() - differ[name][divided].mean()) / truth])
                if votes == 5:
                    shares[name].append((differ[name][unsure].mean() - differ[name][divided].mean()) / truth)
            if votes == 5:
                for t in range(10):
                    means[t].append(z[numeral == t].mean() - q[numeral == t].mean())
                if seed == 0:
                    for t in (2, 6):
                        for name, s in {"truth": q[None], **spread}.items():
                            density, edges = np.histogram(s[:, numeral == t], bins=20, range=(0, 1), density=True)
                            densities[f"{t}, {name}"] = ((edges[1:] + edges[:-1]) / 2, density)
    x.table("Wasserstein distance by numeral, and the share of the true difference between the modes", ["votes", "seed", "", *map(str, range(10)), "share"], rows)
    x.chart("densities", "Fig. 3: densities for numerals 2 (divided) and 6 (uncertain), five votes, seed 0", chart(densities, "probability of the positive class", "density"))
    w = {k: np.array(v) for k, v in distances.items()}
    return {"mean": every({f"numeral {t}": magnitude(mean_of(v, "seeds")) for t, v in means.items()}, below=True),
            **{name: mean_of(v, "seeds") for name, v in shares.items()},
            "closer": mean_of(w["alpha", 5][:, 0] - w["mcdo", 5][:, 0], "seeds"), "five": mean_of(w["alpha", 5][:, 1] - w["alpha", 2][:, 1], "seeds"),
            "last_conv": Missing("plumb train writes the features of the penultimate layer only")}
