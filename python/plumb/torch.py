"""Losses for networks that need less calibration, in torch: those of ``plumb train``.

Logits are N x K (softmax), or N or N x 1 (sigmoid: the log-odds of class 1). Targets are labels (N whole numbers) or votes
(N x K counts). Every vote weighs one and a loss is the mean over votes (Mimori 2021, eq. 53); an item without votes weighs
nothing. docs/methods/training.md has the formulas.

>>> import torch
>>> float(focal(torch.zeros(4, 2), torch.tensor([0, 1, 1, 0]), gamma=0))  # doctest: +ELLIPSIS
0.693147...
"""
try:
    import torch as _torch
except ImportError as error:
    raise ImportError(f"plumb.torch needs torch, which cannot be imported ({error}); run: pip install torch") from None

__all__ = ["cape", "cross_entropy", "entropy_regularized", "focal", "mmce"]
_TINY = 1e-12  # a batch without a single vote has loss 0, and a root has a slope


def _log_probabilities(logits):
    if logits.dim() == 2 and logits.size(1) > 1:
        return _torch.log_softmax(logits, 1)
    u = logits.reshape(-1)
    return _torch.stack([_torch.nn.functional.logsigmoid(-u), _torch.nn.functional.logsigmoid(u)], 1)


def _votes(logp, target):
    """N x K counts of labels or of counts."""
    if target.dim() == 2 and target.size(1) == logp.size(1):
        if len(target) != len(logp):
            raise ValueError(f"there are {len(logp)} rows of logits and {len(target)} rows of votes")
        return target.to(logp.dtype)
    if target.numel() != len(logp):
        raise ValueError(f"target has the shape {tuple(target.shape)}; give {len(logp)} labels or {len(logp)} x {logp.size(1)} votes")
    if target.is_floating_point() and bool((target != target.round()).any()):
        raise ValueError("target has labels that are not whole numbers; give votes as an N x K tensor of counts")
    return _torch.nn.functional.one_hot(target.reshape(-1).long(), logp.size(1)).to(logp.dtype)


def _mean_over_votes(terms, votes):
    return (terms * votes).sum() / votes.sum().clamp_min(_TINY)


def cross_entropy(logits, target):
    """Mean log-loss over votes."""
    logp = _log_probabilities(logits)
    return _mean_over_votes(-logp, _votes(logp, target))


def focal(logits, target, gamma=2.0):
    """Focal loss: the log-loss of each vote times (1 - p)^gamma (Liu 2022, eq. 27)."""
    logp = _log_probabilities(logits)
    rest = (-_torch.expm1(logp)).clamp_min(_TINY)  # p near 1 keeps its digits
    return _mean_over_votes(-rest.pow(gamma) * logp, _votes(logp, target))


def entropy_regularized(logits, target, beta=1.0):
    """Log-loss minus beta times the entropy of the output (Liu 2022, eq. 26)."""
    logp = _log_probabilities(logits)
    votes = _votes(logp, target)
    n = votes.sum(1)
    entropy = -(logp.exp() * logp).sum(1)
    return _mean_over_votes(-logp, votes) - beta * (entropy * n).sum() / n.sum().clamp_min(_TINY)


def mmce(logits, target, beta=3.0, width=0.4):
    """Log-loss plus beta times the maximum mean calibration error of the batch (Kumar 2018; Liu 2022, eqs. 28 and 29).

    ``width`` is that of the kernel exp(-|r - r'| / width) of top probabilities r. The batch is compared with itself: N x N.
    """
    logp = _log_probabilities(logits)
    votes = _votes(logp, target)
    r, top = logp.exp().max(1)
    n = votes.sum(1)
    hits = votes.gather(1, top.unsqueeze(1)).squeeze(1)
    voted = n > 0
    residual = _torch.where(voted, hits / n.clamp_min(_TINY) - r, _torch.zeros_like(r))
    kernel = _torch.exp(-(r.unsqueeze(0) - r.unsqueeze(1)).abs() / width)
    squared = residual @ (kernel @ residual) / voted.sum().to(r.dtype).clamp_min(1) ** 2
    return _mean_over_votes(-logp, votes) + beta * squared.clamp_min(_TINY).sqrt()


def cape(logits, empirical):
    """Calibration loss of CaPE (Liu 2022, section 5): log-loss against ``plumb.train.empirical_probabilities``, two classes."""
    logp = _log_probabilities(logits)
    if logp.size(1) != 2:
        raise ValueError(f"the calibration loss of CaPE is defined for two classes, and there are {logp.size(1)}")
    empirical = _torch.as_tensor(empirical).to(logp).reshape(-1)
    if len(empirical) != len(logp):
        raise ValueError(f"there are {len(logp)} rows of logits and {len(empirical)} empirical probabilities")
    return -(empirical * logp[:, 1] + (1 - empirical) * logp[:, 0]).mean()
