"""Rows sent down a tree in Python: where they end, and with what share.

A row that a missing value divides over several leaves counts in each of them by its share, and a
share is right or wrong on its own. (Predicting instead adds up the leaves' class weights; the two
agree for rows that are not divided.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.encode import Encoded, encode
from plaintree.data.one_row import one_row
from plaintree.data.rows import Rows, class_positions
from plaintree.data.schema import UNSEEN
from plaintree.data.table import table_from
from plaintree.data.target import comparable, labels_from, weights_from
from plaintree.errors import TableError

from .condition import NodeKind
from .predict import answering_nodes
from .tree import Tree

Floats = NDArray[np.float64]


def encoded_row(tree: Tree, row: Any) -> Encoded:
    """A row as columns of one value each, in the codes of the tree's schema."""
    unseen = tree.conventions.unseen if tree.conventions else "missing"
    return encode(one_row(row), tree.schema, unseen=unseen)


def reached_shares(tree: Tree, columns: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
    """The share of a row (columns of one value) that reaches each node; 0 where it does not go.

    A row is divided where it lacks the value tested and the tree divides such rows. It ends in an
    inner node where it cannot go on.
    """
    shares = np.zeros(tree.n_nodes)
    shares[0] = 1.0
    stops = tree.conventions is not None and tree.conventions.unseen == "stop"
    waiting = [0]
    while waiting:
        node = waiting.pop()
        condition = tree.condition(node)
        if condition is None:
            continue
        route = int(condition.route(columns[condition.attribute])[0])
        if route == UNSEEN and stops:
            continue
        branch = route if route >= 0 else int(tree.missing_child[node])
        first, n = int(tree.first_child[node]), int(tree.n_children[node])
        parts = np.zeros(n)
        if branch >= 0:
            parts[branch] = 1.0
        elif (total := tree.weight[first : first + n].sum()) > 0:
            parts = tree.weight[first : first + n] / total
        shares[first : first + n] = shares[node] * parts
        waiting.extend((first + np.flatnonzero(parts)).tolist())
    return shares


def rows_from(tree: Tree, X: Any, y: Any, sample_weight: Any = None) -> Rows:
    """Any table and its labels, encoded by the tree's schema; unknown labels are an error."""
    table = table_from(X)
    codes, labels = labels_from(y, table.n_rows)
    weights = comparable(weights_from(sample_weight, table.n_rows))  # as in growing
    positions = class_positions(tree.schema, labels)
    unknown = np.flatnonzero(positions[codes] < 0)
    if unknown.size:
        raise TableError(
            "y holds a label that the tree was not trained on",
            got=f"{labels[codes[unknown[0]]]!r} in row {unknown[0]}",
            hint=f"the classes are {', '.join(map(repr, tree.schema.classes[:10]))}.",
        )
    unseen = tree.conventions.unseen if tree.conventions else "missing"
    return Rows(encode(table, tree.schema, unseen=unseen), positions[codes], weights)


def ended_weights(tree: Tree, rows: Rows) -> Floats:
    """The class weights (nodes x classes) of the rows that each node answers.

    Inner nodes answer rows that cannot go on: unseen categories under ``unseen="stop"``.
    """
    ended = np.zeros((tree.n_nodes, len(tree.schema.classes)))
    gaps = _may_be_divided(tree, rows)
    whole = rows[~gaps]
    if len(whole.codes):
        ends = answering_nodes(tree, whole.columns)
        np.add.at(ended, (ends, whole.codes), whole.known_weights)
    if gaps.any():
        _divide(tree, rows[gaps], ended)
    return ended


def _may_be_divided(tree: Tree, rows: Rows) -> NDArray[np.bool_]:
    """Rows with a value that some node does not know and would divide them for."""
    dividing = np.flatnonzero((tree.n_children > 0) & (tree.missing_child < 0))
    divided = np.zeros(len(rows.codes), dtype=np.bool_)
    for number in np.unique(tree.attribute[dividing]).tolist():
        divided |= tree.schema.attributes[number].missing(rows.columns[number])
    for node in dividing[tree.kind[dividing] == NodeKind.GROUPED].tolist():
        condition = tree.condition(node)
        assert condition is not None, "a grouped node has a condition"
        divided |= condition.route(rows.columns[condition.attribute]) < 0
    return divided


def _divide(tree: Tree, rows: Rows, ended: Floats) -> None:
    """Send rows down node by node, divided where they must be, and add them where they end."""
    stops = tree.conventions is not None and tree.conventions.unseen == "stop"
    waiting = [(0, np.arange(len(rows.codes)), rows.known_weights)]
    while waiting:
        node, reached, weights = waiting.pop()
        condition = tree.condition(node)
        if condition is None:
            np.add.at(ended[node], rows.codes[reached], weights)
            continue
        branches = condition.route(rows.columns[condition.attribute][reached])
        first, n = int(tree.first_child[node]), int(tree.n_children[node])
        below = tree.weight[first : first + n]
        stuck = branches == UNSEEN if stops else np.zeros(len(branches), dtype=np.bool_)
        branches = np.where((branches < 0) & ~stuck, tree.missing_child[node], branches)
        lost = (branches < 0) & ~stuck  # to be divided over all children
        if below.sum() <= 0:
            stuck, lost = stuck | lost, np.zeros_like(lost)
        np.add.at(ended[node], rows.codes[reached[stuck]], weights[stuck])
        for branch in range(n):
            here = (branches == branch) & ~stuck
            share = below[branch] / below.sum() if lost.any() else 0.0
            parts = here | lost if share > 0 else here
            if parts.any():
                sent = np.where(here, weights, weights * share)[parts]
                waiting.append((first + branch, reached[parts], sent))
