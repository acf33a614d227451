"""Rejection of uncertain predictions (Laves 2021, section 4.2 and Fig. 8)."""
import numpy as np
from kit.chart import chart
from kit.claims import Missing, every, mean_of, quantiles_of
from kit.tool import NO_TRAIN
from laves.network import bootstrap, flat, passes, predicted, qm9, squared_error, train

SHARES = np.arange(0, 0.55, 0.1)


def left(error, variance, shares=SHARES):
    """MSE of what is left, relative to all."""
    order = np.argsort(variance, kind="stable")
    e = error[order]
    return np.array([e[: max(1, round((1 - s) * len(e)))].mean() for s in shares]) / e.mean()


def run(x):
    found, curves = {}, {}
    data = qm9(x)
    if data:
        p = data["test"]
        e, v = squared_error(p)[:, 0], p["variance"]
        value, draws = left(e, v), np.array(bootstrap(x, len(e), lambda i: left(e[i], v[i])))
        curves["QM9"] = (SHARES, value)
        steps = {f"{SHARES[k]:.0%} to {SHARES[k + 1]:.0%}": quantiles_of(value[k + 1] - value[k], draws[:, k + 1] - draws[:, k]) for k in range(len(SHARES) - 1)}
        found |= {"qm9_lower": every(steps, below=True), "qm9_half": quantiles_of(value[-1], draws[:, -1])}
    if x.has_train():
        one, many = [], []
        for seed in range(x.size(3, 5)):
            _, p = passes(x, train(x, f"cells{seed}", 1, seed), "test")  # sigma scaling does not change the order
            one.append(left(squared_error(p).mean(axis=1), flat(p["variance"]).mean(axis=1)))
            name = train(x, f"ensemble{seed}", 1, 100 + 10 * seed, "--ensemble", x.size("3", "5"))
            _, p = predicted(x, name, f"{name}/members", "--split", "test")
            many.append(left(squared_error(p).mean(axis=1), flat(p["variance"]).mean(axis=1)))
        one, many = np.array(one), np.array(many)
        curves |= {"drawn cells, MC dropout": (SHARES, one.mean(axis=0)), "drawn cells, ensemble": (SHARES, many.mean(axis=0))}
        found |= {"cells_half": mean_of(one[:, -1], "seeds"), "ensemble": mean_of(one[:, -1] - many[:, -1], "seeds")}
    x.table("MSE of what is left, relative to all", ["", *(f"{s:.0%} rejected" for s in SHARES)], [[name, *map(float, c[1])] for name, c in curves.items()])
    if curves:
        x.chart("rejection", "Fig. 8: MSE against the share rejected", chart(curves, "share rejected", "MSE, relative", zero=0))
    return {key: found.get(key, Missing(NO_TRAIN if not key.startswith("qm9") else "the QM9 predictions are not in --data")) for key in x.keys}
