"""The task of a target column: to predict classes or numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

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


def check_task(task: TaskName, column: Column) -> None:
    """Raise an error for a target that the task cannot have."""
    name = plain(column.name)
    known = known_values(column)
    if task == "regression" and not is_numeric(column):
        what = column.unit if column.unit in TEMPORAL else "text"
        raise ParameterError(
            f"regression needs a numeric target, and {name} is {what}",
            got=f"task=regression and target={column.name}",
            hint="leave out task=regression to grow a classifier; if the column has numbers but "
            "for some words, plaintree inspect names the words to read as missing values.",
        )
    if task == "classification" and is_numeric(column) and (np.floor(known) != known).any():
        raise ParameterError(
            f"classification needs classes, and {name} has numbers with fractions",
            got=f"task=classification and target={column.name}",
            hint=f"use task=regression to predict the numbers, or read each of them as a class "
            f"with types={column.name}=text.",
        )


@dataclass(frozen=True)
class Plan(Generic[Made]):
    """What to do for classes and for numbers, before the table decides which.

    ``wanted`` is the task that was asked for, or the only one of what was asked for; None if the
    values of the target decide. ``made`` has an error in place of what cannot be made.
    """

    wanted: TaskName | None
    made: Mapping[TaskName, Made | PlaintreeError]

    @classmethod
    def of(cls, make: Callable[[TaskName], Made], wanted: TaskName | None) -> Plan[Made]:
        """Make what is to be done for each possible task; raise an error if there is nothing."""
        made: dict[TaskName, Made | PlaintreeError] = {}
        for task in TASKS if wanted is None else (wanted,):
            try:
                made[task] = make(task)
            except PlaintreeError as error:
                made[task] = error
        if all(isinstance(it, PlaintreeError) for it in made.values()):
            _raise_first(made)
        return cls(wanted, made)

    def for_target(self, column: Column) -> tuple[TargetTask, Made]:
        """The task of a target and what to do for it."""
        decided = task_of_target(column) if self.wanted is None else TargetTask(self.wanted)
        check_task(decided.name, column)
        made = self.made[decided.name]
        if isinstance(made, PlaintreeError):
            raise made
        return decided, made


def _raise_first(made: Mapping[TaskName, Any]) -> None:
    raise next(iter(made.values()))


def wanted_task(
    task: str | None = None, learners: Sequence[str] = (), criterion: str | None = None
) -> TaskName | None:
    """The task that is given by its name, by learners or by a criterion; None if by none.

    >>> wanted_task(), wanted_task(learners=["cart", "c45"]), wanted_task(criterion="poisson")
    (None, 'classification', 'regression')
    """
    if task is not None:
        check_choice("task", task, TASKS)
        return task  # type: ignore[return-value]  # was checked
    for name in learners:
        having = [task for task in TASKS if name in BY_TASK[task]]
        if len(having) == 1:
            return having[0]
    if criterion in CHOICES["criterion"]:
        return "regression" if criterion in OF_TARGETS else "classification"
    return None
