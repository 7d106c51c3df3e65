"""Splitting one leaf of a large tree: only the rows of the leaf are counted.

The result is that of ``tree.graft`` and ``tree.refit``, which count all rows again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.rows import Rows
from plaintree.data.schema import MISSING
from plaintree.tree.build import NodeDescription, build_tree
from plaintree.tree.condition import DIVIDES, STOPS, Condition
from plaintree.tree.difference import path_text
from plaintree.tree.edit import recorded
from plaintree.tree.refitting import refitted
from plaintree.tree.surrogates import SURROGATE_DTYPES
from plaintree.tree.tree import NODE_DTYPES, Tree

Floats = NDArray[np.float64]
LEVELS = ("level_begin", "level_end")
SURROGATES = ("surrogate_begin", "surrogate_end")


def split_leaf(
    tree: Tree, node: int, condition: Condition, part: Rows, *, missing: int | None
) -> Tree:
    """The tree with a split in place of a leaf, counted from the rows that reach it.

    ``part`` are these rows. ``missing`` is the branch of rows with missing values; None follows the
    conventions.
    """
    child, own_child = _missing_child(tree, condition, part, missing)
    stump = _stump(tree, node, condition, child, own_child)
    after = _spliced(tree, node, refitted(stump, part) if len(part.target) else stump)
    n = condition.n_branches + own_child
    return recorded(
        tree,
        after,
        "graft",
        node=node,
        at=path_text(tree, node),
        branches=[condition.describe(tree.schema, branch) for branch in range(n)],
        missing=child,
    )


def _stump(tree: Tree, node: int, condition: Condition, child: int, own_child: bool) -> Tree:
    """The leaf with its split, as a tree of its own; its branches have no rows yet."""
    numeric = not tree.schema.classes
    n_classes = len(tree.schema.classes)
    root = NodeDescription(
        condition=condition,
        children=tuple(range(1, 1 + condition.n_branches + own_child)),
        class_weights=tuple(tree.class_weights[node].tolist()),
        label=None if numeric else int(tree.label[node]),
        missing_child=child,
        n_rows=int(tree.n_rows[node]),
        impurity=float(tree.impurity[node]),
        score=np.nan,
        prediction=float(tree.prediction[node]) if numeric else None,
        weight=float(tree.weight[node]) if numeric else None,
    )
    if numeric:
        leaf = NodeDescription(
            prediction=float(tree.prediction[node]), weight=0.0, n_rows=0, impurity=0.0
        )
    else:
        leaf = NodeDescription(class_weights=(0.0,) * n_classes, label=int(tree.label[node]))
    return build_tree(
        tree.schema, [root, *[leaf] * len(root.children)], conventions=tree.conventions
    )


def _missing_child(
    tree: Tree, condition: Condition, part: Rows, missing: int | None
) -> tuple[int, bool]:
    """The child of rows with missing values, and whether it is one of their own."""
    if missing is not None:
        return missing, missing == condition.n_branches
    policy = tree.conventions.missing if tree.conventions else "fractional"
    branches = condition.route(part.columns[condition.feature])
    if policy in {"fractional", "error"}:
        return DIVIDES, False
    if policy == "branch" and (branches == MISSING).any():
        return condition.n_branches, True
    if policy == "surrogate" and tree.conventions and tree.conventions.use_surrogate < 2:
        return STOPS, False
    known = branches >= 0
    if not known.any():
        return 0, False
    if policy.startswith("most_common"):
        return _of_most_common(tree, condition, part, known), False
    weights = np.bincount(branches[known], part.known_weights[known], condition.n_branches)
    return int(np.argmax(weights)), False


def _of_most_common(tree: Tree, condition: Condition, part: Rows, known: NDArray[np.bool_]) -> int:
    """The branch of the most frequent category, or of the lower median of numbers, by weight."""
    column = part.columns[condition.feature][known]
    weights = part.known_weights[known]
    values, places = np.unique(column, return_inverse=True)
    by_value = np.bincount(places, weights)
    if tree.schema.features[condition.feature].is_categorical:
        place = int(np.argmax(by_value))
    else:
        place = int(np.searchsorted(2 * np.cumsum(by_value), by_value.sum()))
    return int(condition.route(values[[min(place, len(values) - 1)]])[0])


# -------------------------------------------------------------------- into the tree


def _spliced(tree: Tree, node: int, stump: Tree) -> Tree:
    """The tree with the children of a stump below a leaf; nodes stay numbered level by level."""
    inner = np.flatnonzero(tree.n_children[:node])
    last = int(inner[-1]) if len(inner) else 0
    at = int(tree.first_child[last] + tree.n_children[last]) if len(inner) else 1
    insert: Callable[..., NDArray[Any]] = np.insert
    n = stump.n_nodes - 1
    arrays: dict[str, Any] = {
        name: insert(getattr(tree, name), np.full(n, at), getattr(stump, name)[1:])
        for name in NODE_DTYPES
        if name not in LEVELS
    }
    for name in ("kind", "feature", "threshold", "n_children", "missing_child", "score", "n_tied"):
        arrays[name][node] = getattr(stump, name)[0]
    arrays["first_child"][arrays["first_child"] >= at] += n
    arrays["first_child"][node] = at
    arrays |= _levels(tree, node, at, stump)
    arrays["class_weights"] = insert(
        tree.class_weights, np.full(n, at), stump.class_weights[1:], axis=0
    )
    if not tree.schema.classes:
        arrays["prediction"] = insert(tree.prediction, np.full(n, at), stump.prediction[1:])
    return replace(tree, **arrays, **_surrogates(tree, at, n))


def _levels(tree: Tree, node: int, at: int, stump: Tree) -> dict[str, NDArray[Any]]:
    """The categories of all nodes, one after the other, with those of the new split."""
    begin = int(tree.level_begin[node])
    added = stump.levels[stump.level_begin[0] : stump.level_end[0]]
    after = np.arange(tree.n_nodes) > node
    begins = tree.level_begin + np.where(after, len(added), 0)
    ends = tree.level_end + np.where(np.arange(tree.n_nodes) >= node, len(added), 0)
    place = int(begins[at]) if at < tree.n_nodes else len(tree.levels) + len(added)
    n = stump.n_nodes - 1
    return {
        "level_begin": np.insert(begins, np.full(n, at), place),
        "level_end": np.insert(ends, np.full(n, at), place),
        "levels": np.insert(tree.levels, np.full(len(added), begin), added),
    }


def _surrogates(tree: Tree, at: int, n: int) -> dict[str, Any]:
    """The surrogates of all nodes; the new ones have none."""
    if not tree.has_surrogates:
        return {}
    place = len(tree.surrogate_kind)
    if at < tree.n_nodes:
        place = int(tree.surrogate_begin[at])
    found = {name: getattr(tree, name) for name in SURROGATE_DTYPES}
    for name in SURROGATES:
        found[name] = np.insert(found[name], np.full(n, at), place)
    return found
