"""What a worker process holds: one table, its targets, and what was computed from them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from plaintree.data.column import Column
from plaintree.data.table import Table
from plaintree.data.target import NumericTarget, Target, numbers_from, target_from
from plaintree.errors import TableError
from plaintree.estimators.registry import TaskName

from ...study.grow import Source, source_from
from ..messages.documents import Recipe, TableReference
from .cache import Cache
from .reading import Opened, Readings, read_example, read_test, read_upload


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

    readings: Readings | None = None
    opened_table: Opened | None = None
    """The table as it was read first."""
    tests: dict[str, Readings] = field(default_factory=dict)
    trainings: Cache = field(default_factory=lambda: Cache(8))
    states: Cache = field(default_factory=lambda: Cache(64))
    results: Cache = field(default_factory=Cache)

    # ---------------------------------------------------------------- loading

    def load_example(self, key: str, name: str, recipe: Recipe | None = None) -> None:
        """Hold a bundled table."""
        readings = Readings(partial(read_example, key, name))
        self.hold(readings.by(recipe or Recipe()), readings)

    def load_file(self, key: str, path: str, name: str, recipe: Recipe | None = None) -> None:
        """Hold the table of a file; ``name`` is what the page calls it."""
        readings = Readings(partial(read_upload, key, path, name))
        self.hold(readings.by(recipe or Recipe()), readings)

    def load_test(self, key: str, path: str, name: str) -> None:
        """Read another table with the same columns, to test on."""
        readings = Readings(partial(read_test, key, path, name))
        readings.by(Recipe() if self.opened_table is None else self.opened_table.recipe)
        self.tests[key] = readings

    def hold(self, opened: Opened, readings: Readings | None = None) -> None:
        """Hold a table that was read; without its readings it is not read in another way."""
        self.opened_table, self.readings = opened, readings
        for cache in (self.trainings, self.states, self.results):
            cache.clear()

    # ---------------------------------------------------------------- asking

    @property
    def opened(self) -> Opened:
        """The table; an error if none is open."""
        if self.opened_table is None:
            raise TableError("no table is open", hint="open a file, or one of the examples.")
        return self.opened_table

    def opened_by(self, recipe: Recipe) -> Opened:
        """The table as a recipe reads it."""
        if recipe == self.opened.recipe or self.readings is None:
            return self.opened
        return self.readings.by(recipe)

    def test(self, key: str | None, recipe: Recipe) -> Opened:
        """A table to test on, read as the training table is."""
        if key is None or key not in self.tests:
            raise TableError(
                "there is no such test table",
                got=repr(key),
                hint="upload a file with the columns of the training table.",
            )
        return self.tests[key].by(recipe)

    def checked(self, reference: TableReference) -> Opened:
        """The table that a document is about; an error if another one is held."""
        opened = self.opened_by(reference.recipe)
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
        key = training_key(reference)
        how = reference.target, reference.drop, reference.task
        return self.trainings.get_or(key, lambda: training_of(opened, *how))


def training_key(reference: TableReference) -> tuple[Any, ...]:
    """What names the training table of a document."""
    return reference.hash, reference.target, tuple(reference.drop), reference.task


def training_of(opened: Opened, target: str, drop: Sequence[str], task: TaskName) -> Training:
    """A table, divided into features and the target of a task."""
    source = source_from(
        opened.frame,
        opened.name,
        target,
        drop=drop,
        doubts=opened.doubts,
        table=opened.table.without(drop),
    )
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
