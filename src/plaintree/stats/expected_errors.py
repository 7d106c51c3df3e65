"""C4.5's pessimistic error: the errors to expect on new rows, from those made in training.

A leaf or rule with N training rows and e errors among them is assumed to make as many errors as
the upper limit of a confidence interval says; the smaller the confidence, the more are added.
"""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plaintree.errors import ParameterError

_CONFIDENCES = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
_DEVIATIONS = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)
"""The normal distribution's upper points as C4.5 has them, to be interpolated."""


def additional_errors(
    cases: ArrayLike, errors: ArrayLike, confidence: float = 0.25
) -> NDArray[np.float64]:
    """How many errors to add to those made on some training cases, by C4.5's formulas.

    Both may be arrays, and fractions. No cases need no errors added.

    Parameters
    ----------
    cases
        The number (or weight) of the training cases.
    errors
        How many of them were wrong.
    confidence
        Above 0 and at most 1; smaller is more pessimistic.

    Examples
    --------
    >>> additional_errors([6, 9, 1], [0, 0, 0]).round(3).tolist()
    [1.238, 1.285, 0.75]
    """
    check_confidence(confidence)
    n, e = np.broadcast_arrays(np.asarray(cases, np.float64), np.asarray(errors, np.float64))
    counted = np.where(n > 0, n, 1.0)
    without = counted * (1.0 - confidence ** (1.0 / counted))
    with_one = _limit(counted, np.ones_like(counted), confidence)
    added = _limit(counted, e, confidence)
    added = np.where(e < 0.9999, without + e * (with_one - without), added)
    added = np.where(e < 1e-6, without, added)
    return np.where(n > 0, added, 0.0)


def deviation(confidence: float) -> float:
    """How many standard deviations the upper limit is away, as C4.5 reads it from its table.

    >>> round(deviation(0.25), 4)
    0.6925
    """
    return float(np.interp(confidence, _CONFIDENCES, _DEVIATIONS))


def _limit(
    cases: NDArray[np.float64], errors: NDArray[np.float64], confidence: float
) -> NDArray[np.float64]:
    """The errors added where there is about one error or more."""
    squared = deviation(confidence) ** 2
    corrected = errors + 0.5
    nearly_all = corrected >= cases
    inside = np.where(nearly_all, 0.0, corrected * (1.0 - corrected / cases)) + squared / 4
    share = (corrected + squared / 2 + np.sqrt(squared * inside)) / (cases + squared)
    return np.where(nearly_all, 0.67 * (cases - errors), cases * share - errors)


def check_confidence(confidence: Any) -> None:
    """A confidence is a number above 0 and at most 1; ParameterError otherwise."""
    number = isinstance(confidence, Real) and not isinstance(confidence, bool)
    if not number or not 0 < confidence <= 1:
        raise ParameterError(
            "confidence is out of range",
            got=f"confidence={confidence!r}",
            hint="use a number above 0 and at most 1; C4.5's own is 0.25.",
        )
