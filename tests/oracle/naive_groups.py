"""C4.5's merging of categories into groups (its -s), found naively; a part of ``naive_choice``.

1. every category with more than half a row is a group; the others are set aside;
2. groups of one and the same class are merged;
3. while more than two groups are left, the pair whose merger scores best is merged: as long as the
   score rises, or, while groups are too small or without a ratio, in any case;
4. the categories set aside are one more group.

Every grouping is measured anew from the class weights of its categories. Where scores are nearer
than ``near``, rounding may decide between pairs, and all groupings that may come out are found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum, inf, log2

from plaintree.tree.conventions import Conventions
from tests.oracle.naive_table import (
    EPSILON,
    Known,
    Rows,
    Table,
    class_weights,
    count_rows,
    impurity,
)

HALF_A_ROW, NEARLY, LEAST_RISE = 0.5, 0.1, 1e-5
"""The weight a category needs, what a group of one class may have of others, and how much a merger
must add to the ratio."""

Groups = tuple[tuple[int, ...], ...]
"""Groups of categories in their order: a merger takes the place of its first part, and the last
group that of the second."""


@dataclass(frozen=True)
class Merit:
    """What a grouping gains; its value lies between ``low`` and ``high``, apart by rounding."""

    gain: float
    split_info: float
    low: float
    high: float


NO_PAIR = Merit(-EPSILON, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class GroupSearch:
    """A node's class weights by category, and of the rows without a value.

    These have a branch of their own if ``gaps_branch``. ``reaches`` tells of a weight and a number
    of rows whether they are enough for a branch, of which ``every`` one needs it or two;
    ``slack`` is how far comparisons of weights may be off, ``near`` those of scores.
    """

    counts: dict[int, list[float]]
    n_rows: dict[int, int]
    gaps: list[float]
    gaps_branch: bool
    reaches: Callable[[float, int, float], bool]
    every: bool
    criterion: str
    slack: float = 0.0
    near: float = 0.0

    def found(self) -> Iterator[tuple[Groups, Merit]]:
        """The groupings that merging may end with; a single one if nothing is left to rounding."""
        groups = self.first_groups()
        half = self.merit(groups).gain / 2
        pending, seen = [groups], {groups}
        while pending:
            groups = pending.pop()
            ends, following = self.steps(groups, half)
            if ends and self.suffices(groups) and self.aside_suffices(groups):
                yield groups, self.merit(groups)
            pending += [other for other in following if other not in seen]
            seen.update(following)

    def together(self, codes: Sequence[int]) -> list[float]:
        return [fsum(weights) for weights in zip(*(self.counts[c] for c in codes), strict=True)]

    def n_heavy(self, groups: Groups) -> int:
        """During the search a group needs no more than one row."""
        return sum(fsum(self.together(group)) >= 1 - self.slack for group in groups)

    def is_enough(self, group: Sequence[int]) -> bool:
        n_rows = sum(self.n_rows[code] for code in group)
        return self.reaches(fsum(self.together(group)), n_rows, self.slack)

    def n_enough(self, groups: Groups) -> int:
        return sum(map(self.is_enough, groups))

    def suffices(self, groups: Groups) -> bool:
        return len(groups) >= 2 and self.n_enough(groups) >= (len(groups) if self.every else 2)

    def aside_suffices(self, groups: Groups) -> bool:
        """Categories in no group have a branch of their own, if there are any in the node."""
        aside = [code for code in self.counts if not any(code in group for group in groups)]
        return not self.every or not aside or self.is_enough(aside)

    # ---------------------------------------------------------------- measures

    def merit(self, groups: Groups) -> Merit:
        """Categories set aside count among the rows, but leave nothing open."""
        parts, gaps = [self.together(group) for group in groups], fsum(self.gaps)
        outcomes = [n for n in (*map(fsum, parts), gaps) if n > 0]
        whole = self.together(tuple(self.counts))
        total = fsum(whole) + gaps
        if self.gaps_branch:
            parts.append(self.gaps)
            whole = [fsum(pair) for pair in zip(whole, self.gaps, strict=True)]
        measured = fsum(whole)
        after = fsum(fsum(p) / measured * impurity(p, self.criterion) for p in parts)
        gain = -EPSILON
        if self.n_heavy(groups) >= 2:
            gain = measured / total * (impurity(whole, self.criterion) - after)
        split_info = fsum(-n * log2(n / fsum(outcomes)) for n in outcomes) / total
        remaining = measured / total * after
        return Merit(gain, split_info, *self.values(gain, split_info, remaining))

    def values(self, gain: float, split_info: float, remaining: float) -> tuple[float, float]:
        """The least and the greatest value that rounding may give a gain."""
        if self.criterion == "gain_ratio":
            if split_info <= EPSILON or gain < -self.near:
                return -EPSILON, -EPSILON
            ratio = gain / split_info
            return (-EPSILON if gain < self.near else ratio), ratio
        if split_info <= 0 or gain <= -EPSILON:
            return -EPSILON, -EPSILON
        if self.criterion != "gain_ratio_conditional":
            return gain, gain
        if remaining > 1e-12 + self.near:
            return gain / remaining, gain / remaining
        return (inf if gain > self.near else -inf), (inf if gain > -self.near else -inf)

    # ---------------------------------------------------------------- merging

    def first_groups(self) -> Groups:
        """The groups before the search, those of one class merged."""
        weights = {code: fsum(counts) for code, counts in self.counts.items()}
        groups: Groups = tuple(
            (c,) for c in sorted(weights) if weights[c] > HALF_A_ROW - self.slack
        )
        first = 0
        while first < len(groups) - 1:
            by_class = self.together(groups[first])
            label = next(c for c, weight in enumerate(by_class) if weight >= NEARLY + self.slack)
            second = first + 1 if self.nearly_all(groups[first], label) else len(groups)
            while second < len(groups):
                if self.nearly_all(groups[second], label):
                    groups = merged(groups, first, second)
                else:
                    second += 1
            first += 1
        return groups

    def nearly_all(self, group: tuple[int, ...], label: int) -> bool:
        by_class = self.together(group)
        return by_class[label] >= fsum(by_class) - NEARLY - self.slack

    def steps(self, groups: Groups, half: float) -> tuple[bool, list[Groups]]:
        """Whether merging may end with these groups, and the groups that may come next."""
        if len(groups) <= 2:
            return True, []
        enough = self.n_enough(groups)
        free = self.criterion == "gain_ratio" and self.suffices(groups)
        now, ends, following = self.merit(groups), False, []
        for barred in self.barred(groups) if enough < 3 else [-1]:
            for other in self.best_mergers(groups, half, barred, free=free):
                if other is None:
                    ends = True
                    continue
                then = self.merit(other)
                ends |= free and then.low < now.high + LEAST_RISE + self.near
                if not free or then.high >= now.low + LEAST_RISE - self.near:
                    following.append(other)
        return ends, following

    def barred(self, groups: Groups) -> list[int]:
        """The largest group, of equals the first; all that rounding may make the largest."""
        weights = [fsum(self.together(group)) for group in groups]
        largest = [i for i, weight in enumerate(weights) if weight >= max(weights) - self.near]
        return largest if self.near else largest[:1]

    def best_mergers(
        self, groups: Groups, half: float, barred: int, *, free: bool
    ) -> set[Groups | None]:
        """The merger that is best after all pairs have been gone through; None if there is none.

        Of equal pairs the later wins; one that keeps half of the first gain comes before others.
        """
        best: set[tuple[Groups | None, Merit]] = {(None, NO_PAIR)}
        for first, second in combinations(range(len(groups)), 2):
            if barred in (first, second):
                continue
            other = merged(groups, first, second)
            merit = self.merit(other)
            following: set[tuple[Groups | None, Merit]] = set()
            for known, rival in best:
                sure = self.is_better(merit, rival, half, self.near) or not (free or known)
                if sure or self.is_better(merit, rival, half, -self.near):
                    following.add((other, merit))
                if not sure:
                    following.add((known, rival))
            best = following
        return {known for known, _ in best}

    def is_better(self, one: Merit, other: Merit, half: float, margin: float) -> bool:
        """Whether it is better by a margin; with a negative one, whether it may be better."""
        value, rival = (one.low, other.high) if margin > 0 else (one.high, other.low)
        keeps_more = one.gain >= half + margin and other.gain < half - margin
        scale = max(1.0, abs(rival)) if abs(rival) < inf else 1.0
        return keeps_more or value >= rival + margin * scale


def merged(groups: Groups, first: int, second: int) -> Groups:
    result = list(groups)
    result[first] = (*groups[first], *groups[second])
    last = result.pop()
    if second < len(result):
        result[second] = last
    return tuple(result)


def branches_of(groups: Groups, n_categories: int) -> tuple[int, ...]:
    """The branch of every category; those in no group share the last one."""
    branch = {code: number for number, group in enumerate(groups) for code in group}
    return tuple(branch.get(code, len(groups)) for code in range(n_categories))


def group_search(
    table: Table,
    known: Known,
    gaps: Rows,
    rules: Conventions,
    reaches: Callable[[float, int, float], bool],
) -> GroupSearch:
    """The search for groups of a column's categories at a node."""
    codes = sorted({int(value) for _, _, value in known})
    parts = {code: [k for k in known if k[2] == code] for code in codes}
    return GroupSearch(
        counts={code: class_weights(table, part) for code, part in parts.items()},
        n_rows={code: count_rows(table, part) for code, part in parts.items()},
        gaps=class_weights(table, gaps),
        gaps_branch=bool(gaps) and rules.missing == "branch",
        reaches=reaches,
        every=rules.min_samples_branch is None,
        criterion=rules.criterion,
    )
