"""The thresholds of the numeric columns at a node: the score of each, the best of a column.

Columns are computed together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from plaintree.stats.exact import Counts, Scale, Weight, added, times_units
from plaintree.stats.sums import Floats, as_written

from .cases import Cases
from .cuts import Gathered, Sides, Strips
from .tried import Cuts, Tried, first_of_best, most_telling, near

TOGETHER = 1 << 18
"""So many sums of rows, of all columns, are computed at once."""


class ThresholdBook(NamedTuple):
    """The thresholds of a column at a node: the best that is allowed (the first of equals), some
    of the best in order, and how many there are and are allowed.

    ``missing`` are the sums of the rows without a value, in parts of the node's unit;
    ``fillers`` are the values that replace missing ones.
    """

    best: Tried | None
    listed: Cuts
    n_tried: int
    n_allowed: int
    missing: tuple[int, ...]
    fillers: Mapping[int | None, float]


def cut_books(node: Gathered, columns: Sequence[int], most: int | None) -> dict[int, ThresholdBook]:
    """The thresholds of some columns; a column in which no row has a value is left out."""
    books: dict[int, ThresholdBook] = {}
    at_once = max(1, TOGETHER // max(1, node.cells.size))
    for begin in range(0, len(columns), at_once):
        some = columns[begin : begin + at_once]
        strips = node.strips(some)
        known = np.flatnonzero(strips.n_known).tolist()
        some = [some[position] for position in known]
        if some:
            books.update(zip(some, _Page.of(strips.some(known), some).books(most), strict=True))
    return books


@dataclass(frozen=True, eq=False)
class _Page:
    """All thresholds of several columns at a node, their scores and if they are allowed.

    By column: the missing values and what replaces them, the scale, and the sums of missing values
    that have a branch of their own.
    """

    cases: Cases
    columns: Sequence[int]
    missing: Sequence[tuple[int, ...]]
    fillers: Sequence[Mapping[int | None, float]]
    scales: Sequence[Scale]
    own: Sequence[Counts | None]
    sides: Sides
    worth: Floats
    allowed: NDArray[np.bool_]

    @classmethod
    def of(cls, strips: Strips, columns: Sequence[int]) -> _Page:
        """The page of columns that all have values."""
        node, rules, sums = strips.node, strips.node.cases.rules, strips.node.sums
        unit = node.denominator
        known = sums.weights(strips.totals).tolist()
        missing = list(map(tuple, strips.missing.T.tolist()))
        filled, fillers = strips.filled()
        scales, own = [], []
        for counts, empty in zip(filled.totals.T.tolist(), filled.missing.T.tolist(), strict=True):
            branch = tuple(empty) if rules.missing == "branch" and any(empty) else None
            own.append(branch)
            weighed = tuple(counts) if branch is None else added([counts, branch])
            left_out = 0 if rules.missing == "branch" else sums.weight(tuple(empty))
            scales.append(Scale.of(sums, weighed, left_out, unit))
        sides = filled.sides(rules.min_separation, missing_branch=rules.missing == "branch")
        alone = set(sides.column[sides.alone].tolist())
        limits = [
            least_branch(node.cases, column, Fraction(weight, unit), 1 if i in alone else 2)
            for i, (column, weight) in enumerate(zip(columns, known, strict=True))
        ]
        least = [times_units(limit, unit) for limit in limits]
        worth = sides.worth(scales, own, by_gain=rules.threshold_choice == "gain")
        allowed = sides.heavy(least) & sides.numerous(node.cases.min_rows_of_branch)
        allowed &= sides.predictable(own)
        return cls(node.cases, columns, missing, fillers, scales, own, sides, worth, allowed)

    def books(self, most: int | None) -> Iterator[ThresholdBook]:
        """The thresholds of each column; so many of them are listed."""
        n_tried, n_allowed = (
            np.bincount(column, minlength=len(self.columns)).tolist()
            for column in (self.sides.column, self.sides.column[self.allowed])
        )
        listed = self._cuts(most_telling(self.worth, self.allowed, self.sides.column, most))
        best = map(first_of_best, self._cuts(self._nearly_best()))
        return map(ThresholdBook, best, listed, n_tried, n_allowed, self.missing, self.fillers)

    def _nearly_best(self) -> NDArray[np.intp]:
        """The positions of those that may be the best of their column."""
        most = np.full(len(self.columns), -inf)
        column, worth = self.sides.column, self.worth
        np.maximum.at(most, column[self.allowed], worth[self.allowed])
        limits = np.array([near(limit) for limit in most.tolist()])
        return np.flatnonzero(self.allowed & (worth >= limits[column]))

    def _cuts(self, positions: NDArray[np.intp]) -> Iterator[Cuts]:
        """Some thresholds, those of each column together."""
        sides = self.sides
        stops = np.searchsorted(sides.column[positions], np.arange(len(self.columns) + 1)).tolist()
        below = sides.below[:, positions]
        lower, upper = sides.lower[positions], sides.upper[positions]
        worth, allowed = self.worth[positions].tolist(), self.allowed[positions].tolist()
        by_gain = self.cases.rules.threshold_choice == "gain"
        for number, column in enumerate(self.columns):
            here = slice(stops[number], stops[number + 1])
            yield Cuts(
                column,
                self.cases.thresholds(column, lower[here], upper[here]),
                below[:, here],
                sides.totals[:, number],
                self.own[number],
                worth[here],
                allowed[here],
                self.scales[number],
                by_gain,
            )


def least_branch(cases: Cases, column: int, known: Weight, n_branches: int = 2) -> Weight | float:
    """The weight a branch needs; for numbers C4.5 requires a fraction of the known weight, and
    that this weight is enough for so many branches."""
    rules, least = cases.rules, cases.min_weight_of_branch
    if cases.is_categorical(column):
        return least
    if rules.min_samples_branch is not None and known < n_branches * least:
        return inf
    fraction = as_written(rules.numeric_branch_fraction)
    share = Fraction(fraction * known) / max(1, len(cases.schema.classes))
    return least if share <= least else share if share < 25 else 25
