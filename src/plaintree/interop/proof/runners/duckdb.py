"""Runs exported SQL in a duckdb database in memory."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from plaintree.data.schema import Attribute

from ...members import label_type
from ...program.sql import SqlText
from ...program.sql_words import Dialect
from ..rows import ProofRows
from . import Answers
from .sqlite import answers_of

TOLERANCE = 0.0
_CHUNK = 200
"""Rows of one insertion: one by one takes a millisecond each."""


def absent() -> str | None:
    """Whether the package duckdb is installed."""
    return None if find_spec("duckdb") else "the package duckdb is not installed"


def run(artefact: SqlText, rows: ProofRows) -> Answers:
    """What the query answers."""
    words = Dialect("duckdb")
    table = words.identifier(artefact.table or "rows of a proof")
    columns = [(words.identifier(a.name), column_type(a)) for a in rows.schema.attributes]
    with import_module("duckdb").connect() as connection:
        connection.execute(f"CREATE TABLE {table} ({', '.join(' '.join(c) for c in columns)})")
        values = list(zip(*(vs for _, vs in rows.attributes()), strict=True))
        places = f"({', '.join('?' * len(columns))})"
        for start in range(0, len(values), _CHUNK):
            some = values[start : start + _CHUNK]
            connection.execute(
                f"INSERT INTO {table} VALUES {', '.join([places] * len(some))}",
                [value for row in some for value in row],
            )
        return answers_of(connection, artefact, table, words, len(columns))


def column_type(attribute: Attribute) -> str:
    """The type of a column in duckdb and postgres."""
    if attribute.kind == "numeric" or attribute.cuts:
        types = {"date": "DATE", "datetime": "TIMESTAMP", "time": "TIME", "duration": "INTERVAL"}
        return types.get(attribute.unit, "DOUBLE PRECISION")
    kinds = {"text": "TEXT", "real": "DOUBLE PRECISION", "integer": "BIGINT", "boolean": "BOOLEAN"}
    return kinds[label_type(attribute.categories)]
