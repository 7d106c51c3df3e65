"""Forests in packed form, which the core stores; a tree is unpacked when it is read.

A forest is a sequence of trees of one schema and one set of conventions. The
predictions of all trees for a row are one call to the core.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from plaintree import _core
from plaintree.data.rows import Rows
from plaintree.data.schema import Schema
from plaintree.data.target import core_target
from plaintree.errors import ParameterError, TableError

from .conventions import CHOICES, Conventions, criterion_of
from .from_core import tree_from_core
from .predict import Columns
from .tree import Tree

Floats = NDArray[np.float64]
Voting = Literal["hard", "soft"]
VOTING: tuple[Voting, ...] = ("hard", "soft")
MOST_ROWS = 2**32 - 1
"""As many rows as the core counts in a node."""


@dataclass(frozen=True)
class Sampling:
    """How the rows of each tree are drawn: with or without replacement, or all of them.

    Samples that version 0.1.0 drew were not drawn by block, and cannot be drawn again.
    """

    how: Literal["all", "with_replacement", "without_replacement"]
    n_draws: int
    seed: int
    by_block: bool = True

    def for_engine(self) -> dict[str, int]:
        """The sampling as the core takes it."""
        if not self.by_block:
            raise TableError(
                "an earlier version of plaintree drew the samples of this forest differently",
                got="a forest from a model file of version 0.1.0",
                hint="fit the forest again with the same random_state.",
            )
        order = ("all", "with_replacement", "without_replacement")
        return {"how": order.index(self.how), "n_draws": self.n_draws, "seed": self.seed}

    def draw(self, tree: int, n_rows: int) -> NDArray[np.uint32]:
        """How often each of so many rows is in the sample of a tree."""
        return np.asarray(_core.draw_sample(self.for_engine(), tree, n_rows))

    def draws(self, n_rows: int, n_trees: int) -> list[NDArray[np.uint32]]:
        """How often each of so many rows is in the sample of each tree."""
        return [self.draw(tree, n_rows) for tree in range(n_trees)]


@dataclass(frozen=True, eq=False)
class OutOfBag:
    """Predictions of trees for rows that were not in their samples.

    - ``means``: rows x classes, or rows x 1 of a numeric target: the mean over the trees that did
      not see the row; NaN if all trees saw it.
    - ``error_curve``: the fraction of rows misclassified by the first 1, 2, ... trees, or their
      mean squared error, among those that are out of bag for any of them.
    """

    means: Floats
    error_curve: Floats

    @property
    def error(self) -> float:
        """The error of all trees together."""
        return float(self.error_curve[-1])


class PackedForest(Sequence[Tree]):
    """Trees that vote together; ``forest[i]`` is an ordinary :class:`plaintree.Tree`.

    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> forest = pt.RandomForestClassifier(5, random_state=0).fit(X, y).trees_
    >>> len(forest), type(forest[0]).__name__
    (5, 'Tree')
    """

    def __init__(self, schema: Schema, conventions: Conventions | None, packed: Any) -> None:
        self.schema = schema
        self.conventions = conventions
        self._packed = packed

    @classmethod
    def from_trees(cls, trees: Iterable[Tree]) -> PackedForest:
        """The forest of the given trees, which have one schema and one set of conventions."""
        packed, first = _core.Forest(), None
        for tree in trees:
            first = first or tree
            if tree.schema != first.schema or tree.conventions != first.conventions:
                raise ParameterError(
                    "the trees of a forest differ in schema or conventions",
                    got=f"tree {len(packed)}, which is unlike the first",
                    hint="grow all of them on one table, with the same parameters.",
                )
            if tree.has_surrogates:
                raise ParameterError(
                    "the trees of a forest cannot have surrogate splits: they are packed without",
                    got=f"tree {len(packed)}, which has some",
                    hint='grow them with another value of missing, such as "most_common".',
                )
            if tree.n_rows.max() > MOST_ROWS:
                raise ParameterError(
                    "a forest counts at most 2^32 - 1 rows in a node",
                    got=f"tree {len(packed)} with {tree.n_rows.max():,} rows in a node",
                    hint="give the nodes smaller numbers of rows; weights may be of any size.",
                )
            criterion = criterion_of(tree.conventions, tree.schema)
            packed.append(
                tree,
                CHOICES["criterion"].index(criterion),
                any_node_predicts(tree.conventions),
            )
        if first is None:
            raise ParameterError("a forest needs at least one tree", got="none", hint="add some.")
        return cls(first.schema, first.conventions, packed)

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self.schema.with_values_of(self.used_columns()), tuple(self))

    def used_columns(self) -> frozenset[int]:
        """The numbers of the columns that some tree splits on."""
        return self._used_columns

    @cached_property
    def _used_columns(self) -> frozenset[int]:
        return frozenset[int]().union(*(tree.used_columns() for tree in self))

    # ---------------------------------------------------------------- trees

    def __add__(self, more: PackedForest) -> PackedForest:
        both = _core.Forest()
        both.extend(self._packed)
        both.extend(more._packed)
        return PackedForest(self.schema, self.conventions, both)

    def __len__(self) -> int:
        return len(self._packed)

    @overload
    def __getitem__(self, index: int) -> Tree: ...
    @overload
    def __getitem__(self, index: slice) -> list[Tree]: ...
    def __getitem__(self, index: int | slice) -> Tree | list[Tree]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        number = index + len(self) if index < 0 else index
        if not 0 <= number < len(self):
            raise IndexError(f"there is no tree {index}: the forest has {len(self)}")
        return tree_from_core(self._packed.tree(number), self.schema, self.conventions)

    def __repr__(self) -> str:
        return f"<PackedForest of {len(self)} trees with {self.n_nodes:,} nodes>"

    @property
    def n_nodes(self) -> int:
        """The nodes of all trees together."""
        return sum(self._packed.n_nodes(i) for i in range(len(self)))

    @property
    def nbytes(self) -> int:
        """The memory that the packed trees take."""
        return int(self._packed.n_bytes())

    # ---------------------------------------------------------------- predictions of all trees

    def shares(
        self,
        columns: Columns,
        voting: Voting,
        *,
        trees: tuple[int, int] | None = None,
        n_threads: int = 1,
    ) -> Floats:
        """The mean class probabilities of the trees (or those from one number to another)."""
        first, last = trees or (0, len(self))
        return np.asarray(
            self._packed.shares(
                columns=list(columns),
                n_categories=self.schema.category_counts,
                n_rows=len(columns[0]),
                first=first,
                last=last,
                voting=VOTING.index(voting),
                unseen_stops=any_node_predicts(self.conventions),
                n_threads=n_threads,
            )
        )

    def out_of_bag(
        self, rows: Rows, sampling: Sampling, voting: Voting, *, n_threads: int = 1
    ) -> OutOfBag:
        """The predictions of each tree for its out-of-bag rows."""
        votes, n_trees, errors = self._packed.out_of_bag(
            **self._sampled(rows, sampling), voting=VOTING.index(voting), n_threads=n_threads
        )
        with np.errstate(invalid="ignore"):
            return OutOfBag(votes / n_trees[:, None], errors)

    def permutation_losses(self, rows: Rows, sampling: Sampling, *, n_threads: int = 1) -> Floats:
        """Trees x columns: by how much the accuracy of a tree on its out-of-bag rows falls when the
        values of the column are shuffled among them.
        """
        losses = self._packed.permutation_losses(
            **self._sampled(rows, sampling), n_threads=n_threads
        )
        return np.asarray(losses)

    def _sampled(self, rows: Rows, sampling: Sampling) -> dict[str, Any]:
        return {
            "columns": list(rows.columns),
            "n_categories": self.schema.category_counts,
            "target": core_target(rows.target, self.schema),
            "rows": np.flatnonzero(rows.known_weights > 0).astype(np.uint32),
            "sampling": sampling.for_engine(),
            "unseen_stops": any_node_predicts(self.conventions),
        }


def any_node_predicts(conventions: Conventions | None) -> bool:
    """Whether rows may end in internal nodes."""
    return conventions is not None and conventions.unseen == "stop"


def _unpickled(schema: Schema, trees: tuple[Tree, ...]) -> PackedForest:
    """A forest from its trees, each of which was pickled with the values that it uses alone."""
    return PackedForest.from_trees(replace(tree, schema=schema) for tree in trees)
