"""The first difference of two trees: the node, and the difference as text."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import isclose
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.checks import check_number
from plaintree.data.schema import Schema
from plaintree.data.words import plain, shown_schema

from .address import path_of
from .condition import STOPS, Condition, Multiway, Surrogate, Threshold
from .tree import Tree, tree_of

Mask = NDArray[np.bool_]


SCORE_TOLERANCE = 1e-9
"""How far, relatively, scores and impurities of equal trees may be apart."""


@dataclass(frozen=True)
class TreeDifference:
    """The first difference of two trees, as :func:`first_difference` finds it.

    Parameters
    ----------
    text : str
        The difference as text, with the path to the node.
    aspect : str
        What differs: "schema", "condition", "missing values", "surrogates", "label",
        "class weights", "prediction", "n_rows", "impurity", "score" or "weight".
    node : int or None, default=None
        The number of the node, which is the same in both trees; None if the schemas differ.
    path : tuple of int or None, default=None
        The branch numbers from the root to the node, the same in both trees; None if the schemas
        differ.
    """

    text: str
    aspect: str
    node: int | None = None
    path: tuple[int, ...] | None = None

    def __str__(self) -> str:
        return self.text


def first_difference(tree: Any, other: Any, *, tolerance: float = 0.0) -> TreeDifference | None:
    """Find the first node in which two trees differ, level by level.

    Up to that node, all nodes have the same branches, so it has the same number and the same path
    in both trees.

    Parameters
    ----------
    tree : Tree or fitted estimator of a single tree
        The first tree.
    other : Tree or fitted estimator of a single tree
        The second tree.
    tolerance : float, default=0.0
        The largest relative difference of thresholds and class weights that counts as equal.

    Returns
    -------
    TreeDifference or None
        The difference; None if the trees are the same.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.tree import first_difference
    >>> X, y = pt.datasets.load_tennis()
    >>> tree = pt.ID3Classifier().fit(X, y).tree_
    >>> found = first_difference(tree, tree.cut(3))
    >>> found.path, found.aspect
    ((2,), 'condition')
    >>> print(found)
    at Outlook = Sunny: Humidity against leaf No
    """
    a, b = tree_of(tree), tree_of(other)
    check_number("tolerance", tolerance, 0, 1)
    used = a.used_columns() | b.used_columns()
    schemas = _schema_difference(a.schema, b.schema, used)
    if schemas is not None:
        return TreeDifference(schemas, "schema")
    return _node_difference(a, b, tolerance)


def describe_difference(a: Tree, b: Tree, tolerance: float = 0.0) -> str | None:
    """Describe the first difference of two valid trees, level by level; None if they are equal.

    Compared are the classes, the features (kind and categories only of those that a tree splits
    on), the conditions, the branches of missing values, the surrogates, the labels, class weights
    and numbers of rows, and, up to rounding, agreements, impurities and scores. ``tolerance`` is
    the largest relative difference of thresholds and class weights that counts as equal.
    """
    found = first_difference(a, b, tolerance=tolerance)
    return None if found is None else found.text


def _schema_difference(a: Schema, b: Schema, used: Collection[int]) -> str | None:
    if a.task != b.task:
        return f"the tree is of {a.task} against {b.task}"
    if a.classes != b.classes:
        return f"the classes are {_listed(a.classes)} against {_listed(b.classes)}"
    if a.names != b.names:
        return f"the features are {_listed(a.names)} against {_listed(b.names)}"
    for number in sorted(used):
        mine, other = a.features[number], b.features[number]
        if mine.kind != other.kind:
            return f"feature {plain(mine.name)} is {mine.kind} against {other.kind}"
        if mine.categories != other.categories:
            both = f"{_listed(mine.categories)} against {_listed(other.categories)}"
            return f"feature {plain(mine.name)} has the categories {both}"
    return None


def _node_difference(a: Tree, b: Tree, tolerance: float) -> TreeDifference | None:
    n = min(a.n_nodes, b.n_nodes)

    def differ(name: str) -> Mask:
        return np.asarray(getattr(a, name)[:n] != getattr(b, name)[:n])

    def apart(name: str, relative: float, absolute: float = 0.0) -> Mask:
        mine, other = getattr(a, name)[:n], getattr(b, name)[:n]
        with np.errstate(invalid="ignore"):  # of infinite thresholds and scores
            distance = np.abs(mine - other)
            allowed = relative * np.maximum(np.abs(mine), np.abs(other)) + absolute
        near = (distance <= allowed) | (mine == other) | (np.isnan(mine) & np.isnan(other))
        return np.asarray(~near.all(axis=1) if near.ndim == 2 else ~near)

    rounding = max(tolerance, SCORE_TOLERANCE)
    condition = differ("kind") | differ("feature") | apart("threshold", tolerance)
    aspects = {
        "condition": condition | _levels_differ(a, b, n),
        "missing values": differ("n_children") | differ("missing_child"),
        "surrogates": _surrogates_differ(a, b, n, tolerance),
        "label": differ("label"),
        "class weights": apart("class_weights", tolerance),
        "prediction": apart("prediction", tolerance),
        "n_rows": differ("n_rows"),
        # An impurity of 0 may come out as 1e-17 when summed in another order.
        "impurity": apart("impurity", rounding, 1e-12),
        "score": apart("score", rounding, 1e-12),
    }
    if not a.schema.classes:  # otherwise it is the sum of the class weights
        aspects["weight"] = apart("weight", tolerance)
    firsts = {name: int(np.argmax(mask)) for name, mask in aspects.items() if mask.any()}
    if not firsts:
        return None
    aspect = min(firsts, key=firsts.__getitem__)  # on ties the first, so conditions come first
    node = firsts[aspect]
    mine, other = _aspect_text(a, node, aspect), _aspect_text(b, node, aspect)
    if mine == other and aspect == "condition":  # six digits, or the names, are the same
        mine, other = (f"{tree.condition(node)}" for tree in (a, b))
    text = f"{path_text(a, node)}: {mine} against {other}"
    return TreeDifference(text, aspect, node, path_of(a, node))


def _levels_differ(a: Tree, b: Tree, n: int) -> Mask:
    """Which of the first n nodes have conditions on other categories."""
    sizes = (a.level_end - a.level_begin)[:n]
    differ: Mask = np.asarray(sizes != (b.level_end - b.level_begin)[:n])
    nodes = np.flatnonzero(~differ & (sizes > 0))
    repeats = sizes[nodes]
    within = np.arange(repeats.sum()) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    mine = a.levels[np.repeat(a.level_begin[nodes], repeats) + within]
    other = b.levels[np.repeat(b.level_begin[nodes], repeats) + within]
    differ[np.repeat(nodes, repeats)[mine != other]] = True
    return differ


def _surrogates_differ(a: Tree, b: Tree, n: int, tolerance: float) -> Mask:
    """Which of the first n nodes have other surrogates."""
    if not (a.has_surrogates or b.has_surrogates):
        return np.zeros(n, dtype=np.bool_)
    pairs = ((a.surrogates(node), b.surrogates(node)) for node in range(n))
    return np.array([not _same_surrogates(*pair, tolerance) for pair in pairs], dtype=np.bool_)


def _same_surrogates(
    mine: tuple[Surrogate, ...], other: tuple[Surrogate, ...], tolerance: float
) -> bool:
    if len(mine) != len(other):
        return False
    for a, b in zip(mine, other, strict=True):
        one, two = a.condition, b.condition
        if isinstance(one, Threshold) and isinstance(two, Threshold) and one.feature == two.feature:
            same = isclose(one.threshold, two.threshold, rel_tol=tolerance)
        else:
            same = one == two
        rounding = max(tolerance, SCORE_TOLERANCE)
        same = same and a.reversed == b.reversed
        if not (same and isclose(a.agreement, b.agreement, rel_tol=rounding)):
            return False
    return True


def _aspect_text(tree: Tree, node: int, aspect: str) -> str:
    """One aspect of a node as text, such as "label Yes"."""
    schema = shown_schema(tree.schema)
    condition = tree.condition(node)
    if aspect == "condition":
        if condition is None:
            numeric = not schema.classes
            return f"leaf {tree.prediction[node] if numeric else schema.classes[tree.label[node]]}"
        if isinstance(condition, Multiway):
            return schema.names[condition.feature]
        return condition.describe(schema, 0)
    if aspect == "missing values":
        child = int(tree.missing_child[node])
        if child < 0 or condition is None:
            return f"missing values {'predicted by the node' if child == STOPS else 'divided'}"
        return f"missing values at {condition.describe(schema, child)}"
    if aspect == "surrogates":
        found = [
            f"{s.describe(schema, 0)} (agreement {s.agreement:.6g})" for s in tree.surrogates(node)
        ]
        return f"surrogates {', '.join(found) or 'none'}"
    if aspect == "class weights":
        weights = tree.class_weights[node].tolist()
        named = zip(schema.classes, weights, strict=True)
        return f"class weights {', '.join(f'{name}: {weight!r}' for name, weight in named)}"
    is_label = aspect == "label"
    value = schema.classes[tree.label[node]] if is_label else getattr(tree, aspect)[node]
    return f"{aspect} {value}"


def path_text(tree: Tree, node: int) -> str:
    """The path from the root to a node as text; the middle of a long one is left out."""
    steps: list[tuple[Condition, int]] = []
    while node > 0:
        parent = int(tree.parent[node])
        condition = tree.condition(parent)
        assert condition is not None, "a parent has a condition"
        steps.append((condition, node - int(tree.first_child[parent])))
        node = parent
    steps.reverse()
    if not steps:
        return "at the root"
    left_out = len(steps) - 8
    told = steps[:4] + steps[-4:] if left_out > 0 else steps
    schema = shown_schema(tree.schema)
    words = [condition.describe(schema, branch) for condition, branch in told]
    if left_out > 0:
        words.insert(4, f"... ({left_out} more)")
    return f"at {', '.join(words)}"


def _listed(values: Iterable[object]) -> str:
    return f"({', '.join(plain(v) for v in values)})"
