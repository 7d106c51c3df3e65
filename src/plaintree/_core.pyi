"""Types of the native module; see src/core/bind.cpp."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

def grow(
    columns: list[NDArray[Any]],
    n_categories: Sequence[int],
    classes: NDArray[np.int32],
    n_classes: int,
    weights: NDArray[np.float64] | None,
    params: dict[str, Any],
    n_threads: int,
) -> dict[str, NDArray[Any]]: ...
def predict_nodes(
    tree: Any,
    columns: list[NDArray[Any]],
    n_categories: Sequence[int],
    n_rows: int,
    unseen_stops: bool,
    label_wins: bool,
    n_threads: int,
) -> NDArray[np.int32]: ...
def predict_classes(
    tree: Any,
    columns: list[NDArray[Any]],
    n_categories: Sequence[int],
    n_rows: int,
    unseen_stops: bool,
    label_wins: bool,
    n_threads: int,
) -> NDArray[np.int32]: ...
def predict_shares(
    tree: Any,
    columns: list[NDArray[Any]],
    n_categories: Sequence[int],
    n_rows: int,
    unseen_stops: bool,
    label_wins: bool,
    n_threads: int,
) -> NDArray[np.float64]: ...
def chi_square_p(table: Sequence[float], n_columns: int) -> float: ...
def prune_error_based(
    tree: Any,
    columns: list[NDArray[Any]],
    n_categories: Sequence[int],
    classes: NDArray[np.int32],
    weights: NDArray[np.float64] | None,
    confidence: float,
    criterion: int,
) -> tuple[dict[str, NDArray[Any]], NDArray[np.float64]]: ...
