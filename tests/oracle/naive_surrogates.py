"""Surrogate splits found naively: every threshold and every category, measured from the rows.

    known       the rows whose value of the split column is known; each has a side, 0 or 1
    agreement   the weight of the known rows that a surrogate sends to their side, over that of all
                known rows (style 0), or of those whose value of its column is known (style 1)

All measures are fractions.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import nan

from plaintree.tree.condition import DIVIDES, STOPS, Grouped, Surrogate, Threshold
from plaintree.tree.conventions import Conventions
from plaintree.tree.tree import Tree
from tests.oracle.naive_table import Rows, Table, is_missing, split_by_gap
from tests.oracle.naive_tests import Test, midpoint

NO_SIDE = -1


@dataclass(frozen=True)
class NaiveSurrogate:
    """A surrogate; ``branches`` are of categories, and otherwise there is a threshold."""

    feature: int
    agreement: Fraction
    adjusted: Fraction
    threshold: float = nan
    reversed: bool = False
    branches: tuple[int, ...] = ()

    def branch(self, table: Table, row: int) -> int:
        value = table.columns[self.feature][row]
        if is_missing(table, self.feature, value):
            return NO_SIDE
        if self.branches:
            return self.branches[int(value)]
        return int((value > self.threshold) != self.reversed)


@dataclass(frozen=True)
class Known:
    """The rows with a side: (row, weight, side)."""

    rows: list[tuple[int, Fraction, int]]

    def weight(self, side: int | None = None) -> Fraction:
        return sum((w for _, w, s in self.rows if side in (None, s)), Fraction())

    @property
    def majority(self) -> Fraction:
        return max(self.weight(0), self.weight(1))

    @property
    def heavier(self) -> int:
        return 0 if self.weight(0) > self.weight(1) else 1

    def where(self, table: Table, column: int) -> Known:
        """Those whose value of a column is known as well."""
        values = table.columns[column]
        return Known([r for r in self.rows if not is_missing(table, column, values[r[0]])])


def known_of(table: Table, rows: Rows, test: Test) -> Known:
    found, _ = split_by_gap(table, rows, test.feature)
    return Known([(row, Fraction(w), test.branch(value)) for row, w, value in found])


def find_surrogates(
    table: Table, rows: Rows, test: Test, rules: Conventions
) -> list[NaiveSurrogate]:
    """The surrogates of a node, by falling agreement."""
    if rules.use_surrogate == 0:
        return []
    known = known_of(table, rows, test)
    found = []
    for column in range(len(table.columns)):
        if column == test.feature:
            continue
        offers = (
            [by_categories(table, known, column)]
            if table.n_categories[column]
            else by_thresholds(table, rows, known, column, rules)
        )
        best: tuple[Fraction, NaiveSurrogate] | None = None
        for offer in offers:
            agreed = sum(
                (w for row, w, side in known.rows if offer.branch(table, row) == side), Fraction()
            )
            if best is None or agreed > best[0]:
                best = agreed, offer
        counted = known.where(table, column) if rules.surrogate_style == 1 else known
        if best is not None and best[0] > counted.majority:
            found.append(measured(best[1], best[0], counted))
    found.sort(key=lambda surrogate: -surrogate.agreement)
    return found[: rules.max_surrogates]


def measured(offer: NaiveSurrogate, agreed: Fraction, counted: Known) -> NaiveSurrogate:
    total, majority = counted.weight(), counted.majority
    adjusted = (agreed - majority) / (total - majority)
    return NaiveSurrogate(
        offer.feature, agreed / total, adjusted, offer.threshold, offer.reversed, offer.branches
    )


def by_thresholds(
    table: Table, rows: Rows, known: Known, column: int, rules: Conventions
) -> list[NaiveSurrogate]:
    """Both directions of the thresholds between all values of the node, two rows on each side."""
    present = table.columns[column]
    values = sorted(
        {present[row] for row, _ in rows if not is_missing(table, column, present[row])}
    )
    offers = []
    for low, high in pairwise(values):
        cut = midpoint(low, high)
        if rules.threshold == "data_value":
            cut = max(v for v in present if v <= cut)
        below = [present[row] <= low for row, _, _ in known.where(table, column).rows]
        if min(sum(below), len(below) - sum(below)) >= 2:
            offers += [
                NaiveSurrogate(column, Fraction(), Fraction(), cut, reversed=is_reversed)
                for is_reversed in (False, True)
            ]
    return offers


def by_categories(table: Table, known: Known, column: int) -> NaiveSurrogate:
    """Each category to the side where more of its weight is."""
    both = known.where(table, column)
    branches = []
    for code in range(table.n_categories[column]):
        own = Known([r for r in both.rows if table.columns[column][r[0]] == code])
        tied = own.weight(0) == own.weight(1)
        branches.append((both if tied else own).heavier if own.rows else NO_SIDE)
    return NaiveSurrogate(column, Fraction(), Fraction(), branches=tuple(branches))


def default_side(table: Table, rows: Rows, test: Test, rules: Conventions) -> int:
    """The child of rows that no surrogate decides: that of more weight, or none."""
    known = known_of(table, rows, test)
    if rules.use_surrogate < 2 or rules.max_surrogates == 0 or known.weight(0) == known.weight(1):
        return STOPS
    return known.heavier


# -------------------------------------------------------------------- a grown node


def check_surrogates(table: Table, rows: Rows, test: Test, tree: Tree, index: int) -> None:
    """Raise AssertionError unless a node has these surrogates and this default."""
    rules = tree.conventions
    assert rules is not None, "a grown tree has conventions"
    where = f"node {index}"
    assert tree.missing_child[index] == default_side(table, rows, test, rules), where
    found, expected = tree.surrogates(index), find_surrogates(table, rows, test, rules)
    mine = [(s.feature, float(s.agreement), float(s.adjusted), *shape_of(s)) for s in found]
    theirs = [(s.feature, float(s.agreement), float(s.adjusted), *naive_shape(s)) for s in expected]
    assert mine == theirs, f"{where}: {found} against {expected}"


def shape_of(surrogate: Surrogate) -> tuple[object, bool]:
    condition = surrogate.condition
    if isinstance(condition, Threshold):
        return condition.threshold, surrogate.reversed
    assert isinstance(condition, Grouped)
    return condition.groups, surrogate.reversed


def naive_shape(surrogate: NaiveSurrogate) -> tuple[object, bool]:
    return surrogate.branches or surrogate.threshold, surrogate.reversed


def sent_by_surrogates(table: Table, rows: Rows, test: Test, tree: Tree, index: int) -> list[Rows]:
    """The rows of each child, by the surrogates and the default that a node has."""
    known, gaps = split_by_gap(table, rows, test.feature)
    parts: list[Rows] = [[], []]
    for row, weight, value in known:
        parts[test.branch(value)].append((row, weight))
    for row, weight in gaps:
        branch = int(tree.missing_child[index])
        for surrogate in tree.surrogates(index):
            threshold, is_reversed = shape_of(surrogate)
            branches = threshold if isinstance(threshold, tuple) else ()
            cut = nan if branches else float(threshold)  # type: ignore[arg-type]
            found = NaiveSurrogate(
                surrogate.feature, Fraction(), Fraction(), cut, is_reversed, branches
            ).branch(table, row)
            if found != NO_SIDE:
                branch = found
                break
        assert branch != DIVIDES, f"node {index} divides rows"
        if branch >= 0:
            parts[branch].append((row, weight))
    return parts
