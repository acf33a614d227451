"""UCE and likelihood of none, aux and sigma, ours and Levi's, and an ensemble (Laves 2021, Tables 1 and 2)."""
import numpy as np
from kit.claims import Missing, mean_of, normal, quantiles_of
from kit.tool import NO_TRAIN
from laves.network import bootstrap, calibrate, flat, nll_items, passes, predicted, qm9, squared_error, train, uce


def factor(parameters):
    return float(np.ravel(next(p["values"] for name, p in parameters.items() if name in ("s", "scale", "sigma")))[0])


def scores(x, name, fit, fit_parts, test, p):
    """{method: (variance, factor)} of ours and of Levi's, who calibrates the aleatoric variance alone."""
    out = {"ours, none": (p["variance"], None)}
    v, parameters = calibrate(x, "sigma", fit, test, f"{name}-sigma")
    out["ours, sigma"] = (v, factor(parameters))
    out["ours, aux"] = (calibrate(x, "aux", fit, test, f"{name}-aux")[0], None)
    for part, q in ((f"{name}/levi-fit", fit_parts), (f"{name}/levi-test", p)):
        for key in ("mean", "targets"):
            x.save(f"{part}/{key}.npy", q[key])
        x.save(f"{part}/variance.npy", q["aleatoric"])
    out["Levi, none"] = (p["aleatoric"], None)
    v, parameters = calibrate(x, "sigma", f"{name}/levi-fit", f"{name}/levi-test", f"{name}-levi")
    out["Levi, sigma"] = (v, factor(parameters))
    out["Levi, aux"] = (calibrate(x, "aux", f"{name}/levi-fit", f"{name}/levi-test", f"{name}-levi-aux")[0], None)
    return out


def rows_of(name, methods, p):
    e = squared_error(p)
    # Table 2 prints the mean of err^2/var + log var, which is 2 nll - log 2 pi.
    return [[name, method, e.mean(), 100 * uce(e, v * np.ones_like(p["mean"])), 2 * nll_items(p, v).mean() - np.log(2 * np.pi), s] for method, (v, s) in methods.items()]


def run(x):
    found, rows = {"oct": Missing("the 3-D OCT needle poses, or predictions for them, are not in --data")}, []
    data = qm9(x)
    if data:
        p = data["test"]
        m = scores(x, "qm9", "qm9/validation", data["validation"], "qm9/test", p)
        rows += rows_of("QM9", m, p)
        items = {k: nll_items(p, v) for k, (v, _) in m.items()}
        difference = lambda a, b: normal((d := items[a] - items[b]).mean(), d.std(ddof=1) / np.sqrt(len(d)), "paired over items, normal")
        e, none, scaled = squared_error(p), m["ours, none"][0], m["ours, sigma"][0]
        change = lambda i: uce(e[i], scaled[i]) - uce(e[i], none[i])
        z = e[:, 0] / none
        found |= {"qm9_nll": difference("ours, sigma", "ours, none"), "qm9_levi": difference("ours, sigma", "Levi, sigma"), "qm9_aux": difference("ours, sigma", "ours, aux"),
                  "qm9_uce": quantiles_of(change(np.arange(len(e))), bootstrap(x, len(e), change)),
                  "qm9_s": quantiles_of(m["ours, sigma"][1], bootstrap(x, len(e), lambda i: np.sqrt(z[i].mean())), note="the interval is from the test set")}
    if x.has_train():
        for d in (1, 2):
            seen = []
            for seed in range(x.size(3, 5)):
                name = train(x, f"d{d}-{seed}", d, seed)
                (fit, q), (test, p) = passes(x, name, "validation"), passes(x, name, "test")
                m = scores(x, name, fit, q, test, p)
                rows += rows_of(f"drawn, d = {d}, seed {seed}", m, p)
                e = squared_error(p)
                seen.append({k: (nll_items(p, v).mean(), uce(e, v * np.ones_like(p["mean"])), s) for k, (v, s) in m.items()})
            column = lambda k, i: np.array([s[k][i] for s in seen])
            found[f"d{d}_nll"] = mean_of(column("ours, sigma", 0) - column("ours, none", 0), "seeds")
            found[f"d{d}_s"] = mean_of(column("ours, sigma", 2), "seeds")
            if d == 1:
                found["d1_uce"] = mean_of(column("ours, sigma", 1) - column("ours, none", 1), "seeds")
                found["d1_levi"] = mean_of(column("ours, sigma", 2) - column("Levi, sigma", 2), "seeds")
                ensembles = []
                for k in range(x.size(2, 5)):
                    name = train(x, f"ensemble{k}", 1, 100 + 10 * k, "--ensemble", x.size("3", "5"))
                    _, p = predicted(x, name, f"{name}/members", "--split", "test")
                    rows += rows_of(f"drawn, d = 1, ensemble {k}", {"ensemble": (p["variance"], None)}, p)
                    ensembles.append(uce(squared_error(p), p["variance"]))
                n = min(len(ensembles), len(seen))
                found["ensemble"] = mean_of(np.array(ensembles[:n]) - column("ours, sigma", 1)[:n], "pairs")
    x.table("Tables 1 and 2", ["data", "calibration", "MSE", "UCE (%)", "NLL (as printed)", "s"], rows)
    return {key: found.get(key, Missing(NO_TRAIN if key[0] in "de" else "the QM9 predictions are not in --data")) for key in x.keys}
