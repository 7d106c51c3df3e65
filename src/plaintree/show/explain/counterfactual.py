"""The smallest change of a row that alters a tree's answer, found exactly.

Smallest means: the fewest attributes changed; of equals, the least distance.

Glossary. A *ruler* knows one attribute: the row's own value, whether it may change, and how far a
clause (an interval or a set of categories, rules.py) is from the own value. Missing values may be
filled in; no value is ever made missing.

1. A row that goes one way only: the leaves are visited in the order of their costs. What a path
   asks of an attribute is one clause, so a path's cost is the sum of what its clauses cost, and
   never falls on the way down.
2. A row that missing values divide over branches has no single leaf. Its answer is constant in the
   cells between thresholds, so one row of every cell is tried, one changed attribute at a time,
   then two, and so on, up to ``MOST_CELLS``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import combinations, count
from math import fsum, isfinite, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.schema import UNSEEN
from plaintree.rules.rule import Clause
from plaintree.tree.condition import Grouped, NodeKind
from plaintree.tree.predict import class_codes, class_shares
from plaintree.tree.prediction import predicted_classes
from plaintree.tree.tree import Tree
from plaintree.tree.walk import divides, stops_at_unseen

from .ruler import Ruler

MOST_CELLS = 1_000_000
"""So many changes of a row that is divided over branches are tried at most."""
_CHUNK = 1 << 16


@dataclass(frozen=True)
class Found:
    """New encoded values by column number, what is asked of them, and what comes of it.

    ``leaf`` is the leaf that then answers; -1 if the changed row is divided over several.
    """

    values: dict[int, float]
    clauses: dict[int, Clause]
    distance: float
    answer: int
    leaf: int


@dataclass(frozen=True)
class Search:
    """A finished search: the change if there is one, and how far the search got.

    ``ended_at`` is None if nothing was left out; otherwise changes of so many attributes and more
    were not all tried.
    """

    found: Found | None
    ended_at: int | None = None


def smallest_change(tree: Tree, columns: Sequence[NDArray[Any]], rulers: Sequence[Ruler]) -> Search:
    """The smallest change of one encoded row, given a ruler per attribute.

    Of changes equally small, the one whose leaf has the most training rows wins, then the leaf
    with the lowest number. If the row is divided: the one whose answer has the greatest share,
    then the first in column order.
    """
    task = _Task(tree, list(columns), rulers, int(class_codes(tree, columns)[0]))
    if not (task.predicted != task.answer).any() and not task.may_divide:
        return Search(None)
    try:
        return Search(_nearest_leaf(task))
    except _Divided:
        return _nearest_cell(task)


@dataclass
class _Task:
    """One row and what is asked about it."""

    tree: Tree
    columns: list[NDArray[Any]]
    rulers: Sequence[Ruler]
    answer: int
    predicted: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        self.predicted = predicted_classes(self.tree)

    @property
    def may_divide(self) -> bool:
        """Whether some node divides rows; mixtures may answer what no leaf answers."""
        return divides(self.tree)

    def stops_at_unseen(self, attribute: int) -> bool:
        """Whether the row's category is one that ends its way."""
        return stops_at_unseen(self.tree) and self.columns[attribute][0] == UNSEEN

    def rows_with(self, changes: dict[int, NDArray[np.float64]]) -> list[NDArray[Any]]:
        """The row as often as there are new values, with these in place."""
        n = len(next(iter(changes.values())))
        kinds = [a.is_categorical for a in self.tree.schema.features]
        return [
            np.asarray(
                changes[i] if i in changes else np.repeat(column[:1], n),
                dtype=np.int32 if categorical else np.float64,
            )
            for i, (column, categorical) in enumerate(zip(self.columns, kinds, strict=True))
        ]

    def check(self, values: dict[int, float]) -> int:
        """The answer to the row with some values changed."""
        changed = {a: np.array([value]) for a, value in values.items()}
        return int(class_codes(self.tree, self.rows_with(changed))[0])


# -------------------------------------------------------------------- rows that go one way


class _Divided(Exception):
    """The row, changed or not, goes into several branches at once."""


@dataclass(frozen=True)
class _Way:
    """The way to a node: what it asks of each attribute, and how far the changed ones move."""

    node: int
    ends: bool = False
    clauses: dict[int, Clause] = field(default_factory=dict)
    distances: dict[int, float] = field(default_factory=dict)

    @property
    def cost(self) -> tuple[int, float]:
        return len(self.distances), fsum(self.distances.values())


def _nearest_leaf(task: _Task) -> Found | None:
    worth_going = _leads_elsewhere(task)
    order = count()
    waiting = [((0, 0.0), next(order), _Way(0, ends=bool(task.tree.n_children[0] == 0)))]
    best: list[_Way] = []
    while waiting and (not best or waiting[0][0] == best[0].cost):
        _, _, way = heappop(waiting)
        if way.ends:
            if task.predicted[way.node] != task.answer:
                best.append(way)
            continue
        try:
            onward = [w for w in _onward(task, way) if w.ends or worth_going[w.node]]
        except _Divided:
            if best:  # a tie between a leaf and a mixture: the leaf is as good
                continue
            raise
        for further in onward:
            heappush(waiting, (further.cost, next(order), further))
    if not best:
        return None
    return _found(task, min(best, key=lambda way: (-task.tree.weight[way.node], way.node)))


def _found(task: _Task, way: _Way) -> Found:
    values = {a: task.rulers[a].nearest(way.clauses[a]) for a in sorted(way.distances)}
    known = {a: value for a, value in values.items() if value is not None}
    answer = task.check(known)
    assert answer != task.answer, "a change that changes nothing"
    clauses = {a: way.clauses[a] for a in known}
    return Found(known, clauses, way.cost[1], answer, way.node)


def _leads_elsewhere(task: _Task) -> NDArray[np.bool_]:
    """Which nodes have a node with another answer below them, or are one.

    So do nodes with a tie, where rows may be divided: a mixture of ties may be decided otherwise.
    """
    weights = task.tree.class_weights
    tied = (weights == weights.max(axis=1, keepdims=True)).sum(axis=1) > 1
    other = ((task.predicted != task.answer) | (tied & task.may_divide)).tolist()
    parents = task.tree.parent.tolist()
    for node in range(task.tree.n_nodes - 1, 0, -1):
        other[parents[node]] = other[parents[node]] or other[node]
    return np.array(other, dtype=np.bool_)


def _onward(task: _Task, way: _Way) -> Iterator[_Way]:
    """The ways that lead on from an inner node, at whatever cost."""
    tree, node = task.tree, way.node
    condition = tree.condition(node)
    assert condition is not None, "leaves end a way"
    attribute, first = condition.feature, int(tree.first_child[node])
    ruler, so_far = task.rulers[attribute], way.clauses.get(attribute)
    as_it_is = Clause(attribute, is_missing=True)
    branches = [(Clause.of(condition, b, tree.schema), b) for b in range(condition.n_branches)]
    if isinstance(condition, Grouped) and min(condition.groups) < 0:
        kept_away = sum(1 << code for code, group in enumerate(condition.groups) if group < 0)
        nowhere = Clause(attribute, allowed=kept_away, n_categories=len(condition.groups))
        branches.append((nowhere, -1))
    if ruler.is_missing:
        branches.append((as_it_is, -1))
    for asked, branch in branches:
        clause = asked if so_far is None else so_far.intersected(asked)
        distance = ruler.distance(clause)
        if distance is None:
            continue
        clauses = {**way.clauses, attribute: clause}
        distances = way.distances
        if not ruler.is_met(clause):
            distances = {**distances, attribute: distance}
        if branch >= 0:
            child = first + branch
        elif asked is as_it_is and task.stops_at_unseen(attribute):
            yield _Way(node, True, clauses, distances)
            continue
        elif tree.missing_child[node] >= 0:
            child = first + int(tree.missing_child[node])
        else:
            raise _Divided
        yield _Way(child, bool(tree.n_children[child] == 0), clauses, distances)


# -------------------------------------------------------------------- rows that are divided


@dataclass(frozen=True)
class _Choices:
    """The other cells of an attribute: a value in each, what asks for it, and its distance."""

    feature: int
    values: NDArray[np.float64]
    clauses: list[Clause]
    distances: NDArray[np.float64]


def _nearest_cell(task: _Task) -> Search:
    choices = _all_choices(task)
    left = MOST_CELLS
    for n_changed in range(1, len(choices) + 1):
        best: tuple[float, float, Found] | None = None
        for chosen in combinations(choices, n_changed):
            n_cells = prod(len(c.values) for c in chosen)
            if n_cells > left:
                return Search(None, ended_at=n_changed)
            left -= n_cells
            for begin in range(0, n_cells, _CHUNK):
                cells = np.arange(begin, min(begin + _CHUNK, n_cells))
                new = _best_of(task, chosen, cells, np.inf if best is None else best[0])
                if new is not None and (best is None or new[:2] < best[:2]):
                    best = new
        if best is not None:
            return Search(best[2])
    return Search(None)


def _best_of(
    task: _Task, chosen: tuple[_Choices, ...], cells: NDArray[np.intp], farthest: float
) -> tuple[float, float, Found] | None:
    """Distance, negative share and change of the best of some cells, if it is near enough."""
    places = np.unravel_index(cells, tuple(len(c.values) for c in chosen))
    distances = np.sum([c.distances[p] for c, p in zip(chosen, places, strict=True)], axis=0)
    changes = {c.feature: c.values[p] for c, p in zip(chosen, places, strict=True)}
    answers = class_codes(task.tree, task.rows_with(changes))
    other = np.flatnonzero((answers != task.answer) & (distances <= farthest))
    if not other.size:
        return None
    nearest = other[distances[other] == distances[other].min()]
    rows = task.rows_with({a: values[nearest] for a, values in changes.items()})
    shares = class_shares(task.tree, rows)[np.arange(len(nearest)), answers[nearest]]
    row = int(nearest[np.argmax(shares)])
    found = Found(
        values={a: float(values[row]) for a, values in changes.items()},
        clauses={c.feature: c.clauses[p[row]] for c, p in zip(chosen, places, strict=True)},
        distance=float(distances[row]),
        answer=int(answers[row]),
        leaf=-1,
    )
    return found.distance, -float(shares.max()), found


def _all_choices(task: _Task) -> list[_Choices]:
    """What each attribute that the tree tests, and that may change, can be changed to."""
    choices = []
    for number in np.unique(task.tree.feature[task.tree.feature >= 0]).tolist():
        ruler = task.rulers[number]
        clauses, values, distances = [], [], []
        for clause in _cells_of(task.tree, number):
            distance, value = ruler.distance(clause), ruler.nearest(clause)
            if distance is None or value is None or ruler.is_met(clause):
                continue
            clauses.append(clause)
            values.append(value)
            distances.append(distance)
        if clauses:
            choices.append(_Choices(number, np.array(values), clauses, np.array(distances)))
    return choices


def _cells_of(tree: Tree, number: int) -> list[Clause]:
    """The values of an attribute that the tree can tell apart."""
    attribute = tree.schema.features[number]
    if attribute.is_categorical:
        n = len(attribute.categories)
        return [Clause(number, allowed=1, offset=code, n_categories=n) for code in range(n)]
    cuts = [cut for cut in thresholds_of(tree, number) if isfinite(cut)]
    ends = zip([None, *cuts], [*cuts, None], strict=True)
    return [Clause(number, low=low, high=high) for low, high in ends]


def thresholds_of(tree: Tree, number: int) -> list[float]:
    """The distinct thresholds that a tree compares an attribute with, in order."""
    tests = (tree.kind == NodeKind.THRESHOLD) & (tree.feature == number)
    return [float(cut) for cut in np.unique(tree.threshold[tests])]
