"""Metrics of a model on the rows of a dataset, which are predicted batch by batch.

Of classes, equal predictions of rows of the same class are kept once, with their number: for a tree
a few for each leaf. Of numbers, sums are kept, and residuals where their median is wanted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import nan, sqrt
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from plaintree.data.batches import target_of
from plaintree.data.dataset import Dataset
from plaintree.data.frames import column_from

from .evaluate import Evaluation, evaluate
from .metrics import METRICS, Costs
from .numeric import NumericEvaluation, RowError, evaluate_residuals, largest_errors
from .quality import NumericMetrics, NumericQuality, Quality, quality_of

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
FEW_KEPT = 2**20
"""Distinct predictions that are held before equal ones of different batches are joined."""


@dataclass
class LabelCounts:
    """How many rows have a class, a predicted class and probabilities."""

    labels: list[Any] = field(default_factory=list)
    _places: dict[Any, int] = field(default_factory=dict)
    _kept: list[pl.DataFrame] = field(default_factory=list)
    _next_join: int = FEW_KEPT

    def places(self, labels: Iterable[Any]) -> Codes:
        """The positions of labels among all that were seen."""
        for label in labels:
            if label not in self._places:
                self._places[label] = len(self.labels)
                self.labels.append(label)
        return np.array([self._places[label] for label in labels], dtype=np.int64)

    def add(self, actual: Codes, predicted: Codes, probabilities: Floats | None = None) -> None:
        """Add the rows of a batch, their classes given by :meth:`places`."""
        shares = () if probabilities is None else probabilities.T
        columns = {f"p{i}": share for i, share in enumerate(shares)}
        frame = pl.DataFrame({"actual": actual, "predicted": predicted, **columns})
        self._kept.append(frame.group_by(frame.columns).agg(pl.len().cast(pl.Int64).alias("n")))
        if sum(part.height for part in self._kept) > self._next_join:
            self._kept = [self.distinct()]
            self._next_join = max(FEW_KEPT, 2 * self._kept[0].height)

    def distinct(self) -> pl.DataFrame:
        """What is kept, equal predictions of all batches joined, in an order of their own."""
        both = pl.concat(self._kept)
        keys = [name for name in both.columns if name != "n"]
        return both.group_by(keys).agg(pl.col("n").sum()).sort(keys)

    def _columns(self) -> tuple[list[Any], list[Any], Floats, NDArray[np.int64]]:
        """The classes, the predicted ones, the probabilities and the numbers of rows."""
        frame = self.distinct()
        actual, predicted = (
            [self.labels[i] for i in frame[name].to_list()] for name in ("actual", "predicted")
        )
        shares = frame.drop("actual", "predicted", "n")
        return actual, predicted, shares.to_numpy(), frame["n"].to_numpy()

    def quality(self, measured_on: str, costs: Costs | None = None) -> Quality:
        """The metrics of the predicted classes."""
        actual, predicted, _, counts = self._columns()
        return quality_of(actual, predicted, measured_on, costs, counts)

    def evaluation(self, classes: Sequence[Any], measured_on: str, **options: Any) -> Evaluation:
        """The metrics of the predicted classes and of their probabilities."""
        actual, predicted, probabilities, counts = self._columns()
        return evaluate(
            actual, predicted, probabilities, classes, measured_on, counts=counts, **options
        )


def mean_of(dataset: Dataset) -> float:
    """The mean of a numeric target, of rows that have one."""
    name, total, n_rows = target_of(dataset), 0.0, 0
    for _, _, frame in dataset.located_batches(columns=[name]):
        column = column_from(name, frame[name])
        known = column.values[~column.missing]
        total += float(known.sum(dtype=np.float64))
        n_rows += len(known)
    return total / n_rows if n_rows else nan


@dataclass
class NumericSums(NumericMetrics):
    """Metrics of predicted numbers from sums over rows, whose mean is known before.

    ``of_model`` and ``of_mean`` are sums of absolute and of squared errors.
    """

    measured_on: str
    mean: float
    n_rows: int = 0
    of_model: Floats = field(default_factory=lambda: np.zeros(2))
    of_mean: Floats = field(default_factory=lambda: np.zeros(2))

    def add(self, actual: Floats, predicted: Floats) -> None:
        """Add the rows of a batch."""
        self.n_rows += len(actual)
        self.of_model += _sums(actual - predicted)
        self.of_mean += _sums(actual - self.mean)

    @property
    def values(self) -> dict[str, float]:
        """The metrics of the task, by their keys."""
        return self._values(self.of_model)

    @property
    def baseline_values(self) -> dict[str, float]:
        """All metrics of always predicting the mean of these rows."""
        return self._values(self.of_mean)

    def _values(self, sums: Floats) -> dict[str, float]:
        if not self.n_rows:
            return {metric.key: nan for metric in METRICS[self.task]}
        absolute, squared = (sums / self.n_rows).tolist()
        r2 = nan
        if self.n_rows > 1:  # as in scikit-learn, where all numbers are the same
            r2 = 1 - sums[1] / self.of_mean[1] if self.of_mean[1] else float(sums[1] == 0)
        return {"rmse": sqrt(squared), "mae": absolute, "r2": float(r2)}


def _sums(errors: Floats) -> Floats:
    return np.array([np.abs(errors).sum(), errors @ errors])


@dataclass
class Residuals(NumericSums):
    """Sums, and the residual of each row, from which the median and the intervals follow.

    ``largest`` are the ``n_largest`` rows with the largest errors.
    """

    n_largest: int = 5
    largest: tuple[RowError, ...] = ()
    kept: list[Floats] = field(default_factory=list)

    def add_at(self, rows: Codes, actual: Floats, predicted: Floats) -> None:
        """Add the rows of a batch, given their numbers."""
        self.add(actual, predicted)
        self.kept.append(actual - predicted)
        own = largest_errors(NumericQuality("", actual, predicted), self.n_largest)
        named = [replace(part, row=int(rows[part.row])) for part in own]
        ordered = sorted([*self.largest, *named], key=lambda part: -abs(part.residual))
        self.largest = tuple(ordered[: self.n_largest])

    def evaluation(self, confidence: float) -> NumericEvaluation:
        """The metrics of all rows."""
        residuals = np.concatenate(self.kept)
        self.kept.clear()
        return evaluate_residuals(self, residuals, confidence)
