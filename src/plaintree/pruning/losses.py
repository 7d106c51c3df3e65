"""The loss of rows at every node of a tree, if the node was a leaf and as it stands.

Reduced error, cross-validation and error curves need no more of validation rows: a pruned tree's
loss is the sum over its leaves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.rows import Rows, class_positions
from plaintree.tree.prediction import leaf_labels, loss_of, node_predictions
from plaintree.tree.row_batches import AnyRows, each_batch
from plaintree.tree.tree import Tree
from plaintree.tree.walk import ended_parts

from .task import Floats

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class NodeLosses:
    """The total loss of rows at each node.

    - ``as_leaf``: of all rows that reach the node, if it is made a leaf.
    - ``stopped``: of the rows that end in the node as it stands; all of them in a leaf.
    """

    as_leaf: Floats
    stopped: Floats


def node_losses(
    tree: Tree,
    rows: AnyRows,
    labels: NDArray[np.int32] | None = None,
    *,
    power: int = 1,
    by: Tree | None = None,
) -> NodeLosses:
    """The losses of rows, or their powers, by weight; new leaves predict their ``labels``.

    ``by`` is the tree whose codes the targets have and whose loss it is, if not this one: that of
    a fold may not have all classes.
    """
    losses = NodeLosses(np.zeros(tree.n_nodes), np.zeros(tree.n_nodes))
    labels = leaf_labels(tree) if labels is None else labels
    predictions = _Predictions(
        _coded(node_predictions(tree), tree, by),
        _coded(node_predictions(tree, labels), tree, by),
        lambda *values: loss_of(by or tree).of(*values) ** power,
    )
    for batch in each_batch(rows):
        _add_losses(losses, tree, batch, predictions)
    return losses


@dataclass(frozen=True, eq=False)
class _Predictions:
    """What nodes predict as they stand, and as leaves, and the loss of predictions and targets."""

    stopped: NDArray[Any]
    as_leaf: NDArray[Any]
    loss: Callable[[NDArray[Any], NDArray[Any]], Floats]


def _add_losses(losses: NodeLosses, tree: Tree, rows: Rows, predictions: _Predictions) -> None:
    """Add the losses of some rows.

    Rows climb from where they end to the root, a level of the tree at a time. Rows of equal
    targets are one where they meet, so few classes are fast in trees of any depth.
    """
    targets, codes = np.unique(rows.target, return_inverse=True)
    n_targets = len(targets)

    def add_to(sums: Floats, predicted: NDArray[Any], pairs: Integers, weights: Floats) -> None:
        nodes, places = np.divmod(pairs, n_targets)
        np.add.at(sums, nodes, weights * predictions.loss(predicted[nodes], targets[places]))

    ended = ended_parts(tree, rows)
    pairs, weights = _merged(ended.nodes * n_targets + codes[ended.rows], ended.weights)
    add_to(losses.stopped, predictions.stopped, pairs, weights)
    for level in _climbing(tree, pairs, weights, n_targets):
        add_to(losses.as_leaf, predictions.as_leaf, *level)


def _coded(predictions: NDArray[Any], tree: Tree, by: Tree | None) -> NDArray[Any]:
    """Predictions in the codes of another tree's classes."""
    if by is None or not tree.schema.classes:
        return predictions
    return np.asarray(class_positions(by.schema, tree.schema.classes)[predictions])


def _climbing(
    tree: Tree, pairs: Integers, weights: Floats, n_targets: int
) -> Iterator[tuple[Integers, Floats]]:
    """The pairs of node and target of each level that rows reach, from the deepest up."""
    first = np.searchsorted(tree.node_depths, np.arange(tree.depth + 2)).tolist()
    begins = np.searchsorted(pairs, np.array(first) * n_targets).tolist()
    parent = tree.parent.astype(np.int64)
    here, here_weights = pairs[:0], weights[:0]
    for level in range(tree.depth, -1, -1):
        ending = slice(begins[level], begins[level + 1])
        here = np.concatenate([here, pairs[ending]])
        here_weights = np.concatenate([here_weights, weights[ending]])
        if len(here) > (first[level + 1] - first[level]) * n_targets:
            here, here_weights = _merged(here, here_weights)
        yield here, here_weights
        nodes, places = np.divmod(here, n_targets)
        here = parent[nodes] * n_targets + places


def _merged(pairs: Integers, weights: Floats) -> tuple[Integers, Floats]:
    """Distinct pairs of a node and a target, in order, with the sums of their weights."""
    distinct, place = np.unique(pairs, return_inverse=True)
    return distinct, np.bincount(place, weights, len(distinct)).astype(np.float64)
