"""The facts of `plaintree forest`: a random forest, its out-of-bag error and importances.

Nothing is printed here; app/cli/show_forest.py formats a study as text, ``to_json`` as JSON.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isnan
from typing import Any

import numpy as np

import plaintree as pt
from plaintree.checks import check_choice
from plaintree.data.doubts import Doubt
from plaintree.errors import ParameterError
from plaintree.estimators.registry import BY_TASK, TaskName
from plaintree.estimators.tune import MaxFeaturesTuning
from plaintree.evaluation.quality import AnyQuality, Quality, out_of_bag_quality
from plaintree.progress import Progress
from plaintree.tree.forest import VOTING

from .grow import Task, TrainingTable, categorical_features, parameters_of
from .inspect import TableFacts
from .known import features_from

_DEFAULT = object()
"""Stands for the estimator's own number of features."""


@dataclass(frozen=True)
class ForestTask:
    """What to grow; validated before a file is read.

    ``table`` names the columns, ``features`` is the typed number of features sampled at each node,
    and ``given`` are parameters of the trees (None: the default).
    """

    table: Task
    n_trees: int
    features: str | None = None
    tune: str | None = None
    voting: str | None = None
    given: Mapping[str, Any] = field(default_factory=dict)
    max_features: Any = field(init=False, default=_DEFAULT)

    def __post_init__(self) -> None:
        if self.voting is not None:
            check_choice("voting", self.voting, VOTING)
            if self.table.task == "regression":
                raise ParameterError(
                    "a regression forest has no votes: it predicts the mean of its trees",
                    got=f"voting={self.voting}",
                    hint=f"leave out voting={self.voting}.",
                )
        if self.tune is not None:
            check_choice("tune", self.tune, ("oob",))
        if self.tune is not None and self.features is not None:
            raise ParameterError(
                "max_features is either given or tuned",
                got=f"max_features={self.features} and tune={self.tune}",
                hint="leave out one of them.",
            )
        if self.features is not None:
            object.__setattr__(self, "max_features", features_from(self.features))
        self.learner()._conventions()

    def learner(self) -> Any:
        """The forest, not yet fitted."""
        given = {**self.given, "voting": self.voting}
        given = {name: value for name, value in given.items() if value is not None}
        if self.max_features is not _DEFAULT:
            given["max_features"] = self.max_features
        return BY_TASK[self.table.task]["forest"].load()(
            n_estimators=self.n_trees,
            oob_score=True,
            random_state=self.table.random_state,
            n_jobs=self.table.n_jobs,
            categorical_features=categorical_features(self.table),
            **given,
        )


@dataclass(frozen=True)
class Importance:
    """The importance of a feature: impurity decrease, and what permutation changes.

    Permutation loses accuracy, or increases the mean squared error of numbers.
    """

    feature: str
    impurity: float
    permutation: float
    standard_error: float


@dataclass(frozen=True)
class ForestStudy:
    """A fitted forest, its table, its out-of-bag quality and its importances."""

    table: TableFacts
    model: Any
    tuning: MaxFeaturesTuning | None
    importances: tuple[Importance, ...]
    warnings: tuple[Doubt, ...]
    out_of_bag: AnyQuality

    @property
    def task(self) -> TaskName:
        """Whether the forest predicts classes or numbers."""
        return self.out_of_bag.task

    @property
    def error(self) -> float:
        """The out-of-bag error rate or mean squared error; NaN if every row is in every sample."""
        return float(self.model.oob_error_curve_[-1])

    def to_json(self) -> dict[str, Any]:
        """Everything as plain lists, strings and numbers; null for unknown values."""
        trees = self.model.trees_
        tuning = self.tuning and {
            "max_features": self.tuning.max_features.tolist(),
            "oob_error": _known(self.tuning.error),
            "best": self.tuning.best,
        }
        return {
            "table": self.table.to_json(),
            "task": self.out_of_bag.task,
            "parameters": parameters_of(self.model),
            "max_features": self.model.max_features_,
            "tuning": tuning,
            "trees": {"number": len(trees), "nodes": trees.n_nodes, "bytes": trees.nbytes},
            "out_of_bag": {
                **self.out_of_bag.to_json(),
                **self._errors(),
            },
            "importances": [
                {
                    "feature": part.feature,
                    "impurity": part.impurity,
                    "permutation": part.permutation,
                    "standard_error": _known([part.standard_error])[0],
                }
                for part in self.importances
            ],
            "warnings": [*map(str, self.warnings)],
        }

    def _errors(self) -> dict[str, Any]:
        """The out-of-bag error of the first trees, and the confusion matrix of classes."""
        found, curve = self.out_of_bag, _known(self.model.oob_error_curve_)
        if isinstance(found, Quality):
            confusion = {"classes": list(found.classes), "confusion": found.confusion.tolist()}
            return {"error": curve[-1], **confusion, "error_curve": curve}
        return {"mean_squared_error": curve[-1], "mean_squared_error_curve": curve}


def grow_forest(table: TrainingTable, task: ForestTask, report: Progress) -> ForestStudy:
    """Grow the forest of a task, after tuning ``max_features`` if the task has ``tune``."""
    learner = task.learner()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tuning = _tuned(learner, table, report) if task.tune else None
        if tuning is not None:
            learner.set_params(max_features=tuning.best)
        learner.fit(table.X, table.y, progress=report)
    texts = dict.fromkeys(str(warning.message) for warning in caught)
    return ForestStudy(
        table=table.facts,
        model=learner,
        tuning=tuning,
        importances=_importances(learner, table),
        warnings=(*table.facts.warnings, *map(Doubt, texts)),
        out_of_bag=out_of_bag_quality(learner, np.asarray(table.y)),
    )


def _tuned(learner: Any, table: TrainingTable, report: Progress) -> MaxFeaturesTuning:
    return pt.tune_max_features(learner, table.X, table.y, progress=report)


def _importances(model: Any, table: TrainingTable) -> tuple[Importance, ...]:
    """The importances of all features, the largest permutation importance first."""
    permuted = model.oob_permutation_importance(table.X, table.y)
    found = [
        Importance(*values)
        for values in zip(
            model.schema_.names,
            model.feature_importances_.tolist(),
            permuted.importances_mean.tolist(),
            permuted.importances_error.tolist(),
            strict=True,
        )
    ]
    return tuple(sorted(found, key=lambda part: (-part.permutation, -part.impurity)))


def _known(values: Any) -> list[float | None]:
    return [None if isnan(value) else float(value) for value in values]
