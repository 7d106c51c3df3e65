"""The leaves that the learner would split: those that an edit has left open."""

from __future__ import annotations

import numpy as np

from plaintree.errors import PlaintreeError

from .held import quiet
from .library import grow_on, node_at, path_of, way_to
from .replay import Work


def open_leaves(work: Work) -> dict[int, int]:
    """The leaves that the learner would split, each with the number of splits tied with its own.

    Leaves that the learner or pruning made are settled. The others are grown to find out.
    """
    tree = work.own_tree()
    unsettled = np.flatnonzero((tree.n_children == 0) & ~work.state.settled).tolist()
    return would_split(work, unsettled)


def would_split(work: Work, leaves: list[int]) -> dict[int, int]:
    """Those of some leaves that the learner would split, and how many splits tie with its own.

    What is found is kept by the way to the leaf, so after an edit only new leaves are grown.
    """
    tree = work.own_tree()
    if tree.conventions is None or tree.conventions.max_leaf_nodes is not None:
        return _grown(work, leaves)  # whether a leaf may be split depends on all others
    found: dict[object, int | None] = work.kept("would split", dict)
    ways = {leaf: way_to(tree, path_of(tree, leaf)) for leaf in leaves}
    unknown = [leaf for leaf in leaves if ways[leaf] not in found]
    split = _grown(work, unknown)
    found.update({ways[leaf]: split.get(leaf) for leaf in unknown})
    pairs = ((leaf, found[ways[leaf]]) for leaf in leaves)
    return {leaf: n_tied for leaf, n_tied in pairs if n_tied is not None}


def _grown(work: Work, leaves: list[int]) -> dict[int, int]:
    if not leaves:
        return {}
    tree, training = work.own_tree(), work.training
    try:
        with quiet():
            grown = grow_on(work.model, training.X, training.y, nodes=leaves).tree_
    except PlaintreeError:  # a split by hand that the core cannot keep
        return dict.fromkeys(leaves, 0)
    places = {leaf: node_at(grown, path_of(tree, leaf)) for leaf in leaves}
    return {leaf: int(grown.n_tied[at]) for leaf, at in places.items() if grown.n_children[at]}
