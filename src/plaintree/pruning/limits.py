"""Limits: the rules that stop growing, applied to a finished tree.

A node that growing would not have split under a limit becomes a leaf, so growing a full tree
and limiting it gives the tree that growing under the limit gives. One exception: where a split
falls short of ``min_samples_leaf``, growing looks for another split, but pruning can only cut.

Rows count as in growing: once each, or with their weights where the tree was grown with
``missing="fractional"``. A tree of a bootstrap sample stores its distinct rows, which are counted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.checks import check_choice, check_number
from plaintree.errors import ParameterError, TreeError
from plaintree.tree.conventions import CHOICES, SignificanceTest
from plaintree.tree.cut import Mask
from plaintree.tree.limits import check_samples, rows_of
from plaintree.tree.significance import p_values
from plaintree.tree.tree import Tree

from .task import Floats, Task


def limits(
    task: Task,
    *,
    max_depth: int | None = None,
    min_samples_split: float | None = None,
    min_samples_leaf: float | None = None,
    min_samples_branch: float | None = None,
    min_score: float | None = None,
    significance: float | None = None,
    significance_test: SignificanceTest | None = None,
) -> Tree:
    """Cut the nodes that are beyond at least one of the limits given."""
    tree = task.tree
    cut = np.zeros(tree.n_nodes, dtype=np.bool_)
    sizes = (min_samples_split, min_samples_leaf, min_samples_branch)
    if all(limit is None for limit in (max_depth, *sizes, min_score, significance)):
        raise ParameterError(
            "no limit is given",
            hint="give max_depth, min_samples_split, min_samples_leaf, min_samples_branch, "
            "min_score or significance.",
        )
    if max_depth is not None:
        cut |= tree.node_depths >= check_number("max_depth", max_depth, 0, np.inf)
    rows = counted_rows(tree)
    if min_samples_split is not None:
        cut |= rows < _number("min_samples_split", min_samples_split, rows)
    if min_samples_leaf is not None:
        cut |= _n_branches(tree, rows < _number("min_samples_leaf", min_samples_leaf, rows)) > 0
    if min_samples_branch is not None:
        least = check_number("min_samples_branch", min_samples_branch, 0, np.inf)
        cut |= _n_branches(tree, tree.weight >= least) < 2
    if min_score is not None:
        cut |= _scores(tree) < check_number("min_score", min_score, -np.inf, np.inf)
    if significance is not None:
        by_default = tree.conventions.significance_test if tree.conventions else "adjusted"
        test = by_default if significance_test is None else significance_test
        check_choice("significance_test", test, CHOICES["significance_test"])
        cut |= p_values(tree, test) > check_number("significance", significance, 0, 1)
    return task.cut(cut)


def counted_rows(tree: Tree) -> Floats:
    """The number of rows of each node as limits count them: see the top of this module."""
    divided = tree.conventions is not None and tree.conventions.counts_weights
    return tree.weight if divided else tree.n_rows.astype(np.float64)


def _number(name: str, value: Any, rows: Floats) -> int:
    check_samples(name, value)
    return rows_of(name, value, round(float(rows[0])))


def _n_branches(tree: Tree, chosen: Mask) -> NDArray[np.intp]:
    """How many of its branches with rows are chosen, by node; one of missing values is not."""
    extra = np.zeros(tree.n_nodes, dtype=np.bool_)
    last = tree.n_children - 1
    for node in np.flatnonzero((last >= 0) & (tree.missing_child == last)).tolist():
        condition = tree.condition(node)
        if condition is not None and condition.n_branches == last[node]:
            extra[tree.first_child[node] + last[node]] = True
    counted = chosen & (tree.weight > 0) & ~extra
    counts = np.bincount(tree.parent[1:], counted[1:], tree.n_nodes).astype(np.intp)
    counts[tree.n_children == 0] = 0
    return counts


def _scores(tree: Tree) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    nodes = np.flatnonzero(tree.n_children)
    without = nodes[np.isnan(tree.score[nodes])]
    if without.size:
        raise TreeError(
            "min_score needs the scores of the splits",
            got=f"a tree without a score at node {without[0]}",
            hint="choose another limit for this tree.",
        )
    return np.where(np.isnan(tree.score), np.inf, tree.score)
