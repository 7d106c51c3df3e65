"""What makes cross-validation optimistic: duplicate rows, and columns that give the class away."""

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

FOLDS = 10
MANY_SHARED = 0.2
"""The share of test rows that also occur in training from which accuracy is biased upwards."""
LEAK, ROWS_PER_VALUE, MANY_VALUES, MIN_ROWS = 0.995, 20, 1000, 100
"""A column that alone is right for this share of the rows may hold the class itself."""


def row_doubts(
    table: Table, frame: pl.DataFrame, target: str, facts: Sequence[ColumnFacts]
) -> list[Doubt]:
    """The warnings about a table with a target; small tables repeat rows by chance.

    ``frame`` is without identifiers, which would make every row differ.
    """
    if table.n_rows < MIN_ROWS:
        return []
    return [*_duplicates(frame), *_leaks(table, target, facts)]


def _duplicates(frame: pl.DataFrame) -> list[Doubt]:
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
        f"about {shared:.0%} of the test rows also occur in training, so accuracy is biased upwards"
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
        return []  # one class is nearly all: any column would seem to give it away
    found = []
    for column, fact in zip(table.columns, facts, strict=True):
        if column.name == target or fact.n_levels > most:
            continue
        codes, values = categories_of(column)
        pairs = (codes[known].astype(np.int64) - MISSING) * len(labels) + classes[known]
        counts = np.bincount(pairs, minlength=(len(values) + 1) * len(labels))
        right = counts.reshape(-1, len(labels)).max(axis=1).sum() / known.sum()
        if right >= LEAK:
            found.append(f"{plain(column.name)} ({right:.1%})")
    if not found:
        return []
    text = "columns that alone predict the class almost without error (accuracy), and so decide "
    text += "cross-validation; if they are known only after the class, leave them out ("
    return [Doubt(text, "drop", rest=f"): {listed(found)}")]
