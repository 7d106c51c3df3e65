"""Tables of a caller as Parquet files, which a worker can load again at any time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from plaintree.data.table import refuse_dataset, table_from
from plaintree.errors import ArgumentTypeError, ColumnError, ParameterError, nearest


def write_frame(X: Any, y: Any, target: str | None, path: Path) -> str:
    """Write a table, with ``y`` as its last column if that is given; the target's name."""
    frame = _polars(X)
    if y is None:
        if target is None:
            return str(frame.columns[-1])
        if target not in frame.columns:
            raise ColumnError(
                f"there is no column {target!r}",
                got=f"target={target!r}",
                hint=nearest(target, frame.columns) or "the table's columns are its features.",
            )
    else:
        column = _series(y)
        target = target or column.name or "target"
        if target in frame.columns:
            raise ParameterError(
                f"the name {target!r} of y is that of a column of X",
                got=f"target={target!r}",
                hint="pass target= with another name, or leave the column out of X.",
            )
        if len(column) != len(frame):
            raise ParameterError(
                "y has another number of rows than X", got=f"{len(column)} and {len(frame)} rows"
            )
        frame = frame.with_columns(column.alias(target))
    frame.write_parquet(path)
    return target


def _polars(X: Any) -> pl.DataFrame:
    import narwhals as nw

    refuse_dataset(X)
    native = nw.to_native(X, pass_through=True)
    try:
        if nw.dependencies.is_into_dataframe(native):
            frame: pl.DataFrame = nw.from_native(native, eager_only=True).to_polars()
            return frame
        table = table_from(native)  # also says what is wrong with what is not a table
        columns = native if isinstance(native, dict) else _columns(native, table.names)
        return pl.DataFrame({str(name): list(values) for name, values in columns.items()})
    except (pl.exceptions.PolarsError, ImportError, TypeError) as error:
        if isinstance(error, ArgumentTypeError):
            raise
        raise ArgumentTypeError(
            "the table cannot be written as a Parquet file for the studio",
            got=str(error).partition("\n")[0],
            hint="convert columns of mixed types, or pass a polars.DataFrame.",
        ) from error


def _columns(rows: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """The columns of a matrix or of a list of rows."""
    return dict(zip(names, zip(*rows, strict=True), strict=True))


def _series(y: Any) -> pl.Series:
    import narwhals as nw

    native = nw.to_native(y, pass_through=True)
    if nw.dependencies.is_into_series(native):
        series: pl.Series = nw.from_native(native, series_only=True).to_polars()
        return series
    values = native.tolist() if hasattr(native, "tolist") else list(native)
    return pl.Series(str(getattr(y, "name", None) or ""), values)
