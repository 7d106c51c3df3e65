"""Judges a grown tree node by node with the naive grower: scores are compared, not choices.

At every node the rows (and fractional weights) are those that the tree's own conditions lead
there. The condition found must be among the best ones of its column, and its column among the
best columns, to within ``NEAR``. Where a comparison is so close that rounding may decide it,
either outcome is accepted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, inf, isclose, nan

import numpy as np

from plaintree.tree.condition import NodeKind
from plaintree.tree.conventions import Conventions
from plaintree.tree.tree import Tree
from tests.oracle.naive import NaiveNode, descend, make_node, missing_child, stops
from tests.oracle.naive_above import ROOT, Above, value_of
from tests.oracle.naive_choice import (
    ROUNDING,
    Candidate,
    Test,
    average_gain,
    candidates_of_column,
    fined,
    minimum_to_split,
    open_columns,
    p_by_rules,
    qualifies,
    stands,
    worth,
)
from tests.oracle.naive_surrogates import check_surrogates, sent_by_surrogates
from tests.oracle.naive_table import Rows, Table

NEAR = 1e-9
KINDS = {
    NodeKind.THRESHOLD: "threshold",
    NodeKind.MULTIWAY: "multiway",
    NodeKind.EQUALS: "equals",
    NodeKind.SUBSET: "subset",
    NodeKind.GROUPED: "grouped",
}


def close(a: float, b: float) -> bool:
    return a == b or isclose(a, b, rel_tol=NEAR, abs_tol=NEAR)


def below(a: float, b: float) -> bool:
    """Whether a is smaller than b by more than rounding explains."""
    return a < b and not close(a, b)


def condition_at(tree: Tree, index: int) -> Test | None:
    """The condition of a tree's node as the naive grower writes it."""
    kind = NodeKind(tree.kind[index])
    if kind == NodeKind.LEAF:
        return None
    attribute = int(tree.feature[index])
    n_branches = 2
    if kind == NodeKind.MULTIWAY:
        n_branches = len(tree.schema.features[attribute].categories)
    levels = tree.levels[tree.level_begin[index] : tree.level_end[index]].tolist()
    if kind == NodeKind.GROUPED:
        n_branches = max(levels) + 1
    if kind == NodeKind.GROUPED and tree.conventions and tree.conventions.missing == "surrogate":
        return without_absent_categories(tree.conventions, attribute, levels)
    categories = tuple(levels if kind == NodeKind.GROUPED else sorted(levels))
    threshold = float(tree.threshold[index])
    return Test(KINDS[kind], attribute, n_branches, threshold, categories)


def without_absent_categories(rules: Conventions, feature: int, levels: list[int]) -> Test:
    """The subset of which growing by surrogates makes groups: absent categories are in neither."""
    first = tuple(code for code, branch in enumerate(levels) if branch == 0)
    return Test(
        "equals" if rules.categorical == "one_vs_rest" else "subset", feature, 2, nan, first
    )


def same_test(one: Test, other: Test) -> bool:
    if (one.kind, one.feature) != (other.kind, other.feature):
        return False
    if one.kind == "threshold":
        return one.threshold == other.threshold
    return one.categories == other.categories


@dataclass(frozen=True)
class Slack:
    """How far comparisons of weights, and of gains with zero, may be off."""

    weight: float
    gain: float


SLACKS = [Slack(weight, gain) for weight in (0.0, NEAR, -NEAR) for gain in (0.0, NEAR, -NEAR)]


# -------------------------------------------------------------------- what a column may offer


@dataclass(frozen=True)
class Offer:
    """The tests of a column that rounding may make its best one."""

    tests: list[Candidate]

    @property
    def least_score(self) -> float:
        return min(c.score for c in self.tests)

    @property
    def greatest_score(self) -> float:
        return max(c.score for c in self.tests)


def offers_of(
    table: Table, rows: Rows, above: Above, rules: Conventions, slack: Slack
) -> dict[int, Offer]:
    weight = fsum(w for _, w in rows)
    offers = {}
    for column in open_columns(table, above, rules):
        found = candidates_of_column(
            table, rows, column, rules, above, slack=slack.weight, near=NEAR
        )
        best = max((worth(c, rules) for c in found), default=0)
        near = [c for c in found if is_grouped(c) or not below(worth(c, rules), best)]
        left = [fined(c, len(found), weight, rules) for c in near]
        left = [c for c in left if stands(c, rules, slack.gain or NEAR * is_grouped(c))]
        if left:
            offers[column] = Offer(left)
    return offers


def is_grouped(candidate: Candidate) -> bool:
    """Groups are what merging ended with; another end may have a better score."""
    return candidate.test.kind == "grouped"


@dataclass(frozen=True)
class Verdicts:
    """Which tests surely, and which perhaps, may be chosen."""

    offers: dict[int, Offer]
    sure: dict[int, Offer]
    perhaps: list[Candidate]
    table: Table
    n_open: int

    def p_value(self, candidate: Candidate, rules: Conventions) -> float:
        return p_by_rules(candidate, self.table, self.n_open, rules)


def judge(table: Table, rows: Rows, above: Above, rules: Conventions, slack: Slack) -> Verdicts:
    offers = offers_of(table, rows, above, rules, slack)
    fraction = fsum(w for _, w in rows) / fsum(table.weights)
    lows = [min(o.tests, key=lambda c: c.gain) for o in offers.values()]
    highs = [max(o.tests, key=lambda c: c.gain) for o in offers.values()]
    least, greatest = average_gain(table, lows), average_gain(table, highs)
    sure = {
        column: offer
        for column, offer in offers.items()
        if all(qualifies(c, greatest, fraction, rules, -NEAR) for c in offer.tests)
        and all(stands(c, rules, -NEAR) for c in offer.tests if is_grouped(c))
    }
    every = [c for offer in offers.values() for c in offer.tests]
    perhaps = [c for c in every if qualifies(c, least, fraction, rules, NEAR)]
    return Verdicts(offers, sure, perhaps, table, len(open_columns(table, above, rules)))


# -------------------------------------------------------------------- complaints about a node


def complaint_about_leaf(verdicts: Verdicts, rules: Conventions) -> str | None:
    if not verdicts.sure:
        return None
    if rules.significance is not None:
        bar = max(offer.least_score for offer in verdicts.sure.values()) - rules.tie_tolerance
        rivals = [c for c in verdicts.perhaps if not below(c.score, bar)]
        if any(verdicts.p_value(c, rules) > rules.significance - NEAR for c in rivals):
            return None
    return f"a leaf, although {sorted(verdicts.sure)} could be tested"


def find_chosen(verdicts: Verdicts, chosen: Test, *, exact: bool) -> Candidate | str:
    offer = verdicts.offers.get(chosen.feature)
    if offer is None:
        return "its column has no admissible test"
    stored = [c for c in offer.tests if same_test(c.test, chosen)]
    if not stored and not exact:
        stored = [c for c in offer.tests if is_other_side(c, chosen)]
    if stored:
        return stored[0]
    return f"not among the best of its column: {[c.test for c in offer.tests]}"


def is_other_side(candidate: Candidate, chosen: Test) -> bool:
    """Whether the complement is stored, which rounding may do where both sides weigh the same."""
    here, there = (fsum(side) for side in candidate.branches[:2])
    common = set(chosen.categories) & set(candidate.test.categories)
    return chosen.kind == "subset" and close(here, there) and not common


def complaint_about_test(
    verdicts: Verdicts, rules: Conventions, candidate: Candidate, score: float
) -> str | None:
    own = candidate.test.feature
    if candidate not in verdicts.perhaps:
        return "it does not qualify"
    if not close(score, candidate.score):
        return f"its score is {candidate.score}, not {score}"
    if rules.significance is not None:
        p = verdicts.p_value(candidate, rules)
        if p > rules.significance + NEAR:
            return f"it is not significant: p = {p}"
    if rules.tie_tolerance > NEAR:
        return complaint_about_scan(verdicts, rules, candidate)
    for column, rival in verdicts.sure.items():
        if column == own:
            continue
        if below(candidate.score, rival.least_score):
            return f"column {column} scores {rival.least_score}, more than {candidate.score}"
        tied = rules.tie_tolerance >= 1e-12 and rival.least_score >= candidate.score - 1e-14
        if column < own and tied and candidate.score < 1:
            return f"column {column} comes first and ties at {candidate.score}"
    return None


def complaint_about_scan(verdicts: Verdicts, rules: Conventions, chosen: Candidate) -> str | None:
    """With a wide tolerance the first column within it of the best is chosen."""
    columns = sorted({c.test.feature for c in verdicts.perhaps})
    offers = [verdicts.offers[column] for column in columns]
    if any(c not in verdicts.sure for c in columns):
        return None
    if any(not close(o.least_score, o.greatest_score) for o in offers):
        return None
    bar = max(offer.least_score for offer in offers) - rules.tie_tolerance
    if any(close(offer.least_score, bar) for offer in offers):
        return None
    winner = next(c for c, o in zip(columns, offers, strict=True) if o.least_score >= bar)
    return None if winner == chosen.test.feature else f"column {winner} is the first of the best"


def complaint_about_ties(
    verdicts: Verdicts, rules: Conventions, chosen: Test, n_tied: int
) -> str | None:
    """The number of tied columns, where no difference is too close to call."""
    if len({c.test.feature for c in verdicts.perhaps}) != len(verdicts.sure):
        return None
    own = verdicts.offers[chosen.feature]
    others = [o for c, o in verdicts.sure.items() if c != chosen.feature]
    if any(not close(o.least_score, o.greatest_score) for o in (own, *others)):
        return None
    best = max(o.least_score for o in (own, *others))
    gaps = [0.0 if o.least_score == best else best - o.least_score for o in others]
    tolerance = max(rules.tie_tolerance, ROUNDING)
    grey = (
        (0.1 * tolerance, tolerance + NEAR)
        if tolerance < NEAR
        else (tolerance - NEAR, tolerance + NEAR)
    )
    if any(grey[0] <= gap <= grey[1] for gap in gaps if gap > 0 or tolerance == 0):
        return None
    expected = sum(gap <= tolerance for gap in gaps)
    return None if expected == n_tied else f"{n_tied} columns said to tie, {expected} do"


# -------------------------------------------------------------------- the walk


@dataclass(frozen=True)
class Place:
    """A node of the tree with what the tree's own conditions lead there."""

    index: int
    rows: Rows
    above: Above
    depth: int
    parent_label: int


def check_tree(
    table: Table,
    rules: Conventions,
    tree: Tree,
    *,
    exact: bool,
    most_rows: float = inf,
    given: Collection[int] = (),
) -> None:
    """Raise AssertionError for the first node that the naive grower cannot agree with.

    The conditions of nodes with more than ``most_rows`` rows, and of those that were given, are
    followed, but not judged.
    """
    pending = [Place(0, table.rows, ROOT, 0, 0)]
    while pending:
        place = pending.pop()
        check_counts(table, rules, tree, place, exact=exact)
        test = condition_at(tree, place.index)
        judged = len(place.rows) <= most_rows and place.index not in given
        said = complaint(table, rules, tree, place, SLACKS[0], exact=exact) if judged else None
        if said is not None:
            others = (complaint(table, rules, tree, place, s, exact=exact) for s in SLACKS[1:])
            assert any(other is None for other in others), f"node {place.index}, {test}: {said}"
        if test is not None:
            pending.extend(places_below(table, rules, tree, place, test, exact=exact))


def check_counts(
    table: Table, rules: Conventions, tree: Tree, place: Place, *, exact: bool
) -> None:
    index, expected = (
        place.index,
        make_node(table, place.rows, place.depth, rules, place.parent_label),
    )
    found = tree.class_weights[index].tolist()
    where = f"node {index}"
    if rules.monotonic_cst and place.rows:
        exact = False
        value = float(place.above.clipped(value_of(table, place.rows, rules)))
        expected.class_weights = [(1 - value) * expected.weight, value * expected.weight]
    assert tree.n_rows[index] == expected.n_rows, where
    if exact:
        assert found == expected.class_weights, where
        assert tree.label[index] == expected.label, where
    else:
        assert np.allclose(found, expected.class_weights, rtol=NEAR, atol=NEAR), where
        label = int(tree.label[index])
        least = max(expected.class_weights)
        assert not below(expected.class_weights[label], least), where
        assert expected.n_rows or label == place.parent_label, where
    assert close(float(tree.weight[index]), expected.weight), where
    assert close(float(tree.impurity[index]), expected.impurity), where


def complaint(
    table: Table, rules: Conventions, tree: Tree, place: Place, slack: Slack, *, exact: bool
) -> str | None:
    """What is wrong with the node's being a leaf, or with its test."""
    test = condition_at(tree, place.index)
    node = make_node(table, place.rows, place.depth, rules, place.parent_label)
    if must_stop(table, place.rows, node, rules, slack.weight):
        return None if test is None else "it should be a leaf"
    verdicts = judge(table, place.rows, place.above, rules, slack)
    if test is None:
        return complaint_about_leaf(verdicts, rules)
    score, n_tied = float(tree.score[place.index]), int(tree.n_tied[place.index])
    candidate = find_chosen(verdicts, test, exact=exact)
    if isinstance(candidate, str):
        return candidate
    return complaint_about_test(verdicts, rules, candidate, score) or complaint_about_ties(
        verdicts, rules, test, n_tied
    )


def must_stop(table: Table, rows: Rows, node: NaiveNode, rules: Conventions, slack: float) -> bool:
    if slack and close(node.weight, minimum_to_split(table, rules).weight):
        return slack < 0
    return stops(table, rows, node, rules)


def places_below(
    table: Table, rules: Conventions, tree: Tree, place: Place, test: Test, *, exact: bool
) -> Iterator[Place]:
    index = place.index
    by_surrogates = rules.missing == "surrogate"
    if by_surrogates and exact:
        check_surrogates(table, place.rows, test, tree, index)
    parts = (
        sent_by_surrogates(table, place.rows, test, tree, index)
        if by_surrogates
        else descend(table, place.rows, test, rules)
    )
    assert int(tree.n_children[index]) == len(parts), f"node {index}: number of children"
    if exact and not by_surrogates:
        expected = missing_child(table, place.rows, test, rules)
        assert int(tree.missing_child[index]) == expected, f"node {index}: missing child"
    above = place.above.below(table, rules, test, parts)
    first, label = int(tree.first_child[index]), int(tree.label[index])
    for offset, part in enumerate(parts):
        yield Place(first + offset, part, above[offset], place.depth + 1, label)


# -------------------------------------------------------------------- whole trees


def as_naive(tree: Tree) -> NaiveNode:
    """A tree as naive nodes, for the naive grower's own collapsing."""
    nodes = [
        NaiveNode(
            class_weights=tree.class_weights[i].tolist(),
            weight=float(tree.weight[i]),
            n_rows=int(tree.n_rows[i]),
            label=int(tree.label[i]),
            impurity=float(tree.impurity[i]),
            depth=0,
            test=condition_at(tree, i),
        )
        for i in range(tree.n_nodes)
    ]
    for i, node in enumerate(nodes):
        first = int(tree.first_child[i])
        node.children = nodes[first : first + int(tree.n_children[i])] if node.test else []
    return nodes[0]


def same_shape(tree: Tree, root: NaiveNode) -> bool:
    """Whether a tree has the tests and class weights of naive nodes."""
    mine, theirs = ([(n.class_weights, str(n.test)) for n in top.walk()]
                    for top in (as_naive(tree), root))  # fmt: skip
    return mine == theirs


def is_level_by_level(tree: Tree) -> bool:
    """Whether nodes are numbered level by level, children in the order of their parents."""
    firsts = [int(f) for f, n in zip(tree.first_child, tree.n_children, strict=True) if n]
    return all(a < b for a, b in pairwise(firsts))
