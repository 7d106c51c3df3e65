"""The space of rows as rules see it: boxes of intervals and sets of categories.

Glossary. Rules cannot tell all values apart: the thresholds in them cut a numeric attribute's line
into *segments*, and a category is a *code*; where a rule asks "is missing", being missing is one
segment or code more. What a rule allows of one attribute is a *side*: a range of segments, or a
set of codes. A *box* is a rule as sides by attribute, without those that restrict nothing. A
*cell* is a part of all rows, with a side for every attribute. Boxes form *islands* along an
attribute: those of one island are linked by overlaps, and none crosses to another.

Whether boxes cover a cell is found by cutting it, without recursion: between islands if there are
several, which cuts through no box, otherwise along a side of one box.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from datetime import time
from functools import cached_property
from math import floor, inf
from typing import Any

from plaintree.data.schema import Feature, Schema
from plaintree.data.timestamps import TEMPORAL, duration_of, timestamp_of

from .rule import Clause

Side = Any
"""A range of segments (begin, end) on a line, or codes as the bits of an int. Hashable."""

Box = dict[int, Side]

# -------------------------------------------------------------------- one attribute


class Axis(ABC):
    """One attribute's values as far as rules tell them apart.

    ``known`` is the side of all values but the missing one, ``gap`` that of the missing one, and
    ``whole`` all that there is: both, or the known ones if no rule asks whether it is missing.
    """

    def __init__(self, attribute: Feature, whole: Side, known: Side, gap: Side) -> None:
        self.feature = attribute
        self.whole = whole
        self.known = known
        self.gap = gap

    @abstractmethod
    def side(self, clause: Clause) -> Side | None:
        """What a clause allows; None if that is nothing."""

    @abstractmethod
    def meet(self, one: Side, other: Side) -> Side | None:
        """What two sides have in common; None if that is nothing."""

    @abstractmethod
    def rest(self, side: Side, taken: Iterable[Side]) -> list[Side]:
        """What is left of a side without others that lie in it."""

    @abstractmethod
    def islands(self, sides: set[Side]) -> dict[Side, Side]:
        """Every side with the island it is on."""

    @abstractmethod
    def union(self, sides: Sequence[Side]) -> list[Side]:
        """As few sides with the same values as clauses can say (all but missing is not one)."""

    @abstractmethod
    def clause(self, number: int, side: Side) -> Clause:
        """What asks for a side of this attribute, of that column number."""

    @abstractmethod
    def value(self, side: Side) -> Any:
        """A value in the side; None where only a missing one is."""


class Line(Axis):
    """Numbers and ordered categories: a side is a range of segments.

    Segment i holds the numbers above ``cuts[i - 1]`` up to ``cuts[i]``; ordered categories have a
    segment each. The last segment, of number ``n_known``, is for missing values.
    """

    def __init__(self, attribute: Feature, gaps: bool, thresholds: Iterable[float]) -> None:
        ordered = attribute.kind == "ordered"
        steps = range(len(attribute.categories)) if ordered else sorted(set(thresholds) - {inf})
        self.cuts: list[float] = list(steps)
        self.n_known = len(self.cuts) + (not ordered)
        gap = (self.n_known, self.n_known + 1)
        super().__init__(attribute, (0, self.n_known + gaps), (0, self.n_known), gap)

    def side(self, clause: Clause) -> Side | None:
        if clause.is_missing:
            return None if clause.asks_for_value else self.gap
        begin = 0 if clause.low is None else self._segments_up_to(clause.low)
        end = self.n_known if clause.high is None else self._segments_up_to(clause.high)
        return (begin, end) if begin < end else None

    def _segments_up_to(self, threshold: float) -> int:
        return self.n_known if threshold == inf else bisect_right(self.cuts, threshold)

    def meet(self, one: Side, other: Side) -> Side | None:
        begin, end = max(one[0], other[0]), min(one[1], other[1])
        return (begin, end) if begin < end else None

    def rest(self, side: Side, taken: Iterable[Side]) -> list[Side]:
        begin, left = side[0], []
        for taken_begin, taken_end in sorted(taken):
            if begin < taken_begin:
                left.append((begin, taken_begin))
            begin = taken_end
        return [*left, (begin, side[1])] if begin < side[1] else left

    def islands(self, sides: set[Side]) -> dict[Side, Side]:
        found: list[Side] = []
        first, last = -1, -1
        for begin, end in sorted(sides):
            if begin >= last:
                found.append((first, last))
                first, last = begin, end
            elif end > last:
                last = end
        found.append((first, last))
        del found[0]  # the island before the first
        begins = [begin for begin, _ in found]
        return {side: found[bisect_right(begins, side[0]) - 1] for side in sides}

    def union(self, sides: Sequence[Side]) -> list[Side]:
        joined: list[Side] = []
        for begin, end in sorted(set(sides) - {self.gap}):
            if joined and begin <= joined[-1][1]:
                joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
            else:
                joined.append((begin, end))
        if self.gap not in sides:
            return list(sides) if joined == [self.known] != [self.whole] else joined
        return [self.whole] if joined == [self.known] else [*joined, self.gap]

    def clause(self, number: int, side: Side) -> Clause:
        begin, end = side
        if side == self.gap:
            return Clause(number, is_missing=True)
        low = self.cuts[begin - 1] if begin > 0 else None
        return Clause(number, low=low, high=self.cuts[end - 1] if end < self.n_known else None)

    def value(self, side: Side) -> Any:
        segment = side[0]
        if segment == self.n_known:
            return None
        if self.feature.kind == "ordered":
            return self.feature.categories[segment]
        low = self.cuts[segment - 1] if segment > 0 else -inf
        high = self.cuts[segment] if segment < len(self.cuts) else inf
        return as_written(self.feature, _number_between(low, high))


class Codes(Axis):
    """Unordered categories: a side is a set of codes, bit i of an int for category i.

    One bit more, behind those of all categories, is for missing values.
    """

    def __init__(self, attribute: Feature, gaps: bool) -> None:
        gap = 1 << max(len(attribute.categories), 1)
        super().__init__(attribute, gap - 1 + gaps * gap, gap - 1, gap)

    def side(self, clause: Clause) -> Side | None:
        if clause.is_missing:
            return None if clause.asks_for_value else self.gap
        return self.known if clause.allowed is None else clause.allowed << clause.offset or None

    def meet(self, one: Side, other: Side) -> Side | None:
        return one & other or None

    def rest(self, side: Side, taken: Iterable[Side]) -> list[Side]:
        for codes in taken:
            side &= ~codes
        return [side] if side else []

    def islands(self, sides: set[Side]) -> dict[Side, Side]:
        found: list[int] = []
        on_any = 0
        for side in sorted(sides, key=int.bit_count, reverse=True):
            island = side
            if side & on_any:  # else it is a new one: with a branch per category all of them are
                island = sum(other for other in found if other & side) | side
                found = [other for other in found if not other & side]
            found.append(island)
            on_any |= side
        if len(found) == len(sides):
            return {island: island for island in found}
        return {side: next(i for i in found if i & side) for side in sides}

    def union(self, sides: Sequence[Side]) -> list[Side]:
        every = 0
        for side in sides:
            every |= side
        parts = [every & self.known, every & ~self.known]
        return [every] if every == self.whole else [part for part in parts if part]

    def clause(self, number: int, side: Side) -> Clause:
        if side == self.gap:
            return Clause(number, is_missing=True)
        offset = (side & -side).bit_length() - 1
        n_categories = len(self.feature.categories)
        return Clause(number, allowed=side >> offset, offset=offset, n_categories=n_categories)

    def value(self, side: Side) -> Any:
        code = (side & -side).bit_length() - 1
        labels = self.feature.categories
        return labels[code] if code < len(labels) else None


def _number_between(low: float, high: float) -> float:
    """A number above one and not above the other, a whole one if that is easy."""
    if low == -inf:
        return 0.0 if high == inf else high
    if high == inf:
        above = float(floor(low) + 1)
        return above if above > low else inf
    middle = float(floor(low / 2 + high / 2))
    return middle if low < middle <= high else high


def as_written(attribute: Feature, number: float) -> Any:
    """A number of an attribute as its column holds it: dates and times are kept as microseconds."""
    if attribute.unit not in TEMPORAL:
        return number
    if attribute.unit == "duration":
        duration = duration_of(number)
        return number if duration is None else duration
    timestamp = timestamp_of(number)
    if timestamp is None:
        return number
    if attribute.unit == "time":
        return timestamp.time()
    midnight = timestamp.time() == time.min
    return timestamp.date() if attribute.unit == "date" and midnight else timestamp


# -------------------------------------------------------------------- all attributes


class Space:
    """All rows that some rules (as tuples of clauses) can tell apart."""

    def __init__(self, schema: Schema, terms: Iterable[Sequence[Clause]]) -> None:
        thresholds: dict[int, set[float]] = {}
        gaps: set[int] = set()
        for clause in (clause for term in terms for clause in term):
            ends = {end for end in (clause.low, clause.high) if end is not None}
            thresholds.setdefault(clause.feature, set()).update(ends)
            if clause.is_missing:
                gaps.add(clause.feature)
        self.axes: list[Axis] = [
            Codes(attribute, number in gaps)
            if attribute.is_categorical
            else Line(attribute, number in gaps, thresholds.get(number, ()))
            for number, attribute in enumerate(schema.features)
        ]

    @cached_property
    def everything(self) -> Box:
        """The cell of all rows."""
        return {number: axis.whole for number, axis in enumerate(self.axes)}

    @cached_property
    def complete_rows(self) -> Box:
        """The cell of the rows without missing values."""
        return {number: axis.known for number, axis in enumerate(self.axes)}

    def box(self, clauses: Iterable[Clause]) -> Box | None:
        """The box of a rule's clauses; None if no row can match them."""
        box: Box = {}
        for clause in clauses:
            side = self.axes[clause.feature].side(clause)
            met = None if side is None else self.common(box, {clause.feature: side})
            if met is None:
                return None
            box = met
        return box

    def clauses(self, box: Box) -> tuple[Clause, ...]:
        """The clauses that ask for a box."""
        return tuple(self.axes[number].clause(number, side) for number, side in box.items())

    def common(self, one: Box, other: Box) -> Box | None:
        """What two boxes have in common; None if that is nothing."""
        both = dict(one)
        for attribute, side in other.items():
            met = self.axes[attribute].meet(one.get(attribute, side), side)
            if met is None:
                return None
            both[attribute] = met
        return {a: side for a, side in both.items() if side != self.axes[a].whole}

    def row(self, cell: Mapping[int, Side]) -> dict[str, Any]:
        """One of the rows of a cell."""
        return {axis.feature.name: axis.value(cell[a]) for a, axis in enumerate(self.axes)}

    def apart(self, boxes: list[Box]) -> tuple[int, list[tuple[Side, list[Box]]]] | None:
        """An attribute and its two or more islands with their boxes, or None if there is none."""
        if len(boxes) < 2:
            return None
        for attribute in set(boxes[0]).intersection(*boxes):
            islands = self.axes[attribute].islands({box[attribute] for box in boxes})
            if len(set(islands.values())) > 1:
                groups: dict[Side, list[Box]] = {}
                for box in boxes:
                    groups.setdefault(islands[box[attribute]], []).append(box)
                return attribute, list(groups.items())
        return None

    def uncovered(self, boxes: Iterable[Box], cell: Box, *, most_cells: float = inf) -> Box | None:
        """A part of a cell that no box covers; None if they cover all of it.

        After ``most_cells`` parts have been looked at, the next one counts as not covered.
        """
        inside = list(boxes)
        for attribute, side in cell.items():
            inside = self._within(inside, attribute, side)
        pending = [(cell, inside)]
        while pending:
            cell, inside = pending.pop()
            if not inside or most_cells <= 0:
                return cell
            most_cells -= 1
            if all(inside):  # a box without a side to it covers the cell
                pending.extend(self._parts(cell, inside))
        return None

    def _parts(self, cell: Box, boxes: list[Box]) -> Iterable[tuple[Box, list[Box]]]:
        """The cell in two or more parts, each with the boxes in it as seen from there."""
        islands = self.apart(boxes)
        if islands:
            attribute, groups = islands
            parts = [(side, self._within(inside, attribute, side)) for side, inside in groups]
            left = self.axes[attribute].rest(cell[attribute], (side for side, _ in groups))
            parts += [(side, []) for side in left]
        else:
            simplest = min(boxes, key=len)
            attribute = max(simplest, key=lambda a: sum(a in box for box in boxes))
            cut = simplest[attribute]
            sides = [cut, *self.axes[attribute].rest(cell[attribute], [cut])]
            parts = [(side, self._within(boxes, attribute, side)) for side in sides]
        return [(cell | {attribute: side}, inside) for side, inside in parts]

    def _within(self, boxes: list[Box], attribute: int, part: Side) -> list[Box]:
        """The boxes as seen from a part of the attribute's values: those that reach into it."""
        axis, seen = self.axes[attribute], []
        for box in boxes:
            side = box.get(attribute)
            met = part if side is None else axis.meet(side, part)
            if side is None or (met == side and met != part):
                seen.append(box)  # by far the most frequent case
            elif met == part:
                seen.append({a: s for a, s in box.items() if a != attribute})
            elif met is not None:
                seen.append(box | {attribute: met})
        return seen
