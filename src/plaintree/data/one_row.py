"""One row of a table, in any form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from plaintree.errors import TableError

from .table import Table, table_from


def one_row(row: Any) -> Table:
    """A dict or Series by column names, a list of values, or a table of one row, as a table.

    >>> one_row({"outlook": "sunny", "humidity": 85}).names
    ('outlook', 'humidity')
    """
    if hasattr(row, "to_dict") and getattr(row, "ndim", 2) == 1:  # a pandas Series
        row = row.to_dict()
    if isinstance(row, Mapping) and all(map(_is_single, row.values())):
        row = [dict(row)]
    elif isinstance(row, list | tuple | np.ndarray) and all(map(_is_single, row)):
        row = [list(row)]
    table = table_from(row)
    if table.n_rows != 1:
        raise TableError(
            "only one row can be followed at a time",
            got=f"a table of {table.n_rows} rows",
            hint="pass a dict by column names, or a table of one row.",
        )
    return table


def _is_single(value: Any) -> bool:
    """Whether it is a value rather than a collection of them."""
    return isinstance(value, str) or not hasattr(value, "__len__")
