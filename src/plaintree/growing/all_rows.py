"""The rows of a source at once, with the columns that a tree uses: for what follows growing.

Error-based pruning sends the rows of a node down its branches in turn, which counts do not show.
The rows come from the blocks, so every source has them; they have to fit into memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree import _core
from plaintree.data.rows import Rows
from plaintree.errors import MemoryLimitError
from plaintree.tree.tree import Tree

from .counts import CountSource
from .from_counts import CountedRows, Growing, core_params, weighting

NO_TREE = 1
"""The number of the request: no tree is grown by it, so rows do not stand where another one left
them."""
COPIES = 5
"""Of the rows: in a reply, in its bytes, and in arrays."""
BYTES_OF_PLACE = 96
"""Of a row that is sent down a tree: its number and weight, in every list that holds it."""


def rows_again(source: CountSource, rows: CountedRows, tree: Tree, growing: Growing) -> Rows:
    """The rows that a tree was grown from, encoded; columns that it does not use are zeros.

    Rows are in any order. Those that count nothing come last, with a weight of zero.
    """
    used = sorted(tree.used_columns()) or [0]
    facts = _core.describe_facts(source.facts)
    n_rows = facts["n_rows"]
    _check_memory(tree, used, n_rows, growing)
    assert tree.conventions is not None, "the tree was grown"
    params = core_params(tree.conventions, rows, n_rows)
    options = growing.limits.for_core() | weighting(rows)
    request = _core.rows_request(source.facts, params, options, used)
    reply = source.answer({NO_TREE: request})[NO_TREE]
    columns, target, weights = _core.rows_of_reply(reply, source.facts, params, options)
    n_left_out = n_rows - len(target)
    if n_left_out:
        weights = np.pad(np.ones(len(target)) if weights is None else weights, (0, n_left_out))
    return Rows(
        [
            _zeros(feature.is_categorical, n_rows)
            if column is None
            else np.pad(column, (0, n_left_out))
            for feature, column in zip(tree.schema.features, columns, strict=True)
        ],
        np.pad(target, (0, n_left_out)),
        weights,
    )


def _zeros(is_categorical: bool, n_rows: int) -> NDArray[Any]:
    """A column that takes no memory."""
    return np.broadcast_to(np.int32(0) if is_categorical else np.float64(0), n_rows)


def _check_memory(tree: Tree, used: list[int], n_rows: int, growing: Growing) -> None:
    row_bytes = 16 + sum(4 if tree.schema.features[j].is_categorical else 8 for j in used)
    needed = n_rows * (COPIES * row_bytes + BYTES_OF_PLACE)
    if needed > growing.limits.free_bytes:
        raise MemoryLimitError(
            "the rows of the columns that the tree uses do not fit into memory, and pruning "
            "needs them",
            got=f"{n_rows:,} rows and {len(used)} columns, which take {needed / 1e6:,.0f} MB where "
            f"{growing.limits.free_bytes / 1e6:,.0f} MB are free",
            hint="raise memory_limit; or use pruning=None, and then prune(model, ...) by "
            '"reduced_error" with a validation dataset, or by "pessimistic" or "mdl".',
        )
