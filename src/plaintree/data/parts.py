"""Tables in parts: files, partitions of a cluster. A part is read as a table of its own.

What all rows together decide (kinds, categories, classes) is found by a survey of the parts (see
survey.py). Reading and encoding a part gives what the whole table would give for its rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.errors import ColumnError, PlaintreeError, TableError, nearest, rows_counted

from .categorical_features import CategoricalFeatures
from .column import Column
from .frames import column_from
from .table import Table, table_from
from .target import weights_from

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Reading:
    """How each part is read.

    - ``target``, ``weights``: the columns of the target and of the weights of the rows.
    - ``features``: the other columns that are used, in this order; None for all, as they come.
    - ``numeric_target``: whether the target is read as numbers rather than as classes.
    - ``categorical_features``: as estimators take it.
    """

    target: str
    features: tuple[str, ...] | None = None
    weights: str | None = None
    numeric_target: bool = False
    categorical_features: CategoricalFeatures = field(default="from_dtype", hash=False)


@dataclass(frozen=True, eq=False)
class RowNumbers:
    """The numbers of some rows in their file: ``first`` onwards, of which some were ``kept``."""

    first: int = 0
    kept: NDArray[np.intp] | None = None

    def __getitem__(self, chosen: NDArray[np.intp]) -> RowNumbers:
        return RowNumbers(self.first, chosen if self.kept is None else self.kept[chosen])

    def number_of(self, index: int) -> int:
        """The number of a row, counted from 0."""
        return self.first + int(index if self.kept is None else self.kept[index])


FROM_FIRST = RowNumbers()
"""The rows are all of their table, or a partition that is counted by itself."""


@dataclass(frozen=True, eq=False)
class Part:
    """Some rows of a table: its features, the target and the weights.

    ``where`` names the file or the partition, ``rows`` has their numbers in it.
    """

    where: str
    table: Table
    target: Column
    weights: Floats | None
    rows: RowNumbers = FROM_FIRST

    def __len__(self) -> int:
        return self.table.n_rows


def part_from(
    frame: Any, reading: Reading, where: str, rows: RowNumbers = FROM_FIRST
) -> Part | None:
    """The part that a pandas, polars or Arrow frame is; None without rows.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"x": [1.0, 2.0], "y": ["no", "yes"]})
    >>> part_from(frame, Reading("y"), "a.csv").table.names
    ('x',)
    """
    import narwhals as nw

    with located(where, rows):
        given = nw.from_native(frame, eager_only=True)
        names = list(given.columns)
        features = list(reading.features or ())
        if not features:
            features = [n for n in names if n not in (reading.target, reading.weights)]
        needed = [*features, reading.target, *([reading.weights] if reading.weights else [])]
        for name in needed:
            if name not in names:
                raise _no_column(name, names)
        if len(given) == 0:
            return None
        weights = None
        if reading.weights is not None:
            column = given.get_column(reading.weights).to_native()
            weights = weights_in(column, reading.weights, len(given))
        return Part(
            where,
            table_from(given.select(features).to_native()),
            column_from(reading.target, given.get_column(reading.target).to_native()),
            weights,
            rows,
        )


def _no_column(name: str, names: list[str]) -> ColumnError:
    return ColumnError(
        f"the table has no column {name!r}",
        got=f"the columns {', '.join(map(repr, names[:10]))}" + ", ..." * (len(names) > 10),
        hint=nearest(name, names) or "check the spelling; other parts may have it.",
    )


def weights_in(column: Any, name: str, n_rows: int) -> Floats:
    """The weights of a part, of which all may be zero."""
    try:
        weights = weights_from(column, n_rows, is_part=True)
    except TableError as error:
        happened = error.happened.replace("sample_weight", f"the column {name!r} of weights")
        got = f"a column of type {getattr(column, 'dtype', None) or column.type}"
        in_rows = (error.got or "").startswith("an object of type")
        raise type(error)(happened, got if in_rows else error.got, error.hint) from error
    assert weights is not None
    return weights


@contextmanager
def located(where: str, rows: RowNumbers = FROM_FIRST) -> Iterator[None]:
    """Name the part in errors about it, and its rows by their numbers."""
    try:
        with rows_counted(rows.number_of):
            yield
    except PlaintreeError as error:
        if where in str(error):
            raise
        happened = f"{error.happened} (in {where})"
        raise type(error)(happened, error.got, error.hint) from error
