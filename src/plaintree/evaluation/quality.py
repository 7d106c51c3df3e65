"""Metrics of predictions, with the rows they were measured on and the majority-class baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix

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

    Examples
    --------
    >>> found = quality_of(["a", "a", "a", "b"], ["a", "a", "b", "a"], "rows given")
    >>> found.accuracy, found.balanced_accuracy, found.baseline, found.majority_class
    (0.5, 0.3333333333333333, 0.75, 'a')
    """

    measured_on: str
    classes: tuple[Any, ...]
    confusion: NDArray[np.int64]

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
        }


def quality_of(actual: Sequence[Any], predicted: Sequence[Any], measured_on: str) -> Quality:
    """Compute the metrics of predicted labels.

    Parameters
    ----------
    actual : sequence
        The true labels.
    predicted : sequence
        The predicted labels, in the same order.
    measured_on : str
        The rows that were predicted, such as "training rows".

    Returns
    -------
    Quality
        The metrics. Classes that occur among the predictions only come last.
    """
    known = sorted(set(actual), key=lambda label: (type(label).__name__, label))
    classes = tuple(dict.fromkeys([*known, *predicted]))
    places = {label: place for place, label in enumerate(classes)}
    pairs = [[places[label] for label in labels] for labels in (actual, predicted)]
    counts = np.full((len(classes), len(classes)), len(actual))  # of a single class
    if len(classes) > 1:
        counts = confusion_matrix(*pairs, labels=range(len(classes)))
    return Quality(measured_on, classes, counts)


def out_of_bag_quality(model: Any, actual: NDArray[Any]) -> Quality:
    """Compute the out-of-bag metrics of a fitted forest.

    Parameters
    ----------
    model : RandomForestClassifier or BaggedTreesClassifier
        A forest that was fitted with ``oob_score=True``.
    actual : ndarray of shape (n_rows,)
        The labels of the training rows, in their order.

    Returns
    -------
    Quality
        The metrics. Rows in the sample of every tree are left out.
    """
    probabilities = model.oob_decision_function_
    known = ~np.isnan(probabilities[:, 0])
    predicted = model.classes_[probabilities[known].argmax(axis=1)]
    return quality_of(actual[known].tolist(), predicted.tolist(), OUT_OF_BAG)
