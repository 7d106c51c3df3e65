"""Columns that hold something else than they seem to: what a first look should warn about.

Texts that mean gaps, numbers that are written so that they are texts, and times of other zones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import polars as pl

from plaintree.data.doubts import Doubt, listed
from plaintree.data.texts import numbers_in
from plaintree.data.words import plain

GAP_MARKS = ("?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "Null", "null")
"""What programs write for a missing value. A word such as none may well be a category."""
MANY_NUMBERS, FEW_WORDS = 10, 3
"""Among so many different numbers, so few different words are probably not values."""

_WRITTEN_NUMBER = re.compile(r"[+-]?\d{1,3}([., '\u00a0]?\d{3})*([.,]\d+)?%?")


@dataclass(frozen=True)
class Misread:
    """Columns by what is odd about them.

    ``hindered`` would be numbers but for some words, ``marked`` hold words that often mean a gap,
    ``written`` hold numbers that are not written as such, and ``zoned`` times of a time zone.
    """

    hindered: dict[str, list[str]] = field(default_factory=dict)
    marked: dict[str, list[str]] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    zoned: list[str] = field(default_factory=list)

    @property
    def numbers(self) -> set[str]:
        """The columns that seem to be numbers, but are texts."""
        return {*self.hindered, *self.written}

    @property
    def doubts(self) -> list[Doubt]:
        """The warnings about them."""
        found = []
        if self.hindered:
            text = f"numbers but for a word, so read as text: {_words(self.hindered)}; "
            found.append(Doubt(f"{text}if these mean gaps: ", "gaps", _marks(self.hindered)))
        if self.marked:
            text = f"often means a gap: {_words(self.marked)}; if so: "
            found.append(Doubt(text, "gaps", _marks(self.marked)))
        if self.written:
            text = "numbers with commas or signs, so read as text; write them like 1234.5: "
            found.append(Doubt(text + listed(map(plain, self.written))))
        if self.zoned:
            text = "times of a time zone are read and shown as UTC: "
            found.append(Doubt(text + listed(map(plain, self.zoned))))
        return found


def misread_columns(frame: pl.DataFrame) -> Misread:
    """The columns of a file that hold something else than they seem to."""
    zoned = [name for name, kind in frame.schema.items() if getattr(kind, "time_zone", None)]
    found = Misread(zoned=zoned)
    for column in frame.get_columns():
        if column.dtype != pl.String:
            continue
        distinct = column.drop_nulls().unique()
        words = distinct.filter(numbers_in(distinct).is_null()).sort().to_list()
        n_numbers = len(distinct) - len(words)
        if not words:
            continue  # codes, or integers too large to be numbers
        marks = [word for word in words if word in GAP_MARKS]
        if n_numbers and (
            words == marks or (n_numbers >= MANY_NUMBERS and len(words) <= FEW_WORDS)
        ):
            found.hindered[column.name] = words
        elif marks:
            found.marked[column.name] = marks
        elif all(map(_WRITTEN_NUMBER.fullmatch, words)):
            found.written.append(column.name)
    return found


def _words(found: dict[str, list[str]]) -> str:
    return listed(
        f"{', '.join(map(plain, words))} in {plain(name)}" for name, words in found.items()
    )


def _marks(found: dict[str, list[str]]) -> tuple[str, ...]:
    return tuple(sorted({word for words in found.values() for word in words}))
