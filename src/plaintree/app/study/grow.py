"""A tree grown from a file's table, and how good it is: what `plaintree grow` has to say.

Nothing is printed here; app/cli/show.py writes a study for people, ``to_json`` for programs.
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
from plaintree.tree.condition import NodeKind
from plaintree.tree.significance import p_values

from .known import check_known
from .look import TableFacts, check_columns, facts_of


@dataclass(frozen=True)
class Task:
    """What to grow: the columns, the learner by its short name, and the learner's parameters.

    All are checked here, before a large file is read, as far as they can be.
    """

    target: str
    learner: str = "c45"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    drop: Sequence[str] = ()
    categorical: Sequence[str] = ()
    n_folds: int = 10
    seed: int = 0

    def __post_init__(self) -> None:
        check_known("learner", f"learner={self.learner}", self.learner, SINGLE_TREES)
        new_learner(self)._conventions()
        if self.n_folds == 1:
            raise ParameterError(
                "one fold is none",
                got="n_folds=1",
                hint="use 10, or 0 to leave cross-validation out.",
            )


@dataclass(frozen=True)
class Study:
    """A fitted model, the table it is from, its quality there, and in cross-validation if any."""

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
    """A table, read once and divided into attributes and target, and what is known about it."""

    facts: TableFacts
    X: Table
    y: Target

    def quality(self, predicted: Any) -> Quality:
        """How good predictions of these rows are."""
        return quality_of(np.asarray(self.y).tolist(), np.asarray(predicted).tolist(), TRAINING)


def training_table(
    frame: Any, source: str, task: Task, doubts: Sequence[Doubt] = ()
) -> TrainingTable:
    """A file's table as the task wants it; misspelt columns are wrong use.

    ``doubts`` are those about how the file was read.
    """
    check_columns("target", [task.target], frame.columns)
    attributes = [name for name in frame.columns if name != task.target]
    check_columns("drop", task.drop, attributes)
    check_columns("categorical_features", task.categorical, attributes)
    frame = frame.drop(task.drop)
    if frame.width < 2:
        raise TableError(
            "there is no column besides the target that a tree could test",
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
    return learner(categorical_features=categorical_features(task), **task.parameters)


def fitted(task: Task, table: TrainingTable) -> Any:
    """The task's learner, fitted to its table."""
    return new_learner(task).fit(table.X, table.y)


def categorical_features(task: Task) -> list[str] | str:
    """The learners' parameter of that name."""
    return list(task.categorical) or "from_dtype"


def validated(
    learner: Any, table: TrainingTable, task: Task, report: Progress
) -> CrossValidation | None:
    """The cross-validation that the task asks for; none of a single row."""
    if not task.n_folds or len(table.X) < 2:
        return None
    return cross_validate(
        learner, table.X, table.y, n_folds=task.n_folds, seed=task.seed, progress=report
    )


def carry_out(table: TrainingTable, task: Task, report: Progress) -> Study:
    """Grow the tree and validate it."""
    model = fitted(task, table)
    training = table.quality(model.predict(table.X))
    return Study(table.facts, task.learner, model, training, validated(model, table, task, report))


# -------------------------------------------------------------------- as JSON


def parameters_of(model: Any) -> dict[str, Any]:
    """The parameters that decide what is learnt."""
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
    """A tree's size and its nodes."""
    return {
        "size": tree.size,
        "leaves": tree.n_leaves,
        "depth": tree.depth,
        "nodes": _nodes(tree),
    }


def _nodes(tree: pt.Tree) -> list[dict[str, Any]]:
    """The nodes in their order; ``branch`` is the condition that leads from the parent here."""
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
                "test": _test(tree, index),
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


def _test(tree: pt.Tree, index: int) -> dict[str, Any] | None:
    """What a node tests, and which child takes missing values (null: they are divided)."""
    node = tree.node(index)
    if node.is_leaf:
        return None
    first, missing = int(tree.first_child[index]), int(tree.missing_child[index])
    test: dict[str, Any] = {"kind": NodeKind(tree.kind[index]).name.lower()}
    test["feature"] = node.feature
    if tree.kind[index] == NodeKind.THRESHOLD:
        test["threshold"] = float(tree.threshold[index])
    codes = tree.levels[tree.level_begin[index] : tree.level_end[index]].tolist()
    if codes:
        labels = tree.schema.features[int(tree.feature[index])].categories
        test["categories"] = [labels[code] for code in codes]
    test["children"] = list(range(first, first + int(tree.n_children[index])))
    test["missing_child"] = first + missing if missing >= 0 else None
    return test


def rules_to_json(rules: Iterable[pt.rules.Rule]) -> list[dict[str, Any]]:
    """Rules in their order."""
    return [rule_dict(rule) for rule in rules]
