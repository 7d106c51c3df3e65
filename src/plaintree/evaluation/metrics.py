"""The metrics of each task: name, function of scikit-learn, and which direction is better."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isnan
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import (
    accuracy_score,
    mean_absolute_error,
    r2_score,
    root_mean_squared_error,
    zero_one_loss,
)

from plaintree.data.words import number_text
from plaintree.estimators.registry import TaskName


@dataclass(frozen=True)
class Metric:
    """A metric of predictions.

    Parameters
    ----------
    key : str
        Its name in JSON.
    name : str
        Its name in text.
    function : callable
        A function of actual and predicted labels or numbers.
    higher_is_better : bool
        Whether a higher value is better.
    form : {"fraction", "number", "ratio"}
        How values are formatted: as a percentage, in the unit of the target, with three decimals.
    """

    key: str
    name: str
    function: Callable[[NDArray[Any], NDArray[Any]], float]
    higher_is_better: bool
    form: Literal["fraction", "number", "ratio"]

    def of(self, actual: NDArray[Any], predicted: NDArray[Any]) -> float:
        """The metric of some predictions."""
        return float(self.function(actual, predicted))

    def text(self, value: float) -> str:
        """A value as text.

        >>> MAIN["classification"].text(0.5), MAIN["regression"].text(4.56789)
        ('50.0%', '4.568')
        """
        if isnan(value):
            return "undefined"
        if self.form == "fraction":
            return f"{100 * value:.1f}%"
        return number_text(value) if self.form == "number" else f"{value:.3f}"

    def is_better(self, value: float, other: float) -> bool:
        """Whether a value is better than another one; any is better than an undefined one."""
        if isnan(value) or isnan(other):
            return isnan(other) and not isnan(value)
        return value > other if self.higher_is_better else value < other


def mean_recall(actual: NDArray[Any], predicted: NDArray[Any]) -> float:
    """The mean recall of the classes that occur; scikit-learn warns of others in its own.

    >>> mean_recall(np.array(["a", "a", "b"]), np.array(["a", "z", "b"]))
    0.75
    """
    _, codes, counts = np.unique(actual, return_inverse=True, return_counts=True)
    return float(np.mean(np.bincount(codes[predicted == actual], minlength=len(counts)) / counts))


def r2(actual: NDArray[Any], predicted: NDArray[Any]) -> float:
    """R2; NaN for a single row, which has no variance."""
    return float(r2_score(actual, predicted)) if len(actual) > 1 else float("nan")


METRICS: Mapping[TaskName, tuple[Metric, ...]] = MappingProxyType(
    {
        "classification": (
            Metric("accuracy", "accuracy", accuracy_score, True, "fraction"),
            Metric("balanced_accuracy", "balanced accuracy", mean_recall, True, "fraction"),
        ),
        "regression": (
            Metric("rmse", "RMSE", root_mean_squared_error, False, "number"),
            Metric("mae", "MAE", mean_absolute_error, False, "number"),
            Metric("r2", "R2", r2, True, "ratio"),
        ),
    }
)
"""The metrics of each task, the main one first."""
MAIN: Mapping[TaskName, Metric] = MappingProxyType({task: METRICS[task][0] for task in METRICS})
"""The metric that ranks models."""
ERRORS: Mapping[TaskName, Metric] = MappingProxyType(
    {
        "classification": Metric("error", "error", zero_one_loss, False, "fraction"),
        "regression": MAIN["regression"],
    }
)
"""The metric of errors against the size of a model."""


def task_of(classes: object) -> TaskName:
    """The task of a target or schema by its classes: a numeric target has none.

    >>> task_of(("no", "yes")), task_of(())
    ('classification', 'regression')
    """
    return "classification" if classes else "regression"


def shown_errors(task: TaskName, errors: Any) -> NDArray[np.float64]:
    """Errors of estimators in the metric of :data:`ERRORS`: the root of mean squared errors.

    >>> shown_errors("classification", [0.25]), shown_errors("regression", [0.25])
    (array([0.25]), array([0.5]))
    """
    values = np.asarray(errors, dtype=np.float64)
    return values if task == "classification" else np.sqrt(values)
