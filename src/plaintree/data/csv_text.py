"""The syntax of CSV: separator, quotes, records, names and line lengths.

Used for tables that are read at once (files.py) or in pieces (chunks.py). infer.py decides the
types of columns.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from plaintree.errors import FileError

SEPARATORS = ",;\t|"
"""Characters that may separate the fields of a line."""

_SEPARATOR_LINE = re.compile(r'"?sep=([^\n"])"?[ ]*(?=\n|\Z)', re.IGNORECASE)
# A doubled quote ends one match and begins the next. One pattern for both would keep a record of
# every character to backtrack to: 4 GB for a field of 30 MB.
_QUOTED = r'("[^"]*")'
_BLANK_LINES = re.compile(rf"{_QUOTED}|\n\n+")
_BLANK_LINES_OF_BYTES = re.compile(_BLANK_LINES.pattern.encode())


def declared_separator(text: str, path: str) -> tuple[str | None, str]:
    """The separator that a first line ``sep=;`` declares, as Excel writes it, and the other lines.

    The line is left as an empty one, for errors to count.

    >>> declared_separator("sep=;\\na;b\\n", "a.csv")
    (';', '\\na;b\\n')
    """
    declared = _SEPARATOR_LINE.match(text)
    if not declared:
        return None, text
    if not declared[1].isascii():
        raise FileError(
            f"{path} declares a separator that cannot be used",
            got=repr(declared[0]),
            hint="separate the fields with commas, semicolons, tabs or bars.",
        )
    return declared[1], text[declared.end() :]


def guessed_separator(text: str) -> str:
    """Guess the separator: the most frequent one in the first two lines, outside quotes."""
    bare = re.sub(r'"[^"]*"', "", text[:65536].lstrip("\r\n"))
    first, second, *_ = [*(line for line in bare.splitlines() if line.strip()), "", ""]
    return max(SEPARATORS, key=lambda s: (min(first.count(s), second.count(s)), first.count(s)))


def has_decimal_commas(separator: str) -> bool:
    """Semicolons separate where a comma is the decimal point, as in most of Europe."""
    return separator == ";"


def quotes_at_once(text: str, separator: str) -> str:
    """Remove spaces between a separator and a quote, which would hide the quote."""
    if ' "' not in text:
        return text
    pattern = rf'{_QUOTED}|({re.escape(separator)}) +(?=")'
    return re.sub(pattern, lambda m: m[1] or m[2], text)


def without_blank_lines(text: bytes) -> bytes:
    """The lines that are not empty, each with its end; within quotes a line may be empty."""
    body = text.strip(b"\n") + b"\n"
    if b"\n\n" not in body:
        return body
    return _BLANK_LINES_OF_BYTES.sub(lambda m: m[1] or b"\n", body)


def records(text: str, path: str, separator: str) -> Iterator[list[str]]:
    """The records of CSV as lists of fields, one by one; for a look at a few of them."""
    yield from (row for row, _ in _numbered_records(text, path, separator))


def _numbered_records(text: str, path: str, separator: str) -> Iterator[tuple[list[str], int]]:
    """Every record, with the number of its last line."""
    reader = csv.reader(_lines(text), delimiter=separator)
    try:
        for row in reader:
            yield row, reader.line_num
    except csv.Error as error:
        raise FileError(
            f"{path} cannot be read as CSV",
            got=f"{error}, in line {reader.line_num}",
            hint="look for a quote that is not closed, or for text that is not in lines.",
        ) from error


def _lines(text: str) -> Iterator[str]:
    """Yield the lines with their ends; a stream of the text would take four times its memory."""
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def header_names(cells: Iterable[str], path: str) -> list[str]:
    """The names of the columns; one without gets its number."""
    names = [name or f"column_{i}" for i, name in enumerate(map(str.strip, cells), 1)]
    repeated = [name for name, n in Counter(names).items() if n > 1]
    if repeated:
        raise FileError(
            f"the header of {path} has the same name more than once",
            got=", ".join(map(repr, repeated)),
            hint="every column needs its own name.",
        )
    return names


def looks_ragged(raw: bytes, separator: str, n_fields: int) -> bool:
    """Whether some line has another number of fields; may cry wolf over stray quotes."""
    letters = np.frombuffer(raw, dtype=np.uint8)
    cuts, ends = letters == ord(separator), letters == ord("\n")
    if b'"' in raw:
        outside = ~np.bitwise_xor.accumulate(letters == ord('"'))
        cuts, ends = cuts & outside, ends & outside
    last = np.flatnonzero(ends)
    if not last.size or last[-1] != len(raw) - 1:
        return True
    starts = np.concatenate(([0], last[:-1] + 1))
    return bool((np.add.reduceat(cuts, starts, dtype=np.int64) != n_fields - 1).any())


def check_field_counts(text: str, path: str, separator: str, n_fields: int) -> None:
    """The exact check, record by record."""
    for row, line in _numbered_records(text, path, separator):
        if row and len(row) != n_fields:
            raise FileError(
                f"a row of {path} is not as long as the header",
                got=f"{len(row)} fields in line {line}, but {n_fields} in the header",
                hint="enclose fields that contain the separator in double quotes.",
            )
