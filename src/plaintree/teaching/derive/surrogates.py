"""The surrogate splits of a node, found again row by row, and where they send rows (CART).

A surrogate is a split on another attribute. It agrees on a row if it sends the row to the branch
to which the split of the node sends it. Agreements are exact fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import isclose
from typing import Literal

import numpy as np

from plaintree.stats.exact import Weight, total
from plaintree.tree.condition import STOPS, Condition, Grouped, Surrogate, Threshold

from .cases import Cases, Rows, branch_of

LEAST_ROWS = 2
"""How many rows a threshold of a surrogate needs on either side."""
NEAR = 1e-9
"""How far agreements of a tree may be off: growing rounds weights."""

Sides = tuple[Weight, Weight]
"""The weight of the rows of either branch of a node."""


@dataclass(frozen=True)
class Candidate:
    """The best surrogate of an attribute.

    - ``split``: its condition and direction; None if there is none, ``refused`` says why.
    - ``agreed``: the weight of the rows on which it agrees, out of ``whole``.
    - ``larger``: the weight of the larger branch among these.
    - ``place``: its place among those kept, from 1; 0 if it is not kept.
    """

    feature: int
    split: Surrogate | None
    agreed: Weight
    whole: Weight
    larger: Weight
    refused: str = ""
    place: int = 0

    @property
    def agreement(self) -> Fraction:
        """The proportion of the rows on which it agrees."""
        return Fraction(self.agreed) / self.whole

    @property
    def adjusted(self) -> Fraction:
        """The agreement, relative to sending every row to the larger branch."""
        return Fraction(self.agreed - self.larger) / (self.whole - self.larger)

    @property
    def can_be_adjusted(self) -> bool:
        """Whether some row is not in the larger branch."""
        return self.split is not None and self.whole > self.larger


@dataclass(frozen=True)
class Sending:
    """What a node makes of rows without a branch: the best surrogates of the other attributes, in
    their order, and the branch of rows that none of them decides (STOPS: they stay)."""

    candidates: tuple[Candidate, ...]
    known: Sides
    default: int

    @cached_property
    def kept(self) -> tuple[Surrogate, ...]:
        """The surrogates that are kept, in the order in which they are asked."""
        kept = sorted((c for c in self.candidates if c.place), key=lambda c: c.place)
        return tuple(c.split for c in kept if c.split is not None)

    def compare(self, kept: Sequence[Surrogate], default: int) -> Literal["same", "tie", "other"]:
        """How the surrogates and the default branch of a tree compare with these."""
        one, other = map(float, self.known)
        even = isclose(one, other, rel_tol=NEAR)
        mine = [(s.agreement, s.adjusted) for s in self.kept]
        theirs = [(s.agreement, s.adjusted) for s in kept]
        close = len(mine) == len(theirs) and np.allclose(mine, theirs, rtol=NEAR, atol=NEAR)
        if not close or (default != self.default and not even):
            return "other"
        pairs = zip(self.kept, kept, strict=True)
        alike = all((a.condition, a.reversed) == (b.condition, b.reversed) for a, b in pairs)
        return "same" if alike and default == self.default else "tie"


def sending_of(cases: Cases, rows: Rows, condition: Condition) -> Sending:
    """The surrogates of a split with two branches, and its default branch, by the conventions."""
    rules, node = cases.rules, _Node(cases, rows, condition)
    searched = rules.use_surrogate > 0 and rules.max_surrogates > 0
    others = [c for c in range(len(cases.columns)) if c != condition.feature and searched]
    found = [node.candidate(column) for column in others]
    useful = [c for c in found if c.split is not None and c.agreed > c.larger]
    useful.sort(key=lambda candidate: -candidate.agreement)  # of equals, the first column
    places = {c.feature: place for place, c in enumerate(useful[: rules.max_surrogates], 1)}
    placed = [replace(c, place=places.get(c.feature, 0)) for c in found]
    first, second = node.known
    follows = searched and rules.use_surrogate == 2 and first != second
    return Sending(tuple(placed), node.known, int(second > first) if follows else STOPS)


def decider(cases: Cases, surrogates: Sequence[Surrogate], row: int) -> tuple[int, int]:
    """The place of the first surrogate that knows a row, and its branch; (-1, -1): none does."""
    for place, surrogate in enumerate(surrogates):
        branch = side_of(cases, surrogate, row)
        if branch >= 0:
            return place, branch
    return -1, -1


def side_of(cases: Cases, surrogate: Surrogate, row: int) -> int:
    """The branch of a row by a surrogate; -1 if it has none."""
    value = cases.columns[surrogate.feature][row]
    if cases.schema.features[surrogate.feature].is_missing(value):
        return -1
    branch = branch_of(surrogate.condition, value)
    return 1 - branch if surrogate.reversed and branch >= 0 else branch


def send(
    cases: Cases, surrogates: Sequence[Surrogate], lost: Rows, branches: Sequence[Rows]
) -> Rows:
    """Send rows to branches by surrogates, and return those that none of these knows."""
    unknown: Rows = []
    for row, weight in lost:
        _, branch = decider(cases, surrogates, row)
        (branches[branch] if branch >= 0 else unknown).append((row, weight))
    return unknown


def grown_branches(cases: Cases, rows: Rows, condition: Condition) -> list[Rows]:
    """The rows of every branch of a split as growing makes it."""
    if cases.rules.missing != "surrogate":
        return cases.divided(rows, condition)
    branches, lost = cases.routed(rows, condition)
    if lost:
        sending = sending_of(cases, rows, condition)
        lost = send(cases, sending.kept, lost, branches)
        if sending.default != STOPS:
            branches[sending.default].extend(lost)
    return branches


# -------------------------------------------------------------------- the search


class _Node:
    """The rows of a node, and the branch of each that has one."""

    def __init__(self, cases: Cases, rows: Rows, condition: Condition) -> None:
        self.cases, self.rows = cases, rows
        branches, _ = cases.routed(rows, condition)
        self.sides = {row: side for side, part in enumerate(branches) for row, _ in part}
        self.known = self._weights([case for part in branches for case in part])

    def _weights(self, rows: Rows) -> Sides:
        """The weights of rows by branch."""
        first, second = (
            total([weight for row, weight in rows if self.sides[row] == side]) for side in (0, 1)
        )
        return first, second

    def candidate(self, column: int) -> Candidate:
        """The best surrogate of a column."""
        both = [case for case in self._with_value(column) if case[0] in self.sides]
        sides = self._weights(both)
        counted = sides if self.cases.rules.surrogate_style == 1 else self.known
        best: Surrogate | None = None
        agreed: Weight = 0
        if both and self.cases.is_categorical(column):
            best, agreed = self._by_category(column, both, sides)
        elif both:
            best, agreed = self._by_threshold(column, both, sides)
        found = Candidate(column, best, agreed, total(counted), max(counted))
        if best is None:
            refused = "no row has both values" if not both else "too few rows in a branch"
            return replace(found, refused=refused)
        adjusted = float(found.adjusted) if found.can_be_adjusted else 0.0
        measured = replace(best, agreement=float(found.agreement), adjusted=adjusted)
        return replace(found, split=measured)

    def _with_value(self, column: int) -> Rows:
        known, _ = self.cases.split_by_missing(self.rows, column)
        return [(row, weight) for row, weight, _ in known]

    def _by_category(self, column: int, both: Rows, sides: Sides) -> tuple[Surrogate, Weight]:
        """Every category goes to the branch of more of its weight; on ties, to the larger one."""
        values, groups = self.cases.columns[column], []
        agreed: Weight = 0
        for code in range(len(self.cases.schema.features[column].categories)):
            own = [case for case in both if values[case[0]] == code]
            mine = self._weights(own)
            first, second = sides if mine[0] == mine[1] else mine
            groups.append((0 if first > second else 1) if own else -1)
            agreed += max(mine)
        return Surrogate(Grouped(column, tuple(groups))), agreed

    def _by_threshold(
        self, column: int, both: Rows, sides: Sides
    ) -> tuple[Surrogate | None, Weight]:
        """The best threshold with enough rows on either side, and its better direction."""
        values = self.cases.columns[column]
        by_value: dict[float, Rows] = {values[row]: [] for row, _ in self._with_value(column)}
        for case in both:
            by_value[values[case[0]]].append(case)
        below: list[Weight] = [0, 0]
        n_below = 0
        agreed: Weight = -1
        best: tuple[float, float, bool] | None = None
        for low, high in pairwise(sorted(by_value)):
            n_below += len(by_value[low])
            for side, weight in enumerate(self._weights(by_value[low])):
                below[side] += weight
            if not LEAST_ROWS <= n_below <= len(both) - LEAST_ROWS:
                continue
            straight = below[0] + sides[1] - below[1]
            most = max(straight, total(sides) - straight)
            if most > agreed:
                best, agreed = (low, high, most > straight), most
        if best is None:
            return None, 0
        low, high, is_reversed = best
        (threshold,) = self.cases.thresholds(column, np.array([low]), np.array([high]))
        return Surrogate(Threshold(column, threshold), is_reversed), agreed
