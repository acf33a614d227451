"""Simulated labels on CIFAR-10 (Liu 2022, appendix J and Table 11). The data: the binary version, unpacked in --data."""
import numpy as np
from kit.claims import mean_of
from kit.tool import Failed
from liu.networks import train

RECORD = 3073  # a byte for the class, then 3 x 32 x 32


def batches(x, names):
    images, classes = [], []
    for name in names:
        path = x.file(f"cifar-10-batches-bin/{name}.bin")
        if path is None:
            continue
        raw = np.fromfile(path, dtype=np.uint8)
        if len(raw) == 0 or len(raw) % RECORD != 0:
            raise Failed(f"{path} is not a binary batch of CIFAR-10: its size is not a multiple of {RECORD}")
        raw = raw.reshape(-1, RECORD)
        classes.append(raw[:, 0])
        images.append(raw[:, 1:].reshape(-1, 3, 32, 32))
    return np.concatenate(images), np.concatenate(classes)


def run(x):
    learn, test = batches(x, [f"data_batch_{k}" for k in range(1, 6)]), batches(x, ["test_batch"])
    most = x.size(1200, len(learn[1]))
    cut = most * 5 // 6
    rng = np.random.default_rng(51)
    for part, images, classes in (("train", learn[0][:cut], learn[1][:cut]), ("validation", learn[0][cut:most], learn[1][cut:most]), ("test", test[0][:x.size(1000, 10000)], test[1][:x.size(1000, 10000)])):
        p = classes / 10
        x.save(f"cifar/{part}/images.npy", images)
        x.save(f"cifar/{part}/truth.npy", p)
        x.save(f"cifar/{part}/labels.npy", (rng.random(len(p)) < p).astype(np.uint8))
    seen, rows = {"ce": [], "cape-bin": [], "cape-kernel": []}, []
    for seed in range(x.size(2, 5)):
        for method in seen:
            more = ("--start-from", f"ce-{seed}", "--cape-lr", x.size("0.01", "0.001")) if method != "ce" else ()
            got = train(x, f"{method}-{seed}", "cifar", method, seed, *more)
            seen[method].append(got["test"]["mse_p"])
            rows.append([seed, method, seen[method][-1]])
    x.table("Test MSE_p", ["seed", "method", "MSE_p"], rows)
    v = {k: np.array(values) for k, values in seen.items()}
    return {"bin": mean_of(v["cape-bin"] - v["ce"], "seeds"), "kernel": mean_of(v["cape-kernel"] - v["ce"], "seeds"), "ce": mean_of(v["ce"], "seeds")}
