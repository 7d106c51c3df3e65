"""The number that has the smallest loss on weighted targets: their mean, or their median."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def centre(targets: Floats, weights: Floats, criterion: str) -> float:
    """What a node over these rows predicts by a criterion; rows of weight 0 do not count.

    >>> centre(np.array([1.0, 2.0, 9.0]), np.ones(3), "squared_error")
    4.0
    >>> centre(np.array([1.0, 9.0, 2.0]), np.ones(3), "absolute_error")
    2.0
    """
    if criterion == "absolute_error":
        return _median(targets, weights)
    return float(np.average(targets, weights=weights))


def _median(targets: Floats, weights: Floats) -> float:
    """The middle of the lower and the upper weighted median."""
    order = np.argsort(targets, kind="stable")
    order = order[weights[order] > 0]
    below = np.cumsum(weights[order])
    half = below[-1] / 2
    lower = np.searchsorted(below, half * (1 - 1e-12))
    upper = np.searchsorted(below, half * (1 + 1e-12), side="right")
    return float(targets[order[lower]] / 2 + targets[order[upper]] / 2)
