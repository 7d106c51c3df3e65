"""Names of criteria for people, and numbers as replies hold them."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from plaintree.tree.conventions import Criterion

IMPURITIES = {"entropy": "entropy", "gini": "Gini index", "error": "error"}
OF_NUMBERS = {
    "squared_error": "variance",
    "absolute_error": "mean absolute deviation",
    "poisson": "half Poisson deviance",
}
SCORES = {
    "information_gain": "information gain",
    "gain_ratio": "gain ratio",
    "gain_ratio_conditional": "gain ratio",
    "gini": "Gini gain",
    "error": "error gain",
    "squared_error": "variance reduction",
    "absolute_error": "deviation reduction",
    "poisson": "deviance reduction",
}
RATIOS = ("gain_ratio", "gain_ratio_conditional")


def impurity_name(criterion: Criterion) -> str:
    """The name of the impurity of a criterion."""
    if criterion in OF_NUMBERS:
        return OF_NUMBERS[criterion]
    return IMPURITIES[{"gini": "gini", "error": "error"}.get(criterion, "entropy")]


def score_name(criterion: Criterion) -> str:
    """The name of the score of a criterion."""
    return SCORES[criterion]


def gain_name(criterion: Criterion) -> str:
    """The name of the gain, which differs from the score if that is a ratio."""
    return SCORES["information_gain"] if criterion in RATIOS else score_name(criterion)


def number(value: Any) -> float | None:
    """A number of a reply; None if it is not finite.

    >>> number(float("nan")), number(0.5)
    (None, 0.5)
    """
    if value is None:
        return None
    result = float(value)
    return result if isfinite(result) else None


def numbers(values: Any) -> list[float | None]:
    """Numbers of a reply."""
    return [value if isfinite(value) else None for value in np.asarray(values, float).tolist()]


def deviation(criterion: Criterion, impurity: float, mean: float | None) -> float | None:
    """How far targets are from their prediction, in their unit, by the impurity of a criterion.

    >>> deviation("squared_error", 4.0, 10.0)
    2.0
    """
    if mean is None:
        return None
    if criterion == "squared_error":
        return number(max(impurity, 0.0) ** 0.5)
    return number(max(mean, 0.0) ** 0.5 if criterion == "poisson" else impurity)
