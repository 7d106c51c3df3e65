"""Conditions route rows to branches and describe their branches in words."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from plaintree.data.schema import MISSING, UNSEEN, Feature, Schema
from plaintree.data.words import format_number, format_value
from plaintree.tree.condition import Condition, Equals, Multiway, Subset, Threshold

SCHEMA = Schema(
    features=(
        Feature("age", "numeric"),
        Feature("color", "categorical", "text", ("red", "green", "blue")),
        Feature("size", "ordered", "text", ("small", "middle", "large")),
        Feature("born", "numeric", "date"),
    ),
    classes=("no", "yes"),
)
CODES = np.array([0, 1, 2, MISSING, UNSEEN], dtype=np.int32)


def microseconds(*moment: int) -> float:
    return datetime(*moment, tzinfo=UTC).timestamp() * 1e6  # type: ignore[arg-type, misc]


@pytest.mark.parametrize(
    ("condition", "branches"),
    [
        (Multiway(1, 3), [0, 1, 2, MISSING, UNSEEN]),
        (Equals(1, 1), [1, 0, 1, MISSING, UNSEEN]),
        (Subset(1, (0, 2)), [0, 1, 0, MISSING, UNSEEN]),
    ],
)
def test_categories_go_to_their_branch_and_others_nowhere(
    condition: Condition, branches: list[int]
) -> None:
    assert condition.route(CODES).tolist() == branches


def test_a_value_equal_to_the_threshold_goes_to_the_first_branch() -> None:
    column = np.array([1.0, 2.0, 2.5, np.nan, -np.inf, np.inf])
    assert Threshold(0, 2.0).route(column).tolist() == [0, 0, 1, MISSING, 0, 1]


def test_an_infinite_threshold_sends_every_known_value_to_the_first_branch() -> None:
    column = np.array([1.0, np.inf, np.nan])
    assert Threshold(0, np.inf).route(column).tolist() == [0, 0, MISSING]


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        (Threshold(0, 2.45), ["age <= 2.45", "age > 2.45", "age is missing"]),
        (Threshold(2, 0.5), ["size <= small", "size > small", "size is missing"]),
        (Threshold(3, microseconds(2024, 2, 29)), ["born <= 2024-02-29", "born > 2024-02-29",
                                                    "born is missing"]),
        (Multiway(1, 3), ["color = red", "color = green", "color = blue", "color is missing"]),
        (Equals(1, 0), ["color = red", "color != red", "color is missing"]),
        (Subset(1, (2,)), ["color = blue", "color != blue", "color is missing"]),
        (Subset(1, (0, 2)), ["color in {red, blue}", "color not in {red, blue}",
                             "color is missing"]),
    ],
)  # fmt: skip
def test_branches_are_described_in_words(condition: Condition, words: list[str]) -> None:
    described = [condition.describe(SCHEMA, branch) for branch in range(condition.n_branches + 1)]
    assert described == words


def test_conditions_are_equal_by_what_they_test() -> None:
    assert Subset(1, (0, 2)) == Subset(1, (0, 2))
    assert len({Threshold(0, 1.0), Threshold(0, 1.0), Threshold(0, 2.0), Equals(0, 1)}) == 3


@pytest.mark.parametrize(
    ("value", "text"),
    [(3.0, "3"), (2.45, "2.45"), (1 / 3, "0.3333333"), (-0.5, "-0.5"), (1e20, "1e+20"),
     (float("inf"), "inf"), (float("nan"), "?"), (1e-7, "1e-07"),
     (0.000012345678, "1.2345678e-05"), (12345.678, "12345.678"), (0.1 + 0.2, "0.3")],
)  # fmt: skip
def test_numbers_are_written_short(value: float, text: str) -> None:
    assert format_number(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(99999.99, "99999.99"), (100000.015, "100000.01"),
     (123456.789, "123456.8"), (-1234567.5, "-1234567.5"),
     (1000000000.5, "1000000000.5"), (1234567890123456.5, "1234567890123456.5"),
     (9007199254740991.0, "9007199254740991"), (1700000000123456768.0, "1.7000000001234568e+18"),
     (1e300, "1e+300")],
)  # fmt: skip
def test_numbers_keep_all_their_whole_digits(value: float, text: str) -> None:
    assert format_number(value) == format_number(np.float64(value)) == text


@pytest.mark.parametrize(
    ("unit", "value", "text"),
    [
        ("date", microseconds(1969, 12, 31), "1969-12-31"),
        ("datetime", microseconds(2024, 1, 2, 3, 4, 5), "2024-01-02 03:04:05"),
        ("datetime", microseconds(2024, 1, 2), "2024-01-02"),
        ("time", microseconds(1970, 1, 1, 13, 30), "13:30:00"),
        ("duration", 90e6, "0:01:30"),
        ("date", float("inf"), "inf"),
        ("date", 1e19, "1e+19"),
    ],
)
def test_dates_and_times_are_written_as_such(unit: str, value: float, text: str) -> None:
    attribute = Feature("when", "numeric", unit)  # type: ignore[arg-type]
    assert format_value(attribute, value) == text


@pytest.mark.parametrize(("value", "text"), [(-1.0, "small"), (1.5, "middle"), (9.0, "large")])
def test_an_ordered_value_is_the_last_category_not_above_it(value: float, text: str) -> None:
    assert format_value(SCHEMA.features[2], value) == text
