"""The rows of a table, encoded by a schema, with their classes and weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.checks import check_number, check_random_state
from plaintree.errors import ParameterError

from .schema import Schema
from .table import Table, refuse_dataset
from .target import NumericTarget, Target

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Rows:
    """A table encoded by a tree's schema: columns, target, and weights (None: all one).

    ``target`` holds class codes, or numbers where the target is numeric. ``table`` is
    there where another schema may have to encode the rows as well.
    """

    columns: list[NDArray[Any]]
    target: NDArray[Any]
    weights: Floats | None
    table: Table | None = None

    @property
    def codes(self) -> NDArray[np.int32]:
        """The class codes."""
        return self.target

    @property
    def known_weights(self) -> Floats:
        """The weights, written out."""
        return np.ones(len(self.target)) if self.weights is None else self.weights

    @property
    def strata(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The position of each row's target among the distinct ones, and how often these occur."""
        _, strata, counts = np.unique(self.target, return_inverse=True, return_counts=True)
        return strata, counts

    def __getitem__(self, chosen: NDArray[np.bool_]) -> Rows:
        weights = None if self.weights is None else self.weights[chosen]
        return Rows([column[chosen] for column in self.columns], self.target[chosen], weights)

    def divided(self, fraction: float, random_state: Any = None) -> tuple[Rows, Rows]:
        """The rows without a fraction held out at random, and that fraction.

        Every class keeps its proportion in both parts if it has enough rows; numbers do as well
        if each of them has.
        """
        from sklearn.model_selection import train_test_split

        check_number("validation_fraction", fraction, 0, 1, above=True)
        n_rows = len(self.target)
        if fraction == 1 or n_rows < 2:
            raise ParameterError(
                "no rows can be held out for validation, with others left to grow from",
                got=f"validation_fraction={fraction!r} of {n_rows} rows",
                hint="use a fraction between 0 and 1, of at least two rows.",
            )
        n_held_out = min(max(1, round(fraction * n_rows)), n_rows - 1)
        strata, counts = self.strata
        enough = counts.min() >= 2 and min(n_held_out, n_rows - n_held_out) >= len(counts)
        _, held_out = train_test_split(
            np.arange(n_rows),
            test_size=n_held_out,
            random_state=check_random_state(random_state),
            stratify=strata if enough else None,
        )
        inside = np.zeros(n_rows, dtype=np.bool_)
        inside[held_out] = True
        return self[~inside], self[inside]


def take_rows(values: Any, rows: NDArray[np.intp]) -> Any:
    """Some rows of a table of any kind, or of its labels, as the same kind of object.

    >>> take_rows({"outlook": ["sunny", "rainy"]}, np.array([1]))
    {'outlook': ['rainy']}
    """
    from sklearn.utils import _safe_indexing

    refuse_dataset(values)
    if isinstance(values, Table | Target | NumericTarget):
        return values.take(rows)
    if isinstance(values, Mapping):
        return {name: _safe_indexing(column, rows) for name, column in values.items()}
    return _safe_indexing(values, rows)


def class_positions(schema: Schema, labels: tuple[Any, ...]) -> NDArray[np.int32]:
    """The code of every label in a schema; -1 where the schema does not have it."""
    known = {label: code for code, label in enumerate(schema.classes)}
    return np.array([known.get(label, -1) for label in labels], dtype=np.int32)
