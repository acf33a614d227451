"""Metrics of ugly inputs against 60-digit arithmetic: probabilities of 0, 1 and denormals, equal forecasts, one item, 10,000 classes, weights
from 1e-300 to 1e12, 2^32 votes, ties."""
import decimal
import json
import math
from decimal import Decimal as D

import numpy as np
import pytest

from conftest import Folder

decimal.getcontext().prec = 60
decimal.getcontext().Emin, decimal.getcontext().Emax = -10**9, 10**9
TIGHT = D("1e-12")


def weighted(values, weights):
    return sum(v * w for v, w in zip(values, weights)) / sum(weights)


def shares(counts):
    return [[D(int(c)) / D(int(sum(map(int, row)))) for c in row] for row in counts]


class Binary:
    """60-digit metrics of p for class 1 and z, the share of votes for it."""

    def __init__(self, p, z, w):
        self.p, self.z, self.w = [D(float(v)) for v in p], z, [D(float(v)) for v in w]

    def mean(self, values):
        return weighted(list(values), self.w)

    def brier_binary(self):
        return self.mean((p - z) ** 2 + z * (1 - z) for p, z in zip(self.p, self.z))

    def bins(self, edges):
        table = {}
        for p, z, w in zip(self.p, self.z, self.w):
            b = min(int(p * edges), edges - 1)
            table.setdefault(b, []).append((p, z, w))
        return table.values()

    def ece(self, edges=15):
        total = sum(self.w)
        return sum(abs(sum(w * (p - z) for p, z, w in b)) for b in self.bins(edges)) / total

    def mce(self, edges=15):
        return max(abs(sum(w * (p - z) for p, z, w in b)) / sum(w for *_, w in b) for b in self.bins(edges))

    def ks(self):
        order = sorted(range(len(self.p)), key=lambda i: self.p[i])
        total, run, worst = sum(self.w), D(0), D(0)
        for k, i in enumerate(order):
            run += self.w[i] * (self.p[i] - self.z[i])
            if k + 1 == len(order) or self.p[order[k + 1]] != self.p[i]:
                worst = max(worst, abs(run))
        return worst / total

    def auroc(self):
        pairs = sorted(zip(self.p, self.z, self.w))
        negative = positive = won = D(0)
        i = 0
        while i < len(pairs):
            j = i
            tied_n = tied_p = D(0)
            while j < len(pairs) and pairs[j][0] == pairs[i][0]:
                tied_p += pairs[j][2] * pairs[j][1]
                tied_n += pairs[j][2] * (1 - pairs[j][1])
                j += 1
            won += tied_p * (negative + tied_n / 2)
            negative, positive, i = negative + tied_n, positive + tied_p, j
        return won / (negative * positive) if negative * positive else None


def close(got, wanted, scale=D(1)):
    """Within 1e-12 of the value, or of the scale of the terms that cancel in it."""
    assert got is not None and math.isfinite(got)
    assert abs(D(got) - wanted) <= TIGHT * max(abs(wanted), scale), (got, wanted)


def value(run, key):
    assert run.code == 0, run.err
    entry = json.loads(run.out)["metrics"].get(key)
    return None if entry is None else entry["value"]


RNG = np.random.default_rng(7)
N = 300
P = RNG.random(N)
BINARY = {
    "plain": (P, RNG.integers(0, 2, N), np.ones(N)),
    "zero and one": (np.where(P < 0.3, 0.0, np.where(P > 0.7, 1.0, P)), RNG.integers(0, 2, N), np.ones(N)),
    "denormal": (np.where(P < 0.5, 5e-324, P), RNG.integers(0, 2, N), np.ones(N)),
    "all equal": (np.full(N, 0.3), RNG.integers(0, 2, N), np.ones(N)),
    "ties": (np.round(P, 1), RNG.integers(0, 2, N), np.ones(N)),
    "saturated": (np.where(P < 0.5, 1e-16, 1 - 2**-53), RNG.integers(0, 2, N), np.ones(N)),
    "weights 1e-12 to 1e12": (P, RNG.integers(0, 2, N), 10.0 ** RNG.uniform(-12, 12, N)),
    "weights 1e-300": (P, RNG.integers(0, 2, N), 1e-300 * RNG.uniform(1, 2, N)),
    "one item": (np.array([0.8]), np.array([0]), np.ones(1)),
}


@pytest.mark.parametrize("name", BINARY)
def test_binary_metrics_to_twelve_digits(folder, name):
    p, y, w = BINARY[name]
    folder.npy("p.npy", p)
    folder.npy("y.npy", y)
    folder.npy("w.npy", w)
    run = folder.run("evaluate", "--probs", "p.npy", "--labels", "y.npy", "--weights", "w.npy", "--bins", "15", "--metrics",
                     "ece,mce,ks,auroc,accuracy,brier", "--json", "-")
    exact = Binary(p, [D(int(v)) for v in y], w)
    close(value(run, "ece"), exact.ece())
    close(value(run, "mce"), exact.mce())
    close(value(run, "ks"), exact.ks())
    auroc = exact.auroc()
    if auroc is None:
        assert value(run, "auroc") is None
    else:
        close(value(run, "auroc"), auroc)


@pytest.mark.parametrize("classes, items", [(3, 200), (10_000, 6)])
def test_multiclass_scores_to_twelve_digits(folder, classes, items):
    probs = RNG.dirichlet(np.full(classes, 0.3), items)
    counts = np.stack([RNG.multinomial(9, p) for p in RNG.dirichlet(np.ones(classes), items)])
    folder.npy("p.npy", probs)
    folder.npy("c.npy", counts)
    run = folder.run("evaluate", "--probs", "p.npy", "--counts", "c.npy", "--metrics", "el,cl,dl,brier,accuracy,ece", "--json", "-")
    q, z = [[D(float(v)) for v in row] for row in probs], shares(counts)
    sums = [sum(row) for row in q]  # rows are used as given, up to their rounding
    epistemic = [sum((a - b) ** 2 for a, b in zip(x, y)) for x, y in zip(q, z)]
    noise = [sum(b * (1 - b) for b in y) for y in z]
    assert max(abs(s - 1) for s in sums) < D("1e-9")
    for key in ("brier", "el"):
        got = value(run, key)
        plain = sum(epistemic) / items
        options = [plain, plain + sum(noise) / items]
        assert any(abs(D(got) - wanted) <= TIGHT for wanted in options), (key, got, options)


def test_votes_to_two_to_the_32(folder):
    counts = np.array([[2**32, 1], [1, 2**32], [2**31, 2**31], [3, 4]], dtype=np.uint64)
    p = np.array([0.25, 0.9, 0.5, 1.0])
    folder.npy("p.npy", p)
    folder.npy("c.npy", counts)
    run = folder.run("evaluate", "--probs", "p.npy", "--counts", "c.npy", "--metrics", "ece,ks,mce", "--bins", "15", "--json", "-")
    exact = Binary(p, [row[1] for row in shares(counts)], np.ones(4))
    close(value(run, "ece"), exact.ece())
    close(value(run, "ks"), exact.ks())
    close(value(run, "mce"), exact.mce())
