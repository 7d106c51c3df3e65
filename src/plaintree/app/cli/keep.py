"""Keeping what was grown: a model file, and a report."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from plaintree.evaluation.cross_validation import CrossValidation
from plaintree.interop.model_file import save as save_model

from ..report.findings import find_out
from ..report.report import page
from ..report.writing import write_whole
from ..study.grow import TrainingTable


def keep_model(model: Any, path: str | None) -> None:
    """Write the model to a file, if one was named."""
    if path is not None:
        save_model(model, path)


def keep_rules(learner: Any, table: TrainingTable, path: str | None) -> None:
    """Write the model of the rules to a file, if one was named: it knows the table it is from."""
    if path is not None:
        save_model(learner.fit(table.X, table.y), path)


def write_report(
    path: str | None,
    model: Any,
    table: TrainingTable,
    seed: int,
    validation: CrossValidation | None = None,
) -> None:
    """Write a report, if a file was named; cross-validation that was done is not done again."""
    if path is None:
        return
    found = find_out(model, table.X, table.y, cv=0, seed=seed)
    write_whole(path, page(replace(found, validation=validation)), "the report")
