"""All thresholds of a column at once: the same class weights and scores as one by one."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import inf, isnan, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaintree.data.rows import Rows as EncodedRows
from plaintree.data.schema import Feature, Schema
from plaintree.stats.exact import Counts, Scale, Weight, added, measure, total
from plaintree.stats.sums import ClassWeights
from plaintree.teaching.derive.cases import FINEST, Cases, Rows, share_out
from plaintree.teaching.derive.cuts import Gathered, Sides, Strips
from plaintree.teaching.derive.offers import offer_of, offers_of
from plaintree.teaching.derive.thresholds import least_branch
from plaintree.teaching.derive.tried import Offer, most_telling
from plaintree.tree.conventions import Conventions
from tests.support.random_tables import CLASS_CRITERIA

CLASSES = 3
weights = st.one_of(
    st.integers(1, 5),
    st.fractions(Fraction(1, 50), 5, max_denominator=60),
    st.just(Fraction(2**128 // 3, 2**128)),
)
rows = st.lists(
    st.tuples(st.sampled_from([0.0, 0.5, 1.0, 1.25, 7.0, nan]), st.integers(0, 2), weights),
    min_size=1,
    max_size=12,
)
Table = list[tuple[float, int, Weight]]


def node_of(table: Table, rules: Conventions) -> tuple[Cases, Rows]:
    schema = Schema((Feature("x", "numeric"),), ("a", "b", "c"))
    values = np.array([value for value, _, _ in table])
    codes = np.array([code for _, code, _ in table], dtype=np.int32)
    cases = Cases.of(schema, EncodedRows([values], codes, None), rules)
    return cases, [(row, weight) for row, (_, _, weight) in enumerate(table)]


def counted(table: Table, low: float, high: float) -> tuple[Weight, ...]:
    """The class weights of values above one and up to another."""
    return tuple(
        sum(w for value, code, w in table if code == c and low < value <= high)
        for c in range(CLASSES)
    )


def strips_of(table: Table, rules: Conventions) -> Strips | None:
    """The one column of a table; None if no row has a value."""
    strips = Gathered.of(*node_of(table, rules)).strips([0])
    return strips if strips.n_known[0] else None


def class_weights(strips: Strips, by_class: Any) -> Counts:
    """Of the one column, in whole units."""
    return strips.node.weights(by_class[:, 0].tolist())


def in_parts(sides: Sides) -> list[tuple[Counts, Counts]]:
    """The class weights on either side of every threshold, over the node's denominator."""
    above = sides.totals[:, sides.column] - sides.below
    both = zip(sides.below.T.tolist(), above.T.tolist(), strict=True)
    return [(tuple(low), tuple(high)) for low, high in both]


def weighed(strips: Strips, sides: Sides) -> list[tuple[Counts, Counts]]:
    """The same in whole units."""
    weights_of = strips.node.weights
    return [(weights_of(low), weights_of(high)) for low, high in in_parts(sides)]  # type: ignore[arg-type]


@given(rows, st.sampled_from(CLASS_CRITERIA))
def test_worth_and_sides_are_those_of_every_threshold_alone(table: Table, criterion: Any) -> None:
    rules = replace(Conventions(missing="fractional"), criterion=criterion)
    values = sorted({value for value, _, _ in table if not isnan(value)})
    strips = strips_of(table, rules)
    if strips is None or len(values) < 2:
        return
    absent = class_weights(strips, strips.missing)
    scale = Scale.of(
        ClassWeights(rules.criterion, CLASSES), class_weights(strips, strips.totals), sum(absent)
    )
    sides = strips.sides(0.0)
    worth = sides.worth([scale], [None], by_gain=False)
    assert list(zip(sides.lower, sides.upper, strict=True)) == list(pairwise(values))
    for position, (low, high) in enumerate(weighed(strips, sides)):
        cut = values[position]
        assert (low, high) == (counted(table, -inf, cut), counted(table, cut, inf))
        score = float(measure([low, high], scale).score)
        assert worth[position] == pytest.approx(-inf if isnan(score) else score, abs=1e-9)


@given(rows)
def test_missing_values_with_a_branch_of_their_own_count(table: Table) -> None:
    rules = Conventions(criterion="gini", missing="branch")
    strips = strips_of(table, rules)
    if strips is None or not strips.missing.any():
        return
    absent = class_weights(strips, strips.missing)
    scale = Scale.of(
        ClassWeights(rules.criterion, CLASSES),
        added([class_weights(strips, strips.totals), absent]),
        0,
    )
    sides = strips.sides(0.0)
    worth = sides.worth([scale], [tuple(strips.missing[:, 0].tolist())], by_gain=True)
    for position, branches in enumerate(weighed(strips, sides)):
        gain = float(measure([*branches, absent], scale).gain)
        assert worth[position] == pytest.approx(gain, abs=1e-9)


@given(rows, st.integers(1, 4))
def test_a_side_is_heavy_enough_exactly(table: Table, least: int) -> None:
    strips = strips_of(table, Conventions())
    if strips is None:
        return
    sides = strips.sides(0.0)
    told = sides.heavy([least * strips.node.denominator]).tolist()
    both = weighed(strips, sides)
    assert told == [min(sum(low), sum(high)) >= least for low, high in both]


def test_thirds_add_up_to_a_whole() -> None:
    third = Fraction(1, 3)
    table: Table = [(0.0, 0, third), (0.0, 0, third), (0.0, 1, third), (1.0, 1, 1)]
    strips = Gathered.of(*node_of(table, Conventions())).strips([0])
    assert strips.sides(0.0).heavy([strips.node.denominator]).tolist() == [True]


def test_the_fraction_of_the_known_weight_that_a_branch_needs_is_exact() -> None:
    cases, _ = node_of([(0.0, 0, 1)], Conventions(numeric_branch_fraction=0.5))
    assert least_branch(cases, 0, Fraction(124, 9)) == Fraction(62, 27)
    cases, _ = node_of([(0.0, 0, 1)], Conventions(numeric_branch_fraction=0.1))
    assert least_branch(cases, 0, 21) == Fraction(7, 10)


def test_weights_beyond_64_bits_are_added_exactly() -> None:
    table: Table = [(0.0, 0, 2**62), (1.0, 0, 2**62 + 1), (2.0, 0, 2**62), (3.0, 1, 2**62)]
    strips = Gathered.of(*node_of(table, Conventions())).strips([0])
    low, high = weighed(strips, strips.sides(0.0))[1]
    assert (low, high) == ((2**63 + 1, 0, 0), (2**62, 2**62, 0))


def test_of_equal_thresholds_the_first_are_listed() -> None:
    """Ten rows of alternating classes: thresholds at both ends are worth the same."""
    table: Table = [(float(i), i % 2, 1) for i in range(10)]
    rules = Conventions(criterion="information_gain")
    offer = offer_of(*node_of(table, rules), 0, 1)
    assert [tried.condition.threshold for tried in offer.tried] == [0.5]  # type: ignore[attr-defined]
    assert (offer.n_tried, offer.n_allowed) == (9, 9)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from([-inf, 0.0, 0.5, 1.0]), st.booleans())),
    st.integers(1, 3),
)
def test_the_most_telling_are_the_first_of_each_column(
    tests: list[tuple[int, float, bool]], most: int
) -> None:
    """As if each column were sorted alone: those allowed, the greatest worth, then the order."""
    tests = sorted(tests, key=lambda test: test[0])
    columns, worth, allowed = (np.array([test[i] for test in tests]) for i in range(3))
    expected: list[int] = []
    for column in range(4):
        own = [i for i, test in enumerate(tests) if test[0] == column]
        expected += sorted(sorted(own, key=lambda i: (not tests[i][2], -tests[i][1], i))[:most])
    found = most_telling(worth, allowed.astype(bool), columns.astype(np.intp), most)
    assert found.tolist() == expected


def test_neighbours_nearer_than_the_min_separation_are_not_parted() -> None:
    table: Table = [(0.0, 0, 1), (1e-7, 1, 1), (1.0, 1, 1)]
    strips = Gathered.of(*node_of(table, Conventions())).strips([0])
    assert strips.sides(1e-5).lower.tolist() == [1e-7]


@given(st.lists(weights))
def test_a_total_is_the_sum(some: list[Weight]) -> None:
    assert total(some) == sum(some)


@given(rows, st.sampled_from(CLASS_CRITERIA))
def test_no_measure_depends_on_the_unit_of_the_weights(table: Table, criterion: Any) -> None:
    rules = replace(Conventions(missing="fractional"), criterion=criterion)
    strips = strips_of(table, rules)
    if strips is None:
        return
    sides = strips.sides(0.0)
    known, absent = class_weights(strips, strips.totals), class_weights(strips, strips.missing)
    whole = Scale.of(ClassWeights(rules.criterion, CLASSES), known, sum(absent))
    parts = Scale.of(
        ClassWeights(rules.criterion, CLASSES),
        tuple(strips.totals[:, 0].tolist()),
        sum(strips.missing[:, 0].tolist()),
        strips.node.denominator,
    )
    for branches, as_parts in zip(weighed(strips, sides), in_parts(sides), strict=True):
        one, other = measure(branches, whole), measure(as_parts, parts)
        assert one == other or (isnan(one.score) and isnan(other.score))


@given(rows, st.sampled_from(["most_common", "most_common_in_class"]))
def test_missing_values_are_filled_as_row_by_row(table: Table, missing: Any) -> None:
    rules = Conventions(missing=missing)
    strips = strips_of(table, rules)
    if strips is None:
        return
    cases, there = node_of(table, rules)
    filled, fillers = strips.filled()
    one_by_one, _, expected = cases.filled(there, 0)
    by_row = {row: value for row, _, value in one_by_one}
    assert filled.values[0].tolist() == [by_row[row] for row, _ in there]
    assert fillers == [expected]
    assert list(fillers[0]) == list(expected)


@given(
    rows,
    st.randoms(use_true_random=False),
    st.sampled_from(CLASS_CRITERIA),
    st.sampled_from(["fractional", "branch", "most_common", "most_common_in_class"]),
)
def test_columns_side_by_side_are_each_as_if_alone(
    table: Table, random: Any, criterion: Any, missing: Any
) -> None:
    """Whatever is missing where: the rows with a value may differ from column to column."""
    values = [value for value, _, _ in table]
    columns = [values, random.sample(values, len(values)), [nan] * len(values), values[::-1]]
    schema = Schema(tuple(Feature(name, "numeric") for name in "xyzw"), ("a", "b", "c"))
    codes = np.array([code for _, code, _ in table], dtype=np.int32)
    encoded = EncodedRows([np.array(column) for column in columns], codes, None)
    rules = replace(Conventions(missing=missing), criterion=criterion)
    cases = Cases.of(schema, encoded, rules)
    there = [(row, weight) for row, (_, _, weight) in enumerate(table)]
    joint = offers_of(cases, there, range(4), 3)
    for column, offer in enumerate(joint):
        alone = offer_of(cases, there, column, 3)
        assert _told(offer) == _told(alone)


def _told(offer: Offer) -> tuple[Any, ...]:
    tests = [(test.condition, test.parts, test.worth, test.allowed) for test in offer.tried]
    best = None if offer.best is None else (offer.best.condition, offer.best.parts)
    counted = (offer.n_tried, offer.n_allowed, offer.missing, offer.refused)
    return tests, best, counted, dict(offer.fillers)


def test_rows_divided_again_and_again_keep_readable_shares() -> None:
    weight: Weight = 1
    for known in range(3, 203, 2):
        branches: list[Rows] = [[(1, known)], [(2, 2)]]
        share_out(branches, [(0, weight)])
        weight = branches[0][-1][1]
        assert branches[0][-1][1] + branches[1][-1][1] <= 1
    assert isinstance(weight, Fraction)
    assert weight.denominator <= FINEST
