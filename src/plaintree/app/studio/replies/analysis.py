"""A node of a document's tree, with its rows and what the columns offer there.

What is computed is kept by the splits that lead to the node, so an edit elsewhere costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from plaintree.errors import TreeError
from plaintree.stats.exact import Counts
from plaintree.stats.number_sums import NumberSums
from plaintree.teaching.derive.cases import Cases, Rows
from plaintree.teaching.derive.steps import arrived_at
from plaintree.tree.conventions import Conventions
from plaintree.tree.tree import Tree

from .held import quiet
from .library import Offers, node_at, offered
from .names import deviation
from .replay import Work


@dataclass(frozen=True, eq=False)
class Place:
    """The rows of a node, as exact cases, and the columns used up above it."""

    cases: Cases
    rows: Rows
    used: frozenset[int]

    @property
    def rules(self) -> Conventions:
        """The conventions that the tree is grown by."""
        return self.cases.rules

    @cached_property
    def counts(self) -> Counts:
        """What the rows are summed up to."""
        return self.cases.counts(self.rows)


def way_to(tree: Tree, at: list[int]) -> tuple[Any, ...]:
    """The splits that lead to a node, on which its rows depend."""
    node_at(tree, at)
    node, way = 0, []
    for branch in at:
        way.append((tree.condition(node), int(tree.missing_child[node]), branch))
        node = int(tree.first_child[node]) + branch
    return tuple(way)


def offers_of(work: Work, at: list[int]) -> Offers:
    """What the columns offer at a node, as the core finds it."""
    tree = work.own_tree()
    way = way_to(tree, at)
    training = work.training

    def ask() -> Offers:
        with quiet():
            return offered(work.model, training.X, training.y, node_at(tree, at))

    found: Offers = work.kept(("offers", way), ask)
    return found


def place_of(work: Work, at: list[int]) -> Place:
    """A node of the document's tree; an error if the learner's choices cannot be followed."""
    tree = work.own_tree()
    way = way_to(tree, at)
    found: Place = work.kept(("place", way), partial(_arrived, work, tree, at))
    return found


def _arrived(work: Work, tree: Tree, at: list[int]) -> Place:
    cases = cases_of(work)
    here = arrived_at(tree, cases, at)
    return Place(cases, here.rows, here.used)


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
    criterion: Any = sums.criterion
    return deviation(criterion, float(sums.impurity(counts)), float(sums.prediction(counts)))
