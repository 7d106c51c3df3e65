"""Growing by altered priors (CART, chapter 4): in scores a class counts by its prior and its costs.

The core gets rows whose weights are altered by class. In the tree that comes back, class weights
are those of the rows as they were given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.schema import Schema
from plaintree.tree.conventions import Conventions
from plaintree.tree.decision import DecisionRule
from plaintree.tree.from_core import tree_from_core
from plaintree.tree.prediction import labels_of, rule_of
from plaintree.tree.tree import ARRAY_DTYPES, Tree

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Altered:
    """The rows of a table as they count in scores.

    - ``factors``: by class, how much a row counts for one.
    - ``weights``: of the rows, times the factors.
    - ``case_weights``: of the rows as they were given; ``counts_rows``: all of them are 1.
    """

    factors: Floats
    weights: Floats
    case_weights: Floats
    counts_rows: bool

    @classmethod
    def of(
        cls, schema: Schema, target: NDArray[Any], weights: Floats | None, conventions: Conventions
    ) -> Altered | None:
        """The altered rows; None if all classes count by their weight."""
        if conventions.priors is None and conventions.costs is None:
            _check_rule(schema, conventions)
            return None
        case_weights = np.ones(len(target)) if weights is None else weights
        by_class = _added_by_class(target, case_weights, len(schema.classes))
        rule = DecisionRule.of(conventions, schema.classes, by_class)
        factors = rule.altered(by_class)
        if factors is None:
            return None
        return cls(factors, case_weights * factors[target], case_weights, weights is None)

    def restored(self, class_weights: Floats) -> Floats:
        """Class weights of the rows as they were given: integers if rows count 1."""
        given = np.divide(
            class_weights, self.factors, out=np.zeros_like(class_weights), where=self.factors > 0
        )
        return np.rint(given) if self.counts_rows else given


def _added_by_class(target: NDArray[Any], weights: Floats, n_classes: int) -> Floats:
    """The weight of each class; sorted before, so rounding does not depend on the order of rows."""
    order = np.lexsort((weights, target))
    return np.bincount(target[order], weights[order], n_classes).astype(np.float64)


def _check_rule(schema: Schema, conventions: Conventions) -> None:
    """Raise an error for a decision threshold of other than two classes."""
    if conventions.decision_threshold is not None:
        DecisionRule.of(conventions, schema.classes, np.ones(len(schema.classes)))


def by_decision_rule(tree: Tree, altered: Altered | None) -> Tree:
    """A grown tree with the class weights of the rows, and labels by its priors and costs."""
    if not tree.schema.classes:
        return tree
    arrays: dict[str, NDArray[Any]] = {}
    if altered is not None:
        weights = altered.restored(tree.class_weights)
        arrays = {"class_weights": weights, "weight": weights.sum(axis=1)}
        tree = _with(tree, arrays)
    rule = rule_of(tree)
    if rule.is_majority:
        return tree
    labels = labels_of(tree.parent, tree.class_weights, (), rule)
    return _with(tree, {"label": labels.astype(np.int32)})


def _with(tree: Tree, changed: dict[str, NDArray[Any]]) -> Tree:
    arrays = {name: getattr(tree, name) for name in ARRAY_DTYPES} | changed
    return tree_from_core(arrays, tree.schema, tree.conventions)
