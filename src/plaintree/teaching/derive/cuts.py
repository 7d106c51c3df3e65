"""The sums on both sides of all thresholds of a column at a node, and their scores.

1. The weights of a node's rows are written as integers over one denominator, so sums over sorted
   rows are exact.
2. The score of every threshold is computed as a float from these sums, up to rounding.
3. The few that are listed, or may be the best, are measured exactly from the same sums.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, isinf, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.stats.exact import SAME, Counts, Scale, Weight
from plaintree.stats.impurity import x_log_x
from plaintree.stats.sums import SMALL, Floats, Integers, Sums

from .cases import Cases, Rows


@dataclass(frozen=True, eq=False)
class Gathered:
    """The rows of a node, ready for every column of numbers."""

    cases: Cases
    rows: Rows
    index: NDArray[np.intp]
    codes: NDArray[np.intp]
    amounts: Integers
    denominator: int

    @classmethod
    def of(cls, cases: Cases, rows: Rows) -> Gathered:
        """Rows with their weights over one denominator."""
        index = np.array([row for row, _ in rows], dtype=np.intp)
        amounts, denominator = _over_one_denominator([weight for _, weight in rows])
        return cls(cases, rows, index, cases.all_codes[index], amounts, denominator)

    @cached_property
    def parts(self) -> Rows:
        """The rows with their weights as integers over the denominator."""
        return list(zip(self.index.tolist(), self.amounts.tolist(), strict=True))

    @property
    def sums(self) -> Sums:
        """What groups of rows are summed up to."""
        return self.cases.sums

    @cached_property
    def cells(self) -> Integers:
        """The sums of every single row (sums x rows), over the denominator."""
        return self.sums.cells(self.codes, self.amounts)

    @cached_property
    def totals(self) -> Integers:
        """The sums of all rows, over the denominator."""
        return np.asarray(self.cells.sum(axis=1))

    def weights(self, amounts: Iterable[int]) -> Counts:
        """Integers numbers over the denominator, as the weights that they stand for."""
        if self.denominator == 1:
            return tuple(amounts)
        return tuple([Fraction(amount, self.denominator) for amount in amounts])

    def strips(self, columns: Sequence[int]) -> Strips:
        """The rows with their values in some columns of numbers."""
        values = [self.cases.numbers(column)[self.index] for column in columns]
        return Strips(self, np.array(values).reshape(len(columns), len(self.index)))


@dataclass(frozen=True, eq=False)
class Strips:
    """The rows of a node with their values in several columns, NaN where there is none."""

    node: Gathered
    values: Floats

    def __len__(self) -> int:
        return len(self.values)

    def some(self, chosen: Sequence[int] | slice) -> Strips:
        """Only some of the columns."""
        return Strips(self.node, self.values[chosen])

    @cached_property
    def n_known(self) -> NDArray[np.intp]:
        """How many rows have a value in each column."""
        return np.asarray((~np.isnan(self.values)).sum(axis=1))

    @cached_property
    def _order(self) -> NDArray[np.intp]:
        """The rows by their values in each column; those without one are the last."""
        return np.argsort(self.values, axis=1, kind="stable")

    @cached_property
    def _ranked(self) -> Floats:
        return np.take_along_axis(self.values, self._order, axis=1)

    @cached_property
    def _below(self) -> Integers:
        """By sum, column and row in order: the sum up to there."""
        return np.asarray(self.node.cells[:, self._order].cumsum(axis=2))

    @cached_property
    def totals(self) -> Integers:
        """By sum and column: the sums of the rows with a value, which some must have."""
        return np.asarray(self._below[:, np.arange(len(self)), self.n_known - 1])

    @cached_property
    def missing(self) -> Integers:
        """By sum and column: the sums of the rows without a value."""
        return np.asarray(self.node.totals[:, None] - self.totals)

    def filled(self) -> tuple[Strips, list[dict[int | None, float]]]:
        """Missing values filled in, if the conventions do so; and by what, by column and class."""
        policy = self.node.cases.rules.missing
        fillers: list[dict[int | None, float]] = [{} for _ in self.values]
        holes = np.isnan(self.values)
        if not policy.startswith("most_common") or not holes.any():
            return self, fillers
        values = self.values.copy()
        for column in np.flatnonzero(holes.any(axis=1)).tolist():
            hole, found = holes[column], fillers[column]
            if policy == "most_common":
                values[column, hole] = found[None] = self._median(column)
                continue
            for code in dict.fromkeys(self.node.codes[hole].tolist()):
                peers = self.totals[code, column] > 0
                found[code] = self._median(column, code if peers else None)
                values[column, hole & (self.node.codes == code)] = found[code]
        return Strips(self.node, values), fillers

    def _median(self, column: int, code: int | None = None) -> float:
        """The lower median by weight, of all rows with a value or of a class."""
        so_far = self._below[:, column]
        so_far = self.node.sums.weights(so_far) if code is None else so_far[code]
        whole = so_far[self.n_known[column] - 1]
        return float(self._ranked[column, np.flatnonzero(2 * so_far >= whole)[0]])

    def sides(self, min_separation: float, *, missing_branch: bool = False) -> Sides:
        """The sides of every threshold between neighbours that are separated enough.

        Where missing values have a branch of their own, a column of one known value has one
        threshold: that value, with all known rows on the low side.
        """
        last = self._ranked[np.arange(len(self)), self.n_known - 1]
        low, high = self._ranked[:, :-1], self._ranked[:, 1:]
        column, end = np.nonzero((low < high) & (low < high - min_separation))
        one_value = (self._ranked[:, 0] == last) & (self.n_known < self.values.shape[1])
        alone = np.flatnonzero(one_value & missing_branch)
        every = np.concatenate([column, alone])
        order = np.argsort(every, kind="stable")
        lower = np.concatenate([low[column, end], last[alone]])[order]
        upper = np.concatenate([high[column, end], last[alone]])[order]
        below = np.concatenate([self._below[:, column, end], self.totals[:, alone]], axis=1)
        n_below = np.concatenate([end + 1, self.n_known[alone]])[order]
        found = every[order], lower, upper, below[:, order]
        return Sides(self.node.sums, *found, self.totals, n_below, self.n_known)


@dataclass(frozen=True, eq=False)
class Sides:
    """Every threshold of some columns, one column after the other: its column, the values it lies
    between, and the sums of the rows up to it, over the node's denominator. ``totals`` are by
    column the sums of all its rows; ``n_below`` and ``n_rows`` count rows."""

    sums: Sums
    column: NDArray[np.intp]
    lower: Floats
    upper: Floats
    below: Integers
    totals: Integers
    n_below: NDArray[np.intp]
    n_rows: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.lower)

    @cached_property
    def alone(self) -> NDArray[np.bool_]:
        """Whether a threshold is of known against missing: all known rows are on the low side."""
        return np.asarray(self.lower == self.upper)

    def numerous(self, least: int) -> NDArray[np.bool_]:
        """Whether either side has so many rows. Of known against missing, the known side counts."""
        fewest = np.minimum(self.n_below, self.n_rows[self.column] - self.n_below)
        return np.where(self.alone, self.n_below, fewest) >= least

    def heavy(self, least: Sequence[Weight | float]) -> NDArray[np.bool_]:
        """Whether either side of a threshold weighs something, and at least so much, which may
        differ by column, in parts of the unit. Of known against missing, the known side counts."""
        one = self.sums.weights(self.below)
        lightest = np.minimum(one, self.sums.weights(self.totals)[self.column] - one)
        lightest = np.where(self.alone, one, lightest)
        whole = [limit if isinf(limit) else ceil(limit) for limit in least]  # as the amounts are
        kind = object if one.dtype == object else np.float64
        limits = np.array(whole, dtype=kind)[self.column]
        return np.asarray((lightest > 0) & (lightest >= limits), dtype=np.bool_)

    def predictable(self, own: Sequence[Counts | None]) -> NDArray[np.bool_]:
        """Whether the criterion allows a prediction for each branch."""
        branches, _ = self._branches(own)
        return np.asarray(np.logical_and.reduce([self.sums.all_allow(part) for part in branches]))

    def worth(
        self, scales: Sequence[Scale], own: Sequence[Counts | None], *, by_gain: bool
    ) -> Floats:
        """The score of every threshold, or the gain, in units of the yardstick; minus infinity
        where there is none.

        By column, ``own`` are the sums, as ``totals`` are, of missing values that have a branch of
        their own.
        """
        at, criterion = self.column, scales[0].criterion
        share = _floats([scale.share for scale in scales])[at]
        before = _floats([scale.before for scale in scales])[at]
        branches, whole = self._branches(own)
        left = sum((self.sums.shares_left(branch, whole) for branch in branches), start=0 * before)
        gain: Floats = share * (before - left)
        if by_gain or not criterion.startswith("gain_ratio"):
            return np.asarray(gain / _floats([scale.yardstick for scale in scales])[at])
        divisor, otherwise = share * left, np.where(gain > 0, np.inf, -np.inf)
        least = SAME
        if criterion == "gain_ratio":
            lost = x_log_x(_floats([1 - scale.part for scale in scales]))
            sizes = [_floats(self.sums.weights(b) / self.sums.weights(whole)) for b in branches]
            divisor = -x_log_x(np.array(sizes) * share).sum(axis=0) - lost[at]
            otherwise, least = np.full(len(self), -np.inf), 0.0
        score: Floats = np.divide(gain, divisor, out=otherwise, where=divisor > least)
        return score

    def _branches(self, own: Sequence[Counts | None]) -> tuple[list[Integers], Integers]:
        """The sums of the branches of every threshold, and those of all of them together."""
        total = self.totals[:, self.column]
        sides = [self.below, total - self.below]
        if all(missing is None for missing in own):
            return sides, total
        nothing = (0,) * len(total)
        third = np.array([missing or nothing for missing in own], dtype=total.dtype)
        return [*sides, third[self.column].T], total + third[self.column].T


def _floats(values: Any) -> Floats:
    return np.array(values, dtype=np.float64)


def _over_one_denominator(weights: Sequence[Weight]) -> tuple[Integers, int]:
    """Weights as integers over a common denominator."""
    if {type(weight) for weight in weights} <= {int}:
        small = sum(weights) < SMALL
        return np.array(weights, dtype=np.int64 if small else object), 1
    denominator = lcm(*{weight.denominator for weight in weights})
    whole = [weight.numerator * (denominator // weight.denominator) for weight in weights]
    return np.array(whole, dtype=object), denominator
