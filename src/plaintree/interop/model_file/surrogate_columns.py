"""Surrogate splits as columns of numbers, for the packed form of model files.

A block without surrogates has none of these columns. Otherwise ``surrogates`` has the number of
surrogates of every node, and ``surrogate_levels`` the branch of every category, one surrogate after
the other; the other columns have an entry per surrogate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.tree.surrogates import OF_SURROGATES, SURROGATE_DTYPES, no_surrogates
from plaintree.tree.tree import Tree

from .column import TreeColumn

SCOPES = ("surrogates", "surrogate_levels")
_VALUES = tuple(name for name in OF_SURROGATES if "level" not in name)
STORED: Mapping[str, tuple[str, ...]] = {
    "surrogates": ("nodes",),
    "surrogate_sizes": ("surrogates",),
    "surrogate_levels": ("surrogate_levels",),
    **dict.fromkeys(_VALUES, ("surrogates",)),
}
"""The columns that there may be, with their scopes; all of them, or none."""


def written(trees: Sequence[Tree]) -> list[TreeColumn]:
    """The columns of the surrogates of valid trees; none if there are no surrogates."""
    if not any(tree.has_surrogates for tree in trees):
        return []

    def joined(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(tree, name) for tree in trees])

    numbers = [
        tree.surrogate_end - tree.surrogate_begin
        if tree.has_surrogates
        else np.zeros(tree.n_nodes, dtype=np.int64)
        for tree in trees
    ]
    sizes = joined("surrogate_level_end") - joined("surrogate_level_begin")
    return [
        TreeColumn("surrogates", "nodes", np.concatenate(numbers)),
        TreeColumn("surrogate_sizes", "surrogates", sizes),
        TreeColumn("surrogate_levels", "surrogate_levels", joined("surrogate_levels")),
        *(TreeColumn(name, "surrogates", joined(name)) for name in _VALUES),
    ]


def read(
    stored: Mapping[str, TreeColumn], n_nodes: NDArray[np.int64]
) -> list[dict[str, NDArray[Any]]]:
    """The arrays of each tree, as far as they fit together; ValueError if they do not."""
    found = [name for name in STORED if name in stored]
    if not found:
        return [no_surrogates() for _ in n_nodes]
    if len(found) < len(STORED):
        raise ValueError("columns of surrogates are missing")
    counts, sizes = _whole(stored["surrogates"]), _whole(stored["surrogate_sizes"])
    n_levels = len(stored["surrogate_levels"].values)
    lengths = {len(stored[name].values) for name in _VALUES}
    if len(counts) != n_nodes.sum() or {len(sizes)} != lengths or counts.sum() != len(sizes):
        raise ValueError("the numbers of surrogates do not add up")
    if sizes.sum() != n_levels:
        raise ValueError("the numbers of categories of surrogates do not add up")
    trees, node, place, level = [], 0, 0, 0
    for n in n_nodes.tolist():
        own = counts[node : node + n]
        own_sizes = sizes[place : place + int(own.sum())]
        trees.append(_arrays(stored, own, own_sizes, place, level))
        node, place, level = node + n, place + len(own_sizes), level + int(own_sizes.sum())
    return trees


def _whole(column: TreeColumn) -> NDArray[np.int64]:
    values = column.values
    if values.dtype.kind == "f" or (values.size and not 0 <= values.min() <= values.max() < 2**31):
        raise ValueError(f"the column {column.name!r} has entries that do not fit")
    return values.astype(np.int64)


def _arrays(
    stored: Mapping[str, TreeColumn],
    counts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    place: int,
    level: int,
) -> dict[str, NDArray[Any]]:
    """The arrays of one tree, whose surrogates and levels begin at these places."""
    if not len(sizes):
        return no_surrogates()
    ends, level_ends = np.cumsum(counts), np.cumsum(sizes)
    flat = {name: stored[name].values[place : place + len(sizes)] for name in _VALUES}
    levels = stored["surrogate_levels"].values[level : level + int(level_ends[-1])]
    return {
        **{name: _typed(name, values) for name, values in flat.items()},
        "surrogate_begin": ends - counts,
        "surrogate_end": ends,
        "surrogate_level_begin": level_ends - sizes,
        "surrogate_level_end": level_ends,
        "surrogate_levels": _typed("surrogate_levels", levels),
    }


def _typed(name: str, values: NDArray[Any]) -> NDArray[Any]:
    dtype = np.dtype(SURROGATE_DTYPES[name])
    typed = values.astype(dtype)
    if dtype.kind != "f" and (values.dtype.kind == "f" or not np.array_equal(typed, values)):
        raise ValueError(f"the column {name!r} has entries that do not fit")
    return typed
