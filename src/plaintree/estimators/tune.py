"""Tuning of ``max_features`` of a random forest by out-of-bag error.

The search starts near the square root of the number of features, goes down and up by a factor while
the error falls, and keeps the best. It needs no rows for validation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plaintree.checks import check_number
from plaintree.progress import Progress

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, eq=False)
class MaxFeaturesTuning:
    """The values of ``max_features`` that were tried, and their out-of-bag errors.

    Parameters
    ----------
    max_features : ndarray
        The numbers of features that were tried, ascending.
    error : ndarray
        The out-of-bag error of each.
    """

    max_features: NDArray[np.int64]
    error: NDArray[np.float64]

    @property
    def best(self) -> int:
        """The number with the lowest error; the smallest one on ties."""
        return int(self.max_features[int(np.argmin(self.error))])

    def to_frame(self) -> polars.DataFrame:
        """Return a polars DataFrame with a row for each number tried."""
        import polars

        return polars.DataFrame({"max_features": self.max_features, "oob_error": self.error})


def tune_max_features(
    forest: Any,
    X: Any,
    y: Any,
    sample_weight: ArrayLike | None = None,
    *,
    factor: float = 2,
    progress: Progress | None = None,
) -> MaxFeaturesTuning:
    """Tune ``max_features`` of a random forest by out-of-bag error.

    All numbers are tried with the same samples of rows.

    Parameters
    ----------
    forest : RandomForestClassifier
        A forest, not fitted, with the other parameters.
    X : table of shape (n_rows, n_features)
        The training table.
    y : sequence of shape (n_rows,)
        The class label of each row.
    sample_weight : array-like of shape (n_rows,), default=None
        The weight of each row; None is 1 for all.
    factor : float, default=2
        The factor between a number and the next one that is tried.
    progress : callable, default=None
        Called now and then with a description, the number of trees that are done, and their total
        number.

    Returns
    -------
    MaxFeaturesTuning
        The numbers that were tried, their errors, and the best number.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> tuning = pt.tune_max_features(pt.RandomForestClassifier(50, random_state=0), X, y)
    >>> tuning.max_features.tolist(), tuning.best in tuning.max_features
    ([1, 2, 4], True)
    """
    from sklearn.base import clone

    check_number("factor", factor, 1, 1e6, above=True)
    seed = np.random.RandomState() if forest.random_state is None else forest.random_state
    if not isinstance(seed, int | np.integer):
        seed = int(seed.randint(2**31 - 1))  # every number is tried with the same samples

    def error_of(wanted: int) -> float:
        tried = clone(forest).set_params(max_features=wanted, oob_score=True, random_state=seed)

        def report(stage: str, done: int, total: int | None) -> None:
            if progress is not None:
                progress(f"{stage} with max_features={wanted}", done, total)

        return float(tried.fit(X, y, sample_weight, progress=report).oob_error_curve_[-1])

    return search_max_features(error_of, _width(X), factor)


def search_max_features(
    error_of: Callable[[int], float], n_columns: int, factor: float = 2
) -> MaxFeaturesTuning:
    """Search from near the square root of the number of features, while the error falls."""
    start = max(1, isqrt(n_columns))
    errors = {start: error_of(start)}
    for shrink in (True, False):
        current = start
        while True:
            step = current / factor if shrink else current * factor
            wanted = min(max(1, int(step) if shrink else max(current + 1, round(step))), n_columns)
            if wanted in errors:
                break
            errors[wanted] = error_of(wanted)
            if errors[wanted] >= errors[current]:
                break
            current = wanted
    tried = sorted(errors)
    return MaxFeaturesTuning(
        np.array(tried, dtype=np.int64), np.array([errors[m] for m in tried], dtype=np.float64)
    )


def _width(X: Any) -> int:
    from plaintree.data.table import table_from

    return len(table_from(X).columns)
