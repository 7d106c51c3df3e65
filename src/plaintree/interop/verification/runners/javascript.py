"""Runs an exported JavaScript module by node."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from math import isinf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from plaintree.data.column import object_column
from plaintree.data.schema import Schema

from ...members import EXACT_INTEGER
from ..rows import VerificationRows
from . import Predictions, Run, absent_program, run_program

TOLERANCE = 0.0


def absent() -> str | None:
    """Whether there is a node."""
    return absent_program("node")


@contextmanager
def started(artefact: str, _schema: Schema) -> Iterator[Run]:
    """Write the module to a directory."""
    with TemporaryDirectory() as directory:
        place = Path(directory)
        (place / "model.mjs").write_text(artefact, encoding="utf-8")
        (place / "main.mjs").write_text(_MAIN)
        yield lambda rows: _predictions(place, rows)


def _predictions(place: Path, rows: VerificationRows) -> Predictions:
    """Return the predictions of the module."""
    (place / "rows.json").write_text(json.dumps(_json_rows(rows)))
    output = run_program(["node", "main.mjs"], place, "JavaScript")
    predicted: list[Any] = json.loads(output)
    return Predictions.of(rows.schema, [p[0] for p in predicted], [p[1] for p in predicted])


def _json_value(value: Any) -> tuple[Any, str]:
    """Return a value, or its string if JSON has no such value, and its type."""
    if isinstance(value, int) and abs(value) >= EXACT_INTEGER:
        return str(value), "BigInt"
    if isinstance(value, float) and isinf(value):
        return "Infinity" if value > 0 else "-Infinity", "Number"
    return value, ""


def _json_rows(rows: VerificationRows) -> list[list[tuple[str, Any, str]]]:
    """The rows as names with values: an object of JSON would lose some names."""
    columns = []
    for attribute, given in rows.features():
        values = given
        if attribute.kind == "numeric" or attribute.cuts:
            numbers = object_column(attribute.name, given).values.tolist()
            # Doubles are written to JSON as their shortest string, which is exact.
            values = [None if n != n else n for n in numbers]  # noqa: PLR0124
        columns.append([(attribute.name, *_json_value(value)) for value in values])
    return [list(row) for row in zip(*columns, strict=True)]


_MAIN = """
import { readFileSync } from "node:fs";
import * as model from "./model.mjs";
const predictions = JSON.parse(readFileSync("rows.json", "utf8")).map((fields) => {
  const row = Object.fromEntries(
    fields.map(([name, value, type]) => [name, type ? globalThis[type](value) : value]));
  try {
    const label = model.predict(row);
    const values = model.predictProba ? model.predictProba(row) : [label];
    return [typeof label === "bigint" ? String(label) : label, values];
  } catch (error) {
    if (error instanceof RangeError) return [null, []];
    throw error;
  }
});
const text = JSON.stringify(predictions);
process.stdout.write(text.replace(/[\\u007f-\\uffff]/g, (c) =>
  "\\\\u" + c.charCodeAt(0).toString(16).padStart(4, "0")));
"""
