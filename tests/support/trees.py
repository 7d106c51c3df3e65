"""Small trees for tests, written as nested tuples instead of arrays.

A leaf is the list of its class weights, an inner node a tuple::

    ("outlook", {"Sunny": ..., "Rain": ..., ...})    one branch per category, all of them
    ("humidity <=", 75, low, high)
    ("outlook =", "Sunny", yes, no)
    ("outlook in", ["Sunny", "Rain"], yes, no)

One more entry says where missing values go: the number of a branch, or a tree of their own.
Weights of inner nodes are the sums of their children's; an empty leaf answers as its parent.
Nothing recurses, so that a test may nest 100,000 tuples.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from plaintree.data.schema import MISSING, Feature, Schema
from plaintree.tree.condition import NodeKind
from plaintree.tree.tree import NODE_DTYPES, Tree

Spec = Any

KIND_OF_OPERATOR = {"<=": NodeKind.THRESHOLD, "=": NodeKind.EQUALS, "in": NodeKind.SUBSET}

TENNIS_SCHEMA = Schema(
    features=(
        Feature("outlook", "categorical", "text", ("Overcast", "Rain", "Sunny")),
        Feature("humidity", "numeric"),
        Feature("wind", "categorical", "text", ("Strong", "Weak")),
    ),
    classes=("No", "Yes"),
    target="play",
)
TENNIS_SPEC = (
    "outlook",
    {
        "Overcast": [0, 4],
        "Rain": ("wind", {"Strong": [2, 0], "Weak": [0, 3]}),
        "Sunny": ("humidity <=", 75, [0, 2], [3, 0]),
    },
)
XY_SCHEMA = Schema(
    features=(
        Feature("x", "numeric"),
        Feature("y", "numeric"),
        Feature("size", "ordered", "text", ("small", "middle", "large")),
        Feature("color", "categorical", "text", ("red", "green", "blue", "grey")),
    ),
    classes=("A", "B"),
)


def tennis() -> Tree:
    """The courses' tree of 14 days: outlook, then wind or humidity."""
    return build(TENNIS_SCHEMA, TENNIS_SPEC)


def chain_spec(n_tests: int, attribute: str = "x") -> Spec:
    """x <= 1, and if not x <= 2, and if not ...: as deep as there are tests."""
    spec: Spec = [0, 1]
    for threshold in range(n_tests, 0, -1):
        spec = (f"{attribute} <=", threshold, [1, threshold % 2], spec)
    return spec


def build(schema: Schema, spec: Spec) -> Tree:
    """The tree of a spec, its nodes numbered level by level; not validated."""
    nodes: list[dict[str, Any]] = []
    levels: list[int] = []
    waiting = deque([(spec, -1)])
    while waiting:
        spec, parent = waiting.popleft()
        node, children = _node(schema, spec, levels)
        node["parent"] = parent
        if children:
            node["first_child"] = len(nodes) + len(waiting) + 1
            node["n_children"] = len(children)
        waiting.extend((child, len(nodes)) for child in children)
        nodes.append(node)
    _add_up(nodes, len(schema.classes))
    columns = {name: np.array([n[name] for n in nodes], t) for name, t in NODE_DTYPES.items()}
    return Tree(
        schema=schema,
        levels=np.array(levels, dtype=np.int32),
        class_weights=np.array([n["weights"] for n in nodes]).reshape(len(nodes), -1),
        **columns,
    )


def _node(schema: Schema, spec: Spec, levels: list[int]) -> tuple[dict[str, Any], list[Spec]]:
    """One node without its numbers, and the specs of its children."""
    node = dict.fromkeys(NODE_DTYPES, 0)
    node |= {"feature": -1, "threshold": np.nan, "first_child": -1, "missing_child": -1}
    node |= {"kind": NodeKind.LEAF, "level_begin": len(levels), "level_end": len(levels)}
    node |= {"impurity": 0.0, "score": np.nan}
    if isinstance(spec, list):
        node["weights"] = np.array(spec, dtype=float)
        return node, []
    if isinstance(spec[1], dict):
        name, branches, *missing = spec
        attribute = schema.features[schema.position(name)]
        children = [branches[category] for category in attribute.categories]
        node["kind"] = NodeKind.MULTIWAY
    else:
        head, tested, low, high, *missing = spec
        name, operator = head.rsplit(" ", 1)
        attribute = schema.features[schema.position(name)]
        children = [low, high]
        node["kind"] = KIND_OF_OPERATOR[operator]
        if operator == "<=":
            node["threshold"] = tested
        else:
            wanted = [tested] if operator == "=" else tested
            levels.extend(sorted(attribute.categories.index(category) for category in wanted))
            node["level_end"] = len(levels)
    node["feature"] = schema.position(name)
    if missing:
        own_branch = not isinstance(missing[0], int)
        node["missing_child"] = len(children) if own_branch else missing[0]
        children += missing if own_branch else []
    return node, children


def _add_up(nodes: list[dict[str, Any]], n_classes: int) -> None:
    """Fill in weights, labels and impurities (Gini), from the leaves upwards."""
    for node in reversed(nodes):
        weights = node.setdefault("weights", np.zeros(n_classes))
        if node["parent"] >= 0:
            above = nodes[node["parent"]]
            above["weights"] = above.get("weights", np.zeros(n_classes)) + weights
        total = float(weights.sum())
        node["weight"], node["n_rows"] = total, round(total)
        if total:
            node["impurity"] = 1 - float((weights / total) @ (weights / total))
        node["score"] = node["impurity"] if node["kind"] else np.nan
    for node in nodes:
        heaviest = int(np.argmax(node["weights"]))
        above = nodes[node["parent"]]
        node["label"] = heaviest if node["weight"] or node is nodes[0] else above["label"]


def numeric(tree: Tree) -> Tree:
    """The tree of two classes with numbers instead: a leaf of weights (a, b) predicts 2a - b.

    Inner nodes predict the mean of their children by weight (without rows, 0); the variance of a
    leaf is its b.
    """
    leaf = tree.n_children == 0
    sums = np.where(leaf, 2 * tree.class_weights[:, 0] - tree.class_weights[:, 1], 0) * tree.weight
    for node in range(tree.n_nodes - 1, 0, -1):
        sums[tree.parent[node]] += sums[node]
    mean = np.divide(sums, tree.weight, out=np.zeros(tree.n_nodes), where=tree.weight > 0)
    return replace(
        tree,
        schema=replace(tree.schema, classes=()),
        class_weights=np.empty((tree.n_nodes, 0)),
        label=np.zeros(tree.n_nodes, dtype=np.int32),
        prediction=mean,
        impurity=tree.class_weights[:, 1],
    )


def route(tree: Tree, columns: list[np.ndarray]) -> np.ndarray:
    """The leaf of every row, found by asking the conditions; missing rows go to missing_child."""
    leaves = np.zeros(len(columns[0]), dtype=np.int64)
    waiting = [(0, np.arange(len(leaves)))]
    while waiting:
        node, rows = waiting.pop()
        condition = tree.condition(node)
        if condition is None:
            leaves[rows] = node
            continue
        branches = condition.route(columns[condition.feature][rows])
        branches[branches == MISSING] = tree.missing_child[node]
        assert (branches >= 0).all(), "a row went nowhere"
        for branch in np.unique(branches):
            waiting.append((int(tree.first_child[node]) + int(branch), rows[branches == branch]))
    return leaves


# ---------------------------------------------------------------- random trees and rows

_weights = st.sampled_from([(a, b) for a in range(4) for b in range(4)]).map(list)


@st.composite
def specs(draw: st.DrawFn, schema: Schema = XY_SCHEMA, max_tests: int = 12) -> Spec:
    """A random spec over a schema: leaves replaced by random tests, a few times."""
    holder: list[Spec] = [draw(_weights)]
    places: list[tuple[Any, Any]] = [(holder, 0)]
    for _ in range(draw(st.integers(0, max_tests))):
        container, key = places.pop(draw(st.integers(0, len(places) - 1)))
        test = draw(_tests(draw(st.sampled_from(schema.features))))
        container[key] = test
        branches = test["branches"]
        places += [(branches, name) for name in branches]
    return _tupled(holder)


@cache
def _tests(attribute: Feature) -> st.SearchStrategy[dict[str, Any]]:
    """A random test of an attribute: its head, what it tests for, and leaves as branches."""
    if attribute.kind != "categorical":
        last = len(attribute.categories) - 1 if attribute.categories else 10
        thresholds = st.integers(0, 2 * last - 1).map(lambda half: half / 2)
        return st.tuples(thresholds, _weights, _weights).map(
            lambda drawn: _two_way(f"{attribute.name} <=", *drawn)
        )
    categories = attribute.categories
    some = st.lists(
        st.sampled_from(categories), min_size=1, max_size=len(categories) - 1, unique=True
    )
    return st.one_of(
        st.lists(_weights, min_size=len(categories), max_size=len(categories)).map(
            lambda leaves: {
                "head": attribute.name,
                "branches": dict(zip(categories, leaves, strict=True)),
            }
        ),
        st.tuples(st.sampled_from(categories), _weights, _weights).map(
            lambda drawn: _two_way(f"{attribute.name} =", *drawn)
        ),
        st.tuples(some, _weights, _weights).map(
            lambda drawn: _two_way(f"{attribute.name} in", *drawn)
        ),
    )


def _two_way(head: str, tested: Any, yes: Spec, no: Spec) -> dict[str, Any]:
    return {"head": head, "tested": tested, "branches": {0: yes, 1: no}}


def _tupled(holder: list[Spec]) -> Spec:
    """The drawn tests as a spec's tuples, from the innermost outwards."""
    order, waiting = [], [(holder, 0)]
    while waiting:
        container, key = waiting.pop()
        if isinstance(container[key], dict):
            order.append((container, key))
            waiting += [(container[key]["branches"], name) for name in container[key]["branches"]]
    for container, key in reversed(order):
        test = container[key]
        branches = test["branches"]
        many = "tested" not in test
        container[key] = (
            (test["head"], branches) if many else (test["head"], test["tested"], *branches.values())
        )
    return holder[0]


def random_rows(schema: Schema, n: int, seed: int, *, gaps: bool = False) -> list[np.ndarray]:
    """Encoded columns of n random rows; with gaps a fifth of all values is missing."""
    random = np.random.default_rng(seed)
    columns = []
    for attribute in schema.features:
        missing = random.random(n) < (0.2 if gaps else 0.0)
        if attribute.kind == "categorical":
            codes = random.integers(0, len(attribute.categories), n)
            columns.append(np.where(missing, MISSING, codes))
        else:
            last = len(attribute.categories) - 1 if attribute.categories else 10
            steps = 1 if attribute.categories else 4
            values = random.integers(0, last * steps + 1, n) / steps
            columns.append(np.where(missing, np.nan, values))
    return columns
