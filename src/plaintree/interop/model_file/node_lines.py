"""A tree as a list of nodes for people to read, one JSON object each, and back.

Keys that do not apply to a node are left out: a leaf has no feature, a node with a threshold no
levels, and so on. Where levels stand in another order than the nodes, their places are written as
well, so every valid tree is restored exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.schema import Schema
from plaintree.errors import ModelFileError
from plaintree.tree.condition import Condition, Grouped, NodeKind, Surrogate, Threshold
from plaintree.tree.conventions import Conventions
from plaintree.tree.surrogates import surrogate_arrays
from plaintree.tree.tree import NODE_DTYPES, Tree

from .earlier_names import name_of
from .values import (
    as_flag,
    as_list,
    as_object,
    as_parameter,
    as_text,
    as_whole,
    float_array,
    refuse,
    whole_array,
    written_number,
    written_parameter,
)

KINDS = {kind.name.lower(): kind for kind in NodeKind}
LEFT_OUT: dict[str, Any] = {
    "attribute": -1,
    "threshold": None,
    "first_child": -1,
    "n_children": 0,
    "missing_child": -1,
    "score": None,
    "n_tied": 0,
}
"""Fields that are left out where they have these values."""
ALWAYS = ("n_rows", "weight", "impurity")
"""Fields of every node, with those of :func:`_fields`."""
_EXTRA = (*LEFT_OUT, "levels", "level_begin", "level_end", "surrogates")


def _fields(schema: Schema) -> tuple[str, ...]:
    """The fields that every node has, in order: by whether the target has classes."""
    return ("label", *ALWAYS, "class_weights") if schema.classes else (*ALWAYS, "prediction")


def written_nodes(tree: Tree) -> list[dict[str, Any]]:
    """The nodes of a tree as plain values."""
    lists = {name_of(field): getattr(tree, field).tolist() for field in NODE_DTYPES}
    for name in ("threshold", "weight", "impurity", "score"):
        lists[name] = [written_number(value) for value in lists[name]]
    lists["class_weights"] = tree.class_weights.tolist()
    lists["prediction"] = [written_number(value) for value in tree.prediction.tolist()]
    levels = tree.levels.tolist()
    fields = _fields(tree.schema)
    usual = _levels_in_order(tree)
    names = [kind.name.lower() for kind in NodeKind]
    nodes = []
    for i in range(tree.n_nodes):
        node: dict[str, Any] = {"kind": names[lists["kind"][i]]}
        for name, elsewhere in LEFT_OUT.items():
            if lists[name][i] != elsewhere:
                node[name] = lists[name][i]
        begin, end = lists["level_begin"][i], lists["level_end"][i]
        if end > begin:
            node["levels"] = levels[begin:end]
        if not usual:
            node |= {"level_begin": begin, "level_end": end}
        node |= {name: lists[name][i] for name in fields}
        if surrogates := tree.surrogates(i):
            node["surrogates"] = [_written_surrogate(surrogate) for surrogate in surrogates]
        nodes.append(node)
    return nodes


def _levels_in_order(tree: Tree) -> bool:
    """Whether the nodes' levels stand one after the other, in the order of the nodes."""
    ends = np.cumsum(tree.level_end - tree.level_begin)
    return bool(np.array_equal(ends, tree.level_end) and ends[-1] == len(tree.levels))


def as_tree(
    value: Any, schema: Schema, conventions: Conventions | None, edits: tuple[Any, ...], where: str
) -> Tree:
    """The tree of a list of nodes; the inverse of :func:`written_nodes`, but not validated."""
    needed = _fields(schema)
    nodes = [
        as_object(node, f"{where}, node {i}", ("kind", *needed), _EXTRA)
        for i, node in enumerate(as_list(value, f"{where}, nodes"))
    ]
    kinds = [as_text(node["kind"], f"{where}, a node's kind", KINDS) for node in nodes]
    arrays: dict[str, NDArray[Any]] = {"kind": np.array([KINDS[k] for k in kinds], dtype=np.int8)}
    for field, dtype in NODE_DTYPES.items():
        name = name_of(field)
        if name == "kind" or name.startswith("level_"):
            continue
        if name == "label" and not schema.classes:
            arrays[field] = np.zeros(len(nodes), dtype=dtype)
            continue
        found = [node.get(name, LEFT_OUT.get(name)) for node in nodes]
        place = f"{where}, {name}"
        is_float = np.issubdtype(dtype, np.floating)
        arrays[field] = float_array(found, place) if is_float else whole_array(found, place, dtype)
    arrays |= _levels(nodes, where)
    arrays |= _surrogates(nodes, where)
    if schema.classes:
        arrays["class_weights"] = _class_weights(nodes, len(schema.classes), where)
    else:
        arrays["class_weights"] = np.empty((len(nodes), 0))
        found = [node["prediction"] for node in nodes]
        arrays["prediction"] = float_array(found, f"{where}, prediction")
    return Tree(schema=schema, conventions=conventions, edits=edits, **arrays)


def _levels(nodes: Sequence[dict[str, Any]], where: str) -> dict[str, NDArray[Any]]:
    lists = [as_list(node.get("levels", []), f"{where}, levels") for node in nodes]
    ends = np.cumsum([len(levels) for levels in lists], dtype=np.int64)
    begins = ends - np.array([len(levels) for levels in lists], dtype=np.int64)
    flat = whole_array([code for levels in lists for code in levels], f"{where}, levels", np.int32)
    if nodes and "level_begin" in nodes[0]:
        begins, ends = (
            whole_array([node.get(name) for node in nodes], f"{where}, {name}", np.int64)
            for name in ("level_begin", "level_end")
        )
        flat = _placed(lists, begins, ends, where)
    return {"levels": flat, "level_begin": begins, "level_end": ends}


def _written_surrogate(surrogate: Surrogate) -> dict[str, Any]:
    """A surrogate as plain values: a threshold, or the branches of the categories."""
    condition = surrogate.condition
    written: dict[str, Any] = {"attribute": condition.feature}
    if isinstance(condition, Threshold):
        written["threshold"] = written_number(condition.threshold)
    if isinstance(condition, Grouped):
        written["branches"] = list(condition.groups)
    if surrogate.reversed:
        written["reversed"] = True
    return written | {"agreement": surrogate.agreement, "adjusted": surrogate.adjusted}


def _surrogates(nodes: Sequence[dict[str, Any]], where: str) -> dict[str, NDArray[Any]]:
    lists = [as_list(node.get("surrogates", []), f"{where}, surrogates") for node in nodes]
    place = f"{where}, a surrogate"
    return surrogate_arrays([[_surrogate(given, place) for given in of] for of in lists])


def _surrogate(value: Any, where: str) -> Surrogate:
    needed = ("attribute", "agreement", "adjusted")
    data = as_object(value, where, needed, ("threshold", "branches", "reversed"))
    feature = as_whole(data["attribute"], f"{where}, attribute", 0, 2**31 - 1)
    if ("threshold" in data) == ("branches" in data):
        refuse(where, "one with a threshold or with branches", None)
    condition: Condition
    if "threshold" in data:
        condition = Threshold(feature, float(float_array([data["threshold"]], where)[0]))
    else:
        branches = whole_array(as_list(data["branches"], where), f"{where}, branches", np.int32)
        condition = Grouped(feature, tuple(branches.tolist()))
    agreement, adjusted = float_array([data["agreement"], data["adjusted"]], where).tolist()
    is_reversed = as_flag(data.get("reversed", False), f"{where}, reversed")
    return Surrogate(condition, is_reversed, agreement, adjusted)


def _placed(
    lists: Sequence[list[Any]], begins: NDArray[Any], ends: NDArray[Any], where: str
) -> NDArray[np.int32]:
    """Levels that stand in another order than the nodes, put where they belong."""
    total = sum(map(len, lists))
    if not len(ends) or begins.min() < 0 or ends.max() > 2 * total + len(lists):
        refuse(f"{where}, level_end", "near the number of levels", None)
    flat = np.zeros(int(ends.max()), dtype=np.int32)
    for levels, begin, end in zip(lists, begins.tolist(), ends.tolist(), strict=True):
        if end - begin != len(levels):
            refuse(f"{where}, level_end", "where its levels end", end)
        flat[begin:end] = whole_array(levels, f"{where}, levels", np.int32)
    return flat


def _class_weights(
    nodes: Sequence[dict[str, Any]], n_classes: int, where: str
) -> NDArray[np.float64]:
    flat: list[Any] = []
    for node in nodes:
        flat += as_list(node["class_weights"], f"{where}, class_weights", n_classes)
    return float_array(flat, f"{where}, class_weights").reshape(len(nodes), n_classes)


# -------------------------------------------------------------------- edits


def written_edits(edits: Sequence[Any]) -> list[Any]:
    """Return the edits by hand, one record per edit, as plain values."""
    return [written_parameter(edit, "an edit")["object"] for edit in edits]


def as_edits(value: Any, where: str) -> tuple[dict[str, Any], ...]:
    """The inverse of :func:`written_edits`."""
    records = as_list(value, f"{where}, edits")
    for record in records:
        if not isinstance(record, dict):
            raise ModelFileError(f"{where}: an edit is not an object")
    return tuple(as_parameter({"object": record}, f"{where}, an edit") for record in records)
