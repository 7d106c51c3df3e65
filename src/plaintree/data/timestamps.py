"""Dates, times and durations as numbers of microseconds, and back.

Timestamps count from 1970 (UTC, also where a value names no timezone), times of day from midnight.
Numbers between two microseconds are rounded down.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from math import floor, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.errors import TableError

from .schema import Unit

TIMESTAMPS: tuple[Unit, ...] = ("date", "datetime")
"""Units whose numbers are microseconds since 1970."""
TEMPORAL: tuple[Unit, ...] = (*TIMESTAMPS, "time", "duration")
"""Units whose numbers are microseconds."""
DAY = 86_400_000_000
"""The microseconds of a day."""

COARSE = ("Y", "M", "W", "D", "h", "m", "s", "ms")
"""Units of numpy whose values may have too many microseconds for 64 bits."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


# -------------------------------------------------------------------- to numbers


def number_of(value: Any) -> float:
    """The number of one date, time or duration, of Python or of numpy.

    >>> number_of(datetime(1970, 1, 2)) == DAY, number_of(time(0, 0, 1))
    (True, 1000000.0)
    """
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return float(numbers_of(np.array([value]))[0])
    if isinstance(value, datetime):
        aware = value if value.tzinfo else value.replace(tzinfo=UTC)
        return float((aware - _EPOCH) // _MICROSECOND)
    if isinstance(value, date):
        return float((value - _EPOCH.date()) // _MICROSECOND)
    if isinstance(value, time):
        seconds = (value.hour * 60 + value.minute) * 60 + value.second
        return float(seconds * 1_000_000 + value.microsecond)
    return float(value // _MICROSECOND)


def numbers_of(values: NDArray[Any]) -> NDArray[np.float64]:
    """The numbers of an array of datetime64 or timedelta64; NaN for NaT."""
    microseconds = values.astype(f"{values.dtype.kind}8[us]")
    if (
        np.datetime_data(values.dtype)[0] in COARSE
        and ((microseconds.astype(values.dtype) != values) & ~np.isnat(values)).any()
    ):
        raise TableError(
            "a timestamp or duration is out of range",
            got=f"more microseconds than 64 bits hold, as {values.dtype}",
            hint="correct the values, or turn them into plain numbers.",
        )
    numbers = microseconds.view(np.int64).astype(np.float64)
    numbers[np.isnat(microseconds)] = np.nan
    return numbers


# -------------------------------------------------------------------- from numbers


def timestamp_of(number: float) -> datetime | None:
    """The timestamp (UTC, without timezone) of a number; None beyond the years 1 to 9999.

    >>> timestamp_of(1.5 * DAY), timestamp_of(1e300)
    (datetime.datetime(1970, 1, 2, 12, 0), None)
    """
    duration = duration_of(number)
    if duration is None:
        return None
    try:
        return (_EPOCH + duration).replace(tzinfo=None)
    except OverflowError:
        return None


def duration_of(number: float) -> timedelta | None:
    """The duration of a number; None for more than a timedelta can hold."""
    if not isfinite(number):
        return None
    try:
        return timedelta(microseconds=floor(number))
    except OverflowError:
        return None


def timestamps_of(numbers: NDArray[Any]) -> NDArray[np.datetime64]:
    """The timestamps of an array of numbers, none of them missing."""
    return numbers.astype(np.int64).astype("M8[us]")
