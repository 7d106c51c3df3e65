"""A tree grown from a file's table, and how good it is: what `plaintree grow` has to say.

Nothing is printed here; show.py writes a study for people, ``to_json`` for programs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import plaintree as pt

from ..condition import NodeKind
from ..errors import ParameterError
from ..evaluate import CrossValidation, cross_validate
from ..target import labels_from
from .look import TableFacts, check_columns, look_at
from .options import LEARNERS, chosen_parameters, learner_named


@dataclass(frozen=True)
class Task:
    """What to grow: the columns and the learner as the command line names them.

    ``given`` are the learner's options, None where one was not given; they are checked here,
    before a large file is read, as far as they can be.
    """

    target: str
    learner: str = "c45"
    given: Mapping[str, Any] = field(default_factory=dict)
    drop: Sequence[str] = ()
    categorical: Sequence[str] = ()
    n_folds: int = 10
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "learner", learner_named(self.learner))
        object.__setattr__(self, "given", chosen_parameters(self.learner, self.given))
        if self.n_folds == 1:
            raise ParameterError(
                "one fold is none",
                got="--cv 1",
                hint="use 10, or 0 to leave cross-validation out.",
            )


@dataclass(frozen=True)
class Study:
    """A fitted model, the table it is from, its training errors, its cross-validation if any."""

    table: TableFacts
    learner: str
    model: Any
    n_errors: int
    validation: CrossValidation | None

    def to_json(self) -> dict[str, Any]:
        """Everything as plain lists, strings and numbers."""
        tree, validation = self.model.tree_, self.validation
        parameters = self.model.get_params()
        parameters.pop("n_jobs")
        return {
            "table": self.table.to_json(),
            "learner": self.learner,
            "parameters": parameters,
            "conventions": tree.conventions.to_json(),
            "schema": tree.schema.to_json(),
            "tree": {
                "size": tree.size,
                "leaves": tree.n_leaves,
                "depth": tree.depth,
                "nodes": _nodes(tree),
            },
            "rules": _rules(tree),
            "training": {"rows": self.table.n_rows, "errors": self.n_errors},
            "cross_validation": validation
            and {
                "folds": validation.n_folds,
                "stratified": validation.stratified,
                "accuracies": list(validation.accuracies),
                "mean": validation.mean,
                "standard_deviation": validation.deviation,
                "classes": list(validation.classes),
                "confusion": validation.confusion.tolist(),
            },
        }


def carry_out(
    frame: Any, source: str, task: Task, on_fold: Callable[[], object] = lambda: None
) -> Study:
    """Grow the tree and validate it."""
    check_columns("--target", [task.target], frame.columns)
    attributes = [name for name in frame.columns if name != task.target]
    check_columns("--drop", task.drop, attributes)
    check_columns("--categorical-column", task.categorical, attributes)
    frame = frame.drop(task.drop)
    X, y = frame.drop(task.target), frame[task.target]
    facts = look_at(frame, source, task.target)
    codes, classes = labels_from(y, len(X), task.target)
    categorical = list(task.categorical) or "from_dtype"
    learner = getattr(pt, LEARNERS[task.learner])(categorical_features=categorical, **task.given)
    model = learner.fit(X, y)
    errors = int(np.count_nonzero(model.predict(X) != np.array(classes)[codes]))
    validation = None
    if task.n_folds and len(X) > 1:
        validation = cross_validate(
            model, X, y, n_folds=task.n_folds, seed=task.seed, on_fold=on_fold
        )
    return Study(facts, task.learner, model, errors, validation)


def _nodes(tree: pt.Tree) -> list[dict[str, Any]]:
    """The nodes in their order; ``branch`` is the condition that leads from the parent here."""
    nodes = []
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
    test["attribute"] = node.attribute
    if tree.kind[index] == NodeKind.THRESHOLD:
        test["threshold"] = float(tree.threshold[index])
    codes = tree.levels[tree.level_begin[index] : tree.level_end[index]].tolist()
    if codes:
        labels = tree.schema.attributes[int(tree.attribute[index])].categories
        test["categories"] = [labels[code] for code in codes]
    test["children"] = list(range(first, first + int(tree.n_children[index])))
    test["missing_child"] = first + missing if missing >= 0 else None
    return test


def _rules(tree: pt.Tree) -> list[dict[str, Any]]:
    return [
        {
            "if": [clause.describe(tree.schema) for clause in rule.conditions],
            "then": rule.label,
            "support": rule.weight,
            "confidence": rule.confidence,
            "leaf": rule.leaf,
        }
        for rule in pt.rules_of(tree)
    ]
