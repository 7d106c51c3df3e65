"""Trees by the names of scikit-learn: the same values as scikit-learn has, or a refusal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.tree import DecisionTreeClassifier

import plaintree as pt
from plaintree.errors import TreeError


@pytest.fixture(scope="module")
def pair() -> tuple[Any, Any, np.ndarray]:
    """A tree of plaintree and scikit-learn's own form of the same tree."""
    X, y = load_breast_cancer(return_X_y=True)
    ours = pt.CARTClassifier(max_depth=4).fit(X, y)
    return ours, pt.to_sklearn(ours), X


def depth_first(tree: Any) -> list[int]:
    """The nodes in scikit-learn's order, by the names that both have."""
    order, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        order.append(node)
        if tree.children_left[node] >= 0:
            waiting += [int(tree.children_right[node]), int(tree.children_left[node])]
    return order


def test_sizes_are_those_of_scikit_learn(pair: Any) -> None:
    ours, theirs, _ = pair
    for name in ("node_count", "max_depth", "n_leaves", "n_features", "n_outputs"):
        assert getattr(ours.tree_, name) == getattr(theirs.tree_, name), name
    assert ours.tree_.n_classes.tolist() == theirs.tree_.n_classes.tolist()
    assert ours.tree_.max_n_classes == theirs.tree_.max_n_classes
    assert ours.tree_.capacity >= ours.tree_.node_count
    assert ours.n_outputs_ == theirs.n_outputs_


@pytest.mark.parametrize("name", ["n_node_samples", "weighted_n_node_samples", "value", "impurity"])
def test_arrays_are_those_of_scikit_learn(pair: Any, name: str) -> None:
    ours, theirs = pair[0].tree_, pair[1].tree_
    mine = getattr(ours, name)[depth_first(ours)]
    np.testing.assert_allclose(mine, getattr(theirs, name)[depth_first(theirs)], atol=1e-12)


def test_splits_are_those_of_scikit_learn(pair: Any) -> None:
    ours, theirs = pair[0].tree_, pair[1].tree_
    mine, other = depth_first(ours), depth_first(theirs)
    inner = ours.children_left[mine] >= 0
    np.testing.assert_array_equal(inner, theirs.children_left[other] >= 0)
    np.testing.assert_array_equal(ours.feature[mine][inner], theirs.feature[other][inner])
    # scikit-learn's are rounded to a number between the same two values of 32 bits
    expected = theirs.threshold[other][inner]
    np.testing.assert_allclose(ours.threshold[mine][inner], expected, rtol=1e-6)


def test_rows_end_where_the_estimator_says(pair: Any) -> None:
    model, _, X = pair
    np.testing.assert_array_equal(model.tree_.apply(X), model.apply(X))
    difference = model.tree_.decision_path(X) != model.decision_path(X)
    assert difference.nnz == 0


def test_values_of_empty_nodes_are_zero() -> None:
    tree = pt.ID3Classifier().fit([["a", "x"], ["b", "y"], ["b", "x"]], [0, 1, 0]).tree_
    assert np.isfinite(tree.value).all()


def test_views_are_read_only(pair: Any) -> None:
    for name in ("children_left", "value", "n_node_samples", "weighted_n_node_samples"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(pair[0].tree_, name)[0] = 1


def test_other_splits_have_no_left_and_right() -> None:
    X, y = pt.datasets.load_tennis()
    for model in (pt.ID3Classifier(), pt.CARTClassifier()):
        tree = model.fit(X, y).tree_
        with pytest.raises(TreeError, match=r"binary splits of numbers only.*node 0"):
            tree.children_left  # noqa: B018
        assert tree.node_count == tree.n_nodes


def test_a_branch_for_missing_values_is_not_binary() -> None:
    X, y = load_iris(return_X_y=True)
    X[::5, 3] = np.nan
    tree = pt.CARTClassifier(missing="branch").fit(X, y).tree_
    with pytest.raises(TreeError, match="has 3 branches"):
        tree.children_right  # noqa: B018


def test_a_leaf_alone_has_no_children() -> None:
    tree = pt.CARTClassifier().fit([[1.0], [2.0]], [1, 1]).tree_
    assert tree.children_left.tolist() == tree.children_right.tolist() == [-1]
    theirs = DecisionTreeClassifier().fit([[1.0], [2.0]], [1, 1]).tree_
    assert tree.value.tolist() == theirs.value.tolist() == [[[1.0]]]
