"""An exact check whether the predictions of trees rise or fall with a feature.

Two rows that differ in one feature part at a node that splits on it. So at each such node the
leaves of both subtrees are compared, as far as one row can reach both but for that feature. Pairs
of subtrees whose predictions are in order as a whole are not opened: for a tree grown with
``monotonic_cst`` these are all pairs, and the check takes one pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaintree.data.words import shown_schema
from plaintree.errors import ParameterError
from plaintree.tree.condition import Threshold
from plaintree.tree.constraints import MonotonicCst, directions_of
from plaintree.tree.prediction import class_probabilities
from plaintree.tree.tree import Tree, tree_of

from .rule import Clause, joined

ROUNDING = 1e-12
"""Class probabilities nearer than this are equal: they are quotients of rounded weights."""


def check_monotonic(model_or_tree: object, monotonic_cst: MonotonicCst) -> str | None:
    """Find two leaves of a tree whose predictions are not in order.

    The check is exact: it covers all rows that end in one leaf, with missing values and categories
    not seen in training as well. Only rows that missing values divide over several leaves
    (``missing="fractional"``) are left out. For two classes, predictions are the probability of the
    second class, and its label.

    Parameters
    ----------
    model_or_tree : estimator or Tree
        A fitted estimator, or a Tree. An ensemble is checked tree by tree: where all its trees are
        in order, so is their mean or vote.
    monotonic_cst : dict or sequence of int
        1 for each feature with which predictions may only rise, -1 for those with which they may
        only fall, by names or positions of features, or for all features in their order.

    Returns
    -------
    str or None
        Two leaves that are not in order, as text. None if the predictions are monotonic.

    Raises
    ------
    ColumnError
        If there is no such feature.
    ParameterError
        If a feature has no order, or there are more than two classes.

    Examples
    --------
    >>> import plaintree as pt
    >>> hours, score = [[1.0], [2.0], [3.0], [4.0]], [10.0, 20.0, 15.0, 30.0]
    >>> free = pt.CARTRegressor().fit(hours, score)
    >>> print(pt.rules.check_monotonic(free, {"x0": 1}))
    1.5 < x0 <= 2.5 predicts 20, but 2.5 < x0 <= 3.5 predicts 15
    >>> rising = pt.CARTRegressor(monotonic_cst={"x0": 1}).fit(hours, score)
    >>> pt.rules.check_monotonic(rising, {"x0": 1}) is None
    True
    """
    trees: Sequence[Tree] | None = getattr(model_or_tree, "trees_", None)
    if trees is None or hasattr(model_or_tree, "tree_"):
        return _found_in(tree_of(model_or_tree), monotonic_cst)
    for number, tree in enumerate(trees):
        found = _found_in(tree, monotonic_cst)
        if found is not None:
            return f"tree {number}: {found}"
    return None


def _found_in(tree: Tree, monotonic_cst: MonotonicCst) -> str | None:
    signs = directions_of(monotonic_cst, tree.schema)
    if not signs:
        raise ParameterError(
            "there is no feature to check",
            got=f"monotonic_cst={monotonic_cst!r}",
            hint='give a direction for one at least, such as {"income": 1}.',
        )
    reading = _Reading(tree)
    for name, sign in signs.items():
        pair = reading.pair_out_of_order(tree.schema.names.index(name), sign)
        if pair is not None:
            return f"{reading.text(pair[0])}, but {reading.text(pair[1])}"
    return None


# -------------------------------------------------------------------- sides of a feature


class Side(NamedTuple):
    """The values of a feature: those in ``low < x <= high``, or categories as bits; and others."""

    low: float = -inf
    high: float = inf
    codes: int = -1  # all
    missing: bool = True
    unseen: bool = True

    def meet(self, other: Side) -> Side:
        return Side(
            max(self.low, other.low),
            min(self.high, other.high),
            self.codes & other.codes,
            self.missing and other.missing,
            self.unseen and other.unseen,
        )

    @property
    def is_empty(self) -> bool:
        known = self.low < self.high and self.codes != 0
        return not (known or self.missing or self.unseen)


EVERYTHING = Side()
Sides = dict[int, Side]
"""The restricted features of a row."""


@dataclass(frozen=True)
class _Pair:
    """Two nodes below the branches of a split, and what one row must be like to reach both.

    ``apart`` are the values of the feature in question, which differ.
    """

    one: int
    other: int
    shared: Sides
    apart: tuple[Side, Side]


class _Reading:
    """A tree as the check reads it."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        conventions = tree.conventions
        self.unseen_stops = conventions is not None and conventions.unseen == "stop"

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """What is compared of each node: a number, or the second class's probability and label."""
        if not self.tree.schema.classes:
            return self.tree.prediction[:, None]
        return np.column_stack([class_probabilities(self.tree)[:, 1], self.tree.label])

    @property
    def slack(self) -> NDArray[np.float64]:
        return np.array([ROUNDING, 0.0] if self.tree.schema.classes else [0.0])

    @cached_property
    def ends(self) -> NDArray[np.bool_]:
        """The nodes where rows end: leaves, and splits at which unseen categories stop."""
        tree = self.tree
        leaf: NDArray[np.bool_] = tree.n_children == 0
        if not self.unseen_stops:
            return leaf
        categorical = np.array([a.is_categorical for a in tree.schema.features] + [False])
        stops: NDArray[np.bool_] = np.logical_or(leaf, categorical[tree.feature])
        return stops

    @cached_property
    def ranges(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The least and the greatest value of all ends in each subtree."""
        least = np.where(self.ends[:, None], self.values, inf)
        greatest = np.where(self.ends[:, None], self.values, -inf)
        for node in range(self.tree.n_nodes - 1, 0, -1):
            parent = self.tree.parent[node]
            least[parent] = np.minimum(least[parent], least[node])
            greatest[parent] = np.maximum(greatest[parent], greatest[node])
        return least, greatest

    def branches(self, node: int) -> list[tuple[int, Side]]:
        """The children of a node, each with the values that lead there."""
        tree, condition = self.tree, self.tree.condition(node)
        assert condition is not None, "a leaf has no branches"
        first, missing = int(tree.first_child[node]), int(tree.missing_child[node])
        found = []
        for branch in range(int(tree.n_children[node])):
            takes_missing = branch == missing
            takes_unseen = takes_missing and not self.unseen_stops
            if branch == condition.n_branches:
                side = Side(high=-inf, codes=0)
            elif isinstance(condition, Threshold):
                cut = condition.threshold
                side = Side(high=cut) if branch == 0 else Side(low=cut)
            else:
                clause = Clause.of(condition, branch, tree.schema)
                side = Side(codes=(clause.allowed or 0) << clause.offset)
            side = side._replace(missing=takes_missing, unseen=takes_unseen)
            found.append((first + branch, side))
        return found

    # ---------------------------------------------------------------- the search

    def pair_out_of_order(self, feature: int, sign: int) -> tuple[int, int] | None:
        """Two ends, of a lower and a higher value of the feature, that are not in order."""
        tree = self.tree
        for node in np.flatnonzero(tree.feature == feature).tolist():
            (low, left), (high, right) = self.branches(node)[:2]
            apart = (left._replace(missing=False), right._replace(missing=False))
            found = self._search(_Pair(low, high, {}, apart), feature, sign)
            if found is not None:
                return found
        return None

    def _search(self, start: _Pair, feature: int, sign: int) -> tuple[int, int] | None:
        pending = [start]
        while pending:
            pair = pending.pop()
            if self._in_order(pair.one, pair.other, sign):
                continue
            both_end = all(self._may_end(n, pair.shared) for n in (pair.one, pair.other))
            if both_end and self._ends_out_of_order(pair, sign):
                return pair.one, pair.other
            opened = 0 if self.tree.n_children[pair.one] else 1
            if self.tree.n_children[pair.one] or self.tree.n_children[pair.other]:
                pending += self._opened(pair, opened, feature)
        return None

    def _in_order(self, one: int, other: int, sign: int) -> bool:
        """Whether all ends below one node are in order with all below the other."""
        least, greatest = self.ranges
        low, high = (one, other) if sign > 0 else (other, one)
        return bool(np.all(greatest[low] <= least[high] + self.slack))

    def _may_end(self, node: int, shared: Sides) -> bool:
        """Whether a row ends in a node: in a leaf, or where its category was not seen."""
        is_leaf = not self.tree.n_children[node]
        split = int(self.tree.feature[node])
        return is_leaf or bool(self.ends[node] and shared.get(split, EVERYTHING).unseen)

    def _ends_out_of_order(self, pair: _Pair, sign: int) -> bool:
        low, high = (pair.one, pair.other) if sign > 0 else (pair.other, pair.one)
        return bool(np.any(self.values[low] > self.values[high] + self.slack))

    def _opened(self, pair: _Pair, which: int, feature: int) -> list[_Pair]:
        """The pair with one of its nodes replaced by the children that a row can reach."""
        node = (pair.one, pair.other)[which]
        split = int(self.tree.feature[node])
        found = []
        for child, side in self.branches(node):
            shared, apart = pair.shared, pair.apart
            if split == feature:
                own = apart[which].meet(side)
                if own.is_empty:
                    continue
                apart = (own, apart[1]) if which == 0 else (apart[0], own)
            else:
                met = shared.get(split, EVERYTHING).meet(side)
                if met.is_empty:
                    continue
                shared = shared | {split: met}
            nodes = (child, pair.other) if which == 0 else (pair.one, child)
            found.append(_Pair(*nodes, shared, apart))
        return found

    # ---------------------------------------------------------------- text

    def text(self, node: int) -> str:
        """An end with the conditions that lead there."""
        tree, path = self.tree, []
        while node_parent := int(tree.parent[node]) + 1:
            path.append((node_parent - 1, node))
            node = node_parent - 1
        end = path[0][1]
        clauses: tuple[Clause, ...] = ()
        for parent, child in reversed(path):
            condition = tree.condition(parent)
            assert condition is not None, "a parent is split"
            branch = child - int(tree.first_child[parent])
            clauses = joined(clauses, Clause.of(condition, branch, tree.schema))
        shown = shown_schema(tree.schema)
        words = " AND ".join(clause.describe(shown) for clause in clauses)
        return f"{words} predicts {self._predicted(end)}"

    def _predicted(self, node: int) -> str:
        value = f"{self.values[node, 0]:.6g}"
        classes: tuple[Any, ...] = self.tree.schema.classes
        if not classes:
            return value
        return f"{classes[int(self.tree.label[node])]} (probability of {classes[1]}: {value})"
