"""Rows for a model: the columns it was fitted on, and texts read as what they were in training.

A file that is read piece by piece, or a value on the command line, cannot say what a column holds;
the model's schema does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import polars as pl

from plaintree.errors import ColumnError, ParameterError, nearest, row_name

from .files import numbers_in, trimmed
from .schema import Attribute, Schema
from .words import plain

TRUTH = {"true": "True", "false": "False"}


def schema_of(model: Any) -> Schema:
    """The schema of a fitted model, a Tree or a RuleList."""
    schema: Schema = model.schema_ if hasattr(model, "schema_") else model.schema
    return schema


def columns_for(
    frame: pl.DataFrame, schema: Schema, used: Collection[int] | None = None
) -> pl.DataFrame:
    """The columns that a model was fitted on; all, if it cannot be told which these are.

    Of these it needs those that are ``used`` (None: all). What is wrong with a table that lacks
    some, the model says.
    """
    present = set(frame.columns)
    names = [name for name in schema.names if name in present]
    needed = schema.names if used is None else [schema.names[i] for i in used]
    return frame.select(names) if names and present.issuperset(needed) else frame


def typed_rows(
    table: pl.DataFrame,
    schema: Schema,
    first_row: int = 0,
    *,
    used: Collection[int] | None = None,
    gaps: Sequence[str] = (),
    decimal_comma: bool = False,
) -> pl.DataFrame:
    """The columns of a schema; texts are read as the numbers, moments and categories they mean.

    Columns that are not ``used`` may be absent (None: all are used). Texts in ``gaps`` mean
    missing values. With ``decimal_comma``, 1,5 is a number. ``first_row`` is the number of the
    table's first row, for errors to tell.

    >>> from plaintree.data.schema import Attribute, Schema
    >>> attributes = Attribute("x", "numeric"), Attribute("b", "categorical", "text")
    >>> schema = Schema(attributes, ("no", "yes"))
    >>> typed_rows(pl.DataFrame({"b": ["1"], "x": ["1"]}), schema).row(0)
    (1.0, '1')
    """
    frame = columns_for(table, schema, used)
    by_position = len(frame.columns) == len(schema.names)
    if not by_position and not set(frame.columns) <= set(schema.names):
        return frame
    numbers = range(len(schema.names)) if by_position else map(schema.position, frame.columns)
    pairs = [
        (column, schema.attributes[number])
        for column, number in zip(frame.get_columns(), numbers, strict=True)
    ]
    return pl.DataFrame(
        [
            _typed(_bare(column, attribute, gaps), attribute, first_row, decimal_comma)
            if column.dtype == pl.String
            else column
            for column, attribute in pairs
        ]
    )


def _bare(texts: pl.Series, attribute: Attribute, gaps: Sequence[str]) -> pl.Series:
    """Texts as a CSV file's are read, unless spaces were part of the categories in training."""
    if any(isinstance(c, str) and c != c.strip() for c in attribute.categories):
        return texts
    return trimmed(texts, gaps)


def _typed(
    texts: pl.Series, attribute: Attribute, first_row: int, decimal_comma: bool
) -> pl.Series:
    if attribute.kind == "numeric" or attribute.cuts:
        read = _read(texts, attribute, decimal_comma)
        wrong = (read.is_null() & texts.is_not_null()).arg_true()
        if len(wrong):
            raise ColumnError(
                f"column {attribute.name!r} holds a text that is no {_meant(attribute)}",
                got=f"{texts[wrong[0]]!r} in {row_name(first_row + wrong[0])}",
                hint="correct it; if it means a gap, say so: --gap TEXT.",
            )
        return read
    if attribute.unit == "boolean":
        return texts.str.to_lowercase().replace(TRUTH).alias(texts.name)
    if attribute.unit in ("number", "integer"):
        read = numbers_in(texts, decimal_comma=decimal_comma)
        return read if read.null_count() == texts.null_count() else texts
    return texts


def _read(texts: pl.Series, attribute: Attribute, decimal_comma: bool) -> pl.Series:
    """The values; null where a text is none."""
    try:
        match attribute.unit:
            case "date":
                return texts.str.to_date(strict=False)
            case "datetime":
                return texts.str.to_datetime(time_unit="us", strict=False)
            case "time":
                return texts.str.to_time(strict=False)
            case "boolean":
                return (texts.str.to_lowercase() == "true").cast(pl.Float64)
    except pl.exceptions.PolarsError:  # no text looks like a moment
        return pl.Series(texts.name, [None] * len(texts), dtype=pl.Float64)
    return numbers_in(texts, decimal_comma=decimal_comma)


def _meant(attribute: Attribute) -> str:
    return {"date": "date", "datetime": "date and time", "time": "time"}.get(
        attribute.unit, "number"
    )


def row_from(values: Iterable[str], schema: Schema) -> tuple[pl.DataFrame, Sequence[str]]:
    """A row given as texts ``name=value``, and the names that got no value: they are missing."""
    given: dict[str, str | None] = {}
    for text in values:
        name, equals, value = text.partition("=")
        if not equals:
            raise ParameterError(
                "a value is not given by name",
                got=f"--value {text}",
                hint="write NAME=VALUE, such as humidity=85; nothing after = is missing.",
            )
        if name not in schema.names:
            listed = ", ".join(map(plain, schema.names[:10]))
            raise ParameterError(
                "the model has no such column",
                got=f"--value {text}",
                hint=nearest(name, schema.names) or f"the columns are {listed}.",
            )
        given[name] = value or None
    lacking = [name for name in schema.names if name not in given]
    texts = {name: [given.get(name)] for name in schema.names}
    frame = pl.DataFrame(texts, schema=dict.fromkeys(schema.names, pl.String))
    try:
        return typed_rows(frame, schema), lacking
    except ColumnError as error:  # there is no row to correct
        got = (error.got or "").removesuffix(f" in {row_name(0)}")
        raise ParameterError(
            error.happened, got, hint="leave it out, or empty, if it is missing."
        ) from None
