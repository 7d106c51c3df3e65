"""Columns of CSV that are numbers in one file and text in another, found piece by piece."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from .doubts import Doubt, listed
from .strings import numbers_in
from .words import plain


@dataclass
class _Column:
    """What a column has in the current file, and the first files that have only numbers or text.

    ``mixed``: whether the file with text has numbers as well.
    """

    file: str = ""
    numbers: bool = False
    word: str | None = None
    numeric_file: str | None = None
    text_file: str | None = None
    example: str = ""
    mixed: bool = False

    def end_file(self) -> None:
        if self.word is not None and self.text_file is None:
            self.text_file, self.example, self.mixed = self.file, self.word, self.numbers
        if self.numbers and self.word is None and self.numeric_file is None:
            self.numeric_file = self.file
        self.numbers, self.word = False, None


class FileDrift:
    """The kinds of the columns in each file, as far as a warning needs them."""

    def __init__(self) -> None:
        self._columns: dict[str, _Column] = {}

    def add(self, file: str, known: pl.Series, *, only_numbers: bool) -> None:
        """Add a piece of a column; ``only_numbers``: all pieces so far have nothing else."""
        column = self._columns.setdefault(known.name, _Column())
        if column.file != file:
            column.end_file()
            column.file = file
        if column.word is not None or not len(known):
            return
        if only_numbers:
            column.numbers = True
            return
        are_numbers = numbers_in(known).is_not_null()
        column.numbers |= bool(are_numbers.any())
        words = known.filter(~are_numbers)
        column.word = str(words[0]) if len(words) else None

    def drifted(self, name: str) -> bool:
        """Whether a column has only numbers in one file, and only text in another."""
        column = self._columns[name]
        column.end_file()
        return None not in (column.numeric_file, column.text_file) and not column.mixed

    def doubts(self, names: Sequence[str]) -> list[Doubt]:
        """The warnings about columns that have drifted, one for each two files."""
        by_files: dict[tuple[str | None, str | None], list[str]] = {}
        for name in names:
            column = self._columns[name]
            by_files.setdefault((column.numeric_file, column.text_file), []).append(name)
        found = []
        for (numeric, text), together in by_files.items():
            example = self._columns[together[0]].example
            warning = (
                f"{listed(map(plain, together))}: read as text, because of numbers in {numeric} "
                f"but text such as {example!r} in {text}; if that is meant, add "
            )
            found.append(Doubt(warning, "types", tuple(f"{name}=text" for name in together)))
        return found
