"""Training record of a model: the number of rows, and a hash that identifies the table.

The hash is of the rows as the schema encodes them, with their classes and weights. It depends
neither on the order of the rows nor on whether numbers were float32 or float64 (see
src/core/table/table_hash.h). It tells tables apart that differ by accident. It does not stop
someone who looks for two tables of the same hash.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree import _core

from .schema import Schema
from .target import core_target


@dataclass(frozen=True)
class TrainingRecord:
    """The rows that a model was fitted on, as their number and a hash.

    Attributes
    ----------
    n_rows : int
        Number of rows.
    table_hash : str
        Hash of the encoded table, independent of the order of rows.
    missing_values : tuple of str, default=()
        The strings of the table's file that were read as missing values, besides empty fields.
    """

    n_rows: int
    table_hash: str
    missing_values: tuple[str, ...] = field(default=(), repr=False, compare=False)


def record_of(
    schema: Schema,
    columns: Sequence[NDArray[Any]],
    target: NDArray[Any],
    weights: NDArray[np.float64] | None = None,
    *,
    n_threads: int = 1,
) -> TrainingRecord:
    """Make the record of encoded columns, an encoded target and weights (None: all one).

    >>> from plaintree.data.schema import Feature
    >>> schema = Schema((Feature("x", "numeric"),), ("no", "yes"))
    >>> x, codes = np.array([1.0, 2.0, 3.0]), np.array([0, 1, 1], dtype=np.int32)
    >>> record = record_of(schema, [x], codes)
    >>> record
    TrainingRecord(n_rows=3, table_hash='49caabfcad4bd5d1')
    >>> record == record_of(schema, [x[::-1].astype(np.float32)], codes[::-1].copy())
    True
    """
    table_hash = _core.table_hash(
        columns=list(columns),
        n_categories=schema.category_counts,
        target=core_target(target, schema),
        weights=None if weights is None else np.ascontiguousarray(weights, dtype=np.float64),
        n_threads=n_threads,
    )
    return TrainingRecord(len(target), f"{table_hash:016x}")
