"""The classes that the nodes of a tree predict, and their class probabilities.

A row that ends in one node is predicted the label of that node, whatever its class weights are. For
a row divided over several nodes the class probabilities of the nodes are added up, and the class of
the greatest sum is predicted (of tied classes the first). Probabilities are always those of the
training rows, so the label need not be the most probable class: trees imported with losses or
priors, relabelled leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from plaintree.checks import check_choice
from plaintree.stats.losses import ERROR, OF_CRITERION, Loss

from .conventions import criterion_of
from .tree import Tree

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
Ties = Literal["first", "random"]


def majority_classes(class_weights: NDArray[Any]) -> Codes:
    """The first class of the greatest weight in each row of a matrix (nodes x classes)."""
    if class_weights.shape[1] == 2:  # argmax of short rows is slow
        return np.asarray(class_weights[:, 1] > class_weights[:, 0], dtype=np.int64)
    return np.asarray(class_weights.argmax(axis=1), dtype=np.int64)


def labels_of(
    parent: NDArray[Any], class_weights: NDArray[Any], given: Sequence[int | None] = ()
) -> Codes:
    """The label of each node of a tree: its majority class, or without rows its parent's label.

    ``parent`` holds the parent of each node, parents before their children; ``given`` holds the
    labels that are known already (None: not known).
    """
    labels = majority_classes(class_weights)
    without_rows = np.logical_not((class_weights > 0).any(axis=1))
    without_rows[0] = False  # a root has no parent
    known = {node: label for node, label in enumerate(given) if label is not None}
    for node in sorted({*known, *np.flatnonzero(without_rows).tolist()}):
        labels[node] = known[node] if node in known else labels[parent[node]]
    return labels


def predicted_classes(tree: Tree) -> Codes:
    """The class that each node predicts: its label."""
    return tree.label.astype(np.int64)


def class_probabilities(tree: Tree) -> Floats:
    """The class probabilities of each node, nodes x classes; without rows, 1 for the label."""
    empty = tree.weight <= 0
    probabilities = tree.class_weights / np.where(empty, 1.0, tree.weight)[:, None]
    probabilities[empty] = 0.0
    probabilities[empty, tree.label[empty]] = 1.0
    return np.asarray(probabilities)


def predicted_values(tree: Tree) -> Floats:
    """What is averaged over nodes and trees: class probabilities, or the number as one column."""
    return class_probabilities(tree) if tree.schema.classes else tree.prediction[:, None]


def node_predictions(tree: Tree, labels: NDArray[Any] | None = None) -> NDArray[Any]:
    """The prediction of each node as targets are encoded: its label, or that given; or a number."""
    if tree.schema.classes:
        return tree.label if labels is None else labels
    return tree.prediction


def loss_of(tree: Tree) -> Loss:
    """The loss that predictions of a tree are judged by, on encoded targets."""
    if tree.schema.classes:
        return ERROR
    return OF_CRITERION[criterion_of(tree.conventions, tree.schema)]


def node_risks(tree: Tree) -> Floats:
    """The risk of each node as a leaf: the loss of its prediction on its training rows, by weight.

    For classes the weight of the rows that are not of the majority class; for numbers the sum of
    squares, of absolute deviations, or half of the Poisson deviance, as the criterion has it.
    """
    if tree.schema.classes:
        return np.asarray(tree.weight - tree.class_weights.max(axis=1)).clip(min=0.0)
    return np.asarray(tree.weight * tree.impurity)


def leaf_labels(tree: Tree, ties: Ties = "first", random: Any = None) -> NDArray[np.int32]:
    """The label of every node if it is made a leaf: the majority class of its training rows.

    Leaves keep their label, and so do nodes without rows. Of tied classes the first is taken, or
    with ``ties="random"`` one that ``random`` (a RandomState) draws.
    """
    check_choice("ties", ties, get_args(Ties))
    if not tree.schema.classes:
        return tree.label.copy()
    weights = tree.class_weights
    fixed = (tree.n_children == 0) | (tree.weight <= 0)
    labels = np.where(fixed, tree.label, majority_classes(weights)).astype(np.int32)
    if ties == "random":
        tied = weights == weights.max(axis=1, keepdims=True)
        for node in np.flatnonzero(~fixed & (tied.sum(axis=1) > 1)).tolist():
            labels[node] = random.choice(np.flatnonzero(tied[node]))
    return labels
