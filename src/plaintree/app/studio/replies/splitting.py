"""A split in place of one leaf of a large tree, without making all other nodes again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.tree.build import NodeDescription, build_tree
from plaintree.tree.condition import DIVIDES, Condition
from plaintree.tree.prediction import rule_of
from plaintree.tree.surrogates import SURROGATE_DTYPES
from plaintree.tree.tree import NODE_DTYPES, Tree

SURROGATES = ("surrogate_begin", "surrogate_end")


def with_split(tree: Tree, node: int, condition: Condition, missing: int | None) -> Tree:
    """The tree with a split in place of a leaf; its branches have no rows yet.

    The same as ``tree.graft``, but for the record. ``missing`` is the branch of rows with missing
    values, or one more branch of their own; None leaves that to the conventions.
    """
    return _spliced(tree, node, _stump(tree, node, condition, missing))


def _stump(tree: Tree, node: int, condition: Condition, missing: int | None) -> Tree:
    """The leaf with its split, as a tree of its own."""
    numeric = not tree.schema.classes
    n_children = condition.n_branches + (missing == condition.n_branches)
    root = NodeDescription(
        condition=condition,
        children=tuple(range(1, 1 + n_children)),
        class_weights=tuple(tree.class_weights[node].tolist()),
        label=None if numeric else int(tree.label[node]),
        missing_child=DIVIDES if missing is None else missing,
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
        nothing = (0.0,) * len(tree.schema.classes)
        leaf = NodeDescription(class_weights=nothing, label=_label_of_rows(tree, node))
    return build_tree(tree.schema, [root, *[leaf] * n_children], conventions=tree.conventions)


def _label_of_rows(tree: Tree, node: int) -> int:
    """The class that the rows of a node predict, whatever its label was set to by hand."""
    if not tree.weight[node] > 0:
        return int(tree.label[node])
    return int(rule_of(tree).labels(tree.class_weights[[node]])[0])


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
        if name not in ("level_begin", "level_end")
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
