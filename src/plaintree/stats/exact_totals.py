"""Sums of floats without rounding, so they depend neither on the order nor on the grouping."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

_HALF = 26
"""Mantissas of 53 bits are added in two halves, whose sums of many fit 64 bits."""


def exact_sum(values: NDArray[Any]) -> Fraction:
    """The sum of finite numbers.

    >>> exact_sum(np.array([1e100, 1.0, -1e100]))
    Fraction(1, 1)
    """
    mantissas, exponents = np.frexp(np.asarray(values, dtype=np.float64))
    integers = np.ldexp(mantissas, 53).astype(np.int64)
    total = Fraction(0)
    for exponent in np.unique(exponents).tolist():
        own = integers[exponents == exponent]
        whole = (int((own >> _HALF).sum()) << _HALF) + int((own & (2**_HALF - 1)).sum())
        total += whole * Fraction(2) ** (exponent - 53)
    return total


def exact_totals(
    groups: NDArray[Any], weights: NDArray[Any] | None, n_groups: int
) -> list[Fraction]:
    """The weight of each group of rows; None: every row weighs 1.

    >>> exact_totals(np.array([0, 1, 0]), np.array([0.5, 2.0, 0.25]), 2)
    [Fraction(3, 4), Fraction(2, 1)]
    """
    if weights is None:
        return [Fraction(n) for n in np.bincount(groups, minlength=n_groups).tolist()]
    return [exact_sum(weights[groups == group]) for group in range(n_groups)]
