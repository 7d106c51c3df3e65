"""Candidate splits: one of a node, those of a column, and the best of a column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import inf, isinf, isnan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plaintree.stats.exact import SAME, Counts, Measures, Scale, Value, measure, outcomes
from plaintree.tree.condition import Condition, Grouped, Subset, Threshold

NEAR = 1e-9
"""Splits whose quick gain is so near to the best are measured exactly."""
EQUAL = 12
"""Splits whose quick scores have so many digits in common are listed in their order."""


@dataclass(frozen=True)
class Tried:
    """A split, the sums of its branches, and whether these are large enough.

    The weights are in parts of the unit of the scale; a branch for missing values is the last.
    ``measures`` are exact; ``worth`` is fast and may be a little off: what the splits of a column
    are compared by, which is the score or, if ``by_gain``, the gain, in units of the yardstick.
    ``aside`` is the branch of categories set aside by grouping, if it does not count.
    """

    condition: Condition
    parts: tuple[Counts, ...]
    scale: Scale
    worth: float
    by_gain: bool = False
    allowed: bool = True
    penalty: float = 0.0
    aside: int = -1

    @cached_property
    def measures(self) -> Measures:
        """The measures of the split."""
        return measure(self._counted, self.scale, self.penalty)

    @property
    def has_aside(self) -> bool:
        """Whether rows are in a branch that does not count."""
        return self.aside >= 0 and any(self.parts[self.aside])

    @property
    def _counted(self) -> Sequence[Counts]:
        if self.aside < 0:
            return self.parts
        return [branch for i, branch in enumerate(self.parts) if i != self.aside]

    @property
    def branches(self) -> tuple[Counts, ...]:
        """The sums of the branches, of weights that are not in parts."""
        unit = self.scale.unit
        if unit == 1:
            return self.parts
        return tuple([tuple([Fraction(part, unit) for part in branch]) for branch in self.parts])

    @cached_property
    def impurities(self) -> list[Value]:
        """How mixed every branch is."""
        return list(map(self.scale.sums.impurity, self.parts))

    @cached_property
    def sizes(self) -> Counts:
        """The weights of the branches in parts of the unit."""
        return tuple(map(self.scale.sums.weight, self.parts))

    @property
    def outcomes(self) -> Counts:
        """The same of the branches that count, and of missing values where they count as one."""
        return outcomes(self._counted, self.scale)


@dataclass(frozen=True, eq=False)
class Cuts:
    """Thresholds of a column that were tried, in their order: as numbers side by side, since there
    are very many. Each is made a :class:`Tried` when it is looked at.

    ``below`` has the sums of the rows up to every threshold in parts of the scale's unit, ``total``
    those of all rows with a value, and ``own`` those of missing values that have a branch of their
    own.
    """

    column: int
    thresholds: Sequence[float]
    below: NDArray[Any]
    total: NDArray[Any]
    own: Counts | None
    worth: Sequence[float]
    allowed: Sequence[bool]
    scale: Scale
    by_gain: bool

    @property
    def parts(self) -> list[tuple[Counts, ...]]:
        """The sums of the branches of each, in parts of the scale's unit."""
        own = () if self.own is None else (self.own,)
        lows, highs = self.below.T.tolist(), (self.total[:, None] - self.below).T.tolist()
        return [(tuple(low), tuple(high), *own) for low, high in zip(lows, highs, strict=True)]

    def __len__(self) -> int:
        return len(self.thresholds)

    def measures(self, parts: Iterable[tuple[Counts, ...]]) -> list[Measures]:
        """What each achieves by its parts; where gains are compared, the score is the gain."""
        scale = self.scale
        if self.by_gain and scale.criterion.startswith("gain_ratio"):
            scale = replace(scale, criterion="information_gain")
        return [measure(branches, scale) for branches in parts]

    def __iter__(self) -> Iterator[Tried]:
        tests = zip(self.thresholds, self.parts, self.worth, self.allowed, strict=True)
        for threshold, parts, worth, allowed in tests:
            yield Tried(
                Threshold(self.column, threshold), parts, self.scale, worth, self.by_gain, allowed
            )


Tests = tuple[Tried, ...] | Cuts


@dataclass(frozen=True, eq=False)
class Offer:
    """A column at a node.

    - ``tried``: every split of it, in the order in which ties are decided, or the best of them;
      ``n_tried``, ``n_allowed``: how many there were, and how many with large enough branches.
    - ``best``: the best of those allowed, with the penalty for the number of thresholds, if any.
    - ``missing``: the sums of the rows without a value; ``fillers``: what replaces it,
      by class (None: the same for all).
    - ``refused``: why the column cannot be chosen; empty if it can.
    """

    feature: int
    tried: Tests
    n_tried: int
    n_allowed: int
    best: Tried | None
    missing: Counts
    fillers: Mapping[int | None, float]
    refused: str = ""

    @property
    def searched(self) -> bool:
        """Whether the best split was searched for, so its name is a result."""
        grouped = self.best is not None and isinstance(self.best.condition, Grouped)
        return self.n_tried > 1 or grouped

    @property
    def names_given(self) -> bool:
        """Whether the list of splits does not show which is the best: it has all of them.

        Sets of categories are listed in the order of their classes, or are a part of all sets.
        """
        sets = self.best is not None and isinstance(self.best.condition, Subset)
        return len(self.tried) == self.n_tried and not sets

    @property
    def score(self) -> Value:
        """The value of the best split."""
        return -inf if self.best is None else self.best.measures.score

    @property
    def gain(self) -> Value:
        """The value of the best split."""
        return -inf if self.best is None else self.best.measures.gain


def first_of_best(tried: Iterable[Tried]) -> Tried | None:
    """The best of some splits of a column, the first of those that score the same."""
    best, most = None, -inf
    for test in tried:
        exact = float(test.measures.gain if test.by_gain else test.measures.score)
        exact = -inf if isnan(exact) else exact / test.scale.yardstick
        if best is None or exact > most + SAME:
            best, most = test, exact
    return best


def position_of(test: Tried, tried: Tests) -> int | None:
    """The position of a split among those listed; None if it is not listed."""
    if isinstance(tried, Cuts):
        assert isinstance(test.condition, Threshold), "of the same column"
        places = (i for i, cut in enumerate(tried.thresholds) if cut == test.condition.threshold)
    else:
        places = (i for i, other in enumerate(tried) if other.condition == test.condition)
    return next(places, None)


def near(most: float) -> float:
    """What is no worse than this may be the best, once it is measured exactly."""
    return most if isinf(most) else most - NEAR * max(1.0, abs(most))


def most_telling(
    worth: ArrayLike, allowed: ArrayLike, column: NDArray[np.intp], most: int | None
) -> NDArray[np.intp]:
    """The positions of the best splits of every column, in order; of equals the first.

    The splits of a column are adjacent, and the columns are in order.
    """
    if most is None:
        return np.arange(len(column))
    rank = -np.round(np.asarray(worth, dtype=np.float64), EQUAL)
    refused = ~np.asarray(allowed, dtype=np.bool_)
    some = _first_look(np.where(refused, inf, rank), column, most)
    order = some[np.lexsort((rank[some], refused[some], column[some]))]
    return np.sort(order[_places(column[order]) < most])


def _first_look(rank: NDArray[np.float64], column: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """The positions of those among which the first so many of every column are."""
    place = _places(column)
    if not len(place) or place.max() < most:
        return np.arange(len(column))
    table = np.full((int(column[-1]) + 1, int(place.max()) + 1), inf)
    table[column, place] = rank
    last = np.partition(table, most - 1, axis=1)[:, most - 1]
    return np.flatnonzero(rank <= last[column])


def _places(column: NDArray[np.intp]) -> NDArray[np.intp]:
    """The place of every split among those of its column."""
    return np.arange(len(column)) - np.searchsorted(column, column)
