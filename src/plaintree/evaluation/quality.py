"""Metrics of predictions, with the rows they were measured on and a baseline.

The baseline always predicts the same: the majority class of the rows, or the mean of their numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix

from plaintree.data.words import number_text, plain
from plaintree.estimators.registry import TaskName

from .metrics import MAIN, METRICS, Costs, Metric, cost_metric, cost_of

TRAINING = "training rows"
VALIDATION = "validation rows"
OUT_OF_BAG = "out-of-bag rows"
GIVEN = "rows given"


def folds_name(n_folds: int) -> str:
    """The name of the rows of cross-validation in ``measured_on``."""
    return f"{n_folds}-fold cross-validation"


@dataclass(frozen=True, eq=False)
class Quality:
    """Metrics of predictions.

    Parameters
    ----------
    measured_on : str
        The rows that were predicted, such as "training rows" or "out-of-bag rows".
    classes : tuple
        The classes, in the order of the confusion matrix.
    confusion : ndarray of shape (n_classes, n_classes)
        Rows by their class (rows of the matrix) and by the predicted class (columns).
    costs : dict of (str, str) to float, default=None
        The costs of errors by actual and predicted class, if the model counts them.

    Examples
    --------
    >>> found = quality_of(["a", "a", "a", "b"], ["a", "a", "b", "a"], "rows given")
    >>> found.accuracy, found.balanced_accuracy, found.baseline, found.majority_class
    (0.5, 0.3333333333333333, 0.75, 'a')
    """

    measured_on: str
    classes: tuple[Any, ...]
    confusion: NDArray[np.int64]
    costs: Costs | None = None
    task: ClassVar[TaskName] = "classification"

    @property
    def n_rows(self) -> int:
        """The number of rows that were predicted."""
        return int(self.confusion.sum())

    @property
    def n_errors(self) -> int:
        """The number of wrong predictions."""
        return self.n_rows - int(np.trace(self.confusion))

    @property
    def accuracy(self) -> float:
        """The fraction of rows that were classified correctly; NaN without rows."""
        return 1 - self.n_errors / self.n_rows if self.n_rows else float("nan")

    @property
    def balanced_accuracy(self) -> float:
        """The mean recall of the classes that occur; NaN without rows."""
        of_class = self.confusion.sum(axis=1)
        there = of_class > 0
        if not there.any():
            return float("nan")
        return float(np.mean(np.diag(self.confusion)[there] / of_class[there]))

    @property
    def baseline(self) -> float:
        """The accuracy of always predicting the majority class of these rows."""
        return int(self.confusion.sum(axis=1).max()) / self.n_rows if self.n_rows else float("nan")

    @property
    def majority_class(self) -> Any:
        """The most frequent class of these rows, the first one on ties."""
        return self.classes[int(np.argmax(self.confusion.sum(axis=1)))]

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """Accuracy and balanced accuracy, and the mean cost if there are costs."""
        mean_cost = () if self.costs is None else (cost_metric(self.costs),)
        return (*METRICS[self.task], *mean_cost)

    @property
    def values(self) -> dict[str, float]:
        """The metrics, by their keys."""
        found = {"accuracy": self.accuracy, "balanced_accuracy": self.balanced_accuracy}
        return found if self.costs is None else {**found, "mean_cost": self.mean_cost}

    @property
    def mean_cost(self) -> float:
        """The mean cost of a row; the error rate without costs, and NaN without rows."""
        costs = self.confusion * self._cost_matrix
        return float(costs.sum() / self.n_rows) if self.n_rows else float("nan")

    @property
    def cheapest(self) -> tuple[Any, float]:
        """The class that costs least if it is always predicted, and its mean cost."""
        costs = self.confusion.sum(axis=1) @ self._cost_matrix
        best = int(np.argmin(costs))
        cost = float(costs[best] / self.n_rows) if self.n_rows else float("nan")
        return self.classes[best], cost

    @property
    def _cost_matrix(self) -> NDArray[np.float64]:
        pairs = [[cost_of(self.costs or {}, a, p) for p in self.classes] for a in self.classes]
        return np.array(pairs, dtype=np.float64).reshape(len(self.classes), -1)

    @property
    def baseline_prediction(self) -> str:
        """What the baseline always predicts, as text."""
        return plain(self.majority_class)

    def to_json(self) -> dict[str, Any]:
        """Everything as plain lists, strings and numbers; null where there are no rows."""
        known = self.n_rows > 0
        return {
            "measured_on": self.measured_on,
            "rows": self.n_rows,
            "errors": self.n_errors,
            "accuracy": self.accuracy if known else None,
            "balanced_accuracy": self.balanced_accuracy if known else None,
            "baseline_accuracy": self.baseline if known else None,
            "majority_class": self.majority_class if known else None,
            **self._costs_to_json(known),
        }

    def _costs_to_json(self, known: bool) -> dict[str, Any]:
        """The mean cost and its baseline; nothing without costs."""
        if self.costs is None:
            return {}
        label, cost = self.cheapest if known else (None, None)
        return {
            "mean_cost": self.mean_cost if known else None,
            "baseline_mean_cost": cost,
            "cheapest_class": label,
        }


class NumericMetrics:
    """Metrics of predicted numbers, however they are computed."""

    measured_on: str
    task: ClassVar[TaskName] = "regression"
    n_rows: int
    mean: float

    @property
    def values(self) -> dict[str, float]:
        """The metrics of the task, by their keys."""
        raise NotImplementedError

    @property
    def baseline_values(self) -> dict[str, float]:
        """All metrics of always predicting the mean of these rows."""
        raise NotImplementedError

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """RMSE, MAE and R2."""
        return METRICS[self.task]

    @property
    def rmse(self) -> float:
        """The root of the mean squared error; NaN without rows."""
        return self.values["rmse"]

    @property
    def mae(self) -> float:
        """The mean absolute error; NaN without rows."""
        return self.values["mae"]

    @property
    def r2(self) -> float:
        """The coefficient of determination, R2; NaN for fewer than two rows."""
        return self.values["r2"]

    @property
    def baseline(self) -> float:
        """The RMSE of always predicting the mean of these rows."""
        return self.baseline_values[MAIN[self.task].key]

    @property
    def baseline_prediction(self) -> str:
        """What the baseline always predicts, as text."""
        return f"the mean, {number_text(self.mean)}"

    def to_json(self) -> dict[str, Any]:
        """Everything as plain lists, strings and numbers; null where a value is not defined."""
        baseline = self.baseline_values
        found = {
            **self.values,
            "baseline_rmse": baseline["rmse"],
            "baseline_mae": baseline["mae"],
            "mean": self.mean,
        }
        return {"measured_on": self.measured_on, "rows": self.n_rows, **_or_none(found)}


@dataclass(frozen=True, eq=False)
class NumericQuality(NumericMetrics):
    """Metrics of predicted numbers.

    Parameters
    ----------
    measured_on : str
        The rows that were predicted, such as "training rows" or "out-of-bag rows".
    actual : ndarray of shape (n_rows,)
        The numbers of the rows.
    predicted : ndarray of shape (n_rows,)
        The predicted numbers.

    Examples
    --------
    >>> found = numeric_quality_of([1, 2, 3, 6], [1, 2, 4, 4], "rows given")
    >>> round(found.rmse, 3), found.mae, round(found.r2, 3), round(found.baseline, 3)
    (1.118, 0.75, 0.643, 1.871)
    """

    measured_on: str
    actual: NDArray[np.float64]
    predicted: NDArray[np.float64]

    @property
    def n_rows(self) -> int:  # type: ignore[override]  # is computed here
        """The number of rows that were predicted."""
        return len(self.actual)

    @property
    def residuals(self) -> NDArray[np.float64]:
        """Actual minus predicted number of each row."""
        return self.actual - self.predicted

    @property
    def values(self) -> dict[str, float]:
        """The metrics of the task, by their keys."""
        return self._values_of(self.predicted)

    @property
    def mean(self) -> float:  # type: ignore[override]
        """The mean of the actual numbers, which the baseline predicts; NaN without rows."""
        return float(np.mean(self.actual)) if self.n_rows else float("nan")

    @property
    def baseline_values(self) -> dict[str, float]:
        """All metrics of always predicting the mean of these rows."""
        return self._values_of(np.full(self.n_rows, self.mean))

    def _values_of(self, predicted: NDArray[np.float64]) -> dict[str, float]:
        if not self.n_rows:
            return {metric.key: float("nan") for metric in METRICS[self.task]}
        return {metric.key: metric.of(self.actual, predicted) for metric in METRICS[self.task]}


def _or_none(values: dict[str, float]) -> dict[str, float | None]:
    return {key: None if np.isnan(value) else value for key, value in values.items()}


AnyQuality = Quality | NumericMetrics


def quality_of(
    actual: Sequence[Any],
    predicted: Sequence[Any],
    measured_on: str,
    costs: Costs | None = None,
    counts: NDArray[np.int64] | None = None,
) -> Quality:
    """Compute the metrics of predicted labels.

    Parameters
    ----------
    actual : sequence
        The true labels.
    predicted : sequence
        The predicted labels, in the same order.
    measured_on : str
        The rows that were predicted, such as "training rows".
    costs : dict of (str, str) to float, default=None
        The costs of errors, by actual and predicted class.
    counts : ndarray of int64, default=None
        How many rows each pair of labels stands for; None is 1 for all.

    Returns
    -------
    Quality
        The metrics. Classes that occur among the predictions only come last.
    """
    known = sorted(set(actual), key=lambda label: (type(label).__name__, label))
    classes = tuple(dict.fromkeys([*known, *predicted]))
    places = {label: place for place, label in enumerate(classes)}
    pairs = [[places[label] for label in labels] for labels in (actual, predicted)]
    n_rows = len(actual) if counts is None else counts.sum()
    confusion = np.full((len(classes), len(classes)), n_rows)  # of a single class
    if len(classes) > 1:
        confusion = confusion_matrix(*pairs, labels=range(len(classes)), sample_weight=counts)
    return Quality(measured_on, classes, confusion, costs)


def numeric_quality_of(actual: Any, predicted: Any, measured_on: str) -> NumericQuality:
    """Compute the metrics of predicted numbers; see :class:`NumericQuality`."""
    numbers = (np.asarray(values, dtype=np.float64) for values in (actual, predicted))
    return NumericQuality(measured_on, *numbers)


def any_quality_of(
    target: Any, predicted: Any, measured_on: str, costs: Costs | None = None
) -> AnyQuality:
    """Compute the metrics of predictions for a ``Target`` or a ``NumericTarget``."""
    actual = np.asarray(target)
    if not target.classes:
        return numeric_quality_of(actual, predicted, measured_on)
    return quality_of(actual.tolist(), np.asarray(predicted).tolist(), measured_on, costs)


def out_of_bag_quality(model: Any, actual: NDArray[Any]) -> AnyQuality:
    """Compute the out-of-bag metrics of a fitted forest.

    Parameters
    ----------
    model : random forest or bagged trees
        A forest that was fitted with ``oob_score=True``.
    actual : ndarray of shape (n_rows,)
        The labels or numbers of the training rows, in their order.

    Returns
    -------
    Quality or NumericQuality
        The metrics. Rows in the sample of every tree are left out.
    """
    if not model.schema_.classes:
        known = ~np.isnan(model.oob_prediction_)
        return numeric_quality_of(actual[known], model.oob_prediction_[known], OUT_OF_BAG)
    probabilities = model.oob_decision_function_
    known = ~np.isnan(probabilities[:, 0])
    predicted = model.classes_[probabilities[known].argmax(axis=1)]
    return quality_of(actual[known].tolist(), predicted.tolist(), OUT_OF_BAG)
