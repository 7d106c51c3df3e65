"""The impurity of class weights, and what tests remove of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def impurities(weights: Floats, criterion: str) -> Floats:
    """The impurity of some class weights (rows x classes) by the measure of a criterion.

    >>> impurities(np.array([[2.0, 2.0], [0.0, 0.0]]), "gini").tolist()
    [0.5, 0.0]
    """
    total = weights.sum(axis=1, keepdims=True)
    shares = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    if criterion == "gini":
        return np.where(total[:, 0] > 0, 1.0 - (shares * shares).sum(axis=1), 0.0)
    if criterion == "error":
        return np.where(total[:, 0] > 0, 1.0 - shares.max(axis=1), 0.0)
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return np.asarray(np.abs((shares * logs).sum(axis=1)))  # not -0.0


def gains(parents: NDArray[Any], weight: Floats, impurity: Floats) -> Floats:
    """The impurity that each node's test removes; meaningless in leaves."""
    below = np.zeros(len(weight))
    np.add.at(below, parents[1:], (weight * impurity)[1:])
    kept = np.divide(below, weight, out=np.zeros_like(below), where=weight > 0)
    return np.asarray(impurity - kept)
