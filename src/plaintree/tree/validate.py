"""Validation of trees: arrays of the right types, all nodes checked at once.

The constructor of Tree calls it, so every tree has passed it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.schema import Schema
from plaintree.data.schema_check import check_schema
from plaintree.errors import TreeError

from .condition import DIVIDES, STOPS, NodeKind
from .conventions import OF_TARGETS, Conventions
from .surrogates import check_surrogates
from .tree import ARRAY_DTYPES, NODE_DTYPES, Tree

Mask = NDArray[np.bool_]

WEIGHT_TOLERANCE = 1e-9
"""How far, relatively, a node's weight may be from the sum of its class weights."""

MOST_EXACT = 2**53
"""Up to here every integer is a double."""

LEAST_WEIGHT, MOST_WEIGHT = 1e-100, 1e100
"""Between these, and 0, products and ratios of weights neither overflow nor vanish.

Weights of grown trees are far from both: rows with enormous or tiny weights are scaled.
"""

# -------------------------------------------------------------------- one array


def checked_array(name: str, values: Any, dtype: type[np.generic]) -> NDArray[Any]:
    """A read-only array of exactly this type; TreeError if a value would change.

    An array that is sealed already is returned as it is.
    """
    if isinstance(values, np.ndarray) and values.dtype == dtype and _is_sealed(values):
        return values
    try:
        given = np.asarray(values)
    except (ValueError, TypeError, OverflowError):  # of different lengths, or no numbers
        given = np.empty(0, dtype=np.object_)
    if given.dtype.kind not in "biuf":
        raise TreeError(f"the array {name} does not hold numbers", got=f"type {given.dtype}")
    with np.errstate(invalid="ignore", over="ignore"):
        array = given.astype(dtype, order="C")
    if given.dtype != dtype and given.size and not _same_values(given, array):
        raise TreeError(
            f"the array {name} has values that {np.dtype(dtype)} cannot hold",
            got=f"type {given.dtype}, from {given.min()} to {given.max()}",
        )
    # Arrays over bytes stay read-only: numpy does not let anyone change their flag.
    return np.frombuffer(array.tobytes(), dtype=dtype).reshape(array.shape)


def _is_sealed(array: NDArray[Any]) -> bool:
    """Whether the memory of an array can never be written to."""
    base = array
    while isinstance(base.base, np.ndarray):
        base = base.base
    return isinstance(base.base, bytes) and array.flags.c_contiguous and array.flags.aligned


def _same_values(given: NDArray[Any], array: NDArray[Any]) -> bool:
    """Whether a conversion has changed no value."""
    if array.dtype.kind == "i":
        limits = np.iinfo(array.dtype)
        if not (given.min() >= limits.min and given.max() <= limits.max):  # NaN included
            return False
    return np.array_equal(array.astype(given.dtype), given, equal_nan=given.dtype.kind == "f")


# -------------------------------------------------------------------- checking one tree


def check_tree(tree: Tree) -> None:
    """Raise TreeError, naming the node and the fault, unless the arrays describe a tree."""
    _check_kinds(tree)
    check_schema(tree.schema)
    _check_task(tree)
    _check_shapes(tree)
    _check_leaves(tree)
    _check_structure(tree)
    _check_conditions(tree)
    _check_levels(tree)
    _check_numbers(tree)
    check_surrogates(tree)


def _check_kinds(tree: Tree) -> None:
    wanted = {
        "schema": isinstance(tree.schema, Schema),
        "conventions": tree.conventions is None or isinstance(tree.conventions, Conventions),
        "edits": isinstance(tree.edits, tuple) and all(isinstance(e, dict) for e in tree.edits),
    }
    for name, is_right in wanted.items():
        if not is_right:
            raise TreeError(
                f"the {name} of a tree is not of the right type",
                got=f"an object of type {type(getattr(tree, name)).__name__}",
                hint="give a Schema, Conventions or None, and a tuple of dictionaries.",
            )


def _check_task(tree: Tree) -> None:
    """A criterion of numbers for a numeric target, and one of classes for classes."""
    conventions, classes = tree.conventions, tree.schema.classes
    if conventions is not None and (conventions.criterion in OF_TARGETS) == bool(classes):
        raise TreeError(
            f"the criterion of a tree does not fit its target {tree.schema.target!r}",
            got=f"{conventions.criterion!r} for {'classes' if classes else 'a numeric target'}",
        )


def _check_shapes(tree: Tree) -> None:
    n_nodes = tree.kind.size
    if n_nodes == 0:
        raise TreeError("the tree has no nodes", hint="a tree has at least a root.")
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(NODE_DTYPES, (n_nodes,))
    n_classes = len(tree.schema.classes)
    shapes |= {"levels": (tree.levels.size,), "class_weights": (n_nodes, n_classes)}
    shapes |= {"prediction": (0,) if n_classes else (n_nodes,)}
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
    kind, feature = tree.kind, tree.feature
    known = (kind >= min(NodeKind)) & (kind <= max(NodeKind))
    _refuse(~known, "is of an unknown kind", ("kind", kind))
    leaf = kind == NodeKind.LEAF
    out_of_range = ~leaf & ((feature < 0) | (feature >= len(tree.schema.features)))
    _refuse(out_of_range, "splits on a feature that the schema has not", ("feature", feature))
    n_children, first = tree.n_children, tree.first_child
    _refuse(leaf & (feature != -1), "is a leaf but has a feature", ("feature", feature))
    _refuse(leaf & (n_children != 0), "is a leaf but has children", ("n_children", n_children))
    _refuse(leaf & (first != -1), "is a leaf but has a first child", ("first_child", first))
    score, n_tied = tree.score, tree.n_tied
    _refuse(leaf & ~np.isnan(score), "is a leaf but has a score", ("score", score))
    _refuse(leaf & (n_tied != 0), "is a leaf but has tied splits", ("n_tied", n_tied))


def _check_structure(tree: Tree) -> None:
    n_nodes, first, count = len(tree.kind), tree.first_child, tree.n_children
    inner = tree.kind != NodeKind.LEAF
    seen = (("first_child", first), ("n_children", count))
    _refuse(inner & (count < 1), "splits on a feature but has no children", *seen)
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
    kind, feature, threshold = tree.kind, tree.feature, tree.threshold
    features = tree.schema.features
    inner = kind != NodeKind.LEAF
    # Position -1, read by leaves, is a feature of no kind and no categories.
    categorical = np.array([a.is_categorical for a in features] + [False])[feature]
    domain = np.array([len(a.categories) for a in features] + [0], dtype=np.int32)[feature]
    cut = kind == NodeKind.THRESHOLD
    seen = (("feature", feature),)
    _refuse(cut & categorical, "puts a threshold on a categorical feature", *seen)
    _refuse(inner & ~cut & ~categorical, "splits on categories of a numeric feature", *seen)
    not_a_number = np.isnan(threshold)
    _refuse(cut & not_a_number, "has NaN for a threshold", ("threshold", threshold))
    ordered = np.array([a.kind == "ordered" for a in features] + [False])[feature]
    outside = cut & ordered & ~((threshold >= 0) & (threshold < domain - 1))
    fault = "has a threshold outside its ordered categories, which divides nothing"
    _refuse(outside, fault, ("threshold", threshold), ("categories", domain))
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
    outside = (missing < np.where(inner, STOPS, DIVIDES)) | (missing >= np.maximum(count, 0))
    _refuse(outside, "sends missing values to no child of its own", ("missing_child", missing))
    idle = (extra == 1) & (missing != branches)
    fault = "has a child for missing values but sends them elsewhere"
    _refuse(idle, fault, ("missing_child", missing))


def _group_counts(tree: Tree, nodes: NDArray[np.intp]) -> NDArray[np.int64]:
    """How many groups the categories of Grouped nodes form; every group has a category."""
    counts = np.zeros(len(nodes), dtype=np.int64)
    for i, node in enumerate(nodes.tolist()):
        groups = tree.levels[tree.level_begin[node] : tree.level_end[node]]
        domain = len(tree.schema.features[tree.feature[node]].categories)
        named = set(groups.tolist()) - {-1}  # -1: a category that cannot get here
        if len(groups) != domain or named != set(range(len(named))):
            raise TreeError(
                f"node {node} does not put every category into one of its groups",
                got=f"groups {groups.tolist()} of {domain} categories",
            )
        counts[i] = len(named)
    return counts


def _check_levels(tree: Tree) -> None:
    begin, end, levels = tree.level_begin, tree.level_end, tree.levels
    seen = (("level_begin", begin), ("level_end", end))
    outside = (begin < 0) | (end < begin) | (end > len(levels))
    _refuse(outside, "has a slice of levels that is out of range", *seen)
    size = end - begin
    equals, subset = tree.kind == NodeKind.EQUALS, tree.kind == NodeKind.SUBSET
    grouped = tree.kind == NodeKind.GROUPED
    _refuse(
        ~(equals | subset | grouped) & (size > 0),
        "has levels but no condition on them",
        *seen,
    )
    _refuse(equals & (size != 1), "has a condition = without exactly one category", *seen)
    _refuse(subset & (size == 0), "has a condition on an empty set of categories", *seen)

    nodes = np.flatnonzero((size > 0) & ~grouped)
    if not len(nodes):
        return
    # A slice is sorted and unique if the flat array does not step down or stay inside it.
    steps_down = np.concatenate([[0], np.cumsum(levels[1:] <= levels[:-1])])
    disordered = np.zeros(len(size), dtype=np.bool_)
    disordered[nodes] = steps_down[end[nodes] - 1] != steps_down[begin[nodes]]
    _refuse(disordered, "has categories that are not sorted and unique", *seen)
    domain = np.array([len(a.categories) for a in tree.schema.features])[tree.feature[nodes]]
    lowest, highest = np.zeros_like(size), np.zeros_like(size)
    lowest[nodes], highest[nodes] = levels[begin[nodes]], levels[end[nodes] - 1]
    unknown, whole = np.zeros_like(disordered), np.zeros_like(disordered)
    unknown[nodes] = (lowest[nodes] < 0) | (highest[nodes] >= domain)
    _refuse(
        unknown,
        "has a condition on an unknown category",
        ("lowest code", lowest),
        ("highest code", highest),
    )
    whole[nodes] = size[nodes] >= domain
    _refuse(whole, "has a condition on all categories of its feature, which does not split", *seen)


def _check_numbers(tree: Tree) -> None:
    label, weights, weight = tree.label, tree.class_weights, tree.weight
    n_classes = max(len(tree.schema.classes), 1)  # nodes of a numeric target have label 0
    _refuse(
        (label < 0) | (label >= n_classes),
        "predicts an unknown class",
        ("label", label),
    )
    allowed = (weights == 0) | ((weights >= LEAST_WEIGHT) & (weights <= MOST_WEIGHT))
    allowed &= ~np.signbit(weights)  # packed trees have no -0.0
    if not allowed.all():
        fault = f"has class weights that are not 0 or from {LEAST_WEIGHT:g} to {MOST_WEIGHT:g}"
        _refuse(~allowed.all(axis=1), fault, ("class_weights", weights))
    if tree.schema.classes:
        _check_sums(weight, weights)
    else:
        _check_targets(tree)
    pure, impurity = -WEIGHT_TOLERANCE, tree.impurity  # but for rounding
    odd = ~((impurity >= pure) & (impurity <= MOST_WEIGHT))
    _refuse(odd, f"has an impurity that is not from 0 to {MOST_WEIGHT:g}", ("impurity", impurity))
    _refuse(tree.n_rows < 0, "has a negative number of rows", ("n_rows", tree.n_rows))
    _refuse(tree.n_rows > MOST_EXACT, "has more than 2^53 rows", ("n_rows", tree.n_rows))
    _refuse(tree.n_tied < 0, "has a negative number of ties", ("n_tied", tree.n_tied))


def _check_sums(weight: NDArray[Any], weights: NDArray[Any]) -> None:
    total = np.einsum("ij->i", weights)
    allowed_gap = WEIGHT_TOLERANCE * np.maximum(np.abs(weight), total)
    # An infinite weight would be allowed an infinite difference.
    apart: Mask = np.logical_not(np.isfinite(weight) & (np.abs(weight - total) <= allowed_gap))
    _refuse(
        apart,
        "has a weight that is not the sum of its class weights",
        ("weight", weight),
        ("sum", total),
    )


def _check_targets(tree: Tree) -> None:
    """What a numeric target asks for: weights and predictions that are numbers."""
    weight, prediction = tree.weight, tree.prediction
    allowed = (weight == 0) | ((weight >= LEAST_WEIGHT) & (weight <= MOST_WEIGHT))
    fault = f"has a weight that is not 0 or from {LEAST_WEIGHT:g} to {MOST_WEIGHT:g}"
    _refuse(~allowed | np.signbit(weight), fault, ("weight", weight))
    odd = np.logical_not(np.isfinite(prediction))
    _refuse(odd, "has a prediction that is not finite", ("prediction", prediction))
