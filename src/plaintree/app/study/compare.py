"""The facts of `plaintree compare`: learners compared by cross-validation.

Nothing is printed here; app/cli/show_compare.py formats a comparison as text, ``to_json`` as JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plaintree.estimators.registry import BY_SHORT_NAME
from plaintree.evaluation.cross_validation import CrossValidation, cross_validate
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

    @property
    def balanced_deviation(self) -> float:
        """The standard deviation of the balanced accuracies over the folds."""
        return float(np.std(self.validation.balanced))

    def to_json(self) -> dict[str, Any]:
        """Everything as plain lists, strings and numbers."""
        return {
            "learner": self.name,
            "class": type(self.learner).__name__,
            "parameters": parameters_of(self.learner),
            "cross_validation": {
                **(validation_to_json(self.validation) or {}),
                "balanced_accuracies": list(self.validation.balanced),
                "balanced_standard_deviation": self.balanced_deviation,
            },
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
        """The result with the highest mean accuracy; on ties the first."""
        return max(self.results, key=lambda result: result.validation.mean)

    def to_json(self) -> dict[str, Any]:
        """Everything as plain lists, strings and numbers."""
        return {
            "table": self.table.to_json(),
            "random_state": self.random_state,
            "best": self.best.name,
            "learners": [result.to_json() for result in self.results],
        }


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
    learner = BY_SHORT_NAME[name].load()(
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
