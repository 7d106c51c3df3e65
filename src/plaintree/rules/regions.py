"""The space of rows that rules distinguish: boxes of intervals and sets of categories.

Glossary. Rules do not distinguish all values: their thresholds split the line of a numeric feature
into *segments*, and a category is a *code*. If a rule has the condition "is missing", there is one
more segment or code for it. The values that a rule allows for one feature are a *side*: a range of
segments, or a set of codes. A *box* is a rule as sides by feature, without those that restrict
nothing. A *cell* is a part of all rows, with a side for every feature. Boxes form *islands* along a
feature: those of one island are linked by overlaps, and none reaches into another island.

Whether boxes cover a cell is found by splitting it, without recursion: between islands if there are
several, so no box is split, otherwise along a side of one box.
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

# -------------------------------------------------------------------- one feature


class Axis(ABC):
    """The values of one feature, as far as rules distinguish them.

    ``known`` is the side of all values that are not missing, and ``missing`` that of the missing
    one. ``whole`` is both, or ``known`` if no rule has the condition "is missing".
    """

    def __init__(self, feature: Feature, whole: Side, known: Side, missing: Side) -> None:
        self.feature = feature
        self.whole = whole
        self.known = known
        self.missing = missing

    @abstractmethod
    def side(self, clause: Clause) -> Side | None:
        """The values that a clause allows; None if there are none."""

    @abstractmethod
    def meet(self, one: Side, other: Side) -> Side | None:
        """The intersection of two sides; None if it is empty."""

    @abstractmethod
    def rest(self, side: Side, taken: Iterable[Side]) -> list[Side]:
        """A side without others that lie in it."""

    @abstractmethod
    def islands(self, sides: set[Side]) -> dict[Side, Side]:
        """Every side with its island."""

    @abstractmethod
    def union(self, sides: Sequence[Side]) -> list[Side]:
        """The fewest sides with the same values that clauses can express (not: all but missing)."""

    @abstractmethod
    def clause(self, number: int, side: Side) -> Clause:
        """The clause of a side, given the column number of the feature."""

    @abstractmethod
    def value(self, side: Side) -> Any:
        """A value in the side; None if only the missing one is."""


class Line(Axis):
    """Numbers and ordered categories: a side is a range of segments.

    Segment i holds the numbers above ``cuts[i - 1]`` up to ``cuts[i]``; ordered categories have a
    segment each. The last segment, number ``n_known``, is for missing values.
    """

    def __init__(self, feature: Feature, has_missing: bool, thresholds: Iterable[float]) -> None:
        ordered = feature.kind == "ordered"
        steps = range(len(feature.categories)) if ordered else sorted(set(thresholds) - {inf})
        self.cuts: list[float] = list(steps)
        self.n_known = len(self.cuts) + (not ordered)
        missing = (self.n_known, self.n_known + 1)
        whole = (0, self.n_known + has_missing)
        super().__init__(feature, whole, (0, self.n_known), missing)

    def side(self, clause: Clause) -> Side | None:
        if clause.is_missing:
            return None if clause.asks_for_value else self.missing
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
        for begin, end in sorted(set(sides) - {self.missing}):
            if joined and begin <= joined[-1][1]:
                joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
            else:
                joined.append((begin, end))
        if self.missing not in sides:
            return list(sides) if joined == [self.known] != [self.whole] else joined
        return [self.whole] if joined == [self.known] else [*joined, self.missing]

    def clause(self, number: int, side: Side) -> Clause:
        begin, end = side
        if side == self.missing:
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

    One more bit, after those of all categories, is for missing values.
    """

    def __init__(self, feature: Feature, has_missing: bool) -> None:
        missing = 1 << max(len(feature.categories), 1)
        whole = missing - 1 + has_missing * missing
        super().__init__(feature, whole, missing - 1, missing)

    def side(self, clause: Clause) -> Side | None:
        if clause.is_missing:
            return None if clause.asks_for_value else self.missing
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
        if side == self.missing:
            return Clause(number, is_missing=True)
        offset = (side & -side).bit_length() - 1
        n_categories = len(self.feature.categories)
        return Clause(number, allowed=side >> offset, offset=offset, n_categories=n_categories)

    def value(self, side: Side) -> Any:
        code = (side & -side).bit_length() - 1
        labels = self.feature.categories
        return labels[code] if code < len(labels) else None


def _number_between(low: float, high: float) -> float:
    """A number above ``low`` and up to ``high``, an integer if possible."""
    if low == -inf:
        return 0.0 if high == inf else high
    if high == inf:
        above = float(floor(low) + 1)
        return above if above > low else inf
    middle = float(floor(low / 2 + high / 2))
    return middle if low < middle <= high else high


def as_written(feature: Feature, number: float) -> Any:
    """An encoded number as its column holds it: dates and times are encoded as microseconds."""
    if feature.unit not in TEMPORAL:
        return number
    if feature.unit == "duration":
        duration = duration_of(number)
        return number if duration is None else duration
    timestamp = timestamp_of(number)
    if timestamp is None:
        return number
    if feature.unit == "time":
        return timestamp.time()
    midnight = timestamp.time() == time.min
    return timestamp.date() if feature.unit == "date" and midnight else timestamp


# -------------------------------------------------------------------- all features


class Space:
    """All rows that some rules (as tuples of clauses) distinguish."""

    def __init__(self, schema: Schema, terms: Iterable[Sequence[Clause]]) -> None:
        thresholds: dict[int, set[float]] = {}
        with_missing: set[int] = set()
        for clause in (clause for term in terms for clause in term):
            ends = {end for end in (clause.low, clause.high) if end is not None}
            thresholds.setdefault(clause.feature, set()).update(ends)
            if clause.is_missing:
                with_missing.add(clause.feature)
        self.axes: list[Axis] = [
            Codes(feature, number in with_missing)
            if feature.is_categorical
            else Line(feature, number in with_missing, thresholds.get(number, ()))
            for number, feature in enumerate(schema.features)
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
        """The clauses of a box."""
        return tuple(self.axes[number].clause(number, side) for number, side in box.items())

    def common(self, one: Box, other: Box) -> Box | None:
        """The intersection of two boxes; None if it is empty."""
        both = dict(one)
        for feature, side in other.items():
            met = self.axes[feature].meet(one.get(feature, side), side)
            if met is None:
                return None
            both[feature] = met
        return {a: side for a, side in both.items() if side != self.axes[a].whole}

    def row(self, cell: Mapping[int, Side]) -> dict[str, Any]:
        """One of the rows of a cell."""
        return {axis.feature.name: axis.value(cell[a]) for a, axis in enumerate(self.axes)}

    def apart(self, boxes: list[Box]) -> tuple[int, list[tuple[Side, list[Box]]]] | None:
        """A feature with two or more islands and their boxes, or None if there is none."""
        if len(boxes) < 2:
            return None
        for feature in set(boxes[0]).intersection(*boxes):
            islands = self.axes[feature].islands({box[feature] for box in boxes})
            if len(set(islands.values())) > 1:
                groups: dict[Side, list[Box]] = {}
                for box in boxes:
                    groups.setdefault(islands[box[feature]], []).append(box)
                return feature, list(groups.items())
        return None

    def uncovered(self, boxes: Iterable[Box], cell: Box, *, max_cells: float = inf) -> Box | None:
        """A part of a cell that no box covers; None if they cover all of it.

        After ``max_cells`` parts have been examined, the next one counts as not covered.
        """
        inside = list(boxes)
        for feature, side in cell.items():
            inside = self._within(inside, feature, side)
        pending = [(cell, inside)]
        while pending:
            cell, inside = pending.pop()
            if not inside or max_cells <= 0:
                return cell
            max_cells -= 1
            if all(inside):  # a box without a side to it covers the cell
                pending.extend(self._parts(cell, inside))
        return None

    def _parts(self, cell: Box, boxes: list[Box]) -> Iterable[tuple[Box, list[Box]]]:
        """The cell in two or more parts, each with the boxes restricted to it."""
        islands = self.apart(boxes)
        if islands:
            feature, groups = islands
            parts = [(side, self._within(inside, feature, side)) for side, inside in groups]
            left = self.axes[feature].rest(cell[feature], (side for side, _ in groups))
            parts += [(side, []) for side in left]
        else:
            simplest = min(boxes, key=len)
            feature = max(simplest, key=lambda a: sum(a in box for box in boxes))
            side = simplest[feature]
            sides = [side, *self.axes[feature].rest(cell[feature], [side])]
            parts = [(side, self._within(boxes, feature, side)) for side in sides]
        return [(cell | {feature: side}, inside) for side, inside in parts]

    def _within(self, boxes: list[Box], feature: int, part: Side) -> list[Box]:
        """The boxes restricted to a part of the feature's values."""
        axis, seen = self.axes[feature], []
        for box in boxes:
            side = box.get(feature)
            met = part if side is None else axis.meet(side, part)
            if side is None or (met == side and met != part):
                seen.append(box)  # by far the most frequent case
            elif met == part:
                seen.append({a: s for a, s in box.items() if a != feature})
            elif met is not None:
                seen.append(box | {feature: met})
        return seen
