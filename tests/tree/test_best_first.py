"""Best-first growth: the leaf whose split decreases impurity most is split next."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.tree import DecisionTreeClassifier

import plaintree as pt
from plaintree.errors import ParameterError
from plaintree.tree.best_first import keep_best


def splits_one_by_one(tree: pt.Tree, max_leaf_nodes: int) -> set[int]:
    """The nodes that are split if one leaf after the other is, the best first."""
    mass = tree.weight * tree.impurity
    leaves, chosen = [0], set()
    while True:
        n_free = max_leaf_nodes - len(leaves)
        open_ones = [n for n in leaves if 0 < tree.n_children[n] <= n_free + 1]
        if not open_ones:
            return chosen
        children = {n: tree.first_child[n] + np.arange(tree.n_children[n]) for n in open_ones}
        best = max(open_ones, key=lambda n: (mass[n] - mass[children[n]].sum(), -n))
        chosen.add(best)
        leaves.remove(best)
        leaves.extend(children[best].tolist())


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1), st.integers(2, 12), st.booleans())
def test_the_kept_splits_are_those_of_growing_leaf_by_leaf(
    seed: int, max_leaf_nodes: int, multiway: bool
) -> None:
    random = np.random.default_rng(seed)
    X, y = random.integers(0, 4, (40, 3)), random.integers(0, 3, 40)
    table = {f"c{i}": [f"v{v}" for v in X[:, i]] for i in range(3)} if multiway else X
    learner: Any = pt.ID3Classifier() if multiway else pt.CARTClassifier()
    tree = learner.fit(table, y).tree_
    kept = keep_best(tree, max_leaf_nodes)
    assert kept.n_leaves <= max(max_leaf_nodes, 1)
    chosen = splits_one_by_one(tree, max_leaf_nodes)
    assert kept.size == len(chosen)
    expected = sorted(tree.weight[list(chosen)].tolist())
    assert sorted(kept.weight[kept.n_children > 0].tolist()) == expected


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer])
@pytest.mark.parametrize("max_leaf_nodes", [2, 3, 5, 8])
def test_trees_are_those_of_scikit_learn(load: Any, max_leaf_nodes: int) -> None:
    X, y = load(return_X_y=True)
    X = X.astype(np.float32)
    ours = pt.CARTClassifier(max_leaf_nodes=max_leaf_nodes).fit(X, y)
    theirs = DecisionTreeClassifier(max_leaf_nodes=max_leaf_nodes, random_state=0).fit(X, y)
    assert ours.get_n_leaves() == theirs.get_n_leaves() == max_leaf_nodes
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=0.02)
    mass = [t.weighted_n_node_samples * t.impurity for t in (ours.tree_, theirs.tree_)]
    left = [m[t.n_children == 0].sum() for m, t in ((mass[0], ours.tree_),)]
    assert left[0] == pytest.approx(mass[1][theirs.tree_.children_left < 0].sum())


def test_growing_is_not_deeper_than_so_many_leaves_allow() -> None:
    X = np.arange(64.0)[:, None]
    tree = pt.CARTClassifier(max_leaf_nodes=4).fit(X, np.arange(64)).tree_
    assert tree.n_leaves == 4
    assert tree.depth <= 3


def test_every_tree_of_a_forest_has_the_limit() -> None:
    X, y = load_iris(return_X_y=True)
    forest = pt.RandomForestClassifier(5, max_leaf_nodes=4).fit(X, y)
    assert [tree.n_leaves for tree in forest.trees_] == [4] * 5
    assert forest.trees_.conventions.max_leaf_nodes == 4


def test_conventions_name_the_limit_and_files_keep_it(tmp_path: Any) -> None:
    X, y = load_iris(return_X_y=True)
    model = pt.CARTClassifier(max_leaf_nodes=3).fit(X, y)
    assert str(model.tree_.conventions) == "cart84, but max_leaf_nodes=3"
    pt.save(model, tmp_path / "model.json")
    assert pt.load(tmp_path / "model.json").tree_.conventions == model.tree_.conventions


@pytest.mark.parametrize("wrong", [1, 0, -3, 2.5, "many"])
def test_fewer_than_two_leaves_are_refused(wrong: Any) -> None:
    with pytest.raises(ParameterError, match="max_leaf_nodes"):
        pt.CARTClassifier(max_leaf_nodes=wrong).fit([[0], [1]], [0, 1])


def test_a_worked_solution_names_the_limit() -> None:
    X, y = pt.datasets.load_golf()
    model = pt.CARTClassifier(max_leaf_nodes=3).fit(X, y)
    text = str(pt.derive(model, X, y))
    assert "the maximum number of leaves, 3, is reached" in " ".join(text.split())
    assert "!!" not in text
