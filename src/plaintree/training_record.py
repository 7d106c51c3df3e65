"""What a model remembers of its training table: how many rows, and a hash to know them again by.

The hash is of the rows as the schema encodes them, with their classes and weights. It does not
depend on the order of the rows, nor on whether numbers were float32 or float64:

1. A value is 64 bits: those of a float64 (without negative zero, and with one NaN only).
2. A row is the sum of its values, their halves mixed, each times a number of its column.
3. The table is the sum of its rows, each mixed once more, so that tables can be added up in parts.

It tells tables apart that differ by accident. It does not stop someone who looks for two tables
of the same hash.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.uint64]

CHUNK = 16_384
"""Rows at a time: what is computed of them stays in the processor's cache."""
GOLDEN = 0x9E3779B97F4A7C15
MIXERS = (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53)
"""Odd numbers whose bits look random; the same ones in every version."""
EVERYTHING = 2**64 - 1


@dataclass(frozen=True)
class TrainingRecord:
    """The number of rows that a model was fitted on, and the hash of the table they form."""

    n_rows: int
    table_hash: str


def record_of(
    columns: Sequence[NDArray[Any]],
    codes: NDArray[np.int32],
    weights: NDArray[np.float64] | None = None,
) -> TrainingRecord:
    """The record of encoded columns, class codes and weights (None: all one).

    >>> x, codes = np.array([1.0, 2.0, 3.0]), np.array([0, 1, 1], dtype=np.int32)
    >>> record = record_of([x], codes)
    >>> record
    TrainingRecord(n_rows=3, table_hash='49caabfcad4bd5d1')
    >>> record == record_of([x[::-1].astype(np.float32)], codes[::-1])
    True
    """
    total = len(codes)
    for start in range(0, len(codes), CHUNK):
        part = slice(start, start + CHUNK)
        rows = np.full(len(codes[part]), GOLDEN, dtype=np.uint64)
        for position, column in enumerate(columns):
            _add(rows, column[part], position + 3)
        _add(rows, codes[part], 1)
        if weights is not None:
            _add(rows, weights[part] - 1, 2)
        total += int(_mixed(rows).sum(dtype=np.uint64))
    return TrainingRecord(len(codes), f"{total & EVERYTHING:016x}")


def _add(rows: Bits, values: NDArray[Any], number: int) -> None:
    """Add the values of a column to the rows they are in."""
    if values.dtype.kind == "f":
        numbers = np.add(values, 0.0, dtype=np.float64)  # -0.0 becomes 0.0
        if np.isnan(numbers.max()):
            numbers[np.isnan(numbers)] = np.nan
        bits = numbers.view(np.uint64)
    else:
        bits = values.astype(np.int64).view(np.uint64)
    bits ^= bits >> np.uint64(32)
    bits *= np.uint64((number * GOLDEN & EVERYTHING) ^ MIXERS[number % 2] | 1)
    rows += bits


def _mixed(rows: Bits) -> Bits:
    """Numbers in which every bit depends on every bit of those given."""
    for mixer in MIXERS:
        rows ^= rows >> np.uint64(33)
        rows *= np.uint64(mixer)
    rows ^= rows >> np.uint64(33)
    return rows
