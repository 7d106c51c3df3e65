"""Described nodes become a validated tree, numbered level by level."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from plaintree import C45Classifier, CARTClassifier
from plaintree.data.schema import Feature, Schema
from plaintree.datasets import load_tennis
from plaintree.errors import TreeError
from plaintree.stats.impurity import impurities
from plaintree.tree.build import NodeDescription, build_tree, described_nodes
from plaintree.tree.condition import Grouped, Threshold
from plaintree.tree.conventions import C45, ID3
from tests.support.trees import XY_SCHEMA, build, specs

SCHEMA = Schema((Feature("x", "numeric"),), ("A", "B"))


def leaf(*weights: float) -> NodeDescription:
    return NodeDescription(class_weights=weights)


def test_nodes_in_any_order_are_numbered_level_by_level() -> None:
    nodes = [
        NodeDescription(Threshold(0, 5.0), children=(4, 1)),
        leaf(0, 3),
        leaf(1, 0),
        leaf(0, 2),
        NodeDescription(Threshold(0, 2.0), children=(3, 2)),
    ]
    tree = build_tree(SCHEMA, nodes)
    assert tree.threshold[:2].tolist() == [5.0, 2.0]
    assert tree.class_weights.tolist() == [[1, 5], [1, 2], [0, 3], [0, 2], [1, 0]]


def test_what_is_not_said_is_worked_out() -> None:
    tree = build_tree(SCHEMA, [NodeDescription(Threshold(0, 1.0), (1, 2)), leaf(3, 1), leaf(0, 0)])
    assert tree.n_rows.tolist() == [4, 4, 0]
    assert tree.label.tolist() == [0, 0, 0]  # without rows as the parent
    assert tree.impurity.tolist() == [0.375, 0.375, 0.0]
    assert tree.score[0] == 0.0


def test_what_is_said_is_kept() -> None:
    node = NodeDescription(class_weights=(1.5, 2.5), label=0, n_rows=7, impurity=0.25)
    tree = build_tree(SCHEMA, [node])
    assert (tree.root.label, tree.root.n_rows, tree.root.impurity) == ("A", 7, 0.25)


@pytest.mark.parametrize(("conventions", "score"), [(None, 0.5), (ID3, 1.0), (C45, np.nan)])
def test_scores_where_the_criterion_is_a_plain_gain(conventions: Any, score: float) -> None:
    nodes = [NodeDescription(Threshold(0, 1.0), (1, 2)), leaf(2, 0), leaf(0, 2)]
    tree = build_tree(SCHEMA, nodes, conventions=conventions)
    np.testing.assert_array_equal(tree.score[0], score)


@given(specs(XY_SCHEMA))
def test_a_described_tree_is_built_again(spec: Any) -> None:
    tree = build(XY_SCHEMA, spec)
    again = build_tree(tree.schema, described_nodes(tree))
    assert again.difference(tree) is None
    assert again.content_hash() == tree.content_hash()


@pytest.mark.parametrize("learner", [CARTClassifier(), C45Classifier(categorical="grouped")])
def test_a_grown_tree_is_built_again(learner: Any) -> None:
    tree = learner.fit(*load_tennis()).tree_
    again = build_tree(tree.schema, described_nodes(tree), conventions=tree.conventions)
    assert again.difference(tree) is None


def test_a_tree_of_20000_levels() -> None:
    n = 20_000
    nodes = [
        NodeDescription(Threshold(0, float(i)), (n + i, i + 1) if i + 1 < n else (n + i, 2 * n))
        for i in range(n)
    ]
    nodes += [leaf(1, 0)] * (n + 1)
    tree = build_tree(SCHEMA, nodes)
    assert (tree.depth, tree.root.weight) == (n, n + 1)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([], "no nodes"),
        ([NodeDescription(Threshold(0, 1.0), (1, 2)), leaf(1, 0)], "child 2 of node 0"),
        ([NodeDescription(Threshold(0, 1.0), (1, 1)), leaf(1, 0)], "more than one node"),
        ([NodeDescription(Threshold(0, 1.0), (0, 1)), leaf(1, 0)], r"or of itself"),
        ([leaf(1, 0), leaf(0, 1)], r"child of no node.*node 1"),
        ([leaf(1, 0, 0)], "3 weights for 2 classes"),
        ([leaf(-1, 0)], "class weights that are not 0 or from"),
        ([replace(leaf(1, 0), label=2)], "predicts an unknown class"),
        ([NodeDescription(Threshold(1, 1.0), (1, 2)), leaf(1, 0), leaf(0, 1)], "schema has not"),
        ([NodeDescription(Grouped(0, (0, 1)), (1, 2)), leaf(1, 0), leaf(0, 1)], "categories of a"),
        ([NodeDescription("x", (1, 2)), leaf(1, 0), leaf(0, 1)], "attribute|unknown test"),
    ],
)
def test_descriptions_that_are_no_tree(nodes: list[NodeDescription], message: str) -> None:
    with pytest.raises(TreeError, match=message):
        build_tree(SCHEMA, nodes)


def test_impurities_of_every_measure() -> None:
    weights = np.array([[2.0, 2.0], [4.0, 0.0], [0.0, 0.0]])
    assert impurities(weights, "gini").tolist() == [0.5, 0.0, 0.0]
    assert impurities(weights, "gain_ratio").tolist() == [1.0, 0.0, 0.0]
    assert impurities(weights, "error").tolist() == [0.5, 0.0, 0.0]
