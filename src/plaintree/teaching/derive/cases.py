"""The training rows of a derivation: plain values, exact weights, missing values, branches.

The core is not used: rows are counted, filled in and divided one by one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from plaintree.data.rows import Rows as EncodedRows
from plaintree.data.schema import Schema
from plaintree.stats.exact import Counts, Weight, total, yardstick_of
from plaintree.stats.midpoints import midpoints
from plaintree.stats.number_sums import sums_of_numbers
from plaintree.stats.sums import ClassWeights, Sums, as_written
from plaintree.tree.condition import Condition, Equals, Grouped, Multiway, Subset, Threshold
from plaintree.tree.conventions import Conventions

Rows = list[tuple[int, Weight]]
"""Row numbers, counted from 0, and the weight with which each is there."""
Known = list[tuple[int, Weight, float]]
"""The same with the value of some column, known or filled in."""

FINEST = 1 << 128
"""Shares are rounded to so many parts once their fractions have grown beyond all reading."""


@dataclass(frozen=True, eq=False)
class Cases:
    """A table: columns of numbers and codes (NaN or below 0: missing), class codes, weights.

    The code of a row is that of its class, or the position of its target among the distinct ones;
    ``sums`` are what groups of rows are summed up to.
    """

    schema: Schema
    columns: list[list[float]]
    codes: list[int]
    sums: Sums
    weights: list[Weight]
    distinct: list[list[float]]
    rules: Conventions

    @classmethod
    def of(cls, schema: Schema, rows: EncodedRows, rules: Conventions) -> Cases:
        """The cases of an encoded table."""
        columns = [column.tolist() for column in rows.columns]
        weights: list[Weight] = [as_written(weight) for weight in rows.known_weights.tolist()]
        present = [row for row, weight in enumerate(weights) if weight > 0]
        distinct = []
        for column, attribute in zip(columns, schema.features, strict=True):
            values = {column[row] for row in present}
            distinct.append(sorted(v for v in values if not attribute.is_missing(v)))
        sums: Sums = ClassWeights(rules.criterion, len(schema.classes))
        codes = rows.target.tolist()
        if not schema.classes:
            sums, codes = sums_of_numbers(rules.criterion, codes)
        return cls(schema, columns, codes, sums, weights, distinct, rules)

    @cached_property
    def everyone(self) -> Rows:
        """All rows that weigh anything."""
        return [(row, weight) for row, weight in enumerate(self.weights) if weight > 0]

    @cached_property
    def limits(self) -> Conventions:
        """The conventions, fractions of the rows as numbers of rows."""
        return self.rules.for_rows(len(self.weights))

    @cached_property
    def min_to_split(self) -> float:
        """The number of rows that a node needs to be split; by C4.5's rule it is a weight."""
        return max(self.limits.min_samples_split, 2 * (self.rules.min_samples_branch or 0))

    def is_enough_to_split(self, rows: Rows) -> bool:
        """Whether a node of these rows may be split."""
        needed = self.limits.min_samples_split
        weight = total([weight for _, weight in rows])
        if weight < 2 * as_written(self.rules.min_samples_branch or 0):
            return False
        return needed <= 2 or (weight if self.rules.counts_weights else len(rows)) >= needed

    @cached_property
    def min_rows_of_branch(self) -> int:
        """The number of rows that every branch needs."""
        return 0 if self.rules.counts_weights else int(self.limits.min_samples_leaf)

    @cached_property
    def min_weight_of_branch(self) -> Weight:
        """The weight that a branch needs. Where rows are divided, no less than the lightest row."""
        rules, weights = self.rules, [weight for _, weight in self.everyone]
        if rules.min_samples_branch is not None:
            return as_written(rules.min_samples_branch)
        least = as_written(rules.min_weight_fraction_leaf) * total(weights)
        if rules.counts_weights and self.limits.min_samples_leaf > 1:
            least = max(least, int(self.limits.min_samples_leaf))
        present = {row for row, _ in self.everyone}
        if rules.missing != "fractional" or not any(rows & present for rows in self._missing):
            return least
        return max(least, min(weights))

    @cached_property
    def all_codes(self) -> NDArray[np.intp]:
        """The codes of all rows."""
        return np.array(self.codes, dtype=np.intp)

    def numbers(self, column: int) -> NDArray[np.float64]:
        """A column of numbers."""
        return self._arrays[column]

    @cached_property
    def _arrays(self) -> list[NDArray[np.float64]]:
        return [np.array(column, dtype=np.float64) for column in self.columns]

    @cached_property
    def _missing(self) -> list[set[int]]:
        """By column, the rows without a value."""
        pairs = zip(self.schema.features, self._arrays, strict=True)
        return [set(np.flatnonzero(a.missing(values)).tolist()) for a, values in pairs]

    def counts(self, rows: Rows | Known) -> Counts:
        """What some rows are summed up to."""
        codes = self.codes
        return self.sums.of((codes[case[0]], case[1]) for case in rows)

    def yardstick(self, rows: Rows) -> float:
        """What differences between the scores at a node are compared with."""
        return yardstick_of(self.sums, self.sums.impurity(self.counts(rows)))

    def fraction_of(self, rows: Rows) -> float:
        """The fraction of all weight that some rows have."""
        return float(total([w for _, w in rows]) / total([w for _, w in self.everyone]))

    def is_categorical(self, column: int) -> bool:
        """Whether a column holds codes."""
        return self.schema.features[column].is_categorical

    # ---------------------------------------------------------------- missing values

    def split_by_missing(self, rows: Rows, column: int) -> tuple[Known, Rows]:
        """The rows with a value in a column, and those without."""
        values, missing = self.columns[column], self._missing[column]
        known = [(row, weight, values[row]) for row, weight in rows if row not in missing]
        if len(known) == len(rows):
            return known, []
        return known, [case for case in rows if case[0] in missing]

    def filled(self, rows: Rows, column: int) -> tuple[Known, Rows, dict[int | None, float]]:
        """The rows with a value known or filled in, those without, and what was filled in.

        What was filled in is by class; of class None where it is the same for all.
        """
        known, missing = self.split_by_missing(rows, column)
        return self.filled_in(known, missing, column)

    def filled_in(
        self, known: Known, missing: Rows, column: int
    ) -> tuple[Known, Rows, dict[int | None, float]]:
        """The same for rows that are parted already."""
        policy = self.rules.missing
        if not missing or not known or not policy.startswith("most_common"):
            return known, missing, {}
        fillers: dict[int | None, float] = {None: self.most_common(known, column)}
        result = list(known)
        for row, weight in missing:
            code: int | None = self.codes[row] if policy == "most_common_in_class" else None
            if code not in fillers:
                peers = [k for k in known if self.codes[k[0]] == code]
                fillers[code] = self.most_common(peers or known, column)
            result.append((row, weight, fillers[code]))
        if policy == "most_common_in_class":
            del fillers[None]
        return result, [], fillers

    def most_common(self, known: Known, column: int) -> float:
        """The most frequent category, the first on ties; for numbers the weighted lower median."""
        weights: dict[float, Weight] = {}
        for _, weight, value in known:
            weights[value] = weights.get(value, 0) + weight
        if self.is_categorical(column):
            return max(sorted(weights), key=lambda value: weights[value])
        whole = sum(weights.values())
        so_far: Weight = 0
        for value in sorted(weights):
            so_far += weights[value]
            if 2 * so_far >= whole:
                break
        return value

    # ---------------------------------------------------------------- branches

    def divided(self, rows: Rows, condition: Condition) -> list[Rows]:
        """The rows of every branch; a branch of missing values is the last.

        Rows that only surrogates can send are in none.
        """
        branches, lost = self.routed(rows, condition)
        if self.rules.missing == "surrogate":
            return branches
        if lost and self.rules.missing == "branch":
            return [*branches, lost]
        share_out(branches, lost)
        return branches

    def routed(
        self, rows: Rows, condition: Condition, *, fill: bool = True
    ) -> tuple[list[Rows], Rows]:
        """The rows of each branch of a condition, and those without a branch.

        With ``fill``, missing values are filled in first if the conventions do so.
        """
        if isinstance(condition, Threshold):
            values, cut = self.columns[condition.feature], condition.threshold
            low = [case for case in rows if values[case[0]] <= cut]
            high = [case for case in rows if values[case[0]] > cut]
            if len(low) + len(high) == len(rows):  # nothing is missing
                return [low, high], []
        known, missing = self.split_by_missing(rows, condition.feature)
        if fill:
            known, missing, _ = self.filled_in(known, missing, condition.feature)
        branches: list[Rows] = [[] for _ in range(condition.n_branches)]
        lost = list(missing)
        taken = {value: branch_of(condition, value) for value in {case[2] for case in known}}
        for row, weight, value in known:
            branch = taken[value]
            (lost if branch < 0 else branches[branch]).append((row, weight))
        return branches, lost

    def thresholds(
        self, column: int, low: NDArray[np.float64], high: NDArray[np.float64]
    ) -> list[float]:
        """The thresholds between pairs of neighbouring values, as the conventions report them."""
        between: list[float] = midpoints(low, high).tolist()
        if self.rules.threshold == "data_value":
            values = self.distinct[column]
            return [values[bisect_right(values, middle) - 1] for middle in between]
        return between


def weights_of(branches: Sequence[Rows]) -> list[Weight]:
    """The weight of the rows in each branch."""
    return [total([weight for _, weight in branch]) for branch in branches]


def share_out(
    branches: Sequence[Rows], lost: Rows, weights: Sequence[Weight] | None = None
) -> None:
    """Divide rows over the branches, in proportion to some weights, or to those that are there.

    If all weights are 0, the rows go nowhere.
    """
    weights = weights_of(branches) if weights is None else weights
    whole = total(weights)
    for rows, part in zip(branches, weights, strict=True):
        if part and lost:
            share = Fraction(part) / whole
            rows.extend([(row, _readable(weight * share)) for row, weight in lost])


def branch_of(condition: Condition, value: float) -> int:
    """The branch that a known value takes; -1 if none does."""
    match condition:
        case Threshold():
            return int(value > condition.threshold)
        case Multiway():
            return int(value)
        case Equals():
            return int(value != condition.category)
        case Subset():
            return int(int(value) not in condition.categories)
        case Grouped():
            return condition.groups[int(value)]
        case _:
            return -1


def by_value(known: Known, codes: Sequence[int], sums: Sums) -> dict[float, Counts]:
    """The sums of every value, in ascending order of the values."""
    rows: dict[float, list[tuple[int, Weight]]] = {}
    for row, weight, value in known:
        rows.setdefault(value, []).append((codes[row], weight))
    return {value: sums.of(rows[value]) for value in sorted(rows)}


def _readable(weight: Weight) -> Weight:
    if isinstance(weight, Fraction) and weight.denominator > FINEST:
        return Fraction(round(weight * FINEST), FINEST)
    return weight
