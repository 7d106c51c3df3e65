"""Nested trees, each cut from one tree, measured without making them.

A node that is cut is a leaf of the small trees and an inner node of the larger ones. So every node
is a leaf for an interval of the sequence, and one walk of the rows serves all trees.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plaintree.data.rows import Rows
from plaintree.tree.cut import Mask, cut_nodes
from plaintree.tree.predict import row_predictions
from plaintree.tree.prediction import loss_of
from plaintree.tree.row_batches import AnyRows, each_batch
from plaintree.tree.tree import Tree
from plaintree.tree.walk import may_be_divided

from .losses import node_losses

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class NestedTrees:
    """A sequence of trees from small to large, all cut from ``source``.

    - ``masks``: the nodes that are cut for each tree; each mask is a part of the one before it.
    - ``from_tree``: the position of the first tree in which a node, and all above it, is not cut.
    - ``present_from``: the position of the first tree that contains the node.
    """

    source: Tree
    masks: Sequence[Mask]
    from_tree: Integers
    present_from: Integers

    @classmethod
    def of(cls, tree: Tree, masks: Sequence[Mask]) -> NestedTrees:
        """The trees of nested masks, the largest mask first."""
        n_cut = np.zeros(tree.n_nodes, dtype=np.int64)
        for mask in masks:
            n_cut += mask
        from_tree = np.where(tree.n_children > 0, n_cut, 0)
        above = np.maximum(tree.parent, 0)
        while above.any():  # all nodes look up at once, twice as far every time
            from_tree = np.maximum(from_tree, from_tree[above])
            above = above[above]
        present_from = np.concatenate([[0], from_tree[tree.parent[1:]]])
        return cls(tree, masks, from_tree, present_from)

    @property
    def sizes(self) -> Integers:
        """The number of internal nodes of each tree."""
        return self._n_started(self.from_tree[self.source.n_children > 0])

    @property
    def n_leaves(self) -> Integers:
        """The number of leaves of each tree."""
        return self._n_started(self.present_from) - self.sizes

    @property
    def depths(self) -> Integers:
        """The depth of each tree."""
        deepest = np.zeros(len(self.masks) + 1, dtype=np.int64)
        np.maximum.at(deepest, self.present_from, self.source.node_depths)
        return np.maximum.accumulate(deepest)[:-1]

    def _n_started(self, positions: Integers) -> Integers:
        """For each tree, how many of the positions are its own or smaller."""
        return np.cumsum(np.bincount(positions, minlength=len(self.masks) + 1))[:-1]

    def mean_losses(self, rows: AnyRows) -> Floats:
        """The mean loss of each tree on the rows, by weight: the error rate of classes."""
        total, weight = np.zeros(len(self.masks)), 0.0
        for batch in each_batch(rows):
            divided = may_be_divided(self.source, batch)
            if not divided.all():
                total += self._total_losses(batch[~divided])
            if divided.any():  # a row's parts predict together: no interval of one node
                total += self._one_by_one(batch[divided])
            weight += batch.known_weights.sum()
        return np.asarray(total / weight)

    def _one_by_one(self, rows: Rows) -> Floats:
        loss, trees = loss_of(self.source).of, (cut_nodes(self.source, m) for m in self.masks)
        losses = (loss(row_predictions(tree, rows.columns), rows.target) for tree in trees)
        return np.array([rows.known_weights @ each for each in losses])

    def _total_losses(self, rows: Rows) -> Floats:
        """The total loss of each tree, for rows that are never divided.

        Sums begin with the largest tree, whose losses may be tiny.
        """
        losses = node_losses(self.source, rows)
        changes = np.zeros(len(self.masks) + 1)
        changes[-1] = losses.stopped.sum()
        np.subtract.at(changes, self.from_tree, losses.stopped)
        cut = self.present_from < self.from_tree
        np.add.at(changes, self.from_tree[cut], losses.as_leaf[cut])
        np.subtract.at(changes, self.present_from[cut], losses.as_leaf[cut])
        return np.cumsum(changes[::-1])[-2::-1].clip(min=0.0)
