"""The ablation of aux scaling (Laves 2021, appendix F and Fig. 10)."""
import numpy as np
from kit.chart import chart
from kit.claims import mean_of
from laves.network import calibrate, qm9, squared_error, uce

HIDDEN = (16, 8, 4, 2)


def run(x):
    data = qm9(x)
    test, e = data["test"], squared_error(data["test"])
    uces, spread = {h: [] for h in (*HIDDEN, "sigma")}, {h: [] for h in HIDDEN}
    curve = {}
    for draw in range(x.size(8, 20)):
        chosen = np.random.default_rng([12, draw]).permutation(len(data["validation"]["mean"]))[:300]
        for key in ("mean", "variance", "targets"):
            x.save(f"small/{key}.npy", data["validation"][key][chosen])
        for h in HIDDEN:
            v, _ = calibrate(x, "aux", "small", "qm9/test", "small-aux", "--hidden", h, "--seed", draw)
            uces[h].append(uce(e, v))
            spread[h].append((v.std() / v.mean()) / (test["variance"].std() / test["variance"].mean()))
            if draw == 0:
                order = np.argsort(v)
                parts = np.array_split(order, 12)
                curve[f"{h} units"] = ([v[i].mean() for i in parts], [e[i].mean() for i in parts])
        uces["sigma"].append(uce(e, calibrate(x, "sigma", "small", "qm9/test", "small-sigma")[0]))
    u = {h: np.array(values) for h, values in uces.items()}
    x.table("Means over draws of 300 calibration items", ["", "UCE (%)", "relative variation of the output"],
            [[f"aux, {h} units" if h != "sigma" else "sigma", 100 * u[h].mean(), float(np.mean(spread[h])) if h != "sigma" else 1.0] for h in u])
    x.chart("aux", "Fig. 10: observed against expected variance, one draw", chart(curve, "expected", "observed", diagonal=True))
    return {"constant": mean_of(spread[2], "draws"), "sigma": mean_of(u["sigma"] - u[16], "draws"), "fewer": mean_of(u[4] - u[16], "draws")}
