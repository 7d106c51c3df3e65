"""Runs exported SQL in a sqlite database in memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import date, datetime, time, timedelta
from typing import Any

from plaintree.data.schema import Feature, Schema

from ...members import label_type
from ...program.sql import SqlText
from ...program.sql_words import Dialect
from ..rows import VerificationRows
from . import Predictions, Run

TOLERANCE = 0.0


def absent() -> None:
    """Python has sqlite with it."""


@contextmanager
def started(artefact: SqlText, schema: Schema) -> Iterator[Run]:
    """A database with an empty table."""
    with closing(sqlite3.connect(":memory:")) as connection:
        yield asked(connection, artefact, Dialect("sqlite"), schema, type_of=_type, insert=_insert)


def asked(
    connection: Any,
    artefact: SqlText,
    words: Dialect,
    schema: Schema,
    *,
    type_of: Callable[[Feature], str],
    insert: Callable[[Any, str, VerificationRows], None],
) -> Run:
    """Return a function that runs a query, a view or an expression on the rows of a table."""
    table = words.identifier(artefact.table or "rows to verify")
    columns = [f"{words.identifier(a.name)} {type_of(a)}" for a in schema.features]
    connection.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
    query, skipped = f"SELECT {artefact.text} FROM {table}", 0
    if artefact.view is not None:
        connection.execute(artefact.text)
        query, skipped = f"SELECT * FROM {words.identifier(artefact.view)}", len(columns)
    elif artefact.table is not None:
        query, skipped = artefact.text, len(columns)

    def run(rows: VerificationRows) -> Predictions:
        connection.execute(f"DELETE FROM {table}")
        insert(connection, table, rows)
        found = [row[skipped:] for row in connection.execute(query).fetchall()]
        probabilities = [list(row[1:]) for row in found] if artefact.proba else None
        return Predictions([row[0] for row in found], probabilities)

    return run


def _insert(connection: Any, table: str, rows: VerificationRows) -> None:
    places = ", ".join("?" * len(rows.schema.features))
    values = zip(*(_stored(a, vs) for a, vs in rows.features()), strict=True)
    connection.executemany(f"INSERT INTO {table} VALUES ({places})", values)


def _type(attribute: Feature) -> str:
    if attribute.kind == "numeric" or attribute.cuts:
        numbers = {"integer": "INTEGER", "number": "REAL", "duration": "REAL"}
        return numbers.get(attribute.unit, "TEXT")
    types = {"text": "TEXT", "real": "REAL", "integer": "INTEGER", "boolean": "INTEGER"}
    return types[label_type(attribute.categories)]


def _stored(attribute: Feature, values: list[Any]) -> list[Any]:
    if attribute.categories and not attribute.cuts and _type(attribute) == "TEXT":
        return [None if value is None else str(value) for value in values]
    return list(map(_bound, values))


def _bound(value: Any) -> Any:
    """Convert a value for sqlite: timestamps to strings, durations to microseconds."""
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value // timedelta(microseconds=1)
    return value
