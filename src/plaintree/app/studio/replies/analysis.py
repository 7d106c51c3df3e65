"""A node of a document's tree, with its rows and what the columns offer there.

What is computed is kept by the splits that lead to the node, so an edit elsewhere costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from plaintree.errors import TreeError
from plaintree.stats.exact import Counts
from plaintree.stats.number_sums import NumberSums
from plaintree.teaching.derive.cases import Cases, Rows
from plaintree.teaching.derive.solution import check_conventions
from plaintree.teaching.derive.steps import arrived_at
from plaintree.tree.conventions import Conventions
from plaintree.tree.tree import Tree

from .held import quiet
from .library import NodeRows, Offers, node_at, offered, rows_at, way_to
from .names import deviation
from .replay import Work


@dataclass(frozen=True, eq=False)
class Place:
    """The rows of a node, as exact cases, and the columns used up above it."""

    cases: Cases
    rows: Rows
    used: frozenset[int]


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


def reached_by(work: Work, at: list[int]) -> NodeRows:
    """The rows that reach a node, with their weights."""
    tree = work.own_tree()
    node, weights = node_at(tree, at), work.rows.weights
    make = partial(rows_at, tree, work.training.X, node, weights)
    found: NodeRows = work.kept(("reached", way_to(tree, at)), make)
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
    rules = check_followed(tree.conventions)
    cases: Cases = work.kept("cases", lambda: Cases.of(tree.schema, work.rows, rules))
    return cases


def check_followed(rules: Conventions | None) -> Conventions:
    """The conventions of a tree; an error if the worked solution does not follow them."""
    if rules is None:
        raise TreeError("the tree has no conventions to find splits by")
    check_conventions(rules)
    return rules


def is_followed(rules: Conventions | None) -> bool:
    """Whether the worked solution follows some conventions."""
    try:
        check_followed(rules)
    except TreeError:
        return False
    return True


def deviation_of(sums: Any, counts: Counts) -> float | None:
    """How far the targets of a group of rows are from their prediction, in their unit."""
    if not isinstance(sums, NumberSums) or not any(counts):
        return None
    criterion: Any = sums.criterion
    return deviation(criterion, float(sums.impurity(counts)), float(sums.prediction(counts)))
