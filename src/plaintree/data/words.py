"""Formatting of names, values, weights and lines for text output."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import time
from math import floor, isnan
from numbers import Integral
from shutil import get_terminal_size
from typing import Any
from unicodedata import combining, east_asian_width

from plaintree.errors import ParameterError

from .schema import Feature, Schema
from .timestamps import TEMPORAL, duration_of, timestamp_of

AMBIGUOUS = frozenset(",{}")
"""Characters that lists and sets of names are written with."""
LEAST_WIDTH = 40
"""The fewest columns a tree is written in."""


def plain(value: object) -> str:
    """Format a name or label as one printable line; quoted where it would be ambiguous."""
    text = str(value)
    if not text.isprintable():
        text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    if not text or text != text.strip() or not AMBIGUOUS.isdisjoint(text):
        return f'"{text}"'
    return text


def shown_schema(schema: Schema, *, ascii: bool = False) -> Schema:
    """The schema with every name and label made :func:`plain`, for conditions to describe with."""
    found = schema._shown.get(ascii)
    if found is None:
        found = schema._shown[ascii] = _all_plain(schema, ascii=ascii)
    return found


def _all_plain(schema: Schema, *, ascii: bool) -> Schema:
    def shown(value: object) -> str:
        return plain(value).encode("ascii", "backslashreplace").decode() if ascii else plain(value)

    attributes = tuple(
        replace(a, name=shown(a.name), categories=tuple(map(shown, a.categories)))
        for a in schema.features
    )
    return Schema(attributes, tuple(map(shown, schema.classes)), shown(schema.target))


def number_text(number: float) -> str:
    """A predicted number, rounded to four significant digits; integers are not rounded.

    >>> number_text(2345678.0), number_text(2.34567), number_text(-0.0)
    ('2345678', '2.346', '0')
    """
    if abs(number) < 1e15 and number == round(number):
        return f"{number:.0f}".replace("-0", "0") if number == 0 else f"{number:.0f}"
    return f"{number:.4g}"


def prediction_text(schema: Schema, prediction: Any) -> str:
    """A predicted class of a schema, or a predicted number if its target is numeric.

    >>> classes, numbers = Schema((), ("2.34567", "b")), Schema((), ())
    >>> prediction_text(classes, "2.34567"), prediction_text(numbers, 2.34567)
    ('2.34567', '2.346')
    """
    return plain(prediction) if schema.classes else number_text(prediction)


def weight_text(weight: float) -> str:
    """A weight as a person writes it: 12, 12.5, 3.33; two digits of one below 0.1."""
    if float(weight).is_integer() or abs(weight) >= 1e6:
        return format_number(weight)
    if abs(weight) < 0.1:
        return f"{weight:.2g}"
    return f"{weight:.2f}".rstrip("0").rstrip(".")


def line_width(width: int | None) -> int:
    """Return the width to write in: as given, or the terminal's, or 100 without a terminal."""
    if width is None:
        return max(LEAST_WIDTH, get_terminal_size(fallback=(100, 24)).columns)
    if isinstance(width, bool) or not isinstance(width, Integral) or width < LEAST_WIDTH:
        raise ParameterError(
            "width is not a number of columns a tree fits in",
            got=f"width={width!r}",
            hint=f"use an integer from {LEAST_WIDTH}, or leave it out to use the terminal's width.",
        )
    return int(width)


def cells(text: str) -> int:
    """Return the width of a string in a terminal: East Asian characters take two columns."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def wrapped(words: Iterable[str], width: int, lead: str = "", rest: str = "") -> Iterator[str]:
    """Words on as many lines as they need: the first begins with ``lead``, the others with
    ``rest``. An empty word is one more space, left out where a line ends. A word wider than a
    line is not broken.
    """
    line, used, fresh = lead, cells(lead), True
    for word in words:
        if not fresh and used + 1 + cells(word) > width:
            yield line.rstrip()
            line, used, fresh = rest, cells(rest), True
        if fresh and not word:
            continue
        line += word if fresh else f" {word}"
        used += cells(word) + (0 if fresh else 1)
        fresh = False
    yield line.rstrip()


def format_value(attribute: Feature, value: float) -> str:
    """Format a number of a feature: 2.45, a date, an ordered category."""
    if attribute.kind == "ordered":
        last = len(attribute.categories) - 1
        return str(attribute.categories[min(max(floor(value), 0), last)])
    if attribute.unit not in TEMPORAL:
        return format_number(value)
    if attribute.unit == "duration":
        duration = duration_of(value)
        return format_number(value) if duration is None else str(duration)
    timestamp = timestamp_of(value)
    if timestamp is None:
        return format_number(value)
    if attribute.unit == "time":
        return timestamp.time().isoformat()
    if attribute.unit == "date" or timestamp.time() == time.min:
        return timestamp.date().isoformat()
    return timestamp.isoformat(sep=" ")


def format_number(value: float) -> str:
    """Return the shortest readable string that is exact to one part in ten million.

    At least six significant digits, and all digits before the point; no trailing zeros.

    >>> format_number(2.4500001), format_number(1234.5676), format_number(1234567.5)
    ('2.45', '1234.5676', '1234567.5')
    """
    number = float(value)
    if isnan(number):
        return "?"
    if abs(number) >= 1e16:  # all its digits are before the point
        return repr(number)
    if number.is_integer():
        return str(int(number))
    for digits in range(6, 17):
        rounded = f"{number:.{digits}g}"
        if abs(float(rounded) - number) <= 1e-7 * abs(number) and (
            abs(number) < 1e5 or ("." in rounded and "e" not in rounded)
        ):
            return rounded
    return repr(number)
