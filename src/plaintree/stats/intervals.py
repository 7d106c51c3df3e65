"""Confidence intervals of a proportion."""

from __future__ import annotations

from math import sqrt


def wilson(share: float, n: float, deviation: float) -> tuple[float, float]:
    """The ends of Wilson's score interval of a proportion among n rows (Wilson 1927).

    >>> [round(end, 4) for end in wilson(1.0, 3, 1.96)]
    [0.4385, 1.0]
    """
    if n < 1e-12:  # next to no rows say nothing, and n * n would be 0
        return 0.0, 1.0
    squared = deviation**2
    middle = share + squared / (2 * n)
    half = deviation * sqrt(max(share * (1 - share) / n + squared / (4 * n * n), 0.0))
    low, high = (middle - half) / (1 + squared / n), (middle + half) / (1 + squared / n)
    # At the ends the formula is exact; only its rounding is not.
    return (0.0 if share <= 0 else max(low, 0.0)), (1.0 if share >= 1 else min(high, 1.0))
