"""What the experiments on Liu 2022 share: drawn faces, the ways of training, their scores."""
import numpy as np

SCENARIOS = ("linear", "sigmoid", "centered", "skewed", "discrete")


def faces(x, scenario, items=None):
    return x.demo("faces", f"faces/{scenario}", "--scenario", scenario, "--items", str(items or x.size(1500, 23708)), "--size", x.size("16", "32"))


def network(x, patience=None):
    """A small ResNet in the quick form, the paper's in full; the authors' optimiser."""
    if x.quick:
        return ("--model", "resnet18", "--width", "4", "--lr", "0.05", "--epochs", "8", "--patience", patience or "4", "--batch", "128", "--device", "cpu")
    return ("--model", "resnet18", "--lr", "0.01", "--epochs", "60", "--patience", patience or "15", "--plateau", "5", "--batch", "256", "--checkpoint-every", "5")


def train(x, run, data, method, seed, *more):
    start = ("--data", data, "--method", method, "--momentum", "0.9", "--weight-decay", "0.0005", "--flip", "--seed", seed, "--data-seed", "0")
    return x.train(run, *start, *network(x), *more)


RISKS = {"linear": lambda z: np.minimum(z / 100, 1), "sigmoid": lambda z: 1 / (1 + np.exp(-25 * (z / 100 - 0.29))), "centered": lambda z: z / 300 + 0.35,
         "skewed": lambda z: z / 250, "discrete": lambda z: 0.1 + 0.2 * sum((z > c).astype(float) for c in (20, 40, 60, 80))}
