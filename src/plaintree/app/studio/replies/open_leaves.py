"""The leaves that the learner would split: those that an edit has left open."""

from __future__ import annotations

import numpy as np

from plaintree.errors import PlaintreeError

from .held import quiet
from .library import grow_on, node_at, path_of
from .replay import Work


def open_leaves(work: Work) -> list[int]:
    """The numbers of the leaves that the learner would split.

    Leaves that the learner or pruning made are settled. The others are grown to find out.
    """
    tree = work.own_tree()
    unsettled = np.flatnonzero((tree.n_children == 0) & ~work.state.settled).tolist()
    return would_split(work, unsettled)


def would_split(work: Work, leaves: list[int]) -> list[int]:
    """Those of some leaves that the learner would split."""
    if not leaves:
        return []
    tree, training = work.own_tree(), work.training
    try:
        with quiet():
            grown = grow_on(work.model, training.X, training.y, nodes=leaves).tree_
    except PlaintreeError:  # a split by hand that the core cannot keep
        return leaves
    return [leaf for leaf in leaves if grown.n_children[node_at(grown, path_of(tree, leaf))]]
