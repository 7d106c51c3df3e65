"""Rows sent down a tree in Python: the nodes they reach, and with what weights.

:func:`branches_at` decides which branch a row takes, by the condition or a surrogate, and
:func:`onward` where it goes on. :func:`walk_row` follows one row, :func:`walk_rows` the
rows of a table at once. Predicting is the core's work; this is for those who need the path.

A row that a missing value divides over several leaves counts in each of them by its share, and
each share has a loss of its own. (Predicting instead adds up the leaves' class probabilities, or
averages their numbers; the two agree for rows that are not divided.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.encode import Encoded, encode
from plaintree.data.one_row import one_row
from plaintree.data.rows import Rows, class_positions
from plaintree.data.schema import MISSING, UNSEEN
from plaintree.data.table import table_from
from plaintree.data.target import comparable, labels_from, numbers_from, weights_from
from plaintree.errors import TableError, row_name

from .condition import DIVIDES, STOPS, NodeKind
from .predict import predicting_nodes
from .prediction import loss_of
from .tree import Tree

Floats = NDArray[np.float64]
Columns = Sequence[NDArray[Any]] | Mapping[int, NDArray[Any]]
Number = float | Fraction


# -------------------------------------------------------------------- one step


def stops_at_unseen(tree: Tree) -> bool:
    """Whether a row with an unseen category ends in the node that splits on it."""
    return tree.conventions is not None and tree.conventions.unseen == "stop"


def divides(tree: Tree) -> bool:
    """Whether some node divides rows without a value over its branches."""
    return bool((tree.missing_child[tree.n_children > 0] == DIVIDES).any())


def branches_at(
    tree: Tree, node: int, columns: Columns, rows: NDArray[np.intp] | slice
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The branch of some rows of encoded columns at an inner node, and who decided it.

    The branch is MISSING or UNSEEN where neither the condition nor a surrogate has one. The second
    array has the place of the surrogate that decided; -1 for the condition.
    """
    condition = tree.condition(node)
    assert condition is not None, "a leaf has no branches"
    branches = condition.route(columns[condition.feature][rows])
    decided = np.full(len(branches), -1, dtype=np.int64)
    for place, surrogate in enumerate(tree.surrogates(node)):
        undecided = branches < 0
        if stops_at_unseen(tree):
            undecided &= branches != UNSEEN
        if not undecided.any():
            break
        found = surrogate.route(columns[surrogate.feature][rows])
        places = np.flatnonzero(undecided & (found >= 0))
        branches[places], decided[places] = found[places], place
    return branches, decided


def onward(
    tree: Tree,
    node: int,
    branch: int,
    below: Floats | None = None,
    number: Callable[[float], Number] = float,
) -> list[tuple[int, Number]]:
    """The children that a row goes on to, with the weight of each; none where it ends.

    Parameters
    ----------
    tree, node
        The tree, and the number of an inner node.
    branch
        The branch by :func:`branches_at`; MISSING or UNSEEN where there is none.
    below
        The weights of the children, in proportion to which a row is divided that no child takes;
        by default those of the training rows.
    number
        The type of the weights: ``float``, or a function that returns a fraction.
    """
    if branch == UNSEEN and stops_at_unseen(tree):
        return []
    if branch < 0:
        branch = int(tree.missing_child[node])
    if branch == STOPS:
        return []
    first = int(tree.first_child[node])
    if branch >= 0:
        return [(first + branch, number(1.0))]
    if below is None:
        below = _weights_below(tree, node)
    weights = enumerate(map(number, below.tolist()), first)
    return [(child, weight) for child, weight in weights if weight > 0]


def _weights_below(tree: Tree, node: int) -> Floats:
    """The training weights of a node's children."""
    first = int(tree.first_child[node])
    return tree.weight[first : first + int(tree.n_children[node])]


# -------------------------------------------------------------------- one row


@dataclass(frozen=True)
class Visit:
    """A node that a row reaches, and where it goes on from there.

    - ``share``: the share of the row that reaches the node.
    - ``branch``: as in :func:`onward`; MISSING in a leaf.
    - ``onward``: children with their weights; none where the row ends.
    - ``surrogate``: the place of the surrogate that decided the branch; -1 for the condition.
    """

    node: int
    share: Number
    branch: int
    onward: tuple[tuple[int, Number], ...]
    surrogate: int = -1


def walk_row(
    tree: Tree, columns: Columns, row: int = 0, *, number: Callable[[float], Number] = float
) -> Iterator[Visit]:
    """Every node that a row of encoded columns reaches, depth first; weights as in ``onward``.

    A row is divided where its value is missing and the tree divides such rows. It ends in an inner
    node where it cannot go on.
    """
    waiting = [(0, number(1.0))]
    while waiting:
        node, share = waiting.pop()
        branch, decided, parts = MISSING, -1, []
        if tree.n_children[node]:
            branches, deciders = branches_at(tree, node, columns, slice(row, row + 1))
            branch, decided = int(branches[0]), int(deciders[0])
            parts = onward(tree, node, branch, number=number)
        total = sum(part for _, part in parts)
        waiting += [(child, share * part / total) for child, part in reversed(parts)]
        yield Visit(node, share, branch, tuple(parts), decided)


def reached_shares(tree: Tree, columns: Columns) -> Floats:
    """The share of a row (columns of one value) that reaches each node; 0 where it does not go."""
    shares = np.zeros(tree.n_nodes)
    for visit in walk_row(tree, columns):
        shares[visit.node] = visit.share
    return shares


def encoded_row(tree: Tree, row: Any) -> Encoded:
    """A row as columns of one value each, in the codes of the tree's schema."""
    unseen = tree.conventions.unseen if tree.conventions else "missing"
    return encode(one_row(row), tree.schema, unseen=unseen, used=tree.used_columns)


# -------------------------------------------------------------------- the rows of a table


@dataclass(frozen=True, eq=False)
class Reached:
    """The rows that reach a node, and where they go on from there.

    - ``rows``, ``weights``: the positions of the rows in the table, and the weight of each here.
    - ``branches``: as in :func:`onward`; MISSING in a leaf.
    - ``ends``: which of the rows end in the node.
    """

    node: int
    rows: NDArray[np.intp]
    weights: Floats
    branches: NDArray[np.int64]
    ends: NDArray[np.bool_]


def walk_rows(
    tree: Tree, columns: Columns, weights: Floats, *, by_table: bool = False
) -> Iterator[Reached]:
    """Every node that rows of encoded columns reach; each node comes once, after its parent.

    Rows that no child takes are divided in proportion to the training rows of the children, or
    with ``by_table`` to the rows of this table whose branches are known.
    """
    waiting = [(0, np.arange(len(weights)), weights)]
    while waiting:
        node, rows, weights = waiting.pop()
        if not tree.n_children[node]:
            nowhere = np.full(len(rows), MISSING, dtype=np.int64)
            yield Reached(node, rows, weights, nowhere, np.ones(len(rows), dtype=np.bool_))
            continue
        branches, _ = branches_at(tree, node, columns, rows)
        below = _weights_below(tree, node)
        if by_table:
            known = branches >= 0
            below = np.bincount(branches[known], weights[known], len(below)).astype(np.float64)
        sent, ends = _sent_on(tree, node, branches, weights, below)
        waiting += [(child, rows[places], part) for child, places, part in sent]
        yield Reached(node, rows, weights, branches, ends)


def _sent_on(
    tree: Tree, node: int, branches: NDArray[np.int64], weights: Floats, below: Floats
) -> tuple[list[tuple[int, NDArray[np.intp], Floats]], NDArray[np.bool_]]:
    """For each child that rows go on to: which rows, and their weights; and which rows end."""
    groups: dict[int, list[tuple[NDArray[np.intp], Floats]]] = {}
    ends = np.zeros(len(branches), dtype=np.bool_)
    for branch in np.unique(branches).tolist():
        places = np.flatnonzero(branches == branch)
        parts = onward(tree, node, branch, below)
        ends[places] = not parts
        for child, part in parts:
            share = float(part) / float(below.sum()) if len(parts) > 1 else 1.0
            groups.setdefault(child, []).append((places, weights[places] * share))
    return [(child, *_joined(group)) for child, group in groups.items()], ends


def sent_to(tree: Tree, child: int, branches: NDArray[np.int64]) -> Floats:
    """The share of each row that goes on to one child of a node, given the branches of the rows."""
    node = int(tree.parent[child])
    below, shares = _weights_below(tree, node), np.zeros(len(branches))
    for branch in {child - int(tree.first_child[node]), MISSING, UNSEEN}:
        parts = onward(tree, node, branch, below)
        here = sum(float(part) for number, part in parts if number == child)
        if here:
            whole = float(below.sum()) if len(parts) > 1 else here
            shares[branches == branch] = here / whole
    return shares


def _joined(group: list[tuple[NDArray[np.intp], Floats]]) -> tuple[NDArray[np.intp], Floats]:
    """Rows with their weights as one list, in the order of the table."""
    if len(group) == 1:
        return group[0]
    places, weights = map(np.concatenate, zip(*group, strict=True))
    order = np.argsort(places)
    return places[order], weights[order]


def rows_from(tree: Tree, X: Any, y: Any, sample_weight: Any = None) -> Rows:
    """Any table and its labels, encoded by the tree's schema; unknown labels are an error."""
    table = table_from(X)
    target = encoded_target(tree, y, table.n_rows)
    weights = comparable(weights_from(sample_weight, table.n_rows))  # as in growing
    unseen = tree.conventions.unseen if tree.conventions else "missing"
    columns = encode(table, tree.schema, unseen=unseen, used=tree.used_columns)
    return Rows(columns, target, weights, table)


def encoded_target(tree: Tree, y: Any, n_rows: int) -> NDArray[Any]:
    """The numbers, or the codes of the labels in the tree's schema."""
    if not tree.schema.classes:
        numbers = numbers_from(y, n_rows).encoded
        below = np.flatnonzero(numbers < loss_of(tree).least)
        if below.size:
            raise TableError(
                "y holds a number below 0, whose Poisson deviance is not defined",
                got=f"{numbers[below[0]]} in {row_name(below[0])}",
                hint="use counts or other numbers from 0 upwards, as in training.",
            )
        return numbers
    codes, labels = labels_from(y, n_rows)
    positions = class_positions(tree.schema, labels)
    unknown = np.flatnonzero(positions[codes] < 0)
    if unknown.size:
        raise TableError(
            "y holds a label that the tree was not trained on",
            got=f"{labels[codes[unknown[0]]]!r} in {row_name(unknown[0])}",
            hint=f"the classes are {', '.join(map(repr, tree.schema.classes[:10]))}.",
        )
    return positions[codes]


@dataclass(frozen=True, eq=False)
class Ended:
    """Where the rows of a table end: a node, a row and a weight for each part of a row.

    Internal nodes are the end of rows that cannot go on: unseen categories under
    ``unseen="stop"``.
    """

    nodes: NDArray[np.int64]
    rows: NDArray[np.intp]
    weights: Floats


def ended_parts(tree: Tree, rows: Rows) -> Ended:
    """The node that predicts each row, or for a divided row the node of each part."""
    divides_row = may_be_divided(tree, rows)
    whole, divided = np.flatnonzero(~divides_row), np.flatnonzero(divides_row)
    parts = []
    if len(whole) or not len(divided):
        some = rows[~divides_row]
        parts.append((predicting_nodes(tree, some.columns), whole, some.known_weights))
    if len(divided):
        some = rows[divides_row]
        for at in walk_rows(tree, some.columns, some.known_weights):
            ends = divided[at.rows[at.ends]]
            parts.append((np.full(len(ends), at.node), ends, at.weights[at.ends]))
    nodes, numbers, weights = map(np.concatenate, zip(*parts, strict=True))
    return Ended(nodes.astype(np.int64), numbers, weights)


def may_be_divided(tree: Tree, rows: Rows) -> NDArray[np.bool_]:
    """Rows with a value that some node does not know and would divide them for."""
    dividing = np.flatnonzero((tree.n_children > 0) & (tree.missing_child == DIVIDES))
    divided = np.zeros(len(rows.target), dtype=np.bool_)
    for number in np.unique(tree.feature[dividing]).tolist():
        divided |= tree.schema.features[number].missing(rows.columns[number])
    for node in dividing[tree.kind[dividing] == NodeKind.GROUPED].tolist():
        condition = tree.condition(node)
        assert condition is not None, "a grouped node has a condition"
        divided |= condition.route(rows.columns[condition.feature]) < 0
    return divided
