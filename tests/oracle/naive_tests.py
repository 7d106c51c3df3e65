"""The tests that a column offers at a node; a part of ``naive_choice``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import fsum, isinf, nan

from plaintree.tree.conventions import Conventions
from tests.oracle import naive_targets
from tests.oracle.naive_table import Known, Table


@dataclass(frozen=True)
class Test:
    """A condition on a column; ``categories`` are those of branch 0 (equals and subset), or, of
    groups, the branch of every category."""

    __test__ = False

    kind: str
    feature: int
    n_branches: int = 2
    threshold: float = nan
    categories: tuple[int, ...] = ()

    def branch(self, value: float) -> int:
        if self.kind == "threshold":
            return 0 if value <= self.threshold else 1
        if self.kind == "multiway":
            return int(value)
        if self.kind == "grouped":
            return self.categories[int(value)]
        return 0 if int(value) in self.categories else 1


def midpoint(low: float, high: float) -> float:
    if isinf(low) or isinf(high):
        return low
    middle = (low + high) / 2
    if isinf(middle):
        middle = low / 2 + high / 2
    return middle if low <= middle < high else low


def threshold_tests(table: Table, known: Known, column: int, rules: Conventions) -> list[Test]:
    values = sorted({value for _, _, value in known})
    tests = []
    for low, high in pairwise(values):
        if rules.min_separation > 0 and not low < high - rules.min_separation:
            continue
        cut = midpoint(low, high)
        if rules.threshold == "data_value":
            cut = max(v for v in table.columns[column] if v <= cut)
        tests.append(Test("threshold", column, threshold=cut))
    return tests


def category_tests(table: Table, known: Known, column: int, rules: Conventions) -> list[Test]:
    if rules.categorical in ("multiway", "grouped"):  # of two categories there is one grouping
        return [Test("multiway", column, n_branches=table.n_categories[column])]
    present = sorted({int(value) for _, _, value in known})
    if rules.categorical == "one_vs_rest":
        return [Test("equals", column, categories=(a,)) for a in present]
    weight = {c: fsum(w for _, w, x in known if x == c) for c in present}
    tests = []
    for first in first_sides(table, known, present, rules):
        second = tuple(c for c in present if c not in first)
        heavier = fsum(weight[c] for c in first) > fsum(weight[c] for c in second)
        tests.append(Test("subset", column, categories=second if heavier else first))
    return tests


def first_sides(
    table: Table, known: Known, present: list[int], rules: Conventions
) -> Iterator[tuple[int, ...]]:
    """The sides with the lowest category of all ways to divide the categories in two.

    By absolute error only those that are ordered by medians.
    """
    if rules.criterion != "absolute_error":
        for size in range(len(present) - 1):
            yield from ((present[0], *others) for others in combinations(present[1:], size))
        return
    rows = {c: [entry for entry in known if entry[2] == c] for c in present}
    order = sorted(present, key=lambda c: sum(naive_targets.medians(table, rows[c])))
    for n in range(1, len(order)):
        low = tuple(sorted(order[:n]))
        yield low if present[0] in low else tuple(sorted(order[n:]))


def against_missing(table: Table, column: int, value: float, rules: Conventions) -> Test:
    """The one value that is known in one branch, the other branches empty."""
    n = table.n_categories[column]
    if not n:
        return Test("threshold", column, threshold=value + 0.0)
    if rules.categorical == "multiway" or (rules.categorical == "grouped" and n <= 2):
        return Test("multiway", column, n_branches=n)
    if rules.categorical == "grouped":
        return Test("grouped", column, categories=tuple(int(c != value) for c in range(n)))
    kind = "equals" if rules.categorical == "one_vs_rest" else "subset"
    return Test(kind, column, categories=(int(value),))
