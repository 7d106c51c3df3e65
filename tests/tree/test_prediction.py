"""The classes that nodes predict, and the labels they get."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from plaintree.tree.conventions import Conventions
from plaintree.tree.predict import class_codes, class_shares
from plaintree.tree.prediction import (
    class_probabilities,
    labels_of,
    leaf_labels,
    majority_classes,
    predicted_classes,
)
from plaintree.tree.tree import Tree
from tests.support.trees import XY_SCHEMA, build, specs


def tied(tied_label: Any) -> Tree:
    """A leaf of two rows of each class whose label is the second class."""
    conventions = Conventions(tied_label=tied_label)
    tree = build(XY_SCHEMA, [2, 2])
    return replace(tree, label=np.array([1]), conventions=conventions)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_first_class_of_the_greatest_weight_is_the_majority(n_classes: int) -> None:
    weights = np.random.default_rng(0).integers(0, 3, (50, n_classes)).astype(np.float64)
    assert majority_classes(weights).tolist() == weights.argmax(axis=1).tolist()


@pytest.mark.parametrize("tied_label", ["first", "keep"])
def test_the_label_is_predicted_in_a_tie(tied_label: Any) -> None:
    assert predicted_classes(tied(tied_label)).tolist() == [1]


def test_the_label_is_predicted_against_the_majority() -> None:
    tree = replace(build(XY_SCHEMA, [7, 3]), label=np.array([1]))
    numbers, codes = np.array([1.0, np.nan]), np.array([0, -1], dtype=np.int32)
    assert predicted_classes(tree).tolist() == [1]
    assert class_codes(tree, [numbers, numbers, numbers, codes]).tolist() == [1, 1]
    assert class_probabilities(tree).tolist() == [[0.7, 0.3]]


def test_a_node_without_rows_predicts_its_label() -> None:
    tree = build(XY_SCHEMA, ("x <=", 1, [0, 3], [0, 0]))
    assert predicted_classes(tree).tolist() == [1, 1, 1]
    assert class_probabilities(tree)[2].tolist() == [0.0, 1.0]


def test_a_subtree_without_rows_has_the_label_above_it_or_a_given_one() -> None:
    parent = np.array([-1, 0, 0, 2, 2])
    weights = np.array([[1.0, 3], [1, 0], [0, 0], [0, 0], [0, 0]])
    assert labels_of(parent, weights).tolist() == [1, 0, 1, 1, 1]
    assert labels_of(parent, weights, [None, 1, 0, None, 1]).tolist() == [1, 1, 0, 0, 1]
    assert labels_of(parent[:1], np.zeros((1, 2))).tolist() == [0]


@given(specs())
def test_nodes_predict_as_the_core_does(spec: Any) -> None:
    tree = build(XY_SCHEMA, spec)
    for node in tree.walk():  # every node as a tree of its own
        leaf = build(XY_SCHEMA, tree.class_weights[node.index].tolist())
        leaf = replace(leaf, label=tree.label[[node.index]])
        columns = [
            np.zeros(1, np.int32 if a.is_categorical else None) for a in tree.schema.features
        ]
        assert predicted_classes(tree)[node.index] == class_codes(leaf, columns)[0]
        assert (
            class_probabilities(tree)[node.index].tolist()
            == class_shares(leaf, columns)[0].tolist()
        )


def test_labels_of_new_leaves_may_be_drawn_among_the_tied() -> None:
    tree = build(XY_SCHEMA, ("x <=", 1, [2, 0], [0, 2]))
    drawn = [leaf_labels(tree, "random", np.random.RandomState(i))[0] for i in range(20)]
    assert set(drawn) == {0, 1}
    assert leaf_labels(tree)[0] == 0
