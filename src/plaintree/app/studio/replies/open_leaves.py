"""The leaves that the learner would split: those that an edit has left open."""

from __future__ import annotations

import numpy as np

from plaintree.errors import PlaintreeError

from .held import quiet
from .library import grow_on, node_at, path_of, way_to
from .replay import Work


def open_leaves(work: Work) -> list[int]:
    """The numbers of the leaves that the learner would split.

    Leaves that the learner or pruning made are settled. The others are grown to find out.
    """
    tree = work.own_tree()
    unsettled = np.flatnonzero((tree.n_children == 0) & ~work.state.settled).tolist()
    return would_split(work, unsettled)


def would_split(work: Work, leaves: list[int]) -> list[int]:
    """Those of some leaves that the learner would split.

    What is found is kept by the way to the leaf, so after an edit only new leaves are grown.
    """
    tree = work.own_tree()
    if tree.conventions is None or tree.conventions.max_leaf_nodes is not None:
        return _grown(work, leaves)  # whether a leaf may be split depends on all others
    found: dict[object, bool] = work.kept("would split", dict)
    ways = {leaf: way_to(tree, path_of(tree, leaf)) for leaf in leaves}
    unknown = [leaf for leaf in leaves if ways[leaf] not in found]
    split = set(_grown(work, unknown))
    found.update({ways[leaf]: leaf in split for leaf in unknown})
    return [leaf for leaf in leaves if found[ways[leaf]]]


def _grown(work: Work, leaves: list[int]) -> list[int]:
    if not leaves:
        return []
    tree, training = work.own_tree(), work.training
    try:
        with quiet():
            grown = grow_on(work.model, training.X, training.y, nodes=leaves).tree_
    except PlaintreeError:  # a split by hand that the core cannot keep
        return leaves
    return [leaf for leaf in leaves if grown.n_children[node_at(grown, path_of(tree, leaf))]]
