"""Warnings about columns that were probably not meant as they are read.

Strings that stand for missing values, numbers that are formatted as text, and time zones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import polars as pl

from .doubts import Doubt, listed
from .strings import numbers_in
from .words import plain

MISSING_MARKS = ("?", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "Null", "null")
"""Strings that programs write for a missing value. A word such as none may be a category."""
MANY_NUMBERS, FEW_WORDS = 10, 3
"""Among this many distinct numbers, this few distinct words are probably not values."""

_WRITTEN_NUMBER = re.compile(r"[+-]?\d{1,3}([., '\u00a0]?\d{3})*([.,]\d+)?%?")


@dataclass(frozen=True)
class Misread:
    """Columns by what is odd about them.

    ``hindered`` are numbers except for some words, ``marked`` contain words that often stand for a
    missing value, ``formatted`` are numbers formatted as text, and ``zoned`` have a time zone.
    """

    hindered: dict[str, list[str]] = field(default_factory=dict)
    marked: dict[str, list[str]] = field(default_factory=dict)
    formatted: list[str] = field(default_factory=list)
    zoned: list[str] = field(default_factory=list)

    @property
    def numbers(self) -> set[str]:
        """The columns that seem to be numbers, but are text."""
        return {*self.hindered, *self.formatted}

    @property
    def hindered_doubts(self) -> list[Doubt]:
        """The warning about numbers that are text because of some words."""
        if not self.hindered:
            return []
        text = f"{_words(self.hindered, 'is read as text because of')}; "
        text += "if they stand for missing values, add "
        return [Doubt(text, "missing_values", _marks(self.hindered))]

    @property
    def doubts(self) -> list[Doubt]:
        """The warnings about these columns."""
        found = self.hindered_doubts
        if self.marked:
            text = f"{_words(self.marked, 'contains')}; "
            text += "if they stand for missing values, add "
            found.append(Doubt(text, "missing_values", _marks(self.marked)))
        if self.formatted:
            names = listed(map(plain, self.formatted))
            text = "read as text because of commas or signs in numbers; write them like 1234.5"
            found.append(Doubt(f"{names}: {text}"))
        if self.zoned:
            names = listed(map(plain, self.zoned))
            found.append(Doubt(f"{names}: times with a time zone are converted to UTC"))
        return found


def misread_columns(frame: pl.DataFrame) -> Misread:
    """The columns of a file that were probably not meant as they are read."""
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
        marks = [word for word in words if word in MISSING_MARKS]
        if n_numbers and (
            words == marks or (n_numbers >= MANY_NUMBERS and len(words) <= FEW_WORDS)
        ):
            found.hindered[column.name] = words
        elif marks:
            found.marked[column.name] = marks
        elif all(map(_WRITTEN_NUMBER.fullmatch, words)):
            found.formatted.append(column.name)
    return found


def _words(found: dict[str, list[str]], finding: str) -> str:
    return listed(
        f"{plain(name)} {finding} {', '.join(map(repr, words))}" for name, words in found.items()
    )


def _marks(found: dict[str, list[str]]) -> tuple[str, ...]:
    return tuple(sorted({word for words in found.values() for word in words}))
