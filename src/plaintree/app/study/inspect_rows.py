"""Causes of optimistic cross-validation: duplicate rows, and columns that leak the class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from plaintree.data.doubts import Doubt, listed
from plaintree.data.encode import categories_of
from plaintree.data.facts import ColumnFacts
from plaintree.data.schema import MISSING
from plaintree.data.table import Table
from plaintree.data.words import plain
from plaintree.estimators.registry import TaskName

FOLDS = 10
MANY_SHARED = 0.2
"""Fraction of test rows that also occur in training, from which on accuracy is optimistic."""
LEAK, ROWS_PER_VALUE, MANY_VALUES, MIN_ROWS = 0.995, 20, 1000, 100
"""A column that alone predicts the class with this accuracy may contain the class itself."""


def row_doubts(
    table: Table,
    frame: pl.DataFrame,
    target: str,
    facts: Sequence[ColumnFacts],
    task: TaskName = "classification",
) -> list[Doubt]:
    """Warnings about a table with a target; small tables repeat rows by chance.

    ``frame`` is without identifiers, which would make every row differ.
    """
    if table.n_rows < MIN_ROWS:
        return []
    biased = "accuracy is biased upwards" if task == "classification" else "R2 is biased upwards"
    leaks = _leaks(table, target, facts) if task == "classification" else _copies(table, target)
    return [*_duplicates(frame, biased), *leaks]


def _copies(table: Table, target: str) -> list[Doubt]:
    """Warnings about numeric columns that are the target but for its scale."""
    numbers = table.columns[table.names.index(target)].values
    found: dict[str, str] = {}
    for column in table.columns:
        if column.name == target or column.kind != "numeric":
            continue
        known = np.isfinite(column.values) & np.isfinite(numbers)
        x, y = column.values[known], numbers[known]
        if len(x) < MIN_ROWS or not np.ptp(x) or not np.ptp(y):
            continue
        r2 = float(np.corrcoef(x, y)[0, 1] ** 2)
        if r2 >= LEAK:
            found[column.name] = f"{plain(column.name)} ({r2:.3f})"
    if not found:
        return []
    text = (
        f"{listed(found.values())}: a linear function of the target with almost no error (R2 in "
        "parentheses); if it is known only after the target, leave it out with "
    )
    return [Doubt(text, "drop", tuple(found))]


def _duplicates(frame: pl.DataFrame, biased: str) -> list[Doubt]:
    if any(dtype.is_nested() or dtype == pl.Object for dtype in frame.dtypes):
        return []
    sizes = frame.select(row=pl.struct(pl.all()).hash()).get_column("row").value_counts()
    copies = sizes.get_column("count").to_numpy().astype(np.float64)
    # All copies of a row are in its own fold with probability (1 / folds) ** (copies - 1).
    shared = float((copies * (1 - (1 / FOLDS) ** (copies - 1))).sum() / copies.sum())
    if shared < MANY_SHARED:
        return []
    text = (
        f"{int(copies[copies > 1].sum()):,} rows have duplicates: in {FOLDS}-fold cross-validation "
        f"about {shared:.0%} of the test rows also occur in training, so {biased}"
    )
    return [Doubt(text)]


def _leaks(table: Table, target: str, facts: Sequence[ColumnFacts]) -> list[Doubt]:
    most = min(MANY_VALUES, table.n_rows // ROWS_PER_VALUE)
    place = table.names.index(target)
    if not 2 <= facts[place].n_levels <= most:
        return []
    classes, labels = categories_of(table.columns[place])
    known = classes >= 0
    if np.bincount(classes[known]).max() > 0.95 * known.sum():
        return []  # any column predicts a majority class of nearly all rows
    found: dict[str, str] = {}
    for column, fact in zip(table.columns, facts, strict=True):
        if column.name == target or fact.n_levels > most:
            continue
        codes, values = categories_of(column)
        pairs = (codes[known].astype(np.int64) - MISSING) * len(labels) + classes[known]
        counts = np.bincount(pairs, minlength=(len(values) + 1) * len(labels))
        accuracy = counts.reshape(-1, len(labels)).max(axis=1).sum() / known.sum()
        if accuracy >= LEAK:
            found[column.name] = f"{plain(column.name)} ({accuracy:.1%})"
    if not found:
        return []
    text = (
        f"{listed(found.values())}: predicts the class alone with almost no error (accuracy in "
        "parentheses); if it is known only after the class, leave it out with "
    )
    return [Doubt(text, "drop", tuple(found))]
