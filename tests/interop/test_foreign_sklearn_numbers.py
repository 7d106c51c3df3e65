"""scikit-learn's regression trees and forests as ours, and ours as scikit-learn's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import BaggingRegressor, ExtraTreesRegressor, RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeRegressor

import plaintree as pt
from plaintree.errors import ArgumentTypeError, ParameterError, TreeError
from plaintree.interop.foreign.single_precision import greatest_going_left
from plaintree.interop.foreign.sklearn import from_sklearn
from plaintree.interop.foreign.sklearn_export import to_sklearn
from plaintree.tree.build import build_tree, described_nodes
from plaintree.tree.condition import Surrogate, Threshold
from plaintree.tree.predict import predicted_numbers
from tests.support.trees import XY_SCHEMA, build, numeric

CRITERIA = ["squared_error", "absolute_error", "poisson"]


def columns_of(X: np.ndarray) -> list[np.ndarray]:
    return [np.ascontiguousarray(column) for column in X.T]


def table(seed: int, *, gaps: bool = False, n: int = 200) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 4)).round(1 if seed % 2 else 6)
    y = np.exp(X[:, 0]) + random.integers(0, 4, n)
    X[random.random(X.shape) < 0.2 * gaps] = np.nan
    return X, y


def around_thresholds(model: Any, X: np.ndarray) -> np.ndarray:
    """The rows, and rows on both sides of every threshold, as near as doubles get."""
    inner = np.flatnonzero(model.tree_.children_left >= 0)
    inner = inner[np.isfinite(model.tree_.threshold[inner])]
    rows = [X]
    for cuts in (model.tree_.threshold[inner], greatest_going_left(model.tree_.threshold[inner])):
        for step in (cuts, np.nextafter(cuts, np.inf), np.nextafter(cuts, -np.inf)):
            near = X[np.arange(len(inner)) % len(X)].copy()
            near[np.arange(len(inner)), model.tree_.feature[inner]] = step
            rows.append(near)
    return np.vstack(rows)


# ---------------------------------------------------------------- from scikit-learn


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("learner", [DecisionTreeRegressor, ExtraTreeRegressor])
@pytest.mark.parametrize("gaps", [False, True])
def test_numbers_on_both_sides_of_every_threshold(criterion: str, learner: Any, gaps: bool) -> None:
    if criterion == "absolute_error" and gaps:
        gaps = False  # which scikit-learn does not allow
    X, y = table(len(criterion), gaps=gaps)
    weights = 1 + np.arange(len(y)) % 3
    model = learner(criterion=criterion, max_depth=6, random_state=0).fit(X, y, weights)
    tree = from_sklearn(model)
    rows = around_thresholds(model, X)
    np.testing.assert_array_equal(predicted_numbers(tree, columns_of(rows)), model.predict(rows))
    assert tree.n_rows.sum() == model.tree_.n_node_samples.sum()
    assert tree.weight[0] == weights.sum()
    np.testing.assert_allclose(tree.importances(), model.feature_importances_)


@pytest.mark.parametrize(
    ("criterion", "spread"),
    [("squared_error", "sd"), ("absolute_error", "mean deviation"), ("poisson", "half deviance")],
)
def test_the_spread_is_that_of_the_criterion(criterion: str, spread: str) -> None:
    X, y = table(1)
    theirs = DecisionTreeRegressor(criterion=criterion, max_depth=2, random_state=0).fit(X, y)
    tree = from_sklearn(theirs)
    assert pt.rules_of(tree)[0].spread.name == spread
    again = tree.refit(X, y)
    np.testing.assert_allclose(again.prediction, tree.prediction)
    np.testing.assert_allclose(again.impurity, tree.impurity, atol=1e-9)


@pytest.mark.parametrize(
    "model",
    [
        RandomForestRegressor(10, random_state=0),
        RandomForestRegressor(10, criterion="poisson", max_features=2, random_state=0),
        ExtraTreesRegressor(10, random_state=0),
        BaggingRegressor(DecisionTreeRegressor(max_depth=5), 10, random_state=0),
        BaggingRegressor(ExtraTreeRegressor(), 10, max_features=0.5, random_state=0),
    ],
    ids=["forest", "poisson", "extra trees", "bagging", "bagging of features"],
)
def test_forests_predict_the_same_mean(model: Any) -> None:
    X, y = table(2)
    model.fit(X, y)
    trees = from_sklearn(model)
    assert len(trees) == 10
    forest = pt.RandomForestRegressor.from_trees(trees)
    np.testing.assert_allclose(forest.predict(X), model.predict(X), rtol=1e-12)
    assert pt.explain(forest, X[0]).vote.n_trees == 10


def test_what_is_not_a_tree_of_one_target_is_refused() -> None:
    X, y = table(0)
    with pytest.raises(ArgumentTypeError, match="not fitted"):
        from_sklearn(RandomForestRegressor())
    with pytest.raises(ArgumentTypeError, match="one target"):
        from_sklearn(DecisionTreeRegressor(max_depth=1).fit(X, np.column_stack([y, y])))
    with pytest.raises(ArgumentTypeError, match="members of the BaggingRegressor are not trees"):
        from_sklearn(BaggingRegressor(LinearRegression(), 2).fit(X, y))
    classes = from_sklearn(DecisionTreeClassifier(max_depth=1).fit(X, y > 2))
    with pytest.raises(ParameterError, match=r"needs trees of a numeric target.*Classifier\.from"):
        pt.RandomForestRegressor.from_trees([classes])


# ---------------------------------------------------------------- to scikit-learn


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(2))
def test_there_and_back(criterion: str, seed: int) -> None:
    X, y = table(seed)
    model = DecisionTreeRegressor(criterion=criterion, max_depth=5, random_state=seed).fit(X, y)
    back = to_sklearn(from_sklearn(model))
    rows = around_thresholds(model, X)
    assert isinstance(back, DecisionTreeRegressor)
    assert back.criterion == criterion
    np.testing.assert_array_equal(back.predict(rows), model.predict(rows))
    np.testing.assert_array_equal(back.apply(X), model.apply(X))
    np.testing.assert_allclose(back.feature_importances_, model.feature_importances_)
    assert back.score(X, y) == pytest.approx(model.score(X, y))


@pytest.mark.parametrize("gaps", [False, True])
def test_a_tree_of_ours(gaps: bool) -> None:
    X, y = table(5, gaps=gaps)
    ours = pt.CARTRegressor(max_depth=7).fit(X, y)
    np.testing.assert_array_equal(to_sklearn(ours).predict(X), ours.predict(X))


def test_surrogates_have_no_place_there() -> None:
    tree = numeric(build(XY_SCHEMA, ("x <=", 1.5, [1, 0], [0, 3], 0)))
    root, *leaves = described_nodes(tree)
    by_y = Surrogate(Threshold(1, 2.0))
    tree = build_tree(tree.schema, [replace(root, surrogates=(by_y,)), *leaves])
    with pytest.raises(TreeError, match=r"by surrogate splits.*missing=\"larger\""):
        to_sklearn(tree)
    row = pd.DataFrame([[np.nan, 0.0, 0.0, 0.0]], columns=list(XY_SCHEMA.names))
    assert to_sklearn(tree, missing="larger").predict(row) == [tree.prediction[2]]
