"""What a worker process holds: one table, its targets, and what was computed from them."""

from __future__ import annotations

import hashlib
import warnings
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from plaintree import datasets
from plaintree.data.column import Column
from plaintree.data.doubts import Doubt
from plaintree.data.files import read_file
from plaintree.data.strings import ReadOptions
from plaintree.data.table import Table, table_from
from plaintree.data.target import NumericTarget, Target, numbers_from, target_from
from plaintree.errors import ParameterError, TableError
from plaintree.estimators.registry import TaskName

from ...study.grow import Source, source_from
from ..messages.documents import TableReference
from .examples import EXAMPLES

MOST_ROWS, MOST_COLUMNS = 5_000_000, 10_000
CACHED = 256
"""Results of one kind that are kept."""
Made = TypeVar("Made")


class Cache:
    """The results that were used last, by what they were computed from."""

    def __init__(self, most: int = CACHED) -> None:
        self._most = most
        self._results: OrderedDict[Hashable, Any] = OrderedDict()

    def get(self, key: Hashable) -> Any:
        """A result; None if it is not there."""
        if key in self._results:
            self._results.move_to_end(key)
        return self._results.get(key)

    def put(self, key: Hashable, result: Any) -> None:
        """Keep a result, and drop the one that was not used for the longest time."""
        self._results[key] = result
        self._results.move_to_end(key)
        if len(self._results) > self._most:
            self._results.popitem(last=False)

    def __len__(self) -> int:
        return len(self._results)

    def get_or(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """A result, which is computed if it is not there."""
        found: Made | None = self.get(key)
        if found is None:
            found = make()
            self.put(key, found)
        return found


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

    def column(self, name: str) -> Column:
        """A column by its name."""
        return self.table.columns[self.table.names.index(name)]


@dataclass(frozen=True, eq=False)
class Training:
    """A table, divided into features and target for a task."""

    opened: Opened
    source: Source
    task: TaskName
    X: Table
    y: Target | NumericTarget

    @property
    def target(self) -> str:
        """The name of the target."""
        return self.source.target


@dataclass
class Held:
    """What a worker process holds: one table with its caches, and tables to test on.

    Examples
    --------
    >>> held = Held()
    >>> held.load_example("golf", "golf")
    >>> held.opened.table.n_rows
    14
    """

    opened_table: Opened | None = None
    tests: dict[str, Opened] = field(default_factory=dict)
    trainings: Cache = field(default_factory=lambda: Cache(8))
    states: Cache = field(default_factory=lambda: Cache(64))
    results: Cache = field(default_factory=Cache)

    # ---------------------------------------------------------------- loading

    def load_example(self, key: str, name: str) -> None:
        """Hold a bundled table."""
        if name not in EXAMPLES:
            raise ParameterError(
                "there is no such example",
                got=repr(name),
                hint=f"use one of {', '.join(EXAMPLES)}.",
            )
        found = getattr(datasets, f"load_{name}")()
        self._hold(_opened(key, name, found.frame, (), found.target))

    def load_file(self, key: str, path: str, name: str) -> None:
        """Hold the table of a file; ``name`` is what the page calls it."""
        self._hold(_read(key, path, name))

    def load_test(self, key: str, path: str, name: str) -> None:
        """Read another table with the same columns, to test on."""
        self.tests[key] = _read(key, path, name)

    def _hold(self, opened: Opened) -> None:
        self.opened_table = opened
        for cache in (self.trainings, self.states, self.results):
            cache._results.clear()

    # ---------------------------------------------------------------- asking

    @property
    def opened(self) -> Opened:
        """The table; an error if none is open."""
        if self.opened_table is None:
            raise TableError("no table is open", hint="open a file, or one of the examples.")
        return self.opened_table

    def test(self, key: str | None) -> Opened:
        """A table to test on."""
        if key is None or key not in self.tests:
            raise TableError(
                "there is no such test table",
                got=repr(key),
                hint="upload a file with the columns of the training table.",
            )
        return self.tests[key]

    def checked(self, reference: TableReference) -> Opened:
        """The table that a document is about; an error if another one is held."""
        opened = self.opened
        if reference.hash != opened.hash:
            raise TableError(
                "the document is about another table",
                got=f"{reference.name!r} of hash {reference.hash!r}; "
                f"{opened.name!r} has {opened.hash!r}",
                hint="open that table, or start a new document for this one.",
            )
        return opened

    def training(self, reference: TableReference) -> Training:
        """The table of a document, divided into features and target."""
        opened = self.checked(reference)
        key = (reference.target, tuple(reference.drop), reference.task)
        return self.trainings.get_or(key, lambda: training_of(opened, *key))


def training_of(opened: Opened, target: str, drop: Sequence[str], task: TaskName) -> Training:
    """A table, divided into features and the target of a task."""
    source = source_from(opened.frame, opened.name, target, drop=drop, doubts=opened.doubts)
    return Training(
        opened, source, task, source.table.without([target]), read_target(source.column, task)
    )


def read_target(column: Column, task: TaskName) -> Target | NumericTarget:
    """A column as the target of a task."""
    if task == "regression":
        return numbers_from(column, len(column.values), column.name)
    with quiet():
        return target_from(column, len(column.values), column.name)


class quiet(warnings.catch_warnings):  # is used like the class it derives from
    """Without warnings: the page shows findings of the table, and what each number measures."""

    def __enter__(self) -> Any:
        entered = super().__enter__()
        warnings.simplefilter("ignore", UserWarning)
        return entered


# -------------------------------------------------------------------- reading


def _read(key: str, path: str, name: str) -> Opened:
    format = None if Path(path).suffix else (Path(name).suffix or ".csv")
    frame, doubts = read_file(path, ReadOptions(), format)
    _check_size(name, frame.height, frame.width)
    return _opened(key, name, frame, doubts, None)


def _opened(key: str, name: str, frame: Any, doubts: Sequence[Doubt], target: str | None) -> Opened:
    table = table_from(frame)
    return Opened(key, name, frame, table, doubts, table_hash(table), target)


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
