"""Duplicate rows and columns that leak the class are warned of, with their effect."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl
import pytest

from plaintree.app.study.inspect import inspect_table

DISTINCT = pl.DataFrame({"x": [i * 0.37 for i in range(200)], "y": ["a", "b"] * 100})


def warnings_of(frame: pl.DataFrame) -> str:
    return " | ".join(map(str, inspect_table(frame, "table", "y").warnings))


def test_duplicates_are_warned_of_with_their_effect() -> None:
    frame = pl.concat([DISTINCT, DISTINCT])
    assert "400 rows have duplicates: in 10-fold cross-validation about 90%" in warnings_of(frame)


def test_a_column_that_gives_the_class_away_is_named() -> None:
    leaking = DISTINCT.with_columns(code=pl.Series(["p", "q"] * 100))
    assert "code (100.0%): predicts the class alone" in warnings_of(leaking)
    assert "leave it out with drop=['code']" in warnings_of(leaking)


def test_a_table_without_either_is_not_warned_of() -> None:
    assert "cross-validation" not in warnings_of(DISTINCT)


def test_an_identifier_does_not_hide_duplicates() -> None:
    frame = pl.concat([DISTINCT, DISTINCT]).with_columns(id=pl.Series(range(400)))
    assert "400 rows have duplicates" in warnings_of(frame)


def test_what_makes_accuracy_biased_is_said() -> None:
    assert "accuracy is biased upwards" in warnings_of(pl.concat([DISTINCT, DISTINCT]))
    told = warnings_of(DISTINCT.with_columns(id=pl.Series(range(200))))
    assert "splits on it do not generalise and bias the training accuracy upwards" in told


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("row", range(200)),
        ("shuffled", [i * 77 % 200 for i in range(200)]),
        ("customer_id", [i * i * 7919 % 1_000_003 for i in range(200)]),
        ("customerId", [i * i * 7919 % 1_000_003 for i in range(200)]),
        ("code", [f"{i * i * 7919 % 1_000_003:07}" for i in range(200)]),
    ],
)
def test_identifiers_are_recognised(name: str, values: Iterable[int | str]) -> None:
    frame = DISTINCT.with_columns(pl.Series(name, values))
    assert f"{name}: row identifier" in warnings_of(frame)


@pytest.mark.parametrize("name", ["price", "paid", "casino"])
def test_measurements_that_all_differ_are_no_identifiers(name: str) -> None:
    frame = DISTINCT.with_columns(pl.Series(name, [i * i * 7919 % 1_000_003 for i in range(200)]))
    assert "row identifier" not in warnings_of(frame)
