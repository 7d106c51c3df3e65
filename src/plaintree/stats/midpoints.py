"""Thresholds halfway between neighbouring values, by the rule of the core."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def midpoints(low: ArrayLike, high: ArrayLike) -> NDArray[np.float64]:
    """The midpoints of pairs of values; each is at least the lower and below the higher value.

    Where rounding would reach the higher value, or one of them is infinite, it is the lower value.
    The same rule as ``threshold_in`` in src/core/search/threshold.h.

    >>> midpoints([1.0, 1e308, 1.0], [2.0, 1.2e308, np.nextafter(1.0, 2.0)]).tolist()
    [1.5, 1.1e+308, 1.0]
    """
    low, high = np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        middle = (low + high) / 2
        middle = np.where(np.isfinite(middle), middle, low / 2 + high / 2)  # too large to be added
    return np.where((middle >= low) & (middle < high), middle, low)
