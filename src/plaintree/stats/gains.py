"""The gain of a feature by any criterion, of class labels or of numbers; the variance of numbers.

Sums are exact; only logarithms are rounded.
"""

from __future__ import annotations

from math import isfinite
from numbers import Real
from typing import Any

from plaintree.checks import check_choice
from plaintree.errors import TableError

from .exact import Scale, added, measure
from .impurity import MEASURES
from .measures import column_entries, paired_entries
from .number_sums import sums_of_numbers
from .sums import ClassWeights, Sums

CRITERIA = ("information_gain", "gini", "error", "squared_error", "absolute_error", "poisson")


def variance(y: Any) -> float:
    """Compute the variance of numbers: the mean squared difference from their mean.

    Parameters
    ----------
    y : array-like
        One number per row.

    Returns
    -------
    float
        The variance, with the number of rows as divisor.

    Examples
    --------
    >>> from plaintree.stats.gains import variance
    >>> variance([10, 12, 11])
    0.6666666666666666
    >>> variance([1e9 + 1, 1e9 + 2, 1e9 + 3])
    0.6666666666666666
    """
    sums, codes = _sums_of("squared_error", column_entries(y))
    return float(sums.impurity(sums.of((code, 1) for code in codes)))


def gain(x: Any, y: Any, *, criterion: str) -> float:
    """Compute the gain of a feature: the impurity that is removed when its value is known.

    Parameters
    ----------
    x : array-like
        The value of the feature in each row; each distinct value is a branch. For a threshold of a
        numeric feature, pass the comparison, such as ``hours <= 4.5``.
    y : array-like
        The label of each row; for the last three criteria its number.
    criterion : {"information_gain", "gini", "error", "squared_error", "absolute_error", "poisson"}
        The impurity: the entropy in bits, the Gini index, the proportion outside the majority
        class; or the variance, the mean absolute deviation from the median, half the mean Poisson
        deviance.

    Returns
    -------
    float
        The impurity of all rows, minus the mean impurity of the branches weighted by their rows.

    Examples
    --------
    >>> import numpy as np
    >>> import plaintree as pt
    >>> from plaintree.stats.gains import gain
    >>> X, y = pt.datasets.load_tennis()
    >>> round(gain(X["Wind"], y, criterion="gini"), 4)
    0.0306
    >>> hours, score = np.array([1, 2, 3, 6, 7, 8]), [10, 12, 11, 30, 31, 32]
    >>> gain(hours <= 4.5, score, criterion="squared_error")
    100.0
    """
    values, targets = paired_entries(x, y)
    sums, codes = _sums_of(criterion, targets)
    branches: dict[Any, list[tuple[int, int]]] = {}
    for value, code in zip(values, codes, strict=True):
        branches.setdefault(value, []).append((code, 1))
    counts = [sums.of(rows) for rows in branches.values()]
    return float(measure(counts, Scale.of(sums, added(counts), 0)).gain)


def _sums_of(criterion: str, targets: list[Any]) -> tuple[Sums, list[int]]:
    """The sums of a criterion, and the code of each label or number."""
    check_choice("criterion", criterion, CRITERIA)
    if criterion in MEASURES:
        position = {label: code for code, label in enumerate(dict.fromkeys(targets))}
        return ClassWeights(criterion, len(position)), [position[label] for label in targets]
    for number in targets:
        real = isinstance(number, Real) and not isinstance(number, bool) and isfinite(number)
        if not real or (criterion == "poisson" and number < 0):
            least = " from 0 upwards" if criterion == "poisson" else ""
            raise TableError(
                f"criterion {criterion!r} needs finite numbers{least}",
                got=repr(number),
                hint='use criterion="gini" for class labels, or correct the value.',
            )
    return sums_of_numbers(criterion, list(map(float, targets)))
