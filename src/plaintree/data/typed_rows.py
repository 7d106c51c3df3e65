"""Rows for a model: the columns it was fitted on, with strings converted as in training.

A file that is read in pieces, or a value on the command line, does not determine column types;
the model's schema does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from plaintree.errors import ColumnError, ParameterError, nearest, row_name

from .infer import Findings
from .schema import Feature, Schema
from .strings import (
    DateOrder,
    ReadOptions,
    Timestamps,
    booleans_in,
    numbers_in,
    read_as,
    trimmed,
)
from .table import Table
from .timestamps import TIMESTAMPS
from .words import plain

DEFAULT = ReadOptions()


def schema_of(model: Any) -> Schema:
    """The schema of a fitted model, a Tree or a RuleList."""
    schema: Schema = model.schema_ if hasattr(model, "schema_") else model.schema
    return schema


def columns_for(
    frame: pl.DataFrame, schema: Schema, used: Collection[int] | None = None
) -> pl.DataFrame:
    """Select the columns that a model was fitted on; all, if these are not known.

    The model needs those that are ``used`` (None: all), and raises an error if the table lacks
    some.
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
    options: ReadOptions = DEFAULT,
    orders: DateOrders | None = None,
    decimal_comma: bool = False,
) -> pl.DataFrame:
    """Select the columns of a schema; strings are read as numbers, timestamps and categories.

    Columns that are not ``used`` may be absent, and remain text if they are not of the schema's
    type (None: all are used). A kind that ``options``
    declare for a column takes precedence. ``orders`` are those of dates in the rows before. With
    ``decimal_comma``, 1,5 is a number. ``first_row`` is the number of the table's first row, for
    errors to tell.

    >>> from plaintree.data.schema import Feature, Schema
    >>> attributes = Feature("x", "numeric"), Feature("b", "categorical", "text")
    >>> schema = Schema(attributes, ("no", "yes"))
    >>> typed_rows(pl.DataFrame({"b": ["1"], "x": ["1"]}), schema).row(0)
    (1.0, '1')
    """
    declared = options.kinds(table.columns)
    frame = columns_for(table, schema, used)
    by_position = len(frame.columns) == len(schema.names)
    if not by_position and not set(frame.columns) <= set(schema.names):
        return frame
    numbers = range(len(schema.names)) if by_position else map(schema.position, frame.columns)
    pairs = zip(frame.get_columns(), numbers, strict=True)
    read = _Reader(orders or DateOrders(options.dates), first_row, decimal_comma)
    return pl.DataFrame(
        [
            read.typed(
                _bare(column, schema.features[number], options.missing_values),
                declared.get(column.name),
                schema.features[number],
                needed=used is None or number in used or column.name in options.types,
            )
            if column.dtype == pl.String
            else column
            for column, number in pairs
        ]
    )


def _bare(texts: pl.Series, attribute: Feature, missing_values: Sequence[str]) -> pl.Series:
    """Strip strings as in CSV files, unless spaces were part of categories in training."""
    if any(isinstance(c, str) and c != c.strip() for c in attribute.categories):
        return texts
    return trimmed(texts, missing_values)


def options_for(
    model: Any, options: ReadOptions = DEFAULT, kinds: Mapping[str, str] | None = None
) -> ReadOptions:
    """The options to read a file with the rows of a model; ``kinds`` are those of other columns.

    A column that the model uses has the type of the training. Without other options, the strings
    that mean a missing value are those of the file it was trained on.
    """
    schema, others = schema_of(model), kinds or {}
    needed = {schema.names[i] for i in model.used_columns()} | set(others)
    known = kinds_for(schema) | dict(others)
    training = getattr(model, "training_", None)
    missing = training.missing_values if training is not None else ()
    return replace(options, known=known, needed=needed).with_training(missing)


def kinds_for(schema: Schema) -> dict[str, str]:
    """Return the types that a model's columns are read as, where these are certain."""
    kinds = ((a.name, _kind_for(a)) for a in schema.features)
    return {name: kind for name, kind in kinds if kind is not None}


def kinds_of(table: Table) -> dict[str, str]:
    """Return the types of another table's columns, for rows of the same types."""
    attributes = (Feature(c.name, c.kind, c.unit) for c in table.columns)
    return kinds_for(Schema(tuple(attributes), ()))


def _kind_for(attribute: Feature) -> str | None:
    if attribute.kind != "numeric" and not attribute.cuts:
        return "text" if attribute.unit == "text" else None
    if attribute.unit in ("number", "integer", "duration"):
        return "number"
    return "timestamp" if attribute.unit in TIMESTAMPS else attribute.unit


class DateOrders:
    """The orders of day and month in the columns of a table that is read piece by piece.

    The order that fits all dates so far is assumed until one decides; the opposite is an error,
    because the rows before were read otherwise.
    """

    def __init__(self, given: DateOrder | None = None) -> None:
        self.given = given
        self._found: dict[str, Timestamps] = {}

    def of(self, name: str) -> DateOrder | None:
        """The order that is known for a column."""
        found = self._found.get(name)
        return self.given or (found.order if found is not None and found.decided else None)

    def add(self, name: str, found: Timestamps | None, first_row: int) -> None:
        """Take note of a piece of a column."""
        before = self._found.get(name)
        if found is None or found.order is None:
            return
        if before is not None and not before.decided and found.order != before.order:
            raise ColumnError(
                f"column {name!r} has dates of another order than in the rows before",
                got=f"{found.order} below {row_name(first_row - 1)}, but {before.order} above",
                hint=f"add dates={found.order!r}.",
            )
        if before is None or found.decided:
            self._found[name] = found

    @property
    def findings(self) -> Findings:
        """The remaining ambiguities."""
        findings = Findings()
        for name, found in self._found.items():
            findings.add_dates(name, found)
        return findings


class _Reader:
    """Strings of some rows, converted to a model's features."""

    def __init__(self, orders: DateOrders, first_row: int, decimal_comma: bool) -> None:
        self.orders, self.first_row, self.decimal_comma = orders, first_row, decimal_comma

    def typed(
        self, texts: pl.Series, declared: str | None, attribute: Feature, *, needed: bool
    ) -> pl.Series:
        """Convert a column to its declared type, or to that of the feature."""
        kind = declared or _kind_for(attribute)
        if kind is not None:
            order = self.orders.of(texts.name)
            typed, found = read_as(
                texts,
                kind,
                order,
                decimal_comma=self.decimal_comma,
                first_row=self.first_row,
                needed=needed,
            )
            self.orders.add(texts.name, found, self.first_row)
            return typed
        if attribute.unit == "boolean":  # as text, since another piece may have another type
            spelt = booleans_in(texts).cast(pl.String).str.to_titlecase()
            return spelt.zip_with(spelt.is_not_null(), texts)
        read = numbers_in(texts, decimal_comma=self.decimal_comma)
        return read.alias(texts.name) if read.null_count() == texts.null_count() else texts


def row_from(
    values: Iterable[str], schema: Schema, options: ReadOptions = DEFAULT
) -> tuple[pl.DataFrame, Sequence[str]]:
    """Read a row given as strings ``name=value``, and the names without a value."""
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
        return typed_rows(frame, schema, options=options), lacking
    except ColumnError as error:  # there is no row to correct
        got = (error.got or "").removesuffix(f" in {row_name(0)}")
        raise ParameterError(
            error.happened, got, hint="leave it out, or empty, if it is missing."
        ) from None
