"""Runs exported SQL in a duckdb database in memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from plaintree.data.schema import Feature, Schema

from ...members import label_type
from ...program.sql import SqlText
from ...program.sql_words import Dialect
from ..rows import VerificationRows
from . import Run
from .sqlite import asked

TOLERANCE = 0.0
_CHUNK = 200
"""Rows of one insertion: one by one takes a millisecond each."""


def absent() -> str | None:
    """Whether the package duckdb is installed."""
    return None if find_spec("duckdb") else "the package duckdb is not installed"


@contextmanager
def started(artefact: SqlText, schema: Schema) -> Iterator[Run]:
    """A database with an empty table."""
    with import_module("duckdb").connect() as connection:
        words = Dialect("duckdb")
        yield asked(connection, artefact, words, schema, type_of=column_type, insert=_insert)


def _insert(connection: Any, table: str, rows: VerificationRows) -> None:
    values = list(zip(*(vs for _, vs in rows.features()), strict=True))
    places = f"({', '.join('?' * len(rows.schema.features))})"
    for start in range(0, len(values), _CHUNK):
        some = values[start : start + _CHUNK]
        connection.execute(
            f"INSERT INTO {table} VALUES {', '.join([places] * len(some))}",
            [value for row in some for value in row],
        )


def column_type(attribute: Feature) -> str:
    """The type of a column in duckdb and postgres."""
    if attribute.kind == "numeric" or attribute.cuts:
        types = {"date": "DATE", "datetime": "TIMESTAMP", "time": "TIME", "duration": "INTERVAL"}
        return types.get(attribute.unit, "DOUBLE PRECISION")
    kinds = {"text": "TEXT", "real": "DOUBLE PRECISION", "integer": "BIGINT", "boolean": "BOOLEAN"}
    return kinds[label_type(attribute.categories)]
