"""Minimum numbers of rows: as in scikit-learn, whatever the weights; by C4.5's rule, weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

import plaintree as pt
from plaintree.tree.conventions import CART, Conventions
from plaintree.tree.tree import Tree
from tests.support.random_tables import Case, many

LIMITS = [
    {"min_samples_leaf": 2},
    {"min_samples_leaf": 7},
    {"min_samples_leaf": 0.05},
    {"min_samples_leaf": 0.31},
    {"min_samples_split": 9},
    {"min_samples_split": 0.2},
    {"min_samples_split": 1.0},
    {"min_samples_split": 12, "min_samples_leaf": 5},
]


def iris_like(n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 4))
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + random.normal(0, 0.5, n_rows) > 0).astype(int)


class TestScikitLearn:
    """Both libraries split the same nodes. Weights that all differ leave no ties between splits,
    but for those of pure branches, whose rows are the same.
    """

    @pytest.mark.parametrize("limit", LIMITS, ids=str)
    @pytest.mark.parametrize("spread", [2**-16, 1])
    @many(8)
    @given(seed=st.integers(0, 10**6), n_rows=st.integers(20, 150))
    def test_nodes_have_the_same_rows(
        self, limit: Any, spread: float, seed: int, n_rows: int
    ) -> None:
        X, y = iris_like(n_rows, seed)
        random = np.random.default_rng(seed)
        weights = 1 + spread * random.integers(-999, 999, n_rows) / 1024  # whose sums are exact
        weights[random.random(n_rows) < 0.1] = 0
        mine = pt.CARTClassifier(**limit).fit(X, y, weights).tree_
        theirs = DecisionTreeClassifier(**limit, random_state=0).fit(X, y, weights).tree_
        assert sorted(mine.n_rows) == sorted(theirs.n_node_samples)
        assert mine.weight.sum() == pytest.approx(theirs.weighted_n_node_samples.sum())


def sizes(tree: Tree) -> tuple[list[int], list[float]]:
    return tree.n_rows.tolist(), np.nan_to_num(tree.threshold, nan=-99.0).tolist()


class TestWeights:
    """The size of weights does not decide how many rows there are."""

    def test_one_weight_that_differs_a_little_changes_nothing(self) -> None:
        X, y = iris_like(150, seed=1)
        model = pt.CARTClassifier(min_samples_leaf=5, min_samples_split=12)
        half = np.full(150, 0.5)
        nearly = np.append(half[1:], 0.5 + 1e-9)
        assert sizes(model.fit(X, y, half).tree_) == sizes(model.fit(X, y, nearly).tree_)
        whole = np.append(half[1:], 1.0)
        assert model.fit(X, y, whole).tree_.n_rows[1:].min() >= 5

    @pytest.mark.parametrize("missing", ["most_common", "most_common_in_class", "branch"])
    @pytest.mark.parametrize("categorical", ["multiway", "one_vs_rest", "subset", "grouped"])
    def test_every_branch_of_rows_has_the_minimum(self, categorical: Any, missing: Any) -> None:
        random = np.random.default_rng(2)
        X = pd.DataFrame(
            {
                "colour": random.choice(["red", "blue", "grey", "pink", None], 300).astype(object),
                "size": random.choice([1.0, 2.0, 3.0, np.nan], 300),
                "width": random.normal(size=300),
            }
        )
        y = (X["width"] + (X["colour"] == "red") + random.normal(0, 1, 300) > 0.5).astype(int)
        rules = {"categorical": categorical, "missing": missing, "min_samples_leaf": 20}
        model = pt.DecisionTreeClassifier(**rules).fit(X, y, random.uniform(0.01, 9, 300))
        tree = model.tree_
        assert tree.size > 2
        for node in tree.walk():
            condition = tree.condition(node.index)
            branches = list(node.children)[: condition.n_branches] if condition else []
            assert all(child.n_rows == 0 or child.n_rows >= 20 for child in branches)

    def test_divided_rows_count_with_their_weights(self) -> None:
        X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]})
        rules = Conventions(missing="fractional", min_samples_leaf=2)
        model = pt.DecisionTreeClassifier(conventions=rules)
        assert model.fit(X, [0, 0, 1, 1], [1, 0.5, 0.5, 1]).tree_.size == 0
        assert model.fit(X, [0, 0, 1, 1], [1, 1, 1, 1.5]).tree_.size == 1

    def test_c45_asks_two_branches_for_a_weight(self) -> None:
        X = pd.DataFrame({"colour": ["red", "blue", "blue", "grey", "grey"]})
        y = ["a", "b", "b", "a", "a"]
        model = pt.C45Classifier(pruning=None)
        assert model.fit(X, y).tree_.n_leaves == 3
        assert model.fit(X, y, [1, 0.5, 1.4, 1, 1]).tree_.n_leaves == 1
        assert model.fit(X, y, [1, 0.6, 1.4, 1, 1]).tree_.n_leaves == 3


class TestForests:
    """A row of a sample counts as often as it was drawn, with weights and without."""

    @pytest.mark.parametrize("limit", [{"min_samples_leaf": 10}, {"min_samples_split": 0.1}])
    def test_weights_of_one_change_nothing(self, limit: Any) -> None:
        X, y = iris_like(400, seed=3)
        forest = pt.RandomForestClassifier(5, random_state=0, **limit)
        plain = [sizes(tree) for tree in forest.fit(X, y).trees_]
        weights = np.ones(400)
        weights[0] = 1 + 1e-9
        weighted = [sizes(tree) for tree in forest.fit(X, y, weights).trees_]
        assert weighted == plain

    def test_leaves_have_the_minimum(self) -> None:
        X, y = iris_like(400, seed=3)
        for tree in (
            pt.RandomForestClassifier(5, random_state=0, min_samples_leaf=30).fit(X, y).trees_
        ):
            assert tree.weight.min() >= 30


def test_groups_of_categories_are_merged_until_every_branch_has_the_minimum() -> None:
    codes = [0.0] * 12 + [1.0] * 11 + [2.0] * 3 + [3.0] * 2
    y = [0] * 12 + [1] * 11 + [1, 0, 1] + [0, 1]
    case = Case([codes], [4], y, 2, None)
    rules = Conventions("gain_ratio", "grouped", min_samples_leaf=4)
    tree = case.grow(rules)
    assert tree.size >= 1
    assert tree.n_rows.min() >= 4


def test_limits_beyond_all_rows_leave_a_leaf() -> None:
    case = Case([[0.0, 1.0, 2.0]], [0], [0, 1, 0], 2, [0.5, 1.0, 2.0])
    for limit in ({"min_samples_leaf": 2**40}, {"min_samples_split": 2**40}):
        assert case.grow(Conventions(**limit)).size == 0
    assert case.grow(CART).size == 2
