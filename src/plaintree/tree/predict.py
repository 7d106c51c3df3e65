"""Prediction for encoded rows: the leaf, the class probabilities or the class.

Needs a tree and columns encoded by its schema, nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from plaintree import _core

from .decision import MAJORITY
from .prediction import rule_of, votes_of
from .tree import ARRAY_DTYPES, Tree

Columns = Sequence[NDArray[Any]]


def predicting_nodes(tree: Tree, columns: Columns, *, n_threads: int = 1) -> NDArray[np.int32]:
    """The node that predicts each row; for a divided row, that of its largest part."""
    return _call(_core.predict_nodes, tree, columns, n_threads)


def class_shares(tree: Tree, columns: Columns, *, n_threads: int = 1) -> NDArray[np.float64]:
    """The probability of each class for each row; those of a row add up to one."""
    return _call(_core.predict_shares, tree, columns, n_threads)


def predicted_numbers(tree: Tree, columns: Columns, *, n_threads: int = 1) -> NDArray[np.float64]:
    """The number that a tree of a numeric target predicts for each row."""
    return _call(_core.predict_shares, tree, columns, n_threads)[:, 0]


def class_codes(tree: Tree, columns: Columns, *, n_threads: int = 1) -> NDArray[np.int32]:
    """The label of the node where each row ends.

    For a row divided over several nodes, the most probable class, or that of the least expected
    cost; on ties the first one.
    """
    return _call(_core.predict_classes, tree, columns, n_threads)


def row_predictions(tree: Tree, columns: Columns) -> NDArray[Any]:
    """What a tree predicts for each row, as targets are encoded: a class code, or a number."""
    return (class_codes if tree.schema.classes else predicted_numbers)(tree, columns)


def _call(
    function: Callable[..., NDArray[Any]], tree: Tree, columns: Columns, n_threads: int
) -> NDArray[Any]:
    unseen = tree.conventions.unseen if tree.conventions else "missing"
    return function(
        tree=_with_votes(tree),
        columns=list(columns),
        n_categories=tree.schema.category_counts,
        n_rows=len(columns[0]),
        unseen_stops=unseen == "stop",
        n_threads=n_threads,
    )


def _with_votes(tree: Tree) -> Any:
    """The tree, or its arrays with class weights as they count, and the costs of predictions."""
    rule = rule_of(tree) if tree.schema.classes else MAJORITY
    if rule.is_majority:
        return tree
    votes, total = votes_of(tree)
    arrays = {name: getattr(tree, name) for name in ARRAY_DTYPES}
    arrays |= {"class_weights": np.ascontiguousarray(votes), "weight": total}
    costs = np.empty(0) if rule.decisive is None else rule.decisive.ravel()
    return SimpleNamespace(**arrays, decision_costs=costs)


def visited_nodes(tree: Tree, nodes: NDArray[np.int32]) -> csr_matrix:
    """The paths from the root to the given nodes, as a sparse matrix of rows x nodes."""
    lengths = tree.node_depths[nodes].astype(np.int64) + 1
    ends = np.cumsum(lengths)
    visited = np.empty(int(ends[-1]) if len(ends) else 0, dtype=np.int32)
    place, current = ends - 1, nodes.astype(np.int64)
    while len(current):  # all rows climb one edge at a time
        visited[place] = current
        above = tree.parent[current]
        climbing = above >= 0
        place, current = place[climbing] - 1, above[climbing].astype(np.int64)
    starts = np.concatenate([[0], ends])
    ones = np.ones(len(visited), dtype=np.int8)
    return csr_matrix((ones, visited, starts), shape=(len(nodes), tree.n_nodes))
