"""What the answers take from the library where there is more than one way: the only seam.

Addresses, conditions as data, rows of a node and alphas of nodes are public functions. What a node
offers is computed by the worked solutions, with exact fractions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plaintree.errors import TreeError
from plaintree.pruning.cross_validation import unpruned_copy
from plaintree.pruning.path import node_alphas
from plaintree.tree.address import node_at, path_of
from plaintree.tree.condition_data import condition_from_data, condition_to_data
from plaintree.tree.difference import first_difference, path_text
from plaintree.tree.edit import recorded
from plaintree.tree.node_rows import NodeRows, rows_at
from plaintree.tree.tree import Tree

if TYPE_CHECKING:
    from .editing import Editing

__all__ = [
    "NodeRows",
    "condition_from_data",
    "condition_to_data",
    "first_difference",
    "grown_on",
    "node_alphas",
    "node_at",
    "path_of",
    "path_text",
    "rows_at",
]


def grown_on(editing: Editing, node: int, max_depth: int | None) -> Tree:
    """The tree with all open leaves at and below a node grown as the learner would."""
    tree, training = editing.tree, editing.training
    if tree.n_nodes > 1:
        raise TreeError("only a tree that is a single leaf can be grown on")
    growing = unpruned_copy(editing.model)
    limits = [limit for limit in (growing._conventions().max_depth, max_depth) if limit is not None]
    grown = growing.set_params(max_depth=min(limits, default=None)).fit(training.X, training.y)
    after = replace(grown.tree_, conventions=tree.conventions)
    return recorded(tree, after, "grow", node=node, at=path_text(tree, node), max_depth=max_depth)
