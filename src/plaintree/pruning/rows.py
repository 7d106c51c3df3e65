"""Where the rows of a table end in a tree: the evidence that validating methods judge by.

A row that a missing value divides over several leaves counts in each of them by its share, and a
share is right or wrong on its own. (Predicting instead adds up the leaves' class weights; the two
agree for rows that are not divided.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..checks import check_number, check_random_state
from ..condition import NodeKind
from ..encode import encode
from ..errors import ParameterError, TableError
from ..predict import answering_nodes
from ..schema import UNSEEN, Schema
from ..table import table_from
from ..target import comparable, labels_from, weights_from
from ..tree import Tree

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Rows:
    """A table encoded by a tree's schema: columns, class codes, and weights (None: all one)."""

    columns: list[NDArray[Any]]
    codes: NDArray[np.int32]
    weights: Floats | None

    @property
    def known_weights(self) -> Floats:
        """The weights, written out."""
        return np.ones(len(self.codes)) if self.weights is None else self.weights

    def __getitem__(self, chosen: NDArray[np.bool_]) -> Rows:
        weights = None if self.weights is None else self.weights[chosen]
        return Rows([column[chosen] for column in self.columns], self.codes[chosen], weights)

    def divided(self, fraction: float, random_state: Any = None) -> tuple[Rows, Rows]:
        """The rows without a fraction held out at random, and that fraction.

        Every class keeps its share in both parts where it has rows enough.
        """
        from sklearn.model_selection import train_test_split

        check_number("validation_fraction", fraction, 0, 1, above=True)
        if fraction == 1 or len(self.codes) < 2:
            raise ParameterError(
                "no rows can be held out for validation, with others left to grow from",
                got=f"validation_fraction={fraction!r} of {len(self.codes)} rows",
                hint="use a fraction between 0 and 1, of at least two rows.",
            )
        n_held_out = min(max(1, round(fraction * len(self.codes))), len(self.codes) - 1)
        n_classes = int(self.codes.max()) + 1
        counts = np.bincount(self.codes, minlength=n_classes)
        enough = counts[counts > 0].min() >= 2 and min(
            n_held_out, len(self.codes) - n_held_out
        ) >= np.count_nonzero(counts)
        _, held_out = train_test_split(
            np.arange(len(self.codes)),
            test_size=n_held_out,
            random_state=check_random_state(random_state),
            stratify=self.codes if enough else None,
        )
        inside = np.zeros(len(self.codes), dtype=np.bool_)
        inside[held_out] = True
        return self[~inside], self[inside]


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


def class_positions(schema: Schema, labels: tuple[Any, ...]) -> NDArray[np.int32]:
    """The code of every label in a schema; -1 where the schema does not have it."""
    known = {label: code for code, label in enumerate(schema.classes)}
    return np.array([known.get(label, -1) for label in labels], dtype=np.int32)


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
    for attribute in np.unique(tree.attribute[dividing]).tolist():
        column = rows.columns[attribute]
        divided |= np.isnan(column) if column.dtype.kind == "f" else column < 0
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
