"""All rows of a source, for what does not follow from counts.

Medians, surrogate splits and C4.5's pruning need the rows of a node. They come from the blocks, so
every source has them, and have to fit into memory. Then everything is as for a table in memory.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree import _core
from plaintree.data.rows import Rows
from plaintree.data.schema import Schema
from plaintree.errors import MemoryLimitError

from .counts import CountSource
from .limits import Limits

NO_TREE = 1
"""The number of the request: no tree is grown by it, so rows do not stand where another one left
them."""
COPIES = 5
"""Of the rows: in a reply, in its bytes, and in arrays."""
BYTES_OF_ROW = 96
"""Of a row that is sent down a tree: its number and weight, in every list that holds it."""
BYTES_OF_VALUE = 16
"""Of a value that a tree is grown from in memory: sorted lists of rows, twice."""


def all_rows(source: CountSource, schema: Schema, columns: Collection[int]) -> Rows:
    """The rows of a source in their order, encoded, with the weights that they were given.

    Columns that are not asked for are zeros, which take no memory.
    """
    reply = source.answer({NO_TREE: _core.rows_request(sorted(columns) or [0])})[NO_TREE]
    found, target, weights, runs = _core.rows_of_reply(reply)
    order = _in_order(runs)
    return Rows(
        [
            _zeros(feature.is_categorical, len(target)) if column is None else _taken(column, order)
            for feature, column in zip(schema.features, found, strict=True)
        ],
        _taken(target, order),
        None if weights is None else _taken(weights, order),
    )


def check_fit(
    limits: Limits,
    schema: Schema,
    n_rows: int,
    columns: Collection[int],
    *,
    what: str,
    hint: str,
) -> None:
    """Raise an error if rows with these columns do not fit; ``what`` says what needs them."""
    sizes = [4 if schema.features[j].is_categorical else 8 for j in columns]
    each = COPIES * (16 + sum(sizes)) + BYTES_OF_ROW + BYTES_OF_VALUE * len(sizes)
    if n_rows * each > limits.free_bytes:
        if limits.size is not None:
            least = limits.size.needed_bytes_for(n_rows * each)
            hint = f'pass memory_limit="{-(-least // 10**6)}MB" or more, or {hint}'
        raise MemoryLimitError(
            f"{what} needs all rows in memory, where they do not fit",
            got=f"{n_rows:,} rows and {len(sizes)} columns, which take "
            f"{n_rows * each / 1e6:,.0f} MB where {limits.free_bytes / 1e6:,.0f} MB are free",
            hint=hint,
        )


def _in_order(runs: Sequence[tuple[int, int]]) -> list[slice] | None:
    """Where the rows of each run are, run by run in the order of the table; None: they are."""
    ends = np.cumsum([n for _, n in runs]).tolist()
    places = [slice(end - n, end) for end, (_, n) in zip(ends, runs, strict=True)]
    order = sorted(range(len(runs)), key=lambda run: runs[run])
    return None if order == list(range(len(runs))) else [places[run] for run in order]


def _taken(values: NDArray[Any], order: list[slice] | None) -> NDArray[Any]:
    return values if order is None else np.concatenate([values[place] for place in order])


def _zeros(is_categorical: bool, n_rows: int) -> NDArray[Any]:
    """A column that takes no memory."""
    return np.broadcast_to(np.int32(0) if is_categorical else np.float64(0), n_rows)
