"""Growing by altered priors (CART, chapter 4): in scores a class counts by its prior and its costs.

The core gets rows whose weights are altered by class. In the tree that comes back, class weights
are those of the rows as they were given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.schema import Schema
from plaintree.stats.exact_totals import exact_totals
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
        totals = exact_totals(target, weights, len(schema.classes))
        factors = altered_factors(schema, totals, conventions)
        if factors is None:
            return None
        case_weights = np.ones(len(target)) if weights is None else weights
        return cls(factors, case_weights * factors[target], case_weights, weights is None)

    def restored(self, class_weights: Floats) -> Floats:
        """Class weights of the rows as they were given."""
        return restored_weights(class_weights, self.factors, counts_rows=self.counts_rows)


def restored_weights(class_weights: Floats, factors: Floats, *, counts_rows: bool) -> Floats:
    """Class weights without the factors by class: integers if rows count 1."""
    given = np.divide(class_weights, factors, out=np.zeros_like(class_weights), where=factors > 0)
    return np.rint(given) if counts_rows else given


def altered_factors(
    schema: Schema, totals: Sequence[Fraction], conventions: Conventions
) -> Floats | None:
    """By class, how much a row counts for one; None if all count by their weight.

    ``totals`` are the weights of the classes.
    """
    by_class = np.array([float(total) for total in totals])
    return DecisionRule.of(conventions, schema.classes, by_class).altered(by_class)


def _check_rule(schema: Schema, conventions: Conventions) -> None:
    """Raise an error for a decision threshold of other than two classes."""
    if conventions.decision_threshold is not None:
        DecisionRule.of(conventions, schema.classes, np.ones(len(schema.classes)))


def by_decision_rule(tree: Tree, restored: Callable[[Floats], Floats] | None) -> Tree:
    """A grown tree with the class weights of the rows, and labels by its priors and costs.

    ``restored`` turns altered class weights into those of the rows; None: they are not altered.
    """
    if not tree.schema.classes:
        return tree
    arrays: dict[str, NDArray[Any]] = {}
    if restored is not None:
        weights = restored(tree.class_weights)
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
