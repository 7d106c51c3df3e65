"""Runs an exported Python module in this very Python."""

from __future__ import annotations

from typing import Any

from ..rows import ProofRows
from . import Answers

TOLERANCE = 0.0


def absent() -> None:
    """Python is always here."""


def run(artefact: str, rows: ProofRows) -> Answers:
    """What the module answers; a ValueError refuses a row."""
    module: dict[str, Any] = {}
    exec(compile(artefact, "<exported model>", "exec"), module)
    labels: list[Any] = []
    shares: list[list[float]] = []
    for row in rows.rows:
        try:
            labels.append(module["predict"](row))
            shares.append(list(module["predict_proba"](row).values()))
        except ValueError:
            labels.append(None)
            shares.append([])
    return Answers(labels, shares)
