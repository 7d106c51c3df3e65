"""Facts about one column: its kind, its missing values, its values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .column import Column
from .schema import Feature
from .words import format_value, plain

LEVELS_SHOWN = 6
LONGEST_VALUE = 24


@dataclass(frozen=True)
class ColumnFacts:
    """One column. ``levels`` are its first few categories, or its minimum and
    maximum; empty where they are not shown."""

    name: str
    kind: str
    unit: str
    n_missing: int
    n_levels: int
    levels: tuple[str, ...]
    example: str | None

    @property
    def without_values(self) -> ColumnFacts:
        """The facts that are not values of the column."""
        return replace(self, levels=(), example=None)

    @property
    def values(self) -> str:
        """Return the number of distinct values, and the values."""
        if self.n_levels == 0:
            return "none"
        if not self.levels:
            return f"{self.n_levels} distinct"
        if self.n_levels == 1:
            return f"only {shortened(self.levels[0])}"
        if self.kind == "numeric":
            return f"{self.n_levels} from {self.levels[0]} to {self.levels[1]}"
        more = ", ..." if self.n_levels > len(self.levels) else ""
        return f"{self.n_levels}: {', '.join(map(shortened, self.levels))}{more}"


def column_facts(column: Column) -> ColumnFacts:
    """The facts of a column.

    >>> from plaintree.data.table import table_from
    >>> table = table_from({"outlook": ["sunny", None, "rainy"], "humidity": [85, 90, 78]})
    >>> [column_facts(column).values for column in table.columns]
    ['2: rainy, sunny', '3 from 78 to 90']
    """
    known = known_values(column)
    distinct = np.unique(known)
    if column.kind == "numeric":
        shown = distinct[[0, -1]] if len(distinct) else distinct
    else:
        shown = distinct[:LEVELS_SHOWN]
    return ColumnFacts(
        name=column.name,
        kind=column.kind,
        unit=column.unit,
        n_missing=len(column.values) - len(known),
        n_levels=len(distinct),
        levels=tuple(value_text(column, value) for value in shown.tolist()),
        example=value_text(column, known[0]) if len(known) else None,
    )


def known_values(column: Column) -> NDArray[Any]:
    """The values of a column that are not missing: numbers, or codes of its labels."""
    return np.asarray(column.values[~column.missing])


def value_text(column: Column, value: float) -> str:
    """A known value of a column as a person writes it."""
    if column.kind == "numeric":
        return format_value(Feature(column.name, "numeric", column.unit), float(value))
    return plain(column.labels[int(value)])


def shortened(text: str) -> str:
    """A value that is not too long for a table."""
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 3] + "..."
