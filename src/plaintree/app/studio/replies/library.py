"""What the replies take from the library where there is more than one way: the only seam.

What a node offers, and what grows below it, is the work of the core. Single splits and formulas are
computed by the worked solutions, with exact fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

from plaintree.growing import Candidate as Offer
from plaintree.growing import Candidates as Offers
from plaintree.growing import candidates as offered
from plaintree.growing import grow_on
from plaintree.tree.address import node_at, path_of
from plaintree.tree.condition_data import condition_from_data, condition_to_data
from plaintree.tree.difference import first_difference, path_text
from plaintree.tree.node_rows import NodeRows, rows_at
from plaintree.tree.tree import Tree

if TYPE_CHECKING:
    from .editing import Editing

__all__ = [
    "NodeRows",
    "Offer",
    "Offers",
    "condition_from_data",
    "condition_to_data",
    "counted",
    "first_difference",
    "grow_on",
    "grown_on",
    "node_at",
    "offered",
    "path_of",
    "path_text",
    "rows_at",
    "way_to",
    "with_tree",
]


def grown_on(editing: Editing, node: int, max_depth: int | None) -> Tree:
    """The tree with all open leaves at and below a node grown as the learner would.

    At most so many levels are added below the node.
    """
    tree, training = editing.tree, editing.training
    limit = None if max_depth is None else int(tree.node_depths[node]) + max_depth
    grown: Tree = grow_on(
        editing.model, training.X, training.y, nodes=[node], max_depth=limit
    ).tree_
    return grown


def counted(editing: Editing, tree: Tree) -> Tree:
    """A tree with new splits, counted and scored by the core as if the learner had made them."""
    training = editing.training
    model = with_tree(editing.model, tree)
    found: Tree = grow_on(model, training.X, training.y, nodes=[]).tree_
    return found


def with_tree(model: Any, tree: Tree) -> Any:
    """A copy of a fitted estimator that holds another tree."""
    changed = copy(model)
    changed.tree_ = tree
    return changed


def way_to(tree: Tree, at: Sequence[int]) -> tuple[Any, ...]:
    """The splits that lead to a node, on which its rows depend."""
    node_at(tree, at)
    node, way = 0, []
    for branch in at:
        way.append((tree.condition(node), int(tree.missing_child[node]), branch))
        node = int(tree.first_child[node]) + branch
    return tuple(way)
