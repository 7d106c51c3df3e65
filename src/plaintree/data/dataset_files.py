"""Files of one table: paths found, formats, partition columns, and changes noticed."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import polars as pl

from plaintree.checks import check_path
from plaintree.errors import (
    ArgumentTypeError,
    ColumnError,
    FileError,
    MissingFileError,
    file_error,
    unreadable,
)

FORMATS = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
}
COMPRESSIONS = (".gz", ".zst")
"""Compressions of a whole CSV file."""
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"

_PATTERN = re.compile(r"[*?\[]")


@dataclass(frozen=True)
class DataFile:
    """A file of a table.

    ``size`` and ``modified`` are those it had when it was found; ``partition`` has the columns
    that its directories name, such as ``year=2024``.
    """

    path: str
    format: str
    size: int
    modified: int
    partition: tuple[tuple[str, str | None], ...] = ()

    def check_unchanged(self) -> None:
        """Raise an error if the file vanished, or is not what it was."""
        found = _stat(self.path)
        if (found.st_size, found.st_mtime_ns) != (self.size, self.modified):
            raise FileError(
                f"{self.path} changed while it was used",
                got=f"{found.st_size:,} bytes; it had {self.size:,}"
                if found.st_size != self.size
                else "another time of modification",
                hint="open the dataset again when nothing writes to its files.",
            )


def find_files(paths: Any) -> tuple[DataFile, ...]:
    """The files that a pattern, a directory, a path or a list of them names, in order.

    Files of a pattern or a directory are sorted by path; a list keeps its order.
    """
    given = [paths] if isinstance(paths, str | os.PathLike) else paths
    if is_frame(paths):
        raise ArgumentTypeError(
            "a dataset is a table in files, and this one is in memory",
            got=f"an object of type {type(paths).__module__.partition('.')[0]}."
            f"{type(paths).__name__}",
            hint="pass it to fit directly, or a frame of polars as a query: frame.lazy().",
        )
    if isinstance(given, bytes) or not isinstance(given, Iterable):
        raise ArgumentTypeError(
            "paths does not name files",
            got=f"an object of type {type(paths).__name__}",
            hint='pass a pattern such as "data/*.parquet", a directory, a path or a list of paths.',
        )
    found = [file for path in given for file in _expanded(os.fspath(check_path(path)))]
    if not found:
        raise MissingFileError(
            "paths names no files", got=repr(paths), hint="pass at least one path."
        )
    _refuse_other_partitions(found)
    return tuple(found)


def is_frame(given: Any) -> bool:
    """Whether an object is a table in memory rather than one or several paths.

    >>> is_frame(pl.DataFrame({"x": [1]})), is_frame(["a.csv"])
    (True, False)
    """
    library = type(given).__module__.partition(".")[0]
    if library in ("polars", "pandas", "pyarrow"):
        return hasattr(given, "columns") or hasattr(given, "column_names")
    return isinstance(given, Mapping) or (library == "numpy" and getattr(given, "ndim", 0) > 1)


def is_several(path: str) -> bool:
    """Whether a path names the files of a directory, or those that match a pattern."""
    return os.path.isdir(path) or (bool(_PATTERN.search(path)) and not os.path.exists(path))


def known_format(path: str) -> str | None:
    """The format of a file by its name; None if it is unknown.

    >>> known_format("a.feather"), known_format("a.csv.gz"), known_format("a.xlsx")
    ('arrow', 'compressed csv', None)
    """
    kind = _format(os.path.basename(path))
    return "compressed csv" if kind == "csv" and path.lower().endswith(COMPRESSIONS) else kind


def partition_columns(files: Sequence[DataFile]) -> dict[str, pl.Series]:
    """The columns that directories name, with one value for each file.

    >>> at = [DataFile("year=2024/a.csv", "csv", 1, 1, (("year", "2024"),))]
    >>> partition_columns(at)["year"].to_list()
    [2024]
    """
    names = [name for name, _ in files[0].partition]
    return {
        name: _typed(pl.Series(name, [dict(file.partition)[name] for file in files], pl.String))
        for name in names
    }


def _typed(texts: pl.Series) -> pl.Series:
    """Integers or dates where all values are; otherwise strings, as polars has them."""
    for kind in (pl.Int64, pl.Date):
        typed = (
            texts.cast(pl.Int64, strict=False)
            if kind is pl.Int64
            else (texts.str.to_date("%Y-%m-%d", strict=False))
        )
        if typed.null_count() == texts.null_count():
            return typed
    return texts


# -------------------------------------------------------------------- paths


def _expanded(path: str) -> list[DataFile]:
    if os.path.isdir(path):
        names = [
            str(file)
            for file in Path(path).rglob("*")
            if file.is_file() and _format(file.name) and not _is_hidden(file.relative_to(path))
        ]
        if not names:
            raise MissingFileError(
                f"the directory {path} has no files of a known format",
                hint=f"known are {', '.join(FORMATS)}; CSV also with {' and '.join(COMPRESSIONS)}.",
            )
        return [_file(name, len(Path(path).parts)) for name in sorted(names)]
    if not is_several(path):
        return [_file(path)]
    names = [name for name in glob.glob(path, recursive=True) if os.path.isfile(name)]
    if not names:
        raise MissingFileError(
            f"no file matches {path}", hint="check the directory and the spelling."
        )
    fixed = next(i for i, part in enumerate(Path(path).parts) if _PATTERN.search(part))
    return [_file(name, fixed) for name in sorted(names)]


def _is_hidden(path: Path) -> bool:
    """Whether programs keep such files for themselves, as _SUCCESS and .part.crc."""
    return any(part.startswith((".", "_")) for part in path.parts)


def _format(name: str) -> str | None:
    suffixes = Path(name.lower()).suffixes
    if suffixes and suffixes[-1] in COMPRESSIONS:
        suffixes = suffixes[:-1]
        return "csv" if suffixes and FORMATS.get(suffixes[-1]) == "csv" else None
    return FORMATS.get(suffixes[-1]) if suffixes else None


def _file(path: str, n_given: int | None = None) -> DataFile:
    """The file; only directories below those that were given add columns."""
    found = _stat(path)
    kind = _format(path)
    if kind is None:
        raise FileError(
            f"the format of {path} is unknown",
            got=f"extension {''.join(Path(path).suffixes)!r}",
            hint=f"known are {', '.join(FORMATS)}; CSV also with {' and '.join(COMPRESSIONS)}.",
        )
    if not os.path.isfile(path):
        raise FileError(f"{path} is not a regular file", hint="pass the path of a file.")
    return DataFile(path, kind, found.st_size, found.st_mtime_ns, _partition(path, n_given))


def _stat(path: str) -> os.stat_result:
    try:
        return os.stat(path)
    except OSError as error:
        raise unreadable(path, error) from error


def _partition(path: str, n_given: int | None) -> tuple[tuple[str, str | None], ...]:
    if n_given is None:
        return ()
    below = Path(path).parts[n_given:-1]
    pairs = (part.split("=", 1) for part in below if "=" in part[1:])
    return tuple(
        (unquote(name), None if value == NO_VALUE else unquote(value)) for name, value in pairs
    )


def refuse_named_twice(file: DataFile, columns: Iterable[str]) -> None:
    """Raise an error for a column of a file that its directories name as well."""
    for name, value in file.partition:
        if name in columns:
            raise ColumnError(
                f"column {name!r} is in a file, and its directory names it as well",
                got=f"{name}={value} above {file.path}",
                hint="leave the column out of the file, or rename the directory.",
            )


def _refuse_other_partitions(files: Sequence[DataFile]) -> None:
    wanted = [name for name, _ in files[0].partition]
    for file in files:
        names = [name for name, _ in file.partition]
        if names != wanted:
            raise FileError(
                "the directories of the files name different partition columns",
                got=f"{_listed(wanted)} in {files[0].path}, but {_listed(names)} in {file.path}",
                hint="put all files into directories such as year=2024 alike.",
            )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names)) or "none"


def damaged(path: str, error: Exception) -> FileError:
    """Make the error for a file that does not hold what its extension says."""
    if isinstance(error, OSError):
        return file_error(f"{path} cannot be read", error)
    text = str(error).partition("\n")[0]
    return FileError(f"{path} is damaged, or not of its format", got=text)
