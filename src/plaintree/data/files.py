"""Reading of table files: CSV, TSV, Parquet, ARFF and C4.5's pair of .names and .data.

A file becomes a polars frame. A file that is broken or does not match its format raises an error
that names the line. CSV, TSV and Parquet are read here with polars, formats that declare their
columns in declared_files.py. infer.py decides the types of CSV columns.
"""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from errno import ENOENT
from os import PathLike, strerror
from pathlib import Path
from typing import overload

import polars as pl

from plaintree.checks import check_path
from plaintree.errors import ColumnError, FileError, ReadingWarning, nearest, unreadable

from .csv_text import (
    check_field_counts,
    declared_separator,
    guessed_separator,
    has_decimal_commas,
    header_names,
    looks_ragged,
    quotes_at_once,
    records,
    without_blank_lines,
)
from .declared_files import read_arff, read_c45
from .doubts import Doubt
from .infer import Findings, inferred
from .misread import misread_columns
from .strings import DateOrder, ReadOptions, read_as

EXTENSIONS = (".csv", ".tsv", ".txt", ".parquet", ".arff", ".names", ".data", ".test")

WORKBOOKS = (".xlsx", ".xls", ".xlsm", ".ods")
SAVE_SHEET = "save the sheet with the table as CSV."

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


@dataclass(frozen=True, eq=False)
class StringTable:
    """A table of strings, and whether a comma in them is a decimal point.

    ``where`` is its file if there are several, and ``first_row`` the number of its first row in it.
    """

    rows: pl.DataFrame
    decimal_comma: bool = False
    where: str | None = None
    first_row: int = 0


@overload
def read_table(
    path: str | PathLike[str],
    target: None = None,
    *,
    format: str | None = None,
    missing_values: str | Sequence[str] = (),
    types: Mapping[str, str] | None = None,
    dates: DateOrder | None = None,
) -> pl.DataFrame: ...
@overload
def read_table(
    path: str | PathLike[str],
    target: str,
    *,
    format: str | None = None,
    missing_values: str | Sequence[str] = (),
    types: Mapping[str, str] | None = None,
    dates: DateOrder | None = None,
) -> tuple[pl.DataFrame, pl.Series]: ...
def read_table(
    path: str | PathLike[str],
    target: str | None = None,
    *,
    format: str | None = None,
    missing_values: str | Sequence[str] = (),
    types: Mapping[str, str] | None = None,
    dates: DateOrder | None = None,
) -> pl.DataFrame | tuple[pl.DataFrame, pl.Series]:
    """Read a table from a CSV, TSV, Parquet, ARFF or C4.5 file.

    The separator of a CSV file is the one that its first line declares (``sep=;``), or the most
    frequent of comma, semicolon, tab and bar in its first lines. Spaces around a value are
    removed. An empty field is a missing value. If semicolons separate, 1,5 is a number.

    The type of a CSV column is decided by all of its values:

    - Integers with leading zeros are text if they have one length, such as the zip codes 01234 and
      98101. If their lengths differ they are numbers, and also if one is zero and none needs the
      full length (00000, 00202).
    - Dates such as 03/25/2021 are day-first or month-first, whichever fits all of them. If both
      fit, they are day-first. Years of two digits lie between 1969 and 2068.

    If the type or the order remains ambiguous, a warning names the parameter that decides.

    Parameters
    ----------
    path : str or PathLike
        The file. "-" reads CSV from standard input. A C4.5 table may be given by either of its
        files or by their common stem; its classes are the column "class".
    target : str or None, default=None
        The name of a column to return separately.
    format : str or None, default=None
        The format as a file extension, such as "csv". None uses the extension of ``path``.
    missing_values : str or sequence of str, default=()
        Strings in a CSV file that mean a missing value, such as "NA" and "?".
    types : mapping of str to str or None, default=None
        The types of some columns by name: "text", "number", "integer", "boolean", "date",
        "datetime" or "time". A value of another type raises an error.
    dates : {"day-first", "month-first"} or None, default=None
        The order of day and month in dates with the year last. None: decided by the values.

    Returns
    -------
    table : polars.DataFrame
        The table, without ``target`` if that is given.
    labels : polars.Series
        The column ``target``; returned only if ``target`` is given.

    Raises
    ------
    MissingFileError
        If there is no such file; also a ``FileNotFoundError``.
    FileError
        If the file cannot be read, or its content does not match its format.
    ColumnError
        If there is no column ``target``, or a value is not of the type in ``types``.

    Warns
    -----
    ReadingWarning
        If values can be read in two ways, or a column of numbers is text because of a few words
        such as NA.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import plaintree as pt
    >>> file = pathlib.Path(tempfile.mkdtemp(), "days.csv")
    >>> _ = file.write_text("outlook,play\\nsunny,no\\n?,yes\\n")
    >>> X, y = pt.read_table(file, "play", missing_values="?")
    >>> X["outlook"].to_list(), y.to_list()
    (['sunny', None], ['no', 'yes'])
    """
    if isinstance(missing_values, str):
        missing_values = (missing_values,)
    options = ReadOptions(tuple(missing_values), {} if types is None else types, dates)
    frame, doubts = read_file(path, options, format)
    undeclared = frame.drop(options.types)
    for doubt in [*doubts, *misread_columns(undeclared).hindered_doubts]:
        warnings.warn(ReadingWarning(doubt), stacklevel=2)
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


def read_file(
    path: str | PathLike[str], options: ReadOptions, format: str | None = None
) -> tuple[pl.DataFrame, list[Doubt]]:
    """Read a table from a file, with the warnings about ambiguous values."""
    name = checked_name(path)
    read = _read(name, format)
    if isinstance(read, StringTable):
        frame, findings = inferred(read.rows, options, decimal_comma=read.decimal_comma)
    else:
        frame, findings = declared_frame(read, options)
    if frame.height == 0:
        raise FileError(
            f"{_shown(name)} has no rows", hint="put at least one row below the header."
        )
    return frame, findings.doubts


def checked_name(path: str | PathLike[str]) -> str:
    """Return the name of a file as it was given, if it is valid; "-" is standard input."""
    if path != "-":
        check_path(path)
    return os.fspath(path)


def declared_frame(frame: pl.DataFrame, options: ReadOptions) -> tuple[pl.DataFrame, Findings]:
    """Convert the columns of a typed frame for which a type was declared."""
    findings, changed = Findings(), []
    for name, kind in options.kinds(frame.columns).items():
        if name in options.types or frame[name].dtype == pl.String:
            column, found = read_as(
                frame[name], kind, options.dates, needed=options.is_needed(name)
            )
            findings.add_dates(name, found)
            changed.append(column)
    return frame.with_columns(changed), findings


def _read(path: str, format: str | None) -> pl.DataFrame | StringTable:
    kind = format or (".csv" if path == "-" else Path(path).suffix)
    kind = "." + kind.lower().lstrip(".")
    if format is None and path != "-" and Path(path + ".names").is_file():
        return _read_pair(path, ".data")
    if kind not in EXTENSIONS:
        if kind == "." and not Path(path).exists():  # a misspelt directory, say
            raise unreadable(path, FileNotFoundError(ENOENT, strerror(ENOENT)))
        if kind in WORKBOOKS:
            raise FileError(f"{path} is an Excel workbook", hint=SAVE_SHEET)
        raise FileError(
            f"the format of {path} is unknown",
            got=f"extension {kind.rstrip('.')!r}",
            hint=f"rename it, or in Python pass format=; known are {', '.join(EXTENSIONS)}.",
        )
    if kind in (".names", ".data", ".test"):
        return _read_pair(path.removesuffix(kind), ".data" if kind == ".names" else kind)
    raw, shown = _bytes(path), _shown(path)
    if kind == ".parquet":
        return _read_parquet(raw, shown)
    text = _text(raw, shown)
    if kind == ".arff":
        return read_arff(text, shown)
    return _read_csv(text, shown, "\t" if kind == ".tsv" else None)


def _shown(path: str) -> str:
    return "standard input" if path == "-" else path


def _read_pair(stem: str, data_extension: str) -> pl.DataFrame:
    """Read C4.5's two files: one declares the columns, the other has the rows."""
    declared, path = stem + ".names", stem + data_extension
    names, data = (_text(_bytes(file), file) for file in (declared, path))
    return read_c45(names, data, declared, path)


def file_text(path: str | PathLike[str]) -> str:
    """Return the text of a file."""
    name = checked_name(path)
    return _text(_bytes(name), name)


def _bytes(path: str) -> bytes:
    if path == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error


def _text(raw: bytes, path: str) -> str:
    """Decode a file, without byte order mark and with ``\\n`` as line ends."""
    if not raw.strip():
        raise FileError(f"{path} is empty", hint="write a header line and at least one row.")
    for start, what in _MAGIC.items():
        if raw.startswith(start):
            hint = SAVE_SHEET if "Excel" in what else None
            raise FileError(f"{path} does not match its extension", got=what, hint=hint)
    if b"\0" in raw[:65536]:
        raise FileError(f"{path} does not match its extension", got="binary data")
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
            f"{path} does not match its extension",
            got="a file that is not Parquet",
            hint='if it is CSV, rename it to end in .csv, or in Python pass format="csv".',
        )
    try:
        return pl.read_parquet(io.BytesIO(raw))
    except pl.exceptions.PolarsError as error:
        raise FileError(f"{path} is a damaged Parquet file", got=str(error)) from error


def _read_csv(text: str, path: str, separator: str | None) -> StringTable:
    if text.lstrip()[:9].lower() in ("@relation", "@attribut"):
        raise FileError(
            f"{path} does not match its extension",
            got="an ARFF file",
            hint='rename it to end in .arff, or in Python pass format="arff".',
        )
    declared, text = declared_separator(text, path)
    separator = declared or separator or guessed_separator(text)
    text = quotes_at_once(text, separator)
    header = next((row for row in records(text, path, separator) if row), None)
    if header is None:
        raise FileError(f"{path} is empty", hint="write a header line and at least one row.")
    names = header_names(header, path)
    raw = text.encode()
    raw = without_blank_lines(raw) if len(names) > 1 else raw.strip(b"\n") + b"\n"
    if looks_ragged(raw, separator, len(names)):
        check_field_counts(text, path, separator, len(names))
    try:
        frame = pl.read_csv(raw, separator=separator, infer_schema=False, null_values=[""])
    except pl.exceptions.PolarsError as error:
        raise FileError(
            f"{path} cannot be read as CSV",
            got=str(error).partition("\n")[0],
            hint="enclose fields that contain quotes in quotes, and double the quotes inside.",
        ) from error
    frame.columns = names
    return StringTable(frame, has_decimal_commas(separator))
