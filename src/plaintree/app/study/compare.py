"""The facts of `plaintree compare`: learners compared by cross-validation.

Nothing is printed here; app/cli/show_compare.py formats a comparison as text, ``to_json`` as JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plaintree.errors import ParameterError
from plaintree.estimators.registry import BY_SHORT_NAME, BY_TASK, TaskName
from plaintree.evaluation.cross_validation import CrossValidation, cross_validate
from plaintree.evaluation.metrics import MAIN
from plaintree.progress import Progress

from .grow import (
    Task,
    TrainingTable,
    categorical_features,
    parameters_of,
    validation_to_json,
)
from .inspect import TableFacts


@dataclass(frozen=True)
class Size:
    """The mean size of the folds' models, and its unit."""

    mean: float
    deviation: float
    unit: str


@dataclass(frozen=True)
class Result:
    """A learner, by its short name, and its cross-validation."""

    name: str
    learner: Any
    validation: CrossValidation
    size: Size

    def to_json(self) -> dict[str, Any]:
        """Everything as plain lists, strings and numbers."""
        validation = self.validation
        balanced = {}
        if validation.task == "classification":
            balanced = {
                "balanced_accuracies": list(validation.balanced),
                "balanced_standard_deviation": validation.deviation_of("balanced_accuracy"),
            }
        return {
            "learner": self.name,
            "class": type(self.learner).__name__,
            "parameters": parameters_of(self.learner),
            "cross_validation": {**(validation_to_json(validation) or {}), **balanced},
            "size": {
                "mean": self.size.mean,
                "standard_deviation": self.size.deviation,
                "unit": self.size.unit,
            },
        }


@dataclass(frozen=True)
class Comparison:
    """A table and the learners' results on it, in the order given."""

    table: TableFacts
    random_state: int
    results: tuple[Result, ...]

    @property
    def best(self) -> Result:
        """The result with the best mean of the main metric; on ties the first."""
        best = self.results[0]
        for result in self.results:
            if MAIN[result.validation.task].is_better(result.validation.mean, best.validation.mean):
                best = result
        return best

    def to_json(self) -> dict[str, Any]:
        """Everything as plain lists, strings and numbers."""
        return {
            "table": self.table.to_json(),
            "task": self.best.validation.task,
            "random_state": self.random_state,
            "best": self.best.name,
            "learners": [result.to_json() for result in self.results],
        }


def check_compared(names: Sequence[str], task: TaskName) -> tuple[str, ...]:
    """The names, or the default ones without any; those of the other task are an error.

    Bagged trees of numbers are left out by default: they are a forest whose nodes look at all
    features, which is the default forest of numbers.

    >>> check_compared((), "regression")
    ('cart', 'forest')
    """
    for name in names:
        if name in BY_SHORT_NAME and name not in BY_TASK[task]:
            raise ParameterError(
                f"the learner {name} predicts classes, and the task is {task}",
                got=f"learners={','.join(names)}",
                hint=f"compare some of {','.join(BY_TASK[task])}.",
            )
    every = [name for name in BY_TASK[task] if (name, task) != ("bagged", "regression")]
    return tuple(names) or tuple(every)


def compare_learners(
    table: TrainingTable, task: Task, names: Sequence[str], report: Progress
) -> Comparison:
    """Cross-validate the named learners on the same folds of a table."""
    results = tuple(_result(name, table, task, report) for name in names)
    return Comparison(table.facts, task.random_state, results)


def _result(name: str, table: TrainingTable, task: Task, report: Progress) -> Result:
    learner = _new(name, task)
    sizes: list[tuple[int, str]] = []

    def measure(model: Any) -> None:
        sizes.append(_size_of(model))
        report(name, len(sizes), task.n_folds)

    validation = cross_validate(
        learner, table.X, table.y, n_folds=task.n_folds, seed=task.random_state, on_fold=measure
    )
    counts = [count for count, _ in sizes]
    size = Size(float(np.mean(counts)), float(np.std(counts)), sizes[0][1])
    return Result(name, learner, validation, size)


def _new(name: str, task: Task) -> Any:
    """A learner, not fitted, with the random state of the task."""
    learner = BY_TASK[task.task][name].load()(
        categorical_features=categorical_features(task), n_jobs=task.n_jobs
    )
    parameters = learner.get_params(deep=False)
    if "random_state" in parameters and parameters["random_state"] is None:
        learner.set_params(random_state=task.random_state)
    return learner


def _size_of(model: Any) -> tuple[int, str]:
    """The size of a fitted model and its unit."""
    if hasattr(model, "rules_"):
        return len(model.rules_), "rules"
    if hasattr(model, "tree_"):
        return model.tree_.size, "splits"
    return len(model.trees_), "trees"
