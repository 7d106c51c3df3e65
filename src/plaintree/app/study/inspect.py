"""The facts of `plaintree inspect`: columns, target and data-quality warnings of a table.

Nothing is printed here; the facts are plain values, the same as text (app/cli/show.py) and JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from plaintree.data.column import Column
from plaintree.data.doubts import Doubt, listed
from plaintree.data.facts import ColumnFacts, column_facts, known_values, value_text
from plaintree.data.misread import misread_columns
from plaintree.data.table import Table, table_from
from plaintree.data.timestamps import TEMPORAL
from plaintree.data.words import plain
from plaintree.errors import ParameterError, nearest

from .inspect_rows import row_doubts
from .inspect_typos import typo_doubts
from .target_task import TargetTask, Wanted, decided_task

FEW_VALUES = 10
"""Integers with at most this many distinct values may be categories."""
MANY_CODES = 20
"""Fewer integers may all differ and nearly fill their range by chance."""
IDENTIFIERS = (
    ": row identifier, so splits on it do not generalise and bias the training accuracy upwards; "
    "leave it out with "
)
_CALLED_IDENTIFIER = re.compile(r"(?i:^|[^a-z0-9])(?i:id|key|code|no|nr|uuid)$|[a-z]I[dD]$")


@dataclass(frozen=True)
class TableFacts:
    """A table: its source, columns, classes with their numbers of rows, and warnings.

    ``numbers`` are the minimum, the maximum and the first value of columns of numbers, for JSON.
    ``task`` and ``spread`` (mean, standard deviation and quartiles of a numeric target) are None
    without a target; a numeric target has no classes.
    """

    source: str
    n_rows: int
    columns: tuple[ColumnFacts, ...]
    target: str | None
    classes: tuple[tuple[str, int], ...]
    warnings: tuple[Doubt, ...]
    numbers: Mapping[str, tuple[float, float, float]]
    task: TargetTask | None = None
    spread: Mapping[str, float] | None = None

    @property
    def features(self) -> tuple[ColumnFacts, ...]:
        """The columns besides the target."""
        return tuple(c for c in self.columns if c.name != self.target)

    def to_json(self) -> dict[str, Any]:
        """The facts as plain lists, strings and numbers."""
        return {
            "source": self.source,
            "n_rows": self.n_rows,
            "columns": [self._column(facts) for facts in self.columns],
            "target": self.target,
            "task": self.task and self.task.name,
            "classes": dict(self.classes) if self.task and not self.spread else None,
            "target_numbers": self.spread and dict(self.spread),
            "warnings": [*map(str, self.warnings)],
        }

    def _column(self, facts: ColumnFacts) -> dict[str, Any]:
        """A column with its numbers as numbers, which the facts have as text."""
        column = asdict(facts)
        if facts.name in self.numbers:
            low, high, first = self.numbers[facts.name]
            column |= {"levels": [low, high], "example": first}
        return column


def check_columns(parameter: str, wanted: Iterable[str], columns: Sequence[str]) -> None:
    """Raise a usage error for a name that is not a column, with the nearest column."""
    for name in wanted:
        if name not in columns:
            known = ", ".join(map(plain, columns[:10])) + (", ..." if len(columns) > 10 else "")
            raise ParameterError(
                "the table has no such column",
                got=f"{parameter}={name}",
                hint=nearest(name, columns) or f"the columns are {known}.",
            )


def inspect_table(
    frame: pl.DataFrame,
    source: str,
    target: str | None,
    doubts: Sequence[Doubt] = (),
    wanted: Wanted | None = None,
) -> TableFacts:
    """The facts of a file's table; ``wanted`` is the task, if the target does not decide it."""
    table, decided = table_from(frame), None
    if target is not None:
        check_columns("target", [target], table.names)
        column = table.columns[table.names.index(target)]
        decided = decided_task(column, wanted)
    return facts_of(table, frame, source, target, doubts, decided=decided)


def facts_of(
    table: Table,
    frame: pl.DataFrame,
    source: str,
    target: str | None,
    doubts: Sequence[Doubt] = (),
    *,
    decided: TargetTask | None = None,
) -> TableFacts:
    """The facts of a table, read from a file's frame; ``doubts`` are warnings of reading it.

    ``decided`` is the task of the target, which is there if the target is.
    """
    columns = tuple(column_facts(column) for column in table.columns)
    misread = misread_columns(frame)
    warnings = [*doubts, *misread.doubts]
    pairs = [(c, f) for c, f in zip(table.columns, columns, strict=True) if f.name != target]
    identifiers = [
        f.name for c, f in pairs if _is_identifier(c, f) and f.name not in misread.numbers
    ]
    warnings += _column_warnings(pairs, identifiers, table.n_rows)
    warnings += typo_doubts(table.columns)
    classes: tuple[tuple[str, int], ...] = ()
    spread = None
    if target is not None and decided is not None:
        column = table.columns[table.names.index(target)]
        if decided.name == "regression":
            spread = spread_of(known_values(column))
        else:
            classes = _class_counts(column)
        warnings += map(Doubt, _texts_about_target(column, classes))
        warnings += row_doubts(table, frame.drop(identifiers), target, columns, decided.name)
    return TableFacts(
        source,
        table.n_rows,
        columns,
        target,
        classes,
        tuple(warnings),
        _numbers(table),
        decided,
        spread,
    )


def spread_of(numbers: NDArray[np.float64]) -> dict[str, float]:
    """The mean, standard deviation and quartiles of finite numbers; NaN without any.

    >>> spread_of(np.array([1.0, 2.0, 6.0]))["median"]
    2.0
    """
    known = numbers[np.isfinite(numbers)]
    known = known if len(known) else np.full(1, np.nan)
    names = ("minimum", "lower_quartile", "median", "upper_quartile", "maximum")
    quartiles = np.quantile(known, np.linspace(0, 1, 5)).tolist()
    return {
        "mean": float(known.mean()),
        "sd": float(known.std()),
        **dict(zip(names, quartiles, strict=True)),
    }


def _numbers(table: Table) -> dict[str, tuple[float, float, float]]:
    found = {}
    for column in table.columns:
        known = known_values(column)
        if column.kind == "numeric" and column.unit in ("integer", "number") and len(known):
            kind = int if column.unit == "integer" else float
            found[column.name] = (kind(known.min()), kind(known.max()), kind(known[0]))
    return found


def _class_counts(column: Column) -> tuple[tuple[str, int], ...]:
    values, counts = np.unique(known_values(column), return_counts=True)
    pairs = zip(values.tolist(), counts.tolist(), strict=True)
    return tuple((value_text(column, value), n) for value, n in pairs)


# -------------------------------------------------------------------- warnings


def _column_warnings(
    pairs: Sequence[tuple[Column, ColumnFacts]], identifiers: Sequence[str], n_rows: int
) -> list[Doubt]:
    constant = [f.name for _, f in pairs if f.n_levels <= 1]
    empty = [f.name for _, f in pairs if n_rows / 2 < f.n_missing < n_rows]
    codes = [f.name for c, f in pairs if _may_be_categories(c, f)]
    kinds = (
        (identifiers, IDENTIFIERS, "drop"),
        (constant, ": a single value, so no split can use it", ""),
        (empty, ": missing in most rows", ""),
        (codes, ": integers with few values; if they are codes, add ", "categorical_features"),
    )
    return [
        Doubt(listed(map(plain, names)) + text, parameter, tuple(names) if parameter else ())
        for names, text, parameter in kinds
        if names
    ]


def _is_identifier(column: Column, facts: ColumnFacts) -> bool:
    """Text that differs in nearly every row, or integers that all differ.

    The integers must be increasing, or nearly fill their range (a shuffled count), or have the
    name of an identifier: others may be measurements.
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
    """More than two values (two make the same splits either way), but few for the rows."""
    known = known_values(column)
    whole = column.kind == "numeric" and column.unit in ("integer", "number")
    few = 2 < facts.n_levels <= FEW_VALUES and len(known) >= 5 * facts.n_levels
    return bool(whole and few and np.all(np.floor(known) == known))


def _texts_about_target(column: Column, classes: tuple[tuple[str, int], ...]) -> list[str]:
    """Warnings about the target; without classes it is numeric."""
    n_rows, known, name = len(column.values), known_values(column), plain(column.name)
    if column.unit in TEMPORAL:
        return [f"{name} is a {column.unit}, which is neither a class nor a number"]
    warnings = []
    if len(known) < n_rows:
        warnings.append(f"{name} is missing in {n_rows - len(known)} of {n_rows} rows")
    if not classes:
        infinite = int(np.isinf(known).sum())
        if infinite:
            warnings.append(f"{name} is infinite in {infinite} of {n_rows} rows")
        if len(np.unique(known)) <= 1:
            warnings.append(f"{name} has a single value, so there is nothing to learn")
        return warnings
    if len(classes) <= 1:
        return [*warnings, f"{name} has a single class, so there is nothing to learn"]
    if len(classes) > max(20, n_rows / 10):
        return [*warnings, f"{name} has {len(classes)} classes, which is many for {n_rows} rows"]
    rare = [
        f"{plain(label)}: {n} row{'s' * (n > 1)}"
        for label, n in classes
        if n == 1 or n < 0.01 * n_rows or (n < 5 and n < 0.05 * n_rows)
    ]
    return [*warnings, f"{name} has very rare classes ({listed(rare)})"] if rare else warnings
