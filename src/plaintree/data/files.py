"""Tables from files: CSV, TSV, Parquet, ARFF and C4.5's pair of .names and .data.

A file becomes a polars frame; one that is broken, or is not what its suffix says, is an error
that names the line. CSV, TSV and Parquet are read here, which is polars' work; the formats that
declare their columns are read in declared_files.py.
"""

from __future__ import annotations

import csv
import io
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import overload

import numpy as np
import polars as pl

from plaintree.errors import ColumnError, FileError, nearest

from .column import EXACT
from .declared_files import read_arff, read_c45

SUFFIXES = (".csv", ".tsv", ".txt", ".parquet", ".arff", ".names", ".data", ".test")
SEPARATORS = ",;\t|"
"""What may stand between the fields of a line."""

_MAGIC = {
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"%PDF": "a PDF document",
    b"PK\x03\x04": "a zip archive or an Excel workbook",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"\x1f\x8b": "gzip-compressed data",
    b"PAR1": "a Parquet file",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
}


@overload
def read_table(
    path: str | Path,
    target: None = None,
    *,
    suffix: str | None = None,
    gaps: str | Sequence[str] = (),
) -> pl.DataFrame: ...
@overload
def read_table(
    path: str | Path, target: str, *, suffix: str | None = None, gaps: str | Sequence[str] = ()
) -> tuple[pl.DataFrame, pl.Series]: ...
def read_table(
    path: str | Path,
    target: str | None = None,
    *,
    suffix: str | None = None,
    gaps: str | Sequence[str] = (),
) -> pl.DataFrame | tuple[pl.DataFrame, pl.Series]:
    """A table from a file; with ``target`` the columns without it, and it.

    The format is told by the file's suffix, or by ``suffix``. "-" reads CSV from standard input.
    A C4.5 table may be given by either of its files or by their common stem; its classes are the
    column "class".

    The fields of CSV are separated by commas, semicolons, tabs or bars, whichever the first lines
    have most of. Spaces around a value do not count. An empty field is a gap, and so are the texts
    in ``gaps``, such as "NA" and "?". Where semicolons separate, 1,5 is a number.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "days.csv")
    >>> _ = file.write_text("outlook,play\\nsunny,no\\n,yes\\n")
    >>> X, y = read_table(file, "play")
    >>> X["outlook"].to_list(), y.to_list()
    (['sunny', None], ['no', 'yes'])
    """
    marks = (gaps,) if isinstance(gaps, str) else tuple(gaps)
    frame = _read(str(path), suffix, marks)
    if frame.height == 0:
        raise FileError(
            f"{_shown(str(path))} has no rows", hint="put at least one row below the header."
        )
    if target is None:
        return frame
    if target not in frame.columns:
        raise ColumnError(
            f"{path} has no column for the target",
            got=f"target={target!r}",
            hint=nearest(target, frame.columns)
            or f"the columns are {', '.join(map(repr, frame.columns[:10]))}.",
        )
    return frame.drop(target), frame[target]


def _read(path: str, suffix: str | None, gaps: Sequence[str]) -> pl.DataFrame:
    kind = suffix or (".csv" if path == "-" else Path(path).suffix)
    kind = "." + kind.lower().lstrip(".")
    if suffix is None and path != "-" and Path(path + ".names").is_file():
        return _read_pair(path, ".data")
    if kind not in SUFFIXES:
        raise FileError(
            f"the format of {path} is unknown",
            got=f"suffix {kind.rstrip('.')!r}",
            hint=f"rename it (or, in Python, give suffix=); known are {', '.join(SUFFIXES)}.",
        )
    if kind in (".names", ".data", ".test"):
        return _read_pair(path.removesuffix(kind), ".data" if kind == ".names" else kind)
    raw, shown = _bytes(path), _shown(path)
    if kind == ".parquet":
        return _read_parquet(raw, shown)
    text = _text(raw, shown)
    if kind == ".arff":
        return read_arff(text, shown)
    return _read_csv(text, shown, "\t" if kind == ".tsv" else None, gaps)


def _shown(path: str) -> str:
    return "standard input" if path == "-" else path


def _read_pair(stem: str, data_suffix: str) -> pl.DataFrame:
    """C4.5's two files: one declares the columns, the other holds the rows."""
    declared, path = stem + ".names", stem + data_suffix
    names, data = (_text(_bytes(file), file) for file in (declared, path))
    return read_c45(names, data, declared, path)


def _bytes(path: str) -> bytes:
    if path == "-":
        return sys.stdin.buffer.read()
    file = Path(path)
    try:
        return file.read_bytes()
    except FileNotFoundError as error:
        beside = [f.name for f in file.parent.iterdir()] if file.parent.is_dir() else []
        raise FileError(
            f"there is no file {path}",
            hint=nearest(file.name, beside) or "check the folder and the spelling.",
        ) from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(f"{path!r} cannot be read", got=reason) from error


def _text(raw: bytes, path: str) -> str:
    """The text of a file without byte order mark and with plain line ends."""
    if not raw.strip():
        raise FileError(f"{path} is empty", hint="write a header line and at least one row.")
    for start, what in _MAGIC.items():
        if raw.startswith(start):
            raise FileError(f"{path} is not what its suffix says", got=what)
    if b"\0" in raw[:65536]:
        raise FileError(f"{path} is not what its suffix says", got="binary data")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(
            f"{path} is not UTF-8 text",
            got=f"byte 0x{raw[error.start]:02x} at position {error.start} "
            f"(line {raw.count(10, 0, error.start) + 1})",
            hint="save it as UTF-8; it may be in Latin-1 or Windows-1252 now.",
        ) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


# -------------------------------------------------------------------- CSV and Parquet


def _read_parquet(raw: bytes, path: str) -> pl.DataFrame:
    if not raw.startswith(b"PAR1"):
        raise FileError(
            f"{path} is not what its suffix says",
            got="a file that is no Parquet",
            hint='if it is CSV, rename it to end in .csv (or, in Python, give suffix=".csv").',
        )
    try:
        return pl.read_parquet(io.BytesIO(raw))
    except pl.exceptions.PolarsError as error:
        raise FileError(f"{path} is a damaged Parquet file", got=str(error)) from error


def _read_csv(text: str, path: str, separator: str | None, gaps: Sequence[str]) -> pl.DataFrame:
    if text.lstrip()[:9].lower() in ("@relation", "@attribut"):
        raise FileError(
            f"{path} is not what its suffix says",
            got="an ARFF file",
            hint='rename it to end in .arff (or, in Python, give suffix=".arff").',
        )
    separator = separator or guessed_separator(text)
    text = quotes_at_once(text, separator)
    header = next(row for row in records(text, path, separator) if row)
    names = header_names(header, path)
    body = text.strip("\n") + "\n"
    if "\n\n" in body and len(names) > 1:  # blank lines are no rows, unless within quotes
        body = re.sub(r'("(?:[^"]|"")*")|\n\n+', lambda m: m[1] or "\n", body)
    raw = body.encode()
    if looks_ragged(raw, separator, len(names)):
        check_field_counts(text, path, separator, len(names))
    try:
        frame = pl.read_csv(raw, separator=separator, infer_schema=False, null_values=[""])
    except pl.exceptions.PolarsError as error:
        raise FileError(
            f"{path} cannot be read as CSV",
            got=str(error).partition("\n")[0],
            hint="put fields that hold quotes into quotes, and write those twice.",
        ) from error
    frame.columns = names
    comma = has_decimal_commas(separator)
    return frame.select(_inferred(trimmed(c, gaps), comma) for c in frame.get_columns())


def guessed_separator(text: str) -> str:
    """What separates the fields: of what the first two lines have most of, outside quotes."""
    bare = re.sub(r'"[^"]*"', "", text[:65536].lstrip("\r\n"))
    first, second, *_ = [*(line for line in bare.splitlines() if line.strip()), "", ""]
    return max(SEPARATORS, key=lambda s: (min(first.count(s), second.count(s)), first.count(s)))


def has_decimal_commas(separator: str) -> bool:
    """Semicolons separate where a comma is the decimal point, as in most of Europe."""
    return separator == ";"


def quotes_at_once(text: str, separator: str) -> str:
    """The text without spaces between a separator and a quote, which would hide the quote."""
    if ' "' not in text:
        return text
    pattern = rf'("(?:[^"]|"")*")|({re.escape(separator)}) +(?=")'
    return re.sub(pattern, lambda m: m[1] or m[2], text)


def records(text: str, path: str, separator: str) -> Iterator[list[str]]:
    """The records of CSV as lists of fields, one by one; for a look at a few of them."""
    yield from (row for row, _ in _numbered_records(text, path, separator))


def _numbered_records(text: str, path: str, separator: str) -> Iterator[tuple[list[str], int]]:
    """Every record, with the number of its last line."""
    reader = csv.reader(io.StringIO(text), delimiter=separator)
    try:
        for row in reader:
            yield row, reader.line_num
    except csv.Error as error:
        raise FileError(
            f"{path} cannot be read as CSV",
            got=f"{error}, in line {reader.line_num}",
            hint="look for a quote that is not closed, or for text that is not in lines.",
        ) from error


def header_names(cells: Iterable[str], path: str) -> list[str]:
    """The names of the columns; one without gets its number."""
    names = [name or f"column_{i}" for i, name in enumerate(map(str.strip, cells), 1)]
    repeated = [name for name, n in Counter(names).items() if n > 1]
    if repeated:
        raise FileError(
            f"the header of {path} has the same name more than once",
            got=", ".join(map(repr, repeated)),
            hint="every column needs a name of its own.",
        )
    return names


def trimmed(texts: pl.Series, gaps: Sequence[str] = ()) -> pl.Series:
    """Texts without spaces around them; null where nothing is left, or what stands for a gap."""
    bare = texts.str.strip_chars()
    missing = bare.is_in(["", *gaps])
    return bare.set(missing, None) if missing.any() else bare


def numbers_in(texts: pl.Series, *, decimal_comma: bool = False) -> pl.Series:
    """Texts as float64, null where one is no number; never commas and points for the same."""
    if decimal_comma and not texts.str.contains(".", literal=True).any():
        texts = texts.str.replace(r"^([+-]?\d*),(\d+)$", "${1}.${2}")
    return texts.cast(pl.Float64, strict=False)


def _inferred(text: pl.Series, decimal_comma: bool) -> pl.Series:
    """A column as the narrowest type that holds all of it.

    polars' own inference with dates tries them on every cell: 13 s of processor time for 300,000
    rows x 8 columns, of which this takes 0.2.
    """
    present = text.drop_nulls()
    if present.is_empty():
        return text.cast(pl.Null) if text.len() else text
    if _would_merge(present):
        return text
    whole = text.cast(pl.Int64, strict=False)
    if whole.null_count() == text.null_count():
        return whole
    numbers = numbers_in(text, decimal_comma=decimal_comma)
    if numbers.null_count() == text.null_count():
        return numbers
    if set(present.unique().head(3).str.to_lowercase()) <= {"true", "false"}:
        lowered = text.str.to_lowercase()
        if lowered.drop_nulls().is_in(["true", "false"]).all():
            return lowered == "true"
    return _inferred_moment(text, str(present[0]))


def _would_merge(present: pl.Series) -> bool:
    """Whether these are integers, and some too large to be float64 values of their own."""
    if not present.str.contains("^[+-]?[0-9]+$").all():
        return False
    return bool((present.cast(pl.Float64).abs() >= EXACT).any())


def _inferred_moment(text: pl.Series, first: str) -> pl.Series:
    """Dates, times or text; polars says what the first value looks like."""
    if not first[0].isdigit() or len(first) > 40:
        return text
    sample = pl.DataFrame({"v": [first]}).write_csv().encode()
    try:  # polars recognises by pattern, and raises at 23:59:60 and at digits that are not Latin
        probe = pl.read_csv(sample, try_parse_dates=True)
        match probe.dtypes[0]:
            case pl.Date:
                typed = text.str.to_date(strict=False)
            case pl.Datetime:
                typed = text.str.to_datetime(time_unit="us", strict=False)
            case pl.Time:
                typed = text.str.to_time(strict=False)
            case _:
                return text
    except pl.exceptions.PolarsError:
        return text
    return typed if typed.null_count() == text.null_count() else text


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
                hint="put fields that hold the delimiter into double quotes.",
            )
