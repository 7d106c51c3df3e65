"""What the nodes of a tree answer: the one place that knows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .tree import Tree


def node_answers(tree: Tree) -> NDArray[np.int64]:
    """The class that each node answers: the heaviest, of equals the first or the label."""
    weights, nodes = tree.class_weights, np.arange(tree.n_nodes)
    heaviest = weights.argmax(axis=1)
    label = tree.label.astype(np.int64)
    label_wins = tree.conventions is None or tree.conventions.tied_answer == "label"
    tied = label_wins & (weights[nodes, label] == weights[nodes, heaviest])
    return np.where((tree.weight <= 0) | tied, label, heaviest)


def node_shares(tree: Tree) -> NDArray[np.float64]:
    """The share of each class at each node, nodes x classes."""
    empty = tree.weight <= 0
    shares = tree.class_weights / np.where(empty, 1.0, tree.weight)[:, None]
    shares[empty] = 0.0
    shares[empty, tree.label[empty]] = 1.0
    return np.asarray(shares)


def divides(tree: Tree) -> bool:
    """Whether some node divides rows without a value over its branches."""
    return bool((tree.missing_child[tree.n_children > 0] < 0).any())
