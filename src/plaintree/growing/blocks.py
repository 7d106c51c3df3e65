"""Blocks: rows of a table encoded once, to be counted many times.

A number is encoded as the bucket it lies in, between borders that a sample gives. Borders decide
what counting costs, and never what the tree is. See src/core/blocks/block.h.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree import _core
from plaintree.data.parts import Part, Reading
from plaintree.data.schema import Schema
from plaintree.data.survey import Survey, encoded_part
from plaintree.data.target import core_target

BLOCK_ROWS: int = _core.BLOCK_ROWS
"""Rows of a block, at most."""
MOST_BORDERS = 65_000
ROWS_OF_BORDER = 64
"""Rows of a table for each border, at least: no node has a bucket of fewer rows in all its rows."""
FEW_VALUES = 4_096
"""A column of so many values in the sample, or fewer, has a border at each of them."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Layout:
    """How the rows of a table are encoded, wherever they are: found once, from all rows.

    ``dtypes`` and ``borders`` are those of the numeric columns; categorical ones have none.
    """

    schema: Schema
    reading: Reading
    dtypes: tuple[np.dtype[Any] | None, ...]
    borders: tuple[Floats, ...]

    @classmethod
    def of(cls, survey: Survey, reading: Reading) -> Layout:
        """The layout of a table of which all parts have been surveyed."""
        schema = survey.schema(reading)
        numeric = [not feature.is_categorical for feature in schema.features]
        pairs = list(zip(survey.columns, numeric, strict=True))
        most = min(max(survey.n_rows // ROWS_OF_BORDER, 2 * FEW_VALUES), MOST_BORDERS)
        return cls(
            schema,
            reading,
            tuple(column.dtype if is_numeric else None for column, is_numeric in pairs),
            tuple(
                borders_of(column.sample, most) if is_numeric else np.empty(0)
                for column, is_numeric in pairs
            ),
        )

    def encoder(self) -> Encoder:
        """Make an encoder, which keeps look-up tables of the borders."""
        return Encoder(self)


class Encoder:
    """Encodes parts of a table as blocks."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._core = _core.BlockEncoder(list(layout.borders))

    def blocks(self, part: Part, first_row: int) -> Iterator[tuple[bytes, bytes]]:
        """Yield each block and its facts; ``first_row`` is the number of the part's first row."""
        layout, schema = self._layout, self._layout.schema
        columns, target = encoded_part(part, schema, layout.dtypes, layout.reading)
        target = core_target(target, schema)
        for begin in range(0, len(part), BLOCK_ROWS):
            rows = slice(begin, begin + BLOCK_ROWS)
            yield self._core.encode(
                columns=[column[rows] for column in columns],
                n_categories=schema.category_counts,
                target=target[rows],
                n_classes=len(schema.classes),
                weights=None
                if part.weights is None
                else np.ascontiguousarray(part.weights[rows], dtype=np.float64),
                first_row=first_row + begin,
            )


def borders_of(sample: Floats, most: int = MOST_BORDERS) -> Floats:
    """Borders between buckets: every value if these are few, otherwise so many quantiles.

    >>> borders_of(np.array([0.5, -0.0, 0.0, np.nan]))
    array([0. , 0.5])
    """
    known = np.asarray(sample, dtype=np.float64)
    ordered = np.sort(known[~np.isnan(known)] + 0.0)
    values = _different(ordered)
    if len(values) <= FEW_VALUES:
        return values
    places = np.linspace(0, len(ordered) - 1, min(most, len(values))).astype(np.int64)
    return _different(ordered[places])


def _different(ordered: Floats) -> Floats:
    """Each of the ordered values once."""
    is_first = np.ones(len(ordered), dtype=np.bool_)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return ordered[is_first]
