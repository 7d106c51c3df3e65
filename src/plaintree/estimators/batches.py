"""Predictions for datasets: rows are read, encoded and predicted batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from plaintree.data.batches import Batch, batches_for
from plaintree.data.parts import located
from plaintree.data.rows import class_positions
from plaintree.data.table import is_dataset
from plaintree.data.target import labels_from, numbers_from
from plaintree.errors import TableError
from plaintree.tree.row_batches import names_its_own

if TYPE_CHECKING:
    from plaintree.data.dataset import Dataset

Floats = NDArray[np.float64]
Method = TypeVar("Method", bound=Callable[..., NDArray[Any]])


def in_batches(method: Method) -> Method:
    """Let a method that predicts rows take a dataset; only its result is in memory as a whole."""

    @wraps(method)
    def predicted(self: Any, X: Any, *args: Any, **options: Any) -> NDArray[Any]:
        if not is_dataset(X):
            return method(self, X, *args, **options)
        check_is_fitted(self)
        batches = batches_for(X, self.schema_, self.used_columns)
        return _joined((method(self, batch, *args, **options) for batch in batches), X)

    return predicted  # type: ignore[return-value]  # has the same parameters


def _joined(parts: Iterator[NDArray[Any]], dataset: Dataset) -> NDArray[Any]:
    """One array of all parts, filled as they come."""
    n_rows, whole, done = dataset.n_rows, np.empty(0), 0
    for part in parts:
        if not done:
            whole = np.empty((n_rows, *part.shape[1:]), dtype=part.dtype)
        if done + len(part) <= n_rows:
            whole[done : done + len(part)] = part
        done += len(part)
    if done != n_rows:
        raise TableError(
            f"the rows of {dataset!r} changed while they were read",
            got=f"{done:,} rows where there were {n_rows:,}",
            hint="predict again when nothing changes them.",
        )
    return whole


# -------------------------------------------------------------------- scores


def accuracy_on(model: Any, dataset: Dataset, y: Any, sample_weight: Any) -> float:
    """The accuracy of a classifier on a dataset, by the weights that it names."""
    right = total = 0.0
    for batch, predicted in _predicted(model, dataset, y, sample_weight):
        with located(batch.where, batch.rows):
            codes, labels = labels_from(batch.target, len(predicted), str(dataset.target))
        weights = batch.weights
        places = np.append(class_positions(model.schema_, labels), -1)[codes]
        is_right = places == positions_of(model.classes_, predicted)
        right += is_right.sum() if weights is None else weights @ is_right
        total += len(is_right) if weights is None else weights.sum()
    _check_weight(total, dataset)
    return float(right / total)


def positions_of(classes: NDArray[Any], predicted: NDArray[Any]) -> NDArray[np.intp]:
    """The position of each predicted label among the classes.

    >>> positions_of(np.array(["no", "yes"]), np.array(["yes", "yes", "no"]))
    array([1, 1, 0])
    """
    order = np.argsort(classes)
    return np.asarray(order[np.searchsorted(classes, predicted, sorter=order)])


def r2_on(model: Any, dataset: Dataset, y: Any, sample_weight: Any) -> float:
    """R2 of a regressor on a dataset, by the weights that it names.

    Squares are summed around the mean of the first batch, so large numbers do not cancel out.
    """
    centre, n_rows = None, 0
    sums = np.zeros(4)  # weights, deviations from the centre, their squares, squared errors
    for batch, predicted in _predicted(model, dataset, y, sample_weight):
        with located(batch.where, batch.rows):
            numbers = numbers_from(batch.target, len(predicted), str(dataset.target)).numbers
        centre = numbers.mean() if centre is None else centre
        known = np.ones(len(numbers)) if batch.weights is None else batch.weights
        away, wrong = numbers - centre, numbers - predicted
        sums += known.sum(), known @ away, known @ away**2, known @ wrong**2
        n_rows += len(numbers)
    _check_weight(sums[0], dataset)
    total = sums[2] - sums[1] ** 2 / sums[0]
    if n_rows < 2:
        return float("nan")
    if total <= 0:  # as in scikit-learn
        return float(sums[3] == 0)
    return float(1 - sums[3] / total)


def _check_weight(total: float, dataset: Dataset) -> None:
    if not total:
        raise TableError(
            f"every weight in {dataset.weights!r} is zero",
            hint="give at least one row a weight above zero.",
        )


def _predicted(
    model: Any, dataset: Dataset, y: Any, sample_weight: Any
) -> Iterator[tuple[Batch, NDArray[Any]]]:
    """Each batch, with its target and its weights, and the predictions."""
    check_is_fitted(model)
    for name, value in (("y", y), ("sample_weight", sample_weight)):
        if value is not None:
            raise names_its_own(name, value)
    for batch in batches_for(dataset, model.schema_, model.used_columns, labelled=True):
        yield batch, model.predict(batch)
