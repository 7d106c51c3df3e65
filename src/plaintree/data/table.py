"""Tables of any make as named columns.

Whatever the caller has (pandas, polars, Arrow, numpy, lists, dictionaries) becomes a
:class:`Table` here, and no other module depends on its source.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from plaintree.errors import ArgumentTypeError, TableError, row_name

from .column import Column, complex_data, numpy_column, object_column, reading, without_mask
from .frames import column_from

if TYPE_CHECKING:
    from .dataset import Dataset


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of equal length.

    ``generated_names``: the caller's table had no names. ``text_names``: it had, and all of them
    were strings, as scikit-learn requires for feature names. ``is_part``: it
    is some rows of another table.
    """

    columns: tuple[Column, ...]
    n_rows: int
    generated_names: bool = False
    text_names: bool = True
    is_part: bool = False

    def __len__(self) -> int:
        return self.n_rows

    def take(self, rows: NDArray[Any]) -> Table:
        """Return some rows, by number or mask, as if only these had been read.

        >>> table_from({"outlook": ["sunny", "rainy"]}).take(np.array([1])).columns[0].labels
        ('rainy',)
        """
        columns = tuple(column.take(rows) for column in self.columns)
        return replace(self, columns=columns, n_rows=len(columns[0].values), is_part=True)

    def without(self, names: Collection[str]) -> Table:
        """All columns but those of some names."""
        return replace(self, columns=tuple(c for c in self.columns if c.name not in names))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names in order."""
        return tuple(column.name for column in self.columns)

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """The names, if the caller gave them as strings."""
        return self.names if self.text_names and not self.generated_names else None


def made_up_names(n_columns: int) -> tuple[str, ...]:
    """The names of columns that have none."""
    return tuple(f"x{i}" for i in range(n_columns))


def is_dataset(X: Any) -> TypeGuard[Dataset]:
    """Whether a table is read in batches."""
    return hasattr(X, "located_batches")


def refuse_dataset(X: Any) -> None:
    """Raise an error for a dataset, where all rows are needed at once."""
    if is_dataset(X):
        raise ArgumentTypeError(
            "X is a dataset, and its rows are needed in memory here",
            got=repr(X),
            hint="pass a table in memory, such as polars.concat(X.batches()) if it fits.",
        )


def table_from(X: Any) -> Table:
    """The named columns of a frame, matrix, dictionary of columns or list of rows.

    A Table is returned as it is.

    >>> table_from({"outlook": ["sunny", None, "rainy"], "humidity": [85, 90, 78]}).names
    ('outlook', 'humidity')
    """
    if isinstance(X, Table):
        return X
    with reading("X"):
        return _table_from(X)


def _table_from(X: Any) -> Table:
    import narwhals as nw

    X = nw.to_native(X, pass_through=True)
    if type(X).__name__ == "RecordBatch" and type(X).__module__.startswith("pyarrow"):
        X = _table_of_batch(X)
    if nw.dependencies.is_into_dataframe(X):
        return _table_from_frame(X)
    if hasattr(X, "nnz") and hasattr(X, "toarray"):
        raise ArgumentTypeError(
            "sparse matrices are not supported",
            got=f"a sparse {type(X).__name__}",
            hint="make it dense with .toarray().",
        )
    if nw.dependencies.is_into_lazyframe(X):
        raise ArgumentTypeError(
            "a lazy frame has no rows yet", hint=f"call .{_method_of_rows(X)}() first."
        )
    refuse_dataset(X)
    if isinstance(X, Mapping):
        return _table_from_columns(X)
    if isinstance(X, (list, tuple)):
        return _table_from_rows(X)
    if hasattr(X, "__array__"):
        return _table_from_matrix(np.ma.asanyarray(X) if np.ma.isMA(X) else np.asarray(X))
    raise ArgumentTypeError(
        "X is not a table",
        got=f"an object of type {type(X).__name__}",
        hint="use a pandas or polars DataFrame, an Arrow table, a 2-D numpy array, a dict of "
        "lists or a list of rows (a file: plaintree.read_table).",
    )


def _method_of_rows(lazy: Any) -> str:
    """The method by which a lazy frame becomes a table: of Dask, of Spark, of polars."""
    names = ("compute", "toArrow", "to_pyarrow", "df", "collect")
    return next((name for name in names if hasattr(lazy, name)), "collect")


def _table_of_batch(batch: Any) -> Any:
    import pyarrow as pa

    return pa.Table.from_batches([batch])


def _table_from_frame(X: Any) -> Table:
    import narwhals as nw

    given = list(X.column_names if hasattr(X, "column_names") else X.columns)
    names, text_names = list(map(str, given)), _all_text(given)
    _check_shape(len(X), names)
    if nw.dependencies.is_pandas_dataframe(X):
        dtypes = list(set(X.dtypes))
        if len(names) >= 500 and len(dtypes) == 1 and isinstance(dtypes[0], np.dtype):
            # One matrix: 5,000 Series took 0.15 s to make, slices of the frame's block 0.015 s.
            return replace(_table_from_matrix(X.to_numpy(), names), text_names=text_names)
        series: Iterable[Any] = [values for _, values in X.items()]
    elif nw.dependencies.is_pyarrow_table(X):
        series = X.columns
    else:
        frame = nw.from_native(X, eager_only=True)
        series = (X if nw.dependencies.is_polars_dataframe(X) else frame.to_polars()).get_columns()
    columns = tuple(column_from(n, s) for n, s in zip(names, series, strict=True))
    return Table(columns, len(X), text_names=text_names)


def _table_from_matrix(X: NDArray[Any], names: Sequence[str] | None = None) -> Table:
    if X.ndim != 2:
        raise _not_two_dimensional(f"an array of shape {X.shape}")
    labels = made_up_names(X.shape[1]) if names is None else names
    _check_shape(X.shape[0], labels)
    if X.dtype.kind == "c":
        raise complex_data("X")
    X = without_mask(X)
    columns = tuple(numpy_column(name, X[:, i]) for i, name in enumerate(labels))
    return Table(columns, X.shape[0], generated_names=names is None)


def _table_from_columns(X: Mapping[Any, Any]) -> Table:
    names = [str(name) for name in X]
    columns = tuple(column_from(n, values) for n, values in zip(names, X.values(), strict=True))
    lengths = {c.name: len(c.values) for c in columns}
    if len(set(lengths.values())) > 1:
        raise TableError(
            "the columns are not equally long",
            got=", ".join(f"{name!r} with {n} rows" for name, n in list(lengths.items())[:5]),
            hint="pass one value per row in every column (None if missing).",
        )
    _check_shape(next(iter(lengths.values()), 0), names)
    return Table(columns, len(columns[0].values), text_names=_all_text(X))


def _table_from_rows(rows: Sequence[Any]) -> Table:
    if rows and all(isinstance(row, Mapping) for row in rows):
        names = {str(name): name for row in rows for name in row}
        table = _table_from_columns(
            {text: [row.get(name) for row in rows] for text, name in names.items()}
        )
        return replace(table, text_names=_all_text(names.values()))
    if all(isinstance(row, np.ndarray) and row.ndim for row in rows) and rows:
        return _table_from_matrix(np.asarray(rows))
    if not all(isinstance(row, (list, tuple, np.ndarray)) for row in rows):
        raise _not_two_dimensional(f"a flat list of {len(rows)} values")
    width = len(rows[0]) if rows else 0
    for number, row in enumerate(rows):
        if len(row) != width:
            raise TableError(
                "the rows are not equally long",
                got=f"{width} values in {row_name(0)} and {len(row)} in {row_name(number)}",
                hint="write None where a value is missing.",
            )
    labels = made_up_names(width)
    _check_shape(len(rows), labels)
    columns = zip(labels, zip(*rows, strict=True), strict=True)
    return Table(tuple(object_column(n, list(v)) for n, v in columns), len(rows), True)


def _all_text(names: Iterable[Any]) -> bool:
    return all(isinstance(name, str) for name in names)


def _check_shape(n_rows: int, names: Sequence[str]) -> None:
    if not names:
        raise TableError(
            f"X has 0 feature(s) (shape=({n_rows}, 0)) while a minimum of 1 is required",
            hint="pass at least one column in addition to the target.",
        )
    if n_rows == 0:
        raise TableError(
            f"X has 0 sample(s) (shape=(0, {len(names)})) while a minimum of 1 is required",
            hint="pass at least one row.",
        )
    check_names(names)


def check_names(names: Sequence[str]) -> None:
    """Refuse two columns of the same name."""
    if len(set(names)) < len(names):
        twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        raise TableError(
            "column names are not unique",
            got=f"{', '.join(map(repr, twice))} more than once",
            hint="rename or drop the repeated columns.",
        )


def _not_two_dimensional(got: str) -> TableError:
    return TableError(
        "X must have two dimensions: rows and columns",
        got=got,
        hint="Reshape your data: X.reshape(-1, 1) is one column, X.reshape(1, -1) one row.",
    )


# -------------------------------------------------------------------- fitted models


def remember_names(model: Any, table: Table) -> None:
    """Set ``feature_names_in_`` of a fitted model if the table has names that are strings."""
    if table.feature_names is not None:
        model.feature_names_in_ = np.array(table.feature_names, dtype=object)
    else:
        vars(model).pop("feature_names_in_", None)  # of a fit before


def table_for(model: Any, X: Any) -> Table:
    """A new table for a fitted model.

    One without names must be as wide as the one of training. Where only one of the two has names,
    columns go by position, and a warning says so in scikit-learn's words.
    """
    table, name = table_from(X), type(model).__name__
    if table.generated_names and len(table.columns) != model.n_features_in_:
        raise TableError(
            f"X has {len(table.columns)} features, but {name} is expecting "
            f"{model.n_features_in_} features as input"
        )
    fitted = getattr(model, "feature_names_in_", None)
    if fitted is None and table.feature_names is not None:
        _warn(f"X has feature names, but {name} was fitted without feature names")
    elif table.feature_names is None and _are_own(fitted):
        _warn(f"X does not have valid feature names, but {name} was fitted with feature names")
    return table


def _are_own(names: NDArray[np.object_] | None) -> bool:
    """Whether a model has names from the caller; imported trees may have generated ones."""
    return names is not None and tuple(names) != made_up_names(len(names))


def _warn(text: str) -> None:
    warnings.warn(
        text, UserWarning, stacklevel=7
    )  # _warn, table_for, two of the model's, in_batches, predict
