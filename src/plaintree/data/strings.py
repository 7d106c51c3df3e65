"""Conversion of strings to numbers, booleans, dates and times.

Every function returns a column with null for a string of another type, so the caller decides
whether the column is text (infer.py) or the value is an error (typed_rows.py, read_as).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import polars as pl
from polars.datatypes.group import FLOAT_DTYPES, INTEGER_DTYPES

from plaintree.errors import ColumnError, ParameterError, nearest, not_allowed, row_name

from .column import FALSE, TRUE

DateOrder = Literal["day-first", "month-first"]
ORDERS: tuple[DateOrder, ...] = ("day-first", "month-first")
"""The orders of dates such as 03/04/2021; the first is taken where both are possible."""
KINDS = ("text", "number", "integer", "boolean", "date", "datetime", "time")
"""Types that a column of strings may be declared as."""

_MEANT = {
    "number": "a number",
    "integer": "a 64-bit integer",
    "boolean": "a boolean",
    "date": "a date",
    "datetime": "a date and time",
    "time": "a time",
    "timestamp": "a date",
}
_YEAR_LAST = r"^\d{1,2}[/.-]\d{1,2}[/.-](?:\d{4}|\d{2})(?:[^\d/.-].*)?$"
_YEAR_FIRST = r"^\d{4}[/.-]\d{1,2}[/.-]\d{1,2}(?:\D.*)?$"
_TIME = r"^\d{1,2}:\d{2}(?::.*)?$"
_YEAR = r"^(\d+[/.-]\d+[/.-])({})(\D.*|)$"
_CENTURIES = {"20": _YEAR.format(r"[0-5]\d|6[0-8]"), "19": _YEAR.format(r"69|[7-9]\d")}
_OF_KIND: dict[str, tuple[Any, ...]] = {
    "text": (pl.String, pl.Enum, pl.Categorical),
    "number": tuple(FLOAT_DTYPES | INTEGER_DTYPES),
    "integer": tuple(INTEGER_DTYPES),
    "boolean": (pl.Boolean,),
    "date": (pl.Date,),
    "datetime": (pl.Datetime,),
    "time": (pl.Time,),
    "timestamp": (pl.Date, pl.Datetime),
}
"""The types of polars that are of a kind; a timestamp is a date with or without a time."""
LONGEST = 40
"""Length of the longest string that may be a date or a time."""


@dataclass(frozen=True)
class ReadOptions:
    """Options for the conversion of strings in a file.

    ``missing_values`` are strings that mean a missing value, ``types`` the kinds of columns by
    name, ``dates`` the order of day and month where the year is last. ``known`` are kinds as well,
    for columns that the file may lack: those of a model or of another table. Of these, columns
    that are not ``needed`` (None: all are) remain text if they have a value of another kind.
    ``from_training``: the strings that mean a missing value are those of a model's training.
    ``tell_unused``: whether to tell of strings that should mean a missing value but do not occur.
    """

    missing_values: Sequence[str] = ()
    types: Mapping[str, str] = field(default_factory=dict)
    dates: DateOrder | None = None
    known: Mapping[str, str] = field(default_factory=dict)
    needed: Collection[str] | None = None
    from_training: bool = False
    tell_unused: bool = False

    def __post_init__(self) -> None:
        if self.dates is not None and self.dates not in ORDERS:
            raise not_allowed("dates", self.dates, ORDERS)
        if not isinstance(self.types, Mapping):
            raise ParameterError(
                "types is not a mapping of column names to kinds",
                got=f"an object of type {type(self.types).__name__}",
                hint='write types={"zip": "text"}.',
            )
        for name, kind in self.types.items():
            if kind not in KINDS:
                raise ParameterError(
                    "there is no such type of column",
                    got=f"types={name}={kind}",
                    hint=nearest(kind, KINDS) or f"use one of {', '.join(KINDS)}.",
                )

    def with_training(self, missing_values: Sequence[str]) -> ReadOptions:
        """The same options, with the strings of a model's training unless others were given."""
        if self.missing_values or not missing_values:
            return self
        return replace(self, missing_values=missing_values, from_training=True)

    def is_needed(self, name: str) -> bool:
        """Whether a value of another kind than that of the column is an error."""
        return self.needed is None or name in self.needed or name in self.types

    def kinds(self, columns: Sequence[str]) -> dict[str, str]:
        """The kinds that are declared for some of the columns; a misspelt name is an error."""
        present = set(columns)
        for name in self.types:
            if name not in present:
                raise ParameterError(
                    "the table has no such column",
                    got=f"types={name}={self.types[name]}",
                    hint=nearest(name, columns)
                    or f"the columns are {', '.join(map(repr, columns[:10]))}.",
                )
        return {name: kind for name, kind in self.known.items() if name in present} | dict(
            self.types
        )


def count_from_training(frame: pl.DataFrame, options: ReadOptions) -> int:
    """The number of values that are missing only because they were in a model's training."""
    if not options.from_training:
        return 0
    texts = [c for c in frame.get_columns() if c.dtype == pl.String and options.is_needed(c.name)]
    return sum(int(c.str.strip_chars().is_in(options.missing_values).sum()) for c in texts)


def unused_marks(frame: pl.DataFrame, options: ReadOptions) -> list[str]:
    """The strings for a missing value that no value of the table is, if they are to be reported."""
    left = list(dict.fromkeys(options.missing_values)) if options.tell_unused else []
    for column in frame.iter_columns():
        if not left:
            break
        bare = column.str.strip_chars()
        found = set(bare.filter(bare.is_in(left)).unique())
        left = [mark for mark in left if mark not in found]
    return left


def trimmed(strings: pl.Series, missing_values: Sequence[str] = ()) -> pl.Series:
    """Strip spaces around strings; null for empty ones and for those that mean a missing value."""
    bare = strings.str.strip_chars()
    missing = bare.is_in(["", *missing_values])
    return bare.set(missing, None) if missing.any() else bare


# -------------------------------------------------------------------- numbers and booleans


def numbers_in(texts: pl.Series, *, decimal_comma: bool = False) -> pl.Series:
    """Convert strings to float64, null if not a number; comma and point are never mixed."""
    if decimal_comma and not texts.str.contains(".", literal=True).any():
        texts = with_points(texts)
    return texts.cast(pl.Float64, strict=False)


def with_points(texts: pl.Series) -> pl.Series:
    """Numbers with decimal commas written with points."""
    return texts.str.replace(r"^([+-]?\d*),(\d+)$", "${1}.${2}")


def booleans_in(texts: pl.Series) -> pl.Series:
    """Convert strings to booleans, in any of their usual spellings."""
    spelt = texts.str.to_lowercase()
    true = spelt.is_in(TRUE)
    return true.set(~true & ~spelt.is_in(FALSE), None)


# -------------------------------------------------------------------- dates and times


@dataclass(frozen=True, eq=False)
class Timestamps:
    """Strings converted to dates, datetimes or times of day.

    ``order`` is that of day and month, None if they have none. ``decided``: no other order
    fits. ``short_years``: the years have two digits.
    """

    values: pl.Series
    order: DateOrder | None = None
    decided: bool = True
    short_years: bool = False


def timestamps_in(
    texts: pl.Series, order: DateOrder | None = None, *, declared: bool = False
) -> Timestamps | None:
    """Convert strings to dates or times; None if they do not look like them.

    The first one decides the pattern. The order of day and month is decided by all of them: no
    month is above 12. Years of two digits lie between 1969 and 2068, as POSIX has it; they are
    read where slashes separate, or where the column is ``declared`` as dates, since 10.12.11
    may be the number of a version.

    >>> timestamps_in(pl.Series(["3/4/21", "3/25/21"])).values.to_list()
    [datetime.date(2021, 3, 4), datetime.date(2021, 3, 25)]
    """
    present = texts.drop_nulls()
    first = str(present[0]) if len(present) else ""
    if not looks_like_timestamp(first):
        return None
    if not re.match(_YEAR_LAST, first):
        pattern = _TIME if re.match(_TIME, first) else _YEAR_FIRST
        texts = texts.set(~texts.str.contains(pattern), None)
        return _parsed(texts, first)
    return _year_last(texts.set(~texts.str.contains(_YEAR_LAST), None), first, order, declared)


def _year_last(
    texts: pl.Series, first: str, order: DateOrder | None, declared: bool
) -> Timestamps | None:
    """Convert strings that have the year last, or are null."""
    short = bool(re.match(r"^\d+[/.-]\d+[/.-]\d\d(?!\d)", first))
    if short and not declared and "/" not in first:
        return None
    years = texts.str.extract(r"^\d+[/.-]\d+[/.-](\d+)").str.len_bytes()
    texts = texts.set(years != (2 if short else 4), None)
    if short:
        for century, pattern in _CENTURIES.items():
            texts = texts.str.replace(pattern, f"${{1}}{century}${{2}}${{3}}")
    possible = _fitting(texts, first)
    taken = order or (possible or ORDERS)[0]
    if taken == "month-first":
        texts = texts.str.replace(r"^(\d+)([/.-])(\d+)", "${3}${2}${1}")
    found = _parsed(texts, next(iter(texts.drop_nulls()), ""))
    decided = order is not None or len(possible) == 1
    return found and replace(found, order=taken, decided=decided, short_years=short)


def looks_like_timestamp(first: str) -> bool:
    """Whether a column with this first value may have dates or times."""
    pattern = rf"{_YEAR_LAST}|{_YEAR_FIRST}|{_TIME}"
    return len(first) <= LONGEST and re.match(pattern, first) is not None


def fitting_orders(texts: pl.Series, first: str) -> list[DateOrder]:
    """The orders of day and month that fit all dates of a column with this first value."""
    if not re.match(_YEAR_LAST, first):
        return list(ORDERS)
    return _fitting(texts.set(~texts.str.contains(_YEAR_LAST), None), first)


def _fitting(texts: pl.Series, first: str) -> list[DateOrder]:
    """The orders that fit strings that have the year last, or are null."""
    fits_day_first, fits_month_first = (
        bool((texts.str.extract(pattern).cast(pl.Int16) <= 12).all())
        for pattern in (r"^\d+[/.-](\d+)", r"^(\d+)")
    )
    # 3.4.2021 is the fourth month wherever points separate.
    fits_month_first = fits_month_first and "." not in first[:3]
    fits = (fits_day_first, fits_month_first)
    return [order for order, is_fit in zip(ORDERS, fits, strict=True) if is_fit]


def _parsed(texts: pl.Series, first: str) -> Timestamps | None:
    """Convert strings with polars: a date with the year last is day-first."""
    try:  # polars recognises patterns, and raises for strings without one
        if re.match(_TIME, first):
            return Timestamps(texts.str.to_time(strict=False))
        if re.fullmatch(r"[0-9/.-]+", first):
            return Timestamps(texts.str.to_date(strict=False))
        return Timestamps(texts.str.to_datetime(time_unit="us", strict=False))
    except pl.exceptions.PolarsError:
        return None


# -------------------------------------------------------------------- declared kinds


def read_as(
    column: pl.Series,
    kind: str,
    order: DateOrder | None = None,
    *,
    decimal_comma: bool = False,
    first_row: int = 0,
    needed: bool = True,
) -> tuple[pl.Series, Timestamps | None]:
    """Convert a column to its declared type, and return the findings about its dates.

    A value of another type is an error; ``first_row`` is the number of the first row. A column
    that is not ``needed`` remains text then.
    """
    if column.dtype in _OF_KIND[kind]:
        return column, None
    texts = column if column.dtype == pl.String else column.cast(pl.String)
    found: Timestamps | None = None
    typed: pl.Series
    match kind:
        case "text":
            return texts, None
        case "number":
            typed = numbers_in(texts, decimal_comma=decimal_comma)
        case "integer":
            typed = texts.cast(pl.Int64, strict=False)
        case "boolean":
            typed = booleans_in(texts)
        case _:
            found = timestamps_in(texts, order, declared=True)
            typed = _of_kind(found, kind, texts)
    wrong = (typed.is_null() & texts.is_not_null()).arg_true()
    if len(wrong) and not needed:
        return texts, None
    if len(wrong):
        value = repr(texts[wrong[0]])
        raise ColumnError(
            f"column {column.name!r} has a value that is not {_MEANT[kind]}",
            got=f"{value} in {row_name(first_row + wrong[0])}",
            hint=f"correct it; if it means a missing value, add missing_values={value}.",
        )
    return typed.alias(column.name), found


def _of_kind(found: Timestamps | None, kind: str, texts: pl.Series) -> pl.Series:
    """The timestamps if they are of a kind; a date is the datetime of its midnight."""
    wanted = _OF_KIND[kind]
    if found is not None and found.values.dtype in wanted:
        return found.values
    if found is not None and kind == "datetime" and found.values.dtype == pl.Date:
        return found.values.cast(pl.Datetime("us"))
    return pl.Series(texts.name, [None] * len(texts), dtype=wanted[0])
