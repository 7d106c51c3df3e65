"""Large tables piece by piece: CSV, TSV and Parquet in, CSV, JSON lines and Parquet out.

Only one piece is in memory at a time. Values read from CSV stay strings, so they are written out
unchanged; typed_rows.py converts them by the model's schema. Other formats are read at once.
"""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import IO, Any, BinaryIO

import polars as pl
from polars.io.plugins import register_io_source

from plaintree.checks import check_replaceable
from plaintree.errors import (
    FileError,
    ParameterError,
    PlaintreeError,
    file_error,
    unreadable,
)

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
from .files import StringTable, checked_name, read_file
from .strings import ReadOptions

BLOCK = 2 * 2**20
"""Bytes of CSV that are read at a time."""
ROWS = 100_000
"""Rows of Parquet that are read at a time."""
LONGEST_RECORD = 8 * BLOCK
"""Bytes of the longest record of CSV: an unclosed quote would include all that follows."""

Pieces = Iterator[pl.DataFrame]


def of_size(frames: Iterator[pl.DataFrame], n_rows: int) -> Iterator[pl.DataFrame]:
    """The same rows, so many at a time.

    >>> [len(f) for f in of_size(iter([pl.DataFrame({"x": [1, 2, 3]})] * 2), 4)]
    [4, 2]
    """
    held: list[pl.DataFrame] = []
    n_held = 0
    for frame in frames:
        rows = frame
        while rows.height:
            taken = rows.slice(0, n_rows - n_held)
            held.append(taken)
            n_held += taken.height
            rows = rows.slice(taken.height)
            if n_held == n_rows:
                yield pl.concat(held)
                held, n_held = [], 0
    if held:
        yield pl.concat(held)


def read_pieces(file: str) -> Iterator[StringTable]:
    """Read a table in pieces; columns of CSV are strings."""
    kind = ".csv" if checked_name(file) == "-" else Path(file).suffix.lower()
    there = file == "-" or Path(file).is_file()
    if there and kind in (".csv", ".tsv", ".txt"):
        return csv_pieces(file, "\t" if kind == ".tsv" else None)
    if there and kind == ".parquet":
        return _parquet_pieces(file)
    # C4.5's files may be given by their stem; a missing file raises an error with a hint here.
    return iter([StringTable(read_file(file, ReadOptions())[0])])


# -------------------------------------------------------------------- reading


def _parquet_pieces(file: str) -> Iterator[StringTable]:
    try:
        table = pl.scan_parquet(file)
        n_rows = int(table.select(pl.len()).collect().item())
        for start in range(0, n_rows, ROWS):
            yield StringTable(table.slice(start, ROWS).collect())
    except pl.exceptions.PolarsError as error:
        raise FileError(
            f"{file} is not a Parquet file, or a damaged one", got=_line(error)
        ) from error


def csv_pieces(
    path: str, separator: str | None, *, begins_empty: bool = False
) -> Iterator[StringTable]:
    """Read CSV in pieces; with ``begins_empty``, the first piece has the names and no rows."""
    file = "standard input" if path == "-" else path
    with _opened(path) as stream:
        rest = stream.read(BLOCK).removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
        if b"\0" in rest:
            raise FileError(f"{file} does not match its extension", got="binary data")
        if not rest.strip():
            raise FileError(f"{file} is empty", hint="write a header line and at least one row.")
        header, rest, ended = _first_record(stream, rest)
        n_lines = header.count(b"\n") + 1
        declared, _ = declared_separator(header.decode(errors="replace"), file)
        if declared:
            header, rest, ended = _first_record(stream, rest)
            n_lines += header.count(b"\n") + 1
        separator = declared or separator or guessed_separator(_beginning(header, rest))
        names = _names(header, file, separator)
        if begins_empty:
            frame = pl.DataFrame(schema=dict.fromkeys(names, pl.String))
            yield StringTable(frame, has_decimal_commas(separator))
        while not ended or rest:
            piece, rest, ended = _whole_records(stream, rest, ended)
            text = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")  # as in files.py
            if text.strip(b"\n"):
                frame = _frame(text, file, names, separator, n_lines)
                yield StringTable(frame, has_decimal_commas(separator))
            n_lines += text.count(b"\n")


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    if file == "-":
        yield sys.stdin.buffer
        return
    try:
        with _decompressed(file) as stream:
            yield stream
    except (OSError, EOFError, zlib.error) as error:
        if not isinstance(error, OSError) or error.errno is None:
            raise FileError(f"{file} is damaged, or not compressed", got=str(error)) from error
        raise unreadable(file, error) from error


def _decompressed(file: str) -> AbstractContextManager[Any]:
    kind = Path(file).suffix.lower()
    if kind == ".gz":
        return gzip.open(file, "rb")
    if kind != ".zst":
        return open(file, "rb")
    try:
        import pyarrow as pa
    except ImportError:
        raise FileError(
            f"{file} cannot be read without pyarrow", hint="install pyarrow, or decompress it."
        ) from None
    stream: AbstractContextManager[Any] = pa.input_stream(file, compression="zstd")
    return stream


def _first_record(stream: BinaryIO, rest: bytes) -> tuple[bytes, bytes, bool]:
    """Return the header, the bytes read after it, and whether the file has ended."""
    end = rest.find(b"\n")
    n_quotes = rest.count(b'"', 0, max(end, 0))
    while end >= 0 and n_quotes % 2:
        start, end = end, rest.find(b"\n", end + 1)
        n_quotes += rest.count(b'"', start, max(end, start))
    if end < 0:
        if stream.read(1):
            raise FileError("the header does not end", got=f"a first line of {len(rest):,} bytes")
        return rest.rstrip(b"\r"), b"", True
    return rest[:end].rstrip(b"\r"), rest[end + 1 :], False


def _beginning(header: bytes, rest: bytes) -> str:
    """Return the header and the first rows below it, which show the separator."""
    return (header + b"\n" + rest[:4096].replace(b"\r\n", b"\n")).decode(errors="replace")


def _names(header: bytes, file: str, separator: str) -> list[str]:
    try:
        text = quotes_at_once(header.decode(), separator)
    except UnicodeDecodeError as error:
        raise _not_utf8(file, header, error, 0) from error
    return header_names(next(records(text, file, separator)), file)


def _whole_records(stream: BinaryIO, rest: bytes, ended: bool) -> tuple[bytes, bytes, bool]:
    """Return a piece that ends with a record, the bytes beyond it, and whether the file ends."""
    while len(rest) <= LONGEST_RECORD:
        block = b"" if ended else stream.read(BLOCK)
        if not block:
            return rest, b"", True
        rest += block
        end = _last_end(rest)
        if end >= 0:
            return rest[: end + 1], rest[end + 1 :], False
    raise FileError(
        "a row of the table does not end",
        got=f"{rest[:60].decode(errors='replace')!r} and so on",
        hint="is a quote not closed? Quotes within a field in quotes are written twice.",
    )


def _last_end(text: bytes) -> int:
    """Return where the last line outside quotes ends; -1 without such a line."""
    end = text.rfind(b"\n")
    n_quotes = text.count(b'"', 0, max(end, 0))
    while end >= 0 and n_quotes % 2:
        stop, end = end, text.rfind(b"\n", 0, end)
        n_quotes -= text.count(b'"', max(end, 0), stop)
    return end


def _frame(text: bytes, file: str, names: list[str], separator: str, n_lines: int) -> pl.DataFrame:
    """Parse a piece into columns of strings; ``n_lines`` is the number of lines above it."""
    if b' "' in text:
        text = quotes_at_once(text.decode(errors="surrogateescape"), separator).encode(
            errors="surrogateescape"
        )
    body = without_blank_lines(text) if len(names) > 1 else text.strip(b"\n") + b"\n"
    if looks_ragged(body, separator, len(names)):
        lines = "\n" * n_lines + text.decode(errors="replace")
        check_field_counts(lines, file, separator, len(names))
    try:
        return pl.read_csv(
            body,
            separator=separator,
            has_header=False,
            new_columns=names,
            infer_schema=False,
            null_values=[""],
        )
    except pl.exceptions.PolarsError as error:
        try:
            text.decode()
        except UnicodeDecodeError as wrong:
            raise _not_utf8(file, text, wrong, n_lines) from error
        raise FileError(
            f"{file} cannot be read as CSV",
            got=f"{_line(error)} (below line {n_lines})",
            hint="enclose fields that contain quotes in quotes, and double the quotes inside.",
        ) from error


def _not_utf8(file: str, text: bytes, error: UnicodeDecodeError, n_lines: int) -> FileError:
    line = n_lines + text.count(b"\n", 0, error.start) + 1
    return FileError(
        f"{file} is not UTF-8 text",
        got=f"byte 0x{text[error.start]:02x} in line {line}",
        hint="save it as UTF-8; it may be in Latin-1 or Windows-1252 now.",
    )


def _line(error: Exception) -> str:
    return str(error).partition("\n")[0]


# -------------------------------------------------------------------- writing


JSON_LINES = (".json", ".jsonl", ".ndjson")


def format_of(out: str, *, json: bool) -> str:
    """Return the extension of the format to write: that of the file, or JSON lines on request."""
    kind = ".csv" if out == "-" else Path(out).suffix.lower()
    if kind in JSON_LINES or json:
        return ".jsonl"
    if kind not in (".csv", ".tsv", ".parquet"):
        raise ParameterError(
            "the format to write is unknown",
            got=f"-o {out}",
            hint="use a name that ends with .csv, .tsv, .parquet or .jsonl.",
        )
    return kind


def write_pieces(pieces: Pieces, out: str, kind: str) -> None:
    """Write pieces as they come, to standard output or to a file that is complete or absent."""
    if out == "-":
        with _reported():
            _write_lines(pieces, sys.stdout.buffer, kind)
        return
    with _reported(), _replacing(Path(out)) as new:
        if kind == ".parquet":
            _write_parquet(pieces, new)
            return
        with open(new, "wb") as stream:
            _write_lines(pieces, stream, kind)


def _write_lines(pieces: Pieces, stream: IO[bytes], kind: str) -> None:
    separator = "\t" if kind == ".tsv" else ","
    for number, piece in enumerate(pieces):
        if kind == ".jsonl":
            text = piece.write_ndjson()
        else:
            text = piece.write_csv(include_header=number == 0, separator=separator)
        stream.write(text.encode())
    stream.flush()


def _write_parquet(pieces: Pieces, path: Path) -> None:
    """Let polars pull the pieces, and raise the error of a piece unchanged."""
    failures: list[BaseException] = []
    first = next(pieces)

    def source(columns: Any, predicate: Any, n_rows: Any, batch_size: Any) -> Pieces:  # noqa: ARG001
        yield first
        try:
            yield from pieces
        except BaseException as error:
            failures.append(error)
            raise

    try:
        register_io_source(source, schema=first.schema).sink_parquet(path)
    except BaseException:
        if failures:
            raise failures[0] from None
        raise


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """Yield a new file in the same directory, which replaces ``path`` on success."""
    place = Path(os.path.realpath(path))  # a link stays a link
    check_replaceable(place, "the predictions")
    new = place.with_name(f".plaintree-{token_hex(8)}.tmp")
    try:
        yield new
        os.replace(new, place)
    finally:
        with suppress(OSError):
            new.unlink()


@contextmanager
def _reported() -> Iterator[None]:
    """Turn failures of writing, such as a full disk, into errors of plaintree."""
    happened = "the predictions could not be written"
    try:
        yield
    except (PlaintreeError, BrokenPipeError):
        raise
    except OSError as error:
        raise file_error(happened, error) from error
    except pl.exceptions.PolarsError as error:
        raise FileError(happened, got=_line(error)) from error
