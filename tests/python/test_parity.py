"""The same arrays through files and the tool, and through Python: the same bits, over the whole registry."""
import numpy as np
import pytest

import plumb
from conftest import DATA, cohort, same

ALL = ["--metrics", "all"]
HOW = ["--bandwidth", "0.05"]


def binary():
    d = cohort(classes=2)
    return {"probs": d["truth"] ** 1.5, "labels": d["labels"], "truth": d["truth"], "weights": d["weights"]}


@pytest.mark.parametrize("votes", ["labels", "counts", "ratings"])
@pytest.mark.parametrize("predictions", ["probs", "logits"])
def test_every_metric(folder, predictions, votes):
    d = cohort()
    arrays = {k: d[k] for k in (predictions, votes, "weights", "groups")}
    tool = folder.json("evaluate", *folder.flags(arrays), *ALL, *HOW)
    ours = plumb.evaluate(**arrays, metrics="all", bandwidth=0.05)
    same(ours, tool)
    keys = {row["key"] for row in plumb.metrics.registry}
    assert keys - {"ece_debiased"} <= set(tool["metrics"]) | {k for k in keys if k in ("mse_p", "kl_p") or "calibration_" in k
                                                               or k == "oe_ratio"}


def test_a_binary_model(folder):
    arrays = binary()
    tool = folder.json("evaluate", *folder.flags(arrays), *ALL, *HOW, "--bins", 7, "--clip", 0.001)
    same(plumb.evaluate(**arrays, metrics="all", bandwidth=0.05, bins=7, clip=0.001), tool)


def test_intervals_slices_and_verdict(folder):
    d = cohort()
    arrays = {k: d[k] for k in ("probs", "counts", "groups", "by")}
    more = ["--bootstrap", 30, "--seed", 5, "--level", 0.9, "--tolerance", 0.1, "--ties", "random", "--binning", "mass"]
    tool = folder.json("evaluate", *folder.flags(arrays), *more, "--metrics", "ece,ece_corrected,nll,el,brier_reliability")
    ours = plumb.evaluate(**arrays, bootstrap=30, seed=5, level=0.9, tolerance=0.1, ties="random", binning="mass",
                          metrics=["ece", "ece_corrected", "nll", "el", "brier_reliability"])
    same(ours, tool)
    assert len(ours.per_group) == 3 and ours["ece"].low is not None


def test_the_defaults(folder):
    d = cohort(n=60)
    arrays = {k: d[k] for k in ("probs", "labels")}
    same(plumb.evaluate(**arrays), folder.json("evaluate", *folder.flags(arrays)))
    same(plumb.evaluate(**arrays, bandwidth="likelihood", leave_out="item", null="signs", metrics="ece_kde"),
         folder.json("evaluate", *folder.flags(arrays), "--bandwidth", "likelihood", "--leave-out", "item", "--null", "signs",
                     "--metrics", "ece_kde"))


def test_stochastic_predictions(folder):
    d = cohort(n=80)
    rng = np.random.default_rng(3)
    z = d["logits"] + rng.normal(size=(4, *d["logits"].shape))
    arrays = {"sample_logits": z, "labels": d["labels"]}
    same(plumb.evaluate(**arrays), folder.json("evaluate", *folder.flags(arrays)))
    p = np.exp(z) / np.exp(z).sum(2, keepdims=True)
    arrays = {"samples": p, "labels": d["labels"], "concentration": 5 + rng.random((4, 80))}
    same(plumb.evaluate(**arrays), folder.json("evaluate", *folder.flags(arrays)))


def test_text_labels_and_annotations(folder):
    d = cohort(n=50)
    names = np.array(["cat", "dog", "fox"])[d["labels"]]
    arrays = {"probs": d["probs"], "labels": names}
    tool = folder.json("evaluate", *folder.flags(arrays))
    ours = plumb.evaluate(**arrays)
    same(ours, tool)
    assert ours.class_names == ["cat", "dog", "fox"] and "sorted" in ours.notes[0]
    assert "classes" in ours.notes[0]
    rows = [(i, f"r{r}", c) for i in range(50) for r, c in enumerate(d["ratings"][i]) if c >= 0]
    item, rater, label = zip(*(rows + rows[:3]))
    (folder.path / "annotations.csv").write_text("item,rater,label\n" + "".join(f"{i},{r},{c}\n" for i, r, c in rows + rows[:3]))
    ids = {"ids": np.arange(50)}
    tool = folder.json("evaluate", *folder.flags({"probs": d["probs"], **ids}), "--annotations", "annotations.csv")
    ours = plumb.evaluate(probs=d["probs"], **ids, annotations=(np.array(item), list(rater), np.array(label)))
    ours_dict, skip = ours.to_dict(), {"argv", "inputs", "notes"}  # notes name the file
    assert {k: v for k, v in ours_dict.items() if k not in skip} == {k: v for k, v in tool.items() if k not in skip}
    assert ours_dict["annotations"]["repeated"] == 3


def regression(n=120):
    rng = np.random.default_rng(7)
    variance = np.exp(rng.normal(size=n))
    mean = rng.normal(size=n)
    return {"mean": mean, "variance": variance, "targets": mean + 1.3 * np.sqrt(variance) * rng.normal(size=n),
            "groups": rng.integers(0, 40, n), "weights": rng.integers(1, 3, n), "by": rng.integers(0, 2, n)}


def test_a_regression(folder):
    arrays = regression()
    more = ["--metrics", "all", "--bootstrap", 30, "--range", "0,4"]
    same(plumb.evaluate(**arrays, metrics="all", bootstrap=30, range=(0, 4)),
         folder.json("evaluate", *folder.flags(arrays), *more))
    d = regression()
    arrays = {"errors": d["targets"] - d["mean"], "std": np.sqrt(d["variance"]), "reference": np.ones(30)}
    same(plumb.evaluate(**arrays, clip=0.01), folder.json("evaluate", *folder.flags(arrays), "--clip", 0.01))
    passes = {"mean_samples": d["mean"] + np.random.default_rng(1).normal(size=(3, 120)),
              "variance_samples": np.tile(d["variance"], (3, 1)), "targets": d["targets"]}
    same(plumb.evaluate(**passes), folder.json("evaluate", *folder.flags(passes)))


def test_compare(folder):
    d = cohort()
    np.save(folder.path / "raw.npy", d["probs"])
    np.save(folder.path / "z.npy", d["logits"] / 1.4)
    tool = folder.json("compare", "--model", "raw=raw.npy", "--model-logits", "right=z.npy", "--reference", "raw", "--metrics",
                       "ece,nll,brier", *folder.flags({"counts": d["counts"], "groups": d["groups"]}))
    ours = plumb.compare({"raw": d["probs"]}, {"right": d["logits"] / 1.4}, reference="raw", counts=d["counts"],
                         groups=d["groups"], metrics=["ece", "nll", "brier"])
    same(ours, tool)


def test_stability(folder):
    d = cohort(n=60)
    arrays = {k: d[k] for k in ("probs", "ratings", "groups")}
    tool = folder.json("stability", *folder.flags(arrays), "--estimators", "ece,brier", "--from", 0.4, "--step", 0.2,
                       "--repeats", 6, "--single", "rater:1", "--subsets", "independent", "--seed", 9)
    same(plumb.stability(**arrays, estimators=["ece", "brier"], start=0.4, step=0.2, repeats=6, single="rater:1",
                         subsets="independent", seed=9), tool)


def test_uncertainty(folder):
    d = cohort(n=200)
    margin = 1 - np.sort(d["probs"], 1)[:, -1]
    arrays = {k: d[k] for k in ("probs", "labels", "groups")}
    arrays["ids"] = np.array([f"i{k}" for k in range(200)])
    np.save(folder.path / "m.npy", margin)
    tool = folder.json("uncertainty", *folder.flags(arrays), "--score", "margin=m.npy", "--bootstrap", 20, "--permutations", 10,
                       "--targets", "0.9,0.8", "--suspects", 4)
    ours = plumb.uncertainty(**arrays, scores={"margin": margin}, bootstrap=20, permutations=10, targets=(0.9, 0.8), suspects=4)
    same(ours, tool)
    plain = plumb.uncertainty(**arrays)
    same(plain, folder.json("uncertainty", *folder.flags(arrays)))


def test_real_data(folder):
    """CIFAR-10: a network's probabilities against labels, and the shares of some votes against others."""
    needed = [DATA / name for name in ("plambda_cifar10_vgg16_probs.npy", "plambda_cifar10_labels.npy", "cifar10h-counts.npy",
                                       "cifar10h_sub5_counts.npy")]
    if not all(path.is_file() for path in needed):
        pytest.skip(f"the real data are not at {DATA}")
    probs, labels, counts, five = (np.load(path) for path in needed)
    arrays = {"probs": probs, "labels": labels}
    same(plumb.evaluate(**arrays, metrics="ece,nll,auroc,ks,smece".split(","), bootstrap=10),
         folder.json("evaluate", *folder.flags(arrays), "--metrics", "ece,nll,auroc,ks,smece", "--bootstrap", 10))
    n = min(len(counts), len(five), 2000)
    shares = (five[:n] + 0.1) / (five[:n] + 0.1).sum(1, keepdims=True)
    arrays = {"probs": shares.astype(np.float32), "counts": counts[:n].astype(np.int64)}
    same(plumb.evaluate(**arrays), folder.json("evaluate", *folder.flags(arrays)))
