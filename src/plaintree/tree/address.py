"""Addresses of nodes by branch numbers from the root, which an edit elsewhere does not change."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

from plaintree.errors import ArgumentTypeError, TreeError

from .node import Node
from .tree import tree_of


def node_at(tree: Any, path: Sequence[int]) -> int:
    """Return the number of the node that a path of branch numbers leads to.

    Numbers of nodes are given level by level, so splitting a leaf changes many of them. A path
    changes only if a node on it does.

    Parameters
    ----------
    tree : Tree or fitted estimator of a single tree
        The tree.
    path : sequence of int
        The branch taken at each node, counted from 0. The empty path leads to the root.

    Returns
    -------
    int
        The number of the node.

    Raises
    ------
    TreeError
        If a node on the path has no such branch.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.tree import node_at, path_of
    >>> X, y = pt.datasets.load_tennis()
    >>> tree = pt.ID3Classifier().fit(X, y).tree_
    >>> node_at(tree, [2, 0]), path_of(tree, 6)
    (6, (2, 0))
    """
    tree, node = tree_of(tree), 0
    if isinstance(path, str) or not isinstance(path, Sequence):
        raise ArgumentTypeError(
            "path must be a sequence of branch numbers",
            got=f"an object of type {type(path).__name__}",
            hint="pass a list such as [2, 0]; [] is the root.",
        )
    for step, branch in enumerate(path):
        n_children = int(tree.n_children[node])
        whole = isinstance(branch, Integral) and not isinstance(branch, bool)
        if not whole or not 0 <= branch < n_children:
            has = f"branches 0 to {n_children - 1}" if n_children else "no branches: it is a leaf"
            raise TreeError(
                "the path leads to no node",
                got=f"branch {branch!r} at step {step + 1} of {list(path)!r}",
                hint=f"node {node} has {has}.",
            )
        node = int(tree.first_child[node]) + int(branch)
    return node


def path_of(tree: Any, node: int | Node) -> tuple[int, ...]:
    """Return the branch numbers that lead from the root to a node.

    Parameters
    ----------
    tree : Tree or fitted estimator of a single tree
        The tree.
    node : int or Node
        The number of the node, or the node itself.

    Returns
    -------
    tuple of int
        The branch taken at each node, counted from 0; empty for the root.

    Raises
    ------
    TreeError
        If there is no node of that number.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.tree import path_of
    >>> X, y = pt.datasets.load_golf()
    >>> path_of(pt.C45Classifier().fit(X, y), 4)
    (1, 0)
    """
    tree = tree_of(tree)
    here = tree.node(node.index if isinstance(node, Node) else node).index
    path: list[int] = []
    while here:
        above = int(tree.parent[here])
        path.append(here - int(tree.first_child[above]))
        here = above
    return tuple(reversed(path))


def node_number(tree: Any, node: int | Node | Sequence[int]) -> int:
    """The number of a node given by its number, as an object or by its path."""
    if isinstance(node, Sequence):
        return node_at(tree, node)
    index = node.index if isinstance(node, Node) else node
    if not isinstance(index, Integral) or isinstance(index, bool):
        raise ArgumentTypeError(
            "node must be a number or a path of branch numbers",
            got=f"an object of type {type(node).__name__}",
            hint="pass 0 or [] for the root.",
        )
    return tree_of(tree).node(int(index)).index
