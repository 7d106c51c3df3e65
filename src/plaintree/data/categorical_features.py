"""The columns that an estimator is asked to read as categories, by any name they may have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from plaintree.errors import ColumnError, ParameterError, nearest, not_allowed

from .table import Table

CategoricalFeatures = Literal["from_dtype"] | Sequence[str] | Sequence[int] | Sequence[bool] | None
"""As in scikit-learn's HistGradientBoostingClassifier: names, positions, a mask or None."""
NAMES_SHOWN = 10


def chosen_columns(table: Table, categorical_features: Any) -> frozenset[int]:
    """The positions of the columns that ``categorical_features`` lists.

    Parameters
    ----------
    table : Table
        The training table.
    categorical_features : "from_dtype", None or sequence
        Names, integers (positions from 0) or booleans (one per column). "from_dtype" and None list
        no column; columns of text, booleans and categories are categorical in any case.

    Examples
    --------
    >>> from plaintree.data.table import table_from
    >>> table = table_from({"zone": [1, 2], "size": [3.5, 4.5]})
    >>> [sorted(chosen_columns(table, given)) for given in (["zone"], [1], [False, True], None)]
    [[0], [1], [1], []]
    """
    if categorical_features is None:
        return frozenset()
    if isinstance(categorical_features, str):
        if categorical_features == "from_dtype":
            return frozenset()
        raise not_allowed(
            "categorical_features", categorical_features, ("from_dtype", None, ["a", "list"])
        )
    wanted = _listed(categorical_features)
    if not wanted:
        return frozenset()
    if all(isinstance(entry, bool | np.bool_) for entry in wanted):
        return _of_mask(table, wanted)
    if all(isinstance(w, int | np.integer) and not isinstance(w, bool) for w in wanted):
        return frozenset(_position(table, int(number)) for number in wanted)
    if all(isinstance(entry, str) for entry in wanted):
        return frozenset(_named(table, name) for name in wanted)
    kinds = dict.fromkeys(type(entry).__name__ for entry in wanted)
    raise ParameterError(
        "categorical_features is not a list of columns",
        got=f"entries of type {', '.join(kinds)}",
        hint='give names (["color", "size"]), positions ([0, 3]) or one boolean per column.',
    )


def _listed(categorical_features: Any) -> list[Any]:
    try:
        return list(categorical_features)
    except TypeError as error:
        raise ParameterError(
            "categorical_features has a value that is not allowed",
            got=f"categorical_features={categorical_features!r}",
            hint='use "from_dtype", None, or a list of names, positions or booleans.',
        ) from error


def _of_mask(table: Table, mask: list[Any]) -> frozenset[int]:
    if len(mask) != len(table.names):
        raise ParameterError(
            "categorical_features is a mask of another length than the table has columns",
            got=f"{len(mask)} booleans for {len(table.names)} columns",
            hint="give one for each column, or the names of columns.",
        )
    return frozenset(np.flatnonzero(mask).tolist())


def _position(table: Table, number: int) -> int:
    if not 0 <= number < len(table.names):
        raise ColumnError(
            "categorical_features has a position that is not in the table",
            got=f"{number}, where the table has {len(table.names)} columns",
            hint=f"use integers from 0 to {len(table.names) - 1}, or the names of columns.",
        )
    return number


def _named(table: Table, name: str) -> int:
    if name not in table.names:
        shown = ", ".join(map(repr, table.names[:NAMES_SHOWN]))
        raise ColumnError(
            "categorical_features names a column that the table does not have",
            got=repr(name),
            hint=nearest(name, table.names) or f"the columns are {shown}.",
        )
    return table.names.index(name)
