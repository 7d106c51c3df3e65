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
from plaintree.tree.predict import class_codes, predicting_nodes
from plaintree.tree.prediction import leaf_labels, predicted_classes
from plaintree.tree.tree import Tree
from plaintree.tree.walk import may_be_divided

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

    def error_rates(self, rows: Rows) -> Floats:
        """The error rate of each tree on the rows, by weight."""
        divided = may_be_divided(self.source, rows)
        wrong = self._wrong_weights(rows[~divided]) if not divided.all() else 0.0
        if divided.any():  # where a row's parts end, the parts vote: no interval of one node
            wrong = wrong + self._wrong_one_by_one(rows[divided])
        return np.asarray(wrong / rows.known_weights.sum())

    def _wrong_one_by_one(self, rows: Rows) -> Floats:
        trees = (cut_nodes(self.source, mask) for mask in self.masks)
        wrong = (class_codes(tree, rows.columns) != rows.codes for tree in trees)
        return np.array([rows.known_weights[errors].sum() for errors in wrong])

    def _wrong_weights(self, rows: Rows) -> Floats:
        """The weight of the errors of each tree, for rows that are never divided."""
        tree, n_classes = self.source, len(self.source.schema.classes)
        ends = predicting_nodes(tree, rows.columns).astype(np.int64)
        pairs, place = np.unique(ends * n_classes + rows.codes, return_inverse=True)
        weights = np.bincount(place, rows.known_weights)
        nodes, codes = np.divmod(pairs, n_classes)
        changes = np.zeros(len(self.masks) + 1)
        wrong = predicted_classes(tree)[nodes] != codes
        np.add.at(changes, self.from_tree[nodes[wrong]], weights[wrong])
        as_leaf = leaf_labels(tree)
        while len(nodes):  # all rows climb one edge at a time
            wrong = (as_leaf[nodes] != codes) & (self.present_from[nodes] < self.from_tree[nodes])
            np.add.at(changes, self.present_from[nodes[wrong]], weights[wrong])
            np.subtract.at(changes, self.from_tree[nodes[wrong]], weights[wrong])
            nodes = tree.parent[nodes].astype(np.int64)
            climbing = nodes >= 0
            nodes, codes, weights = nodes[climbing], codes[climbing], weights[climbing]
        return np.cumsum(changes)[:-1].clip(min=0.0)
