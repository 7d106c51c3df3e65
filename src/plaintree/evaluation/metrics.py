"""The metrics of each task: name, function of scikit-learn, and which direction is better."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
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

Costs = Mapping[tuple[str, str], float]
"""The costs of errors, by actual and predicted class as text; others cost 1."""


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

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_houses()
    >>> found = pt.evaluation.cross_validate(pt.CARTRegressor(max_depth=3), X, y)
    >>> [f"{metric.name} {metric.text(found.mean_of(metric.key))}" for metric in
    ...  found.quality.metrics]
    ['RMSE 85.14', 'MAE 69.34', 'R2 0.689']
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


def cost_metric(costs: Costs) -> Metric:
    """The mean cost of a row, as a metric.

    >>> metric = cost_metric({("no", "yes"): 5.0})
    >>> metric.of(np.array(["no", "no", "yes"]), np.array(["no", "yes", "no"]))
    2.0
    """

    def mean_cost(actual: NDArray[Any], predicted: NDArray[Any]) -> float:
        pairs = zip(actual.tolist(), predicted.tolist(), strict=True)
        return float(np.mean([cost_of(costs, one, other) for one, other in pairs]))

    return Metric("mean_cost", "mean cost", mean_cost, False, "ratio")


def cost_of(costs: Costs, actual: object, predicted: object) -> float:
    """The cost of a prediction: 0 if it is correct, and 1 for a pair without a cost."""
    if actual == predicted:
        return 0.0
    return costs.get((str(actual), str(predicted)), 1.0)


def costs_of(model_or_learner: Any) -> Costs | None:
    """The costs of errors that an estimator or a tree counts; None if all are 1."""
    conventions = getattr(model_or_learner, "conventions", None)
    if hasattr(model_or_learner, "_default_conventions"):
        conventions = model_or_learner._conventions()
    pairs = getattr(conventions, "costs", None)
    return costs_from(pairs) if pairs is not None else None


def costs_from(pairs: Iterable[tuple[Any, float]]) -> Costs:
    """The costs by pairs of class labels as text, which 0 and "0" have in common."""
    return {(str(actual), str(predicted)): cost for (actual, predicted), cost in pairs}


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
