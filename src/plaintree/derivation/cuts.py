"""All thresholds of a column at a node at once: the class weights on both sides, and their worth.

1. The weights of a node's rows are written as whole numbers over one denominator, so that sums
   over sorted rows are exact.
2. What every threshold is worth is found as a float from these sums, and is off by rounding only.
3. The few that are listed, or may be the best, are measured exactly from the same sums.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, isinf, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .cases import Cases, Rows
from .exact import SAME, Counts, Scale, Weight, times_units

Floats = NDArray[np.float64]
Whole = NDArray[Any]
"""Whole numbers: of 64 bits where their sum is small enough, otherwise of any length."""

SMALL = 1 << 53


@dataclass(frozen=True, eq=False)
class Gathered:
    """The rows of a node, ready for every column of numbers."""

    cases: Cases
    rows: Rows
    index: NDArray[np.intp]
    codes: NDArray[np.intp]
    amounts: Whole
    denominator: int

    @classmethod
    def of(cls, cases: Cases, rows: Rows) -> Gathered:
        """Rows with their weights over one denominator."""
        index = np.array([row for row, _ in rows], dtype=np.intp)
        amounts, denominator = _over_one_denominator([weight for _, weight in rows])
        return cls(cases, rows, index, cases.class_codes[index], amounts, denominator)

    @cached_property
    def parts(self) -> Rows:
        """The rows with their weights as whole numbers, of which the denominator makes one."""
        return list(zip(self.index.tolist(), self.amounts.tolist(), strict=True))

    def known_and_gaps(self, column: int) -> tuple[Strip, Strip]:
        """The rows with a value in a column of numbers, and those without."""
        everyone = self.everyone(column)
        gaps = np.isnan(everyone.values)
        if not gaps.any():
            return everyone, self.nobody
        return everyone[~gaps], everyone[gaps]

    def everyone(self, column: int) -> Strip:
        """All rows with what they have in a column of numbers."""
        values = self.cases.numbers(column)[self.index]
        n_classes = len(self.cases.schema.classes)
        return Strip(values, self.codes, self.amounts, self.denominator, n_classes)

    @cached_property
    def nobody(self) -> Strip:
        """No rows."""
        none, n_classes = slice(0, 0), len(self.cases.schema.classes)
        return Strip(np.zeros(0), self.codes[none], self.amounts[none], self.denominator, n_classes)

    def filled(
        self, known: Strip, gaps: Strip, column: int
    ) -> tuple[Strip, dict[int | None, float]]:
        """The rows with values known or, if the conventions say so, filled in; what was."""
        policy = self.cases.rules.missing
        if not len(gaps) or not policy.startswith("most_common"):
            return known, {}
        everyone = self.everyone(column)
        empty, values = np.isnan(everyone.values), everyone.values.copy()
        if policy == "most_common":
            middle = known.median
            values[empty] = middle
            return replace(everyone, values=values), {None: middle}
        fillers: dict[int | None, float] = {}
        for code in dict.fromkeys(gaps.codes.tolist()):
            peers = known[known.codes == code]
            fillers[code] = peers.median if len(peers) else known.median
            values[empty & (everyone.codes == code)] = fillers[code]
        return replace(everyone, values=values), fillers


@dataclass(frozen=True, eq=False)
class Strip:
    """Rows with the values of a column: class codes, and weights over a common denominator."""

    values: Floats
    codes: NDArray[np.intp]
    amounts: Whole
    denominator: int
    n_classes: int

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def counts(self) -> Counts:
        """The weight of every class."""
        return self.weights(self.totals)

    @cached_property
    def totals(self) -> tuple[int, ...]:
        """The same as whole numbers over the common denominator."""
        return tuple([int(self.amounts[self.codes == c].sum()) for c in range(self.n_classes)])

    def __getitem__(self, chosen: NDArray[np.bool_]) -> Strip:
        return Strip(
            self.values[chosen],
            self.codes[chosen],
            self.amounts[chosen],
            self.denominator,
            self.n_classes,
        )

    def weights(self, amounts: Iterable[int]) -> Counts:
        """Whole numbers over the common denominator, as the weights that they stand for."""
        if self.denominator == 1:
            return tuple(amounts)
        return tuple([Fraction(amount, self.denominator) for amount in amounts])

    @property
    def median(self) -> float:
        """The lower median by weight."""
        order = np.argsort(self.values, kind="stable")
        so_far = self.amounts[order].cumsum()
        return float(self.values[order][np.flatnonzero(2 * so_far >= so_far[-1])[0]])

    def between(self, least_gap: float) -> Sides:
        """The sides of every threshold between neighbours that are further apart than a gap."""
        return side_by_side([self], least_gap)[0]


def side_by_side(strips: Sequence[Strip], least_gap: float) -> tuple[Sides, list[int]]:
    """The sides of all thresholds of several columns of the same rows, one column after the
    other, and where each begins; the last number is where all end."""
    rows = strips[0]
    values = np.stack([strip.values for strip in strips])
    order = np.argsort(values, axis=1, kind="stable")
    values = np.take_along_axis(values, order, axis=1)
    low, high = values[:, :-1], values[:, 1:]
    column, end = np.nonzero((low < high) & (low < high - least_gap))
    each = np.zeros((len(rows), rows.n_classes), dtype=rows.amounts.dtype)
    each[np.arange(len(rows)), rows.codes] = rows.amounts
    below = each[order].cumsum(axis=1)
    begins = np.searchsorted(column, np.arange(len(strips) + 1)).tolist()
    sides = Sides(rows, low[column, end], high[column, end], below[column, end], below[0, -1])
    return sides, begins


@dataclass(frozen=True, eq=False)
class Sides:
    """Every threshold of a strip: the values it lies between, and the class weights up to it,
    over the strip's denominator. ``total`` are those of all rows."""

    strip: Strip
    lower: Floats
    upper: Floats
    below: Whole
    total: Whole

    def __len__(self) -> int:
        return len(self.lower)

    def some(self, begin: int, end: int) -> Sides:
        """Those from one position up to another."""
        some = slice(begin, end)
        return Sides(self.strip, self.lower[some], self.upper[some], self.below[some], self.total)

    def branches(self, positions: list[int]) -> list[tuple[Counts, Counts]]:
        """The class weights on either side of some thresholds."""
        weights = self.strip.weights
        return [(weights(low), weights(high)) for low, high in self.parts(positions)]

    def parts(
        self, positions: list[int] | NDArray[np.intp]
    ) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """The same as whole numbers over the strip's denominator."""
        lows = self.below[positions]
        highs = self.total - lows
        return [
            (tuple(low), tuple(high))
            for low, high in zip(lows.tolist(), highs.tolist(), strict=True)
        ]

    def heavy(self, least: float) -> NDArray[np.bool_]:
        """Whether either side of a threshold weighs something, and at least so much."""
        one = self.below.sum(axis=1)
        lightest = np.minimum(one, self.total.sum() - one)
        limit = times_units(least, self.strip.denominator)
        limit = limit if isinf(limit) else ceil(limit)  # the amounts are whole
        return np.asarray((lightest > 0) & (lightest >= limit), dtype=np.bool_)

    def worth(self, scale: Scale, gaps: Counts | None, *, by_gain: bool) -> Floats:
        """The score of every threshold, or the gain; minus infinity where there is none.

        ``gaps`` are the class weights of rows that have a branch of their own.
        """
        whole = self.total.sum()
        part = 1.0 if gaps is None else float(Fraction(scale.known - sum(gaps)) / scale.known)
        branches = np.zeros((len(self), 2 if gaps is None else 3, len(self.total)))
        branches[:, 0] = self.below / whole * part
        branches[:, 1] = (self.total - self.below) / whole * part
        if gaps is not None:
            branches[:, 2] = [float(Fraction(weight) / scale.known) for weight in gaps]
        sizes = branches.sum(axis=2)
        left = _impurity(branches, sizes, scale.criterion).sum(axis=1)
        gain: Floats = scale.share * (float(scale.before) - left)
        if by_gain or not scale.criterion.startswith("gain_ratio"):
            return gain
        divisor, otherwise = scale.share * left, np.where(gain > 0, np.inf, -np.inf)
        least = SAME
        if scale.criterion == "gain_ratio":
            lost = _times_log(np.array([float(scale.gaps / Fraction(scale.known + scale.gaps))]))
            divisor = -_times_log(sizes * scale.share).sum(axis=1) - lost
            otherwise, least = np.full(len(self), -np.inf), 0.0
        score: Floats = np.divide(gain, divisor, out=otherwise, where=divisor > least)
        return score


def _times_log(shares: Floats) -> Floats:
    """p log2 p, which is 0 of nothing."""
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return np.asarray(shares * logs)


def _impurity(branches: Floats, sizes: Floats, criterion: str) -> Floats:
    """The impurity of every threshold's branches, times the branch's share of the rows."""
    if criterion == "error":
        return np.asarray(sizes - branches.max(axis=2))
    if criterion == "gini":
        squares = (branches * branches).sum(axis=2)
        mean = np.divide(squares, sizes, out=np.zeros_like(sizes), where=sizes > 0)
        return np.asarray(sizes - mean)
    return np.asarray(_times_log(sizes) - _times_log(branches).sum(axis=2))


def _over_one_denominator(weights: Sequence[Weight]) -> tuple[Whole, int]:
    """Weights as whole numbers over a common denominator."""
    if {type(weight) for weight in weights} <= {int}:
        small = sum(weights) < SMALL
        return np.array(weights, dtype=np.int64 if small else object), 1
    denominator = lcm(*{weight.denominator for weight in weights})
    whole = [weight.numerator * (denominator // weight.denominator) for weight in weights]
    return np.array(whole, dtype=object), denominator
