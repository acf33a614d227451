"""plumb.torch: naive formulas, the numbers of the C++ losses, gradients; plumb.train: naive empirical probabilities."""
import math

import numpy as np
import pytest
import torch

import plumb
import plumb.torch as losses
from plumb.train import empirical_probabilities

# The cases and numbers of tests/train/losses_test.cpp (TheNumbersThatPythonHas).
LOGITS3 = torch.tensor([[1.2, -0.3, 0.5], [-2.0, 0.7, 0.1], [3.0, 1.0, -1.5], [0.2, 0.4, -0.6], [5.0, -4.0, 0.0]],
                       dtype=torch.float64)
VOTES3 = torch.tensor([[1, 0, 0], [0, 2, 1], [3, 0, 1], [0, 0, 0], [0, 1, 0]], dtype=torch.float64)
LOGITS1 = torch.tensor([-1.3, 0.4, 2.2, -0.1, 4.0, -3.0], dtype=torch.float64)
VOTES2 = torch.tensor([[1, 0], [0, 1], [1, 2], [1, 0], [0, 1], [0, 3]], dtype=torch.float64)
EMPIRICAL = torch.tensor([0.1, 0.5, 0.9, 0.25, 1.0, 0.0], dtype=torch.float64)
NUMBERS = {"focal 3": 1.5848888981490947, "focal 1": 1.0408172190284743, "entropy 3": 1.289081197795861, "entropy 1":
           0.9556427534111811, "mmce 3": 2.6001994516448423, "mmce 1": 1.8433766478605365, "cape 1":
           0.35754016092779395}
SAME = 1e-12  # a few dozen terms in double, in another order


def probabilities(logits):
    u = logits.detach().numpy()
    if u.ndim == 1:
        return np.stack([1 / (1 + np.exp(u)), 1 / (1 + np.exp(-u))], 1)
    return np.exp(u) / np.exp(u).sum(1, keepdims=True)


def naive_mean(votes, term):
    """The mean of term(item, class) over votes."""
    total = sum(votes[i][k] * term(i, k) for i in range(len(votes)) for k in range(len(votes[0])))
    return total / sum(map(sum, votes))


def naive(name, logits, votes):
    p, n = probabilities(logits), votes.tolist()
    if name == "focal":
        return naive_mean(n, lambda i, k: -(1 - p[i, k]) ** 2 * math.log(p[i, k]))
    log_loss = naive_mean(n, lambda i, k: -math.log(p[i, k]))
    if name == "entropy":
        return log_loss - naive_mean(n, lambda i, k: -sum(q * math.log(q) for q in p[i]))
    if name == "mmce":
        items = [i for i in range(len(n)) if sum(n[i]) > 0]
        r = {i: p[i].max() for i in items}
        gap = {i: n[i][int(p[i].argmax())] / sum(n[i]) - r[i] for i in items}
        squared = sum(gap[i] * gap[j] * math.exp(-abs(r[i] - r[j]) / 0.4) for i in items for j in items) / len(items) ** 2
        return log_loss + 3 * math.sqrt(squared)
    e = EMPIRICAL.tolist()
    return -np.mean([a * math.log(q[1]) + (1 - a) * math.log(q[0]) for a, q in zip(e, p)])


def loss(name, logits, votes):
    if name == "cape":
        return losses.cape(logits, EMPIRICAL)
    return {"focal": losses.focal, "entropy": losses.entropy_regularized, "mmce": losses.mmce}[name](logits, votes)


def case(name):
    return (LOGITS3, VOTES3) if name.endswith("3") else (LOGITS1, VOTES2)


@pytest.mark.parametrize("name", NUMBERS)
def test_a_loss(name):
    key = name.split()[0]
    logits, votes = case(name)
    value = float(loss(key, logits, votes))
    assert abs(value - naive(key, logits, votes)) < SAME
    assert abs(value - NUMBERS[name]) < SAME
    column = logits.reshape(-1, 1) if logits.dim() == 1 else logits
    assert float(loss(key, column, votes)) == value
    assert abs(float(loss(key, logits.float(), votes)) - value) < 1e-6
    assert torch.autograd.gradcheck(lambda u: loss(key, u, votes), logits.clone().requires_grad_(), atol=1e-7)


def test_labels_are_single_votes():
    g = torch.Generator().manual_seed(1)
    logits, y = torch.randn(30, 4, generator=g, dtype=torch.float64), torch.randint(4, (30,), generator=g)
    votes = torch.nn.functional.one_hot(y, 4)
    for one in (losses.cross_entropy, losses.focal, losses.entropy_regularized, losses.mmce):
        assert torch.equal(one(logits, y), one(logits, votes))
    assert abs(float(losses.cross_entropy(logits, y) - torch.nn.functional.cross_entropy(logits, y))) < SAME
    binary = (y > 1).double()
    assert abs(float(losses.cross_entropy(logits[:, 0], binary)) -
               float(torch.nn.functional.binary_cross_entropy_with_logits(logits[:, 0], binary))) < SAME


def test_edges():
    nothing = torch.zeros(3, 3)
    for one in (losses.cross_entropy, losses.focal, losses.entropy_regularized):
        assert float(one(torch.randn(3, 3), nothing)) == 0
    far = torch.tensor([[200.0, -200.0], [-200.0, 200.0]], requires_grad=True)
    for one in (losses.focal, losses.entropy_regularized, losses.mmce):
        value = one(far, torch.tensor([0, 0]))
        value.backward()
        assert torch.isfinite(value) and torch.isfinite(far.grad).all()
    with pytest.raises(ValueError, match="two classes"):
        losses.cape(torch.zeros(2, 3), [0.5, 0.5])
    with pytest.raises(ValueError, match="2 rows of logits and 3"):
        losses.cape(torch.zeros(2), [0.5, 0.5, 0.1])
    with pytest.raises(ValueError, match="give 2 labels or 2 x 3 votes"):
        losses.focal(torch.zeros(2, 3), torch.zeros(3))
    with pytest.raises(ValueError, match="whole numbers"):
        losses.focal(torch.zeros(2, 3), torch.tensor([0.5, 1.0]))


def by_bins(p, y, bins):
    order = np.argsort(p, kind="stable")
    out = np.empty(len(p))
    for b in range(bins):
        run = order[len(p) * b // bins:len(p) * (b + 1) // bins]
        out[run] = y[run].mean()
    return out


def by_kernel(p, y, neighbours, sigma):
    out = []
    for x in p:
        near = np.argsort(np.abs(p - x), kind="stable")[:neighbours]
        w = np.exp(-((p[near] - x) / sigma) ** 2)
        out.append((w * y[near]).sum() / w.sum())
    return np.array(out)


@pytest.mark.parametrize("kind", ["numpy", "torch", "list"])
def test_empirical_probabilities(kind):
    rng = np.random.default_rng(0)
    p, y = rng.random(700), (rng.random(700) < 0.4).astype(float)
    given = {"numpy": lambda a: a, "torch": lambda a: torch.tensor(a, requires_grad=True), "list": list}[kind]
    assert np.allclose(empirical_probabilities(given(p), given(y), "bin"), by_bins(p, y, 5), atol=1e-15, rtol=0)
    assert np.allclose(empirical_probabilities(given(p), given(y), "bin", bins=9), by_bins(p, y, 9), atol=1e-15, rtol=0)
    found = empirical_probabilities(given(p), given(y), method="kernel", neighbours=40, sigma=0.1)
    assert np.allclose(found, by_kernel(p, y, 40, 0.1), atol=1e-12, rtol=0)
    explicit = empirical_probabilities(p, y, "kernel", neighbours=200, sigma=0.0707)
    assert np.array_equal(empirical_probabilities(p, y, "kernel"), explicit)


def test_empirical_probabilities_refuse():
    for wrong, why in (((([0.5], [2])), r"y, row 0: 2 is not in \[0, 1\]"), (([0.5, 1.5], [0, 1]), "p, row 1: 1.5"),
                       (([0.5], [0, 1]), "1 forecast and 2 outcomes"), (([[0.5, 0.5]], [0]), "one number per item")):
        with pytest.raises(ValueError, match=why):
            empirical_probabilities(*wrong)
    with pytest.raises(ValueError, match="bin"):
        empirical_probabilities([0.5], [1], "bins")
    with pytest.raises(TypeError, match="no effect"):
        empirical_probabilities([0.5], [1], "bin", sigma=1.0)
    assert plumb.train.empirical_probabilities([], []).shape == (0,)
