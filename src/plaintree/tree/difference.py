"""Where two trees differ, in words."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from plaintree.data.schema import Schema
from plaintree.data.words import plain, shown_schema

from .condition import Multiway
from .tree import Tree

Mask = NDArray[np.bool_]


SCORE_TOLERANCE = 1e-9
"""How far, relatively, scores and impurities of equal trees may be apart."""


def describe_difference(a: Tree, b: Tree, tolerance: float = 0.0) -> str | None:
    """Where two valid trees differ first (level by level), in a sentence, or None if nowhere.

    Compared are the attributes (kinds and categories of those that are tested) and classes, the
    conditions, what happens to missing values, the
    labels, class weights and numbers of rows, and, up to rounding, impurities and scores.
    ``tolerance`` allows thresholds and class weights to be relatively that far apart.
    """
    tested = a.used_columns() | b.used_columns()
    return _schema_difference(a.schema, b.schema, tested) or _node_difference(a, b, tolerance)


def _schema_difference(a: Schema, b: Schema, tested: Collection[int]) -> str | None:
    if a.task != b.task:
        return f"the tree is of {a.task} against {b.task}"
    if a.classes != b.classes:
        return f"the classes are {_listed(a.classes)} against {_listed(b.classes)}"
    if a.names != b.names:
        return f"the attributes are {_listed(a.names)} against {_listed(b.names)}"
    for number in sorted(tested):
        mine, other = a.features[number], b.features[number]
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
    condition = differ("kind") | differ("feature") | apart("threshold", tolerance)
    aspects = {
        "condition": condition | _levels_differ(a, b, n),
        "missing values": differ("n_children") | differ("missing_child"),
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
            numeric = not schema.classes
            return f"leaf {tree.prediction[node] if numeric else schema.classes[tree.label[node]]}"
        if isinstance(condition, Multiway):
            return schema.names[condition.feature]
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
