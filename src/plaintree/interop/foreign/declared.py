"""Schema of a printed tree: the columns, their categories and the classes, in order.

They come from a schema, or from the file that declared them to the program which grew the tree.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from plaintree.data.declared_files import read_arff, read_c45
from plaintree.data.files import file_text
from plaintree.data.schema import Feature, Schema
from plaintree.errors import ArgumentTypeError, FileError

Declared = Schema | str | Path | None


def source_text(source: Any) -> str:
    """Return the text of a file, or the text itself if it has more than one line."""
    if isinstance(source, str) and "\n" in source:
        return source
    if not isinstance(source, str | Path):
        raise ArgumentTypeError(
            "a printed tree is neither text nor a file",
            got=f"an object of type {type(source).__name__}",
            hint="pass the path of a file, or the text with its line ends.",
        )
    return file_text(source)


def declared_schema(declared: Any, target: str | None = None) -> Schema | None:
    """Return a schema, or read it from a .names or .arff file; None stays None.

    The target is the column of that name, or the last one.
    """
    if declared is None or isinstance(declared, Schema):
        return declared
    if not isinstance(declared, str | Path):
        raise ArgumentTypeError(
            "the schema is neither a Schema nor a file that declares columns",
            got=f"an object of type {type(declared).__name__}",
            hint="pass plaintree.data.Schema(...), or the path of a .names or .arff file.",
        )
    frame = _frame(str(declared))
    name = frame.columns[-1] if target is None else target
    if name not in frame.columns:
        raise FileError(f"{declared} declares no column for the target", got=f"target={name!r}")
    attributes = tuple(_attribute(s) for s in frame.iter_columns() if s.name != name)
    return Schema(attributes, _categories(frame[name]), name)


def _frame(path: str) -> pl.DataFrame:
    """The declared columns, without any rows."""
    text = file_text(path)
    match Path(path).suffix.lower():
        case ".names":
            return read_c45(text, "", path, path)
        case ".arff":
            return read_arff(text, path).head(0)
    raise FileError(
        f"{path} is not a file that declares columns",
        got=f"extension {Path(path).suffix!r}",
        hint="pass a .names or an .arff file.",
    )


def _attribute(column: pl.Series) -> Feature:
    if column.dtype in (pl.Enum, pl.String):
        return Feature(column.name, "categorical", "text", _categories(column))
    return Feature(column.name, "numeric")


def _categories(column: pl.Series) -> tuple[str, ...]:
    dtype = column.dtype
    return tuple(dtype.categories.to_list()) if isinstance(dtype, pl.Enum) else ()
