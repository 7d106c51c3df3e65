"""Queries as tables: what polars, pyarrow or DuckDB compute in batches, once for each pass.

A query takes the place of the files of a dataset. It must give the same rows each time; their order
matters to forests only, which draw rows by number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import polars as pl

from plaintree.errors import PlaintreeError, TableError

from .chunks import of_size
from .dataset_files import DataFile

PLACE = "the query"
"""Where its rows are, as the path of a file is for others."""

Types = dict[str, Any]
Stream = Callable[[Sequence[str], int], Iterator[pl.DataFrame]]


@dataclass(frozen=True)
class Query:
    """A computed table: the types of its columns, its number of rows, and a stream of them.

    ``stream`` is called with some columns and the rows of a batch, and gives batches of any size.
    """

    types: Types
    count: Callable[[], int]
    stream: Stream


def query_of(table: Any) -> Query | None:
    """The query that a table is; None if it is something else.

    >>> query_of(pl.LazyFrame({"x": [1, 2]})).types
    {'x': Int64}
    """
    library = type(table).__module__.lstrip("_").partition(".")[0]
    if isinstance(table, pl.LazyFrame):
        return _of_polars(table)
    with explained():
        if library == "duckdb" and hasattr(table, "aggregate"):
            return _of_duckdb(table)
        if library == "pyarrow" and hasattr(table, "count_rows") and hasattr(table, "to_batches"):
            return _of_pyarrow(table)
    return None


def _of_polars(table: pl.LazyFrame) -> Query:
    def stream(columns: Sequence[str], n_rows: int) -> Iterator[pl.DataFrame]:
        chosen = table.select(columns)
        if hasattr(chosen, "collect_batches"):
            yield from chosen.collect_batches(chunk_size=n_rows, maintain_order=True)
        else:  # polars before 1.34
            yield chosen.collect()

    with explained():
        types = dict(table.collect_schema())
    return Query(types, lambda: int(table.select(pl.len()).collect().item()), stream)


def _of_pyarrow(table: Any) -> Query:
    def stream(columns: Sequence[str], n_rows: int) -> Iterator[pl.DataFrame]:
        for batch in table.to_batches(columns=list(columns), batch_size=n_rows):
            yield _as_frame(batch)

    return Query(dict(_as_frame(table.schema.empty_table()).schema), table.count_rows, stream)


def _of_duckdb(relation: Any) -> Query:
    names = [
        name
        for name in ("to_arrow_reader", "fetch_arrow_reader", "fetch_record_batch")
        if hasattr(type(relation), name)
    ]

    def stream(columns: Sequence[str], n_rows: int) -> Iterator[pl.DataFrame]:
        quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
        for batch in getattr(relation.project(quoted), names[0])(n_rows):
            yield _as_frame(batch)

    empty = getattr(relation.limit(0), names[0])(1).read_all()
    return Query(
        dict(_as_frame(empty).schema),
        lambda: int(relation.aggregate("count(*)").fetchall()[0][0]),
        stream,
    )


def _as_frame(batch: Any) -> pl.DataFrame:
    frame = pl.from_arrow(batch)
    assert isinstance(frame, pl.DataFrame)
    return frame


@dataclass(frozen=True)
class QueryFile(DataFile):
    """A query in the place of a file."""

    query: Query | None = None

    @classmethod
    def of(cls, table: Any) -> QueryFile | None:
        """The place of a table that is a query; None if it is something else."""
        query = query_of(table)
        return None if query is None else cls(PLACE, "query", 0, 0, query=query)

    def check_unchanged(self) -> None:
        """Do nothing: nothing is known of where its rows come from."""

    @property
    def known(self) -> Query:
        """The query."""
        assert self.query is not None, "made by of()"
        return self.query

    def batches(self, columns: Sequence[str], n_rows: int) -> Iterator[pl.DataFrame]:
        """Compute some columns, so many rows at a time."""
        frames = iter(of_size(self.known.stream(columns, n_rows), n_rows))
        while True:
            with explained():
                frame = next(frames, None)
            if frame is None:
                return
            yield frame


@contextmanager
def explained() -> Iterator[None]:
    """Name the query in errors of the library that computes it."""
    try:
        yield
    except (PlaintreeError, MemoryError):
        raise
    except Exception as error:
        library = type(error).__module__.lstrip("_").partition(".")[0]
        if library not in ("polars", "duckdb", "pyarrow"):
            raise
        raise TableError(
            f"{PLACE} cannot be computed",
            got=str(error).strip().partition("\n")[0],
            hint="run it by itself first, and look at its rows.",
        ) from error
