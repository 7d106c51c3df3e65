"""Whether a table is the one that a model was fitted on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from plaintree.data.encode import completed_schema, encode
from plaintree.data.rows import class_positions
from plaintree.data.schema import Schema
from plaintree.data.table import Table
from plaintree.data.training_record import record_of
from plaintree.data.typed_rows import schema_of
from plaintree.errors import ColumnError


def is_training_table(model: Any, table: Table, labels: Sequence[Any]) -> bool | None:
    """Whether a model was fitted on exactly these rows; None if that is unknown.

    >>> import plaintree as pt
    >>> from plaintree.data.table import table_from
    >>> X, y = pt.datasets.load_golf()
    >>> model = pt.C45Classifier().fit(X, y)
    >>> is_training_table(model, table_from(X), y), is_training_table(model, table_from(X), y[::-1])
    (True, False)
    """
    if not hasattr(model, "training_") or _lost_intervals(model, schema_of(model)):
        return None
    if len(table.names) != len(schema_of(model).names):
        return False
    schema = completed_schema(schema_of(model), table)
    target: Any = labels
    target = class_positions(schema, tuple(target)) if schema.classes else np.asarray(target, float)
    try:
        columns = encode(table, schema)
    except ColumnError:  # a column that the model does not use has another type
        return False
    return bool(record_of(schema, columns, target) == model.training_)


def _lost_intervals(model: Any, schema: Schema) -> bool:
    """Whether a loaded model has the intervals of only the columns that it uses."""
    in_intervals = getattr(model, "numeric", "threshold") == "intervals"
    return in_intervals and any(feature.kind == "numeric" for feature in schema.features)
