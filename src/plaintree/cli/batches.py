"""Large tables piece by piece: CSV, TSV and Parquet in, CSV, JSON lines and Parquet out.

Only a piece is in memory at a time. What is read from CSV stays text, so that it is written out as
it came in; the model's schema says what it means (typed_rows.py). Other formats are read whole.
"""

from __future__ import annotations

import csv
import io
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import IO, Any, BinaryIO

import polars as pl
from polars.io.plugins import register_io_source

from ..errors import FileError, ParameterError, PlaintreeError
from ..files import check_field_counts, looks_ragged, read_table

BLOCK = 2 * 2**20
"""Bytes of CSV that are read at a time."""
ROWS = 100_000
"""Rows of Parquet that are read at a time."""

Pieces = Iterator[pl.DataFrame]


def read_pieces(file: str) -> Pieces:
    """The pieces of a table; columns of CSV are texts."""
    kind = ".csv" if file == "-" else Path(file).suffix.lower()
    if file != "-" and not Path(file).is_file():
        return iter([read_table(file)])  # the stem of C4.5's files, or an error with a hint
    if kind in (".csv", ".tsv"):
        return _csv_pieces(file, "\t" if kind == ".tsv" else None)
    if kind == ".parquet":
        return _parquet_pieces(file)
    return iter([read_table(file)])


# -------------------------------------------------------------------- reading


def _parquet_pieces(file: str) -> Pieces:
    try:
        table = pl.scan_parquet(file)
        n_rows = int(table.select(pl.len()).collect().item())
        for start in range(0, n_rows, ROWS):
            yield table.slice(start, ROWS).collect()
    except pl.exceptions.PolarsError as error:
        raise FileError(f"{file} is no Parquet file, or a damaged one", got=_line(error)) from error


def _csv_pieces(file: str, separator: str | None) -> Pieces:
    with _opened(file) as stream:
        rest = stream.read(BLOCK).removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n")
        if b"\0" in rest:
            raise FileError(f"{file} is not what its suffix says", got="binary data")
        if not rest.strip():
            raise FileError(f"{file} is empty", hint="write a header line and at least one row.")
        header, rest, ended = _first_record(stream, rest)
        names, separator = _names(header, file, separator)
        n_lines = header.count(b"\n") + 1
        while not ended or rest:
            piece, rest, ended = _whole_records(stream, rest, ended)
            text = piece.replace(b"\r\n", b"\n")
            if text.strip(b"\n"):
                yield _frame(text, file, names, separator, n_lines)
            n_lines += text.count(b"\n")


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    if file == "-":
        yield sys.stdin.buffer
        return
    try:
        with open(file, "rb") as stream:
            yield stream
    except OSError as error:
        raise FileError(f"{file} cannot be read", got=error.strerror or str(error)) from error


def _first_record(stream: BinaryIO, rest: bytes) -> tuple[bytes, bytes, bool]:
    """The header, what follows it of what was read, and whether that is all."""
    end = rest.find(b"\n")
    while end >= 0 and rest.count(b'"', 0, end) % 2:
        end = rest.find(b"\n", end + 1)
    if end < 0:
        if stream.read(1):
            raise FileError("the header does not end", got=f"a first line of {len(rest):,} bytes")
        return rest.rstrip(b"\r"), b"", True
    return rest[:end].rstrip(b"\r"), rest[end + 1 :], False


def _names(header: bytes, file: str, separator: str | None) -> tuple[list[str], str]:
    try:
        text = header.decode()
    except UnicodeDecodeError as error:
        raise FileError(f"{file} is not UTF-8 text", hint="save it as UTF-8.") from error
    if separator is None:
        bare = re.sub(r'"[^"]*"', "", text)
        separator = ";" if bare.count(";") > bare.count(",") else ","
    cells = next(csv.reader(io.StringIO(text), delimiter=separator))
    names = [name.strip() or f"column_{i}" for i, name in enumerate(cells, 1)]
    if len(set(names)) < len(names):
        raise FileError(
            f"the header of {file} has the same name more than once",
            hint="every column needs a name of its own.",
        )
    return names, separator


def _whole_records(stream: BinaryIO, rest: bytes, ended: bool) -> tuple[bytes, bytes, bool]:
    """A piece that ends with a record, what was read beyond it, and whether the file has ended."""
    while not ended:
        block = stream.read(BLOCK)
        rest, ended = rest + block, not block
        end = rest.rfind(b"\n")
        while end >= 0 and rest.count(b'"', 0, end) % 2:  # a line within quotes
            end = rest.rfind(b"\n", 0, end)
        if end >= 0 and not ended:
            return rest[: end + 1], rest[end + 1 :], False
    return rest, b"", True


def _frame(text: bytes, file: str, names: list[str], separator: str, n_lines: int) -> pl.DataFrame:
    """A piece of text as columns of texts; ``n_lines`` stand above it."""
    body = text.strip(b"\n") + b"\n"
    if len(names) > 1 and b"\n\n" in body:  # blank lines are no rows, unless within quotes
        body = re.sub(rb'("(?:[^"]|"")*")|\n\n+', lambda m: m[1] or b"\n", body)
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
        raise FileError(
            f"{file} cannot be read as CSV",
            got=f"{_line(error)} (below line {n_lines})",
            hint="put fields that hold quotes into quotes, and write those twice.",
        ) from error


def _line(error: Exception) -> str:
    return str(error).partition("\n")[0]


# -------------------------------------------------------------------- writing


JSON_LINES = (".json", ".jsonl", ".ndjson")


def format_of(out: str, *, json: bool) -> str:
    """The suffix of the format to write: by the file's name, or JSON lines if asked for."""
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
    """Write pieces as they come, to standard output or to a file that is complete or not there."""
    if out == "-":
        _write_lines(pieces, sys.stdout.buffer, kind)
        return
    with _replacing(Path(out)) as new:
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
    """polars pulls the pieces; what goes wrong with one of them is raised here, as it was."""
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
    except Exception:
        if failures:
            raise failures[0] from None
        raise


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """A new file beside a path, which takes its place when all has gone well."""
    if path.is_dir():
        raise FileError(f"{path} is a folder", hint="name a file.")
    new = path.with_name(f".plaintree-{token_hex(8)}.tmp")
    try:
        yield new
        os.replace(new, path)
    except OSError as error:
        if isinstance(error, PlaintreeError):
            raise
        reason = error.strerror or str(error)
        raise FileError("the answers could not be written", got=reason) from error
    finally:
        with suppress(OSError):
            new.unlink()
