"""Folding of large trees: all nodes down to a depth are shown, and the leaves below counted.

Nodes are numbered level by level, so the nodes down to a depth are the first ones.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from plaintree.errors import ParameterError
from plaintree.tree.tree import Tree

Depth = int | Literal["auto"] | None


def checked_depth(max_depth: Any, *, automatic: bool = True) -> Depth:
    """The depth down to which a tree is shown (None: all of it), or an error."""
    if max_depth is None:
        return None
    if automatic and isinstance(max_depth, str) and max_depth == "auto":
        return "auto"
    is_integer = isinstance(max_depth, int | np.integer) and not isinstance(max_depth, bool)
    if is_integer and max_depth >= 0:
        return int(max_depth)
    fitting = ' "auto"' if automatic else ""
    raise ParameterError(
        f"max_depth must be an int >= 0,{fitting} or None", got=f"max_depth={max_depth!r}"
    )


def shown_nodes(tree: Tree, depth: int | None) -> int:
    """The number of nodes down to a depth."""
    if depth is None:
        return tree.n_nodes
    return int(np.searchsorted(tree.node_depths, depth, side="right"))


def hidden_leaves(tree: Tree, depth: int | None, below: list[int]) -> list[int]:
    """For every node shown, the leaves below it if they are not shown, otherwise 0.

    ``below`` are the leaves below all nodes (:func:`leaves_below`).
    """
    n = shown_nodes(tree, depth)
    folded = (tree.node_depths[:n] == depth) & (tree.n_children[:n] > 0)
    return [leaves if fold else 0 for leaves, fold in zip(below[:n], folded.tolist(), strict=True)]


def leaves_below(tree: Tree) -> list[int]:
    """The number of leaves at or below every node."""
    parent = tree.parent.tolist()
    below = [int(not branches) for branches in tree.n_children.tolist()]
    for node in range(tree.n_nodes - 1, 0, -1):  # children before parents
        below[parent[node]] += below[node]
    return below


def fold_note(n_leaves: int) -> str:
    """The note of a folded node on the leaves below it."""
    return f"… {n_leaves} leaves below" if n_leaves else ""
