"""Judges a grown tree of a numeric target node by node with the naive grower.

As in ``engine_check``, the rows of a node are those that the tree's own conditions lead there.
Gains are exact fractions, so the condition must be the naive grower's own, where every weight is
exact; otherwise splits that are equal but for ``NEAR`` are accepted. Of subsets that are equally
good each is accepted: which one is found first depends on the search.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, inf, isclose

from plaintree.tree.conventions import Conventions
from plaintree.tree.tree import Tree
from tests.oracle.engine_check import condition_at, same_test
from tests.oracle.naive import descend, missing_child
from tests.oracle.naive_choice import (
    EPSILON,
    ROUNDING,
    Candidate,
    Test,
    candidates_of_column,
    minimum_to_split,
    open_columns,
)
from tests.oracle.naive_surrogates import check_surrogates, sent_by_surrogates
from tests.oracle.naive_table import Rows, Table, count_rows
from tests.oracle.naive_targets import information, medians, prediction

NEAR = 1e-9


@dataclass(frozen=True)
class Place:
    """A node of the tree with the rows that the tree's own conditions lead there."""

    index: int
    rows: Rows
    used: frozenset[int]
    depth: int
    parent: int


def check_target_tree(
    table: Table, rules: Conventions, tree: Tree, *, exact: bool, most_rows: float = inf
) -> None:
    """Raise AssertionError for the first node that the naive grower cannot agree with.

    Nodes with more than ``most_rows`` rows are followed, but not judged.
    """
    pending = [Place(0, table.rows, frozenset(), 0, 0)]
    while pending:
        place = pending.pop()
        test = condition_at(tree, place.index)
        if len(place.rows) <= most_rows:
            check_facts(table, rules, tree, place, exact=exact)
            said = complaint(table, rules, tree, place, exact=exact)
            assert said is None, f"node {place.index}, {test}: {said}"
        if test is None:
            continue
        by_surrogates = rules.missing == "surrogate"
        if by_surrogates and exact:
            check_surrogates(table, place.rows, test, tree, place.index)
        parts = (
            sent_by_surrogates(table, place.rows, test, tree, place.index)
            if by_surrogates
            else descend(table, place.rows, test, rules)
        )
        where = f"node {place.index}"
        assert int(tree.n_children[place.index]) == len(parts), where
        if exact and not by_surrogates:
            expected = missing_child(table, place.rows, test, rules)
            assert int(tree.missing_child[place.index]) == expected, where
        used = place.used | {test.feature} if test.kind == "multiway" else place.used
        first = int(tree.first_child[place.index])
        pending += [
            Place(first + i, part, used, place.depth + 1, place.index)
            for i, part in enumerate(parts)
        ]


def check_facts(table: Table, rules: Conventions, tree: Tree, place: Place, *, exact: bool) -> None:
    """What is stored of a node; one without rows predicts like its parent."""
    index, rows = place.index, place.rows
    where = f"node {index}"
    weight = fsum(w for _, w in rows)
    assert tree.n_rows[index] == len(rows), where
    assert isclose(tree.weight[index], weight, rel_tol=1e-12), where
    if not rows:
        assert tree.prediction[index] == tree.prediction[place.parent], where
        assert tree.impurity[index] == 0, where
        return
    size = max(abs(table.y[row]) for row, _ in rows)
    least = most = prediction(table, rows, rules.criterion)
    if rules.criterion == "absolute_error" and not exact:  # rounding may decide what half is
        least, most = medians(table, rows, slack=NEAR)
    assert least - 1e-12 * size <= tree.prediction[index] <= most + 1e-12 * size, where
    impurity = float(information(table, rows, rules.criterion) / Fraction(weight))
    assert isclose(tree.impurity[index], impurity, rel_tol=NEAR), where


def must_stop(table: Table, place: Place, rules: Conventions) -> bool:
    pure = len({table.y[row] for row, _ in place.rows}) <= 1
    deep = rules.max_depth is not None and place.depth >= rules.max_depth
    weight, n_rows = fsum(w for _, w in place.rows), count_rows(table, place.rows)
    return pure or deep or not minimum_to_split(table, rules).is_reached(weight, n_rows)


def qualifies(
    candidate: Candidate, impurity: Fraction, fraction: Fraction, rules: Conventions, slack: float
) -> bool:
    """Whether a column's best split may be chosen; gains are compared with the node's impurity."""
    gain = candidate.gain
    least = rules.min_impurity_decrease
    if least > 0 and gain * fraction < least - (ROUNDING + slack) * impurity:
        return False
    if rules.min_score is not None and gain < rules.min_score - slack * impurity:
        return False
    return gain > ((-EPSILON if rules.zero_gain else 1e-9) - slack) * impurity


def complaint(
    table: Table, rules: Conventions, tree: Tree, place: Place, *, exact: bool
) -> str | None:
    """What is wrong with the node's being a leaf, or with its condition."""
    test = condition_at(tree, place.index)
    if must_stop(table, place, rules):
        return None if test is None else "it should be a leaf"
    weight = sum(Fraction(w) for _, w in place.rows)
    impurity = information(table, place.rows, rules.criterion) / weight
    fraction = weight / sum(map(Fraction, table.weights))
    offers = {}
    for column in open_columns(table, place.used, rules):
        if found := candidates_of_column(table, place.rows, column, rules):
            offers[column] = found
    near = 0 if exact else NEAR * impurity
    best = {column: max(c.gain for c in found) for column, found in offers.items()}
    sure = {
        column: gain
        for column, gain in best.items()
        if qualifies(top(offers[column]), impurity, fraction, rules, -NEAR)
    }
    perhaps = {
        column: gain
        for column, gain in best.items()
        if qualifies(top(offers[column]), impurity, fraction, rules, NEAR)
    }
    if test is None:
        return f"a leaf, although {sorted(sure)} could be split" if sure else None
    if test.feature not in perhaps:
        return f"its column does not qualify, but {sorted(perhaps)}"
    if not is_best_of_column(test, offers[test.feature], near):
        return f"the best of its column is {top(offers[test.feature]).test}"
    gain = best[test.feature]
    if not isclose(tree.score[place.index], gain, rel_tol=NEAR, abs_tol=NEAR * float(impurity)):
        return f"its score is {float(gain)}, not {tree.score[place.index]}"
    if len(sure) < len(perhaps):
        return None
    return complaint_about_columns(test, perhaps, int(tree.n_tied[place.index]), rules, impurity)


def top(candidates: Sequence[Candidate]) -> Candidate:
    return max(candidates, key=lambda c: c.gain)


def is_best_of_column(test: Test, candidates: Sequence[Candidate], near: Fraction | int) -> bool:
    """Whether it is the first of the best, or one of them where their order does not matter."""
    best = top(candidates)
    equal = [c.test for c in candidates if c.gain >= best.gain - near]
    if test.kind != "subset" and not near:
        equal = equal[:1]
    if test.kind == "subset" and near:  # sides of equal weight but for rounding
        return any(set(test.categories) in sides(t, candidates) for t in equal)
    return any(same_test(one, test) for one in equal)


def sides(test: Test, candidates: Sequence[Candidate]) -> list[set[int]]:
    present = {code for c in candidates for code in c.test.categories} | set(test.categories)
    return [set(test.categories), present - set(test.categories)]


def complaint_about_columns(
    test: Test,
    best: dict[int, float],
    n_tied: int,
    rules: Conventions,
    impurity: Fraction,
) -> str | None:
    """The first column within the tolerance of the best is chosen."""
    greatest = max(best.values())
    behind = {column: (greatest - gain) / impurity for column, gain in best.items()}
    tolerance = max(rules.tie_tolerance, ROUNDING)
    if any(max(tolerance / 100, tolerance - NEAR) < d < tolerance + NEAR for d in behind.values()):
        return None  # too close to call
    tied = [column for column, d in behind.items() if d <= tolerance]
    if tied[0] != test.feature:
        return f"column {tied[0]} comes first: {best}"
    return None if n_tied == len(tied) - 1 else f"{n_tied} columns said to tie, {len(tied) - 1} do"
