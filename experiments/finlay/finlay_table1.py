"""All measures of uncertainty on digits (Finlay 2022, Tables 1 and 2)."""
import numpy as np
from kit.claims import mean_of

RATES = ("0.002", "0.01", "0.05")
SCORES = ("eor", "auroc", "binned_brier")


def named(rate):
    return "dropout_" + rate.replace(".", "_")


def digits(x):
    """Noisy digits with their numeral as the label."""
    mnist = x.file("mnist")
    more = ("--mnist", mnist) if mnist else ()
    x.demo("digits", "source", "--items", str(x.size(7000, 10000 if mnist else 30000)), *map(str, more))
    rng = np.random.default_rng(31)
    images = np.concatenate([x.load(f"source/{part}/images.npy") for part in ("train", "validation", "test")]).astype(float)
    labels = np.concatenate([x.load(f"source/{part}/numeral.npy") for part in ("train", "validation", "test")])
    images = images + rng.normal(scale=90, size=images.shape)
    n = len(labels)
    for part, begin, end in (("train", 0, n // 2), ("validation", n // 2, n * 6 // 10), ("test", n * 6 // 10, n)):
        x.save(f"digits/{part}/images.npy", np.clip(images[begin:end], 0, 255).astype(np.uint8))
        x.save(f"digits/{part}/labels.npy", labels[begin:end].astype(np.uint8))
    return "MNIST" if mnist else "drawn digits"


def variance(samples):
    """Frobenius norm of the covariance of the softmax outputs, for each item."""
    d = samples - samples.mean(axis=0)
    c = np.einsum("snk,snl->nkl", d, d) / len(samples)
    return np.sqrt((c**2).sum(axis=(1, 2)))


def run(x):
    x.notes.append(f"The digits are {digits(x)} with noise of 90 of 255 grey levels.")
    network = ("--data", "digits", "--model", "mlp", "--hidden", "128", "--optimizer", "adam", "--lr", "0.001", "--epochs", x.size("8", "30"), "--patience", "4", "--device", "cpu")
    ratios, ensemble, rate, same, rows = {"auroc": [], "binned_brier": []}, [], [], [], []
    for seed in range(x.size(4, 8)):
        run = f"net{seed}"
        x.train(run, *network, "--dropout", "0.05", "--seed", str(seed))
        x.train(f"ensemble{seed}", *network, "--dropout", "0.05", "--seed", str(100 + 10 * seed), "--ensemble", x.size("3", "5"))
        given = []
        for r in RATES:
            x.predict(run, f"{run}/mc-{r}", "--mc-dropout", "--dropout-rate", r, "--samples", "20")
            given += ["--score", f"{named(r)}={x.save(f'{run}/dropout-{r}.npy', variance(x.load(f'{run}/mc-{r}/samples.npy')))}"]
        given += ["--score", f"ensemble={x.save(f'{run}/ensemble.npy', variance(x.load(f'ensemble{seed}/test/samples.npy')))}"]
        got = x.result("uncertainty", "--logits", f"{run}/test/logits.npy", "--labels", f"{run}/test/labels.npy", "--measures", "entropy,u1", *given,
                       "--bootstrap", x.size("60", "200"), "--permutations", "0", "--suspects", "0", "--confidence", "0")
        m = got["measures"]
        f = {}
        for score in SCORES:
            value = np.array([np.log(m[k][score]["value"]) for k in m])
            error = np.array([(np.log(m[k][score]["high"]) - np.log(m[k][score]["low"])) / 3.92 for k in m])
            f[score] = np.log(value.var(ddof=1) / np.mean(error**2))
        for score in ratios:
            ratios[score].append(f["eor"] - f[score])
        log = {k: np.log(m[k]["eor"]["value"]) for k in m}
        ensemble.append(log["ensemble"] - log["entropy"])
        rate.append(log[named("0.002")] - log[named("0.05")])
        same.append(log["u1"] - log["entropy"])
        rows += [[seed, got["accuracy"], k, *(m[k][s]["value"] for s in SCORES), m[k]["eor_bins"]] for k in m]
    x.table("Tables 1 and 2", ["seed", "accuracy", "measure", "EOR", "AUROC", "binned Brier", "bins"], rows)
    return {"brier": mean_of(ratios["binned_brier"], "seeds"), "auroc": mean_of(ratios["auroc"], "seeds"), "ensemble": mean_of(ensemble, "seeds"),
            "rate": mean_of(rate, "seeds"), "same": mean_of(same, "seeds")}
