"""Makes the stored blocks: python -m tests.support.blocks.make, after a change of the format.

Change FORMAT in growing/sources/block_files.py as well, so blocks that were kept are made again.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from plaintree import _core
from plaintree.data.rows import Rows
from plaintree.data.schema import Feature, Schema

HERE = Path(__file__).parent
SCHEMA = Schema(
    (
        Feature("x", "numeric"),
        Feature("single", "numeric"),
        Feature("colour", "categorical", "string", ("blue", "green", "red")),
    ),
    ("no", "yes"),
)
BORDERS = [np.array([-1.0, 0.0, 2.5]), np.array([0.5]), np.empty(0)]


def rows() -> Rows:
    """A few rows with every kind of column and of value, and weights."""
    i = np.arange(24)
    x = np.array([np.nan, -0.0, 0.0, np.inf, -np.inf, 1.5, 2.5, -3.0])[i % 8]
    single = ((i * 5) % 7 / 4).astype(np.float32)
    single[i % 9 == 0] = np.nan
    colour = ((i * 7) % 4 - 1).astype(np.int32)
    y = (((i * 7) % 4 == 3) ^ (i % 8 > 4)).astype(np.int32)
    return Rows([x, single, colour], y, 0.5 + (i % 3))


def encoded() -> tuple[bytes, bytes]:
    """The rows as a block, and its facts."""
    given = rows()
    block, facts = _core.BlockEncoder(BORDERS).encode(
        columns=given.columns,
        n_categories=SCHEMA.category_counts,
        target=given.target,
        n_classes=2,
        weights=given.weights,
        first_row=1000,
    )
    return block, facts


if __name__ == "__main__":
    for name, content in zip(("block.bin", "facts.bin"), encoded(), strict=True):
        (HERE / name).write_bytes(content)
