"""The task of a target: by its values, or as it was asked for."""

from __future__ import annotations

from typing import Any

import pytest

from plaintree.app.study.grow import Task
from plaintree.app.study.target_task import (
    MOST_CLASSES,
    ROWS_PER_CLASS,
    Plan,
    TargetTask,
    Wanted,
    task_of_target,
    wanted_task,
)
from plaintree.data.column import Column
from plaintree.data.table import table_from
from plaintree.errors import ParameterError


def column(values: list[Any]) -> Column:
    return table_from({"y": values}).columns[0]


@pytest.mark.parametrize(
    ("values", "task"),
    [
        ([0, 1] * 2, "classification"),
        ([0, 1, 1], "classification"),
        ([1.0, 2.0] * 2, "classification"),
        ([1, 2, 3, 4, 5] * 4, "classification"),
        (list(range(MOST_CLASSES)) * ROWS_PER_CLASS, "classification"),
        (list(range(MOST_CLASSES + 1)) * ROWS_PER_CLASS, "regression"),
        ([10, 20, 30, 40], "regression"),
        ([0.5, 1.5], "regression"),
        (["a", "b"], "classification"),
        ([True, False], "classification"),
    ],
)
def test_values_suggest_a_task(values: list[Any], task: str) -> None:
    assert task_of_target(column(values)).name == task


@pytest.mark.parametrize(
    ("values", "reason", "other"),
    [
        (["a", "b"], "", None),
        ([0, 1], "", None),
        ([1, 2, 3] * 3, "target: 3 distinct integers", "regression"),
        (list(range(40)), "target: 40 distinct integers", "classification"),
        ([0.5, 1.5], "target: 2 distinct numbers", None),
    ],
)
def test_the_reason_is_given_where_there_is_doubt(
    values: list[Any], reason: str, other: str | None
) -> None:
    found = task_of_target(column(values))
    assert (found.reason, found.other) == (reason, other)


@pytest.mark.parametrize(
    ("asked", "task"),
    [
        ({}, None),
        ({"learner": "cart"}, None),
        ({"learner": "c45"}, "classification"),
        ({"learners": ["cart", "boosted"]}, "classification"),
        ({"criterion": "poisson"}, "regression"),
        ({"criterion": "gini"}, "classification"),
        ({"criterion": "luck"}, None),
        ({"task": "regression", "learner": "c45"}, "regression"),
    ],
)
def test_what_was_asked_for_decides(asked: dict[str, Any], task: str | None) -> None:
    found = wanted_task(**asked)
    assert (found and found.task) == task


def test_an_unknown_task_is_refused() -> None:
    with pytest.raises(ParameterError, match="task has a value that is not allowed"):
        wanted_task("regresion")


def test_what_was_asked_for_overrides_the_values() -> None:
    for task in ("classification", "regression"):
        plan = Plan.of(lambda name: name, Wanted(task, f"task={task}"))  # type: ignore[arg-type]
        decided, made = plan.for_target(column([1, 2, 3] * 3))
        assert decided == TargetTask(task)  # type: ignore[arg-type]
        assert made == task


@pytest.mark.parametrize(
    ("values", "wanted", "words"),
    [
        (["a", "b"], "regression", "regression needs a numeric target, and y is text"),
        ([0.5, 1.0], "classification", "classification needs classes, and y has numbers with"),
    ],
)
def test_a_task_that_the_target_cannot_have_is_refused(
    values: list[Any], wanted: Any, words: str
) -> None:
    with pytest.raises(ParameterError, match=rf"{words}.*Hint: leave out task={wanted}"):
        Plan.of(lambda name: name, Wanted(wanted, f"task={wanted}")).for_target(column(values))


def test_errors_come_early_if_nothing_can_be_made_and_late_if_the_table_decides() -> None:
    def refuse(_: str) -> str:
        raise ParameterError("no")

    with pytest.raises(ParameterError, match=r"^no"):
        Plan.of(refuse, None)
    plan = Plan.of(lambda name: name if name == "classification" else refuse(name), None)
    assert plan.for_target(column(["a", "b"]))[1] == "classification"
    with pytest.raises(ParameterError, match=r"^no"):
        plan.for_target(column([0.5, 1.5]))


def test_the_learner_must_be_of_the_task() -> None:
    with pytest.raises(ParameterError, match=r"id3 predicts classes.*Hint: use learner=cart"):
        Task("y", "id3", task="regression")


def test_of_different_errors_the_target_decides() -> None:
    def refuse(task: str) -> str:
        raise ParameterError(f"not for {task}", got="an option")

    plan = Plan.of(refuse, None)
    with pytest.raises(ParameterError, match="not for regression"):
        plan.for_target(column([0.5, 1.5]))
    with pytest.raises(ParameterError, match="not for classification"):
        plan.for_target(column(["a", "b"]))
