"""Limits of what the page may send, and the checks that need to look into a file."""

from __future__ import annotations

from pathlib import Path

from plaintree.errors import TableError

UPLOAD_BYTES = 200_000_000
UPLOADS_BYTES = 2_000_000_000
"""All uploaded files together; the oldest ones make room."""
ROWS = 5_000_000
COLUMNS = 10_000
READING_SECONDS = 60.0
"""For reading an uploaded table."""
REQUEST_BYTES = 4_000_000
REQUEST_SECONDS = 30.0
"""For a request to arrive, and for each piece of an upload."""
HEADER_SECONDS = 10.0
HEADER_BYTES = 32_768
CONNECTIONS = 128
TABLES = 4
"""Tables with a worker at the same time."""
NAME_LENGTH = 255


def check_upload(path: str, name: str) -> None:
    """Refuse a Parquet file by its metadata: a small file may hold very many rows."""
    if Path(name).suffix.lower() != ".parquet":
        return
    import polars as pl

    try:
        lazy = pl.scan_parquet(path)
        n_columns = lazy.collect_schema().len()
        n_rows = lazy.select(pl.len()).collect().item()
    except (pl.exceptions.PolarsError, OSError):
        return  # reading the file says in words what is wrong with it
    check_facts(n_rows, n_columns)


def check_facts(n_rows: int, n_columns: int) -> None:
    """Refuse an uploaded table that is too large."""
    if n_rows > ROWS or n_columns > COLUMNS:
        raise TableError(
            f"an uploaded table has at most {ROWS:,} rows and {COLUMNS:,} columns",
            got=f"{n_rows:,} rows and {n_columns:,} columns",
            hint="plaintree studio FILE opens a larger one.",
        )
