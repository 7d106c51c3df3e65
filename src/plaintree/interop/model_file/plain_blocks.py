"""Fast loading of a block into a packed forest, for trees that split at thresholds only.

Most forests are such: two branches everywhere, integer counts, and all else follows from them. Then
a tree is valid if its columns are, which is checked here for a whole block at once, and the core
packs the trees directly from the columns. Any other block is loaded tree by tree with
``Tree.validate()``, which also raises the error for an invalid one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from plaintree import _core
from plaintree.data.schema import Schema
from plaintree.tree.conventions import Conventions
from plaintree.tree.forest import PackedForest, any_node_predicts

from .blocks import Block
from .column import TreeColumn

ENGINE_RULE = 0
"""The rule (``derived.IMPURITIES``) by which the engine works out impurities."""
_SCOPES = {
    "n_nodes": "trees",
    "n_levels": "trees",
    "kind": "nodes",
    "attribute": "inner",
    "threshold": "thresholds",
    "n_children": "inner",
    "missing_child": "inner",
    "n_rows": "leaves",
    "class_weights": "leaves",
    "impurity_by": "trees",
}


def may_be_plain(block: Block) -> bool:
    """Whether a block's description fits fast loading."""
    scopes = {name: scope for name, scope, _, _ in block.columns if name != "n_tied"}
    floats = {name for name, _, code, _ in block.columns if code[0] == "f"}
    return scopes == _SCOPES and floats == {"threshold"} and len(block.columns) <= len(_SCOPES) + 1


def plain_forest(
    schema: Schema, conventions: Conventions, blocks: Iterable[Sequence[TreeColumn]]
) -> PackedForest | None:
    """Return the forest of some blocks; None if it must be loaded tree by tree."""
    packed = _core.Forest()
    if conventions.criterion != "gini":
        return None
    for block in blocks:
        columns = engine_columns(block, schema)
        if columns is None:
            return None
        try:
            packed.append_plain(
                n_classes=len(schema.classes),
                any_node_answers=any_node_predicts(conventions),
                **columns,
            )
        except ValueError:  # not valid trees; loading tree by tree raises the error
            return None
    return PackedForest(schema, conventions, packed)


def engine_columns(columns: Sequence[TreeColumn], schema: Schema) -> dict[str, Any] | None:
    """Return a block's columns for the core, if its trees are valid and fit fast loading."""
    found = {column.name: column.values for column in columns}
    kind, attribute, missing = found["kind"], found["attribute"], found["missing_child"]
    n_inner = len(attribute)
    numeric = np.array([not a.is_categorical for a in schema.features] + [False])
    counts, n_rows = found["class_weights"], found["n_rows"]
    n_tied = found.get("n_tied", np.zeros(n_inner, dtype=np.int32))
    fits = (
        kind.max() <= 1
        and kind.min() >= 0
        and not found["n_levels"].any()
        and (found["n_children"] == 2).all()
        and (found["impurity_by"] == ENGINE_RULE).all()
        and len({n_inner, len(missing), len(n_tied), len(found["threshold"])}) == 1
        and (n_inner == 0 or _inner_fit(attribute, missing, numeric))
        and not np.isnan(found["threshold"]).any()
        and _small(n_tied)
        and _small(n_rows)
        and _small(counts)
    )
    if not fits:
        return None
    return {
        "n_nodes": found["n_nodes"].astype(np.uint32),
        "is_inner": kind.astype(np.uint8),
        "feature": attribute.astype(np.int32),
        "threshold": found["threshold"].astype(np.float64),
        "missing_child": missing.astype(np.int8),
        "n_tied": n_tied.astype(np.int32),
        "leaf_rows": n_rows.astype(np.uint32),
        "leaf_counts": counts.astype(np.int32).ravel(),
    }


def _inner_fit(attribute: Any, missing: Any, numeric: Any) -> bool:
    inside = attribute.min() >= 0 and attribute.max() < len(numeric) - 1
    return bool(inside and numeric[attribute].all() and missing.min() >= -1 and missing.max() <= 1)


def _small(values: Any) -> bool:
    return bool(values.size == 0 or (values.min() >= 0 and values.max() < 2**31))
