"""Order-1 and order-2 metrics with and without alpha calibration (Mimori 2021, Table 2)."""
import csv

import numpy as np
from kit.chart import chart
from kit.claims import Missing, every, exact, normal, quantiles_of

METRICS = "accuracy,lsq,el,ce,de,disagreement_loss,disagreement_cl,disagreement_ce,disagreement_classwise_loss,disagreement_classwise_ce"
STEPS = {"none": None, "ts": "temperature", "vs": "vector", "ms": "matrix"}


def disagreement(z, counts, concentration=None):
    """Loss of the forecast of disagreement by item (eqs. 39, 49, 51); z: S x N x K."""
    phi = 1 - (z**2).sum(axis=2)
    if concentration is not None:
        phi = phi * concentration / (concentration + 1)
    phi = phi.mean(axis=0)
    n = counts.sum(axis=1)
    mu = (counts * (n[:, None] - counts)).sum(axis=1) / (n * (n - 1))
    return mu * (1 - phi) ** 2 + (1 - mu) * phi**2


def applied(x, model, words, features, key, alpha):
    """The calibrated predictions as flags. Of stochastic predictions every pass is calibrated by itself, with its own alpha_0 (eq. 51)."""
    if words[0] != "--sample-logits":
        given = ("--features", features) if features and alpha else ()
        x.plumb("calibrate", "apply", model, *words, *given, *(("-o", f"{key}-alpha0.npy", "--out-probs", f"{key}.npy") if alpha else ("-o", f"{key}.npy")), "--quiet")
        return ("--probs", f"{key}.npy"), (("--concentration", f"{key}-alpha0.npy") if alpha else ())
    logits, u = x.load(words[1]), x.load(features) if alpha else None
    z, a = [], []
    for s in range(len(logits)):
        one = applied(x, model, ("--logits", x.save("pass-logits.npy", logits[s])), x.save("pass-features.npy", u[s]) if alpha else None, "pass", alpha)
        z.append(x.load(one[0][1]))
        a += [x.load(one[1][1])] if alpha else []
    return ("--samples", x.save(f"{key}.npy", np.stack(z))), (("--concentration", x.save(f"{key}-alpha0.npy", np.stack(a))) if alpha else ())


def evaluated(x, name, fit, test, folder):
    """Rows of the table for predictions `test` = {prediction: (flags, votes, features)}, calibrated on `fit` = (flags, votes, features)."""
    (x.work / folder).mkdir(exist_ok=True)
    rows, changes, differences, ces = [], [0.0], {}, {}
    flags, votes, fit_features = fit
    seen = {}
    for step, method in STEPS.items():
        model = None
        if method:
            model = f"{folder}/{step}.json"
            x.plumb("calibrate", "fit", "--method", method, *flags, "--counts", votes, "-o", model, "--quiet")
        both = f"{folder}/{step}-alpha.json"
        x.plumb("calibrate", "fit", "--method", "alpha", *(("--after", model) if model else ()), *flags, "--counts", votes,
                *(("--features", fit_features) if fit_features else ()), "-o", both, "--quiet")
        for prediction, (words, counts, features) in test.items():
            for label, calibrator in ((step, model), (step + " + alpha", both)):
                probs, extra = words, ()
                if calibrator:
                    probs, extra = applied(x, calibrator, words, features, f"{folder}/{prediction}-{label.replace(' ', '')}", label.endswith("alpha"))
                got = x.evaluate(*probs, *extra, "--counts", counts, "--metrics", METRICS)
                m = {k: v["value"] for k, v in got["metrics"].items()}
                rows.append([prediction, label, m["accuracy"], m["lsq"], m["el"], m["ce"], m["de"], m["disagreement_loss"], m["disagreement_ce"],
                             m["disagreement_classwise_loss"], m["disagreement_classwise_ce"]])
                z, c = items(x, probs), x.load(counts)
                a = x.load(extra[1]) if extra else None
                a = None if a is None else np.broadcast_to(a if a.ndim == 2 else a[None], z.shape[:2])
                seen[prediction, label] = (m, disagreement(z, c, a), z, c, a)
            (m0, l0, *_), (m1, l1, *_) = seen[prediction, step], seen[prediction, step + " + alpha"]
            if prediction == "Raw":
                changes += [abs(m1[k] - m0[k]) for k in ("accuracy", "lsq", "el", "ce", "de")]
            d = l1 - l0
            differences[f"{prediction}, {step}"] = normal(d.mean(), d.std(ddof=1) / np.sqrt(len(d)), "paired difference over items, normal")
            ces[f"{prediction}, {step}"] = ce_difference(seen[prediction, step], seen[prediction, step + " + alpha"])
    x.table(name, ["prediction", "calibration", "accuracy", "L_sq", "EL", "CE", "DE", "L of disagreement", "CE of disagreement", "class-wise L", "class-wise CE"], rows)
    reliability(x, name, folder, seen)
    return seen, changes, differences, ces


def items(x, probs):
    flag, name = probs
    if ":" in name:
        path, columns = name.rsplit(":", 1)
        with open(path) as f:
            z = np.array([[float(row[c]) for c in columns.split(",")] for row in csv.DictReader(f)])
    else:
        z = np.load(name) if name.startswith("/") else x.load(name)
    z = np.asarray(z, dtype=float)
    if flag.endswith("logits"):
        z = np.exp(z - z.max(axis=-1, keepdims=True))
    z = z / z.sum(axis=-1, keepdims=True)
    return z if z.ndim == 3 else z[None]


def signed_ce(phi, mu, bins=15):
    """Debiased CE of disagreement (eqs. 42, 43): |.| of the signed root."""
    b = np.minimum((phi * bins).astype(int), bins - 1)
    n, s, q, f = (np.bincount(b, w, bins) for w in (np.ones(len(mu)), mu, mu**2, phi))
    ok = n >= 2
    n, s, q, f = n[ok], s[ok], q[ok], f[ok]
    total = np.sum(n / len(mu) * ((s / n - f / n) ** 2 - (q / n - (s / n) ** 2) / (n - 1)))
    return np.sign(total) * np.sqrt(abs(total))


def phi_mu(entry):
    _, _, z, counts, a = entry
    phi = 1 - (z**2).sum(axis=2)
    if a is not None:
        phi = phi * a / (a + 1)
    n = counts.sum(axis=1)
    return phi.mean(axis=0), (counts * (n[:, None] - counts)).sum(axis=1) / (n * (n - 1))


def ce_difference(before, after):
    """|CE| with alpha less |CE| without: the same bootstrap items for both."""
    (p0, mu), (p1, _) = phi_mu(before), phi_mu(after)
    rng = np.random.default_rng(5)
    draws = []
    for _ in range(400):
        i = rng.integers(len(mu), size=len(mu))
        draws.append(abs(signed_ce(p1[i], mu[i])) - abs(signed_ce(p0[i], mu[i])))
    value = abs(signed_ce(p1, mu)) - abs(signed_ce(p0, mu))
    # The bootstrap adds noise to both errors, so its spread is put around the value that was found.
    return normal(value, float(np.std(draws)), "paired bootstrap over items, normal")


def reliability(x, name, folder, seen):
    curves = {}
    for (prediction, label), entry in seen.items():
        if prediction != "Raw":
            continue
        phi, mu = phi_mu(entry)
        b = np.minimum((phi * 10).astype(int), 9)
        n = np.bincount(b, minlength=10)
        ok = n >= 20
        curves[label] = ((np.bincount(b, phi, 10)[ok] / n[ok]), (np.bincount(b, mu, 10)[ok] / n[ok]))
    x.chart(f"{folder}-disagreement", f"Fig. 2b: reliability of disagreement, {name}, Raw (bins of at least 20 items)",
            chart(curves, "forecast probability that two raters differ", "share of pairs that differ", diagonal=True))


def claims_of(key, seen, changes, differences, ces):
    m = seen["Raw", "none"]
    z, c = m[2][0], m[3]
    n = c.sum(axis=1)
    mu = c / n[:, None]
    il = (mu * (1 - mu) * (n / (n - 1))[:, None]).sum(axis=1)
    lsq = ((mu - z) ** 2 + mu * (1 - mu)).sum(axis=1)
    rng = np.random.default_rng(6)
    draws = [1 - il[i].sum() / lsq[i].sum() for i in (rng.integers(len(n), size=len(n)) for _ in range(400))]
    return {key + "_order1": exact(max(changes)), key + "_loss": every(differences, below=True), key + "_ce": every(ces, below=True),
            key + "_el": quantiles_of(m[0]["el"] / m[0]["lsq"], draws)}


def from_logits(x, key, name, fit_flags, fit_votes, test_flags, test_votes):
    return claims_of(key, *evaluated(x, name, (fit_flags, fit_votes, None), {"Raw": (test_flags, test_votes, None)}, key))


def cells(n, seed, size=16, classes=22):
    """Images of 22 kinds of cells in a circle of likeness, and the probability of each kind among those who name it."""
    rng = np.random.default_rng([22, seed])
    which, blur = rng.integers(classes, size=n), rng.uniform(0.15, 1.1, size=n)
    q = np.exp(-0.5 * (((np.arange(classes)[None] - which[:, None] + classes // 2) % classes - classes // 2) / blur[:, None]) ** 2)
    q /= q.sum(axis=1, keepdims=True)
    pattern = np.random.default_rng(22).normal(size=(classes, 3, 4, 4))
    pattern = np.kron(pattern, np.ones((1, 1, size // 4, size // 4)))
    images = np.einsum("nk,kchw->nchw", q, pattern) + rng.normal(scale=0.9, size=(n, 3, size, size))
    return np.clip(127 + 45 * images, 0, 255).astype(np.uint8), q, rng


def drawn_images(x):
    sizes = {"train": x.size(4000, 20000), "validation": x.size(1500, 5000), "test": x.size(2000, 8000)}
    for k, (part, n) in enumerate(sizes.items()):
        images, q, rng = cells(n, k)
        votes = np.ones(n, int) if part == "train" else 2 + rng.poisson(3.67, size=n)  # 5.67 on average
        x.save(f"cells/{part}/images.npy", images)
        x.save(f"cells/{part}/counts.npy", np.stack([rng.multinomial(v, p) for v, p in zip(votes, q)]))
    x.train("net", "--data", "cells", "--targets", "counts", "--model", "resnet18", "--width", "8", "--dropout", "0.3", "--optimizer", "adam", "--lr", "0.002",
            "--epochs", x.size(6, 30), "--patience", x.size(3, 8), "--shift", "1", "--flip", "--device", "cpu")
    rows = {"Raw": (("--logits", "net/test/logits.npy"), "net/test/counts.npy", "net/test/features.npy")}
    for name, flag in (("MCDO", "--mc-dropout"), ("TTA", "--tta")):
        x.predict("net", f"net/{name}", flag, "--samples", x.size(10, 20))
        rows[name] = (("--sample-logits", f"net/{name}/sample_logits.npy"), f"net/{name}/counts.npy", f"net/{name}/sample_features.npy")
    seen, changes, differences, ces = evaluated(x, "Drawn images of 22 classes", (("--logits", "net/validation/logits.npy"), "net/validation/counts.npy", "net/validation/features.npy"),
                                                rows, "cells-out")
    found = claims_of("image", seen, changes, differences, ces)
    found.pop("image_ce")

    def loss(entry):
        z, c = entry[2].mean(axis=0), entry[3]
        mu = c / c.sum(axis=1, keepdims=True)
        return ((mu - z) ** 2 + mu * (1 - mu)).sum(axis=1)
    d = loss(seen["TTA", "none"]) - loss(seen["Raw", "none"])
    found["image_tta"] = normal(d.mean(), d.std(ddof=1) / np.sqrt(len(d)), "paired difference over items, normal")
    x.chart("dispersion", "Fig. 2a: calibration loss and dispersion loss, drawn images",
            chart({f"{p} (points)": ([s[0]["ce"] * abs(s[0]["ce"]) for k, s in seen.items() if k[0] == p], [s[0]["de"] * abs(s[0]["de"]) for k, s in seen.items() if k[0] == p])
                   for p in rows}, "CL", "DL"))
    return found


def run(x):
    found = {}
    if x.file("nli/chaosnli_snli.csv"):
        path = x.file("nli/chaosnli_snli.csv")
        with open(path) as f:
            rows = list(csv.DictReader(f))
        for split in ("dev", "test"):
            mine = [r for r in rows if r["split"] == split]
            x.save(f"nli/{split}-logits.npy", np.array([[float(r[f"roberta-base_0_{k}"]) for k in "enc"] for r in mine]))
            x.save(f"nli/{split}-counts.npy", np.array([[int(r[f"c100_{k}"]) for k in "enc"] for r in mine]))
        found |= from_logits(x, "nli", "ChaosNLI", ("--logits", "nli/dev-logits.npy"), "nli/dev-counts.npy", ("--logits", "nli/test-logits.npy"), "nli/test-counts.npy")
    if x.file("cifar10h-counts.npy") and x.file("plambda_cifar10_vgg16_probs.npy"):
        p, c = np.load(x.file("plambda_cifar10_vgg16_probs.npy")).astype(float), np.load(x.file("cifar10h-counts.npy"))
        p /= p.sum(axis=1, keepdims=True)
        for part, start in (("fit", 0), ("test", 1)):
            x.save(f"cifar/{part}-logits.npy", np.log(np.maximum(p[start::2], 1e-12)))
            x.save(f"cifar/{part}-counts.npy", c[start::2])
        found |= from_logits(x, "cifar", "CIFAR-10H", ("--logits", "cifar/fit-logits.npy"), "cifar/fit-counts.npy", ("--logits", "cifar/test-logits.npy"), "cifar/test-counts.npy")
    if x.has_train():
        found |= drawn_images(x)
    why = {"image": "plumb-train is not beside plumb; \"make train\" builds it"}
    return {key: found.get(key, Missing(why.get(key.split("_")[0], "the votes and predictions of this data set are not in --data"))) for key in x.keys}
