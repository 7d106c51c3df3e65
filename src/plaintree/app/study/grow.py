"""The facts of `plaintree grow`: a tree grown from a table, and its quality.

Nothing is printed here; app/cli/show.py formats a study as text, ``to_json`` as JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import plaintree as pt
from plaintree.data.doubts import Doubt
from plaintree.data.table import Table, table_from
from plaintree.data.target import Target, target_from
from plaintree.errors import ParameterError, TableError
from plaintree.estimators.registry import BY_SHORT_NAME, SINGLE_TREES
from plaintree.evaluation.cross_validation import CrossValidation, cross_validate
from plaintree.evaluation.quality import TRAINING, Quality, quality_of
from plaintree.progress import Progress
from plaintree.show.explain.firing import rule_dict
from plaintree.threads import thread_count
from plaintree.tree.condition import NodeKind
from plaintree.tree.significance import p_values

from .inspect import TableFacts, check_columns, facts_of
from .known import check_known


@dataclass(frozen=True)
class Task:
    """What to grow: the columns, the learner by its short name, and the learner's parameters.

    They are validated before a file is read, as far as possible.
    """

    target: str
    learner: str = "c45"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    drop: Sequence[str] = ()
    categorical: Sequence[str] = ()
    n_folds: int = 10
    random_state: int = 0
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        check_known("learner", f"learner={self.learner}", self.learner, SINGLE_TREES)
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
    training: Quality
    validation: CrossValidation | None

    def to_json(self) -> dict[str, Any]:
        """Everything as plain lists, strings and numbers."""
        tree = self.model.tree_
        return {
            "table": self.table.to_json(),
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
    y: Target

    def quality(self, predicted: Any) -> Quality:
        """The quality of predictions for these rows."""
        return quality_of(np.asarray(self.y).tolist(), np.asarray(predicted).tolist(), TRAINING)


def training_table(
    frame: Any, source: str, task: Task, doubts: Sequence[Doubt] = ()
) -> TrainingTable:
    """The training table of a task; an unknown column is a usage error.

    ``doubts`` are warnings about how the file was read.
    """
    check_columns("target", [task.target], frame.columns)
    features = [name for name in frame.columns if name != task.target]
    check_columns("drop", task.drop, features)
    check_columns("categorical_features", task.categorical, features)
    frame = frame.drop(task.drop)
    if frame.width < 2:
        raise TableError(
            "the table has no column besides the target, so there is nothing to split on",
            got=f"target={task.target}" + "".join(f" drop={name}" for name in task.drop),
            hint="keep at least one.",
        )
    table = table_from(frame)
    facts = facts_of(table, frame, source, task.target, doubts)
    column = table.columns[table.names.index(task.target)]
    target = target_from(column, table.n_rows, task.target)
    return TrainingTable(facts, table.without([task.target]), target)


def new_learner(task: Task) -> Any:
    """The task's learner, not yet fitted."""
    learner = BY_SHORT_NAME[task.learner].load()
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
    training = table.quality(model.predict(table.X))
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
    return {
        **validation.quality.to_json(),
        "folds": validation.n_folds,
        "stratified": validation.stratified,
        "accuracies": list(validation.accuracies),
        "mean": validation.mean,
        "standard_deviation": validation.deviation,
        "balanced_mean": validation.balanced_mean,
        "classes": list(validation.classes),
        "confusion": validation.confusion.tolist(),
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
    nodes = []
    p, plain = p_values(tree).tolist(), p_values(tree, "chi_square").tolist()
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
                "label": node.label,
                "rows": node.n_rows,
                "class_weights": tree.class_weights[index].tolist(),
                "impurity": node.impurity,
                "score": None if node.is_leaf else node.score,
                "p_adjusted": None if node.is_leaf else p[index],
                "p_chi_square": None if node.is_leaf else plain[index],
            }
        )
    return nodes


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
