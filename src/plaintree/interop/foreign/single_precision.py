"""Thresholds for values in single precision, which scikit-learn compares with double thresholds.

scikit-learn rounds a value to single precision before it compares it with a threshold in double
precision; trees here compare the value without rounding. So a threshold is moved: on import to the
greatest double that scikit-learn sends to the left (:func:`greatest_going_left`), and on export to
one that sends every value of single precision to the same side as here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def greatest_going_left(thresholds: Floats) -> Floats:
    """The greatest double whose value in single precision is not above each threshold.

    Rounding to single precision goes to the nearest, and in the middle to the even one.

    >>> limit = greatest_going_left(np.array([0.3]))[0]
    >>> above = np.nextafter(limit, np.inf)
    >>> float(np.float32(limit)) <= 0.3, float(np.float32(above)) <= 0.3
    (True, False)
    """
    limits = np.array(thresholds, dtype=np.float64)
    finite = np.isfinite(limits)  # an infinite threshold parts missing values from the others
    below, middle = single_below(limits[finite])
    with np.errstate(over="ignore"):
        kept = middle.astype(np.float32) <= below
    limits[finite] = np.where(kept, middle, np.nextafter(middle, -np.inf))
    return limits


def single_below(values: Floats) -> tuple[NDArray[np.float32], Floats]:
    """The greatest number of single precision not above each value, and the middle to the next."""
    with np.errstate(over="ignore"):
        near = values.astype(np.float32)
        low = np.nextafter(near, np.float32(-np.inf))
        below = np.where(near.astype(np.float64) > values, low, near).astype(np.float32)
        upper = np.nextafter(below, np.float32(np.inf)).astype(np.float64)
    # Behind the greatest number of single precision there would be another, as far again.
    after = below.astype(np.float64) + np.spacing(np.abs(below)).astype(np.float64)
    upper = np.where(np.isinf(upper), after, upper)
    return below, (below.astype(np.float64) + upper) / 2


def thresholds_for_singles(thresholds: Floats) -> Floats:
    """Thresholds for values in single precision.

    A threshold such as 0.3 that is a value of the table is rounded as that value will be, so
    it still goes left. The middle of two neighbours in single precision stays between them.
    """
    _, middle = single_below(thresholds)
    with np.errstate(over="ignore"):
        rounded = thresholds.astype(np.float32).astype(np.float64)
    return np.where(thresholds == middle, thresholds, np.maximum(thresholds, rounded))
