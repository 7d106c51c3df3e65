"""Counterfactuals: the smallest change of a row that changes a tree's prediction, found exactly.

Which predictions are wanted is a goal (goal.py): another class, another number, or a range.

Smallest means: the fewest features changed; of equals, the shortest distance (distance.py). Missing
values may be filled in; no value is ever made missing.

1. A row with a single decision path: the leaves are visited in the order of their costs. The
   conditions of a path on one feature are one clause, so a path's cost is the sum of the costs of
   its clauses, and never falls from a node to its children.
2. A row that missing values divide over branches has no single leaf. Its prediction is constant in
   the cells between thresholds. One row of every cell is tried, with one changed feature at a
   time, then two, and so on, up to ``MAX_CELLS``.
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
from plaintree.tree.predict import class_shares, row_predictions
from plaintree.tree.prediction import node_predictions
from plaintree.tree.tree import Tree
from plaintree.tree.walk import divides, stops_at_unseen

from .distance import FeatureDistance
from .goal import Goal

MAX_CELLS = 1_000_000
"""The maximum number of changes that are tried of a row that is divided over branches."""
_CHUNK = 1 << 16


@dataclass(frozen=True)
class Found:
    """New encoded values by column number, their clauses, and the new prediction.

    ``leaf`` is the leaf that the changed row reaches; -1 if it is divided over several.
    """

    values: dict[int, float]
    clauses: dict[int, Clause]
    distance: float
    prediction: float
    leaf: int


@dataclass(frozen=True)
class Search:
    """A finished search: the change if there is one, and how far the search got.

    ``ended_at`` is None if nothing was left out. Otherwise not all changes of this number of
    features, and none of more, were tried.
    """

    found: Found | None
    ended_at: int | None = None


def smallest_change(
    tree: Tree, columns: Sequence[NDArray[Any]], measures: Sequence[FeatureDistance], goal: Goal
) -> Search:
    """The smallest change of one encoded row that reaches a goal, given the features' distances.

    Of changes equally small, the one whose leaf has the most training rows wins, then the leaf
    with the lowest number. If the row is divided: the one whose prediction has the highest
    probability (of classes), then the first in column order. No change is found if the prediction
    is wanted already.
    """
    task = _Task(tree, list(columns), measures, goal)
    if goal.reached(row_predictions(tree, columns))[0]:
        return Search(None)
    if not task.wanted.any() and not task.may_divide:
        return Search(None)
    try:
        return Search(_nearest_leaf(task))
    except _Divided:
        return _nearest_cell(task)


@dataclass
class _Task:
    """One row, and what is to be predicted; ``wanted`` are the nodes that predict it."""

    tree: Tree
    columns: list[NDArray[Any]]
    measures: Sequence[FeatureDistance]
    goal: Goal
    wanted: NDArray[np.bool_] = field(init=False)

    def __post_init__(self) -> None:
        self.wanted = self.goal.reached(node_predictions(self.tree))

    @property
    def may_divide(self) -> bool:
        """Whether some node divides rows; mixtures may predict what no leaf predicts."""
        return divides(self.tree)

    def stops_at_unseen(self, feature: int) -> bool:
        """Whether the row's category is one that ends its decision path."""
        return stops_at_unseen(self.tree) and self.columns[feature][0] == UNSEEN

    def rows_with(self, changes: dict[int, NDArray[np.float64]]) -> list[NDArray[Any]]:
        """The row repeated for each of the new values, with these in place."""
        n = len(next(iter(changes.values())))
        kinds = [a.is_categorical for a in self.tree.schema.features]
        return [
            np.asarray(
                changes[i] if i in changes else np.repeat(column[:1], n),
                dtype=np.int32 if categorical else np.float64,
            )
            for i, (column, categorical) in enumerate(zip(self.columns, kinds, strict=True))
        ]

    def check(self, values: dict[int, float]) -> float:
        """The prediction for the row with some values changed, which must reach the goal."""
        changed = {a: np.array([value]) for a, value in values.items()}
        found = row_predictions(self.tree, self.rows_with(changed))
        assert self.goal.reached(found)[0], "a change that does not reach the goal"
        return float(found[0])


# -------------------------------------------------------------------- rows with a single path


class _Divided(Exception):
    """The row, changed or not, is divided over several branches."""


@dataclass(frozen=True)
class _Route:
    """A path to a node: its clause on each feature, and the distances of the changed ones."""

    node: int
    ends: bool = False
    clauses: dict[int, Clause] = field(default_factory=dict)
    distances: dict[int, float] = field(default_factory=dict)

    @property
    def cost(self) -> tuple[int, float]:
        return len(self.distances), fsum(self.distances.values())


def _nearest_leaf(task: _Task) -> Found | None:
    promising = _promising(task)
    order = count()
    waiting = [((0, 0.0), next(order), _Route(0, ends=bool(task.tree.n_children[0] == 0)))]
    best: list[_Route] = []
    while waiting and (not best or waiting[0][0] == best[0].cost):
        _, _, route = heappop(waiting)
        if route.ends:
            if task.wanted[route.node]:
                best.append(route)
            continue
        try:
            onward = [r for r in _onward(task, route) if r.ends or promising[r.node]]
        except _Divided:
            if best:  # a tie between a leaf and a mixture: the leaf is as good
                continue
            raise
        for further in onward:
            heappush(waiting, (further.cost, next(order), further))
    if not best:
        return None
    return _found(task, min(best, key=lambda route: (-task.tree.weight[route.node], route.node)))


def _found(task: _Task, route: _Route) -> Found:
    values = {a: task.measures[a].nearest(route.clauses[a]) for a in sorted(route.distances)}
    known = {a: value for a, value in values.items() if value is not None}
    prediction = task.check(known)
    clauses = {a: route.clauses[a] for a in known}
    return Found(known, clauses, route.cost[1], prediction, route.node)


def _promising(task: _Task) -> NDArray[np.bool_]:
    """Which nodes predict what is wanted, or have a node below them that does.

    If rows may be divided, nodes that predict it only in a mixture count as well.
    """
    found = task.wanted
    if task.may_divide:
        found = found | task.goal.by_mixing(task.tree)
    promising, parents = found.tolist(), task.tree.parent.tolist()
    for node in range(task.tree.n_nodes - 1, 0, -1):
        promising[parents[node]] = promising[parents[node]] or promising[node]
    return np.array(promising, dtype=np.bool_)


def _onward(task: _Task, route: _Route) -> Iterator[_Route]:
    """The routes that lead on from an internal node, at any cost."""
    tree, node = task.tree, route.node
    condition = tree.condition(node)
    assert condition is not None, "leaves end a route"
    feature, first = condition.feature, int(tree.first_child[node])
    measure, so_far = task.measures[feature], route.clauses.get(feature)
    as_it_is = Clause(feature, is_missing=True)
    branches = [(Clause.of(condition, b, tree.schema), b) for b in range(condition.n_branches)]
    if isinstance(condition, Grouped) and min(condition.groups) < 0:
        kept_away = sum(1 << code for code, group in enumerate(condition.groups) if group < 0)
        nowhere = Clause(feature, allowed=kept_away, n_categories=len(condition.groups))
        branches.append((nowhere, -1))
    if measure.is_missing:
        branches.append((as_it_is, -1))
    for asked, branch in branches:
        clause = asked if so_far is None else so_far.intersected(asked)
        distance = measure.distance(clause)
        if distance is None:
            continue
        clauses = {**route.clauses, feature: clause}
        distances = route.distances
        if not measure.is_met(clause):
            distances = {**distances, feature: distance}
        if branch >= 0:
            child = first + branch
        elif asked is as_it_is and task.stops_at_unseen(feature):
            yield _Route(node, True, clauses, distances)
            continue
        elif tree.missing_child[node] >= 0:
            child = first + int(tree.missing_child[node])
        else:
            raise _Divided
        yield _Route(child, bool(tree.n_children[child] == 0), clauses, distances)


# -------------------------------------------------------------------- rows that are divided


@dataclass(frozen=True)
class _Choices:
    """The other cells of a feature: a value in each, its clause, and its distance."""

    feature: int
    values: NDArray[np.float64]
    clauses: list[Clause]
    distances: NDArray[np.float64]


def _nearest_cell(task: _Task) -> Search:
    choices = _all_choices(task)
    left = MAX_CELLS
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
    """Distance, negative probability and change of the best of some cells, if near enough."""
    places = np.unravel_index(cells, tuple(len(c.values) for c in chosen))
    distances = np.sum([c.distances[p] for c, p in zip(chosen, places, strict=True)], axis=0)
    changes = {c.feature: c.values[p] for c, p in zip(chosen, places, strict=True)}
    predicted = row_predictions(task.tree, task.rows_with(changes))
    other = np.flatnonzero(task.goal.reached(predicted) & (distances <= farthest))
    if not other.size:
        return None
    nearest = other[distances[other] == distances[other].min()]
    rows = task.rows_with({a: values[nearest] for a, values in changes.items()})
    probabilities = np.zeros(len(nearest))
    if task.tree.schema.classes:
        probabilities = class_shares(task.tree, rows)[np.arange(len(nearest)), predicted[nearest]]
    row = int(nearest[np.argmax(probabilities)])
    found = Found(
        values={a: float(values[row]) for a, values in changes.items()},
        clauses={c.feature: c.clauses[p[row]] for c, p in zip(chosen, places, strict=True)},
        distance=float(distances[row]),
        prediction=float(predicted[row]),
        leaf=-1,
    )
    return found.distance, -float(probabilities.max()), found


def _all_choices(task: _Task) -> list[_Choices]:
    """The changes of each feature that the tree splits on and that is not immutable."""
    choices = []
    for number in np.unique(task.tree.feature[task.tree.feature >= 0]).tolist():
        measure = task.measures[number]
        clauses, values, distances = [], [], []
        for clause in _cells_of(task.tree, number):
            distance, value = measure.distance(clause), measure.nearest(clause)
            if distance is None or value is None or measure.is_met(clause):
                continue
            clauses.append(clause)
            values.append(value)
            distances.append(distance)
        if clauses:
            choices.append(_Choices(number, np.array(values), clauses, np.array(distances)))
    return choices


def _cells_of(tree: Tree, number: int) -> list[Clause]:
    """The sets of values of a feature that the tree distinguishes."""
    feature = tree.schema.features[number]
    if feature.is_categorical:
        n = len(feature.categories)
        return [Clause(number, allowed=1, offset=code, n_categories=n) for code in range(n)]
    thresholds = [threshold for threshold in thresholds_of(tree, number) if isfinite(threshold)]
    ends = zip([None, *thresholds], [*thresholds, None], strict=True)
    return [Clause(number, low=low, high=high) for low, high in ends]


def thresholds_of(tree: Tree, number: int) -> list[float]:
    """The distinct thresholds that a tree compares a feature with, in order."""
    nodes = (tree.kind == NodeKind.THRESHOLD) & (tree.feature == number)
    return [float(threshold) for threshold in np.unique(tree.threshold[nodes])]
