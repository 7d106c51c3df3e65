"""Rows of a dataset for a model that is fitted: batch by batch, with the columns that it uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from plaintree.errors import TableError

from .encode import UsedColumns
from .parts import FROM_FIRST, RowNumbers, located, weights_in
from .schema import Schema
from .unseen import UnseenInBatches

if TYPE_CHECKING:
    import polars as pl

    from .dataset import Dataset


@dataclass(frozen=True, eq=False)
class Batch:
    """Some rows of a dataset.

    - ``where``: the file. ``rows``: their numbers in it.
    - ``frame``: the features.
    - ``target``, ``weights``: those of the rows, if they are read.
    - ``unseen``: what is found of all batches together.
    """

    where: str
    frame: pl.DataFrame
    target: pl.Series | None
    weights: NDArray[np.float64] | None
    unseen: UnseenInBatches
    rows: RowNumbers = FROM_FIRST


def target_of(dataset: Dataset) -> str:
    """The column with the target; a dataset without one is an error."""
    if dataset.target is None:
        raise TableError(
            "the dataset has no target",
            got=repr(dataset),
            hint="name the column to predict: open_dataset(paths, target=...).",
        )
    return dataset.target


def batches_for(
    dataset: Dataset, schema: Schema, used: UsedColumns, *, labelled: bool = False
) -> Iterator[Batch]:
    """Yield the rows with the features that a model uses; ``labelled``: with target and weights.

    There is at least one batch, and none is empty. The warning about unseen categories counts the
    rows of all batches.
    """
    dataset.warn_of_types()
    features, unseen = _needed(dataset.columns, schema, used), UnseenInBatches()
    target = target_of(dataset) if labelled else None
    weights = dataset.weights if labelled else None
    others = [name for name in (target, weights) if name is not None]
    n_rows = 0
    for where, rows, frame in dataset.located_batches(columns=[*features, *others]):
        if not frame.height:
            continue
        n_rows += frame.height
        known = None
        if weights is not None:
            with located(where, rows):
                known = weights_in(frame[weights], weights, frame.height)
        labels = None if target is None else frame[target]
        yield Batch(where, frame.select(features), labels, known, unseen, rows)
    if not n_rows:
        raise TableError(
            "the dataset has no rows",
            got=repr(dataset),
            hint="check the paths, and the filter if there is one.",
        )
    unseen.warn(schema, used, stacklevel=5)


def _needed(columns: Sequence[str], schema: Schema, used: UsedColumns) -> list[str]:
    """The columns to read; all where some are lacking, for the error to name them."""
    present = set(columns)
    needed = [schema.names[i] for i in sorted(used())]
    if not needed:  # a single leaf
        needed = [name for name in schema.names if name in present][:1]
    return needed if needed and present.issuperset(needed) else list(columns)
