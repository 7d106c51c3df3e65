"""A node of a document's tree, with its rows and what the columns offer there.

What is computed is kept by the splits that lead to the node, so an edit elsewhere costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.errors import TreeError
from plaintree.stats.exact import Counts
from plaintree.stats.number_sums import NumberSums
from plaintree.teaching.derive.cases import Cases, Rows
from plaintree.teaching.derive.choice import Choice, choose
from plaintree.teaching.derive.steps import arrived_at
from plaintree.teaching.derive.stops import Here, Leaf, growing_stop
from plaintree.tree.conventions import Conventions
from plaintree.tree.tree import Tree

from .library import node_at
from .names import number
from .replay import Work

LISTED = 1
"""Splits of a column that are listed; the best of each is what a node offers."""
FOLDED = 2_000
"""Rows of a node up to which it is computed whether its branches would be collapsed."""


@dataclass(frozen=True, eq=False)
class Place:
    """The rows of a node, as exact cases, and the columns used up above it."""

    cases: Cases
    rows: Rows
    used: frozenset[int]
    depth: int

    @property
    def rules(self) -> Conventions:
        """The conventions that the tree is grown by."""
        return self.cases.rules

    @cached_property
    def counts(self) -> Counts:
        """What the rows are summed up to."""
        return self.cases.counts(self.rows)

    @cached_property
    def positions(self) -> NDArray[np.intp]:
        """The numbers of the rows."""
        return np.array([row for row, _ in self.rows], dtype=np.intp)

    @cached_property
    def choice(self) -> Choice:
        """What the columns offer."""
        return choose(self.cases, self.rows, self.used, LISTED)

    @cached_property
    def stop(self) -> Leaf | None:
        """Why the learner would not split the node; None if it would."""
        if not any(self.counts):
            return Leaf("empty")
        here = Here(self.rows, self.counts, self.used)
        few = len(self.rows) <= FOLDED
        return growing_stop(self.cases, here, self.depth, self.choice, grow_on=few)


def place_of(work: Work, at: list[int]) -> Place:
    """A node of the document's tree; an error if the learner's choices cannot be followed."""
    tree = work.own_tree()
    node_at(tree, at)
    node, way = 0, []
    for branch in at:
        way.append((tree.condition(node), int(tree.missing_child[node]), branch))
        node = int(tree.first_child[node]) + branch
    found: Place = work.kept(("place", tuple(way)), partial(_arrived, work, tree, at))
    return found


def _arrived(work: Work, tree: Tree, at: list[int]) -> Place:
    cases = cases_of(work)
    here = arrived_at(tree, cases, at)
    return Place(cases, here.rows, here.used, len(at))


def cases_of(work: Work) -> Cases:
    """The training rows with exact weights."""
    tree = work.own_tree()
    if tree.conventions is None:
        raise TreeError("the tree has no conventions to find splits by")
    _check_followed(tree.conventions)
    rules = tree.conventions
    cases: Cases = work.kept("cases", lambda: Cases.of(tree.schema, work.rows, rules))
    return cases


def _check_followed(rules: Conventions) -> None:
    from plaintree.teaching.derive.solution import _check_conventions

    _check_conventions(rules)


def deviation_of(sums: Any, counts: Counts) -> float | None:
    """How far the targets of a group of rows are from their prediction, in their unit."""
    if not isinstance(sums, NumberSums) or not any(counts):
        return None
    impurity = max(float(sums.impurity(counts)), 0.0)
    if sums.criterion == "squared_error":
        return number(impurity**0.5)
    if sums.criterion == "poisson":
        return number(max(float(sums.prediction(counts)), 0.0) ** 0.5)
    return number(impurity)
