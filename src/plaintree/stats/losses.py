"""Losses of predictions: 0 or 1 for classes, and those of the criteria of numeric targets.

The impurity of a node is the mean loss of its own prediction on its training rows; here the loss
is measured on any rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import kl_div

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Loss:
    """The loss of each row by its predicted and its actual value, and the names of its mean.

    - ``name``: the mean loss in words.
    - ``error_name``, ``error``: the measure that people read, and how a mean loss becomes it: the
      root of squared errors, which is in the unit of the target. Others are read as they are.
    - ``least``: the smallest target that it is defined for.
    """

    of: Callable[[NDArray[Any], NDArray[Any]], Floats]
    name: str
    error_name: str
    error: Callable[[Floats], Floats] = np.asarray
    least: float = -inf


def _errors(predicted: NDArray[Any], actual: NDArray[Any]) -> Floats:
    return np.asarray(predicted != actual, dtype=np.float64)


def _squares(predicted: Floats, actual: Floats) -> Floats:
    return np.square(actual - predicted)


def _deviations(predicted: Floats, actual: Floats) -> Floats:
    return np.abs(actual - predicted)


def _half_deviances(predicted: Floats, actual: Floats) -> Floats:
    """Infinite where something is predicted never to happen, and it does."""
    return np.asarray(kl_div(actual, predicted))


ERROR = Loss(_errors, "error rate", "error rate")
"""The loss of classes: 1 for another class than predicted."""

OF_CRITERION = {
    "squared_error": Loss(_squares, "mean squared error", "RMSE", np.sqrt),
    "absolute_error": Loss(_deviations, "mean absolute error", "mean absolute error"),
    "poisson": Loss(_half_deviances, "mean half deviance", "mean half deviance", least=0.0),
}
"""The losses of numbers, by the criterion that minimises them."""
