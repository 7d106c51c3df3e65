"""Metrics of predicted numbers with their intervals, and the rows with the largest errors."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .evaluate import normal_deviation
from .quality import NumericMetrics, NumericQuality, numeric_quality_of

Interval = tuple[float, float]
ROUNDING = 1e-12


@dataclass(frozen=True)
class RowError:
    """A row, its number and the predicted one.

    ``row`` is the position of the row, counted from 0; printed rows are counted from 1.
    """

    row: int
    actual: float
    predicted: float

    @property
    def residual(self) -> float:
        """Actual minus predicted number."""
        return self.actual - self.predicted


@dataclass(frozen=True, eq=False)
class NumericEvaluation:
    """Metrics of a regression model on the rows of a table.

    Parameters
    ----------
    quality : NumericMetrics
        RMSE, MAE, R2 and the baseline.
    confidence : float
        The level of ``intervals``.
    intervals : dict of str to tuple of two floats
        Normal intervals of the MAE (``mae``), and of the mean squared error, as its root
        (``rmse``). They are wide where few rows have most of the error, and NaN for a single row.
    mean_residual : float
        The mean of actual minus predicted number, which is not 0 if the model is biased.
    median_absolute_error : float
        Half of the rows have a smaller absolute error.
    """

    quality: NumericMetrics
    confidence: float
    intervals: dict[str, Interval]
    mean_residual: float
    median_absolute_error: float


def evaluate_numbers(
    actual: Any, predicted: Any, measured_on: str, *, confidence: float = 0.95
) -> NumericEvaluation:
    """Measure predicted numbers.

    Parameters
    ----------
    actual, predicted : array-like of shape (n_rows,)
        The numbers of the rows, and the predicted ones.
    measured_on : str
        A name of the rows.
    confidence : float, default=0.95
        The level of the intervals.

    Returns
    -------
    NumericEvaluation

    Examples
    --------
    >>> found = evaluate_numbers([1, 2, 3, 6], [1, 2, 4, 4], "rows given")
    >>> found.quality.mae, found.mean_residual, found.median_absolute_error
    (0.75, 0.25, 0.5)
    >>> [round(end, 2) for end in found.intervals["mae"]]
    [0.0, 1.69]
    """
    quality = numeric_quality_of(actual, predicted, measured_on)
    return evaluate_residuals(quality, quality.residuals, confidence)


def evaluate_residuals(
    quality: NumericMetrics, residuals: NDArray[np.float64], confidence: float
) -> NumericEvaluation:
    """Measure predicted numbers of which the residuals are known."""
    size = np.abs(residuals)
    deviations = normal_deviation(confidence)
    low, high = _interval_of_mean(size**2, deviations)
    return NumericEvaluation(
        quality,
        float(confidence),
        {"rmse": (sqrt(low), sqrt(high)), "mae": _interval_of_mean(size, deviations)},
        _without_rounding(float(residuals.mean()), float(size.mean())),
        float(np.median(size)),
    )


def _without_rounding(mean: float, size: float) -> float:
    """A mean of terms of that size; 0 if only rounding differs from it."""
    return 0.0 if abs(mean) < ROUNDING * size else mean


def _interval_of_mean(values: Any, deviations: float) -> Interval:
    """The normal interval of a mean of values that are not negative."""
    if len(values) < 2:
        return float("nan"), float("nan")
    half = deviations * float(np.std(values, ddof=1)) / sqrt(len(values))
    return max(0.0, float(np.mean(values)) - half), float(np.mean(values)) + half


def largest_errors(quality: NumericQuality, n: int) -> tuple[RowError, ...]:
    """The rows with the largest absolute errors, the largest first; of equal ones the first.

    >>> found = largest_errors(numeric_quality_of([1, 2, 3, 6], [1, 2, 4, 4], "rows given"), 1)
    >>> found[0].row, found[0].residual
    (3, 2.0)
    """
    order = np.argsort(-np.abs(quality.residuals), kind="stable")[:n]
    actual, predicted = quality.actual[order].tolist(), quality.predicted[order].tolist()
    triples = zip(order.tolist(), actual, predicted, strict=True)
    return tuple(RowError(*triple) for triple in triples)
