"""CaPE against a control with the same number of epochs at the same rate, on harder faces."""
import numpy as np
from kit.claims import mean_of
from liu.networks import faces, network


def harder(x, source):
    """Fewer faces, noise and a random change of colours: nuisance that a network can memorise."""
    rng = np.random.default_rng(61)
    keep = {"train": x.size(700, 4000), "validation": x.size(250, 1200), "test": x.size(400, 2329)}
    for part, n in keep.items():
        images = x.load(f"{source}/{part}/images.npy")[:n].astype(float)
        shade = rng.normal(scale=30, size=(len(images), images.shape[1], 1, 1))
        images = images + shade + rng.normal(scale=25, size=images.shape)
        x.save(f"hard/{part}/images.npy", np.clip(images, 0, 255).astype(np.uint8))
        for name in ("labels", "truth"):
            x.save(f"hard/{part}/{name}.npy", x.load(f"{source}/{part}/{name}.npy")[:n])
    return "hard"


def run(x):
    data, rows = harder(x, faces(x, "linear")), []
    seen = {"ce": [], "cape": [], "control": [], "cape, late": [], "control, late": []}
    for seed in range(8 if x.quick else 12):
        def train(run, method, *more, patience=None):
            return x.train(f"{run}-{seed}", "--data", data, "--method", method, "--momentum", "0.9", "--weight-decay", "0.0005", "--seed", str(seed), "--data-seed", "0", *network(x, patience), *more)
        start = ("--start-from", f"ce-{seed}")
        seen["ce"].append(train("ce", "ce")["test"]["mse_p"])
        slow = (*start, "--cape-lr", x.size("0.005", "0.0003"))
        seen["cape"].append(train("cape", "cape-bin", *slow)["test"]["mse_p"])
        seen["control"].append(train("control", "cape-bin", "--cape-every", "1000", *slow)["test"]["mse_p"])
        for name, every in (("cape, late", "3"), ("control, late", "1000")):
            run = name.replace(", ", "-")
            train(run, "cape-bin", *start, "--cape-every", every, "--cape-epochs", "10", patience="0")
            seen[name].append(x.history(f"{run}-{seed}")[-1]["validation"]["mse_p"])
        rows.append([seed, *(values[-1] for values in seen.values())])
    x.table("MSE_p (of the last two on the validation set, after the tenth epoch; otherwise on the test set)", ["seed", *seen], rows)
    v = {k: np.array(values) for k, values in seen.items()}
    return {"hard": mean_of(v["ce"], "seeds"), "gain": mean_of(v["cape"] - v["ce"], "seeds"), "control": mean_of(v["cape"] - v["control"], "seeds"),
            "late": mean_of(v["cape, late"] - v["control, late"], "seeds")}
