"""The p-value of every split of a finished tree: adjusted for selection, or chi-square.

A split is the best of many. Its chi-square statistic is the largest of many, so its plain
p-value is far too small: on noise nearly every root has one below 0.05. The adjusted p-value
(src/core/stats/selection.h) is the probability that noise has a split this significant anywhere
among the thresholds or sets of categories of the column, and among the columns that could be split
on, or a bound of it. For two classes and up to 2,000 rows it is exact but for ties in the column.

"chi_square" is Pearson's test of the split by itself, as textbooks teach it. In two-by-two tables
with expected counts below five it has Yates's continuity correction; in larger tables with such
counts it is a rough guide.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plaintree import _core

from .condition import NodeKind
from .conventions import SignificanceTest
from .task import needs_classes
from .tree import Tree

MEANING: dict[SignificanceTest, str] = {
    "adjusted": "adjusted for the choice among all splits of the node",
    "chi_square": "chi-square test of the split alone, not adjusted for the choice",
}


def p_values(tree: Tree, test: SignificanceTest = "adjusted") -> NDArray[np.float64]:
    """The p-value of every node's split; 0 in leaves.

    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> tree = pt.ID3Classifier().fit(X, y).tree_
    >>> p_values(tree, "chi_square").round(3).tolist()
    [0.17, 0.0, 0.192, 0.192, 0.0, 0.0, 0.0, 0.0]
    """
    needs_classes(tree, "the p-value of a split")
    p = np.zeros(tree.n_nodes)
    n_classes = len(tree.schema.classes)
    n_values, n_features = tree.schema.value_counts, _features_left(tree)
    for node in np.flatnonzero(tree.n_children).tolist():
        first = int(tree.first_child[node])
        table = tree.class_weights[first : first + int(tree.n_children[node])].ravel().tolist()
        if test == "chi_square":
            p[node] = _core.chi_square_p(table, n_classes)
            continue
        kind, attribute = int(tree.kind[node]), int(tree.feature[node])
        p[node] = _core.adjusted_p(
            table, n_classes, kind, n_values[attribute], int(n_features[node])
        )
    return p


def _features_left(tree: Tree) -> NDArray[np.int64]:
    """How many features a node could be split on: all but those split many-way above it."""
    left = np.full(tree.n_nodes, len(tree.schema.features), dtype=np.int64)
    for node in range(1, tree.n_nodes):
        parent = int(tree.parent[node])
        left[node] = left[parent] - (tree.kind[parent] == NodeKind.MULTIWAY)
    return left
