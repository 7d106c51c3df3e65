"""The task of a target column: to predict classes or numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from plaintree.checks import check_choice
from plaintree.data.column import Column
from plaintree.data.facts import known_values
from plaintree.data.timestamps import TEMPORAL
from plaintree.data.words import plain
from plaintree.errors import ParameterError, PlaintreeError
from plaintree.estimators.registry import BY_TASK, TaskName
from plaintree.tree.conventions import CHOICES, OF_TARGETS

TASKS: tuple[TaskName, ...] = tuple(BY_TASK)
MOST_CLASSES, ROWS_PER_CLASS = 20, 2
"""Integers are classes if there are at most so many, and on average so many rows for each.

Two values are always classes. Numbers that are not all integers are measurements.
"""
Made = TypeVar("Made")


@dataclass(frozen=True)
class TargetTask:
    """The task of a target: why its values suggest it, and the other task if it is possible.

    ``reason`` is empty if the task was given, or if the target leaves no doubt.
    """

    name: TaskName
    reason: str = ""
    other: TaskName | None = None


def task_of_target(column: Column) -> TargetTask:
    """The task of a target by its values.

    >>> from plaintree.data.table import table_from
    >>> table = table_from({"price": [1.5, 2.0, 7.0], "sold": [0, 1, 1], "town": ["a", "b", "b"]})
    >>> for column in table.columns:
    ...     print(task_of_target(column))
    TargetTask(name='regression', reason='target: 3 distinct numbers', other=None)
    TargetTask(name='classification', reason='', other=None)
    TargetTask(name='classification', reason='', other=None)
    """
    if not is_numeric(column):
        return TargetTask("classification")
    known = known_values(column)
    n_distinct = len(np.unique(known))
    if n_distinct <= 2 and not (np.floor(known) != known).any():
        return TargetTask("classification")
    if (np.floor(known) != known).any():
        return TargetTask("regression", f"target: {n_distinct} distinct numbers")
    few = n_distinct <= MOST_CLASSES and len(known) >= ROWS_PER_CLASS * n_distinct
    reason = f"target: {n_distinct} distinct integers"
    if few:
        return TargetTask("classification", reason, "regression")
    return TargetTask("regression", reason, "classification")


def is_numeric(column: Column) -> bool:
    """Whether a column holds numbers, which are not timestamps."""
    return column.kind == "numeric" and column.unit not in TEMPORAL


@dataclass(frozen=True)
class Wanted:
    """A task that was asked for, and the parameter that did; empty if nothing else is possible."""

    task: TaskName
    given: str = ""

    def check(self, column: Column) -> None:
        """Raise an error for a target that the task cannot have."""
        name, known = plain(column.name), known_values(column)
        got = f"{self.given} and target={column.name}" if self.given else f"target={column.name}"
        if self.task == "regression" and not is_numeric(column):
            raise ParameterError(
                f"regression needs a numeric target, and {name} is "
                f"{column.unit if column.unit in TEMPORAL else 'text'}",
                got=got,
                hint=f"leave out {self.given} to grow a classifier; if the column has numbers but "
                "for some words, plaintree inspect names the words to read as missing values.",
            )
        fractions = is_numeric(column) and (np.floor(known) != known).any()
        if self.task == "classification" and fractions:
            instead = f"leave out {self.given} to predict the numbers, or"
            raise ParameterError(
                f"classification needs classes, and {name} has numbers with fractions",
                got=got,
                hint=f"{instead if self.given else 'plaintree grow predicts the numbers; or'} read "
                f"each of them as a class with types={column.name}=text.",
            )


def decided_task(column: Column, wanted: Wanted | None) -> TargetTask:
    """The task that was asked for, if the target can have it, or that of its values."""
    if wanted is None:
        return task_of_target(column)
    wanted.check(column)
    return TargetTask(wanted.task)


@dataclass(frozen=True)
class Plan(Generic[Made]):
    """What to do for classes and for numbers, before the table decides which.

    Without ``wanted``, the values of the target decide. ``made`` has an error in place of what
    cannot be made.
    """

    wanted: Wanted | None
    made: Mapping[TaskName, Made | PlaintreeError]

    @classmethod
    def of(cls, make: Callable[[TaskName], Made], wanted: Wanted | None) -> Plan[Made]:
        """Make what is to be done for each possible task.

        An error that all of them have is raised at once. Of different ones, the target decides.
        """
        made: dict[TaskName, Made | PlaintreeError] = {}
        for task in TASKS if wanted is None else (wanted.task,):
            try:
                made[task] = make(task)
            except PlaintreeError as error:
                made[task] = error
        first = next(iter(made.values()))
        if isinstance(first, PlaintreeError) and len(set(map(str, made.values()))) == 1:
            raise first
        return cls(wanted, made)

    def for_target(self, column: Column) -> tuple[TargetTask, Made]:
        """The task of a target and what to do for it."""
        decided = decided_task(column, self.wanted)
        made = self.made[decided.name]
        if isinstance(made, PlaintreeError):
            raise made
        return decided, made


def wanted_task(
    task: str | None = None,
    learner: str | None = None,
    learners: Sequence[str] = (),
    criterion: str | None = None,
) -> Wanted | None:
    """The task that is given by its name, by learners or by a criterion; None if by none.

    >>> wanted_task(learners=["cart"]), wanted_task(learners=["cart", "c45"])
    (None, Wanted(task='classification', given='learners=cart,c45'))
    """
    if task is not None:
        check_choice("task", task, TASKS)
        return Wanted(task, f"task={task}")  # type: ignore[arg-type]  # was checked
    for names, parameter in (([learner], "learner"), (learners, "learners")):
        for name in names:
            having = [task for task in TASKS if name in BY_TASK[task]]
            if len(having) == 1:
                return Wanted(having[0], f"{parameter}={','.join(map(str, names))}")
    if criterion in CHOICES["criterion"]:
        of_numbers = criterion in OF_TARGETS
        return Wanted("regression" if of_numbers else "classification", f"criterion={criterion}")
    return None
