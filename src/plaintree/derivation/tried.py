"""A test that was tried at a node, those tried for a column, and what the column so offers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf, isinf, isnan

import numpy as np
from numpy.typing import ArrayLike

from ..condition import Condition, Threshold
from .exact import SAME, Counts, Measures, Scale, Value, impurity, measure, outcomes

NEAR = 1e-9
"""Tests whose quick gain is so near to the best are measured exactly."""
EQUAL = 12
"""Tests whose quick scores have so many digits in common are listed in their order."""


@dataclass(frozen=True)
class Tried:
    """A test, the class weights of its branches (one for gaps is the last) in parts of the scale's
    unit, and whether they are heavy enough. ``measures`` are exact; ``worth`` is quickly found and
    may be a little off: what the tests of a column are compared by, which is the score or, if
    ``by_gain``, the gain. ``aside`` is the branch of categories set aside by grouping, which does
    not count."""

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
        """What the test achieves."""
        return measure(self._counted, self.scale, self.penalty)

    @property
    def _counted(self) -> Sequence[Counts]:
        if self.aside < 0:
            return self.parts
        return [branch for i, branch in enumerate(self.parts) if i != self.aside]

    @cached_property
    def branches(self) -> tuple[Counts, ...]:
        """The class weights of the branches."""
        return self.parts if self.scale.unit == 1 else tuple(map(self._weights, self.parts))

    @cached_property
    def impurities(self) -> list[Value]:
        """How mixed every branch is."""
        return [impurity(branch, self.scale.criterion) for branch in self.parts]

    @cached_property
    def sizes(self) -> Counts:
        """The weights of the branches."""
        return self._weights(tuple(map(sum, self.parts)))

    @property
    def outcomes(self) -> Counts:
        """The weights of the branches that count, and of the gaps where they count as one."""
        return self._weights(outcomes(self._counted, self.scale.gaps))

    def _weights(self, parts: Counts) -> Counts:
        unit = self.scale.unit
        return parts if unit == 1 else tuple([Fraction(part, unit) for part in parts])


@dataclass(frozen=True, eq=False)
class Cuts:
    """Thresholds of a column that were tried, in their order: as numbers side by side, since there
    are very many. Each is made a :class:`Tried` when it is looked at."""

    column: int
    thresholds: tuple[float, ...]
    parts: tuple[tuple[Counts, ...], ...]
    worth: tuple[float, ...]
    allowed: tuple[bool, ...]
    scale: Scale
    by_gain: bool

    def __len__(self) -> int:
        return len(self.thresholds)

    def __getitem__(self, position: int) -> Tried:
        return Tried(
            Threshold(self.column, self.thresholds[position]),
            self.parts[position],
            self.scale,
            self.worth[position],
            self.by_gain,
            self.allowed[position],
        )

    def __iter__(self) -> Iterator[Tried]:
        return map(self.__getitem__, range(len(self)))


Tests = tuple[Tried, ...] | Cuts


@dataclass(frozen=True, eq=False)
class Offer:
    """A column at a node.

    - ``tried``: every test of it, in the order in which ties are decided, or the best of them;
      ``n_tried``, ``n_allowed``: how many there were, and how many with branches heavy enough.
    - ``best``: the best of those allowed, with the penalty for the number of cuts if there is one.
    - ``gaps``: the class weights of the rows without a value; ``fillers``: what stood in for it,
      by class (None: the same for all).
    - ``refused``: why the column cannot be chosen; empty if it can.
    """

    attribute: int
    tried: Tests
    n_tried: int
    n_allowed: int
    best: Tried | None
    gaps: Counts
    fillers: Mapping[int | None, float]
    refused: str = ""

    @property
    def score(self) -> Value:
        """Of the best test."""
        return -inf if self.best is None else self.best.measures.score

    @property
    def gain(self) -> Value:
        """Of the best test."""
        return -inf if self.best is None else self.best.measures.gain


def first_of_best(tried: Iterable[Tried]) -> Tried | None:
    best, most = None, -inf
    for test in tried:
        exact = float(test.measures.gain if test.by_gain else test.measures.score)
        exact = -inf if isnan(exact) else exact
        if best is None or exact > most + SAME:
            best, most = test, exact
    return best


def near(most: float) -> float:
    """What is no worse than this may be the best, once it is measured exactly."""
    return most if isinf(most) else most - NEAR * max(1.0, abs(most))


def most_telling(worth: ArrayLike, allowed: ArrayLike, most: int | None) -> list[int]:
    """The positions of so many of the best tests, in order; of equals the first."""
    rank = -np.round(np.asarray(worth, dtype=np.float64), EQUAL)
    order = np.lexsort((rank, ~np.asarray(allowed, dtype=np.bool_)))
    return sorted(order[:most].tolist())
