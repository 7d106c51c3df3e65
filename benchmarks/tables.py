"""The generated tables of the benchmark: the same rows on every machine and in every run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatMatrix = NDArray[np.float32]
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class TableSpec:
    """A table's maker and its number of rows in a full and in a quick run."""

    make: Callable[[int], tuple[Any, Labels]]
    rows: int
    quick_rows: int
    words: str


def numbers(n_rows: int, n_columns: int, seed: int) -> tuple[FloatMatrix, Labels]:
    """Normal columns; two classes from the sign of a few curved terms plus noise."""
    rng = np.random.default_rng(seed)
    matrix = rng.standard_normal((n_rows, n_columns), dtype=np.float32)
    score = curved_score(matrix) + rng.standard_normal(n_rows, dtype=np.float32)
    return matrix, (score > 0).astype(np.int64)


def curved_score(matrix: FloatMatrix) -> FloatMatrix:
    """What can be learnt of the classes: products, waves and squares of the first columns."""
    a, b, c, d, e, f = (matrix[:, i] for i in range(6))
    return 1.5 * a * b + np.sin(2 * c) + (d > 0.5) - 0.5 * e**2 + 0.5 * np.abs(f)


def coded(n_rows: int) -> tuple[FloatMatrix, Labels]:
    """Twenty columns of ten distinct values each: many rows share a value."""
    matrix, labels = numbers(n_rows, 20, seed=3)
    codes = np.clip(np.rint(matrix * 1.6 + 4.5), 0, 9)
    return codes.astype(np.float32), labels


def mixed(n_rows: int) -> tuple[FloatMatrix, Labels]:
    """Ten numeric and forty-four binary columns, seven classes of unequal size."""
    rng = np.random.default_rng(4)
    numeric = rng.standard_normal((n_rows, 10), dtype=np.float32)
    share = rng.uniform(0.02, 0.5, size=44)
    binary = (rng.random((n_rows, 44), dtype=np.float32) < share).astype(np.float32)
    score = curved_score(numeric) + binary[:, :8] @ rng.normal(size=8).astype(np.float32)
    score += rng.standard_normal(n_rows, dtype=np.float32)
    borders = np.quantile(score, [0.36, 0.85, 0.91, 0.92, 0.94, 0.97])
    labels = np.searchsorted(borders, score).astype(np.int64)
    return np.ascontiguousarray(np.hstack([numeric, binary])), labels


def text(n_rows: int) -> tuple[Any, Labels]:
    """A pandas frame of eight text columns (5 to 50 levels) and two numbers, a tenth missing."""
    import pandas as pd

    rng = np.random.default_rng(5)
    columns: dict[str, Any] = {}
    score = rng.standard_normal(n_rows)
    for position, n_levels in enumerate((5, 8, 12, 17, 23, 30, 40, 50)):
        names = np.array([f"level {i:02d} of {n_levels}" for i in range(n_levels)], dtype=object)
        codes = rng.integers(n_levels, size=n_rows)
        score += rng.normal(size=n_levels)[codes] * (1.0 if position % 2 else 0.3)
        column = names[codes]
        column[rng.random(n_rows) < 0.1] = None
        columns[f"text{position}"] = pd.Series(column, dtype="str")
    for position in range(2):
        values = rng.standard_normal(n_rows)
        score += np.sin(2 * values)
        columns[f"number{position}"] = np.where(rng.random(n_rows) < 0.1, np.nan, values)
    return pd.DataFrame(columns), (score > 0).astype(np.int64)


TABLES = {
    "1m": TableSpec(lambda n: numbers(n, 10, seed=1), 1_000_000, 100_000, "10 float columns"),
    "100k": TableSpec(lambda n: numbers(n, 20, seed=2), 100_000, 20_000, "20 float columns"),
    "coded": TableSpec(coded, 500_000, 50_000, "20 columns of 10 distinct values"),
    "mixed": TableSpec(mixed, 200_000, 20_000, "10 float, 44 binary columns, 7 classes"),
    "text": TableSpec(text, 200_000, 20_000, "8 text, 2 float columns, 10 % missing"),
}
"""Every table by name."""
