"""Columns of Python objects and moments: what they are all of decides what the column is."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaintree.data.column import declared_column, object_column
from tests.support.column_values import column, decoded, numbers

DAY = 86_400_000_000.0


class TestMoments:
    NOON = datetime(1970, 1, 2, 12)

    @pytest.mark.parametrize(
        ("values", "unit", "expected"),
        [
            ([date(1970, 1, 2), None], "date", DAY),
            ([NOON, None], "datetime", 1.5 * DAY),
            ([time(6), None], "time", DAY / 4),
            ([timedelta(days=-2), None], "duration", -2 * DAY),
        ],
    )
    def test_are_microseconds(self, values: list[Any], unit: str, expected: float) -> None:
        for X in ({"a": values}, pl.DataFrame({"a": values}), pa.table({"a": values}),
                  pd.DataFrame({"a": pd.Series(values, dtype=object)})):  # fmt: skip
            c = column(X)
            assert (c.kind, c.unit) == ("numeric", unit)
            assert numbers(c) == [expected, None]

    @pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
    def test_of_any_precision(self, unit: str) -> None:
        values = np.array(["1970-01-02T12", "NaT"], dtype=f"M8[{unit}]")
        for X in ({"a": values}, pd.DataFrame({"a": values})):
            c = column(X)
            assert c.unit == "datetime"
            assert numbers(c) == [1.5 * DAY, None]
        assert numbers(column({"a": values - values[0]})) == [0, None]

    def test_numpy_days_are_dates(self) -> None:
        assert column({"a": np.array(["1970-01-02"], dtype="M8[D]")}).unit == "date"

    def test_with_timezone_are_utc(self) -> None:
        local = self.NOON.replace(tzinfo=timezone(timedelta(hours=2)))
        utc = local.astimezone(UTC)
        for X in ({"a": [local]}, pd.DataFrame({"a": [local]}), pl.DataFrame({"a": [utc]})):
            assert numbers(column(X)) == [1.5 * DAY - DAY / 12]

    def test_before_1970_are_negative(self) -> None:
        assert numbers(column({"a": [date(1969, 12, 31)]})) == [-DAY]


class TestObjects:
    @pytest.mark.parametrize("gap", [None, float("nan"), np.nan, pd.NA, pd.NaT])
    @pytest.mark.parametrize("value", ["x", True, 1.5, 2, Decimal("2.5"), date(2020, 1, 1)])
    def test_gaps_of_every_sort(self, value: Any, gap: Any) -> None:
        c = column({"a": [value, gap]})
        present = c.values >= 0
        assert present.tolist() == [True, False]

    def test_numbers_of_several_sorts_are_numbers(self) -> None:
        c = column({"a": [1, 2.5, Decimal("3.5"), np.float32(4), None]})
        assert c.kind == "numeric"
        assert numbers(c) == [1, 2.5, 3.5, 4, None]

    def test_whole_numbers_are_of_unit_integer(self) -> None:
        assert column({"a": [1, None]}).unit == "integer"
        assert column({"a": [1.5]}).unit == "number"

    @pytest.mark.parametrize("gap", [[], [None]])
    @pytest.mark.parametrize("large", [2**53 + 1, 2**63 + 1, -(2**53) - 1, 2**70 + 1])
    def test_large_integers_are_kept_beside_the_nearest_floats(
        self, large: int, gap: list[None]
    ) -> None:
        makes: list[Any] = [{"a": [large, 1, *gap]}]
        if large < 2**64:
            dtype = "UInt64" if large >= 2**63 else "Int64"
            makes += [
                pd.DataFrame({"a": pd.array([large, 1, *gap], dtype=dtype)}),
                pd.DataFrame({"a": pd.Series([large, 1, *gap], dtype=object)}),
                pl.DataFrame({"a": [large, 1, *gap]}, schema={"a": getattr(pl, dtype)}),
                pa.table({"a": pa.array([large, 1, *gap], getattr(pa, dtype.lower())())}),
            ]
        else:
            makes.append(pl.DataFrame({"a": [large, 1, *gap]}, schema={"a": pl.Int128}))
        for X in makes:
            c = column(X)
            assert c.exact.tolist()[:2] == [large, 1]
            assert numbers(c) == [float(large), 1, *gap]
            assert (c.kind, c.unit) == ("numeric", "integer")

    def test_mixtures_are_text(self) -> None:
        assert column({"a": [1, "2", "b", None]}).labels == ("1", "2", "b")
        assert column({"a": [date(2020, 1, 2), "x"]}).labels == ("2020-01-02", "x")

    def test_nothing_but_gaps_is_numeric(self) -> None:
        assert numbers(column({"a": [None, None]})) == [None, None]
        assert numbers(column(pl.DataFrame({"a": [None]}))) == [None]

    def test_decimals_are_numbers(self) -> None:
        values = [Decimal("1.5"), None]
        for X in (pl.DataFrame({"a": values}), pa.table({"a": values})):
            assert numbers(column(X)) == [1.5, None]

    @given(st.lists(st.none() | st.text(max_size=3), min_size=1))
    def test_every_make_reads_text_alike(self, texts: list[str | None]) -> None:
        assert decoded(column({"a": [*texts, "x"]})) == [*texts, "x"]
        for X in (pl.DataFrame({"a": [*texts, "x"]}), pd.DataFrame({"a": [*texts, "x"]})):
            assert decoded(column(X)) == [*texts, "x"]


@pytest.mark.parametrize(
    "values",
    [[1.5, None, -1.0], ["a", None, "b"], [True, None, False], [date(2020, 1, 1), None, date.min]],
)
def test_missing_values_of_a_column(values: list[Any]) -> None:
    assert object_column("x", values).missing.tolist() == [False, True, False]


def test_missing_values_of_ordered_categories() -> None:
    column = declared_column("x", np.array([1, -1, 0]), ["low", "high"], ordered=True)
    assert column.missing.tolist() == [False, True, False]
