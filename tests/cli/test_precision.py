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

    def brier(self):
        return self.mean((p - z) ** 2 + z * (1 - z) for p, z in zip(self.p, self.z))

    def accuracy(self):
        """The share of votes for the more probable class; at 1/2 that is class 0."""
        return self.mean(z if p > D("0.5") else 1 - z for p, z in zip(self.p, self.z))

    def mean_gap(self):
        return abs(self.mean(p - z for p, z in zip(self.p, self.z)))

    def nll(self):
        """None where a vote has probability 0."""
        if any((p == 0 and z > 0) or (p == 1 and z < 1) for p, z in zip(self.p, self.z)):
            return None
        return self.mean((-z * p.ln() if z else D(0)) + (-(1 - z) * (1 - p).ln() if z < 1 else D(0)) for p, z in zip(self.p, self.z))

    def bins(self, edges):
        table = {}
        for p, z, w in zip(self.p, self.z, self.w):
            b = min(int(p * edges), edges - 1)
            table.setdefault(b, []).append((p, z, w))
        return table.values()

    def ece(self, edges=15):
        total = sum(self.w)
        return sum(abs(sum(w * (p - z) for p, z, w in b)) for b in self.bins(edges)) / total

    def ece_l2(self, edges=15):
        total = sum(self.w)
        return sum(sum(w * (p - z) for p, z, w in b) ** 2 / sum(w for *_, w in b) / total for b in self.bins(edges)).sqrt()

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


N = 300
RNG = np.random.default_rng(7)  # for the table below alone: a test makes its own
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


SCALARS = ("ece", "ece_l2", "mce", "ks", "mean_gap", "brier", "accuracy")


@pytest.mark.parametrize("name", BINARY)
def test_binary_metrics_to_twelve_digits(folder, name):
    p, y, w = BINARY[name]
    folder.npy("p.npy", p)
    folder.npy("y.npy", y)
    folder.npy("w.npy", w)
    run = folder.run("evaluate", "--probs", "p.npy", "--labels", "y.npy", "--weights", "w.npy", "--bins", "15", "--metrics",
                     ",".join([*SCALARS, "auroc", "nll"]), "--json", "-")
    exact = Binary(p, [D(int(v)) for v in y], w)
    for key in SCALARS:
        close(value(run, key), getattr(exact, key)())
    for key in ("auroc", "nll"):
        wanted = getattr(exact, key)()
        if wanted is None:
            assert value(run, key) is None
        else:
            close(value(run, key), wanted)


@pytest.mark.parametrize("classes, items", [(3, 200), (10_000, 2)])
def test_multiclass_scores_to_twelve_digits(folder, classes, items):
    rng = np.random.default_rng(classes)
    probs = rng.dirichlet(np.full(classes, 0.3), items)
    counts = np.stack([rng.multinomial(9, p) for p in rng.dirichlet(np.ones(classes), items)])
    folder.npy("p.npy", probs)
    folder.npy("c.npy", counts)
    run = folder.run("evaluate", "--probs", "p.npy", "--counts", "c.npy", "--metrics", "lsq,el,el_plugin,il,brier,agreement", "--json", "-")
    q, z = [[D(float(v)) for v in row] for row in probs], shares(counts)
    assert max(abs(sum(row) - 1) for row in q) < D("1e-9")  # rows are used as given, up to their rounding
    distance = [sum((a - b) ** 2 for a, b in zip(x, y)) for x, y in zip(q, z)]
    spread = [sum(b * (1 - b) for b in y) for y in z]
    mean = lambda values: sum(values) / items
    close(value(run, "brier"), mean(d + s for d, s in zip(distance, spread)))
    close(value(run, "lsq"), mean(d + s for d, s in zip(distance, spread)))
    close(value(run, "el_plugin"), mean(distance))
    close(value(run, "el"), mean(d - s / 8 for d, s in zip(distance, spread)))  # nine votes: mu (1 - mu) / (n - 1)
    close(value(run, "il"), mean(s * 9 / 8 for s in spread))
    close(value(run, "agreement"), mean(y[int(np.argmax(x))] for x, y in zip(probs, z)))


def test_votes_to_two_to_the_32(folder):
    """An item has at most 2^32 - 1 votes; sums of many of them are exact."""
    most = 2**32 - 1
    counts = np.array([[most, 0], [1, most - 1], [2**31, 2**31 - 1], [3, 4]], dtype=np.uint64)
    p = np.array([0.25, 0.9, 0.5, 1.0])
    folder.npy("p.npy", p)
    folder.npy("c.npy", counts)
    run = folder.run("evaluate", "--probs", "p.npy", "--counts", "c.npy", "--metrics", "ece,ks,mce", "--bins", "15", "--json", "-")
    exact = Binary(p, [row[1] for row in shares(counts)], counts.sum(axis=1))
    close(value(run, "ece"), exact.ece())
    close(value(run, "ks"), exact.ks())
    close(value(run, "mce"), exact.mce())
    counts[0, 1] = 1
    folder.npy("c.npy", counts)
    refused = folder.run("evaluate", "--probs", "p.npy", "--counts", "c.npy")
    assert refused.code == 2 and "row 0 has 4294967296 votes" in refused.err


# Maps of calibrators: their parameters out of the model file, applied to logits with 60 digits.


def softmax60(u):
    e = [(x - max(u)).exp() for x in u]
    return [x / sum(e) for x in e]


def log_softmax60(u):
    top = max(u)
    return [x - top - sum((v - top).exp() for v in u).ln() for x in u]


def clipped(logs):
    """Logarithms of probabilities below 1e-12 are clipped (docs/calibrate.md)."""
    return [max(x, D("1e-12").ln()) for x in logs]


def logistic60(u):
    """(1 - p, p)"""
    return softmax60([D(0), u])


def linear(w, x, b):
    return [sum(a * v for a, v in zip(row, x)) + c for row, c in zip(w, b)]


def ets60(m, u):
    (t,), w = m["T"], m["w"]
    return [w[0] * a + w[1] * b + w[2] / len(u) for a, b in zip(softmax60([x / t for x in u]), softmax60(u))]


def structured60(m, u):
    """softmax((I + diag v + M) log-probabilities at T, + b)"""
    z = clipped(log_softmax60([x / m["T"][0] for x in u]))
    k = range(len(u))
    rows = [[(1 + m["v"][i] if i == j else 0) + m["M"][i * len(u) + j] for j in k] for i in k]
    return softmax60(linear(rows, z, m["b"]))


def beta60(m, u):
    (a,), (b,), (c,) = m["a"], m["b"], m["c"]
    log_no, log_yes = log_softmax60([D(0), u])
    return logistic60(a * log_yes - b * log_no + c)


CLASSES = {
    "temperature": lambda m, u: softmax60([x / m["T"][0] for x in u]),
    "vector": lambda m, u: softmax60([v * x + b for v, x, b in zip(m["v"], u, m["b"])]),
    "matrix": lambda m, u: softmax60(linear([m["W"][i * 3:i * 3 + 3] for i in range(3)], u, m["b"])),
    "dirichlet": lambda m, u: softmax60(linear([m["W"][i * 3:i * 3 + 3] for i in range(3)], clipped(log_softmax60(u)), m["b"])),
    "ets": ets60,
    "structured-matrix": structured60,
}
TWO = {
    "temperature": lambda m, u: logistic60(u / m["T"][0]),
    "platt": lambda m, u: logistic60(m["a"][0] * u + m["b"][0]),
    "beta": beta60,
    "quadratic": lambda m, u: logistic60(m["b"][0] + m["w1"][0] * u + m["w2"][0] * u * u),
}


def fitted(folder, method, logits, labels):
    folder.npy("u.npy", logits)
    folder.npy("y.npy", labels)
    run = folder.run("calibrate", "fit", "--method", method, "--logits", "u.npy", "--labels", "y.npy", "-o", "m.json", "--quiet")
    assert run.code == 0, run.err
    (step,) = json.loads((folder / "m.json").read_text())["steps"]
    return {name: [D(v) for v in p["values"]] for name, p in step["parameters"].items()}


def applied(folder, logits):
    folder.npy("far.npy", logits)
    run = folder.run("calibrate", "apply", "m.json", "--logits", "far.npy", "-o", "out.npy", "--quiet")
    assert run.code == 0, run.err
    return np.load(folder / "out.npy")


# Beyond log-odds of 40 a probability is within 1e-17 of 0 or 1; far beyond it is denormal, then 0.
FAR = np.array([0.0, -0.0, 1e-300, 1e-9, 0.7, -3.0, 20.0, -36.5, 45.0, 300.0, -700.0, 5000.0])


@pytest.mark.parametrize("method", CLASSES)
def test_maps_of_classes_to_twelve_digits(folder, method):
    rng = np.random.default_rng(3)
    logits = rng.normal(size=(300, 3)) * 2
    labels = (np.cumsum(np.apply_along_axis(lambda u: np.exp(u / 2) / np.exp(u / 2).sum(), 1, logits), axis=1) > rng.random((300, 1))).argmax(axis=1)
    m = fitted(folder, method, logits, labels)
    far = np.stack([FAR, np.roll(FAR, 3), np.roll(FAR, 7)], axis=1)
    for row, got in zip(far, applied(folder, far)):
        for g, wanted in zip(got, CLASSES[method](m, [D(float(x)) for x in row])):
            close(g, wanted)


@pytest.mark.parametrize("method", TWO)
def test_maps_of_two_classes_to_twelve_digits(folder, method):
    rng = np.random.default_rng(4)
    logits = rng.normal(size=400) * 2
    m = fitted(folder, method, logits, (rng.random(400) < 1 / (1 + np.exp(-logits / 2))).astype(int))
    for u, got in zip(FAR, applied(folder, FAR)):
        close(np.ravel(got)[-1], TWO[method](m, D(float(u)))[1])
