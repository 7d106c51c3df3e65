"""Duplicate rows and columns that leak the class are warned of, with their effect."""

from __future__ import annotations

import polars as pl

from plaintree.app.study.look import look_at

DISTINCT = pl.DataFrame({"x": [i * 0.37 for i in range(200)], "y": ["a", "b"] * 100})


def warnings_of(frame: pl.DataFrame) -> str:
    return " | ".join(map(str, look_at(frame, "table", "y").warnings))


def test_duplicates_are_warned_of_with_their_effect() -> None:
    frame = pl.concat([DISTINCT, DISTINCT])
    assert "400 rows have duplicates: in 10-fold cross-validation about 90%" in warnings_of(frame)


def test_a_column_that_gives_the_class_away_is_named() -> None:
    leaking = DISTINCT.with_columns(code=pl.Series(["p", "q"] * 100))
    assert "leave them out (drop): code (100.0%)" in warnings_of(leaking)


def test_a_table_without_either_is_not_warned_of() -> None:
    assert "cross-validation" not in warnings_of(DISTINCT)
