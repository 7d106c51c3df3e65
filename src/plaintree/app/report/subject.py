"""The model that a report is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from plaintree.data.encode import Encoded, encode
from plaintree.data.schema import Schema
from plaintree.data.table import Table
from plaintree.errors import ArgumentTypeError
from plaintree.estimators.registry import TaskName
from plaintree.evaluation.metrics import task_of
from plaintree.rules.rule_list import RuleList
from plaintree.tree.conventions import Conventions
from plaintree.tree.predict import predicting_nodes, row_predictions
from plaintree.tree.tree import Tree


@dataclass(frozen=True, eq=False)
class Subject:
    """The model that a report is about.

    ``tree`` is the one to show: that of the model, that its rules were made from, or the first of
    an ensemble; None for an imported rule list.
    """

    model: Any
    form: Literal["tree", "rules", "trees"]
    schema: Schema
    tree: Tree | None
    n_trees: int
    rules: RuleList | None

    @classmethod
    def of(cls, model: Any) -> Subject:
        """The subject for a fitted model, a Tree or a RuleList."""
        rules = getattr(model, "rules_", model if isinstance(model, RuleList) else None)
        tree = getattr(model, "tree_", model if isinstance(model, Tree) else None)
        if rules is not None:
            return cls(model, "rules", rules.schema, tree, int(tree is not None), rules)
        if tree is not None:
            return cls(model, "tree", tree.schema, tree, 1, None)
        if hasattr(model, "trees_"):
            trees = model.trees_
            return cls(model, "trees", model.schema_, trees[0], len(trees), None)
        raise ArgumentTypeError(
            "the report needs a fitted model",
            got=f"an object of type {type(model).__name__}",
            hint="call fit first." if hasattr(model, "fit") else "pass a fitted model or a Tree.",
        )

    @property
    def task(self) -> TaskName:
        """Whether the model predicts classes or numbers."""
        return task_of(self.schema.classes)

    @property
    def conventions(self) -> Conventions | None:
        """The conventions that its trees were grown by, if known."""
        return self.tree.conventions if self.tree else None

    @property
    def can_be_refitted(self) -> bool:
        """Whether it is an estimator that was fitted, so it can be cloned and fitted again."""
        return hasattr(self.model, "training_")

    def parameters(self) -> dict[str, Any]:
        """The parameters of the estimator, by name."""
        if not self.can_be_refitted:
            return {}
        parameters: dict[str, Any] = self.model.get_params(deep=False)
        return {
            name: value for name, value in parameters.items() if name not in ("n_jobs", "verbose")
        }

    def importances(self) -> NDArray[np.float64] | None:
        """The impurity importance of each feature; None for rules."""
        if self.form == "rules" or self.tree is None:
            return None
        if self.form == "trees":
            return np.asarray(self.model.feature_importances_)
        return self.tree.importances()

    def predictions(self, X: Any, table: Table) -> list[Any]:
        """The predicted class or number of every row."""
        if not isinstance(self.model, Tree):
            return list(np.asarray(self.model.predict(X)).tolist())
        predicted = row_predictions(self.model, self._encoded(table, self.model)).tolist()
        classes = self.schema.classes
        return [classes[code] for code in predicted] if classes else predicted

    def leaves(self, table: Table) -> NDArray[np.int64]:
        """The node of the shown tree that predicts each row."""
        assert self.tree is not None, "called only if there is one"
        return np.asarray(predicting_nodes(self.tree, self._encoded(table, self.tree)))

    def _encoded(self, table: Table, tree: Tree) -> Encoded:
        conventions = self.conventions
        unseen = conventions.unseen if conventions else "missing"
        return encode(table, self.schema, unseen=unseen, used=tree.used_columns)
