"""The thresholds of the columns of numbers at a node: what each is worth, the best of a column.

Columns in which every row has a value, or was given one, are worked out together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..convention import Conventions
from .cases import Cases
from .cuts import Floats, Gathered, Sides, Strip, side_by_side
from .exact import Counts, Scale, Weight, added, total
from .tried import Cuts, Tried, first_of_best, most_telling, near

TOGETHER = 1 << 15
"""So many values, of all columns, are worked out at once."""


class CutBook(NamedTuple):
    """All thresholds of a column at a node, what they are worth and whether they are allowed.

    ``gaps`` are the rows without a value, ``own`` their class weights where they have a branch of
    their own; ``fillers`` says what stood in for a value.
    """

    cases: Cases
    column: int
    sides: Sides
    worth: Floats
    allowed: NDArray[np.bool_]
    own: Counts | None
    scale: Scale
    gaps: Strip
    fillers: Mapping[int | None, float]

    def best(self) -> Tried | None:
        """The best that is allowed, the first of equals."""
        if not self.allowed.any():
            return None
        limit = near(float(self.worth[self.allowed].max()))
        return first_of_best(self._cuts(np.flatnonzero(self.allowed & (self.worth >= limit))))

    def listed(self, most: int | None) -> Cuts:
        """So many of the best, in order."""
        return self._cuts(np.array(most_telling(self.worth, self.allowed, most), dtype=np.intp))

    def _cuts(self, positions: NDArray[np.intp]) -> Cuts:
        column, sides = self.column, self.sides
        parts: list[tuple[Counts, ...]] = [*sides.parts(positions)]
        if self.own is not None:
            parts = [(*branches, self.own) for branches in parts]
        lower, upper = sides.lower[positions].tolist(), sides.upper[positions].tolist()
        between = self.cases.cut_between
        return Cuts(
            column,
            tuple([between(column, *ends) for ends in zip(lower, upper, strict=True)]),
            tuple(parts),
            tuple(self.worth[positions].tolist()),
            tuple(self.allowed[positions].tolist()),
            self.scale,
            self.cases.rules.cut_choice == "gain",
        )


class _Column(NamedTuple):
    """A column of numbers at a node: its rows with values known or filled in, and the others."""

    column: int
    strip: Strip
    gaps: Strip
    fillers: Mapping[int | None, float]


def cut_books(node: Gathered, columns: Sequence[int]) -> dict[int, CutBook]:
    """The thresholds of some columns; a column in which no row has a value is left out."""
    alike: dict[tuple[float, int], list[_Column]] = {}
    for column in columns:
        known, gaps = node.known_and_gaps(column)
        if not len(known):
            continue
        least = least_branch(node.cases, column, total(known.counts))
        strip, fillers = node.filled(known, gaps, column)
        whole = -1 if len(strip) == len(node.rows) else column
        alike.setdefault((least, whole), []).append(_Column(column, strip, gaps, fillers))
    books: dict[int, CutBook] = {}
    for (least, _), members in alike.items():
        at_once = max(1, TOGETHER // len(node.rows))
        for begin in range(0, len(members), at_once):
            for book in _worked_out(node, members[begin : begin + at_once], least):
                books[book.column] = book
    return books


def _worked_out(node: Gathered, members: Sequence[_Column], least: float) -> Iterator[CutBook]:
    """The thresholds of columns of the same rows."""
    rules, strip, gaps = node.cases.rules, members[0].strip, members[0].gaps
    gap_parts = gaps.totals if rules.missing in ("fractional", "branch") else ()
    own = gap_parts if rules.missing == "branch" and any(gap_parts) else None
    weighed = strip.totals if own is None else added([strip.totals, own])
    scale = Scale.of(rules, weighed, 0 if own else sum(gap_parts), node.denominator)
    sides, stops = side_by_side([member.strip for member in members], rules.least_gap)
    allowed = sides.heavy(least)
    worth = sides.worth(scale, own, by_gain=rules.cut_choice == "gain")
    for member, begin, end in zip(members, stops, stops[1:], strict=False):
        yield CutBook(
            node.cases,
            member.column,
            sides.some(begin, end),
            worth[begin:end],
            allowed[begin:end],
            own,
            scale,
            member.gaps,
            member.fillers,
        )


def least_to_split(rules: Conventions) -> float:
    """The weight that a node needs to be split."""
    few = rules.branch_rule == "every" and rules.min_samples_split <= 2
    return 0 if few else rules.min_samples_split


def least_branch(cases: Cases, column: int, known: Weight) -> float:
    """The weight a branch needs; for numbers C4.5 asks for a share of the known weight."""
    rules = cases.rules
    few = rules.branch_rule == "every" and rules.min_samples_branch <= 1
    least = 0 if few else rules.min_samples_branch
    if cases.is_categorical(column):
        return least
    if rules.branch_rule == "two" and known < 2 * least:
        return inf
    share = rules.numeric_branch_share * float(known) / len(cases.schema.classes)
    return least if share <= least else min(share, 25)
