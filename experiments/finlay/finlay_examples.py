"""The worked examples of Finlay and Oberman 2022, as histograms for "plumb uncertainty --histogram"."""
import numpy as np
from kit.chart import chart
from kit.claims import exact


def run(x):
    def score(p, w=None, *more):
        w = w or [1 / len(p)] * len(p)
        (x.work / "bins.csv").write_text("w,p\n" + "".join(f"{a!r},{b!r}\n" for a, b in zip(map(float, w), map(float, p))))
        got = x.result("uncertainty", "--histogram", "bins.csv", *more)["measures"]["histogram"]
        return {key: got[key]["value"] for key in ("eor", "auroc", "conditional_entropy")}

    up, down = score([1 / 16, .5, .5, 15 / 16]), score([15 / 16, .5, .5, 1 / 16])
    agents = [score([1 - wrong / 1000 for wrong in agent]) for agent in ([42, 40, 38], [76, 41, 3])]
    # The top row of Table 3; the accuracy of the last bin is the .8 of the text.
    three = score([.8, .95, .99], [.14, .31, .55], "--base-rate", "0.94")
    six = [score(p) for p in ([.15, .4, .8], [.4, .5, .99])]
    eight = [score(p) for p in ([.94, .999], [.95, .99])]
    rng = np.random.default_rng(1)
    gains = []
    for _ in range(x.size(40, 300)):
        p = rng.uniform(.55, .95, 5)
        share = rng.uniform(.2, .8, 5)
        step = rng.uniform(0, 1, 5) * np.minimum(p - .01, .99 - p) * np.minimum(share, 1 - share)
        fine = np.stack([p + step / share, p - step / (1 - share)], axis=1).ravel()
        weight = np.stack([share, 1 - share], axis=1).ravel() / 5
        gains.append(score(fine, weight.tolist())["eor"] - score(p)["eor"])
    x.table("Examples", ["histogram", "EOR", "AUROC", "conditional entropy (bits)"],
            [[name, s["eor"], s["auroc"], s["conditional_entropy"]] for name, s in
             [("1, first agent", agents[0]), ("1, second agent", agents[1]), ("3 and 5, increasing", up), ("5, reversed", down),
              ("4, model entropy", three), ("6, p", six[0]), ("6, q", six[1]), ("8, p", eight[0]), ("8, q", eight[1])]])
    x.table("Example 1 (values that the paper does not print)", ["agent", "EOR"], [["first", agents[0]["eor"]], ["second", agents[1]["eor"]]])
    # Figure 2: the odds ratio of one bin.
    p = np.linspace(.5, .995, 100)
    odds = lambda q: q / (1 - q)
    x.chart("odds_ratio", "Fig. 2: the odds ratio of a bin against its accuracy",
            chart({f"accuracy {a}": (p, np.maximum(odds(p) / odds(a), odds(a) / odds(p))) for a in (.9, .95)}, "accuracy of the bin", "odds ratio"))
    return {"coins": exact(up["eor"]), "agents": exact(agents[1]["eor"] - agents[0]["eor"]), "entropy4": exact(three["eor"]),
            "auroc_up": exact(up["auroc"]), "auroc_down": exact(down["auroc"]), "eor_order": exact(up["eor"] - down["eor"]),
            "eor6p": exact(six[0]["eor"]), "eor6q": exact(six[1]["eor"]), "auroc6p": exact(six[0]["auroc"]), "auroc6q": exact(six[1]["auroc"]),
            "eor8p": exact(eight[0]["eor"]), "eor8q": exact(eight[1]["eor"]), "entropy8p": exact(eight[0]["conditional_entropy"]),
            "entropy8q": exact(eight[1]["conditional_entropy"]), "refined": exact(min(gains))}
