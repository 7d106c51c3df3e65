"""Runs exported SQL in a sqlite database in memory."""

from __future__ import annotations

import sqlite3
from datetime import date, datetime, time, timedelta
from typing import Any

from plaintree.data.schema import Attribute

from ...members import label_type
from ...program.sql import SqlText
from ...program.sql_words import Dialect
from ..rows import ProofRows
from . import Answers

TOLERANCE = 0.0


def absent() -> None:
    """Python has sqlite with it."""


def run(artefact: SqlText, rows: ProofRows) -> Answers:
    """What the query answers."""
    words = Dialect("sqlite")
    table = words.identifier(artefact.table or "rows of a proof")
    columns = [(words.identifier(a.name), _type(a)) for a in rows.schema.attributes]
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute(f"CREATE TABLE {table} ({', '.join(' '.join(c) for c in columns)})")
        places = ", ".join("?" * len(columns))
        values = zip(*(_stored(a, vs) for a, vs in rows.attributes()), strict=True)
        connection.executemany(f"INSERT INTO {table} VALUES ({places})", values)
        return answers_of(connection, artefact, table, words, len(rows.schema.attributes))
    finally:
        connection.close()


def answers_of(
    connection: Any, artefact: SqlText, table: str, words: Dialect, n_columns: int
) -> Answers:
    """What a query, a view or an expression answers to the rows of a table."""
    query, skipped = f"SELECT {artefact.text} FROM {table}", 0
    if artefact.view is not None:
        connection.execute(artefact.text)
        query, skipped = f"SELECT * FROM {words.identifier(artefact.view)}", n_columns
    elif artefact.table is not None:
        query, skipped = artefact.text, n_columns
    found = [row[skipped:] for row in connection.execute(query).fetchall()]
    shares = [list(row[1:]) for row in found] if artefact.proba else None
    return Answers([row[0] for row in found], shares)


def _type(attribute: Attribute) -> str:
    if attribute.kind == "numeric" or attribute.cuts:
        numbers = {"integer": "INTEGER", "number": "REAL", "duration": "REAL"}
        return numbers.get(attribute.unit, "TEXT")
    types = {"text": "TEXT", "real": "REAL", "integer": "INTEGER", "boolean": "INTEGER"}
    return types[label_type(attribute.categories)]


def _stored(attribute: Attribute, values: list[Any]) -> list[Any]:
    if attribute.categories and not attribute.cuts and _type(attribute) == "TEXT":
        return [None if value is None else str(value) for value in values]
    return list(map(_bound, values))


def _bound(value: Any) -> Any:
    """A value as sqlite stores it: moments as text, spans as microseconds."""
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value // timedelta(microseconds=1)
    return value
