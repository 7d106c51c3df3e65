"""Rows of a dataset, encoded for a tree batch by batch.

What is a sum over rows, such as losses at nodes, is added up over the batches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plaintree.data.batches import batches_for
from plaintree.data.parts import located
from plaintree.data.rows import Rows
from plaintree.data.table import is_dataset
from plaintree.errors import ParameterError

from .tree import Tree
from .walk import rows_from

if TYPE_CHECKING:
    from plaintree.data.dataset import Dataset


@dataclass(frozen=True, eq=False)
class RowBatches:
    """The rows of a dataset with their targets; read again each time that they are gone through."""

    tree: Tree
    dataset: Dataset

    def __iter__(self) -> Iterator[Rows]:
        tree = self.tree
        for batch in batches_for(self.dataset, tree.schema, tree.used_columns, labelled=True):
            with located(batch.where, batch.rows):
                rows = rows_from(tree, batch.frame, batch.target)
            # Scaling weights batch by batch would make them incomparable.
            yield Rows(rows.columns, rows.target, batch.weights)


AnyRows = Rows | RowBatches


def any_rows(tree: Tree, X: Any, y: Any = None, sample_weight: Any = None) -> AnyRows:
    """The rows of a table in memory or of a dataset, which has its target and weights."""
    if not is_dataset(X):
        return rows_from(tree, X, y, sample_weight)
    for name, value in (("y", y), ("sample_weight", sample_weight)):
        if value is not None:
            raise names_its_own(name, value)
    return RowBatches(tree, X)


def names_its_own(name: str, value: Any) -> ParameterError:
    """The error for targets or weights beside a dataset."""
    return ParameterError(
        f"{name} is given, but a dataset names its own columns",
        got=f"{name} of type {type(value).__name__}",
        hint="name the columns of the target and of weights in open_dataset.",
    )


def each_batch(rows: AnyRows) -> Iterator[Rows]:
    """The batches of rows; those in memory are one."""
    if isinstance(rows, Rows):
        yield rows
    else:
        yield from rows
