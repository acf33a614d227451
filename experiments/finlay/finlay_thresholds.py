"""Thresholds of uncertainty measures (Finlay 2022, Tables 3 to 5) and the figures on CIFAR-10."""
import numpy as np
from kit.chart import chart
from kit.claims import Missing, quantiles_of


def threshold_share(x, probs, labels, target, top, weights=None, measures="entropy,u1,u5"):
    args = ["--weights", weights] if weights else []
    got = x.result("uncertainty", "--probs", probs, "--labels", labels, "--normalize", "--targets", target, "--top", top, "--measures", measures,
                   "--confidence", "0", "--permutations", "0", "--suspects", "0", *args)["measures"]
    share = lambda m: got[m]["thresholds"][0]["share"] if got[m]["thresholds"][0]["threshold"] is not None else 0.0
    return {m: share(m) for m in got}, got


def shares(x, probs, labels, target, top, measures):
    """The share kept and its bootstrap over images, as weights of the images."""
    n = len(np.load(labels))
    values, got = threshold_share(x, probs, labels, target, top, None, measures)
    draws = []
    for b in range(x.size(60, 400)):
        rng = np.random.default_rng([7, b])
        weights = x.save("weights.npy", rng.multinomial(n, np.full(n, 1 / n)).astype(float))
        draws.append(threshold_share(x, probs, labels, target, top, weights, measures)[0])
    return values, draws, got


def run(x):
    found, rows = {}, []
    probs, labels = x.file("plambda_cifar10_vgg16_probs.npy"), x.file("plambda_cifar10_labels.npy")
    absent = "softmax outputs and labels ({0}_probs.npy, {0}_labels.npy) are not in --data"
    if probs and labels:
        values, draws, got = shares(x, probs, labels, 0.975, 1, "entropy,u1")
        for m in ("entropy", "u1"):
            found["t4_" + m] = quantiles_of(values[m], [d[m] for d in draws])
            t = got[m]["thresholds"][0]
            rows.append(["CIFAR-10, top 1 at .975", m, t["threshold"], t["share"], 1 - t["share"]])
        found["t4_same"] = quantiles_of(values["entropy"] - values["u1"], [d["entropy"] - d["u1"] for d in draws])
        # The last three bins; the odds ratio by bin and its bootstrap from the counts of the bin.
        bins = got["entropy"]["bins"]
        accuracy = sum(b["weight"] * b["accuracy"] for b in bins)
        rng, last = np.random.default_rng(8), bins[-3:]
        odds = lambda p: p / (1 - p)
        score = lambda p: max(odds(p) / odds(accuracy), odds(accuracy) / odds(p))
        again = [min(score((h + .5) / (b["votes"] + 1)) for b, h in zip(last, (rng.binomial(b["votes"], b["accuracy"]) for b in last))) for _ in range(2000)]
        found["fig3"] = quantiles_of(min(score(b["accuracy"]) for b in last), again, "bootstrap of the bins' counts")
        x.chart("odds_ratio", "Fig. 3: odds ratio of 100 bins of equal weight (bins of only right answers are left out)",
                chart({m + " (points)": ([i for i, b in enumerate(got[m]["bins"]) if b["odds_ratio"]], [b["odds_ratio"] for b in got[m]["bins"] if b["odds_ratio"]])
                       for m in ("entropy", "u1")}, "bin, from the least to the most uncertain", "odds ratio"))
        p, y = np.load(probs).astype(float), np.load(labels)
        p = p / p.sum(axis=1, keepdims=True)
        u1, loss = -np.log(p.max(axis=1)), -np.log(np.maximum(p[np.arange(len(y)), y], 1e-12))
        wrong = p.argmax(axis=1) != y
        some = np.random.default_rng(9).permutation(len(y))[:1500]
        pick = lambda right: [i for i in some if wrong[i] != right]
        x.chart("scatter", "Fig. 1 and 4: the measure against the loss (a sample of 1500 images)",
                chart({"right (points)": (u1[pick(True)], loss[pick(True)]), "wrong (points)": (u1[pick(False)], loss[pick(False)])}, "-log p_max", "loss"))
        least = np.argsort(np.where(wrong, u1, np.inf))[:10]
        x.table("Fig. 5: the wrong answers with the least uncertainty", ["image", "label", "answer", "-log p_max"],
                [[int(i), int(y[i]), int(p[i].argmax()), float(u1[i])] for i in least])
    else:
        for key in ("t4_entropy", "t4_u1", "t4_same", "fig3"):
            found[key] = Missing(absent.format("plambda_cifar10"))
    for table, name in (("t3", "imagenet"), ("t5", "cifar100")):
        probs, labels = x.file(name + "_probs.npy"), x.file(name + "_labels.npy")
        if not (probs and labels):
            found.update({f"{table}_{m}": Missing(absent.format(name)) for m in ("entropy", "u1", "u5")})
            continue
        values, draws, got = shares(x, probs, labels, 0.99, 5, "entropy,u1,u5")
        for m in ("entropy", "u1", "u5"):
            found[f"{table}_{m}"] = quantiles_of(values[m], [d[m] for d in draws])
            t = got[m]["thresholds"][0]
            rows.append([name + ", top 5 at .99", m, t["threshold"], t["share"], 1 - t["share"]])
    x.table("Thresholds", ["data", "measure", "threshold", "share below", "share above"], rows)
    return found
