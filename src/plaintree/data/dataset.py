"""Tables in files that need not fit memory: `pt.open_dataset`.

The table is the one that all files give one below the other. Its rows are read in batches, as often
as needed; nothing else is kept in memory.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from plaintree.checks import bytes_of, check_number
from plaintree.errors import ColumnError, ParameterError, ReadingWarning, TableError
from plaintree.progress import Progress, no_progress

from .dataset_files import find_files
from .strings import DateOrder, ReadOptions

if TYPE_CHECKING:
    import polars as pl

BATCH_BYTES = 48 * 2**20
"""Of the values that are read at a time."""
MOST_ROWS, UNIT_ROWS, FEW_ROWS = 2**18, 2**17, 2**12
"""Rows of a batch, at most; in multiples of these, and fewer only if rows are wide."""


def open_dataset(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    target: str | None = None,
    *,
    columns: Sequence[str] | None = None,
    weights: str | None = None,
    filter: Any = None,
    memory_limit: int | str | None = None,
    store: str | os.PathLike[str] | None = None,
    missing_values: str | Sequence[str] = (),
    types: Mapping[str, str] | None = None,
    dates: DateOrder | None = None,
) -> Dataset:
    """Open a table in files, or a query, that may be larger than memory.

    Pass it to ``fit`` in place of ``X`` and ``y``, and to ``predict`` in place of ``X``. Rows are
    read in batches. The tree is the one that the whole table gives in memory.

    Parameters
    ----------
    paths : str, PathLike or sequence of them, or query
        A pattern such as ``data/*.parquet``, a directory, a file, or a list of these. The files of
        a pattern or a directory are sorted by path. Formats: Parquet (.parquet), Arrow (.arrow,
        .feather, .ipc) and CSV (.csv, .tsv, .txt; also with .gz or .zst). Directories such as
        ``year=2024`` give columns if they are below the given one or at a wildcard. A query is a
        ``LazyFrame`` of polars, a relation of DuckDB or a dataset of pyarrow. It is computed for
        each pass over its rows, and has to give the same rows each time, for forests in the same
        order.
    target : str or None, default=None
        The column to predict. None: rows without one, for ``predict``.
    columns : sequence of str or None, default=None
        The features. None: all columns but ``target`` and ``weights``.
    weights : str or None, default=None
        The column with the weights of the rows.
    filter : polars.Expr, str or None, default=None
        The condition for rows that are used, as an expression of polars or as SQL. It must decide
        each row by its own values.
    memory_limit : int, str or None, default=None
        The memory of the process during ``fit``, in bytes or as in "2 GB". None: a quarter of the
        available memory, and at least 1 GB.
    store : str, PathLike or None, default=None
        A directory for the encoded rows, kept for the next ``fit``. None: a temporary file.
    missing_values : str or sequence of str, default=()
        Strings in CSV files that mean a missing value.
    types : mapping of str to str or None, default=None
        The types of some columns of CSV files, as in :func:`plaintree.read_table`.
    dates : {"day-first", "month-first"} or None, default=None
        The order of day and month in CSV files, as in :func:`plaintree.read_table`.

    Returns
    -------
    Dataset
        The table.

    Raises
    ------
    MissingFileError
        If there is no such file, or no file matches.
    FileError
        If a file is damaged, or of an unknown format.
    ColumnError
        If a column is not in all files, or of another type in one of them.

    See Also
    --------
    plaintree.read_table : Read one file as a table in memory.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import plaintree as pt
    >>> place = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (place / "a.csv").write_text("outlook,play\\nsunny,no\\n")
    >>> _ = (place / "b.csv").write_text("outlook,play\\nrainy,yes\\n")
    >>> data = pt.open_dataset(place / "*.csv", "play")
    >>> len(data), data.columns
    (2, ('outlook',))
    """
    if isinstance(missing_values, str):
        missing_values = (missing_values,)
    options = ReadOptions(tuple(missing_values), {} if types is None else types, dates)
    dataset = Dataset(
        paths,
        target,
        columns=columns,
        weights=weights,
        filter=filter,
        memory_limit=bytes_of("memory_limit", memory_limit),
        store=store,
        options=options,
    )
    dataset._reader.check_declared()
    return dataset


class Dataset:
    """A table in files; made by :func:`plaintree.open_dataset`.

    Attributes
    ----------
    files : tuple of str
        The paths of the files, in the order of their rows.
    columns : tuple of str
        The features.
    target : str or None
        The column to predict.
    weights : str or None
        The column with the weights of the rows.
    memory_limit : int or None
        The memory of the process during ``fit``, in bytes.
    store : str or None
        The directory where encoded rows are kept.
    """

    def __init__(
        self,
        paths: Any,
        target: str | None = None,
        *,
        columns: Sequence[str] | None = None,
        weights: str | None = None,
        filter: Any = None,
        memory_limit: int | None = None,
        store: str | os.PathLike[str] | None = None,
        options: ReadOptions | None = None,
    ) -> None:
        from .dataset_filter import RowFilter
        from .dataset_query import QueryFile
        from .dataset_reading import FileReader

        query = QueryFile.of(paths)
        if query is not None and store is not None:
            raise ParameterError(
                "store is for files, of which it is known whether they changed",
                got=f"store={store!r} for a query",
                hint="leave it out, or write the rows of the query to Parquet files.",
            )
        files = find_files(paths) if query is None else (query,)
        self._reader = FileReader(
            files, RowFilter.of(filter), options or ReadOptions(), memory_limit
        )
        self.files = tuple(file.path for file in files)
        self.target, self.weights, self.memory_limit = target, weights, memory_limit
        self.store = None if store is None else os.fspath(store)
        others = [name for name in (target, weights) if name is not None]
        if columns is None:
            named = tuple(name for name in self._reader.types[0] if name not in others)
        else:
            named = _checked_columns(columns, others)
        self.columns = named
        self._reader.check_types([*named, *others], all_alike=columns is None)
        self._reader.check_filter()
        if not named:
            raise TableError("the table has no features", got=f"the columns {others}")
        self._warned = False

    def __repr__(self) -> str:
        n, first, last = len(self.files), repr(self.files[0]), repr(self.files[-1])
        shown = first if n == 1 else f"{n} files, {first} to {last}"
        if self._reader.files[0].format == "query":
            shown = "a query"
        target = "no target" if self.target is None else f"target {self.target!r}"
        return f"<Dataset of {shown}: {target}, {len(self.columns)} features>"

    def __len__(self) -> int:
        return self.n_rows

    @property
    def n_rows(self) -> int:
        """The number of rows, after the filter. Files of CSV are read to count them."""
        return sum(self._reader.rows_by_file())

    @property
    def key(self) -> dict[str, Any]:
        """What the rows depend on: the files as they were found, the columns, the filter."""
        files = self._reader.files
        options = self._reader.options
        return {
            "files": [(os.path.abspath(f.path), f.size, f.modified) for f in files],
            "columns": self.columns,
            "target": self.target,
            "weights": self.weights,
            "filter": None if self._reader.filter is None else self._reader.filter.key,
            "options": [list(options.missing_values), dict(options.types), options.dates],
        }

    def batches(self, n_rows: int | None = None) -> Iterator[pl.DataFrame]:
        """Read the table in batches of rows, to predict or evaluate them.

        Parameters
        ----------
        n_rows : int or None, default=None
            Rows of a batch before the filter, at most. None: as many as take some 50 MB, at most
            262,144.

        Yields
        ------
        polars.DataFrame
            The features, the target and the weights if there are any.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> import plaintree as pt
        >>> file = pathlib.Path(tempfile.mkdtemp(), "days.csv")
        >>> _ = file.write_text("humidity,play\\n80,no\\n65,yes\\n70,yes\\n")
        >>> [len(rows) for rows in pt.open_dataset(file, "play").batches(2)]
        [2, 1]
        """
        if n_rows is not None:
            check_number("n_rows", n_rows, 1, 2**31)
        for _, _, frame in self.located_batches(n_rows):
            yield frame

    @property
    def _needed(self) -> list[str]:
        """The features, the target and the weights."""
        others = (self.target, self.weights)
        return [*self.columns, *(name for name in others if name is not None)]

    @cached_property
    def _text_bytes(self) -> float:
        """The bytes of text in a row."""
        return self._reader.text_bytes(self._needed)

    @property
    def batch_rows(self) -> int:
        """Rows that are read at a time."""
        n_bytes = BATCH_BYTES
        if self.memory_limit is not None:
            n_bytes = min(n_bytes, self.memory_limit // 16)
        each = 8 * (len(self.columns) + 1) + self._text_bytes
        rows = min(MOST_ROWS, int(n_bytes // each))
        return rows // UNIT_ROWS * UNIT_ROWS or max(FEW_ROWS, rows)

    def located_batches(
        self, n_rows: int | None = None, columns: Sequence[str] | None = None
    ) -> Iterator[tuple[str, Any, pl.DataFrame]]:
        """Read batches as :meth:`batches` does, each with its place in its file.

        Parameters
        ----------
        n_rows : int or None, default=None
            Rows of a batch before the filter, at most; None: :attr:`batch_rows`.
        columns : sequence of str or None, default=None
            Some of the columns; None: the features, the target and the weights.

        Yields
        ------
        path : str
            The file.
        rows : RowNumbers
            The numbers of the rows in it; see :mod:`plaintree.data.parts`.
        frame : polars.DataFrame
            The rows.
        """
        needed = self._needed if columns is None else columns
        for number, path in enumerate(self.files):
            for rows, frame in self._reader.batches(number, needed, n_rows or self.batch_rows):
                yield path, rows, frame

    def warn_of_types(self, report: Progress = no_progress) -> None:
        """Read CSV files for their types, and warn of values that can be read in two ways, once."""
        if self._warned or not any(file.format == "csv" for file in self._reader.files):
            return
        self._warned = True
        for doubt in self._reader.found_texts(report).doubts(self._needed):
            warnings.warn(ReadingWarning(doubt), stacklevel=4)


def _checked_columns(columns: Any, others: Sequence[str]) -> tuple[str, ...]:
    if isinstance(columns, str) or not all(isinstance(name, str) for name in columns):
        raise ParameterError(
            "columns is not a list of names",
            got=f"columns={columns!r}",
            hint='pass the names of the features, as in columns=["age", "income"].',
        )
    named = tuple(columns)
    for name in others:
        if name in named:
            raise ColumnError(
                f"{name!r} is a feature and also the target or the weights",
                hint=f"leave {name!r} out of columns.",
            )
    repeated = [name for name in named if named.count(name) > 1]
    if repeated:
        raise ColumnError(
            "columns has a name more than once", got=repr(repeated[0]), hint="name it once."
        )
    return named
