"""Writing the results of growing: a model file, and a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from plaintree.evaluation.cross_validation import CrossValidation
from plaintree.interop.model_file import save as save_model

from ..report.findings import find_out
from ..report.report import living_page
from ..study.grow import TrainingTable
from .base import Report, write_named
from .messages import wrote


def keep_model(model: Any, path: str | None, missing_values: Sequence[str]) -> None:
    """Save the model, if a file was named, with the strings that were read as missing values.

    The number of threads is a choice of this run, so the file has the default.
    """
    if path is not None:
        model.training_ = replace(model.training_, missing_values=tuple(missing_values))
        save_model(model.set_params(n_jobs=None), path)
        wrote(path)


def write_report(
    asked: Report,
    model: Any,
    table: TrainingTable,
    random_state: int,
    validation: CrossValidation | None = None,
) -> None:
    """Write a report, if a file was named; cross-validation is not repeated."""
    if asked.report is None:
        return
    found = find_out(model, table.X, table.y, cv=0, seed=random_state)
    validated = replace(found, validation=validation)
    page = living_page(validated, rows=asked.report_rows)
    write_named(asked.report, page, "the report")
