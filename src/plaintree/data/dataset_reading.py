"""Files of a table read in batches of bounded size, each format by its own way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from plaintree.errors import (
    ColumnError,
    ParameterError,
    nearest,
)
from plaintree.progress import Progress, no_progress

from .chunks import of_size
from .dataset_files import (
    DataFile,
    damaged,
    find_files,
    partition_columns,
    refuse_named_twice,
)
from .dataset_filter import RowFilter
from .dataset_formats import (
    lazy_rows,
    refuse_larger_batch,
    sizes_of_batches,
    text_bytes,
    text_pieces,
)
from .dataset_query import QueryFile, explained
from .files import StringTable
from .frames import column_from
from .parts import RowNumbers, located
from .piece_types import PieceTypes
from .strings import ReadOptions
from .survey import Survey

Types = dict[str, Any]
READING_TYPES = "reading types"
"""The stage of looking at all strings of CSV files, as progress callbacks get it."""


@dataclass(eq=False)
class FileReader:
    """Reads the files of a table, and of its rows those that ``filter`` keeps."""

    files: tuple[DataFile, ...]
    filter: RowFilter | None
    options: ReadOptions
    memory_limit: int | None = None
    partitions: dict[str, pl.Series] = field(init=False)
    types: list[Types] = field(init=False)
    _texts: PieceTypes | None = field(init=False, default=None)
    _rows: list[int] = field(init=False, default_factory=list)
    _text_rows: dict[int, int] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.partitions = partition_columns(self.files)
        self.types = [self._types_of(file) for file in self.files]

    # ---------------------------------------------------------------- types

    def _types_of(self, file: DataFile) -> Types:
        """The names and types of a file, without reading its rows; strings for CSV."""
        if file.format == "csv":
            with located(file.path):
                types = dict(next(text_pieces(file)).rows.schema)
        elif isinstance(file, QueryFile):
            types = file.known.types
        else:
            try:
                types = dict(lazy_rows(file).collect_schema())
            except (pl.exceptions.PolarsError, OSError) as error:
                raise damaged(file.path, error) from error
        refuse_named_twice(file, types)
        return types | {name: values.dtype for name, values in self.partitions.items()}

    def check_types(self, needed: Sequence[str], *, all_alike: bool) -> None:
        """Raise an error if a file lacks a column, or has it of another type.

        ``all_alike``: no file may have a column that others do not have.
        """
        for file, types in zip(self.files, self.types, strict=True):
            for name in needed:
                if name not in types:
                    raise self._absent(name, file, types)
        seen: dict[tuple[Any, ...], tuple[int, str, Types]] = {}
        for number, (file, types) in enumerate(zip(self.files, self.types, strict=True)):
            names = set(types if all_alike else needed)
            used = {name: types[name] for name in types if name in names}
            if file.format == "csv":
                used = dict.fromkeys(used, pl.Null())  # their types are known when all are read
            seen.setdefault(
                tuple(sorted((n, str(t)) for n, t in used.items())), (number, file.path, used)
            )
        if len(seen) > 1:
            Survey.merged(self._survey_of_types(*own) for own in seen.values())

    @staticmethod
    def _survey_of_types(number: int, path: str, types: Types) -> Survey:
        columns = []
        with located(path):
            for name, dtype in types.items():
                columns.append((column_from(name, pl.Series([], dtype=dtype)), dtype == pl.Null))
        return Survey.of_types(columns, path, number)

    def _absent(self, name: str, file: DataFile, types: Types) -> ColumnError:
        having = [f.path for f, t in zip(self.files, self.types, strict=True) if name in t]
        if having:
            return ColumnError(
                f"column {name!r} is not in all files",
                got=f"{name!r} in {having[0]}, but not in {file.path}",
                hint="add it where it is absent, or leave it out by columns=.",
            )
        names = list(types)
        shown = ", ".join(map(repr, names[:10])) + ", ..." * (len(names) > 10)
        return ColumnError(
            f"the files have no column {name!r}",
            got=f"the columns {shown} in {file.path}",
            hint=nearest(name, names) or "check the spelling.",
        )

    @property
    def texts(self) -> PieceTypes:
        """The types of the columns of CSV."""
        return self.found_texts()

    def found_texts(self, report: Progress = no_progress) -> PieceTypes:
        """The types of the columns of CSV, for which all of these files are read once."""
        if self._texts is None:
            found = PieceTypes(self.options)
            for number, file in enumerate(self.files):
                if file.format == "csv":
                    file.check_unchanged()
                    self._text_rows[number] = 0
                    for piece in text_pieces(file):
                        found.add(piece.rows, decimal_comma=piece.decimal_comma, file=file.path)
                        self._text_rows[number] += piece.rows.height
                        report(READING_TYPES, sum(self._text_rows.values()), None)
            self._texts = found
        return self._texts

    # ---------------------------------------------------------------- rows

    def text_bytes(self, columns: Sequence[str]) -> float:
        """The bytes of text in a row of some columns, by the first rows of three files."""
        last = len(self.files) - 1
        return max(text_bytes(self.files[i], columns) for i in {0, last // 2, last})

    def rows_by_file(self) -> list[int]:
        """The number of rows of each file, after the filter."""
        if not self._rows:
            self._rows = [self._count(number) for number in range(len(self.files))]
        return self._rows

    def _count(self, number: int) -> int:
        file = self.files[number]
        if self.filter is None and file.format != "csv":
            return self._length(file)
        if self.filter is None:
            assert self.texts is not None  # reads and counts these files
            return self._text_rows[number]
        columns = [next(iter(self.types[number]))]
        return sum(frame.height for _, frame in self.batches(number, columns, 2**18))

    @staticmethod
    def _length(file: DataFile) -> int:
        if isinstance(file, QueryFile):
            with explained():
                return file.known.count()
        try:
            return int(lazy_rows(file).select(pl.len()).collect().item())
        except pl.exceptions.PolarsError as error:
            raise damaged(file.path, error) from error

    def batches(
        self, number: int, columns: Sequence[str], batch_rows: int
    ) -> Iterator[tuple[RowNumbers, pl.DataFrame]]:
        """Read some columns of a file, so many rows at a time before the filter."""
        file = self.files[number]
        file.check_unchanged()
        own = {name: values[number] for name, values in self.partitions.items()}
        needed = list(dict.fromkeys([*columns, *self._filtered_by(number)]))
        if file.format == "csv":
            frames = self._csv_batches(file, needed, batch_rows, own)
        elif isinstance(file, QueryFile):
            frames = file.batches(needed, batch_rows)
        else:
            frames = of_size(self._slices(file, needed, batch_rows, own), batch_rows)
        first = 0
        for frame in frames:
            if self.filter is None:
                yield RowNumbers(first), frame.select(columns)
            else:
                kept = self.filter.kept(frame)
                rows = RowNumbers(first, kept.arg_true().to_numpy())
                yield rows, frame.filter(kept).select(columns)
            first += frame.height
            file.check_unchanged()

    def _slices(
        self, file: DataFile, columns: Sequence[str], batch_rows: int, own: Mapping[str, Any]
    ) -> Iterator[pl.DataFrame]:
        table, first = lazy_rows(file), 0
        for n_rows in self._lengths(file, columns, batch_rows):
            rows = self._with_partition(table.slice(first, n_rows), own)
            try:
                frame = rows.select(columns).collect()
            except (pl.exceptions.PolarsError, OSError) as error:
                file.check_unchanged()
                raise damaged(file.path, error) from error
            yield frame
            first += n_rows

    def _lengths(self, file: DataFile, columns: Sequence[str], batch_rows: int) -> Iterator[int]:
        """The rows to read at a time: those of record batches, which are read only once."""
        if file.format != "arrow":
            n_rows = self._length(file)
            yield from (min(batch_rows, n_rows - i) for i in range(0, n_rows, batch_rows))
            return
        held, types = 0, lazy_rows(file).collect_schema()
        for batch in sizes_of_batches(file):
            refuse_larger_batch(file, batch, columns, self.memory_limit, types)
            held += batch.n_rows
            if held >= batch_rows:
                yield held
                held = 0
        if held:
            yield held

    def _csv_batches(
        self, file: DataFile, columns: Sequence[str], batch_rows: int, own: Mapping[str, Any]
    ) -> Iterator[pl.DataFrame]:
        wanted, first_row = set(columns), 0
        for rows, decimal_comma in _joined(text_pieces(file), batch_rows):
            with located(file.path):
                frame = self.texts.typed(
                    rows.select([name for name in rows.columns if name in wanted]),
                    decimal_comma=decimal_comma,
                    first_row=first_row,
                )
            first_row += rows.height
            lazy = self._with_partition(
                frame.lazy() if frame.width else pl.LazyFrame({"": [None] * rows.height}), own
            )
            yield lazy.select(columns).collect()

    def _with_partition(self, rows: pl.LazyFrame, own: Mapping[str, Any]) -> pl.LazyFrame:
        return rows.with_columns(
            pl.lit(value, dtype=self.partitions[name].dtype).alias(name)
            for name, value in own.items()
        )

    # ---------------------------------------------------------------- the filter

    def _filtered_by(self, number: int) -> list[str]:
        """The columns of a file that the filter needs."""
        return [] if self.filter is None else self.filter.columns(self.types[number])

    def check_declared(self) -> None:
        """Raise an error for a declared type of a column that no CSV file has."""
        texts = [t for f, t in zip(self.files, self.types, strict=True) if f.format == "csv"]
        columns = dict.fromkeys(n for t in texts for n in t if n not in self.partitions)
        typed = {n: str(dtype) for t in self.types for n, dtype in t.items() if n not in columns}
        for name in self.options.types:
            if name in typed:
                raise ParameterError(
                    f"types is for columns of CSV files, and {name!r} has a type of its own",
                    got=f"types={name}={self.options.types[name]} for a column of {typed[name]}",
                    hint="leave it out, or convert the column where the files are written.",
                )
        self.options.kinds(list(columns))

    def check_filter(self) -> None:
        """Raise an error if the filter names other columns, or is not a condition."""
        if self.filter is None:
            return
        self.check_types(self._filtered_by(0), all_alike=False)
        if all(file.format != "csv" for file in self.files):
            self.filter.check(self.types[0])  # those of CSV are known when all rows are read


# -------------------------------------------------------------------- formats


def column_names(paths: Any) -> list[str]:
    """The names of the columns of a table, by its first file."""
    return list(FileReader(find_files(paths)[:1], None, ReadOptions()).types[0])


def _joined(pieces: Iterator[StringTable], n_rows: int) -> Iterator[tuple[pl.DataFrame, bool]]:
    """The rows of pieces, so many at a time, and whether commas are decimal in the file."""
    decimal_comma = False

    def rows() -> Iterator[pl.DataFrame]:
        nonlocal decimal_comma
        for piece in pieces:
            decimal_comma = piece.decimal_comma
            yield piece.rows

    for frame in of_size(rows(), n_rows):
        yield frame, decimal_comma
