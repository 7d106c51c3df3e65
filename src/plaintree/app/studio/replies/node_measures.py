"""Measures of all nodes of a tree at once: gain, training errors, intervals."""

from __future__ import annotations

import numpy as np

from plaintree.evaluation.evaluate import normal_deviation
from plaintree.stats.impurity import x_log_x
from plaintree.stats.intervals import wilson
from plaintree.tree.condition import DIVIDES
from plaintree.tree.conventions import criterion_of
from plaintree.tree.prediction import rule_of, spread_of
from plaintree.tree.tree import Tree
from plaintree.tree.walk import Floats

CONFIDENCE = 0.95
DIGITS = 4
"""Decimals that proportions and errors are sent with."""
SMALLEST = np.finfo(float).tiny


def gains(tree: Tree, missing: Floats) -> Floats | None:
    """The information gain of each split that was chosen by its gain ratio, given the weight of
    rows without a value; None where the score itself is a gain, or more was weighed in.

    The gain is the ratio times the entropy of the branches' sizes, in which divided rows are a
    branch of their own.
    """
    of_classes = bool(tree.schema.classes)
    if not of_classes or criterion_of(tree.conventions, tree.schema) != "gain_ratio":
        return None
    rule = rule_of(tree)
    if rule.ratios is not None or rule.costs is not None:
        return None
    apart = np.where(tree.missing_child == DIVIDES, missing, 0.0)
    whole = np.maximum(tree.weight, SMALLEST)
    above = tree.parent[1:]
    branches = tree.weight[1:] * (1 - apart / whole)[above]
    terms = x_log_x(apart)
    np.add.at(terms, above, x_log_x(branches))
    split_info = (x_log_x(whole) - terms) / whole
    with np.errstate(invalid="ignore"):  # one branch has all rows: there is no ratio
        return np.asarray(tree.score * split_info)


def training_errors(tree: Tree) -> Floats | None:
    """The weight of the training rows below each node that its leaves predict wrongly; None for
    numbers. Rows that stop at an inner node are errors of that node."""
    if not tree.schema.classes:
        return None
    stopped, above = tree.class_weights.copy(), tree.parent[1:]
    np.subtract.at(stopped, above, tree.class_weights[1:])
    right = np.take_along_axis(stopped, tree.label[:, None].astype(np.intp), axis=1)[:, 0]
    errors = np.asarray(stopped.sum(axis=1) - right)
    begins = np.searchsorted(tree.node_depths, np.arange(tree.depth + 2)).tolist()
    for level in range(tree.depth, 0, -1):
        nodes = slice(begins[level], begins[level + 1])
        np.add.at(errors, tree.parent[nodes], errors[nodes])
    return np.asarray(np.round(errors.clip(min=0.0), DIGITS))


def spreads(tree: Tree) -> Floats:
    """How far the training targets of each node are from its prediction, in their unit."""
    return np.array([spread_of(tree, node).distance for node in range(tree.n_nodes)])


def intervals(tree: Tree) -> tuple[Floats, Floats]:
    """The 95 % interval of the proportion of each node's class among its rows, by Wilson; for
    numbers one spread below and above the prediction, as explanations have it."""
    if not tree.schema.classes:
        around = spreads(tree)
        return tree.prediction - around, tree.prediction + around
    right = np.take_along_axis(tree.class_weights, tree.label[:, None].astype(np.intp), axis=1)
    pairs = np.column_stack([right[:, 0], tree.weight])
    distinct, place = np.unique(pairs, axis=0, return_inverse=True)
    deviation = normal_deviation(CONFIDENCE)
    ends = np.array([wilson(part / (n or 1), n, deviation) for part, n in distinct.tolist()])
    low, high = ends[place.ravel()].T
    return low.round(DIGITS), high.round(DIGITS)
