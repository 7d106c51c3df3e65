"""The facts of `plaintree derive`: the worked solution of a tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal, get_args

import plaintree as pt
from plaintree.data.words import shown_schema
from plaintree.teaching.derive.compose import Level
from plaintree.teaching.derive.formulas import test_name
from plaintree.teaching.derive.solution import Derivation
from plaintree.teaching.derive.steps import Step
from plaintree.teaching.derive.words import path_text

from .grow import Task, TrainingTable, fitted, parameters_of
from .inspect import TableFacts
from .known import check_known

Format = Literal["text", "markdown", "latex", "html"]
FORMATS = get_args(Format)
LEVELS = get_args(Level)


@dataclass(frozen=True)
class Writing:
    """The format of the solution; validated before growing."""

    format: str = "text"
    level: str = "full"
    worksheet: bool = False
    digits: int = 4
    width: int = 80
    ascii: bool = False

    def __post_init__(self) -> None:
        check_known("format", f"format={self.format}", self.format, FORMATS)
        check_known("level", f"level={self.level}", self.level, LEVELS)

    def text_of(self, solution: Derivation) -> str:
        """The solution in its format."""
        if self.format == "text":
            return solution.to_text(digits=self.digits, width=self.width, ascii=self.ascii)
        write = getattr(solution, f"to_{self.format}")
        return str(write(digits=self.digits))


@dataclass(frozen=True, eq=False)
class Solution:
    """A derivation, its model and table, and its text."""

    table: TableFacts
    model: Any
    derivation: Derivation
    writing: Writing
    text: str

    def to_json(self) -> dict[str, Any]:
        """Everything as plain lists, strings and numbers; steps in the order of the text."""
        return {
            "table": self.table.to_json(),
            "parameters": parameters_of(self.model),
            "agrees": self.derivation.agrees,
            "steps": [] if self.writing.worksheet else list(self._steps()),
            "format": self.writing.format,
            "text": self.text,
        }

    def _steps(self) -> Iterator[dict[str, Any]]:
        steps = self.derivation.steps
        shown = shown_schema(steps.schema)
        for step in steps.in_order:
            yield {
                "node": step.node,
                "path": path_text(steps.tree, step.node, shown),
                "rows": len(step.rows),
                **_of_target(step, steps.schema),
                "impurity": _number(step.impurity),
                "leaf": step.leaf.reason if step.leaf else None,
                "split": test_name(step.condition, shown) if step.condition else None,
                "score": _number(step.taken.measures.score) if step.taken else None,
                "verdict": step.verdict,
                "offers": _offers(step, shown),
            }


def _of_target(step: Step, schema: pt.data.Schema) -> dict[str, Any]:
    """The class weights of a node and its label, or the number that it predicts."""
    if not schema.classes:
        return {"prediction": float(step.label)}
    weights = [float(weight) for weight in step.counts]
    return {"class_weights": weights, "label": schema.classes[int(step.label)]}


def _offers(step: Step, shown: pt.data.Schema) -> list[dict[str, Any]]:
    """The best split of every candidate feature."""
    if step.choice is None:
        return []
    return [
        {
            "feature": shown.names[offer.feature],
            "split": test_name(offer.best.condition, shown) if offer.best else None,
            "score": _number(offer.score),
            "gain": _number(offer.gain),
            "refused": offer.refused or None,
        }
        for offer in step.choice.offers
    ]


def _number(value: Any) -> float | None:
    """A number for JSON; None without a split."""
    number = float(value)
    return number if isfinite(number) else None


def derive_table(table: TrainingTable, task: Task, writing: Writing, rows: Any) -> Solution:
    """Grow the tree of a task and derive it; ``rows`` are new rows to classify, or None."""
    model = fitted(task, table)
    names = list(model.schema_.names)
    given = rows if rows is None or not set(names) <= set(rows.columns) else rows.select(names)
    level: Level = writing.level  # type: ignore[assignment]  # was checked
    solution = pt.derive(
        model, table.X, table.y, level=level, rows=given, worksheet=writing.worksheet
    )
    return Solution(table.facts, model, solution, writing, writing.text_of(solution))
