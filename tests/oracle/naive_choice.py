"""Which test a node makes, found naively: every test of every column, measured from the rows.

One half of the oracle the fast engine is held against (``naive`` grows trees with it). Nothing
here is clever: each paragraph of the conventions is one short function. The steps, in the order
of the file:

1. the tests a column offers, each measured (gain, split information, score);
2. which of them are admissible;
3. the choice between columns.

Vocabulary (and see ``naive_table``): a *test* is a condition on one column; a *candidate* is an
admissible test with its measures. Every comparison that rounding could decide takes a ``slack``,
0 in growing: callers that judge another implementation use it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import fsum, inf, isnan, log2, nan

import numpy as np

from plaintree.tree.conventions import OF_TARGETS, Conventions
from tests.oracle import naive_targets
from tests.oracle.naive_adjusted import adjusted_p
from tests.oracle.naive_groups import GroupSearch, branches_of, group_search
from tests.oracle.naive_table import (
    EPSILON,
    Known,
    Rows,
    Table,
    class_weights,
    count_rows,
    entropy,
    fill_gaps,
    impurity,
    split_by_gap,
)
from tests.oracle.naive_tests import Test, against_missing, category_tests, threshold_tests

ROUNDING = 1e-12
"""Scores nearer than this count as tied, whatever the tolerance."""

# -------------------------------------------------------------------- 1. tests and measures


@dataclass(frozen=True)
class Candidate:
    """An admissible test: class weights and rows by branch (a branch of missing rows last), and
    its measures."""

    test: Test
    branches: list[list[float]]
    n_rows: list[int]
    gain: float
    split_info: float
    remaining: float
    score: float


def by_branch(
    table: Table, test: Test, known: Known, gaps: Rows, *, gaps_branch: bool
) -> tuple[list[list[float]], list[int]]:
    """The class weights and the number of rows of every branch of a test."""
    parts = rows_by_branch(test, known, gaps, gaps_branch=gaps_branch)
    return [class_weights(table, part) for part in parts], [count_rows(table, p) for p in parts]


def rows_by_branch(
    test: Test, known: Known, gaps: Rows, *, gaps_branch: bool
) -> list[Known | Rows]:
    parts: list[Known | Rows] = [[] for _ in range(test.n_branches)]
    for entry in known:
        parts[test.branch(entry[2])].append(entry)  # type: ignore[arg-type]
    return parts + ([gaps] if gaps_branch else [])


def measure_targets(
    table: Table, test: Test, known: Known, gaps: Rows, rules: Conventions
) -> Candidate:
    """The same for a numeric target; gains are exact fractions, and branches have weights only."""
    own_branch = bool(gaps) and rules.missing == "branch"
    parts = rows_by_branch(test, known, gaps, gaps_branch=own_branch)
    measured: Known | Rows = [entry for part in parts for entry in part]  # type: ignore[assignment]
    before = naive_targets.information(table, measured, rules.criterion)
    after = sum(naive_targets.information(table, part, rules.criterion) for part in parts)
    total = sum(Fraction(entry[1]) for entry in (*known, *gaps))
    allowed = all(naive_targets.allows(table, part, rules.criterion) for part in parts)
    gain = naive_targets.rounded((before - after) / total) if allowed else nan
    branches = [[fsum(entry[1] for entry in part)] for part in parts]
    n_rows = [count_rows(table, part) for part in parts]
    return Candidate(test, branches, n_rows, gain, nan, nan, gain)  # type: ignore[arg-type]


def measure(table: Table, test: Test, known: Known, gaps: Rows, rules: Conventions) -> Candidate:
    """The gain, split information and score of a test, by the policy for gaps."""
    if rules.criterion in OF_TARGETS:
        return measure_targets(table, test, known, gaps, rules)
    own_branch = bool(gaps) and rules.missing == "branch"
    branches, n_rows = by_branch(table, test, known, gaps, gaps_branch=own_branch)
    outcomes = [fsum(b) for b in branches]
    total = fsum([*(w for _, w, _ in known), *(w for _, w in gaps)])
    measured = fsum(outcomes)
    base = impurity([fsum(column) for column in zip(*branches, strict=True)], rules.criterion)
    after = fsum(fsum(b) / measured * impurity(b, rules.criterion) for b in branches)
    if gaps and rules.missing in ("fractional", "surrogate"):
        outcomes.append(fsum(w for _, w in gaps))
    share = measured / total
    gain, remaining = share * (base - after), share * after
    found = Candidate(test, branches, n_rows, gain, entropy(outcomes), remaining, nan)
    return scored(found, rules)


def scored(candidate: Candidate, rules: Conventions) -> Candidate:
    """The candidate with its score; NaN where the criterion has none."""
    gain, score = candidate.gain, candidate.gain
    if rules.criterion == "gain_ratio":
        score = gain / candidate.split_info if candidate.split_info > 0 else nan
    elif rules.criterion == "gain_ratio_conditional":
        if candidate.remaining > 1e-12:
            score = gain / candidate.remaining
        else:
            score = inf if gain > 0 else nan
    return replace(candidate, score=score)


# -------------------------------------------------------------------- 2. candidates of a column


@dataclass(frozen=True)
class Minimum:
    """The weight and the number of rows that are needed."""

    weight: float
    rows: int = 0

    def is_reached(self, weight: float, n_rows: int, slack: float = 0.0) -> bool:
        return weight >= self.weight - slack and n_rows >= self.rows


def minimum_of(n_rows: int, free: int, weight: float, rules: Conventions) -> Minimum:
    """So many rows, or, where rows are divided, so much weight; so few are needed anyway."""
    needed = 0 if n_rows <= free else n_rows
    if rules.missing == "fractional":
        return Minimum(max(weight, needed))
    return Minimum(weight, needed)


def minimum_to_split(table: Table, rules: Conventions) -> Minimum:
    """What a node needs to be split; by C4.5's rule twice what a branch needs."""
    n_rows = int(rules.for_rows(table.n_rows).min_samples_split)
    return minimum_of(n_rows, 2, 2 * (rules.min_samples_branch or 0), rules)


def minimum_of_branch(table: Table, rules: Conventions) -> Minimum:
    """What a branch needs; no less weight than the lightest row has, for parts of rows."""
    if rules.min_samples_branch is not None:
        return Minimum(rules.min_samples_branch)
    n_rows = int(rules.for_rows(table.n_rows).min_samples_leaf)
    fraction = rules.min_weight_fraction_leaf * fsum(table.weights)
    least = minimum_of(n_rows, 1, fraction * (1 - 1e-12), rules)
    if rules.missing == "fractional":
        return Minimum(max(least.weight, table.lightest * (1 - 1e-9)))
    return least


def minimum_of_side(table: Table, column: int, known_weight: float, rules: Conventions) -> Minimum:
    """What a branch needs; of the weight known in a numeric column C4.5 asks a share."""
    least = minimum_of_branch(table, rules)
    if table.n_categories[column]:
        return least
    if rules.min_samples_branch is not None and known_weight < 2 * least.weight:
        return Minimum(inf)
    share = rules.numeric_branch_fraction * known_weight / table.n_classes
    return least if share <= least.weight else replace(least, weight=min(share, 25))


def is_admissible(candidate: Candidate, least: Minimum, rules: Conventions, slack: float) -> bool:
    """Whether enough reaches the branches (one for missing rows is exempt)."""
    n = candidate.test.n_branches
    sides = [fsum(branch) for branch in candidate.branches[:n]]
    if rules.criterion in OF_TARGETS and isnan(candidate.gain):
        return False
    enough = [
        side > 0 and least.is_reached(side, n_rows, slack)
        for side, n_rows in zip(sides, candidate.n_rows[:n], strict=True)
    ]
    if candidate.test.kind != "multiway":
        return all(enough)
    if rules.min_samples_branch is not None:
        return sum(enough) >= 2
    present = sum(side > 0 for side in sides)
    return present >= 2 and sum(enough) == present


def grouped_candidates(
    table: Table, column: int, known: Known, gaps: Rows, search: GroupSearch
) -> list[Candidate]:
    """A candidate for each grouping that the search may end with."""
    found = []
    for groups, merit in search.found():
        of_category = branches_of(groups, table.n_categories[column])
        test = Test("grouped", column, max(of_category) + 1, categories=of_category)
        branches, n_rows = by_branch(table, test, known, gaps, gaps_branch=search.gaps_branch)
        value = nan if merit.high == -inf else merit.high
        found.append(Candidate(test, branches, n_rows, merit.gain, merit.split_info, nan, value))
    return found


def candidates_of_column(
    table: Table,
    rows: Rows,
    column: int,
    rules: Conventions,
    slack: float = 0.0,
    *,
    near: float = 0.0,
) -> list[Candidate]:
    """Every admissible test of a column at a node, in the order in which ties are decided.

    Of groups of categories it is one, or several where scores are nearer than ``near``.
    """
    filled, gaps = fill_gaps(table, rows, column, rules.missing)
    if not filled:
        return []
    values = {value for _, _, value in filled}
    if gaps and rules.missing == "branch" and len(values) == 1:
        test = against_missing(table, column, values.pop(), rules)
        weight, n_rows = fsum(w for _, w, _ in filled), count_rows(table, filled)
        enough = minimum_of_branch(table, rules).is_reached(weight, n_rows, slack)
        found = measure(table, test, filled, gaps, rules)
        refused = rules.criterion in OF_TARGETS and isnan(found.gain)
        return [found] if enough and not refused else []
    if rules.categorical == "grouped" and table.n_categories[column] > 2:
        least = minimum_of_branch(table, rules)
        search = group_search(table, filled, gaps, rules, least.is_reached)
        search = replace(search, slack=slack, near=near)
        return grouped_candidates(table, column, filled, gaps, search)
    find_tests = category_tests if table.n_categories[column] else threshold_tests
    measured = [
        measure(table, test, filled, gaps, rules)
        for test in find_tests(table, filled, column, rules)
    ]
    known, _ = split_by_gap(table, rows, column)
    least = minimum_of_side(table, column, fsum(w for _, w, _ in known), rules)
    return [c for c in measured if is_admissible(c, least, rules, slack)]


def fined(candidate: Candidate, n_cuts: int, weight: float, rules: Conventions) -> Candidate:
    """A chosen cut after C4.5's penalty for the number of cuts it was chosen from."""
    if candidate.test.kind != "threshold" or not rules.threshold_penalty:
        return candidate
    return scored(replace(candidate, gain=candidate.gain - log2(n_cuts) / weight), rules)


def stands(candidate: Candidate, rules: Conventions, slack: float = 0.0) -> bool:
    """Whether the penalty has left a cut some gain; groups need a score above nothing, too."""
    if candidate.test.kind == "grouped":
        return candidate.score > -slack
    is_fined = candidate.test.kind == "threshold" and rules.threshold_penalty
    return not is_fined or candidate.gain > -slack


def worth(candidate: Candidate, rules: Conventions) -> float:
    """What the best test of one column is chosen by; a test without a score comes last."""
    by_gain = candidate.test.kind == "threshold" and rules.threshold_choice == "gain"
    value = candidate.gain if by_gain else candidate.score
    return -inf if isnan(value) else value


# -------------------------------------------------------------------- 3. choice between columns


def average_gain(table: Table, best: Sequence[Candidate]) -> float:
    """C4.5's average gain, which leaves out attributes with very many categories."""
    many = [n > 0 and n >= 0.3 * fsum(table.weights) for n in table.n_categories]
    gains = [c.gain for c in best if all(many) or not many[c.test.feature]]
    gains = [gain for gain in gains if gain > -EPSILON]
    return fsum(gains) / len(gains) if gains else 1e6


def qualifies(
    candidate: Candidate, average: float, fraction: float, rules: Conventions, slack: float = 0.0
) -> bool:
    """Whether a column's best test may be chosen at a node with this fraction of all weight."""
    if isnan(candidate.score):
        return False
    least = rules.min_impurity_decrease
    if least > 0 and not candidate.gain * fraction >= least - ROUNDING - slack:
        return False
    if rules.min_score is not None and not candidate.score >= rules.min_score - slack:
        return False
    if rules.average_gain and rules.criterion == "gain_ratio":
        enough = candidate.gain >= average - EPSILON - slack
        if not enough or candidate.split_info <= EPSILON:
            return False
    return candidate.gain > (-EPSILON if rules.zero_gain else 1e-9) - slack


def p_value(candidate: Candidate) -> float:
    """Of the chi-square test that branch and class are independent, as scipy does it.

    Two by two, Yates's correction is applied where a count below five is expected.
    """
    from scipy.stats import chi2_contingency

    table = np.array([branch for branch in candidate.branches if fsum(branch) > 0])
    table = table[:, table.sum(axis=0) > 0]
    if min(table.shape) < 2:
        return 1.0
    expected = chi2_contingency(table).expected_freq
    return float(chi2_contingency(table, correction=expected.min() < 5).pvalue)


def p_by_rules(candidate: Candidate, table: Table, n_open: int, rules: Conventions) -> float:
    """The p-value by the test that the conventions name."""
    if rules.significance_test == "chi_square":
        return p_value(candidate)
    n_values = table.n_values(candidate.test.feature)
    return adjusted_p(candidate.branches, candidate.test.kind, n_values, n_open)


def open_columns(table: Table, used: frozenset[int], rules: Conventions) -> list[int]:
    """The columns that may be tested: a many-way test is made once on a path."""
    once = rules.categorical == "multiway"
    return [c for c, n in enumerate(table.n_categories) if not (n and once and c in used)]


def choose(
    table: Table, rows: Rows, used: frozenset[int], rules: Conventions
) -> tuple[Candidate | None, int]:
    """The best test of a node, or None; and how many other columns tie with it."""
    weight = fsum(w for _, w in rows)
    firsts = []
    for column in open_columns(table, used, rules):
        offer = candidates_of_column(table, rows, column, rules)
        if offer:
            chosen = max(offer, key=lambda c: worth(c, rules))
            firsts.append(fined(chosen, len(offer), weight, rules))
    firsts = [c for c in firsts if stands(c, rules)]
    average = average_gain(table, firsts)
    fraction = weight / fsum(table.weights)
    fit = [c for c in firsts if qualifies(c, average, fraction, rules)]
    if not fit:
        return None, 0
    greatest = max(c.score for c in fit)
    best = next(c for c in fit if ties(c.score, greatest, rules.tie_tolerance))
    rounding = ROUNDING * max(1.0, greatest) if greatest < inf else 0.0
    tied = [c for c in fit if ties(c.score, greatest, max(rules.tie_tolerance, rounding))]
    if rules.significance is not None:
        n_open = len(open_columns(table, used, rules))
        if p_by_rules(best, table, n_open, rules) > rules.significance:
            return None, 0
    return best, len(tied) - 1


def ties(score: float, other: float, tolerance: float) -> bool:
    return score == other or abs(score - other) <= tolerance
