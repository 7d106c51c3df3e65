"""Blocks: rows of a table encoded once, to be counted many times.

A number is encoded as the bucket it lies in, between borders that a sample gives. Borders decide
what counting costs, and never what the tree is. See src/core/blocks/block.h.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree import _core
from plaintree.data.schema import Schema
from plaintree.data.target import core_target

BLOCK_ROWS: int = _core.BLOCK_ROWS
"""Rows of a block, at most."""
MOST_BORDERS = 65_000
FEW_VALUES = 4_096
"""A column of so many values in the sample, or fewer, has a border at each of them."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Layout:
    """How the rows of a table are encoded: its schema, and the borders of each column.

    Categorical columns have no borders.
    """

    schema: Schema
    borders: tuple[Floats, ...]

    def encoder(self) -> Encoder:
        """Make an encoder, which keeps look-up tables of the borders."""
        return Encoder(self)


class Encoder:
    """Encodes rows as blocks."""

    def __init__(self, layout: Layout) -> None:
        self.schema = layout.schema
        self._core = _core.BlockEncoder([list(own) for own in layout.borders])

    def blocks(
        self,
        columns: Sequence[NDArray[Any]],
        target: NDArray[Any],
        weights: Floats | None,
        first_row: int,
    ) -> Iterator[tuple[bytes, bytes]]:
        """Yield each block and its facts; ``first_row`` is the number of the first row."""
        target = core_target(target, self.schema)
        n_rows = len(target)
        for begin in range(0, n_rows, BLOCK_ROWS):
            rows = slice(begin, begin + BLOCK_ROWS)
            yield self._core.encode(
                columns=[column[rows] for column in columns],
                n_categories=self.schema.category_counts,
                target=target[rows],
                n_classes=len(self.schema.classes),
                weights=None
                if weights is None
                else np.ascontiguousarray(weights[rows], dtype=np.float64),
                first_row=first_row + begin,
            )


def layout_of(schema: Schema, samples: Sequence[Floats]) -> Layout:
    """The layout for a schema, and values of the numeric columns that stand for all of them.

    >>> from plaintree.data.schema import Feature
    >>> schema = Schema((Feature("x", "numeric"),), ("no", "yes"))
    >>> layout_of(schema, [np.array([3.0, 1.0, 1.0])]).borders
    (array([1., 3.]),)
    """
    return Layout(
        schema,
        tuple(
            np.empty(0) if feature.kind == "categorical" else borders_of(sample)
            for feature, sample in zip(schema.features, samples, strict=True)
        ),
    )


def borders_of(sample: Floats) -> Floats:
    """Borders between buckets: every value if these are few, otherwise quantiles.

    >>> borders_of(np.array([0.5, -0.0, 0.0, np.nan]))
    array([0. , 0.5])
    """
    known = np.asarray(sample, dtype=np.float64)
    values: Floats = np.unique(known[~np.isnan(known)] + 0.0)
    if len(values) <= FEW_VALUES:
        return values
    ordered = np.sort(known[~np.isnan(known)] + 0.0)
    places = np.linspace(0, len(ordered) - 1, min(MOST_BORDERS, len(values))).astype(np.int64)
    return np.unique(ordered[places])
