"""Trees of the core's own arrays, the one way around validation."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from plaintree.data.schema import Schema

from .conventions import Conventions
from .tree import ARRAY_DTYPES, Tree


def tree_from_core(
    arrays: dict[str, NDArray[Any]],
    schema: Schema,
    conventions: Conventions | None,
    edits: tuple[dict[str, Any], ...] = (),
) -> Tree:
    """The tree of the core's arrays, which are valid and not held by anyone else.

    They are neither copied nor validated. Pickles name the constructor, never this function.
    """
    tree = object.__new__(Tree)
    for name in ARRAY_DTYPES:
        arrays[name].flags.writeable = False
    tree.__dict__.update(arrays, schema=schema, conventions=conventions, edits=edits)
    return tree
