"""Candidate rules: one per leaf of a tree, with the conditions left out that it does not need.

A rule is made more general by leaving out one condition at a time, as long as that does not make
its pessimistic error worse. Its clauses are single tests of the tree here, not yet merged: any of
them can be left out on its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from plaintree.errors import ParameterError, not_allowed
from plaintree.progress import Progress
from plaintree.stats.expected_errors import additional_errors, check_confidence
from plaintree.tree.condition import NodeKind
from plaintree.tree.tree import Tree

from .cover import TrainingRows, Words, count
from .rule import Clause

Method = Literal["c4.5rules", "course"]
METHODS = ("c4.5rules", "course")

MOST_ERROR = 0.7
"""A rule of C4.5rules whose estimated error is above this never fires."""


@dataclass(frozen=True)
class Options:
    """How a tree is made into rules."""

    method: Method = "c4.5rules"
    confidence: float = 0.25
    random_state: int = 1

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise not_allowed("method", self.method, METHODS)
        check_confidence(self.confidence)
        seed = self.random_state
        whole = isinstance(seed, Integral) and not isinstance(seed, bool)
        if not whole or not 0 <= seed < 2**31:
            raise ParameterError(
                "random_state is not a seed of the C library's generator",
                got=f"random_state={seed!r}",
                hint="use a whole number from 0 to 2147483647; C4.5rules' own is 1.",
            )


@dataclass(frozen=True, eq=False)
class Candidate:
    """A rule on its way: single tests, the class, the estimated error and the rows it fires for."""

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

    A leaf that less than one row reached makes no rule, and neither does one whose rule has lost
    all its conditions. C4.5rules also leaves out a rule that is no better than its class alone.
    """
    nowhere = np.zeros_like(rows.everything)
    candidates = []
    for number, rule in enumerate(
        _distinct(_generalised_rules(tree, rows, options, progress), options), 1
    ):
        never = options.method == "c4.5rules" and rule.error > MOST_ERROR
        fires = nowhere if never else rows.covered(rule.clauses)
        candidates.append(replace(rule, number=number, fires=fires))
    return candidates


# -------------------------------------------------------------------- leaving conditions out


def _generalised_rules(
    tree: Tree, rows: TrainingRows, options: Options, progress: Progress
) -> Iterator[Candidate]:
    sets = attributes_with_sets(tree)
    leaves = [node.index for node in tree.walk() if node.is_leaf and node.weight >= 1]
    for done, leaf in enumerate(leaves):
        progress("generalising rules", done, len(leaves))
        label = int(tree.label[leaf])
        path = _path(tree, leaf)
        found = _generalised(rows, path, label, options)
        if found is not None:
            kept, error = found
            clauses = _in_order(path, kept, sets)
            yield Candidate(clauses, label, error, leaf=leaf, number=0, fires=rows.everything)
    progress("generalising rules", len(leaves), len(leaves))


def _path(tree: Tree, leaf: int) -> list[Clause]:
    """The branches from the root to a leaf, one clause each."""
    path, node = [], leaf
    while (above := int(tree.parent[node])) >= 0:
        condition = tree.condition(above)
        assert condition is not None, "a parent tests something"
        path.append(Clause.of(condition, node - int(tree.first_child[above]), tree.schema))
        node = above
    return path[::-1]


def _generalised(
    rows: TrainingRows, path: list[Clause], label: int, options: Options
) -> tuple[list[int], float] | None:
    """The positions of the clauses worth keeping, and the estimated error; None if nothing is."""
    default_error = 1 - (int(rows.class_counts[label]) + 1) / (rows.n_rows + 2)
    choose = _to_drop_c45 if options.method == "c4.5rules" else _to_drop_course
    kept = list(range(len(path)))
    while kept:
        covers = rows.covered_without_each([path[i] for i in kept])
        covered, hits = count(covers), count(covers & rows.of_class[label])
        some = np.maximum(covered, 1)
        actual = (covered - hits) / some
        added = additional_errors(covered, covered - hits, options.confidence)
        pessimistic = np.where(covered > 0, actual + added / some, default_error)
        drop = choose(actual, pessimistic)
        if drop is not None:
            del kept[drop]
            continue
        guessing = options.method == "c4.5rules" and pessimistic[0] >= default_error
        if covered[0] == 0 or guessing:
            return None
        return kept, float(pessimistic[0])
    return None


def _to_drop_c45(actual: NDArray[Any], pessimistic: NDArray[Any]) -> int | None:
    """The clause without which the estimate is lowest, the last one on ties.

    It is dropped if leaving out any clause, this or another, makes one of the rates no higher.
    """
    if np.any(pessimistic[1:] <= pessimistic[0]) or np.any(actual[1:] <= actual[0]):
        return len(pessimistic) - 2 - int(np.argmin(pessimistic[:0:-1]))
    return None


def _to_drop_course(_actual: NDArray[Any], pessimistic: NDArray[Any]) -> int | None:
    """The clause whose removal improves the estimate most, the first one on ties; if any does."""
    best = int(np.argmin(pessimistic[1:]))
    return best if pessimistic[1 + best] < pessimistic[0] else None


# -------------------------------------------------------------------- order and duplicates


def attributes_with_sets(tree: Tree) -> frozenset[int]:
    """The attributes that are tested by sets or groups of categories.

    To C4.5rules every condition on one of them is a set, even if one category is in it.
    """
    kinds = (NodeKind.SUBSET, NodeKind.GROUPED)
    return frozenset(tree.attribute[np.isin(tree.kind, kinds)].tolist())


def _in_order(path: list[Clause], kept: list[int], sets: frozenset[int]) -> tuple[Clause, ...]:
    """The kept clauses of a path in the order in which C4.5rules compares and prints them.

    It sorts by selection, changing places with whatever stands there, dropped clauses included,
    and its "before" is no order: a lower attribute comes first, but a category does so, too,
    before a threshold. Which rules count as duplicates hangs on it.
    """
    places = [(clause, i in kept) for i, clause in enumerate(path)]
    for place in range(len(kept)):
        best = -1
        for other in range(place, len(places)):
            clause, is_kept = places[other]
            if is_kept and (best < 0 or _before(clause, places[best][0], sets)):
                best = other
        places[place], places[best] = places[best], places[place]
    return tuple(clause for clause, _ in places[: len(kept)])


def _before(one: Clause, other: Clause, sets: frozenset[int]) -> bool:
    if one.attribute < other.attribute or _test_type(one, sets) < _test_type(other, sets):
        return True
    return one.attribute == other.attribute and (_cut(one) or 0) < (_cut(other) or 0)


def _test_type(clause: Clause, sets: frozenset[int]) -> int:
    """1 a category (or a gap), 2 a threshold, 3 a set of categories."""
    if clause.allowed is None:
        return 1 if clause.is_missing else 2
    return 3 if clause.attribute in sets or clause.allowed.bit_count() != 1 else 1


def _cut(clause: Clause) -> float | None:
    return clause.high if clause.low is None else clause.low


def _distinct(rules: Iterable[Candidate], options: Options) -> list[Candidate]:
    """The rules without duplicates; of duplicates the first stays, with the highest estimate.

    To C4.5rules two thresholds at the same cut are the same, whichever side they ask for.
    """
    found: dict[Any, Candidate] = {}
    for rule in rules:
        clauses: tuple[Any, ...] = rule.clauses
        if options.method == "c4.5rules":
            clauses = tuple(c if (cut := _cut(c)) is None else (c.attribute, cut) for c in clauses)
        key = (rule.label, clauses)
        first = found.setdefault(key, rule)
        if rule.error > first.error:
            found[key] = replace(first, error=rule.error)
    return list(found.values())
