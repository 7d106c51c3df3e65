"""The rows of several files piece by piece, with all columns, to be written again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import polars as pl

from plaintree.errors import FileError

from .chunks import ROWS
from .dataset_files import (
    DataFile,
    damaged,
    find_files,
    partition_columns,
    refuse_named_twice,
)
from .dataset_formats import lazy_rows, text_pieces
from .files import StringTable


def pieces_of_files(paths: Any) -> Iterator[StringTable]:
    """Read the files of a pattern or a directory; columns of CSV are strings.

    All files must have the same columns in the same order. Directories such as ``year=2024`` add
    columns.
    """
    files = find_files(paths)
    added = partition_columns(files)
    first: dict[str, Any] = {}
    for number, file in enumerate(files):
        own = [pl.lit(values[number], dtype=values.dtype).alias(n) for n, values in added.items()]
        first_row = 0
        for piece in _pieces(file):
            refuse_named_twice(file, piece.rows.columns)
            rows = piece.rows.with_columns(own)
            first = first or dict(rows.schema)
            if list(rows.schema.items()) != list(first.items()):
                raise _other_columns(files[0], first, file, rows.schema)
            if rows.height:
                yield replace(piece, rows=rows, where=file.path, first_row=first_row)
            first_row += rows.height
        file.check_unchanged()


def _pieces(file: DataFile) -> Iterator[StringTable]:
    if file.format == "csv":
        yield from text_pieces(file)
        return
    try:
        table = lazy_rows(file)
        n_rows = int(table.select(pl.len()).collect().item())
        for start in range(0, n_rows, ROWS):
            yield StringTable(table.slice(start, ROWS).collect())
    except (pl.exceptions.PolarsError, OSError) as error:
        raise damaged(file.path, error) from error


def _other_columns(
    one: DataFile, first: dict[str, Any], other: DataFile, found: dict[str, Any]
) -> FileError:
    pairs = ((name, first.get(name), found.get(name)) for name in {**first, **found})
    odd = next(((n, a, b) for n, a, b in pairs if a != b), None)
    got = "the same columns in another order"
    if odd is not None:
        name, here, there = odd
        got = f"{name!r}: {here or 'absent'} in {one.path}, {there or 'absent'} in {other.path}"
    return FileError(
        "the files have different columns",
        got=got,
        hint="predict them one by one, or write them alike.",
    )
