"""One row of a table, in any form, and its way down a tree: which nodes it reaches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .encode import Encoded, encode
from .errors import TableError
from .schema import UNSEEN
from .table import Table, table_from
from .tree import Tree


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
            hint="give a dict by column names, or a table of one row.",
        )
    return table


def _is_single(value: Any) -> bool:
    """Whether it is a value rather than a collection of them."""
    return isinstance(value, str) or not hasattr(value, "__len__")


def encoded_row(tree: Tree, row: Any) -> Encoded:
    """A row as columns of one value each, in the codes of the tree's schema."""
    unseen = tree.conventions.unseen if tree.conventions else "missing"
    return encode(one_row(row), tree.schema, unseen=unseen)


def reached_shares(tree: Tree, columns: Sequence[NDArray[Any]]) -> NDArray[np.float64]:
    """The share of a row (columns of one value) that reaches each node; 0 where it does not go.

    A row is divided where it lacks the value tested and the tree divides such rows. It ends in an
    inner node where it cannot go on.
    """
    shares = np.zeros(tree.n_nodes)
    shares[0] = 1.0
    stops = tree.conventions is not None and tree.conventions.unseen == "stop"
    waiting = [0]
    while waiting:
        node = waiting.pop()
        condition = tree.condition(node)
        if condition is None:
            continue
        route = int(condition.route(columns[condition.attribute])[0])
        if route == UNSEEN and stops:
            continue
        branch = route if route >= 0 else int(tree.missing_child[node])
        first, n = int(tree.first_child[node]), int(tree.n_children[node])
        parts = np.zeros(n)
        if branch >= 0:
            parts[branch] = 1.0
        elif (total := tree.weight[first : first + n].sum()) > 0:
            parts = tree.weight[first : first + n] / total
        shares[first : first + n] = shares[node] * parts
        waiting.extend((first + np.flatnonzero(parts)).tolist())
    return shares
