"""Limits: the rules that stop growing, applied to a finished tree.

A node that growing would not have split under a limit becomes a leaf, so that growing a full tree
and limiting it gives the tree that growing under the limit gives. One exception: where a test
falls short of ``min_samples_branch``, growing looks for another test, but pruning can only cut.
"""

from __future__ import annotations

import numpy as np

from plaintree.checks import check_choice, check_number
from plaintree.errors import ParameterError, TreeError
from plaintree.tree.conventions import CHOICES, SignificanceTest
from plaintree.tree.cut import Mask
from plaintree.tree.significance import p_values
from plaintree.tree.tree import Tree

from .task import Task


def limits(
    task: Task,
    *,
    max_depth: int | None = None,
    min_samples_split: float | None = None,
    min_samples_branch: float | None = None,
    min_score: float | None = None,
    significance: float | None = None,
    significance_test: SignificanceTest | None = None,
) -> Tree:
    """Cut the nodes that are beyond at least one of the limits given."""
    tree = task.tree
    cut = np.zeros(tree.n_nodes, dtype=np.bool_)
    given = (max_depth, min_samples_split, min_samples_branch, min_score, significance)
    if all(limit is None for limit in given):
        raise ParameterError(
            "no limit is given",
            hint="give max_depth, min_samples_split or _branch, min_score or significance.",
        )
    if max_depth is not None:
        cut |= tree.node_depths >= check_number("max_depth", max_depth, 0, np.inf)
    if min_samples_split is not None:
        cut |= tree.weight < check_number("min_samples_split", min_samples_split, 0, np.inf)
    if min_samples_branch is not None:
        least = check_number("min_samples_branch", min_samples_branch, 0, np.inf)
        cut |= _branches_too_small(tree, least)
    if min_score is not None:
        cut |= _scores(tree) < check_number("min_score", min_score, -np.inf, np.inf)
    if significance is not None:
        by_default = tree.conventions.significance_test if tree.conventions else "adjusted"
        test = by_default if significance_test is None else significance_test
        check_choice("significance_test", test, CHOICES["significance_test"])
        cut |= p_values(tree, test) > check_number("significance", significance, 0, 1)
    return task.cut(cut)


def _branches_too_small(tree: Tree, least: float) -> Mask:
    """Nodes with a branch of rows below the least weight, or, where the tree was grown by C4.5's
    rule, with fewer than two branches of that weight. A branch for missing values does not count.
    """
    every = tree.conventions is None or tree.conventions.branch_rule == "every"
    extra = np.zeros(tree.n_nodes, dtype=np.bool_)
    last = tree.n_children - 1
    for node in np.flatnonzero((last >= 0) & (tree.missing_child == last)).tolist():
        condition = tree.condition(node)
        if condition is not None and condition.n_branches == last[node]:
            extra[tree.first_child[node] + last[node]] = True
    counts = (tree.weight > 0) & ~extra
    n_small, n_enough = np.zeros(tree.n_nodes), np.zeros(tree.n_nodes)
    np.add.at(n_small, tree.parent[1:], (counts & (tree.weight < least))[1:])
    np.add.at(n_enough, tree.parent[1:], (counts & (tree.weight >= least))[1:])
    return np.asarray(n_small > 0 if every else n_enough < 2)


def _scores(tree: Tree) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    nodes = np.flatnonzero(tree.n_children)
    without = nodes[np.isnan(tree.score[nodes])]
    if without.size:
        raise TreeError(
            "min_score needs the scores of the tests",
            got=f"a tree without a score at node {without[0]}",
            hint="choose another limit for this tree.",
        )
    return np.where(np.isnan(tree.score), np.inf, tree.score)
