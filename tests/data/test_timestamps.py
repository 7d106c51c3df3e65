"""Dates, times and durations are numbers of microseconds, and come back as they were."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaintree.data.schema import Feature
from plaintree.data.timestamps import (
    DAY,
    duration_of,
    number_of,
    numbers_of,
    timestamp_of,
    timestamps_of,
)
from plaintree.data.words import format_value
from plaintree.rules.regions import as_written

RECENT = st.datetimes(datetime(1800, 1, 1), datetime(2200, 1, 1))  # float64 has every microsecond


@given(RECENT)
def test_a_timestamp_there_and_back(timestamp: datetime) -> None:
    number = number_of(timestamp)
    assert timestamp_of(number) == timestamp
    assert timestamps_of(np.array([number]))[0] == np.datetime64(timestamp)
    assert numbers_of(np.array([timestamp], dtype="M8[us]"))[0] == number
    assert number_of(np.datetime64(timestamp)) == number


@given(st.timedeltas(timedelta(-90_000), timedelta(90_000)))
def test_a_duration_there_and_back(duration: timedelta) -> None:
    assert duration_of(number_of(duration)) == duration


def test_days_and_times_of_day() -> None:
    assert number_of(date(1970, 1, 3)) == 2 * DAY
    assert number_of(time(12)) == DAY / 2
    assert number_of(datetime(1970, 1, 1, 2, tzinfo=timezone(timedelta(hours=2)))) == 0
    assert number_of(datetime(1970, 1, 1, tzinfo=UTC)) == number_of(datetime(1970, 1, 1)) == 0


def test_numbers_between_microseconds_are_rounded_down() -> None:
    assert timestamp_of(-0.5) == datetime(1969, 12, 31, 23, 59, 59, 999999)
    assert duration_of(1.5) == timedelta(microseconds=1)


def test_what_is_missing_stays_missing() -> None:
    assert np.isnan(numbers_of(np.array(["NaT"], dtype="M8[D]"))).all()


@pytest.mark.parametrize("number", [inf, -inf, nan, 1e300])
def test_numbers_that_no_calendar_has(number: float) -> None:
    assert timestamp_of(number) is None
    assert duration_of(number) is None


def test_such_numbers_are_written_as_numbers() -> None:
    for unit in ("date", "datetime", "time", "duration"):
        assert format_value(Feature("x", "numeric", unit), 1e300) == "1e+300"
        assert as_written(Feature("x", "numeric", unit), 1e300) == 1e300


def test_durations_may_be_longer_than_the_calendar() -> None:
    assert timestamp_of(-1e6 * DAY) is None
    assert as_written(Feature("x", "numeric", "duration"), -1e6 * DAY) == timedelta(-1_000_000)
