"""The facts of `plaintree evaluate`: metrics of a saved model on a table.

Nothing is printed here; app/cli/show_evaluation.py formats a study as text, ``to_json`` as JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from plaintree.data.batches import Batch, batches_for, target_of
from plaintree.data.column import Column
from plaintree.data.dataset import Dataset
from plaintree.data.dataset_reading import column_names
from plaintree.data.doubts import listed
from plaintree.data.parts import located
from plaintree.data.schema import Schema
from plaintree.data.strings import KINDS, ReadOptions
from plaintree.data.table import table_from
from plaintree.data.target import Target, label_array, numbers_from, target_from
from plaintree.data.typed_rows import columns_for, schema_of
from plaintree.data.words import plain
from plaintree.errors import TableError
from plaintree.estimators.batches import positions_of
from plaintree.estimators.registry import TaskName
from plaintree.evaluation.evaluate import Evaluation, evaluate, normal_deviation
from plaintree.evaluation.in_batches import LabelCounts, Residuals, mean_of
from plaintree.evaluation.metrics import costs_of, task_of
from plaintree.evaluation.numeric import (
    NumericEvaluation,
    RowError,
    evaluate_numbers,
    largest_errors,
)
from plaintree.evaluation.quality import NumericQuality
from plaintree.progress import Progress

from .inspect import check_columns
from .predict import predictions
from .training import is_training_table

ONE_TARGET: dict[TaskName, str] = {"classification": "class", "regression": "number"}
LARGEST = 5
"""Rows with large errors that are named."""


@dataclass(frozen=True)
class EvaluationStudy:
    """Metrics of a model on the rows of a table.

    ``is_training_table``: whether these are the rows of the training (None: unknown).
    ``n_unlabelled`` rows have no class or number and were left out; ``unknown`` are classes that
    the model does not have. ``largest`` are the rows with the largest errors, if there are numbers.
    """

    source: str
    model: str
    target: str
    is_training_table: bool | None
    n_unlabelled: int
    unknown: tuple[str, ...]
    evaluation: Evaluation | NumericEvaluation
    largest: tuple[RowError, ...] = ()

    @property
    def task(self) -> TaskName:
        """Whether the model predicts classes or numbers."""
        return self.evaluation.quality.task

    @property
    def remarks(self) -> list[str]:
        """Warnings about rows that were left out or cannot be predicted."""
        found = []
        if self.is_training_table:
            found.append(
                f"{self.source}: the model was trained on these rows, so the values are optimistic"
            )
        if self.n_unlabelled:
            rows = f"{self.n_unlabelled} rows without a {ONE_TARGET[self.task]}"
            found.append(f"{plain(self.target)}: left out {rows}")
        if self.unknown:
            found.append(
                f"{plain(self.target)}: the model does not have the classes "
                f"{listed(self.unknown)}; their rows count as errors, and are left out of AUC, "
                "Brier score, log loss and calibration"
            )
        return found

    def to_json(self) -> dict[str, Any]:
        """Everything as plain lists, strings and numbers."""
        found = self.evaluation
        shared = {
            "source": self.source,
            "model": self.model,
            "target": self.target,
            "task": self.task,
            **found.quality.to_json(),
        }
        if isinstance(found, NumericEvaluation):
            return {**shared, **self._numbers(found)}
        probabilities = found.probabilities
        low, high = found.interval
        return {
            **shared,
            "rows_without_class": self.n_unlabelled,
            "is_training_table": self.is_training_table,
            "accuracy_interval": {"low": low, "high": high, "confidence": found.confidence},
            "by_class": [asdict(metrics) for metrics in found.by_class],
            "probabilities": None if probabilities is None else _renamed(asdict(probabilities)),
            "classes": list(found.quality.classes),
            "confusion": found.quality.confusion.tolist(),
        }

    def _numbers(self, found: NumericEvaluation) -> dict[str, Any]:
        """What there is about predicted numbers; ``index`` counts rows from 0."""
        return {
            "rows_without_number": self.n_unlabelled,
            "is_training_table": self.is_training_table,
            "intervals": {
                key: {"low": low, "high": high, "confidence": found.confidence}
                for key, (low, high) in found.intervals.items()
            },
            "mean_residual": found.mean_residual,
            "median_absolute_error": found.median_absolute_error,
            "largest_errors": [
                {"index": part.row, "actual": part.actual, "predicted": part.predicted}
                for part in self.largest
            ],
        }


def kind_of_target(model: Any, target: str | None) -> dict[str, str]:
    """The kind to read the target as, which is that of the classes or numbers, by its name."""
    schema = schema_of(model)
    if not schema.classes:
        return {target or schema.target: "number"}
    for kind, name in ((str, "text"), (bool, "boolean")):
        if all(isinstance(label, kind) for label in schema.classes):
            return {target or schema.target: name}
    return {}


def evaluate_model(
    model: Any, frame: pl.DataFrame, source: str, target: str | None, confidence: float
) -> EvaluationStudy:
    """Predict the rows of a frame and compare with its target (None: that of the training)."""
    schema = schema_of(model)
    name = schema.target if target is None else target
    check_columns("target", [name], frame.columns)
    column = table_from(frame.select(name))
    rows = np.flatnonzero(~column.columns[0].missing)
    if not rows.size:
        raise TableError(
            f"no row has a {ONE_TARGET[task_of(schema.classes)]}", got=f"target={name} in {source}"
        )
    X = columns_for(frame[rows].drop(name), schema, model.used_columns())
    labelled = _Labelled(model, schema, X, column.take(rows).columns[0], Path(source).name)
    evaluated = labelled.as_classes if schema.classes else labelled.as_numbers
    actual, found = evaluated(confidence)
    known = set(schema.classes)
    unknown = {str(label) for label in actual if schema.classes and label not in known}
    largest: tuple[RowError, ...] = ()
    if isinstance(found.quality, NumericQuality):
        errors = largest_errors(found.quality, LARGEST)
        largest = tuple(replace(part, row=int(rows[part.row])) for part in errors)
    return EvaluationStudy(
        source=source,
        model=type(model).__name__,
        target=name,
        is_training_table=is_training_table(model, table_from(X), actual),
        n_unlabelled=frame.height - len(rows),
        unknown=tuple(sorted(unknown)),
        evaluation=found,
        largest=largest,
    )


# -------------------------------------------------------------------- in batches


def evaluate_files(
    model: Any, dataset: Dataset, source: str, confidence: float, report: Progress
) -> EvaluationStudy:
    """Predict the rows of files batch by batch, and compare with their target.

    Of classes, equal predictions are counted; of numbers, the residuals are kept, 8 bytes a row.
    """
    normal_deviation(confidence)  # is checked before rows are read
    schema, name = schema_of(model), target_of(dataset)
    mean = float("nan") if schema.classes else mean_of(dataset)
    rows = _LabelledBatches(model, schema, Residuals(source, mean, n_largest=LARGEST))
    for batch in batches_for(dataset, schema, model.used_columns, labelled=True):
        rows.add(batch)
        report("evaluating rows", rows.n_rows, None)
    if rows.n_rows == rows.n_unlabelled:
        raise TableError(
            f"no row has a {ONE_TARGET[task_of(schema.classes)]}", got=f"target={name} in {source}"
        )
    found = rows.evaluation(confidence)
    unknown = {str(label) for label in rows.counts.labels if label not in set(schema.classes)}
    return EvaluationStudy(
        source=source,
        model=type(model).__name__,
        target=name,
        is_training_table=None,
        n_unlabelled=rows.n_unlabelled,
        unknown=tuple(sorted(unknown)) if schema.classes else (),
        evaluation=found,
        largest=rows.residuals.largest,
    )


@dataclass(eq=False)
class _LabelledBatches:
    """What is kept of the rows of batches, and the model that predicts them."""

    model: Any
    schema: Schema
    residuals: Residuals
    counts: LabelCounts = field(default_factory=LabelCounts)
    n_rows: int = 0
    n_unlabelled: int = 0

    def add(self, batch: Batch) -> None:
        """Predict the rows of a batch that have a target, and keep what the metrics need."""
        target = table_from(pl.DataFrame(batch.target)).columns[0]
        known = np.flatnonzero(~target.missing)
        first = self.n_rows
        self.n_rows += batch.frame.height
        self.n_unlabelled += batch.frame.height - len(known)
        if not len(known):
            return
        rows = replace(batch, frame=batch.frame[known], rows=batch.rows[known])
        target = table_from(pl.DataFrame(batch.target)).take(known).columns[0]
        X = rows if hasattr(self.model, "schema_") else rows.frame
        with located(batch.where, rows.rows):
            if self.schema.classes:
                self._add_classes(target_from(target, len(known), target.name), X)
                return
            actual = numbers_from(target, len(known), target.name).numbers
        predicted = np.asarray(predictions(self.model, X, proba=False)[0])
        self.residuals.add_at(known + first, actual, predicted)

    def _add_classes(self, target: Target, X: Any) -> None:
        labels, probabilities = predictions(self.model, X, proba=True)
        classes = label_array(self.schema.classes)
        predicted = positions_of(classes, np.asarray(labels, dtype=classes.dtype))
        actual = self.counts.places(_as_in_training(target.classes, self.schema))
        self.counts.add(
            actual[target.codes], self.counts.places(self.schema.classes)[predicted], probabilities
        )

    def evaluation(self, confidence: float) -> Evaluation | NumericEvaluation:
        """The metrics of all rows."""
        if not self.schema.classes:
            return self.residuals.evaluation(confidence)
        options = {"confidence": confidence, "costs": costs_of(self.model)}
        source = self.residuals.measured_on
        return self.counts.evaluation(self.schema.classes, source, **options)


def opened_for(
    model: Any, paths: str, target: str | None, options: ReadOptions, memory: int | None = None
) -> Dataset:
    """The files of a table with the columns that a model uses, and its target.

    Columns of CSV have the kinds of the training.
    """
    schema, names = schema_of(model), column_names(paths)
    target = schema.target if target is None else target
    check_columns("target", [target], names)
    used = [schema.names[i] for i in sorted(model.used_columns())]
    if not used:  # a single leaf, which needs rows only
        used = [name for name in (*schema.names, *names) if name in names and name != target][:1]
    by_name = not set(names).isdisjoint(schema.names)
    kinds = {**options.known, **options.types}
    types = {n: k for n, k in kinds.items() if n in (*used, target) and k in KINDS}
    return Dataset(
        paths,
        target,
        columns=used if by_name else None,
        memory_limit=memory,
        options=ReadOptions(options.missing_values, types, options.dates),
    )


@dataclass(frozen=True, eq=False)
class _Labelled:
    """Rows with their target, and the model that predicts them."""

    model: Any
    schema: Schema
    X: pl.DataFrame
    target: Column
    source: str

    def as_classes(self, confidence: float) -> tuple[list[Any], Evaluation]:
        """The classes and their metrics."""
        target = target_from(self.target, len(self.X), self.target.name)
        actual = _as_in_training(np.asarray(target).tolist(), self.schema)
        predicted, probabilities = predictions(self.model, self.X, proba=True)
        costs = costs_of(self.model)
        classes, source = self.schema.classes, self.source
        found = evaluate(
            actual, predicted, probabilities, classes, source, confidence=confidence, costs=costs
        )
        return actual, found

    def as_numbers(self, confidence: float) -> tuple[list[Any], NumericEvaluation]:
        """The numbers and their metrics."""
        actual = numbers_from(self.target, len(self.X), self.target.name).numbers
        predicted, _ = predictions(self.model, self.X, proba=False)
        found = evaluate_numbers(actual, predicted, self.source, confidence=confidence)
        return actual.tolist(), found


def _renamed(data: Any) -> Any:
    """Numbers of rows are called ``rows`` in JSON."""
    if isinstance(data, list | tuple):
        return [_renamed(item) for item in data]
    if isinstance(data, dict):
        return {"rows" if key == "n_rows" else key: _renamed(data[key]) for key in data}
    return data


def _as_in_training(labels: Sequence[Any], schema: Schema) -> list[Any]:
    """The labels, as the classes that are spelt the same: a file may hold 1 for "1"."""
    spelt = {str(label): label for label in schema.classes}
    return [label if label in schema.classes else spelt.get(str(label), label) for label in labels]
