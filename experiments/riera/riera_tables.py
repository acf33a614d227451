"""Total variation with one label and with all votes (Riera-Marin 2025, Tables 1 and 2)."""
import numpy as np
from kit.chart import chart
from kit.claims import Missing, every, mean_of, normal

SETTINGS = ("--bandwidth", "0.02", "--bins", "15", "--subsets", "nested")


def run(x):
    rows, curves, found = [], {}, {}

    def stability(name, estimators, repeats, *args):
        got = x.result("stability", *args, "--estimators", estimators, "--repeats", repeats, *SETTINGS)["stability"]
        for estimator, r in got.items():
            rows.append([name, estimator, r["single"]["tv_sum"]["value"], r["single"]["tv_sum"]["sd"],
                         r["multi"]["tv_sum"]["value"], r["multi"]["tv_sum"]["sd"], r["ratio"]["value"]])
        return got

    def ratio(r):
        return normal(r["ratio"]["value"], r["ratio"]["se"], "normal, from the standard error over repeats")

    def votes(name, key, *args):
        got = stability(name, "ece,ece_kde", x.size(40, 200), *args)
        found[key + "_ece"], found[key + "_kde"] = ratio(got["ece"]), ratio(got["ece_kde"])
        for which, words in (("single", "one label"), ("multi", "all votes")):
            curves[f"{name}, {words}"] = (got["ece"][which]["fractions"], got["ece"][which]["mean"])

    def images(name, key, parts, single, kde, repeats):
        """Each image by itself, pixels as units; the interval is over images."""
        ece = [stability(f"{name} {i}", "ece", repeats, *part, "--single", single)["ece"]["ratio"]["value"] for i, part in parts]
        found[key + "_image"] = mean_of(ece, "images")
        if kde:
            some = [stability(f"{name} {i}", "ece_kde", repeats, *part, "--single", single)["ece_kde"]["ratio"]["value"] for i, part in parts[:x.size(3, 20)]]
            found[key + "_kde"] = mean_of(some, "images")

    if x.file("cifar10h-counts.npy") and x.file("plambda_cifar10_vgg16_probs.npy"):
        votes("CIFAR-10H", "cifar", "--probs", x.file("plambda_cifar10_vgg16_probs.npy"), "--counts", x.file("cifar10h-counts.npy"), "--normalize")
    if x.file("nli/chaosnli_snli.csv"):
        table = x.file("nli/chaosnli_snli.csv")
        votes("ChaosNLI", "nli", "--logits", f"{table}:roberta-base_0_e,roberta-base_0_n,roberta-base_0_c", "--counts", f"{table}:c100_e,c100_n,c100_c")
    x.demo("", "cohort", "--items", "3000")
    votes("Simulated cells", "cohort", "--probs", "cohort/test/probs.npy", "--counts", "cohort/test/counts.npy")

    if x.file("drive_wnet_2rater_fov.npz"):
        z = np.load(x.file("drive_wnet_2rater_fov.npz"))
        image, chosen, parts = z["image"], x.size(6, 20), []
        pixels = np.stack([z["rater1"], z["rater2"]], axis=1)
        for i in np.unique(image)[:chosen]:
            mine = image == i
            parts.append((int(i), ("--probs", x.save(f"drive/{i}-p.npy", z["prob"][mine]), "--ratings", x.save(f"drive/{i}-r.npy", pixels[mine]))))
        images("DRIVE image", "drive", parts, "rater:0", True, x.size(4, 30))
        got = stability("DRIVE, all pixels", "ece", x.size(5, 30), "--probs", x.save("drive/p.npy", z["prob"]), "--ratings", x.save("drive/r.npy", pixels), "--single", "rater:0")
        found["drive_pooled"] = ratio(got["ece"])

    x.demo("segmentation", "lesions", "--items", str(x.size(120, 600)))
    p, r, image = (x.load(f"lesions/test/pixel_{name}.npy") for name in ("truth", "ratings", "image"))
    # The forecast of a network that is too sure of itself: the logit of the true probability, doubled.
    logit = 2 * np.log(np.clip(p, 1e-6, 1 - 1e-6) / (1 - np.clip(p, 1e-6, 1 - 1e-6)))
    parts = [(int(i), ("--logits", x.save(f"lesion/{i}-p.npy", logit[image == i]), "--ratings", x.save(f"lesion/{i}-r.npy", r[image == i])))
             for i in np.unique(image)[:x.size(10, 40)]]
    images("Lesion", "lesion", parts, "majority", False, x.size(10, 50))
    got = stability("Lesions, all pixels", "ece", x.size(20, 100), "--logits", x.save("lesion/p.npy", logit), "--ratings", x.save("lesion/r.npy", r), "--single", "majority")
    found["lesion_pooled"] = ratio(got["ece"])

    x.table("Total variation (sum over steps)", ["data", "estimate", "one label", "sd", "all votes", "sd", "ratio"],
            [row for row in rows if not row[0].startswith(("DRIVE image", "Lesion "))])
    x.table("Images by themselves", ["image", "estimate", "one label", "sd", "all votes", "sd", "ratio"],
            [row for row in rows if row[0].startswith(("DRIVE image", "Lesion "))])
    x.chart("ece", "Mean ECE against the share of the test set (Fig. 3)", chart(curves, "share of the test set", "ECE"))
    found["lower"] = every({k: v for k, v in found.items() if not k.endswith("_kde")}, below=False)
    return {key: found.get(key, Missing("the votes and predictions of this data set are not in --data")) for key in x.keys}
