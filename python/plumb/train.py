"""For training loops of any framework.

>>> import numpy as np
>>> empirical_probabilities([0.1, 0.2, 0.8, 0.9], [0, 1, 1, 1], bins=2).tolist()
[0.5, 0.5, 1.0, 1.0]
"""
from plumb import _call
from plumb._core import core


def empirical_probabilities(p, y, method="bin", *, bins=5, neighbours=200, sigma=0.0707, threads=0):
    """For each forecast, how often the outcome happened among forecasts like it (CaPE: Liu 2022, Algorithm 1).

    ``p`` are N forecasts of class 1, ``y`` their outcomes: 0 or 1, or the share of votes for class 1. ``method`` is "bin" (the
    mean outcome of ``bins`` runs of equal count) or "kernel" (the mean over the ``neighbours`` nearest forecasts, weighted by
    exp(-(p - q)^2 / sigma^2)). The same numbers are used by ``plumb train --method cape-bin`` and ``cape-kernel``.
    """
    if method not in ("bin", "kernel"):
        raise ValueError(f"method takes \"bin\" or \"kernel\", not {method!r}")
    given = _call.changed(empirical_probabilities, dict(bins=bins, neighbours=neighbours, sigma=sigma, threads=threads))
    idle = {"bin": ("neighbours", "sigma"), "kernel": ("bins",)}[method]
    for name in idle:
        if name in given:
            raise TypeError(f"{name}= has no effect with method=\"{method}\"")
    return core.empirical_probabilities(p, y, method, given)
