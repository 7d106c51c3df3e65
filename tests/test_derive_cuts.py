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

from plaintree.convention import CHOICES, Conventions
from plaintree.derivation.cases import FINEST, Cases, Rows, share_out
from plaintree.derivation.cuts import Gathered, Strip, side_by_side
from plaintree.derivation.exact import Scale, Weight, added, measure, total
from plaintree.derivation.offers import offer_of
from plaintree.pruning.rows import Rows as EncodedRows
from plaintree.schema import Attribute, Schema

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
    schema = Schema((Attribute("x", "numeric"),), ("a", "b", "c"))
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


@given(rows, st.sampled_from(CHOICES["criterion"]))
def test_worth_and_sides_are_those_of_every_threshold_alone(table: Table, criterion: Any) -> None:
    rules = replace(Conventions(missing="fractional"), criterion=criterion)
    known, gaps = Gathered.of(*node_of(table, rules)).known_and_gaps(0)
    values = sorted({value for value, _, _ in table if not isnan(value)})
    if len(values) < 2:
        return
    scale = Scale.of(rules, known.counts, sum(gaps.counts))
    sides = known.between(0.0)
    worth = sides.worth(scale, None, by_gain=False)
    assert list(zip(sides.lower, sides.upper, strict=True)) == list(pairwise(values))
    for position, (low, high) in enumerate(sides.branches(list(range(len(sides))))):
        cut = values[position]
        assert (low, high) == (counted(table, -inf, cut), counted(table, cut, inf))
        score = float(measure([low, high], scale).score)
        assert worth[position] == pytest.approx(-inf if isnan(score) else score, abs=1e-9)


@given(rows)
def test_gaps_with_a_branch_of_their_own_count(table: Table) -> None:
    rules = Conventions(criterion="gini", missing="branch")
    known, gaps = Gathered.of(*node_of(table, rules)).known_and_gaps(0)
    if not len(known) or not len(gaps):
        return
    scale = Scale.of(rules, added([known.counts, gaps.counts]), 0)
    sides = known.between(0.0)
    worth = sides.worth(scale, gaps.counts, by_gain=True)
    for position, branches in enumerate(sides.branches(list(range(len(sides))))):
        gain = float(measure([*branches, gaps.counts], scale).gain)
        assert worth[position] == pytest.approx(gain, abs=1e-9)


@given(rows, st.integers(1, 4))
def test_a_side_is_heavy_enough_exactly(table: Table, least: int) -> None:
    known, _ = Gathered.of(*node_of(table, Conventions())).known_and_gaps(0)
    if not len(known):
        return
    sides = known.between(0.0)
    told = sides.heavy(least).tolist()
    both = sides.branches(list(range(len(sides))))
    assert told == [min(sum(low), sum(high)) >= least for low, high in both]


def test_thirds_add_up_to_a_whole() -> None:
    third = Fraction(1, 3)
    table: Table = [(0.0, 0, third), (0.0, 0, third), (0.0, 1, third), (1.0, 1, 1)]
    known, _ = Gathered.of(*node_of(table, Conventions())).known_and_gaps(0)
    assert known.between(0.0).heavy(1).tolist() == [True]


def test_weights_beyond_64_bits_are_added_exactly() -> None:
    table: Table = [(0.0, 0, 2**62), (1.0, 0, 2**62 + 1), (2.0, 0, 2**62), (3.0, 1, 2**62)]
    known, _ = Gathered.of(*node_of(table, Conventions())).known_and_gaps(0)
    low, high = known.between(0.0).branches([1])[0]
    assert (low, high) == ((2**63 + 1, 0, 0), (2**62, 2**62, 0))


def test_of_equal_thresholds_the_first_are_listed() -> None:
    """Ten rows of alternating classes: thresholds at both ends are worth the same."""
    table: Table = [(float(i), i % 2, 1) for i in range(10)]
    rules = Conventions(criterion="information_gain")
    offer = offer_of(*node_of(table, rules), 0, 1)
    assert [tried.condition.threshold for tried in offer.tried] == [0.5]  # type: ignore[attr-defined]
    assert (offer.n_tried, offer.n_allowed) == (9, 9)


def test_neighbours_nearer_than_the_least_gap_are_not_parted() -> None:
    known, _ = Gathered.of(
        *node_of([(0.0, 0, 1), (1e-7, 1, 1), (1.0, 1, 1)], Conventions())
    ).known_and_gaps(0)
    assert known.between(1e-5).lower.tolist() == [1e-7]


@given(st.lists(weights))
def test_a_total_is_the_sum(some: list[Weight]) -> None:
    assert total(some) == sum(some)


@given(rows, st.sampled_from(CHOICES["criterion"]))
def test_no_measure_depends_on_the_unit_of_the_weights(table: Table, criterion: Any) -> None:
    rules = replace(Conventions(missing="fractional"), criterion=criterion)
    known, gaps = Gathered.of(*node_of(table, rules)).known_and_gaps(0)
    if not len(known):
        return
    sides, unit = known.between(0.0), known.denominator
    whole = Scale.of(rules, known.counts, sum(gaps.counts))
    in_parts = Scale.of(rules, known.totals, sum(gaps.totals), unit)
    every = list(range(len(sides)))
    for weighed, parts in zip(sides.branches(every), sides.parts(every), strict=True):
        one, other = measure(weighed, whole), measure(parts, in_parts)
        assert one == other or (isnan(one.score) and isnan(other.score))


@given(rows, st.sampled_from(["most_common", "most_common_in_class"]))
def test_gaps_are_filled_as_row_by_row(table: Table, missing: Any) -> None:
    cases, there = node_of(table, Conventions(missing=missing))
    node = Gathered.of(cases, there)
    known, gaps = node.known_and_gaps(0)
    if not len(known):
        return
    strip, fillers = node.filled(known, gaps, 0)
    one_by_one, _, expected = cases.filled(there, 0)
    by_row = {row: value for row, _, value in one_by_one}
    assert strip.values.tolist() == [by_row[row] for row, _ in there]
    assert fillers == expected


@given(rows, st.randoms(use_true_random=False))
def test_columns_side_by_side_are_each_as_if_alone(table: Table, random: Any) -> None:
    table = [(0.0 if isnan(value) else value, code, weight) for value, code, weight in table]
    strip, _ = Gathered.of(*node_of(table, Conventions())).known_and_gaps(0)
    strips: list[Strip] = [strip]
    for _ in range(2):
        shuffled = random.sample(strip.values.tolist(), len(strip))
        strips.append(replace(strip, values=np.array(shuffled)))
    joint, begins = side_by_side(strips, 0.0)
    assert begins[-1] == len(joint)
    for alone, begin, end in zip(strips, begins, begins[1:], strict=False):
        some, expected = joint.some(begin, end), alone.between(0.0)
        assert some.lower.tolist() == expected.lower.tolist()
        assert some.upper.tolist() == expected.upper.tolist()
        assert some.below.tolist() == expected.below.tolist()


def test_rows_divided_again_and_again_keep_readable_shares() -> None:
    weight: Weight = 1
    for known in range(3, 203, 2):
        branches: list[Rows] = [[(1, known)], [(2, 2)]]
        share_out(branches, [(0, weight)])
        weight = branches[0][-1][1]
        assert branches[0][-1][1] + branches[1][-1][1] <= 1
    assert isinstance(weight, Fraction)
    assert weight.denominator <= FINEST
