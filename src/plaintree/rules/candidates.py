"""Candidate rules: one per leaf of a tree, without the conditions that it does not need.

A rule is generalised by leaving out one condition at a time, as long as that does not increase its
pessimistic error. Its clauses are single conditions of the tree here, not yet merged: any of them
can be left out on its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaintree.errors import ParameterError, not_allowed
from plaintree.progress import Progress
from plaintree.stats.expected_errors import additional_errors, check_confidence
from plaintree.tree.condition import NodeKind
from plaintree.tree.tree import Tree

from .cover import TrainingRows, Words
from .rule import Clause

Method = Literal["c4.5rules", "course"]
METHODS = ("c4.5rules", "course")

MAX_ERROR = 0.7
"""A rule of C4.5rules whose estimated error is above this never fires."""

CLAUSES_AT_ONCE = 1 << 20
"""Rules are generalised in batches of about this many clauses, to limit memory."""


@dataclass(frozen=True)
class Options:
    """The options of :func:`plaintree.rules.simplify_rules`."""

    method: Method = "c4.5rules"
    confidence: float = 0.25
    random_state: int = 1

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise not_allowed("method", self.method, METHODS)
        check_confidence(self.confidence)
        seed = self.random_state
        is_integer = isinstance(seed, Integral) and not isinstance(seed, bool)
        if not is_integer or not 0 <= seed < 2**31:
            raise ParameterError(
                "random_state must be an integer from 0 to 2147483647",
                got=f"random_state={seed!r}",
                hint="the seed of C4.5rules is 1.",
            )


@dataclass(frozen=True, eq=False)
class Candidate:
    """A rule in the making: clauses, class, estimated error, and the rows for which it fires."""

    clauses: tuple[Clause, ...]
    label: int
    error: float
    leaf: int
    number: int
    fires: Words


def candidate_rules(
    tree: Tree, rows: TrainingRows, options: Options, progress: Progress
) -> list[Candidate]:
    """The rules of a tree's leaves, generalised, without duplicates, numbered from 1.

    A leaf with less than one row has no rule, nor has one whose rule has lost all its conditions.
    C4.5rules also leaves out rules that are no better than predicting their class for all rows.
    """
    nowhere = np.zeros_like(rows.everything)
    candidates = []
    for number, rule in enumerate(
        _distinct(_generalised_rules(tree, rows, options, progress), options), 1
    ):
        never = options.method == "c4.5rules" and rule.error > MAX_ERROR
        fires = nowhere if never else rows.covered(rule.clauses)
        candidates.append(replace(rule, number=number, fires=fires))
    return candidates


# -------------------------------------------------------------------- leaving conditions out


def _generalised_rules(
    tree: Tree, rows: TrainingRows, options: Options, progress: Progress
) -> Iterator[Candidate]:
    paths = _Paths(tree)
    satisfying = rows.satisfying_each(paths.clauses)
    sets = features_with_sets(tree)
    orders = [_Order.of(clause, sets) for clause in paths.clauses]
    reached = ((tree.kind == NodeKind.LEAF) & (tree.weight >= 1)).tolist()
    leaves = [node.index for node in tree.walk() if reached[node.index]]
    done = 0
    for batch in paths.batches(leaves):
        progress("generalising rules", done, len(leaves))
        labels = tree.label[leaves[done : done + len(batch)]]
        found = _generalised(rows, satisfying, batch, labels, options)
        for leaf, path, kept_and_error in zip(leaves[done:], batch, found, strict=False):
            if kept_and_error is not None:
                kept, error = kept_and_error
                ordered = _in_order(path, kept, orders)
                clauses = tuple(paths.clauses[i] for i in ordered)
                label = int(tree.label[leaf])
                yield Candidate(clauses, label, error, leaf=leaf, number=0, fires=rows.everything)
        done += len(batch)
    progress("generalising rules", len(leaves), len(leaves))


class _Paths:
    """The branches from the root to leaves, as numbers of a tree's distinct ``clauses``."""

    def __init__(self, tree: Tree) -> None:
        numbers: dict[Clause, int] = {}
        self._parent = tree.parent.tolist()
        self._clause = [-1] * len(self._parent)
        for node in np.flatnonzero(tree.kind != NodeKind.LEAF).tolist():
            condition, first = tree.condition(node), int(tree.first_child[node])
            assert condition is not None, "it is not a leaf"
            for branch in range(int(tree.n_children[node])):
                clause = Clause.of(condition, branch, tree.schema)
                self._clause[first + branch] = numbers.setdefault(clause, len(numbers))
        self.clauses = list(numbers)

    def batches(self, leaves: list[int]) -> Iterator[list[list[int]]]:
        """The paths of leaves, as many at a time as have about CLAUSES_AT_ONCE clauses."""
        batch: list[list[int]] = []
        size = 0
        for leaf in leaves:
            batch.append(self._path(leaf))
            size += len(batch[-1])
            if size >= CLAUSES_AT_ONCE:
                yield batch
                batch, size = [], 0
        yield batch

    def _path(self, leaf: int) -> list[int]:
        path, node = [], leaf
        while (above := self._parent[node]) >= 0:
            path.append(self._clause[node])
            node = above
        return path[::-1]


def _generalised(
    rows: TrainingRows,
    satisfying: Words,
    paths: list[list[int]],
    labels: NDArray[np.int32],
    options: Options,
) -> list[tuple[list[int], float] | None]:
    """The positions of the clauses to keep of each path, and the estimated error.

    None if no clause is kept. The paths are shortened by one clause each at a time.
    """
    found: list[tuple[list[int], float] | None] = [None] * len(paths)
    default_errors = 1 - (rows.class_counts[labels] + 1) / (rows.n_rows + 2)
    choose = _to_drop_c45 if options.method == "c4.5rules" else _to_drop_course
    sizes = np.array([*map(len, paths)], dtype=np.int64)
    clauses = np.array([*chain.from_iterable(paths)], dtype=np.int32)
    places = np.arange(len(clauses)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    rules = np.flatnonzero(sizes)
    sizes = sizes[rules]
    while rules.size:
        begins = np.r_[0, np.cumsum(sizes)]
        covered, hits = rows.shortened_counts(satisfying, clauses, begins, labels[rules])
        whole = begins[:-1] + np.arange(len(rules))  # the count with all clauses
        some = np.maximum(covered, 1)
        actual = (covered - hits) / some
        added = additional_errors(covered, covered - hits, options.confidence)
        default = default_errors[rules]
        pessimistic = np.where(covered > 0, actual + added / some, np.repeat(default, sizes + 1))
        dropped, drops = choose(_Rates.of(actual, whole), _Rates.of(pessimistic, whole), begins)
        error = pessimistic[whole]
        useful = ~drops & (covered[whole] > 0)
        if options.method == "c4.5rules":
            useful &= error < default
        for i in np.flatnonzero(useful).tolist():
            found[rules[i]] = places[begins[i] : begins[i + 1]].tolist(), float(error[i])
        kept = np.repeat(drops, sizes)
        kept[dropped[drops]] = False
        clauses, places = clauses[kept], places[kept]
        goes_on = drops & (sizes > 1)
        rules, sizes = rules[goes_on], sizes[goes_on] - 1
    return found


@dataclass(frozen=True)
class _Rates:
    """Errors of rules with all clauses, and without each, one rule after the other."""

    whole: NDArray[np.float64]
    without: NDArray[np.float64]

    @classmethod
    def of(cls, rates: NDArray[np.float64], whole: NDArray[np.int64]) -> _Rates:
        return cls(rates[whole], np.delete(rates, whole))


_Drops = tuple[NDArray[np.int64], NDArray[np.bool_]]
"""The position of the clause to drop of each rule, and whether the rule drops it."""


def _to_drop_c45(actual: _Rates, pessimistic: _Rates, begins: NDArray[np.int64]) -> _Drops:
    """The clause without which the estimate is lowest, the last one on ties.

    It is dropped if leaving out any clause, this or another, makes one of the rates no higher.
    """
    sizes, lowest = np.diff(begins), _lowest(pessimistic, begins)
    no_higher = [r.without <= np.repeat(r.whole, sizes) for r in (actual, pessimistic)]
    drops = np.logical_or.reduceat(no_higher[0] | no_higher[1], begins[:-1])
    return lowest[np.searchsorted(lowest, begins[1:]) - 1], drops


def _to_drop_course(_actual: _Rates, pessimistic: _Rates, begins: NDArray[np.int64]) -> _Drops:
    """The clause whose removal improves the estimate most, the first one on ties; if any does."""
    lowest = _lowest(pessimistic, begins)
    first = lowest[np.searchsorted(lowest, begins[:-1])]
    return first, pessimistic.without[first] < pessimistic.whole


def _lowest(rates: _Rates, begins: NDArray[np.int64]) -> NDArray[np.int64]:
    """The positions of the clauses without which the rate of their rule is lowest."""
    lowest = np.minimum.reduceat(rates.without, begins[:-1])
    return np.flatnonzero(rates.without == np.repeat(lowest, np.diff(begins)))


# -------------------------------------------------------------------- order and duplicates


def features_with_sets(tree: Tree) -> frozenset[int]:
    """The features with splits on sets or groups of categories.

    C4.5rules treats every condition on one of them as a set, even of a single category.
    """
    kinds = (NodeKind.SUBSET, NodeKind.GROUPED)
    return frozenset(tree.feature[np.isin(tree.kind, kinds)].tolist())


def _in_order(path: list[int], kept: list[int], orders: Sequence[_Order]) -> list[int]:
    """The kept clauses of a path in the order in which C4.5rules compares and prints them.

    It uses selection sort with exchanges, dropped clauses included, and its comparison is not an
    order: a lower feature number comes first, but so does a category before a threshold. Which
    rules count as duplicates depends on it.
    """
    places: list[int | None] = [None] * len(path)
    for i in kept:
        places[i] = path[i]
    for place in range(len(kept)):
        best, first = -1, -1
        for other in range(place, len(places)):
            clause = places[other]
            if clause is not None and (best < 0 or orders[clause].before(orders[first])):
                best, first = other, clause
        places[place], places[best] = places[best], places[place]
    return [clause for clause in places[: len(kept)] if clause is not None]


class _Order(NamedTuple):
    """The key by which C4.5rules orders the clauses of a rule."""

    feature: int
    condition_type: int
    threshold: float

    @classmethod
    def of(cls, clause: Clause, sets: frozenset[int]) -> _Order:
        return cls(clause.feature, _condition_type(clause, sets), _threshold(clause) or 0)

    def before(self, other: _Order) -> bool:
        if self.feature < other.feature or self.condition_type < other.condition_type:
            return True
        return self.feature == other.feature and self.threshold < other.threshold


def _condition_type(clause: Clause, sets: frozenset[int]) -> int:
    """1 for a category (or "is missing"), 2 for a threshold, 3 for a set of categories."""
    if clause.allowed is None:
        return 1 if clause.is_missing else 2
    return 3 if clause.feature in sets or clause.allowed.bit_count() != 1 else 1


def _threshold(clause: Clause) -> float | None:
    return clause.high if clause.low is None else clause.low


def _distinct(rules: Iterable[Candidate], options: Options) -> list[Candidate]:
    """The rules without duplicates; of duplicates the first stays, with the highest estimate.

    C4.5rules treats two conditions with the same threshold as equal, whichever side they are on.
    """
    found: dict[Any, Candidate] = {}
    for rule in rules:
        clauses: tuple[Any, ...] = rule.clauses
        if options.method == "c4.5rules":
            clauses = tuple(c if (t := _threshold(c)) is None else (c.feature, t) for c in clauses)
        key = (rule.label, clauses)
        first = found.setdefault(key, rule)
        if rule.error > first.error:
            found[key] = replace(first, error=rule.error)
    return list(found.values())
