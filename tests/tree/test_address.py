"""Addresses of nodes by branch numbers, and the first difference of two trees by address."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import plaintree as pt
from plaintree.errors import ArgumentTypeError, ParameterError, TreeError
from plaintree.tree import TreeDifference, first_difference, node_at, path_of
from tests.support.trees import XY_SCHEMA, build, chain_spec, specs, tennis


@given(specs())
def test_every_node_is_found_again_by_its_path(spec: object) -> None:
    tree = build(XY_SCHEMA, spec)
    for node in tree.walk():
        path = path_of(tree, node)
        assert node_at(tree, path) == node.index
        assert len(path) == node.depth
        assert path_of(tree, node.index) == path


def test_paths_count_branches_from_the_root() -> None:
    tree = tennis()
    assert path_of(tree, 0) == ()
    assert node_at(tree, []) == 0
    assert [path_of(tree, child.index) for child in tree.root.children] == [(0,), (1,), (2,)]
    assert tree.node(node_at(tree, (2,))).feature == "humidity"


def test_paths_in_a_very_deep_tree_need_no_recursion() -> None:
    tree = build(XY_SCHEMA, chain_spec(5000))
    deepest = tree.n_nodes - 1
    path = path_of(tree, deepest)
    assert path == (1,) * 5000
    assert node_at(tree, path) == deepest


def test_models_and_numpy_integers_are_accepted() -> None:
    X, y = pt.datasets.load_tennis()
    model = pt.ID3Classifier().fit(X, y)
    assert node_at(model, tuple(np.array([2, 0]))) == 6
    assert path_of(model, 6) == (2, 0)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ([3], r"branch 3 at step 1 of \[3\].*node 0 has branches 0 to 2"),
        ([-1], r"branch -1 at step 1"),
        ([0, 0], r"branch 0 at step 2 of \[0, 0\].*node 1 has no branches: it is a leaf"),
        ([True], "branch True at step 1"),
        (["1"], "branch '1' at step 1"),
    ],
)
def test_a_path_to_nowhere_is_an_error(path: list[int], message: str) -> None:
    with pytest.raises(TreeError, match=message):
        node_at(tennis(), path)


def test_a_path_is_a_sequence_and_a_node_exists() -> None:
    with pytest.raises(ArgumentTypeError, match="path must be a sequence of branch numbers"):
        node_at(tennis(), "20")
    with pytest.raises(TreeError, match="there is no such node"):
        path_of(tennis(), 99)


# -------------------------------------------------------------------- the first difference


def test_equal_trees_have_no_difference() -> None:
    assert first_difference(tennis(), tennis()) is None


def test_the_first_difference_has_its_node_and_path() -> None:
    tree = tennis()
    for node in (1, 2, 3):
        inner = tree.node(node).condition is not None
        other = tree.cut(node) if inner else tree.relabel(node, "No")
        found = first_difference(tree, other)
        assert found is not None
        assert (found.node, found.path) == (node, path_of(tree, node))
        assert found.aspect == ("condition" if inner else "label")
        assert found.text == str(found) == tree.difference(other)


def test_the_path_leads_to_the_same_node_in_both_trees() -> None:
    X, y = pt.datasets.load_golf()
    one, other = pt.C45Classifier().fit(X, y), pt.CARTClassifier().fit(X, y)
    found = first_difference(one, other)
    assert found is not None
    assert found.path == ()
    assert found.text == "at the root: outlook against outlook = overcast"
    below = first_difference(other, pt.CARTClassifier(max_depth=1).fit(X, y))
    assert below is not None
    assert below.path is not None
    assert node_at(other, below.path) == below.node


def test_other_schemas_differ_at_no_node() -> None:
    found = first_difference(tennis(), build(XY_SCHEMA, [1, 2]))
    assert found == TreeDifference("the classes are (No, Yes) against (A, B)", "schema")
    assert found.path is None


def test_the_tolerance_is_checked() -> None:
    with pytest.raises(ParameterError, match="tolerance is out of range"):
        first_difference(tennis(), tennis(), tolerance=-1)
