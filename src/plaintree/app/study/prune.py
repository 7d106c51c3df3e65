"""The facts of `plaintree prune`: a tree before and after pruning, and the pruning path."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any

from plaintree.data.rows import Rows
from plaintree.data.table import table_from
from plaintree.data.target import NumericTarget, Target
from plaintree.errors import ColumnError, ParameterError
from plaintree.evaluation.cross_validation import CrossValidation
from plaintree.evaluation.metrics import METRICS
from plaintree.evaluation.quality import TRAINING, VALIDATION, AnyQuality, any_quality_of
from plaintree.progress import Progress, no_progress
from plaintree.pruning.curves import pruning_path
from plaintree.pruning.mdl import description_length
from plaintree.pruning.methods import METHODS, prune
from plaintree.pruning.names import MethodName
from plaintree.pruning.path import PruningPath
from plaintree.tree.predict import row_predictions
from plaintree.tree.tree import Tree, tree_of
from plaintree.tree.walk import rows_from

from .grow import (
    Task,
    TrainingTable,
    fitted,
    new_learner,
    parameters_of,
    tree_to_json,
    validated,
)
from .inspect import TableFacts
from .known import check_known

Labelled = tuple[Any, Any]
"""Features and target."""
OF_THE_PATH = ("risk", "links")
"""Options of cost-complexity pruning that change the pruning path."""


@dataclass(frozen=True)
class PruningTask:
    """What to grow (without pruning), the pruning method, and its options.

    Folds and the choice of alpha are validated before a file is read.
    """

    growing: Task
    method: MethodName = "cost_complexity"
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        growing = self.growing
        if _prunes_itself(new_learner(growing)):
            growing = replace(growing, parameters={**growing.parameters, "pruning": None})
            object.__setattr__(self, "growing", growing)
        check_known("pruning method", f"method={self.method}", self.method, METHODS)
        if "choice" in self.options and not growing.n_folds:
            raise ParameterError(
                "alpha cannot be chosen without cross-validation",
                got="n_folds=0",
                hint="use n_folds=10, or set alpha=0.01.",
            )


@dataclass(frozen=True)
class BeforeAfter:
    """The quality of the grown and of the pruned tree on the rows of a table."""

    source: str
    before: AnyQuality
    after: AnyQuality

    def to_json(self) -> dict[str, Any]:
        """Plain strings and numbers."""
        before, after = self.before.to_json(), self.after.to_json()
        metrics = [metric.key for metric in METRICS[self.before.task]]
        measured = [name for name in before if name in ("errors", *metrics)]
        return {
            "source": self.source,
            **{name: value for name, value in before.items() if name not in measured},
            **{f"{name}_before": before[name] for name in measured},
            **{f"{name}_after": after[name] for name in measured},
        }


@dataclass(frozen=True)
class PruneStudy:
    """A grown tree, its pruning path, and the pruned tree."""

    table: TableFacts
    task: PruningTask
    model: Any
    path: PruningPath
    pruned: Tree
    training: BeforeAfter
    validation: BeforeAfter | None

    @property
    def choices(self) -> dict[str, float]:
        """The alphas that cross-validation chooses, by rule."""
        if self.path.cv_errors is None:
            return {}
        return {"min": self.path.best_alpha("min"), "one_se": self.path.best_alpha("one_se")}

    @property
    def bits(self) -> tuple[float, float] | None:
        """The description lengths before and after, if the method is ``"mdl"``."""
        if self.task.method != "mdl":
            return None
        coding = self.task.options.get("coding", "quinlan_rivest")
        before, after = (
            description_length(tree, coding=coding) for tree in (self.path.source, self.pruned)
        )
        return before.total, after.total

    @property
    def pruned_model(self) -> Any:
        """The model with the pruned tree, and with the parameters of the pruning."""
        model = copy(self.model)
        model.tree_ = self.pruned
        return model.set_params(**self._parameters())

    def _parameters(self) -> dict[str, Any]:
        options, method = dict(self.task.options), self.task.method
        if not _prunes_itself(self.model):
            return {} if self.ccp_alpha is None else {"ccp_alpha": self.ccp_alpha}
        if "choice" in options:
            options["folds"] = self.task.growing.n_folds
        if method == "error_based" and "confidence" in self.model.get_params():
            return {"pruning": method, **_named(options, ("confidence",))}
        return {"pruning": method, "pruning_options": options}

    @property
    def ccp_alpha(self) -> float | None:
        """The alpha of cost-complexity pruning of numbers; None if no parameter stands for it."""
        options = self.task.options
        if self.task.method != "cost_complexity" or self.path.source.schema.classes:
            return None
        if "choice" in options:
            return _chosen_alpha(self.path, options["choice"])
        given = self.path.alpha_of(options["cp"]) if "cp" in options else options.get("alpha", 0.0)
        return float(given) if isfinite(given) else None

    def validated(self, table: TrainingTable, report: Progress) -> CrossValidation | None:
        """The cross-validation of growing and pruning; None where no parameter stands for it."""
        if not _prunes_itself(self.model) and self.ccp_alpha is None:
            return None
        return validated(self.pruned_model, table, self.task.growing, report)

    def to_json(self) -> dict[str, Any]:
        """Everything as plain lists, strings and numbers."""
        bits = self.bits
        return {
            "table": self.table.to_json(),
            "task": self.task.growing.task,
            "learner": self.task.growing.learner,
            "parameters": parameters_of(self.model),
            "conventions": self.pruned.conventions and self.pruned.conventions.to_json(),
            "schema": self.path.source.schema.to_json(),
            "path": {
                "risk": self.path.risk,
                "error": self.path.error_name,
                "folds": self.task.growing.n_folds if self.choices else None,
                "trees": self.path.to_frame().to_dicts(),
                "choices": self.choices,
            },
            "method": self.task.method,
            "options": dict(self.task.options),
            "grown": tree_to_json(self.path.source),
            "pruned": tree_to_json(self.pruned),
            "bits": bits and {"before": bits[0], "after": bits[1]},
            "training": self.training.to_json(),
            "validation": self.validation and self.validation.to_json(),
        }


def prune_table(
    table: TrainingTable,
    task: PruningTask,
    validation: tuple[Any, str] | None = None,
    report: Progress = no_progress,
) -> PruneStudy:
    """Grow a tree, prune it, and measure both; ``validation`` is another table and its source."""
    training = (table.X, table.y)
    model = fitted(task.growing, table)
    other = validation and _divided(*validation, task.growing)
    path = _path(model, training, task, report)
    pruned = _pruned(model, path, other if task.method == "reduced_error" else training, task)
    trees = (path.source, pruned)
    return PruneStudy(
        table=table.facts,
        task=task,
        model=model,
        path=path,
        pruned=pruned,
        training=_measured(trees, training, table.facts.source, TRAINING),
        validation=_measured(trees, other, validation[1], VALIDATION)
        if other and validation
        else None,
    )


def _path(model: Any, training: Labelled, task: PruningTask, report: Progress) -> PruningPath:
    given = _named(task.options, OF_THE_PATH)
    n_folds, seed = task.growing.n_folds, task.growing.random_state
    if not n_folds or len(training[0]) < 2:
        return pruning_path(model, **given)
    return pruning_path(
        model, *training, folds=n_folds, random_state=seed, progress=report, **given
    )


def _named(options: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """The options of these names."""
    return {name: options[name] for name in names if name in options}


def _pruned(model: Any, path: PruningPath, rows: Labelled | None, task: PruningTask) -> Tree:
    """The pruned tree; an alpha to choose is that of the path, which is cross-validated."""
    options = dict(task.options)
    if "choice" in options:
        choice = options.pop("choice")
        options["alpha"] = _chosen_alpha(path, choice)
    needs_rows = task.method in ("error_based", "reduced_error")
    return tree_of(prune(model, task.method, *(rows if needs_rows and rows else ()), **options))


def _chosen_alpha(path: PruningPath, choice: Any) -> float:
    """The alpha that cross-validation chooses; a single row has no folds, and no splits."""
    return 0.0 if path.cv_errors is None else path.best_alpha(choice)


def _prunes_itself(model: Any) -> bool:
    """Whether the learner has a parameter for pruning methods."""
    return "pruning" in model.get_params(deep=False)


def _divided(frame: Any, source: str, task: Task) -> Labelled:
    """Another table, divided into features and target."""
    if task.target not in frame.columns:
        raise ColumnError(
            f"{source} has no column {task.target!r}",
            got=f"validation={source}",
            hint="it needs the columns of the training table, with the target.",
        )
    features = table_from(frame.drop([task.target, *task.drop], strict=False))
    return features, frame[task.target]


def _measured(
    trees: tuple[Tree, Tree], table: Labelled, source: str, measured_on: str
) -> BeforeAfter:
    rows = rows_from(trees[0], *table)
    before, after = (_quality(tree, rows, measured_on) for tree in trees)
    return BeforeAfter(source, before, after)


def _quality(tree: Tree, rows: Rows, measured_on: str) -> AnyQuality:
    classes, predicted = tree.schema.classes, row_predictions(tree, rows.columns)
    if not classes:
        return any_quality_of(NumericTarget(rows.target), predicted, measured_on)
    return any_quality_of(Target(rows.codes, classes), Target(predicted, classes), measured_on)
