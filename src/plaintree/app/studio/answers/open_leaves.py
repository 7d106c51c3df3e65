"""The leaves that the learner would split: those that an edit has left open."""

from __future__ import annotations

import numpy as np

from plaintree.errors import TreeError

from .analysis import place_of
from .library import path_of
from .replay import Work


def open_leaves(work: Work) -> list[int]:
    """The numbers of the leaves that the learner would split.

    Leaves that the learner or pruning made are settled.
    """
    tree = work.own_tree()
    unsettled = np.flatnonzero((tree.n_children == 0) & ~work.state.settled).tolist()
    try:
        return [
            node for node in unsettled if place_of(work, list(path_of(tree, node))).stop is None
        ]
    except TreeError:  # conventions that are not followed
        return unsettled
