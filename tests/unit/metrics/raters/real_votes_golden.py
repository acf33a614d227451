"""Values for real_votes_test.cpp from an independent computation: the papers' sums in plain Python with math.fsum.

Usage: python3 real_votes_golden.py [folder of the data, default $PLUMB_DATA or ../shared/data]
"""

import ast
import csv
import math
import os
import struct
import sys

DATA = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("PLUMB_DATA", "../shared/data")
BINS = 15


def read_npy(name):
    """Rows of a C-ordered little-endian array of two dimensions."""
    with open(os.path.join(DATA, name), "rb") as f:
        b = f.read()
    length = struct.unpack("<H", b[8:10])[0]
    header = ast.literal_eval(b[10 : 10 + length].decode())
    kind = {"<f4": "f", "<f8": "d", "<i8": "q", "<i4": "i", "<i2": "h", "|u1": "B"}[header["descr"]]
    rows, width = header["shape"]
    values = struct.unpack_from("<%d%s" % (rows * width, kind), b, 10 + length)
    return [values[i * width : (i + 1) * width] for i in range(rows)]


def read_chaosnli():
    z, y = [], []
    with open(os.path.join(DATA, "nli", "chaosnli_snli.csv"), newline="") as f:
        for row in csv.DictReader(f):
            e = [math.exp(float(row["roberta-base_0_" + c])) for c in "enc"]
            z.append([x / sum(e) for x in e])
            y.append([int(row["c100_" + c]) for c in "enc"])
    return z, y


def calibration(observed):
    """Mimori 2021, eq. 12 and 13."""
    cells = {}
    for p, mu in observed:
        cells.setdefault(min(int(p * BINS), BINS - 1), []).append((p, mu))
    plugin, debiased = [], []
    for cell in cells.values():
        n = len(cell)
        p = math.fsum(x for x, _ in cell) / n
        c = math.fsum(x for _, x in cell) / n
        plugin.append(n / len(observed) * (c - p) ** 2)
        if n > 1:
            variance = math.fsum((x - c) ** 2 for _, x in cell) / n
            debiased.append(n / len(observed) * ((c - p) ** 2 - variance / (n - 1)))
    return math.fsum(plugin), math.fsum(debiased)


def squared_loss(observed):
    return math.fsum(mu * (1 - p) ** 2 + (1 - mu) * p * p for p, mu in observed) / len(observed)


def signed_root(x):
    return math.copysign(math.sqrt(abs(x)), x)


def values(z, y):
    n, classes = len(z), range(len(z[0]))
    rows = [(q, h, sum(h)) for q, h in zip(z, y)]
    by_class = [[(q[k], h[k] / m) for q, h, m in rows] for k in classes]
    out = {}
    out["lsq"] = math.fsum(squared_loss(o) for o in by_class)
    out["el"] = math.fsum((h[k] / m - q[k]) ** 2 - h[k] / m * (1 - h[k] / m) / (m - 1) for q, h, m in rows for k in classes) / n
    out["cl_plugin"] = math.fsum(calibration(o)[0] for o in by_class)
    out["cl"] = math.fsum(calibration(o)[1] for o in by_class)
    out["dl"] = out["el"] - out["cl"]
    pairs = [(1 - math.fsum(p * p for p in q), sum(c * (m - c) for c in h) / (m * (m - 1))) for q, h, m in rows]
    out["disagreement_loss"] = squared_loss(pairs)
    out["disagreement_cl_plugin"], out["disagreement_cl"] = calibration(pairs)
    about = [[(2 * q[k] * (1 - q[k]), 2 * h[k] * (m - h[k]) / (m * (m - 1))) for q, h, m in rows] for k in classes]
    out["disagreement_classwise_loss"] = math.fsum(map(squared_loss, about)) / len(about)
    out["disagreement_classwise_ce"] = math.fsum(signed_root(calibration(o)[1]) for o in about) / len(about)
    agree = 1 - math.fsum(mu for _, mu in pairs) / n
    chance = math.fsum((math.fsum(mu for _, mu in o) / n) ** 2 for o in by_class)
    votes = [sum(h[k] for _, h, _ in rows) for k in classes]
    total = sum(votes)
    coincide = math.fsum(c * (c - 1) / (m - 1) for _, h, m in rows for c in h)
    out["rater_agreement"] = agree
    out["fleiss_kappa"] = (agree - chance) / (1 - chance)
    out["krippendorff_alpha"] = 1 - (total - 1) * (total - coincide) / (total**2 - sum(v * v for v in votes))
    return out


def show(name, result):
    print(name)
    for key, value in result.items():
        print('    {"%s", %.15g},' % (key, value))


vgg16 = read_npy("plambda_cifar10_vgg16_probs.npy")
show("kCifar10h", values(vgg16, read_npy("cifar10h-counts.npy")))
show("kCifar10hFive", values(vgg16, [[int(c) for c in r] for r in read_npy("cifar10h_sub5_counts.npy")]))
show("kChaosNli", values(*read_chaosnli()))
