"""Metrics of a fitted model on a table: accuracy, probabilities and their calibration.

Scores are scikit-learn's; here they are put together, and measured where they are defined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import log_loss, precision_recall_fscore_support, roc_auc_score

from plaintree.errors import ParameterError
from plaintree.stats.intervals import wilson

from .metrics import Costs
from .quality import Quality, quality_of

N_BINS = 10
"""Bins of the calibration table, of equal width."""


@dataclass(frozen=True)
class ClassMetrics:
    """Precision, recall and F1 of one class.

    A metric is None where it is not defined: precision of a class that is never predicted, recall
    of a class that does not occur.
    """

    label: Any
    precision: float | None
    recall: float | None
    f1: float | None
    support: int


@dataclass(frozen=True)
class CalibrationBin:
    """Rows whose predicted class has a probability between ``low`` and ``high``."""

    low: float
    high: float
    n_rows: int
    mean_probability: float
    accuracy: float


@dataclass(frozen=True)
class ProbabilityMetrics:
    """Metrics of class probabilities, on the rows whose class the model has.

    Parameters
    ----------
    n_rows : int
        The number of these rows.
    auc : float or None
        Area under the ROC curve; for more than two classes the mean of one class against the
        rest. None if only one class occurs.
    brier : float
        Brier score: the mean squared difference from the class; for two classes that of one of
        them, for more the sum over all.
    log_loss : float
        Mean negative logarithm of the probability of the class.
    calibration_error : float
        Expected calibration error: the mean difference, over the rows, between the probability
        of the predicted class and the accuracy in its bin.
    calibration : tuple of CalibrationBin
        The bins that contain rows.
    """

    n_rows: int
    auc: float | None
    brier: float
    log_loss: float
    calibration_error: float
    calibration: tuple[CalibrationBin, ...]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Metrics of a model on the rows of a table.

    Parameters
    ----------
    quality : Quality
        Accuracy, balanced accuracy, baseline and confusion matrix.
    confidence : float
        The level of ``interval``.
    interval : tuple of two floats
        Wilson's score interval of the accuracy.
    by_class : tuple of ClassMetrics
        Precision, recall and F1, in the order of the confusion matrix.
    probabilities : ProbabilityMetrics or None
        None if the model has none of the classes.
    """

    quality: Quality
    confidence: float
    interval: tuple[float, float]
    by_class: tuple[ClassMetrics, ...]
    probabilities: ProbabilityMetrics | None


def evaluate(
    actual: Sequence[Any],
    predicted: Sequence[Any],
    probabilities: NDArray[np.float64],
    classes: Sequence[Any],
    measured_on: str,
    *,
    confidence: float = 0.95,
    costs: Costs | None = None,
    counts: NDArray[np.int64] | None = None,
) -> Evaluation:
    """Measure predictions and class probabilities.

    Parameters
    ----------
    actual, predicted : sequence of shape (n_rows,)
        The classes of the rows, and the predicted ones. Rows of a class that the model does not
        have count as errors.
    probabilities : ndarray of shape (n_rows, n_classes)
        Predicted probabilities of the classes.
    classes : sequence of shape (n_classes,)
        The classes of the model, in the order of the probabilities.
    measured_on : str
        A name of the rows.
    confidence : float, default=0.95
        The level of the interval of the accuracy.
    costs : dict of (str, str) to float, default=None
        The costs of errors, by actual and predicted class.
    counts : ndarray of int64, default=None
        How many rows each entry stands for; None is 1 for all.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> P = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.7, 0.3]])
    >>> found = evaluate("aabb", "aaba", P, "ab", "rows given")
    >>> found.quality.accuracy, found.probabilities.auc, round(found.probabilities.brier, 3)
    (0.75, 0.75, 0.175)
    >>> [round(end, 3) for end in found.interval]
    [0.301, 0.954]
    """
    deviation = normal_deviation(confidence)
    quality = quality_of(actual, predicted, measured_on, costs, counts)
    places = {label: place for place, label in enumerate(classes)}
    codes = np.array([places.get(label, -1) for label in actual])
    known = codes >= 0
    correct = np.array([a == p for a, p in zip(actual, predicted, strict=True)])
    top = np.array([places[label] for label in predicted])
    of_predicted = probabilities[np.arange(len(top)), top]
    return Evaluation(
        quality,
        float(confidence),
        wilson(quality.accuracy, quality.n_rows, deviation),
        class_metrics(quality),
        _of_probabilities(
            probabilities[known],
            codes[known],
            of_predicted[known],
            correct[known],
            None if counts is None else counts[known],
        )
        if known.any()
        else None,
    )


def normal_deviation(confidence: float) -> float:
    """The half width, in standard deviations, of a normal interval of that confidence.

    >>> round(normal_deviation(0.95), 2)
    1.96
    """
    number = isinstance(confidence, Real) and not isinstance(confidence, bool)
    if not number or not 0 < confidence < 1:
        raise ParameterError(
            "confidence must be between 0 and 1",
            got=f"confidence={confidence!r}",
            hint="0.95 is usual.",
        )
    return NormalDist().inv_cdf(0.5 + float(confidence) / 2)


def class_metrics(quality: Quality) -> tuple[ClassMetrics, ...]:
    """Precision, recall and F1 of every class, in the order of the confusion matrix."""
    n = len(quality.classes)
    actual, predicted = np.indices((n, n)).reshape(2, -1)
    columns = precision_recall_fscore_support(
        actual,
        predicted,
        labels=range(n),
        sample_weight=quality.confusion.ravel(),
        zero_division=np.nan,
    )
    precision, recall, f1 = (
        [None if np.isnan(value) else float(value) for value in column] for column in columns[:3]
    )
    support = quality.confusion.sum(axis=1).tolist()
    rows = zip(quality.classes, precision, recall, f1, support, strict=True)
    return tuple(ClassMetrics(*row) for row in rows)


def _of_probabilities(
    probabilities: NDArray[np.float64],
    codes: NDArray[np.int64],
    of_predicted: NDArray[np.float64],
    correct: NDArray[np.bool_],
    counts: NDArray[np.int64] | None,
) -> ProbabilityMetrics:
    n_classes = probabilities.shape[1]
    n_rows = len(codes) if counts is None else int(counts.sum())
    actual = np.eye(n_classes)[codes]
    squares = float(np.average(((probabilities - actual) ** 2).sum(axis=1), weights=counts))
    occurring = np.bincount(codes, counts, n_classes)
    occurs = (occurring > 0) & (occurring < n_rows)
    auc = None
    if occurs.any():
        auc = roc_auc_score(actual[:, occurs], probabilities[:, occurs], sample_weight=counts)
    # With one class, scikit-learn has no logarithm to take: its probability is one.
    loss = 0.0
    if n_classes > 1:
        loss = log_loss(codes, probabilities, labels=range(n_classes), sample_weight=counts)
    bins = _calibration(of_predicted, correct, counts)
    error = sum(b.n_rows * abs(b.mean_probability - b.accuracy) for b in bins) / n_rows
    return ProbabilityMetrics(
        n_rows=n_rows,
        auc=None if auc is None else float(auc),
        brier=squares / 2 if n_classes == 2 else squares,
        log_loss=float(loss),
        calibration_error=float(error),
        calibration=bins,
    )


def _calibration(
    of_predicted: NDArray[np.float64],
    correct: NDArray[np.bool_],
    counts: NDArray[np.int64] | None,
) -> tuple[CalibrationBin, ...]:
    """The reliability of the probability of the predicted class, in bins of equal width.

    The bins are those of scikit-learn's ``calibration_curve``, which does not take counts.
    """
    shown = np.clip(of_predicted, 0, 1)  # rounding may exceed 1
    edges = np.linspace(0, 1, N_BINS + 1)
    places = np.searchsorted(edges[1:-1], shown)
    each = np.ones(len(shown)) if counts is None else counts.astype(np.float64)
    n_rows, probability, right = (
        np.bincount(places, weights, N_BINS) for weights in (each, each * shown, each * correct)
    )
    return tuple(
        CalibrationBin(
            float(edges[i]),
            float(edges[i + 1]),
            int(n_rows[i]),
            float(probability[i] / n_rows[i]),
            float(right[i] / n_rows[i]),
        )
        for i in np.flatnonzero(n_rows)
    )
