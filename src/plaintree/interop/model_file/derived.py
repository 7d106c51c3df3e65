"""Parts of a tree that follow from the others, so they are not stored.

Counts of inner nodes are the sums of their children's, weights the sums of the class weights,
labels the majority classes, and impurities and scores are arithmetic of class weights where the
criterion is the Gini index. A writer computes these and leaves out an array that comes out the
same to the last bit; a reader computes it again. Only sums, products and quotients are used,
which every machine rounds alike; logarithms are not, so entropies are always stored.

The nodes are those of several trees, one tree after the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from plaintree.tree.prediction import majority_classes

Whole = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST_LEVELS = 2_000
"""Deeper trees are not added up level by level: it would take long, and they are rare."""


@dataclass(frozen=True, eq=False)
class Shape:
    """The structure of trees; ``first_child`` counts from the first node of all trees."""

    sizes: Whole
    n_children: Whole
    first_child: Whole

    @classmethod
    def of(cls, sizes: Whole, n_children: Whole) -> Shape | None:
        """The shape of trees numbered level by level, or None if there is no such shape."""
        starts = np.cumsum(sizes) - sizes
        if (n_children > len(n_children)).any():
            return None
        ends = np.cumsum(n_children)
        if not np.array_equal(np.add.reduceat(n_children, starts), sizes - 1):
            return None
        tree = np.repeat(np.arange(len(sizes)), sizes)
        before = ends - n_children  # children of earlier nodes, which n_trees - 1 roots are not
        first_child = np.where(n_children > 0, before + tree + 1, -1)
        if ((n_children > 0) & (first_child <= np.arange(len(tree)))).any():
            return None
        return cls(sizes, n_children, first_child)

    @cached_property
    def inner(self) -> NDArray[np.intp]:
        """The nodes that have children."""
        return np.flatnonzero(self.n_children)

    @cached_property
    def two_each(self) -> bool:
        """Whether every inner node has two children."""
        return bool((self.n_children[self.inner] == 2).all())

    @cached_property
    def parent(self) -> Whole:
        """The parent of every node; roots are their own."""
        parents = np.zeros(len(self.n_children), dtype=np.int64)
        roots = np.cumsum(self.sizes) - self.sizes
        below = np.ones(len(parents), dtype=np.bool_)
        below[roots] = False
        parents[below] = np.repeat(self.inner, self.n_children[self.inner])
        parents[roots] = roots
        return parents

    @cached_property
    def parents_by_level(self) -> list[Whole] | None:
        """The inner nodes of each level, from the roots down; None if there are too many levels."""
        levels: list[Whole] = []
        nodes: Whole = np.cumsum(self.sizes) - self.sizes
        while True:
            nodes = nodes[self.n_children[nodes] > 0]
            if not len(nodes):
                return levels
            if len(levels) == MOST_LEVELS:
                return None
            levels.append(nodes)
            nodes = self._children(nodes)

    def _children(self, nodes: Whole) -> Whole:
        first, n = self.first_child[nodes], self.n_children[nodes]
        if self.two_each:
            return (first[:, None] + np.arange(2)).ravel()
        return np.repeat(first - np.cumsum(n) + n, n) + np.arange(n.sum())


def add_up(shape: Shape, values: Floats) -> None:
    """Make the values (nodes x columns) of inner nodes the sums of their children's."""
    for nodes in reversed(shape.parents_by_level or []):
        if shape.two_each:
            first = shape.first_child[nodes]
            values[nodes] = values[first] + values[first + 1]
        else:
            n = shape.n_children[nodes]
            values[nodes] = np.add.reduceat(
                values[shape._children(nodes)], np.cumsum(n) - n, axis=0
            )


def weights_of(class_weights: Floats) -> Floats:
    """The sum of each node's class weights, from the first class on."""
    total = class_weights[:, 0].copy()
    for column in class_weights.T[1:]:
        total += column
    return total


def usual_labels(shape: Shape, class_weights: Floats, weight: Floats) -> NDArray[np.int32]:
    """The majority class of each node; of a node without rows that of its parent.

    Unlike :func:`plaintree.tree.prediction.labels_of` this looks one level up only. Files leave
    out labels by this rule, so it must not change.
    """
    labels = majority_classes(class_weights).astype(np.int32)
    empty = np.flatnonzero(weight <= 0)
    labels[empty] = labels[shape.parent[empty]]
    return labels


# The Gini index as the core rounds it. Model files leave out impurities that come out the same to
# the last bit, so this arithmetic is part of the format: it must not change, and it must not be
# replaced by stats/impurity, which rounds otherwise.


def gini_by_information(class_weights: Floats, weight: Floats) -> Floats:
    """Compute the Gini index of each node from its weight and its class weights."""
    divisor = np.where(weight > 0, weight, 1.0)
    return _gini_information(class_weights, weight) / divisor


def gini_by_shares(class_weights: Floats, weight: Floats) -> Floats:
    """The Gini index of each node: the sum of p (1 - p) over the classes; 0 without rows."""
    divisor = np.where(weight > 0, weight, 1.0)
    total = np.zeros(len(weight))
    for column in class_weights.T:
        share = column / divisor
        total += share * (1 - share)
    return np.where(weight > 0, total, 0.0)


def gini_gains(shape: Shape, class_weights: Floats, weight: Floats) -> Floats | None:
    """Compute the decrease of the Gini index at each internal node; None unless all have two
    branches."""
    if not shape.two_each:
        return None
    divisor = np.where(weight > 0, weight, 1.0)
    information = _gini_information(class_weights, weight)
    nodes = shape.inner
    first = shape.first_child[nodes]
    left_open = (information[first] + information[first + 1]) / divisor[nodes]
    return np.asarray(information[nodes] / divisor[nodes] - left_open)


def _gini_information(class_weights: Floats, weight: Floats) -> Floats:
    """Weight times Gini index."""
    squares = np.zeros(len(weight))
    for column in class_weights.T:
        squares += column * column
    return np.where(weight > 0, weight - squares / np.where(weight > 0, weight, 1.0), 0.0)


IMPURITIES = (gini_by_information, gini_by_shares)
"""Ways to the Gini index, which differ in the last bit; files name them by their positions."""
