"""Runs an exported Python module in this very Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from plaintree.data.schema import Schema

from ..rows import VerificationRows
from . import Predictions, Run

TOLERANCE = 0.0


def absent() -> None:
    """Python is always here."""


@contextmanager
def started(artefact: str, _schema: Schema) -> Iterator[Run]:
    """The module, loaded."""
    module: dict[str, Any] = {}
    exec(compile(artefact, "<exported model>", "exec"), module)
    yield lambda rows: _predictions(module, rows)


def _predictions(module: dict[str, Any], rows: VerificationRows) -> Predictions:
    """Return the predictions of the module; a ValueError refuses a row."""
    predict, predict_proba = module["predict"], module.get("predict_proba")
    labels: list[Any] = []
    probabilities: list[list[float]] = []
    for row in rows.rows:
        try:
            labels.append(predict(row))
            if predict_proba is not None:
                probabilities.append(list(predict_proba(row).values()))
        except ValueError:
            labels.append(None)
            probabilities.append([])
    return Predictions(labels, None if predict_proba is None else probabilities)
