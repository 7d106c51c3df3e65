"""The facts of `plaintree evaluate`: metrics of a saved model on a table.

Nothing is printed here; app/cli/show_evaluation.py formats a study as text, ``to_json`` as JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from plaintree.data.doubts import listed
from plaintree.data.schema import Schema
from plaintree.data.table import table_from
from plaintree.data.target import target_from
from plaintree.data.typed_rows import columns_for, schema_of
from plaintree.data.words import plain
from plaintree.errors import TableError
from plaintree.evaluation.evaluate import Evaluation, evaluate
from plaintree.tree.task import needs_classes

from .inspect import check_columns
from .predict import predictions
from .training import is_training_table


@dataclass(frozen=True)
class EvaluationStudy:
    """Metrics of a model on the rows of a table.

    ``is_training_table``: whether these are the rows of the training (None: unknown).
    ``n_unlabelled`` rows have no class and were left out; ``unknown`` are classes that the model
    does not have.
    """

    source: str
    model: str
    target: str
    is_training_table: bool | None
    n_unlabelled: int
    unknown: tuple[str, ...]
    evaluation: Evaluation

    @property
    def remarks(self) -> list[str]:
        """Warnings about rows that were left out or cannot be predicted."""
        found = []
        if self.is_training_table:
            found.append(
                f"{self.source}: the model was trained on these rows, so the values are optimistic"
            )
        if self.n_unlabelled:
            found.append(f"{plain(self.target)}: left out {self.n_unlabelled} rows without a class")
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
        probabilities = found.probabilities
        low, high = found.interval
        return {
            "source": self.source,
            "model": self.model,
            "target": self.target,
            **found.quality.to_json(),
            "rows_without_class": self.n_unlabelled,
            "is_training_table": self.is_training_table,
            "accuracy_interval": {"low": low, "high": high, "confidence": found.confidence},
            "by_class": [asdict(metrics) for metrics in found.by_class],
            "probabilities": None if probabilities is None else _renamed(asdict(probabilities)),
            "classes": list(found.quality.classes),
            "confusion": found.quality.confusion.tolist(),
        }


def kind_of_target(model: Any, target: str | None) -> dict[str, str]:
    """The kind to read the target as, which is that of the classes, by its name."""
    schema = schema_of(model)
    needs_classes(schema, "evaluate")
    for kind, name in ((str, "text"), (bool, "boolean")):
        if all(isinstance(label, kind) for label in schema.classes):
            return {target or schema.target: name}
    return {}


def evaluate_model(
    model: Any, frame: pl.DataFrame, source: str, target: str | None, confidence: float
) -> EvaluationStudy:
    """Predict the rows of a frame and compare with its target (None: that of the training)."""
    schema = schema_of(model)
    needs_classes(schema, "evaluate")
    name = schema.target if target is None else target
    check_columns("target", [name], frame.columns)
    column = table_from(frame.select(name))
    rows = np.flatnonzero(~column.columns[0].missing)
    if not rows.size:
        raise TableError("no row has a class", got=f"target={name} in {source}")
    target_column = target_from(column.take(rows).columns[0], len(rows), name)
    actual = _as_in_training(np.asarray(target_column).tolist(), schema)
    X = columns_for(frame[rows].drop(name), schema, model.used_columns())
    predicted, probabilities = predictions(model, X, proba=True)
    found = evaluate(
        actual,
        predicted,
        probabilities,
        schema.classes,
        Path(source).name,
        confidence=confidence,
    )
    known = set(schema.classes)
    unknown = dict.fromkeys(str(label) for label in actual if label not in known)
    return EvaluationStudy(
        source=source,
        model=type(model).__name__,
        target=name,
        is_training_table=is_training_table(model, table_from(X), actual),
        n_unlabelled=frame.height - len(rows),
        unknown=tuple(sorted(unknown)),
        evaluation=found,
    )


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
