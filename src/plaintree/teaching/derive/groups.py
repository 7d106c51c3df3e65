"""C4.5's groups of categories (-s): categories merged while the score of the split rises.

1. Every category with more than half a row is a group; the others are set aside.
2. Groups of one and the same class are merged.
3. While more than two groups are left, the pair whose merger scores best is merged, as long as the
   score rises; mergers that keep half of the first gain go before those that do not.
4. The categories set aside share a branch of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from plaintree.stats.exact import SAME, Counts, Scale, Value, added, measure
from plaintree.tree.condition import Grouped
from plaintree.tree.conventions import EPSILON

NEARLY = Fraction(1, 10)


@dataclass(frozen=True)
class Group:
    """Categories that share a branch, and their class weights."""

    codes: tuple[int, ...]
    counts: Counts


@dataclass(frozen=True)
class Merit:
    """The gain of a grouping, and the value that is compared."""

    gain: float
    value: float


NOTHING = Merit(-EPSILON, -EPSILON)


def grouped_test(
    feature: int,
    n_categories: int,
    values: Mapping[float, Counts],
    search: Search,
) -> tuple[Grouped, list[Counts]] | None:
    """The split that grouping finds, and the class weights of its groups."""
    groups = _merged_pure(
        [Group((int(code),), counts) for code, counts in values.items() if 2 * sum(counts) > 1]
    )
    merit = search.merit(groups)
    half = merit.gain / 2
    while len(groups) > 2:
        enough = search.n_heavy(groups)
        pair, found = search.best_pair(groups, half, enough)
        free = search.is_ratio and enough >= 2
        if pair is None or (free and found.value < merit.value + 1e-5):
            break
        groups, merit = _merge(groups, *pair), found
    if merit.value <= 0 or search.n_heavy(groups) < 2:
        return None
    branch = {code: number for number, group in enumerate(groups) for code in group.codes}
    aside = len(groups)
    condition = Grouped(feature, tuple(branch.get(c, aside) for c in range(n_categories)))
    return condition, [group.counts for group in groups]


def _merged_pure(groups: list[Group]) -> list[Group]:
    first = 0
    while first + 1 < len(groups):
        counts = groups[first].counts
        heavy = next((c for c, weight in enumerate(counts) if weight >= NEARLY), None)
        other = first + 1
        if heavy is None or counts[heavy] < sum(counts) - NEARLY:
            other = len(groups)
        while other < len(groups):
            counts = groups[other].counts
            if heavy is not None and counts[heavy] >= sum(counts) - NEARLY:
                groups = _merge(groups, first, other)
            else:
                other += 1
        first += 1
    return groups


def _merge(groups: list[Group], first: int, second: int) -> list[Group]:
    """The second group joins the first, and the last one takes its place."""
    one, other = groups[first], groups[second]
    merged = list(groups)
    merged[first] = Group((*one.codes, *other.codes), added([one.counts, other.counts]))
    last = merged.pop()
    if second < len(merged):
        merged[second] = last
    return merged


@dataclass(frozen=True)
class Search:
    """What groups are judged by: ``least`` is the weight a branch needs, and ``missing`` are rows
    with a branch of their own, if there are."""

    scale: Scale
    least: Value
    missing: tuple[Counts, ...] = ()

    @property
    def is_ratio(self) -> bool:
        return self.scale.criterion == "gain_ratio"

    def n_heavy(self, groups: list[Group]) -> int:
        return sum(sum(group.counts) >= self.least for group in groups)

    def merit(self, groups: list[Group]) -> Merit:
        if sum(sum(group.counts) >= 1 for group in groups) < 2:
            return NOTHING
        found = measure([*(group.counts for group in groups), *self.missing], self.scale)
        gain = float(found.gain)
        worth = gain > -EPSILON
        if self.is_ratio:
            worth = gain >= -SAME and found.split_info > EPSILON
        return Merit(gain, float(found.score) if worth else -EPSILON)

    def best_pair(
        self, groups: list[Group], half: float, enough: int
    ) -> tuple[tuple[int, int] | None, Merit]:
        barred = -1
        if enough < 3:
            barred = max(range(len(groups)), key=lambda g: (sum(groups[g].counts), -g))
        best, found = None, Merit(-EPSILON, 0.0)
        for pair in combinations(range(len(groups)), 2):
            if barred in pair:
                continue
            merit = self.merit(_merge(groups, *pair))
            forced = best is None and (not self.is_ratio or enough < 2)
            keeps_more = merit.gain >= half > found.gain
            if keeps_more or merit.value >= found.value or forced:
                best, found = pair, merit
        return best, found
