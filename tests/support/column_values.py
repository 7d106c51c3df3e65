"""Columns as plain Python values, for tests to compare."""

from __future__ import annotations

from typing import Any

import numpy as np

from plaintree.data.column import Column
from plaintree.data.table import table_from


def column(X: Any, name: str = "a") -> Column:
    """One column of a table of any make."""
    return next(c for c in table_from(X).columns if c.name == name)


def decoded(c: Column) -> list[Any]:
    """A categorical or ordered column as the labels it stands for; None where missing."""
    return [None if not v >= 0 else c.labels[int(v)] for v in c.values.tolist()]


def numbers(c: Column) -> list[Any]:
    """A numeric column; None where missing."""
    return [None if np.isnan(v) else v for v in c.values.tolist()]
