"""C4.5's groups of categories (-s): categories merged while the score of the split rises.

1. Every category with more than half a row is a group; the others are set aside.
2. Groups of one and the same class are merged, if the target has classes; groups that no branch
   may be (zeros by Poisson deviance) join the group of the least mean, if it is numeric.
3. While more than two groups are left, the pair whose merger scores best is merged, as long as the
   score rises; mergers that keep half of the first gain go before those that do not.
4. The categories set aside share a branch of their own. What it leaves open counts if the target
   is numeric, of which C4.5 knows nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations

from plaintree.stats.exact import SAME, Counts, Scale, added, measure
from plaintree.stats.sums import ClassWeights, Sums
from plaintree.tree.condition import Grouped
from plaintree.tree.conventions import EPSILON

NEARLY = Fraction(1, 10)


@dataclass(frozen=True)
class Group:
    """Categories that share a branch, and their sums."""

    codes: tuple[int, ...]
    counts: Counts


@dataclass(frozen=True)
class Merit:
    """The gain of a grouping, and the value that is compared, in units of the yardstick."""

    gain: float
    value: float


NOTHING = Merit(-EPSILON, -EPSILON)


def grouped_test(
    feature: int,
    n_categories: int,
    values: Mapping[float, Counts],
    search: Search,
) -> Grouped | None:
    """The split that grouping finds."""
    sums, given = search.scale.sums, search
    groups = [
        Group((int(code),), counts)
        for code, counts in values.items()
        if not is_set_aside(counts, sums)
    ]
    aside_counts = aside_of(groups, values)
    if isinstance(sums, ClassWeights):
        groups = _merged_pure(groups)
    else:
        groups = _merged_allowed(groups, sums)
        search = replace(search, missing=(*aside_counts, *search.missing))
    merit = search.merit(groups)
    half = merit.gain / 2
    while len(groups) > 2:
        enough = search.n_enough(groups)
        free = search.is_ratio and search.suffices(groups)
        pair, found = search.best_pair(groups, half, enough, free=free)
        if pair is None or (free and found.value < merit.value + 1e-5):
            break
        groups, merit = _merge(groups, *pair), found
    # Logarithms may leave a little of nothing.
    if merit.value <= SAME or not given.permits(groups, values):
        return None
    branch = {code: number for number, group in enumerate(groups) for code in group.codes}
    aside = len(groups)
    return Grouped(feature, tuple(branch.get(c, aside) for c in range(n_categories)))


def is_set_aside(counts: Counts, sums: Sums) -> bool:
    """Whether a category of these sums is in no group: it has half a row or less."""
    return 2 * sums.weight(counts) <= 1


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


def _merged_allowed(groups: list[Group], sums: Sums) -> list[Group]:
    """Groups that no branch may be join the group of the least mean, if there is any other."""
    allowed = [g for g, group in enumerate(groups) if sums.allows(group.counts)]
    if not allowed:
        return groups
    least = min(allowed, key=lambda g: sums.prediction(groups[g].counts))
    for other in range(len(groups) - 1, -1, -1):
        if not sums.allows(groups[other].counts):
            last = len(groups) - 1
            groups = _merge(groups, least, other)
            least = other if least == last else least
    return groups


def aside_of(groups: list[Group], values: Mapping[float, Counts]) -> tuple[Counts, ...]:
    """The sums of the rows whose categories are in no group, if there are any."""
    grouped = {code for group in groups for code in group.codes}
    left = [counts for code, counts in values.items() if int(code) not in grouped]
    return (added(left),) if left else ()


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
    """What groups are judged by: whether the rows of some categories are enough for a branch,
    which ``every`` branch needs or two of them; ``missing`` are rows with a branch of their own."""

    scale: Scale
    is_enough: Callable[[Sequence[int]], bool]
    every: bool
    missing: tuple[Counts, ...] = ()

    @property
    def is_ratio(self) -> bool:
        return self.scale.criterion == "gain_ratio"

    def n_enough(self, groups: list[Group]) -> int:
        return sum(self.is_enough(group.codes) for group in groups)

    def suffices(self, groups: list[Group]) -> bool:
        return len(groups) >= 2 and self.n_enough(groups) >= (len(groups) if self.every else 2)

    def permits(self, groups: list[Group], values: Mapping[float, Counts]) -> bool:
        """Whether these groups, and the categories that are set aside, may be branches."""
        grouped = {code for group in groups for code in group.codes}
        aside = [int(value) for value in values if value not in grouped]
        enough = not self.every or not aside or self.is_enough(aside)
        parts = [*(group.counts for group in groups), *aside_of(groups, values), *self.missing]
        return self.suffices(groups) and enough and all(map(self.scale.sums.allows, parts))

    def merit(self, groups: list[Group]) -> Merit:
        weigh, unit = self.scale.sums.weight, self.scale.yardstick
        if sum(weigh(group.counts) >= 1 for group in groups) < 2:
            return NOTHING
        found = measure([*(group.counts for group in groups), *self.missing], self.scale)
        gain = float(found.gain) / unit
        worth = gain > -EPSILON
        if self.is_ratio:
            worth = gain >= -SAME and found.split_info > EPSILON
        return Merit(gain, float(found.score) / unit if worth else -EPSILON)

    def best_pair(
        self, groups: list[Group], half: float, enough: int, *, free: bool
    ) -> tuple[tuple[int, int] | None, Merit]:
        barred, weigh = -1, self.scale.sums.weight
        if enough < 3:
            barred = max(range(len(groups)), key=lambda g: (weigh(groups[g].counts), -g))
        best, found = None, Merit(-EPSILON, 0.0)
        for pair in combinations(range(len(groups)), 2):
            if barred in pair:
                continue
            merit = self.merit(_merge(groups, *pair))
            forced = best is None and not free
            keeps_more = merit.gain >= half - SAME > found.gain
            if keeps_more or merit.value >= found.value - SAME or forced:
                best, found = pair, merit
        return best, found
