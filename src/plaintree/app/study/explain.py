"""Why a model answers one row as it does: what `plaintree explain` has to say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

import plaintree as pt
from plaintree.data.doubts import listed
from plaintree.data.typed_rows import columns_for, row_from, schema_of
from plaintree.errors import ParameterError, row_name

from .grow import Task, fitted, training_table
from .look import check_columns


@dataclass(frozen=True)
class Question:
    """Which row: by its number (from 1) or by its values; what may not change; how sure intervals
    are.
    """

    row: int | None = None
    values: Sequence[str] = ()
    frozen: Sequence[str] = ()
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if (self.row is None) == (not self.values):
            raise ParameterError(
                "one row is explained, given by its number or by its values",
                got="neither" if self.row is None else "both",
                hint="use row=1 for the first row, or values=NAME=VALUE for every column.",
            )
        if not 0 < self.confidence < 1:
            raise ParameterError(
                "confidence is out of range",
                got=f"confidence={self.confidence:g}",
                hint="use a number between 0 and 1, such as 0.95.",
            )


@dataclass(frozen=True, eq=False)
class Reasons:
    """The explanation, as text and as data, and a remark about values that were not given."""

    explanation: pt.show.Explanation
    remark: str | None

    def to_text(self, width: int) -> str:
        """For reading."""
        return self.explanation.to_text(width)

    def to_json(self) -> dict[str, Any]:
        """Everything as plain lists, strings and numbers."""
        return self.explanation.to_dict()


def grown_model(frame: pl.DataFrame, source: str, task: Task) -> Any:
    """The task's model of a table."""
    return fitted(task, training_table(frame, source, task))


def reasons(model: Any, frame: pl.DataFrame | None, question: Question) -> Reasons:
    """Explain a row of a frame, or one of the values that were given."""
    schema = schema_of(model)
    check_columns("frozen", question.frozen, schema.names)
    if question.values:
        row, lacking = row_from(question.values, schema)
        return Reasons(_explained(model, row, question), _remark(lacking))
    if frame is None:
        raise ParameterError(
            "a model file has no rows",
            got=f"row={question.row} and no table",
            hint="name the table behind the model, or give values by values=NAME=VALUE.",
        )
    if question.row is not None and not 1 <= question.row <= frame.height:
        raise ParameterError(
            "there is no such row",
            got=f"row={question.row} of a table of {frame.height} rows",
            hint=f"{row_name(0)} is the first row of data.",
        )
    index = (question.row or 1) - 1
    row = columns_for(frame, schema, model.used_columns())[index : index + 1]
    return Reasons(_explained(model, row, question), None)


def _explained(model: Any, row: pl.DataFrame, question: Question) -> pt.show.Explanation:
    return pt.explain(model, row, immutable=question.frozen, confidence=question.confidence)


def _remark(lacking: Sequence[str]) -> str | None:
    if not lacking:
        return None
    return f"not given, so taken as missing: {listed(lacking)}"
