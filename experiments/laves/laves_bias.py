"""Underestimated variance at the epoch of the lowest error (Laves 2021, section 2.2 and Fig. 2)."""
import numpy as np
from kit.chart import chart
from kit.claims import mean_of
from laves.network import train


def run(x):
    under, early, cost, later, rows, curve = [], [], [], [], [], None
    for seed in range(x.size(4, 8)):
        history = [e for e in x.history(train_one(x, seed)) if e["test"]["mse"] is not None and e["test"]["nll"] is not None]
        mse, nll = (np.array([e["validation"][k] for e in history]) for k in ("mse", "nll"))
        by_mse, by_nll = history[int(mse.argmin())], history[int(nll.argmin())]
        s = lambda e: factor(e)
        under.append(s(by_mse))
        early.append(s(by_nll))
        cost.append(by_nll["test"]["mse"] - by_mse["test"]["mse"])
        later.append(s(history[-1]) - s(by_nll))
        rows.append([seed, by_mse["epoch"], s(by_mse), by_mse["test"]["mse"], by_nll["epoch"], s(by_nll), by_nll["test"]["mse"], s(history[-1])])
        if seed == 0:
            epochs = [e["epoch"] for e in history]
            curve = {"test MSE": (epochs, [e["test"]["mse"] for e in history]), "training MSE": (epochs, [e["train"]["mse"] for e in history]),
                     "mean variance, test": (epochs, [e["test"]["variance"] for e in history])}
    x.table("By seed", ["seed", "epoch of the best MSE", "s", "test MSE", "epoch of the best likelihood", "s", "test MSE", "s of the last epoch"], rows)
    x.chart("bias", "Fig. 2: error and variance by epoch, seed 0", chart(curve, "epoch", "", zero=0))
    return {"under": mean_of(under, "seeds"), "early": mean_of(early, "seeds"), "mse": mean_of(cost, "seeds"), "later": mean_of(later, "seeds")}


def train_one(x, seed):
    return train(x, f"cells{seed}", 1, seed, "--intra-training")


def factor(epoch):
    """s of eq. 9 on the validation set, which the weights have not seen either."""
    return epoch["validation"]["sigma_scale"]
