"""train_step.py PLUMB [--device cuda]: one epoch of plumb train against the same network, batch and optimiser in Python
PyTorch (python3 with torch and numpy; for resnet18 torchvision is not needed). Prints seconds an epoch of both and their ratio,
the aim is at most 1.15; and what p_emp takes, beside the epoch of calibration it is made for (CaPE, bin), the aim is less than
10% on a GPU. The first epochs are left out."""
import argparse
import csv
import pathlib
import subprocess
import tempfile
import time

import numpy as np
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, i, o, stride):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o)
        self.conv2, self.norm2 = nn.Conv2d(o, o, 3, 1, 1, bias=False), nn.BatchNorm2d(o)
        plain = stride == 1 and i == o
        self.shortcut = nn.Identity() if plain else nn.Sequential(nn.Conv2d(i, o, 1, stride, bias=False), nn.BatchNorm2d(o))

    def forward(self, x):
        h = torch.relu(self.norm1(self.conv1(x)))
        return torch.relu(self.norm2(self.conv2(h)) + self.shortcut(x))


def resnet18(channels, width=64):
    layers = [nn.Conv2d(channels, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width), nn.ReLU()]
    i = width
    for stage in range(4):
        o = width << stage
        layers += [Block(i, o, 1 if stage == 0 else 2), Block(o, o, 1)]
        i = o
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(i, 1))


def cnn(channels):
    return nn.Sequential(nn.Conv2d(channels, 32, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2, ceil_mode=True),
                         nn.Conv2d(32, 64, 7, padding=3), nn.ReLU(), nn.MaxPool2d(4, ceil_mode=True),
                         nn.Conv2d(64, 128, 11, padding=5), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Dropout(0.5), nn.Linear(128, 1))


def python_epochs(model, x, y, batch, epochs, device):
    net = model.to(device)
    optimiser = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9, weight_decay=5e-4)
    x, y = torch.from_numpy(x).to(device), torch.from_numpy(y).float().to(device)
    seconds = []
    for _ in range(epochs):
        start = time.perf_counter()
        net.train()
        for index in torch.randperm(len(x), device=device).split(batch):
            loss = nn.functional.binary_cross_entropy_with_logits(net(x[index].float() / 255).squeeze(1), y[index])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        loss.item()
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds[1:]))


def plumb_epochs(a, root, out, *more):
    """Seconds of each epoch, and of these for p_emp; the first two epochs left out."""
    subprocess.run([a.plumb, "train", "--data", str(root / "data"), "--model", a.model, "--epochs", str(a.epochs), "--patience", "0",
                    "--batch", str(a.batch), "--device", a.device, "--checkpoint-every", "1000", "--out", str(root / out),
                    "--quiet", *more], check=True)
    with open(root / out / "history.csv", newline="") as file:
        return [(float(row["seconds"]), float(row["refresh_seconds"])) for row in csv.DictReader(file)][2:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("plumb")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--model", default="resnet18", choices=["resnet18", "cnn"])
    parser.add_argument("--items", type=int, default=16641)
    parser.add_argument("--side", type=int, default=32)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--epochs", type=int, default=12)
    a = parser.parse_args()
    rng = np.random.default_rng(0)
    x = rng.integers(0, 256, size=(a.items, 3, a.side, a.side), dtype=np.uint8)
    y = rng.integers(0, 2, size=a.items, dtype=np.uint8)
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for part, n in (("train", a.items), ("validation", 64)):
            (root / "data" / part).mkdir(parents=True)
            np.save(root / "data" / part / "images.npy", x[:n])
            np.save(root / "data" / part / "labels.npy", y[:n])
        ours = float(np.median([t for t, _ in plumb_epochs(a, root, "ce")]))
        calibrated = plumb_epochs(a, root, "cape", "--method", "cape-bin", "--from-start", "--cape-every", "2")
    net = resnet18(3) if a.model == "resnet18" else cnn(3)
    theirs = python_epochs(net, x, y, a.batch, a.epochs, a.device)
    print(f"{a.model}, {a.items} items of 3 x {a.side} x {a.side}, batch {a.batch}, {a.device}: plumb {ours:.3f} s an epoch "
          f"(metrics of the epoch included), Python PyTorch {theirs:.3f} s, ratio {ours / theirs:.3f}")
    share = [p_emp / (seconds - p_emp) for seconds, p_emp in calibrated if p_emp > 0]
    print(f"CaPE (bin): p_emp takes {100 * np.median(share):.1f}% of the epoch it is made for")


if __name__ == "__main__":
    main()
