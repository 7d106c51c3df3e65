"""Pessimistic pruning (Quinlan 1987): training errors, corrected for optimism; no other rows.

Half an error is added for every leaf (the continuity correction of the binomial distribution). A
subtree gives way to a leaf whose corrected errors are within one standard error of its own. The
paper goes from the root down and judges every subtree as it was grown, so all nodes can be judged
at once: what is below a cut node is gone anyway. All leaves count, also those without rows.
"""

from __future__ import annotations

import numpy as np

from plaintree.tree.prediction import node_risks
from plaintree.tree.tree import Tree

from .task import Task, subtree_sums


def pessimistic(task: Task) -> Tree:
    """Cut the subtrees that are not better than a leaf by more than one standard error."""
    tree = task.tree
    leaf = tree.n_children == 0
    errors = node_risks(tree)
    corrected = subtree_sums(tree, np.where(leaf, errors + 0.5, 0.0))
    known = np.where(tree.weight > 0, tree.weight, 1.0)
    variance = corrected * (tree.weight - corrected).clip(min=0.0) / known
    limit = corrected + np.sqrt(variance)
    return task.cut(errors + 0.5 <= limit)
