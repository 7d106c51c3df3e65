"""Runs exported SQL in a temporary postgres server from the package pgserver."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from subprocess import CalledProcessError
from tempfile import TemporaryDirectory
from typing import Any
from warnings import catch_warnings, simplefilter

from plaintree.data.schema import Schema
from plaintree.errors import ExportError

from ...members import unique_name
from ...program.sql import SqlText
from ...program.sql_words import Dialect
from ..rows import VerificationRows
from . import Predictions, Run
from .duckdb import column_type

TOLERANCE = 0.0


def absent() -> str | None:
    """Whether the package pgserver is installed."""
    return None if find_spec("pgserver") else "the package pgserver is not installed"


@contextmanager
def started(artefact: SqlText, _schema: Schema) -> Iterator[Run]:
    """Start a temporary server."""
    with TemporaryDirectory() as folder:
        with catch_warnings():
            simplefilter("ignore")  # of where the package puts its locks
            server = import_module("pgserver").get_server(Path(folder) / "data")
        try:
            yield lambda rows: _predictions(server, artefact, rows)
        finally:
            server.cleanup()


def _predictions(server: Any, artefact: SqlText, rows: VerificationRows) -> Predictions:
    """Return the predictions of the query."""
    try:
        output = server.psql("\n".join(_script(artefact, rows)))
    except CalledProcessError as error:
        raise ExportError("the exported SQL does not run", got="an error of postgres") from error
    n_columns = 1 if artefact.table is None else 1 + len(rows.schema.features)
    found = [list(json.loads(line).values())[n_columns:] for line in output.split("\n") if line]
    probabilities = [
        [float(probability) for probability in row[1:]] for row in found if row[0] is not None
    ]
    if not artefact.proba:
        return Predictions([row[0] for row in found])
    known = iter(probabilities)
    return Predictions([r[0] for r in found], [[] if r[0] is None else next(known) for r in found])


def _script(artefact: SqlText, rows: VerificationRows) -> Iterator[str]:
    """Yield the commands for psql: a table, its rows, and every prediction as a line of JSON."""
    words = Dialect("postgres")
    table = words.identifier(artefact.table or "rows to verify")
    # A column more: postgres gives rows back in any order.
    number = words.identifier(unique_name("number of the row", set(rows.schema.names)))
    columns = [f"{words.identifier(a.name)} {column_type(a)}" for a in rows.schema.features]
    yield "\\set QUIET on\n\\set ON_ERROR_STOP on\n\\pset format unaligned\n\\pset tuples_only on"
    yield "SET client_min_messages TO warning;"  # that a long name is cut short is known
    yield f"CREATE TEMPORARY TABLE {table} ({number} INTEGER, {', '.join(columns)});"
    for row in zip(range(len(rows)), *(vs for _, vs in rows.features()), strict=True):
        yield f"INSERT INTO {table} VALUES ({', '.join(_literal(v, words) for v in row)});"
    query = artefact.text
    if artefact.view is not None:
        yield artefact.text.replace("CREATE VIEW", "CREATE TEMPORARY VIEW", 1) + ";"
        query = f"SELECT * FROM {words.identifier(artefact.view)}"
    elif artefact.table is None:
        first = "" if artefact.proba else ' AS "prediction"'
        query = f"SELECT {number}, {artefact.text}{first} FROM {table}"
    yield f"SELECT to_json(answered) FROM ({query}) AS answered ORDER BY {number};"


def _literal(value: Any, words: Dialect) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float):
        return words.number(value)
    if isinstance(value, timedelta):
        return f"INTERVAL '{value // timedelta(microseconds=1)} microseconds'"
    if isinstance(value, datetime):
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
    if isinstance(value, date | time):
        return f"{'DATE' if isinstance(value, date) else 'TIME'} '{value.isoformat()}'"
    return str(value) if isinstance(value, int) else words.text(str(value))
