"""The facts of `plaintree explain`: why a model predicts a class or a number for one row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

import plaintree as pt
from plaintree.data.doubts import listed
from plaintree.data.strings import ReadOptions
from plaintree.data.table import table_from
from plaintree.data.typed_rows import DEFAULT, columns_for, row_from, schema_of
from plaintree.data.unseen import warn_of_unseen
from plaintree.errors import ParameterError, row_name
from plaintree.evaluation.evaluate import normal_deviation

from .grow import Source, Task, fitted, training_table
from .inspect import check_columns
from .target_task import Plan


@dataclass(frozen=True)
class Question:
    """The row, by its number (from 1) or by its values, and how to explain it.

    ``immutable`` are columns that a counterfactual may not change, ``confidence`` is the level of
    the intervals; ``above`` and ``below`` are the ends of the numbers that a counterfactual may
    predict.
    """

    row: int | None = None
    values: Sequence[str] = ()
    immutable: Sequence[str] = ()
    confidence: float = 0.95
    above: float | None = None
    below: float | None = None

    def __post_init__(self) -> None:
        if (self.row is None) == (not self.values):
            raise ParameterError(
                "a row is given either by its number or by its values",
                got="neither" if self.row is None else "both",
                hint="use row=1 for the first row, or values=NAME=VALUE for every column.",
            )
        normal_deviation(self.confidence)


@dataclass(frozen=True, eq=False)
class Reasons:
    """An explanation, and a remark about values that were not given."""

    explanation: pt.show.Explanation
    remark: str | None

    def to_text(self, width: int) -> str:
        """The explanation as text."""
        return self.explanation.to_text(width)

    def to_json(self) -> dict[str, Any]:
        """Everything as plain lists, strings and numbers."""
        return self.explanation.to_dict()


def grown_model(source: Source, plan: Plan[Task]) -> Any:
    """The model that a plan grows from a table."""
    decided, task = plan.for_target(source.column)
    return fitted(task, training_table(source, decided))


def reasons(
    model: Any,
    frame: pl.DataFrame | None,
    question: Question,
    options: ReadOptions = DEFAULT,
) -> Reasons:
    """Explain a row of a frame, or the row of the given values, read with some options."""
    schema = schema_of(model)
    check_columns("immutable", question.immutable, schema.names)
    if question.values:
        row, lacking = row_from(question.values, schema, options)
        return Reasons(_explained(model, row, question), _remark(lacking))
    if frame is None:
        raise ParameterError(
            "a model file has no rows",
            got=f"row={question.row} and no table",
            hint="name a table after the model, or give values with values=NAME=VALUE.",
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
    warn_of_unseen(table_from(row), schema_of(model), model.used_columns)
    return pt.explain(
        model,
        row,
        immutable=question.immutable,
        confidence=question.confidence,
        above=question.above,
        below=question.below,
    )


def _remark(lacking: Sequence[str]) -> str | None:
    if not lacking:
        return None
    return f"columns without a value are missing: {listed(lacking)}"
