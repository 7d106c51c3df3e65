"""The one gate for trees: whether arrays describe a tree, and in words where two trees differ.

The first part checks a tree's arrays, all nodes at once. The second compares two trees.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from .condition import Multiway, NodeKind
from .errors import TreeError
from .schema import Kind, Schema
from .tree import ARRAY_DTYPES, NODE_DTYPES, Tree
from .wording import plain, shown_schema

Mask = NDArray[np.bool_]

WEIGHT_TOLERANCE = 1e-9
"""How far, relatively, a node's weight may be from the sum of its class weights."""
SCORE_TOLERANCE = 1e-9
"""How far, relatively, scores and impurities of equal trees may be apart."""

# -------------------------------------------------------------------- checking one tree


def check_tree(tree: Tree) -> None:
    """Raise TreeError, naming the node and the fault, unless the arrays describe a tree."""
    _check_schema(tree.schema)
    _check_shapes(tree)
    _check_leaves(tree)
    _check_structure(tree)
    _check_conditions(tree)
    _check_levels(tree)
    _check_numbers(tree)


def _check_schema(schema: Schema) -> None:
    if not schema.classes:
        raise TreeError("the schema has no classes", hint="a tree answers at least one class.")
    for attribute in schema.attributes:
        if attribute.kind not in get_args(Kind):
            raise TreeError(
                f"attribute {attribute.name!r} is of an unknown kind",
                got=repr(attribute.kind),
                hint=f"use one of {', '.join(get_args(Kind))}.",
            )


def _check_shapes(tree: Tree) -> None:
    n_nodes = tree.kind.size
    if n_nodes == 0:
        raise TreeError("the tree has no nodes", hint="a tree has at least a root.")
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(NODE_DTYPES, (n_nodes,))
    shapes |= {"levels": (tree.levels.size,), "class_weights": (n_nodes, len(tree.schema.classes))}
    for name, shape in shapes.items():
        array, dtype = getattr(tree, name), np.dtype(ARRAY_DTYPES[name])
        if array.shape != shape:
            raise TreeError(
                f"the array {name} does not fit the number of nodes or classes",
                got=f"shape {array.shape} instead of {shape}",
            )
        if array.dtype != dtype:
            raise TreeError(f"the array {name} is not of type {dtype}", got=f"type {array.dtype}")


def _refuse(faulty: Mask, fault: str, *seen: tuple[str, NDArray[Any]]) -> None:
    """TreeError for the first node that is faulty, if any, with what was seen there."""
    node = int(np.argmax(faulty))
    if faulty[node]:
        got = ", ".join(f"{name} {values[node].tolist()}" for name, values in seen)
        raise TreeError(
            f"node {node} {fault}", got=got, hint="the arrays do not describe a plaintree tree."
        )


def _check_leaves(tree: Tree) -> None:
    kind, attribute = tree.kind, tree.attribute
    known = (kind >= min(NodeKind)) & (kind <= max(NodeKind))
    _refuse(~known, "is of an unknown kind", ("kind", kind))
    leaf = kind == NodeKind.LEAF
    n_children, first = tree.n_children, tree.first_child
    _refuse(leaf & (attribute != -1), "is a leaf but tests an attribute", ("attribute", attribute))
    _refuse(leaf & (n_children != 0), "is a leaf but has children", ("n_children", n_children))
    _refuse(leaf & (first != -1), "is a leaf but has a first child", ("first_child", first))


def _check_structure(tree: Tree) -> None:
    n_nodes, first, count = len(tree.kind), tree.first_child, tree.n_children
    inner = tree.kind != NodeKind.LEAF
    seen = (("first_child", first), ("n_children", count))
    _refuse(inner & (count < 1), "tests an attribute but has no children", *seen)
    _refuse(inner & (first <= np.arange(n_nodes)), "does not stand before its children", *seen)
    _refuse(inner & (count > n_nodes - first), "has children beyond the last node", *seen)

    nodes = np.flatnonzero(inner)
    begins, ends = first[nodes], first[nodes] + count[nodes]
    if np.array_equal(np.append(begins, n_nodes), np.insert(ends, 0, 1)):
        return  # each node's children follow the last one's, so there is nothing to count
    starts, stops = (np.bincount(where, minlength=n_nodes + 1) for where in (begins, ends))
    n_parents = np.cumsum(starts - stops)[:n_nodes]
    n_parents[0] += 1  # the root has no parent and needs none
    _refuse(n_parents < 1, "is the child of no node")
    _refuse(n_parents > 1, "is the child of more than one node", ("parents", n_parents))
    backwards = np.zeros(n_nodes, dtype=np.bool_)
    backwards[nodes[1:]] = np.diff(begins) < 0
    _refuse(backwards, "has children that are not numbered level by level", *seen)


def _check_conditions(tree: Tree) -> None:
    kind, attribute, threshold = tree.kind, tree.attribute, tree.threshold
    attributes = tree.schema.attributes
    inner = kind != NodeKind.LEAF
    out_of_range = inner & ((attribute < 0) | (attribute >= len(attributes)))
    _refuse(out_of_range, "tests an attribute the schema has not", ("attribute", attribute))

    # Position -1, read by leaves, is an attribute of no kind and no categories.
    categorical = np.array([a.is_categorical for a in attributes] + [False])[attribute]
    domain = np.array([len(a.categories) for a in attributes] + [0], dtype=np.int32)[attribute]
    cut = kind == NodeKind.THRESHOLD
    seen = (("attribute", attribute),)
    _refuse(cut & categorical, "puts a threshold on a categorical attribute", *seen)
    _refuse(inner & ~cut & ~categorical, "tests categories of a numeric attribute", *seen)
    not_a_number = np.isnan(threshold)
    _refuse(cut & not_a_number, "has NaN for a threshold", ("threshold", threshold))
    needless = ~cut & ~not_a_number
    _refuse(needless, "has a threshold but does not test one", ("threshold", threshold))

    branches = np.where(kind == NodeKind.MULTIWAY, domain, 2 * inner.astype(np.int32))
    grouped = np.flatnonzero(kind == NodeKind.GROUPED)
    branches[grouped] = _group_counts(tree, grouped)
    count, missing = tree.n_children, tree.missing_child
    extra = count - branches
    wrong = (extra != 0) & ((extra != 1) | ~inner)
    seen_branches = (("n_children", count), ("branches", branches))
    _refuse(wrong, "has not one child per branch of its condition", *seen_branches)
    outside = (missing < -1) | (missing >= np.maximum(count, 0))
    _refuse(outside, "sends missing values to no child of its own", ("missing_child", missing))
    idle = (extra == 1) & (missing != branches)
    fault = "has a child for missing values but sends them elsewhere"
    _refuse(idle, fault, ("missing_child", missing))


def _group_counts(tree: Tree, nodes: NDArray[np.intp]) -> NDArray[np.int64]:
    """How many groups the categories of Grouped nodes form; every group has a category."""
    counts = np.zeros(len(nodes), dtype=np.int64)
    for i, node in enumerate(nodes.tolist()):
        groups = tree.levels[tree.level_begin[node] : tree.level_end[node]]
        domain = len(tree.schema.attributes[tree.attribute[node]].categories)
        named = set(groups.tolist()) - {-1}  # -1: a category that cannot get here
        if len(groups) != domain or named != set(range(len(named))):
            raise TreeError(
                f"node {node} does not put every category into one of its groups",
                got=f"groups {groups.tolist()} of {domain} categories",
            )
        counts[i] = groups.max() + 1
    return counts


def _check_levels(tree: Tree) -> None:
    begin, end, levels = tree.level_begin, tree.level_end, tree.levels
    seen = (("level_begin", begin), ("level_end", end))
    outside = (begin < 0) | (end < begin) | (end > len(levels))
    _refuse(outside, "has a slice of levels that is out of range", *seen)
    size = end - begin
    equals, subset = tree.kind == NodeKind.EQUALS, tree.kind == NodeKind.SUBSET
    grouped = tree.kind == NodeKind.GROUPED
    _refuse(~(equals | subset | grouped) & (size > 0), "has levels but does not test any", *seen)
    _refuse(equals & (size != 1), "tests for equality with not exactly one category", *seen)
    _refuse(subset & (size == 0), "tests for an empty set of categories", *seen)

    nodes = np.flatnonzero((size > 0) & ~grouped)
    if not len(nodes):
        return
    # A slice is sorted and unique if the flat array does not step down or stay inside it.
    steps_down = np.concatenate([[0], np.cumsum(levels[1:] <= levels[:-1])])
    disordered = np.zeros(len(size), dtype=np.bool_)
    disordered[nodes] = steps_down[end[nodes] - 1] != steps_down[begin[nodes]]
    _refuse(disordered, "has categories that are not sorted and unique", *seen)
    domain = np.array([len(a.categories) for a in tree.schema.attributes])[tree.attribute[nodes]]
    lowest, highest = np.zeros_like(size), np.zeros_like(size)
    lowest[nodes], highest[nodes] = levels[begin[nodes]], levels[end[nodes] - 1]
    unknown, whole = np.zeros_like(disordered), np.zeros_like(disordered)
    unknown[nodes] = (lowest[nodes] < 0) | (highest[nodes] >= domain)
    _refuse(
        unknown,
        "tests for a category its attribute has not",
        ("lowest code", lowest),
        ("highest code", highest),
    )
    whole[nodes] = size[nodes] >= domain
    _refuse(whole, "tests for all categories of its attribute, which divides nothing", *seen)


def _check_numbers(tree: Tree) -> None:
    label, weights, weight = tree.label, tree.class_weights, tree.weight
    n_classes = len(tree.schema.classes)
    _refuse(
        (label < 0) | (label >= n_classes), "answers a class the schema has not", ("label", label)
    )
    if not (weights.min() >= 0 and weights.max() < np.inf):
        allowed = ((weights >= 0) & (weights < np.inf)).all(axis=1)
        fault = "has class weights that are not finite and at least 0"
        _refuse(np.asarray(~allowed), fault, ("class_weights", weights))
    total = np.einsum("ij->i", weights)
    allowed_gap = WEIGHT_TOLERANCE * np.maximum(np.abs(weight), total)
    # An infinite weight would be allowed an infinite gap.
    apart: Mask = np.logical_not(np.isfinite(weight) & (np.abs(weight - total) <= allowed_gap))
    _refuse(
        apart,
        "has a weight that is not the sum of its class weights",
        ("weight", weight),
        ("sum", total),
    )
    _refuse(tree.n_rows < 0, "has a negative number of rows", ("n_rows", tree.n_rows))


# -------------------------------------------------------------------- comparing two trees


def describe_difference(a: Tree, b: Tree, tolerance: float = 0.0) -> str | None:
    """Where two valid trees differ first (level by level), in a sentence, or None if nowhere.

    Compared are the attributes and classes, the conditions, what happens to missing values, the
    labels, class weights and numbers of rows, and, up to rounding, impurities and scores.
    ``tolerance`` allows thresholds and class weights to be relatively that far apart.
    """
    return _schema_difference(a.schema, b.schema) or _node_difference(a, b, tolerance)


def _schema_difference(a: Schema, b: Schema) -> str | None:
    if a.classes != b.classes:
        return f"the classes are {_listed(a.classes)} against {_listed(b.classes)}"
    if a.names != b.names:
        return f"the attributes are {_listed(a.names)} against {_listed(b.names)}"
    for mine, other in zip(a.attributes, b.attributes, strict=True):
        if mine.kind != other.kind:
            return f"attribute {plain(mine.name)} is {mine.kind} against {other.kind}"
        if mine.categories != other.categories:
            both = f"{_listed(mine.categories)} against {_listed(other.categories)}"
            return f"attribute {plain(mine.name)} has the categories {both}"
    return None


def _node_difference(a: Tree, b: Tree, tolerance: float) -> str | None:
    n = min(a.n_nodes, b.n_nodes)

    def differ(name: str) -> Mask:
        return np.asarray(getattr(a, name)[:n] != getattr(b, name)[:n])

    def apart(name: str, relative: float, absolute: float = 0.0) -> Mask:
        mine, other = getattr(a, name)[:n], getattr(b, name)[:n]
        with np.errstate(invalid="ignore"):  # of infinite thresholds and scores
            gap = np.abs(mine - other)
            allowed = relative * np.maximum(np.abs(mine), np.abs(other)) + absolute
        near = (gap <= allowed) | (mine == other) | (np.isnan(mine) & np.isnan(other))
        return np.asarray(~near.all(axis=1) if near.ndim == 2 else ~near)

    rounding = max(tolerance, SCORE_TOLERANCE)
    condition = differ("kind") | differ("attribute") | apart("threshold", tolerance)
    aspects = {
        "condition": condition | _levels_differ(a, b, n),
        "missing values": differ("n_children") | differ("missing_child"),
        "label": differ("label"),
        "class weights": apart("class_weights", tolerance),
        "n_rows": differ("n_rows"),
        # An impurity of 0 may come out as 1e-17 when summed in another order.
        "impurity": apart("impurity", rounding, 1e-12),
        "score": apart("score", rounding, 1e-12),
    }
    firsts = {name: int(np.argmax(mask)) for name, mask in aspects.items() if mask.any()}
    if not firsts:
        return None
    aspect = min(firsts, key=firsts.__getitem__)  # of equals the first, so conditions come first
    node = firsts[aspect]
    mine, other = _in_words(a, node, aspect), _in_words(b, node, aspect)
    if mine == other and aspect == "condition":  # six digits, or the words, do not tell
        mine, other = (f"{tree.condition(node)}" for tree in (a, b))
    return f"{_path_in_words(a, node)}: {mine} against {other}"


def _levels_differ(a: Tree, b: Tree, n: int) -> Mask:
    """Which of the first n nodes test for other categories."""
    sizes = (a.level_end - a.level_begin)[:n]
    differ: Mask = np.asarray(sizes != (b.level_end - b.level_begin)[:n])
    nodes = np.flatnonzero(~differ & (sizes > 0))
    repeats = sizes[nodes]
    within = np.arange(repeats.sum()) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    mine = a.levels[np.repeat(a.level_begin[nodes], repeats) + within]
    other = b.levels[np.repeat(b.level_begin[nodes], repeats) + within]
    differ[np.repeat(nodes, repeats)[mine != other]] = True
    return differ


def _in_words(tree: Tree, node: int, aspect: str) -> str:
    """One aspect of a node, as a difference quotes it."""
    schema = shown_schema(tree.schema)
    condition = tree.condition(node)
    if aspect == "condition":
        if condition is None:
            return f"leaf {schema.classes[tree.label[node]]}"
        if isinstance(condition, Multiway):
            return schema.names[condition.attribute]
        return condition.describe(schema, 0)
    if aspect == "missing values":
        child = int(tree.missing_child[node])
        if child < 0 or condition is None:
            return "missing values divided"
        return f"missing values at {condition.describe(schema, child)}"
    if aspect == "label":
        return f"answer {schema.classes[tree.label[node]]}"
    if aspect == "class weights":
        weights = tree.class_weights[node].tolist()
        named = zip(schema.classes, weights, strict=True)
        return f"class weights {', '.join(f'{name} {weight!r}' for name, weight in named)}"
    return f"{aspect} {getattr(tree, aspect)[node]}"


def _path_in_words(tree: Tree, node: int) -> str:
    """The way from the root to a node; the middle of a long one is left out."""
    schema, steps = shown_schema(tree.schema), []
    while node > 0:
        parent = int(tree.parent[node])
        steps.append((parent, node - int(tree.first_child[parent])))
        node = parent
    steps.reverse()
    if not steps:
        return "at the root"
    left_out = len(steps) - 8
    words = []
    for parent, branch in steps[:4] + steps[-4:] if left_out > 0 else steps:
        condition = tree.condition(parent)
        assert condition is not None, "a parent tests an attribute"
        words.append(condition.describe(schema, branch))
    if left_out > 0:
        words.insert(4, f"... ({left_out} more)")
    return f"at {', '.join(words)}"


def _listed(values: Iterable[object]) -> str:
    return f"({', '.join(plain(v) for v in values)})"
