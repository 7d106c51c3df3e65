"""Formats of the files of a dataset: their rows, and what these take when they are read."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from plaintree.errors import FileError, MemoryLimitError, PlaintreeError, unreadable
from plaintree.memory import BASE_BYTES, usual_limit

from .arrow_batches import RecordBatch, record_batches
from .chunks import csv_pieces
from .dataset_files import DataFile, damaged
from .files import StringTable

COPIES_OF_BATCH = 2.5
"""Of a record batch, while it is read: 2.2 with polars 2.1, compressed or not."""
SAMPLE_ROWS = 2**12
"""Rows that show how long text is."""


def lazy_rows(file: DataFile) -> pl.LazyFrame:
    """The rows of a Parquet or Arrow file, which are not read yet."""
    path = Path(file.path)
    if file.format == "parquet":
        return pl.scan_parquet(path, glob=False, hive_partitioning=False)
    try:
        with path.open("rb") as stream:
            begin = stream.read(6)
    except OSError as error:
        raise unreadable(file.path, error) from error
    if begin != b"ARROW1":
        raise FileError(
            f"{file.path} is not an Arrow file",
            hint="if it is a stream of Arrow, write it as a file: polars.DataFrame.write_ipc.",
        )
    return pl.scan_ipc(_escaped(file.path), hive_partitioning=False)


def _escaped(path: str) -> str:
    """The pattern that matches this path alone."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in path)


def text_pieces(file: DataFile) -> Iterator[StringTable]:
    """The rows of a CSV file as strings, piece by piece; the first piece has no rows."""
    name = file.path.lower()
    is_tsv = name.endswith((".tsv", ".tsv.gz", ".tsv.zst"))
    try:
        yield from csv_pieces(file.path, "\t" if is_tsv else None, begins_empty=True)
    except PlaintreeError as error:
        if file.path in str(error):
            raise
        raise type(error)(f"{error.happened} (in {file.path})", error.got, error.hint) from error


# -------------------------------------------------------------------- what rows take


def sizes_of_batches(file: DataFile) -> list[RecordBatch]:
    """The sizes of the record batches of an Arrow file."""
    try:
        return record_batches(file.path)
    except (OSError, struct.error) as error:
        raise damaged(file.path, error) from error


def refuse_larger_batch(
    file: DataFile,
    batch: RecordBatch,
    columns: Sequence[str],
    memory_limit: int | None,
    types: Mapping[str, Any],
) -> None:
    """Raise an error for a record batch that takes more memory than the limit leaves."""
    n_bytes = batch.bytes_of(columns, types)
    needed = BASE_BYTES + int(COPIES_OF_BATCH * n_bytes)
    if needed > (usual_limit() if memory_limit is None else memory_limit):
        raise MemoryLimitError(
            f"a record batch of {file.path} is too large for memory_limit",
            got=f"{batch.n_rows:,} rows in one batch, which take {n_bytes / 1e6:,.0f} MB",
            hint=f'pass memory_limit="{-(-needed // 10**6)}MB" or more, or write the file again '
            "in smaller batches, as polars.LazyFrame.sink_ipc does.",
        )


def text_bytes(file: DataFile, columns: Sequence[str]) -> float:
    """The bytes of text in a row of some columns, by the first rows; of a query, none are known."""
    if file.format == "query":
        return 0.0
    if file.format == "csv":
        pieces = list(islice(text_pieces(file), 2))
        rows = pieces[-1].rows.select(pl.selectors.by_name(*columns, require_all=False))
        return rows.estimated_size() / max(1, rows.height)
    file.check_unchanged()
    try:
        return _text_bytes(file, lazy_rows(file), columns)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise damaged(file.path, error) from error


def _text_bytes(file: DataFile, table: pl.LazyFrame, columns: Sequence[str]) -> float:
    types = table.collect_schema()
    texts = [name for name in columns if types.get(name) in (pl.String, pl.Categorical)]
    if not texts:
        return 0.0
    if file.format == "arrow":
        sizes = sizes_of_batches(file)
        whole = sum(batch.bytes_of(texts, types) for batch in sizes)
        return whole / max(1, sum(batch.n_rows for batch in sizes))
    rows = table.select(texts).head(SAMPLE_ROWS).collect()
    return rows.estimated_size() / max(1, rows.height)
