"""Weight times impurity of the first rows of a sequence, for each number of them.

What both sides of every threshold leave of a numeric target: one pass forwards, one backwards.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .impurity import x_log_x

Floats = NDArray[np.float64]


def prefix_impurities(numbers: Floats, weights: Floats, criterion: str) -> Floats:
    """The sum of squares, of absolute deviations or half the deviance of the first 1, 2, ... rows.

    Infinite where the mean of a Poisson target is 0: no branch may predict that.

    >>> prefix_impurities(np.array([1.0, 2.0, 6.0]), np.ones(3), "squared_error").tolist()
    [0.0, 0.5, 14.0]
    >>> prefix_impurities(np.array([1.0, 2.0, 6.0]), np.ones(3), "absolute_error").tolist()
    [0.0, 1.0, 5.0]
    """
    return _PREFIXES[criterion](numbers, weights)


def _squares(numbers: Floats, weights: Floats) -> Floats:
    from_mean = numbers - np.average(numbers, weights=weights if weights.any() else None)
    weight, total = weights.cumsum(), (weights * from_mean).cumsum()
    means = np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)
    return np.asarray(((weights * from_mean**2).cumsum() - total * means).clip(min=0.0))


def _half_deviances(numbers: Floats, weights: Floats) -> Floats:
    weight, total = weights.cumsum(), (weights * numbers).cumsum()
    means = np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)
    logs = np.log(2.0) * ((weights * x_log_x(numbers)).cumsum() - weight * x_log_x(means))
    return np.where((total > 0) | (weight == 0), logs.clip(min=0.0), np.inf)


def _deviations(numbers: Floats, weights: Floats) -> Floats:
    """From a median that moves as rows come: the greatest of a heap of the lower half."""
    lower: list[tuple[float, float]] = []  # -number, weight
    upper: list[tuple[float, float]] = []
    below = above = below_sum = above_sum = 0.0
    found = np.zeros(len(numbers))
    for i, (number, weight) in enumerate(zip(numbers.tolist(), weights.tolist(), strict=True)):
        if not lower or number <= -lower[0][0]:
            heapq.heappush(lower, (-number, weight))
            below, below_sum = below + weight, below_sum + weight * number
        else:
            heapq.heappush(upper, (number, weight))
            above, above_sum = above + weight, above_sum + weight * number
        while below < above:
            moved, w = heapq.heappop(upper)
            heapq.heappush(lower, (-moved, w))
            above, above_sum = above - w, above_sum - w * moved
            below, below_sum = below + w, below_sum + w * moved
        while len(lower) > 1 and below - lower[0][1] >= above + lower[0][1]:
            moved, w = heapq.heappop(lower)
            heapq.heappush(upper, (-moved, w))
            below, below_sum = below - w, below_sum + w * moved
            above, above_sum = above + w, above_sum - w * moved
        median = -lower[0][0]
        found[i] = median * (below - above) - below_sum + above_sum
    return found.clip(min=0.0)


_PREFIXES: dict[str, Callable[[Floats, Floats], Floats]] = {
    "squared_error": _squares,
    "absolute_error": _deviations,
    "poisson": _half_deviances,
}
