"""What there is to know about a table before a tree is grown: columns, classes, traps.

Nothing is printed here; the facts are plain values, the same for people (app/cli/show.py) and for
JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl

from plaintree.data.column import Column
from plaintree.data.doubts import Doubt, listed
from plaintree.data.facts import ColumnFacts, column_facts, known_values, value_text
from plaintree.data.table import Table, table_from
from plaintree.data.timestamps import TEMPORAL
from plaintree.data.words import plain
from plaintree.errors import ParameterError, nearest

from .look_rows import row_doubts
from .look_texts import misread_columns

FEW_VALUES = 10
"""Whole numbers with at most so many distinct values may be categories."""
MANY_CODES = 20
"""Integers drawn at random from twice as many rarely all differ."""
IDENTIFIERS = (
    "identifiers cannot generalise: new rows have new values, so splits on them make the training "
    "accuracy biased upwards, and cross-validation gains nothing; leave out ("
)
_CALLED_IDENTIFIER = re.compile(r"(?i:^|[^a-z0-9])(?i:id|key|code|no|nr|uuid)$|[a-z]I[dD]$")


@dataclass(frozen=True)
class TableFacts:
    """A table: where it is from, its columns, the classes with their rows, and warnings."""

    source: str
    n_rows: int
    columns: tuple[ColumnFacts, ...]
    target: str | None
    classes: tuple[tuple[str, int], ...]
    warnings: tuple[Doubt, ...]

    @property
    def features(self) -> tuple[ColumnFacts, ...]:
        """The columns that a tree may test."""
        return tuple(c for c in self.columns if c.name != self.target)

    def to_json(self) -> dict[str, Any]:
        """The facts as plain lists, strings and numbers."""
        classes = dict(self.classes) if self.target else None
        return {**asdict(self), "classes": classes, "warnings": [*map(str, self.warnings)]}


def check_columns(parameter: str, wanted: Iterable[str], columns: Sequence[str]) -> None:
    """Names given for a parameter must be columns; a misspelt one is wrong use, not data."""
    for name in wanted:
        if name not in columns:
            known = ", ".join(map(plain, columns[:10])) + (", ..." if len(columns) > 10 else "")
            raise ParameterError(
                "the table has no such column",
                got=f"{parameter}={name}",
                hint=nearest(name, columns) or f"the columns are {known}.",
            )


def look_at(
    frame: pl.DataFrame, source: str, target: str | None, doubts: Sequence[Doubt] = ()
) -> TableFacts:
    """The facts of a file's table."""
    return facts_of(table_from(frame), frame, source, target, doubts)


def facts_of(
    table: Table,
    frame: pl.DataFrame,
    source: str,
    target: str | None,
    doubts: Sequence[Doubt] = (),
) -> TableFacts:
    """The facts of a table that was read from a file's frame; ``doubts`` are those of reading."""
    if target is not None:
        check_columns("target", [target], table.names)
    columns = tuple(column_facts(column) for column in table.columns)
    misread = misread_columns(frame)
    warnings = [*doubts, *misread.doubts]
    pairs = [(c, f) for c, f in zip(table.columns, columns, strict=True) if f.name != target]
    identifiers = [
        f.name for c, f in pairs if _is_identifier(c, f) and f.name not in misread.numbers
    ]
    warnings += _column_warnings(pairs, identifiers, table.n_rows)
    classes: tuple[tuple[str, int], ...] = ()
    if target is not None:
        column = table.columns[table.names.index(target)]
        classes = _class_counts(column)
        warnings += _target_warnings(column, classes)
        warnings += row_doubts(table, frame.drop(identifiers), target, columns)
    return TableFacts(source, table.n_rows, columns, target, classes, tuple(warnings))


def _class_counts(column: Column) -> tuple[tuple[str, int], ...]:
    values, counts = np.unique(known_values(column), return_counts=True)
    pairs = zip(values.tolist(), counts.tolist(), strict=True)
    return tuple((value_text(column, value), n) for value, n in pairs)


# -------------------------------------------------------------------- warnings


def _column_warnings(
    pairs: Sequence[tuple[Column, ColumnFacts]], identifiers: Sequence[str], n_rows: int
) -> list[Doubt]:
    constant = [f.name for _, f in pairs if f.n_levels <= 1]
    empty = [f.name for _, f in pairs if n_rows / 2 < f.n_gaps < n_rows]
    codes = [f.name for c, f in pairs if _may_be_categories(c, f)]
    kinds = (
        (identifiers, IDENTIFIERS, "drop", "): "),
        (constant, "constant, so of no use: ", "", ""),
        (empty, "missing in most rows: ", "", ""),
        (codes, "whole numbers of few values; if they are codes, ", "categorical_features", ": "),
    )
    return [
        Doubt(text, parameter, rest=rest + listed(map(plain, names)))
        for names, text, parameter, rest in kinds
        if names
    ]


def _is_identifier(column: Column, facts: ColumnFacts) -> bool:
    """Text that differs in nearly every row, or integers that all differ and are no measurement.

    Those only go up, or nearly fill their range (a shuffled count), or are called an identifier.
    """
    known = known_values(column)
    if len(known) < 10:
        return False
    if column.kind == "categorical":
        return facts.n_levels >= 0.9 * len(known)
    if column.kind != "numeric" or column.unit != "integer" or facts.n_levels < len(known):
        return False
    rises = bool(np.all(np.diff(known) > 0))
    fills = len(known) >= MANY_CODES and np.ptp(known) < 2 * len(known)
    return rises or bool(fills) or bool(_CALLED_IDENTIFIER.search(column.name))


def _may_be_categories(column: Column, facts: ColumnFacts) -> bool:
    """More than two values (two are the same either way), but few for so many rows."""
    known = known_values(column)
    whole = column.kind == "numeric" and column.unit in ("integer", "number")
    few = 2 < facts.n_levels <= FEW_VALUES and len(known) >= 5 * facts.n_levels
    return bool(whole and few and np.all(np.floor(known) == known))


def _target_warnings(column: Column, classes: tuple[tuple[str, int], ...]) -> list[Doubt]:
    return [Doubt(text) for text in _texts_about_target(column, classes)]


def _texts_about_target(column: Column, classes: tuple[tuple[str, int], ...]) -> list[str]:
    n_rows, known = len(column.values), known_values(column)
    if column.kind == "numeric" and (column.unit in TEMPORAL or (np.floor(known) != known).any()):
        return ["the target holds measurements, but trees are grown for classes"]
    warnings = []
    if len(known) < n_rows:
        warnings.append(f"rows without a class cannot be used: {n_rows - len(known)} of {n_rows}")
    if len(classes) <= 1:
        return [*warnings, "all rows are of one class, so there is nothing to learn"]
    if len(classes) > max(20, n_rows / 10):
        return [*warnings, f"{len(classes)} classes are many for {n_rows} rows"]
    rare = [
        f"{name} ({n} row{'s' * (n > 1)})"
        for name, n in classes
        if n == 1 or n < 0.01 * n_rows or (n < 5 and n < 0.05 * n_rows)
    ]
    return [*warnings, f"very rare classes: {listed(map(plain, rare))}"] if rare else warnings
