"""The facts of `plaintree grow`: a tree grown from a table, and its quality.

Nothing is printed here; app/cli/show.py formats a study as text, ``to_json`` as JSON.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import plaintree as pt
from plaintree.data.column import Column
from plaintree.data.doubts import Doubt
from plaintree.data.table import Table, table_from
from plaintree.data.target import NumericTarget, Target, numbers_from, target_from
from plaintree.errors import ManyClassesWarning, ParameterError, TableError
from plaintree.estimators.registry import BY_TASK, SINGLE_TREES, TaskName
from plaintree.evaluation.cross_validation import CrossValidation, cross_validate
from plaintree.evaluation.metrics import METRICS, Costs, costs_of
from plaintree.evaluation.quality import TRAINING, AnyQuality, any_quality_of
from plaintree.progress import Progress
from plaintree.show.explain.firing import rule_dict
from plaintree.threads import thread_count
from plaintree.tree.condition import NodeKind
from plaintree.tree.significance import p_values

from .inspect import TableFacts, check_columns, facts_of
from .known import check_known
from .target_task import TargetTask


@dataclass(frozen=True)
class Task:
    """What to grow: the columns, the learner by its short name, and the learner's parameters.

    They are validated before a file is read, as far as possible.
    """

    target: str
    learner: str = "c45"
    task: TaskName = field(default="classification", kw_only=True)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    drop: Sequence[str] = ()
    categorical: Sequence[str] = ()
    n_folds: int = 10
    random_state: int = 0
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        check_learner(self.learner, self.task)
        new_learner(self)._conventions()
        thread_count(self.n_jobs)
        if self.n_folds == 1:
            raise ParameterError(
                "n_folds must be 0 (no cross-validation) or at least 2",
                got="n_folds=1",
                hint="use 10, or 0.",
            )


@dataclass(frozen=True)
class Study:
    """A fitted model, its table, and its quality on training rows and in cross-validation."""

    table: TableFacts
    learner: str
    model: Any
    training: AnyQuality
    validation: CrossValidation | None

    def to_json(self) -> dict[str, Any]:
        """Everything as plain lists, strings and numbers."""
        tree = self.model.tree_
        return {
            "table": self.table.to_json(),
            "task": self.training.task,
            "learner": self.learner,
            "parameters": parameters_of(self.model),
            "conventions": tree.conventions.to_json(),
            "schema": tree.schema.to_json(),
            "tree": tree_to_json(tree),
            "rules": rules_to_json(pt.rules_of(tree)),
            "training": self.training.to_json(),
            "cross_validation": validation_to_json(self.validation),
        }


@dataclass(frozen=True)
class TrainingTable:
    """A table, read once and divided into features and target, with its facts."""

    facts: TableFacts
    X: Table
    y: Target | NumericTarget

    def quality(self, predicted: Any, costs: Costs | None = None) -> AnyQuality:
        """The quality of predictions for these rows."""
        return any_quality_of(self.y, predicted, TRAINING, costs)


@dataclass(frozen=True, eq=False)
class Source:
    """A table as it was read from a file, without the columns to leave out.

    ``doubts`` are warnings about how it was read.
    """

    name: str
    frame: Any
    table: Table
    target: str
    doubts: Sequence[Doubt] = ()

    @property
    def column(self) -> Column:
        """The target."""
        return self.table.columns[self.table.names.index(self.target)]


def source_from(
    frame: Any,
    name: str,
    target: str,
    *,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    doubts: Sequence[Doubt] = (),
    table: Table | None = None,
) -> Source:
    """The table of a frame; an unknown column is a usage error.

    ``table`` is that of the columns that are not left out, if they have been read already.
    """
    check_columns("target", [target], frame.columns)
    features = [name for name in frame.columns if name != target]
    check_columns("drop", drop, features)
    check_columns("categorical_features", categorical, features)
    frame = frame.drop(drop)
    if frame.width < 2:
        raise TableError(
            "the table has no column besides the target, so there is nothing to split on",
            got=f"target={target}" + "".join(f" drop={name}" for name in drop),
            hint="keep at least one."
            if drop
            else "if the file has several, separate them with commas, semicolons, tabs or bars.",
        )
    return Source(name, frame, table_from(frame) if table is None else table, target, doubts)


def training_table(source: Source, decided: TargetTask) -> TrainingTable:
    """A table, divided into features and the target of a task."""
    table, name = source.table, source.target
    facts = facts_of(table, source.frame, source.name, name, source.doubts, decided=decided)
    read = target_from if decided.name == "classification" else numbers_from
    with warnings.catch_warnings():  # the facts have the task already
        warnings.simplefilter("ignore", ManyClassesWarning)
        target = read(source.column, table.n_rows, name)
    return TrainingTable(facts, table.without([name]), target)


def check_learner(name: str, task: TaskName, parameter: str = "learner") -> None:
    """Raise an error for a name that is not one of the learners of single trees of a task."""
    known = single_trees(task)
    if name in SINGLE_TREES and name not in known:
        raise ParameterError(
            f"the learner {name} predicts classes, and the task is {task}",
            got=f"{parameter}={name}",
            hint=f"use {parameter}={known[0]}.",
        )
    check_known("learner", f"{parameter}={name}", name, known)


def single_trees(task: TaskName) -> tuple[str, ...]:
    """The short names of the learners of single trees of a task."""
    return tuple(name for name, it in BY_TASK[task].items() if it.holds == "tree")


def new_learner(task: Task) -> Any:
    """The task's learner, not yet fitted."""
    learner = BY_TASK[task.task][task.learner].load()
    return learner(
        categorical_features=categorical_features(task), n_jobs=task.n_jobs, **task.parameters
    )


def fitted(task: Task, table: TrainingTable) -> Any:
    """The task's learner, fitted to its table."""
    return new_learner(task).fit(table.X, table.y)


def categorical_features(task: Task) -> list[str] | str:
    """The learners' parameter of that name."""
    return list(task.categorical) or "from_dtype"


def validated(
    learner: Any, table: TrainingTable, task: Task, report: Progress
) -> CrossValidation | None:
    """The cross-validation of the task; None if it has no folds, or the table a single row."""
    if not task.n_folds or len(table.X) < 2:
        return None
    return cross_validate(
        learner,
        table.X,
        table.y,
        n_folds=task.n_folds,
        seed=task.random_state,
        progress=report,
    )


def carry_out(table: TrainingTable, task: Task, report: Progress) -> Study:
    """Grow the tree and validate it."""
    model = fitted(task, table)
    training = table.quality(model.predict(table.X), costs_of(model))
    return Study(table.facts, task.learner, model, training, validated(model, table, task, report))


# -------------------------------------------------------------------- as JSON


def parameters_of(model: Any) -> dict[str, Any]:
    """The parameters that decide which model is grown."""
    parameters: dict[str, Any] = model.get_params()
    return {k: v for k, v in parameters.items() if k not in ("n_jobs", "verbose")}


def validation_to_json(validation: CrossValidation | None) -> dict[str, Any] | None:
    """Cross-validation as plain lists, strings and numbers."""
    if validation is None:
        return None
    folds = {"folds": validation.n_folds, "stratified": validation.stratified}
    if validation.task == "regression":
        by_metric = {
            metric.key: {
                "folds": list(validation.scores[metric.key]),
                "mean": validation.mean_of(metric.key),
                "standard_deviation": validation.deviation_of(metric.key),
            }
            for metric in METRICS["regression"]
        }
        return {**validation.quality.to_json(), **folds, "metrics": by_metric}
    return {
        **validation.quality.to_json(),
        **folds,
        "accuracies": list(validation.accuracies),
        "mean": validation.mean,
        "standard_deviation": validation.deviation,
        "balanced_mean": validation.balanced_mean,
        **_costs_to_json(validation),
        "classes": list(validation.classes),
        "confusion": validation.confusion.tolist(),
    }


def _costs_to_json(validation: CrossValidation) -> dict[str, Any]:
    """The mean cost of each fold; nothing without costs."""
    if "mean_cost" not in validation.scores:
        return {}
    return {
        "mean_costs": list(validation.scores["mean_cost"]),
        "mean_cost_mean": validation.mean_of("mean_cost"),
        "mean_cost_standard_deviation": validation.deviation_of("mean_cost"),
    }


def tree_to_json(tree: pt.Tree) -> dict[str, Any]:
    """The size of a tree, and its nodes."""
    return {
        "splits": tree.size,
        "leaves": tree.n_leaves,
        "depth": tree.depth,
        "nodes": _nodes(tree),
    }


def _nodes(tree: pt.Tree) -> list[dict[str, Any]]:
    """The nodes in their order; ``branch`` is the condition of the branch from the parent."""
    nodes, of_classes, predicted = [], _about_classes(tree), tree.prediction.tolist()
    for index, parent in enumerate(tree.parent.tolist()):
        above = tree.condition(parent) if parent >= 0 else None
        branch = index - int(tree.first_child[parent])
        node = tree.node(index)
        nodes.append(
            {
                "id": index,
                "parent": parent if parent >= 0 else None,
                "branch": above.describe(tree.schema, branch) if above else None,
                "split": _split(tree, index),
                "rows": node.n_rows,
                "impurity": node.impurity,
                "score": None if node.is_leaf else node.score,
                **(of_classes[index] if of_classes else {"prediction": predicted[index]}),
            }
        )
    return nodes


def _about_classes(tree: pt.Tree) -> list[dict[str, Any]]:
    """What the nodes of a tree of classes have, and those of numbers have not."""
    if not tree.schema.classes:
        return []
    adjusted, plain = p_values(tree).tolist(), p_values(tree, "chi_square").tolist()
    weights, is_leaf = tree.class_weights.tolist(), (tree.n_children == 0).tolist()
    return [
        {
            "label": tree.schema.classes[label],
            "class_weights": weights[index],
            "p_adjusted": None if is_leaf[index] else adjusted[index],
            "p_chi_square": None if is_leaf[index] else plain[index],
        }
        for index, label in enumerate(tree.label.tolist())
    ]


def _split(tree: pt.Tree, index: int) -> dict[str, Any] | None:
    """The split of a node; ``missing_child`` is null if missing values go to all children."""
    node = tree.node(index)
    if node.is_leaf:
        return None
    first, missing = int(tree.first_child[index]), int(tree.missing_child[index])
    split: dict[str, Any] = {"kind": NodeKind(tree.kind[index]).name.lower()}
    split["feature"] = node.feature
    if tree.kind[index] == NodeKind.THRESHOLD:
        split["threshold"] = float(tree.threshold[index])
    codes = tree.levels[tree.level_begin[index] : tree.level_end[index]].tolist()
    if codes:
        labels = tree.schema.features[int(tree.feature[index])].categories
        split["categories"] = [labels[code] for code in codes]
    split["children"] = list(range(first, first + int(tree.n_children[index])))
    split["missing_child"] = first + missing if missing >= 0 else None
    return split


def rules_to_json(rules: Iterable[pt.rules.Rule]) -> list[dict[str, Any]]:
    """Rules in their order."""
    return [rule_dict(rule) for rule in rules]
