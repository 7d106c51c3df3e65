"""The input of the pruning methods, and what several of them share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.rows import Rows
from plaintree.errors import TreeError
from plaintree.tree.cut import Mask, cut_nodes
from plaintree.tree.row_batches import AnyRows
from plaintree.tree.tree import Tree

Floats = NDArray[np.float64]
RowNumbers = NDArray[np.intp]
Regrow = Callable[[RowNumbers], Tree]
"""Grows another tree, without pruning it, on some of the training rows."""

ROUNDING = 1e-12
"""How far apart, relatively, sums may be that are equal but for rounding."""


@dataclass(frozen=True, eq=False)
class Task:
    """A tree to prune, what its nodes predict as leaves, and the rows given with it.

    ``regrow`` is there where the tree can be grown again on some of the rows. Only methods that
    add up losses get rows in batches.
    """

    tree: Tree
    labels: NDArray[np.int32]
    rows: AnyRows | None = None
    regrow: Regrow | None = None
    random_state: Any = None

    @property
    def any_rows(self) -> AnyRows:
        """The rows of a method that adds up their losses, in memory or in batches."""
        assert self.rows is not None, "methods that use rows are given some"
        return self.rows

    @property
    def known_rows(self) -> Rows:
        """The rows of a method that cannot do without."""
        assert isinstance(self.rows, Rows), "methods that use rows are given some"
        return self.rows

    def cut(self, mask: Mask) -> Tree:
        """The tree with the marked nodes made leaves."""
        return cut_nodes(self.tree, mask, self.labels)


def check_counts(tree: Tree, what: str) -> None:
    """An error unless the tree knows how many rows of each class it was grown from."""
    if not tree.weight[0] > 0:
        raise TreeError(
            f"{what} needs class counts in the tree",
            got="a tree without training rows at its root",
            hint="prune the tree by hand, with cut.",
        )


def subtree_sums(tree: Tree, values: NDArray[Any]) -> Floats:
    """The sum of the values of each node and all nodes below it (per column of a matrix)."""
    if values.ndim == 2:
        columns = [subtree_sums(tree, column) for column in values.T]
        return np.stack(columns, axis=1)
    sums, parent = values.astype(np.float64).tolist(), tree.parent.tolist()
    for node in range(tree.n_nodes - 1, 0, -1):  # children before parents
        sums[parent[node]] += sums[node]
    return np.array(sums)


def cheaper_as_leaves(tree: Tree, as_leaf: Floats, own: Floats) -> tuple[Mask, Floats]:
    """Which nodes cost no more as leaves than with the best that is below them, and the best cost.

    A node kept costs ``own`` and what its children cost at best; decided from below, so the tree
    that results is the cheapest, and of equally cheap ones the smallest.
    """
    cost, leaf_cost = own.tolist(), as_leaf.tolist()
    slack = ROUNDING * float(np.abs(as_leaf).max())
    parent, n_children = tree.parent.tolist(), tree.n_children.tolist()
    chosen = np.zeros(tree.n_nodes, dtype=np.bool_)
    for node in range(tree.n_nodes - 1, -1, -1):
        if not n_children[node]:
            cost[node] = leaf_cost[node]
        elif leaf_cost[node] <= cost[node] + slack:
            cost[node] = leaf_cost[node]
            chosen[node] = True
        if node:
            cost[parent[node]] += cost[node]
    return chosen, np.array(cost)
