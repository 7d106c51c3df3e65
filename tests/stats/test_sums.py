"""Sums of groups of rows: both forms of each criterion agree with its definition, row by row."""

from __future__ import annotations

from fractions import Fraction
from math import log
from statistics import median, pvariance
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaintree.errors import ParameterError, PlaintreeError, TableError
from plaintree.stats.exact import added
from plaintree.stats.gains import gain, variance
from plaintree.stats.number_sums import TargetWeights, half_deviance, sums_of_numbers
from plaintree.stats.sums import ClassWeights, Sums

OF_NUMBERS = ["squared_error", "absolute_error", "poisson"]
quarters = st.integers(0, 40).map(lambda n: n / 4)
rows = st.lists(st.tuples(quarters, st.integers(1, 4)), min_size=1, max_size=12).filter(
    lambda rows: any(y for y, _ in rows)
)


def summed_up(criterion: str, some: list[tuple[float, int]]) -> tuple[Any, tuple[Any, ...]]:
    sums, codes = sums_of_numbers(criterion, [y for y, _ in some])
    return sums, sums.of(zip(codes, [w for _, w in some], strict=True))


def repeated(some: list[tuple[float, int]]) -> list[Fraction]:
    return [Fraction(y) for y, weight in some for _ in range(weight)]


@given(rows)
def test_squared_error_is_the_variance_around_the_mean(some: list[tuple[float, int]]) -> None:
    sums, counts = summed_up("squared_error", some)
    every = repeated(some)
    assert sums.weight(counts) == len(every)
    assert sums.prediction(counts) == sum(every) / len(every)
    assert sums.impurity(counts) == pvariance(every)
    assert sums.is_pure(counts) == (len(set(every)) == 1)


@given(rows)
def test_absolute_error_is_the_mean_deviation_from_the_median(
    some: list[tuple[float, int]],
) -> None:
    sums, counts = summed_up("absolute_error", some)
    every = repeated(some)
    middle = median(every)
    assert sums.prediction(counts) == middle
    assert sums.impurity(counts) == sum(abs(y - middle) for y in every) / len(every)


@given(rows)
def test_deviance_is_the_mean_of_y_log_y_over_the_mean(some: list[tuple[float, int]]) -> None:
    sums, counts = summed_up("poisson", some)
    every = repeated(some)
    mean = sum(every) / len(every)
    terms = [float(y) * log(y / mean) for y in every if y]
    assert sums.prediction(counts) == mean
    assert sums.impurity(counts) == pytest.approx(sum(terms) / len(every), abs=1e-12)


@given(rows, st.data(), st.sampled_from([*OF_NUMBERS, "gini", "information_gain", "error"]))
def test_many_groups_in_floats_are_each_as_if_exact(
    some: list[tuple[float, int]], data: st.DataObject, criterion: str
) -> None:
    """What two branches leave, whichever rows are in the first."""
    sums: Sums
    if criterion in OF_NUMBERS:
        sums, codes = sums_of_numbers(criterion, [y for y, _ in some])
    else:
        sums, codes = ClassWeights(criterion, 3), [int(y) % 3 for y, _ in some]
    amounts = np.array([w for _, w in some])
    cells = sums.cells(np.array(codes), amounts)
    inside = np.array([data.draw(st.booleans()) for _ in some])
    low, whole = cells[:, inside].sum(axis=1), cells.sum(axis=1)
    parts = [tuple(low.tolist()), tuple((whole - low).tolist())]
    assert added(parts) == sums.of(zip(codes, amounts.tolist(), strict=True))
    weight = sums.weight(added(parts))
    quick = [sums.shares_left(side[:, None], whole[:, None])[0] for side in (low, whole - low)]
    exact = float(sums.left(parts, weight))
    assert sum(quick) == pytest.approx(exact, abs=1e-12)
    assert sums.quick_left(parts, weight) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("criterion", OF_NUMBERS)
@pytest.mark.parametrize("offset", [2.0**40, 1e9 + 0.1])
def test_large_targets_leave_nothing_to_rounding(criterion: str, offset: float) -> None:
    """In floats the squares of these targets have no digit left for their differences."""
    targets = [offset + i for i in (0, 1, 5, 9)]
    sums, codes = sums_of_numbers(criterion, targets)
    cells = sums.cells(np.array(codes), np.ones(4, dtype=np.int64))
    whole = cells.sum(axis=1)
    left = sums.shares_left(cells[:, :2].sum(axis=1)[:, None], whole[:, None])[0]
    exact = sums.left([sums.of([(codes[0], 1), (codes[1], 1)])], 4)
    assert left == pytest.approx(float(exact), rel=1e-6)
    assert left > 0


def test_a_number_is_taken_as_it_is_written() -> None:
    sums, _ = sums_of_numbers("squared_error", [0.1, 0.35])
    assert (sums.targets, sums.unit) == ((2, 7), 20)
    third = 1 / 3  # of 16 digits, so it is no easier to read as a decimal
    assert sums_of_numbers("squared_error", [third])[0].number(0) == Fraction(third)


def test_only_zeros_are_not_allowed_under_deviance() -> None:
    sums, _ = sums_of_numbers("poisson", [0, 3])
    assert isinstance(sums, TargetWeights)
    assert [sums.allows(counts) for counts in ((2, 0), (2, 1), (0, 0))] == [False, True, True]
    groups = np.array([[2, 2, 0], [0, 1, 0]])
    assert sums.all_allow(groups).tolist() == [False, True, True]


@given(st.floats(-1, 10, exclude_min=True))
def test_half_deviance_is_not_below_zero(x: float) -> None:
    assert half_deviance(x) >= 0
    if abs(x) > 1e-2:
        assert half_deviance(x) == pytest.approx((1 + x) * log(1 + x) - x)


class TestGains:
    def test_by_hand(self) -> None:
        hours, score = np.array([1, 2, 3, 6, 7, 8]), [10, 12, 11, 30, 31, 32]
        side = hours <= 4.5
        assert gain(side, score, criterion="squared_error") == 100
        assert gain(side, score, criterion="absolute_error") == pytest.approx(28 / 3)
        deviance = sum(y * log(y / 21) - y * log(y / (11 if y < 20 else 31)) for y in score) / 6
        assert gain(side, score, criterion="poisson") == pytest.approx(deviance)

    def test_of_classes(self) -> None:
        assert gain(list("aabb"), list("xxyy"), criterion="information_gain") == 1
        assert gain(list("aabb"), list("xxyy"), criterion="gini") == 0.5
        assert gain(list("aabb"), list("xxxy"), criterion="error") == 0

    def test_the_variance_of_large_numbers(self) -> None:
        assert variance([1e15 + 1, 1e15 + 3]) == 1

    @pytest.mark.parametrize("wrong", ["x", None, float("nan"), float("inf"), True])
    def test_numbers_are_finite(self, wrong: Any) -> None:
        with pytest.raises(TableError, match="'squared_error' needs finite numbers"):
            variance([1, wrong])

    def test_counts_are_not_below_zero(self) -> None:
        with pytest.raises(TableError, match="needs finite numbers from 0 upwards"):
            gain([1, 2], [1, -1], criterion="poisson")

    def test_an_unknown_criterion(self) -> None:
        with pytest.raises(ParameterError, match="criterion has a value that is not allowed"):
            gain([1, 2], [1, 2], criterion="gain_ratio")

    def test_columns_of_different_lengths(self) -> None:
        with pytest.raises(PlaintreeError, match="x and y must have the same length"):
            gain([1], [1, 2], criterion="squared_error")
