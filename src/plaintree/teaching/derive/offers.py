"""The candidate splits of the columns at a node, measured, and the best of each column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import log2
from typing import NamedTuple

import numpy as np

from plaintree.growing.candidate_splits import NO_GROUPING
from plaintree.stats.exact import (
    Counts,
    Scale,
    Value,
    Weight,
    added,
    quick_gain,
    quick_score,
    times_units,
)
from plaintree.stats.sums import Rank, Sums
from plaintree.tree.condition import Condition, Equals, Grouped, Multiway, Subset, Threshold
from plaintree.tree.conventions import Conventions

from .cases import Cases, Known, Rows, branch_of, by_value
from .cuts import Gathered
from .groups import Group, Search, grouped_test, is_set_aside
from .thresholds import ThresholdBook, cut_books, least_branch
from .tried import Offer, Tests, Tried, first_of_best, most_telling, near

UNKNOWN = "no row has a value"


def offer_of(cases: Cases, rows: Rows, column: int, most: int | None = None) -> Offer:
    """The candidate splits of a column at a node (the best of very many), and the best."""
    return offers_of(cases, rows, [column], most)[0]


def offers_of(
    cases: Cases, rows: Rows, columns: Sequence[int], most: int | None = None
) -> list[Offer]:
    """What each of some columns offers at a node."""
    node = Gathered.of(cases, rows)
    of_numbers = [column for column in columns if not cases.is_categorical(column)]
    books = cut_books(node, of_numbers, most)
    return [_offer(node, column, books.get(column), most) for column in columns]


def _offer(node: Gathered, column: int, book: ThresholdBook | None, most: int | None) -> Offer:
    by_codes = node.cases.is_categorical(column)
    tests = _tests_of_codes(node, column, most) if by_codes else _cuts(node, book)
    best, refused = tests.best, tests.refused
    if best is None:
        refused = refused or _no_test(tests.tried, node.sums)
    elif node.cases.rules.threshold_penalty and isinstance(best.condition, Threshold):
        penalty = log2(tests.n_allowed) / float(sum([weight for _, weight in node.rows]))
        best = replace(best, penalty=penalty)
        refused = "no gain is left after the penalty" if best.measures.gain <= 0 else ""
    n_tried, n_allowed = tests.n_tried, tests.n_allowed
    return Offer(
        column, tests.tried, n_tried, n_allowed, best, tests.missing, tests.fillers, refused
    )


class _Tests(NamedTuple):
    """The splits of a column at a node that are worth a look and the best of all, how many there
    are and how many are allowed, and what an :class:`Offer` has about missing values."""

    tried: Tests
    best: Tried | None
    n_tried: int
    n_allowed: int
    missing: Counts
    fillers: Mapping[int | None, float]
    refused: str = ""


def _tests_of_codes(node: Gathered, column: int, most: int | None) -> _Tests:
    """Every split of a categorical column."""
    cases = node.cases
    in_parts = cases.rules.categorical != "grouped"  # which asks how much a group weighs
    rows, unit = (node.parts, node.denominator) if in_parts else (node.rows, 1)
    really_known, all_missing = cases.split_by_missing(rows, column)
    empty = tuple(
        [Fraction(part, unit) if unit > 1 else part for part in cases.counts(all_missing)]
    )
    if not really_known:
        return _Tests((), None, 0, 0, empty, {}, UNKNOWN)
    known, missing, fillers = cases.filled_in(really_known, all_missing, column)
    least = times_units(least_branch(cases, column, 0), unit)
    sheet = _Sheet(cases, column, known, cases.counts(missing), least, unit)
    tried = tuple(sheet.tests())
    several = len(sheet.rows_by_value) > 1  # of which only grouping may find no split at all
    kept, n_allowed = tried, sum([test.allowed for test in tried])
    if most is not None and len(tried) > most:
        alike = np.zeros(len(tried), dtype=np.intp)
        telling = most_telling([t.worth for t in tried], [t.allowed for t in tried], alike, most)
        kept = tuple([tried[i] for i in telling.tolist()])
    refused = NO_GROUPING if several and not tried else ""
    return _Tests(kept, _best(tried), len(tried), n_allowed, empty, fillers, refused)


def _cuts(node: Gathered, book: ThresholdBook | None) -> _Tests:
    """The thresholds of a column of numbers; of very many, only those that are listed are kept."""
    if book is None:
        return _Tests((), None, 0, 0, node.weights(node.totals.tolist()), {}, UNKNOWN)
    missing = node.weights(book.missing)
    return _Tests(book.listed, book.best, book.n_tried, book.n_allowed, missing, book.fillers)


def measured(cases: Cases, rows: Rows, condition: Condition) -> Tried | None:
    """A given split, measured at a node like any other; None if no row has a value."""
    column = condition.feature
    really_known, all_missing = cases.split_by_missing(rows, column)
    if not really_known:
        return None
    least = least_branch(cases, column, sum(weight for _, weight, _ in really_known))
    known, missing, _ = cases.filled_in(really_known, all_missing, column)
    sheet = _Sheet(cases, column, known, cases.counts(missing), least)
    if isinstance(condition, Grouped) and cases.rules.categorical == "grouped":
        return sheet.of_groups(condition)
    branches: list[Known] = [[] for _ in range(condition.n_branches)]
    for case in known:
        branch = branch_of(condition, case[2])
        if branch >= 0:
            branches[branch].append(case)
    return sheet.tried(condition, [cases.counts(branch) for branch in branches])


def _no_test(tried: Tests, sums: Sums) -> str:
    if not len(tried):
        return "all rows have the same value"
    if all(sum(any(b) for b in t.parts) < 2 for t in tried):
        return "all rows have the same value"
    if not all(sums.allows(branch) for test in tried for branch in test.parts):
        return "a branch would have too few rows or a mean of 0"
    return "too few rows in a branch"


def _best(tried: Sequence[Tried]) -> Tried | None:
    """The best allowed split, the first of equals."""
    offered = [test for test in tried if test.allowed]
    most = max((test.worth for test in offered), default=0.0)
    limit = near(most)
    return first_of_best([test for test in offered if test.worth >= limit])


@dataclass(frozen=True, eq=False)
class _Sheet:
    """A column at a node, ready for its splits to be listed; weights in parts of a unit."""

    cases: Cases
    column: int
    known: Known
    missing: Counts
    least: Weight | float
    unit: int = 1

    @property
    def rules(self) -> Conventions:
        return self.cases.rules

    @property
    def sums(self) -> Sums:
        return self.cases.sums

    @cached_property
    def own_branch(self) -> bool:
        """Whether rows with missing values have a branch of their own here."""
        return self.rules.missing == "branch" and any(self.missing)

    @cached_property
    def scale(self) -> Scale:
        """Known rows alone, or with missing values if these are a branch of their own."""
        known = self.cases.counts(self.known)
        if self.own_branch:
            return Scale.of(self.sums, added([known, self.missing]), 0, self.unit)
        return Scale.of(self.sums, known, self.sums.weight(self.missing), self.unit)

    def tried(self, condition: Condition, branches: Sequence[Counts]) -> Tried:
        """A split with its measures."""
        scale = self.scale
        every = (*branches, self.missing) if self.own_branch else tuple(branches)
        cut = isinstance(condition, Threshold)
        by_gain = cut and self.cases.rules.threshold_choice == "gain"
        worth = quick_gain(every, scale)
        worth = worth if by_gain else quick_score(worth, every, scale)
        worth /= scale.yardstick
        allowed = self._allowed(condition, branches) and all(map(self.sums.allows, every))
        return Tried(condition, every, scale, worth, by_gain, allowed)

    def _allowed(self, condition: Condition, branches: Sequence[Counts]) -> bool:
        """Whether enough weight reaches the branches; one for missing values is not asked."""
        sides = list(map(self.sums.weight, branches))
        enough = [
            side > 0 and side >= self.least and n_rows >= self.cases.min_rows_of_branch
            for side, n_rows in zip(sides, self._rows_by_branch(condition), strict=True)
        ]
        if not isinstance(condition, Multiway):
            return all(enough)
        if self.rules.min_samples_branch is not None:
            return sum(enough) >= 2
        present = sum(side > 0 for side in sides)
        return present >= 2 and sum(enough) == present

    def _rows_by_branch(self, condition: Condition) -> list[int]:
        counts = [0] * condition.n_branches
        for value, n_rows in self.rows_by_value.items():
            branch = branch_of(condition, value)
            if branch >= 0:
                counts[branch] += n_rows
        return counts

    @cached_property
    def rows_by_value(self) -> Counter[float]:
        """How many rows have each value."""
        return Counter(value for _, _, value in self.known)

    @cached_property
    def values(self) -> dict[float, Counts]:
        """The sums of every value."""
        return by_value(self.known, self.cases.codes, self.sums)

    def tests(self) -> Iterator[Tried]:
        """Every split of a categorical column, in the order in which ties are decided."""
        values = self.values
        if self.own_branch and len(values) == 1:
            return self._against_missing(*next(iter(values.items())))
        match self.rules.categorical:
            case "multiway":
                return self._multiway(values)
            case "grouped":
                return self._grouped() if self._n_categories > 2 else self._multiway(values)
            case "one_vs_rest":
                return self._one_against_rest(values)
            case "subset":
                return self._subsets(values)

    def _against_missing(self, code: float, counts: Counts) -> Iterator[Tried]:
        """The one category that is known against the missing values; other branches are empty."""
        column, only, n = self.column, int(code), self._n_categories
        nothing = tuple(0 for _ in counts)
        branches: Sequence[Counts] = (counts, nothing)
        condition: Condition
        match self.rules.categorical:
            case "one_vs_rest":
                condition = Equals(column, only)
            case "subset":
                condition = Subset(column, (only,))
            case "grouped" if n > 2:
                condition = Grouped(column, tuple(int(c != only) for c in range(n)))
            case _:
                condition = Multiway(column, n)
                branches = [counts if c == only else nothing for c in range(n)]
        tried = self.tried(condition, branches)
        enough = len(self.known) >= self.cases.min_rows_of_branch
        enough = enough and self.sums.weight(counts) >= self.least
        yield replace(tried, allowed=enough and all(map(self.sums.allows, tried.parts)))

    @property
    def _n_categories(self) -> int:
        return len(self.cases.schema.features[self.column].categories)

    def _multiway(self, values: Mapping[float, Counts]) -> Iterator[Tried]:
        nothing = tuple(0 for _ in self.missing)
        n = self._n_categories
        branches = [values.get(code, nothing) for code in range(n)]
        yield self.tried(Multiway(self.column, n), branches)

    def _grouped(self) -> Iterator[Tried]:
        condition = grouped_test(self.column, self._n_categories, self.values, self._search)
        if condition is not None:
            yield self.of_groups(condition)

    def of_groups(self, condition: Grouped) -> Tried:
        """A split into groups. What a last branch of categories that are all set aside leaves open
        counts only if the target is numeric."""
        nothing = tuple(0 for _ in self.missing)
        codes: list[list[int]] = [[] for _ in range(condition.n_branches)]
        for code in map(int, self.values):
            codes[condition.groups[code]].append(code)
        branches = [added([nothing, *(self.values[code] for code in some)]) for some in codes]
        has_aside = all(is_set_aside(self.values[code], self.sums) for code in codes[-1])
        groups = list(map(Group, map(tuple, codes), branches))[: -1 if has_aside else None]
        aside = len(groups) if has_aside and not self.sums.is_relative else -1
        every = (*branches, *self._search.missing)
        counted = [branch for i, branch in enumerate(every) if i != aside]
        worth = quick_gain(counted, self.scale) / self.scale.yardstick
        allowed = self._search.permits(groups, self.values)
        return Tried(condition, every, self.scale, worth, allowed=allowed, aside=aside)

    @cached_property
    def _search(self) -> Search:
        def is_enough(codes: Sequence[int]) -> bool:
            n_rows = sum(self.rows_by_value[code] for code in codes)
            weight = sum(self.sums.weight(self.values[code]) for code in codes)
            return weight >= self.least and n_rows >= self.cases.min_rows_of_branch

        missing = (self.missing,) if self.own_branch else ()
        return Search(self.scale, is_enough, self.rules.min_samples_branch is None, missing)

    def _one_against_rest(self, values: Mapping[float, Counts]) -> Iterator[Tried]:
        everything = added(list(values.values()))
        for code, counts in values.items():
            rest = tuple(a - b for a, b in zip(everything, counts, strict=True))
            yield self.tried(Equals(self.column, int(code)), (counts, rest))

    def _subsets(self, values: Mapping[float, Counts]) -> Iterator[Tried]:
        done: set[frozenset[int]] = set()
        for inside in self._candidate_sets(values):
            other = frozenset(map(int, values)) - inside
            if inside in done or other in done:
                continue
            done.add(inside)
            yield self._subset(inside, other, values)

    def _subset(
        self,
        inside: frozenset[int],
        other: frozenset[int],
        values: Mapping[float, Counts],
    ) -> Tried:
        """The subset split whose first branch is the smaller; on ties the lowest category."""
        sides = [added([values[code] for code in codes]) for codes in (inside, other)]
        one, rest = map(self.sums.weight, sides)
        if one > rest or (one == rest and min(other) < min(inside)):
            inside, sides = other, sides[::-1]
        return self.tried(Subset(self.column, tuple(sorted(inside))), sides)

    def _candidate_sets(self, values: Mapping[float, Counts]) -> Iterator[frozenset[int]]:
        """If categories have an order, the cuts of it (Breiman's theorem); where that is not
        enough, every set, or if these are too many the cuts by the proportion of each class."""
        sums = self.sums
        few = len(values) <= self.rules.exhaustive_categories
        if sums.has_order:
            yield from _cuts_by(sums.rank, values)
        complete = sums.has_order and (self._each_may_be_alone(values) or not sums.tries_every)
        if few and not complete:
            codes = [int(code) for code in values]
            for number in range(1, 1 << len(codes) - 1):  # the last category is in none
                yield frozenset([code for i, code in enumerate(codes) if number >> i & 1])
        elif not sums.has_order:
            for rank in sums.ranks(added(list(values.values()))):
                yield from _cuts_by(rank, values)

    def _each_may_be_alone(self, values: Mapping[float, Counts]) -> bool:
        """Whether no category is too small to be a branch, so every cut of an order is allowed."""
        enough = all(
            n_rows >= self.cases.min_rows_of_branch for n_rows in self.rows_by_value.values()
        )
        return enough and all(
            self.sums.weight(counts) >= self.least and self.sums.allows(counts)
            for counts in values.values()
        )


def categories_in_order(cases: Cases, rows: Rows, column: int) -> list[tuple[int, Value]]:
    """The categories of a column at a node in the order whose cuts are tried, with their ranks."""
    known, _, _ = cases.filled(rows, column)
    values, rank = by_value(known, cases.codes, cases.sums), cases.sums.rank
    return [(code, rank(values[code])) for code in in_order(rank, values)]


def _cuts_by(rank: Rank, values: Mapping[float, Counts]) -> Iterator[frozenset[int]]:
    """The sets cut off an order of categories."""
    ordered = in_order(rank, values)
    for size in range(1, len(ordered)):
        yield frozenset(ordered[:size])


def in_order(rank: Rank, values: Mapping[float, Counts]) -> list[int]:
    """Categories in an order; of equals the first."""
    return [int(code) for code in sorted(values, key=lambda code: (rank(values[code]), code))]
