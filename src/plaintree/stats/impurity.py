"""The impurity of class weights, and what splits remove of it.

Two forms of each measure: of proportions (a node's impurity, as trees store it), and times the
weight (to score thresholds without a division). They are equal but for the last bit. Stored
trees and chosen thresholds depend on that bit, so both forms stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from plaintree.checks import check_choice

Floats = NDArray[np.float64]

Measure = Literal["entropy", "gini", "error"]
MEASURES: dict[str, Measure] = {
    "information_gain": "entropy",
    "gain_ratio": "entropy",
    "gain_ratio_conditional": "entropy",
    "gini": "gini",
    "error": "error",
}
"""The measure of impurity that each criterion goes by."""


def measure_of(criterion: str) -> Measure:
    """The measure of impurity of a criterion; ParameterError for an unknown criterion."""
    check_choice("criterion", criterion, MEASURES)
    return MEASURES[criterion]


# -------------------------------------------------------------------- impurity of shares


def impurities(weights: Floats, criterion: str) -> Floats:
    """The impurity of some class weights (rows x classes) by the measure of a criterion.

    >>> impurities(np.array([[2.0, 2.0], [0.0, 0.0]]), "gini").tolist()
    [0.5, 0.0]
    """
    impurity = _OF_SHARES[measure_of(criterion)]
    total = weights.sum(axis=1, keepdims=True)
    shares = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    return np.where(total[:, 0] > 0, impurity(shares), 0.0)


def entropy(masses: NDArray[Any]) -> float:
    """The entropy in bits of one distribution, given by masses of any sum.

    Zeros are left out before anything is added: numpy adds in an order that depends on the length.

    >>> entropy(np.array([3.0, 0.0, 3.0]))
    1.0
    """
    shares = masses[masses > 0] / masses.sum()
    return float(abs(x_log_x(shares).sum()))  # not -0.0


def x_log_x(values: Floats) -> Floats:
    """x log2 x of each value; 0 for 0."""
    logs = np.log2(values, out=np.zeros_like(values), where=values > 0)
    return np.asarray(values * logs)


def _entropies(shares: Floats) -> Floats:
    return np.asarray(np.abs(x_log_x(shares).sum(axis=1)))  # not -0.0


def _ginis(shares: Floats) -> Floats:
    return np.asarray(1.0 - (shares * shares).sum(axis=1))


def _error_rates(shares: Floats) -> Floats:
    return np.asarray(1.0 - shares.max(axis=1))


_OF_SHARES: dict[Measure, Callable[[Floats], Floats]] = {
    "entropy": _entropies,
    "gini": _ginis,
    "error": _error_rates,
}


# -------------------------------------------------------------------- weight times impurity


def weighted_impurities(weights: Floats, criterion: str, axis: int = -1) -> Floats:
    """Weight times impurity of groups of rows; the classes lie along an axis.

    >>> weighted_impurities(np.array([[2.0, 2.0], [0.0, 0.0]]), "gini").tolist()
    [2.0, 0.0]
    """
    return _WEIGHTED[measure_of(criterion)](weights, axis)


def weighted_entropies(weights: Floats, axis: int = -1) -> Floats:
    """Weight times entropy of groups of rows; the classes lie along an axis."""
    return np.asarray(x_log_x(weights.sum(axis=axis)) - x_log_x(weights).sum(axis=axis))


def _weighted_ginis(weights: Floats, axis: int) -> Floats:
    total, squares = weights.sum(axis=axis), (weights * weights).sum(axis=axis)
    mean = np.divide(squares, total, out=np.zeros_like(total), where=total > 0)
    return np.asarray(total - mean)


def _weighted_error_rates(weights: Floats, axis: int) -> Floats:
    return np.asarray(weights.sum(axis=axis) - weights.max(axis=axis))


_WEIGHTED: dict[Measure, Callable[[Floats, int], Floats]] = {
    "entropy": weighted_entropies,
    "gini": _weighted_ginis,
    "error": _weighted_error_rates,
}


# -------------------------------------------------------------------- gains


def gains(parents: NDArray[Any], weight: Floats, impurity: Floats) -> Floats:
    """The impurity that each node's test removes; meaningless in leaves."""
    below = np.zeros(len(weight))
    np.add.at(below, parents[1:], (weight * impurity)[1:])
    kept = np.divide(below, weight, out=np.zeros_like(below), where=weight > 0)
    return np.asarray(impurity - kept)
