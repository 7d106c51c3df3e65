"""A tree as columns of plain values: what a viewer reads is what the tree has."""

from __future__ import annotations

import json
from time import process_time
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import plaintree as pt
from plaintree.errors import ParameterError
from plaintree.tree import Tree, condition_from_data, node_at, tree_to_columns
from tests.support.trees import XY_SCHEMA, build, numeric, specs, tennis


def path_up(nodes: dict[str, list[Any]], node: int) -> list[int]:
    """The path to a node as a viewer reads it, from its parents' branches."""
    path: list[int] = []
    while node > 0:
        path.append(nodes["branch"][node])
        node = nodes["parent"][node]
    return path[::-1]


def check(tree: Tree) -> None:
    """Compare each value of the columns with the nodes of a tree."""
    columns = json.loads(json.dumps(tree_to_columns(tree, digits=None), allow_nan=False))
    nodes, splits = columns["nodes"], columns["splits"]
    assert {len(values) for values in nodes.values()} == {tree.n_nodes}
    for node in tree.walk():
        i, condition = node.index, node.condition
        assert nodes["depth"][i] == node.depth
        assert nodes["kind"][i] == tree.kind[i]
        assert nodes["n_rows"][i] == node.n_rows
        assert nodes["weight"][i] == node.weight
        assert nodes["impurity"][i] == node.impurity
        assert nodes["missing_child"][i] == tree.missing_child[i]
        assert node_at(tree, path_up(nodes, i)) == i
        children = [child.index for child in node.children]
        first = nodes["first_child"][i]
        assert children == list(range(first, first + nodes["n_children"][i]))
        if tree.schema.classes:
            assert nodes["class_weights"][i] == list(node.counts.values())
            assert tree.schema.classes[nodes["label"][i]] == node.prediction
        else:
            assert nodes["prediction"][i] == node.prediction
        if condition is None:
            assert (nodes["split"][i], nodes["score"][i]) == (-1, None)
            continue
        split = nodes["split"][i]
        assert splits["feature"][split] == condition.feature
        assert condition_from_data(tree.schema, splits["condition"][split]) == condition
        name = tree.schema.names[condition.feature]
        told = [f"{name} {edge}" for edge in splits["edges"][split]]
        assert told == [condition.describe(tree.schema, b) for b in range(len(children))]


@given(specs())
def test_the_columns_have_the_whole_tree(spec: object) -> None:
    tree = build(XY_SCHEMA, spec)
    check(tree)
    check(numeric(tree))


@pytest.mark.parametrize("missing", ["branch", "fractional"])
def test_a_branch_of_missing_values_has_an_edge(missing: str) -> None:
    X = {"x": [1.0, 2.0, 3.0, None, None, 4.0], "color": ["a", "b", None, "a", "b", "b"]}
    tree = pt.DecisionTreeClassifier(missing=missing).fit(X, list("AABBAB")).tree_
    check(tree)
    edges = tree_to_columns(tree)["splits"]["edges"]
    assert any(told[-1] == "is missing" for told in edges) == (missing == "branch")


def test_nodes_with_the_same_split_share_it() -> None:
    spec = ("x <=", 1, ("y <=", 2, [1, 0], [0, 1]), ("y <=", 2, [0, 1], [1, 0]))
    columns = tree_to_columns(build(XY_SCHEMA, spec))
    assert columns["nodes"]["split"] == [0, 1, 1, -1, -1, -1, -1]
    assert columns["splits"]["text"] == ["x <= 1", "y <= 2"]
    assert columns["splits"]["edges"] == [["<= 1", "> 1"], ["<= 2", "> 2"]]


def test_long_sets_of_categories_are_counted() -> None:
    letters = list("abcdefghijkl")
    X, y = {"letter": letters * 2}, [letter in "abcdef" for letter in letters] * 2
    splits = tree_to_columns(pt.CARTClassifier().fit(X, y))["splits"]
    assert splits["edges"] == [["in 6 of 12 values", "not in 6 of 12 values"]]
    assert splits["text"] == ["letter in 6 of 12 values"]
    assert len(splits["condition"][0]["in"]) == 6


def test_scores_are_rounded_and_weights_are_not() -> None:
    X, y = pt.datasets.load_golf()
    model = pt.C45Classifier().fit(X, y, sample_weight=np.linspace(1, 2, 14))
    exact, rounded = (tree_to_columns(model, digits=digits)["nodes"] for digits in (None, 3))
    assert rounded["score"][0] == float(f"{exact['score'][0]:.3g}") != exact["score"][0]
    assert rounded["class_weights"] == exact["class_weights"]
    assert exact["score"][0] == model.tree_.score[0]
    with pytest.raises(ParameterError, match="digits is out of range"):
        tree_to_columns(model, digits=0)


def test_whole_numbers_are_integers() -> None:
    nodes = tree_to_columns(tennis())["nodes"]
    assert all(type(weight) is int for weights in nodes["class_weights"] for weight in weights)


@pytest.mark.slow
def test_fifty_thousand_nodes_are_small_and_fast() -> None:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(120_000, 8)).round(2), random.integers(0, 2, 120_000)
    tree = pt.CARTClassifier().fit(X, y).tree_
    scale = tree.n_nodes / 50_000
    began = process_time()
    columns = tree_to_columns(tree)
    assert process_time() - began < 1.5 * scale  # 0.2 s on an idle core
    assert len(json.dumps(columns, separators=(",", ":"))) < 4.5e6 * scale
