"""Best-first growth: the splits that decrease impurity most, up to a maximum number of leaves.

The split of a node depends on its rows alone, not on what was split before. So the tree that
best-first growth makes is a part of the fully grown one, and it is found by choosing among splits.
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import inf

import numpy as np
from numpy.typing import NDArray

from .cut import cut_nodes
from .tree import Tree


def keep_best(tree: Tree, max_leaf_nodes: int, given: NDArray[np.bool_] | None = None) -> Tree:
    """Return the tree with at most so many leaves that best-first growth makes.

    Of all leaves so far, the one whose split decreases the total impurity most is split next; of
    equal ones the first. A split with more branches than there is space for is left out. Splits
    that are ``given`` (as a mask of nodes) are there from the start, however many they are.
    """
    mass = tree.weight * tree.impurity
    below = np.zeros(tree.n_nodes)
    np.add.at(below, tree.parent[1:], mass[1:])
    decrease = (mass - below).tolist()
    first, count = tree.first_child.tolist(), tree.n_children.tolist()
    is_split = np.zeros(tree.n_nodes, dtype=np.bool_)
    stays = [False] * tree.n_nodes if given is None else given.tolist()

    def place(node: int) -> tuple[float, int]:
        return (-inf if stays[node] else -decrease[node], node)

    waiting, n_leaves = [place(0)], 1
    while waiting:
        _, node = heappop(waiting)
        too_many = n_leaves + count[node] - 1 > max_leaf_nodes
        if not count[node] or (too_many and not stays[node]):
            continue
        is_split[node] = True
        n_leaves += count[node] - 1
        for child in range(first[node], first[node] + count[node]):
            heappush(waiting, place(child))
    return cut_nodes(tree, ~is_split)
