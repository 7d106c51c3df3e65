"""The rows of a table that reach one node, found along the path to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaintree.data.encode import encode_columns
from plaintree.data.table import table_from
from plaintree.data.target import comparable, weights_from

from .address import node_number, path_of
from .node import Node
from .tree import Tree, tree_of
from .walk import branches_at, sent_to


class NodeRows(NamedTuple):
    """The rows that reach a node, as :func:`rows_at` finds them.

    Parameters
    ----------
    positions : ndarray of int64
        The positions of the rows in the table, counted from 0, in increasing order.
    weights : ndarray of float64
        The weight of each row here; a fraction of its own where a missing value divided the row.
    """

    positions: NDArray[np.int64]
    weights: NDArray[np.float64]


def rows_at(
    tree: Any,
    X: Any,
    node: int | Node | Sequence[int],
    sample_weight: Any = None,
) -> NodeRows:
    """Find the rows of a table that reach a node, and the weight of each.

    Rows follow the tree as in ``predict``: a row without a value goes where surrogates or the node
    send it, or is divided over the branches. Only the nodes on the path are visited.

    Parameters
    ----------
    tree : Tree or fitted estimator of a single tree
        The tree.
    X : table
        The rows, in any form that ``predict`` takes. Columns that no node on the path splits on
        are not read.
    node : int, Node or sequence of int
        The node: its number, or the branch numbers that lead to it from the root.
    sample_weight : array-like, default=None
        The weights of the rows, scaled as in ``fit``; 1 by default. Rows of weight 0 are left out.

    Returns
    -------
    NodeRows
        The positions and weights of the rows, a pair of arrays.

    Raises
    ------
    TreeError
        If there is no such node.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.tree import rows_at
    >>> X, y = pt.datasets.load_golf()
    >>> model = pt.C45Classifier().fit(X, y)
    >>> rows_at(model, X, [2]).positions.tolist()
    [0, 1, 7, 8, 10]
    >>> blank = {name: [None] for name in X.columns}
    >>> rows_at(model, blank, [2]).weights.round(4).tolist()
    [0.3571]
    """
    tree = tree_of(tree)
    branches = path_of(tree, node_number(tree, node))
    table = table_from(X)
    weights = comparable(weights_from(sample_weight, table.n_rows))
    if weights is None:
        weights = np.ones(table.n_rows)
    columns = _columns_on_path(tree, table, branches)
    at, rows = 0, np.flatnonzero(weights > 0)
    weights = weights[rows]
    for branch in branches:
        found, _ = branches_at(tree, at, columns, rows)
        at = int(tree.first_child[at]) + branch
        shares = sent_to(tree, at, found)
        kept = np.flatnonzero(shares)
        rows, weights = rows[kept], weights[kept] * shares[kept]
    return NodeRows(rows.astype(np.int64), weights)


def _columns_on_path(tree: Tree, table: Any, branches: tuple[int, ...]) -> dict[int, NDArray[Any]]:
    """The columns that nodes on a path and their surrogates split on, encoded."""
    at, used = 0, set[int]()
    for branch in branches:
        used.add(int(tree.feature[at]))
        used.update(surrogate.feature for surrogate in tree.surrogates(at))
        at = int(tree.first_child[at]) + branch
    unseen = tree.conventions.unseen if tree.conventions else "missing"
    return encode_columns(table, tree.schema, used, unseen=unseen)
