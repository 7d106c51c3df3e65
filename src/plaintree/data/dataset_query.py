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

from plaintree.errors import ColumnError, PlaintreeError, TableError, nearest

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


class QueryReader:
    """Reads a query as :class:`plaintree.data.dataset_reading.FileReader` reads files."""

    def __init__(self, query: Query, filter: pl.Expr | None) -> None:
        self._query = query
        self.filter = filter
        self.types = [query.types]
        self._n_rows: int | None = None

    def check_types(self, needed: Sequence[str], *, all_alike: bool) -> None:
        """Raise an error if a column is absent; ``all_alike`` is for several files."""
        del all_alike
        names = list(self._query.types)
        for name in needed:
            if name not in names:
                shown = ", ".join(map(repr, names[:10])) + ", ..." * (len(names) > 10)
                raise ColumnError(
                    f"{PLACE} has no column {name!r}",
                    got=f"the columns {shown}",
                    hint=nearest(name, names) or "check the spelling.",
                )

    def rows_by_file(self) -> list[int]:
        """The number of rows, after the filter."""
        if self._n_rows is None:
            with explained():
                if self.filter is None:
                    self._n_rows = self._query.count()
                else:
                    first = next(iter(self._query.types))
                    batches = self.batches(0, [first], 2**18)
                    self._n_rows = sum(frame.height for frame in batches)
        return [self._n_rows]

    def batches(
        self, number: int, columns: Sequence[str], batch_rows: int
    ) -> Iterator[pl.DataFrame]:
        """Compute some columns, so many rows at a time before the filter."""
        del number
        named = [] if self.filter is None else self.filter.meta.root_names()
        needed = list(dict.fromkeys([*columns, *named]))
        with explained():
            for frame in _of_size(self._query.stream(needed, batch_rows), batch_rows):
                kept = frame if self.filter is None else frame.filter(self.filter)
                yield kept.select(columns)


def _of_size(frames: Iterator[pl.DataFrame], n_rows: int) -> Iterator[pl.DataFrame]:
    """The same rows, so many at a time: batches are numbered, and must be the same in each pass."""
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


@contextmanager
def explained() -> Iterator[None]:
    """Name the query in errors of the library that computes it."""
    try:
        yield
    except (PlaintreeError, GeneratorExit, KeyboardInterrupt, MemoryError):
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
