"""Early learning and memorisation in a linear model (Liu 2022, appendix B)."""
import numpy as np
from kit.chart import chart
from kit.claims import mean_of


def run(x):
    learns, overfits, collapses, resampled, curves = [], [], [], [], {}
    for seed in range(x.size(3, 10)):
        data = x.demo("linear-model", f"data{seed}", "--items", "1500", "--dimension", "500", "--seed", str(seed))
        for method in ("ce", "ce-resampled"):
            name = f"{method}-{seed}"
            x.train(name, "--data", data, "--model", "linear", "--method", method, "--optimizer", "sgd", "--lr", "0.1", "--momentum", "0",
                    "--weight-decay", "0", "--batch", "500", "--epochs", x.size("300", "3000"), "--checkpoint-every", "100", "--patience", "0", "--seed", str(seed), "--device", "cpu")
            history = x.history(name)
            m = np.array([e["validation"]["mse_p"] for e in history])
            if seed == 0:
                curves["labels as observed" if method == "ce" else "labels redrawn in each epoch"] = ([e["epoch"] for e in history], m)
            if method == "ce":
                learns.append(m.min() - m[0])
                overfits.append(m[-1] / m.min())
                # The history keeps no weights: a run to the end of which the last epoch is chosen has them.
                logits = last_logits(x, data, seed)
                p = 1 / (1 + np.exp(-logits))
                collapses.append(np.mean((p < 0.1) | (p > 0.9)))
            else:
                resampled.append(m[-10:].mean() / m.min())
    x.chart("linear", "Fig. 8: MSE_p on validation data by epoch, seed 0", chart(curves, "epoch", "MSE_p", zero=0))
    x.table("By seed", ["seed", "fall of MSE_p", "last / lowest", "share of extreme probabilities", "resampled: last / lowest"],
            [[k, *map(float, v)] for k, v in enumerate(zip(learns, overfits, collapses, resampled))])
    return {"learns": mean_of(learns, "seeds"), "overfits": mean_of(overfits, "seeds"), "collapses": mean_of(collapses, "seeds"), "resampled": mean_of(resampled, "seeds")}


def last_logits(x, data, seed):
    """Logits of the test set after 3,000 steps of gradient descent: the last weights, which a run does not keep."""
    f, y = np.load(x.work / data / "train/features.npy").astype(float), np.load(x.work / data / "train/labels.npy").astype(float)
    test = np.load(x.work / data / "test/features.npy").astype(float)
    w = np.zeros(f.shape[1])
    for _ in range(3000):
        w += 2.0 * f.T @ (y - 1 / (1 + np.exp(-f @ w))) / len(y)
    return test @ w
