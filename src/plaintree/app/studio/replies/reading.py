"""Tables as a worker reads them: a file or a bundled table, by one recipe or another."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from plaintree import datasets
from plaintree.data.column import Column
from plaintree.data.doubts import Doubt
from plaintree.data.encode import categories_of
from plaintree.data.files import declared_frame, read_file
from plaintree.data.strings import ReadOptions
from plaintree.data.table import Table, table_from
from plaintree.data.timestamps import TEMPORAL
from plaintree.errors import ParameterError, TableError

from ...study.inspect import check_columns
from ..messages.documents import Recipe
from .cache import Cache
from .examples import EXAMPLES

MOST_ROWS, MOST_COLUMNS = 5_000_000, 10_000
KEPT = 3
"""Recipes by which a table is held at the same time."""
TEXT_EXTENSIONS = (".csv", ".tsv", ".txt")


@dataclass(frozen=True, eq=False)
class Opened:
    """A table that is open: its frame, its columns, warnings of reading it, and its hash."""

    key: str
    name: str
    frame: Any
    table: Table
    doubts: Sequence[Doubt]
    hash: str
    target: str | None = None
    recipe: Recipe = field(default_factory=Recipe)

    def column(self, name: str) -> Column:
        """A column by its name."""
        return self.table.columns[self.table.names.index(name)]

    @property
    def is_text(self) -> bool:
        """Whether it was read from strings."""
        return Path(self.name).suffix.lower() in TEXT_EXTENSIONS


class Readings:
    """A table by the recipes that it was read by; those used last are kept."""

    def __init__(self, read: Callable[[Recipe], Opened]) -> None:
        self._read = read
        self._read_by: Cache = Cache(KEPT)

    def by(self, recipe: Recipe) -> Opened:
        """The table as a recipe reads it."""
        key = msgspec.json.encode(recipe, order="sorted")
        found: Opened = self._read_by.get_or(key, lambda: self._read(recipe))
        return found


def read_example(key: str, name: str, recipe: Recipe) -> Opened:
    """A bundled table."""
    if name not in EXAMPLES:
        raise ParameterError(
            "there is no such example",
            got=repr(name),
            hint=f"use one of {', '.join(EXAMPLES)}.",
        )
    found = getattr(datasets, f"load_{name}")()
    frame, findings = declared_frame(found.frame, options_of(recipe))
    return opened_frame(key, name, frame, findings.doubts, target=found.target, recipe=recipe)


def read_upload(key: str, path: str, name: str, recipe: Recipe) -> Opened:
    """The table of a file; ``name`` is what the page calls it."""
    return _of_file(key, path, name, recipe, options_of(recipe))


def read_test(key: str, path: str, name: str, recipe: Recipe) -> Opened:
    """A table to test on: columns that the training table has are of the same types."""
    options = ReadOptions(tuple(recipe.missing_values), {}, recipe.dates, known=recipe.types)
    return _of_file(key, path, name, Recipe(), options)


def options_of(recipe: Recipe) -> ReadOptions:
    """The options of the functions that read."""
    marks = tuple(recipe.missing_values)
    return ReadOptions(marks, recipe.types, recipe.dates, tell_unused=True)


def _of_file(key: str, path: str, name: str, recipe: Recipe, options: ReadOptions) -> Opened:
    format = None if Path(path).suffix else (Path(name).suffix or ".csv")
    frame, doubts = read_file(path, options, format)
    _check_size(name, frame.height, frame.width)
    return opened_frame(key, name, frame, doubts, recipe=recipe)


def opened_frame(
    key: str,
    name: str,
    frame: Any,
    doubts: Sequence[Doubt] = (),
    *,
    target: str | None = None,
    recipe: Recipe | None = None,
) -> Opened:
    """A frame that was read by a recipe."""
    recipe = recipe or Recipe()
    table = with_categories(table_from(frame), recipe.categorical_features)
    return Opened(key, name, frame, table, doubts, table_hash(table), target, recipe)


def with_categories(table: Table, names: Sequence[str]) -> Table:
    """The table with the numbers of some columns as categories.

    >>> table = with_categories(table_from({"zone": [2, 1, 2], "size": [3.5, 4.5, 1]}), ["zone"])
    >>> table.columns[0].kind, table.columns[0].labels
    ('categorical', (1, 2))
    """
    check_columns("categorical_features", names, table.names)
    columns = [_categorical(c) if c.name in names else c for c in table.columns]
    return replace(table, columns=tuple(columns))


def _categorical(column: Column) -> Column:
    codes, labels = categories_of(column)
    unit = "text" if column.unit in TEMPORAL else column.unit
    # As with text, the labels are those that the rows have.
    return Column(column.name, "categorical", codes, unit, labels, declared=column.declared)


def _check_size(name: str, n_rows: int, n_columns: int) -> None:
    if n_rows > MOST_ROWS or n_columns > MOST_COLUMNS:
        raise TableError(
            f"the table has more than {MOST_ROWS:,} rows or {MOST_COLUMNS:,} columns",
            got=f"{n_rows:,} rows and {n_columns:,} columns in {name}",
            hint="grow it from the command line: plaintree grow reads larger tables.",
        )


def table_hash(table: Table) -> str:
    """A hash of the names, kinds and values of all columns, in their order.

    >>> first, other = (table_from({"x": values}) for values in ([1, 2], [2, 1]))
    >>> table_hash(first) == table_hash(first), table_hash(first) == table_hash(other)
    (True, False)
    """
    digest = hashlib.sha256(f"{table.n_rows}".encode())
    for column in table.columns:
        head = (column.name, column.kind, column.unit, column.labels)
        digest.update(repr(head).encode("utf-8", "surrogatepass"))
        digest.update(np.ascontiguousarray(column.values).tobytes())
        if column.integers is not None:
            digest.update(np.ascontiguousarray(column.integers).tobytes())
    return digest.hexdigest()[:16]
