"""scikit-learn's trees and forests as ours, and ours as scikit-learn's: the same answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.ensemble import (
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from plaintree import C45Classifier, CARTClassifier, export_text
from plaintree import DecisionTreeClassifier as OurClassifier
from plaintree.errors import ArgumentTypeError, ParameterError, TreeError
from plaintree.estimators.forest import RandomForestClassifier as RandomForest
from plaintree.interop.foreign.single_precision import greatest_going_left
from plaintree.interop.foreign.sklearn import from_sklearn
from plaintree.interop.foreign.sklearn_export import to_sklearn
from plaintree.tree.forest import PackedForest
from plaintree.tree.predict import class_codes, class_shares, predicting_nodes
from tests.support.trees import TENNIS_SCHEMA, TENNIS_SPEC, XY_SCHEMA, build


def columns_of(X: np.ndarray) -> list[np.ndarray]:
    return [np.ascontiguousarray(column) for column in X.T]


def table(seed: int, *, gaps: bool = False, digits: int | None = None) -> tuple[np.ndarray, Any]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(200, 4))
    X = X if digits is None else X.round(digits)
    if gaps:
        X[random.random(X.shape) < 0.2] = np.nan
    return X, random.integers(0, 3, len(X))


def around_thresholds(model: Any, X: np.ndarray, seed: int) -> np.ndarray:
    """The rows of the table, and rows on both sides of every threshold, as near as doubles get."""
    inner = model.tree_.children_left >= 0
    cuts, columns = model.tree_.threshold[inner], model.tree_.feature[inner]
    finite = np.isfinite(cuts)
    cuts, columns = cuts[finite], columns[finite]
    limits = greatest_going_left(cuts)
    rows = [X]
    for values in (cuts, limits):
        for step in (values, np.nextafter(values, np.inf), np.nextafter(values, -np.inf)):
            near = X[np.random.default_rng(seed).integers(0, len(X), len(cuts))].copy()
            near[np.arange(len(cuts)), columns] = step
            rows.append(near)
    return np.vstack(rows)


class TestFromSklearn:
    @pytest.mark.parametrize("seed", range(6))
    @pytest.mark.parametrize("gaps", [False, True])
    def test_shares_on_both_sides_of_every_threshold(self, seed: int, gaps: bool) -> None:
        X, y = table(seed, gaps=gaps, digits=(None, 1)[seed % 2])
        learner = (DecisionTreeClassifier, ExtraTreeClassifier)[seed % 3 == 2]
        model = learner(
            criterion=("gini", "entropy")[seed % 2],
            class_weight=(None, "balanced")[seed % 3 == 1],
            max_depth=7,
            random_state=seed,
        ).fit(X, y)
        tree = from_sklearn(model)
        rows = around_thresholds(model, X, seed)
        ours = class_shares(tree, columns_of(rows))
        np.testing.assert_allclose(ours, model.predict_proba(rows), atol=1e-12)
        np.testing.assert_array_equal(class_codes(tree, columns_of(rows)), model.predict(rows))

    def test_a_value_that_rounds_across_the_threshold(self) -> None:
        """0.1 in single precision is above 0.1: the threshold moves, so that 0.1 goes right."""
        model = DecisionTreeClassifier().fit([[0.0], [0.2]], [0, 1])
        assert float(np.float32(0.1)) > 0.1
        assert model.tree_.threshold[0] == pytest.approx(0.1)
        value = np.array([[np.nextafter(model.tree_.threshold[0], 1)]])
        assert class_codes(from_sklearn(model), columns_of(value)) == model.predict(value)

    def test_counts_impurities_and_importances(self) -> None:
        X, y = table(1)
        model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
        tree = from_sklearn(model)
        assert (tree.n_nodes, tree.depth) == (model.tree_.node_count, model.get_depth())
        assert tree.root.counts == dict(enumerate(np.bincount(y).astype(float)))
        assert tree.n_rows.sum() == model.tree_.n_node_samples.sum()
        assert (tree.class_weights == np.rint(tree.class_weights)).all()
        np.testing.assert_allclose(tree.importances(), model.feature_importances_)
        inner = tree.n_children > 0
        assert np.isnan(tree.score).tolist() == (~inner).tolist()

    def test_missing_values_parted_from_all_others(self) -> None:
        X = np.array([[1.0], [2.0], [np.nan], [np.nan]])
        model = DecisionTreeClassifier().fit(X, [0, 0, 1, 1])
        tree = from_sklearn(model)
        rows = np.array([[-1e30], [1e30], [np.nan]])
        np.testing.assert_array_equal(class_codes(tree, columns_of(rows)), model.predict(rows))

    def test_names_and_labels(self) -> None:
        frame = pd.DataFrame({"width": [1.0, 2.0, 4.0], "height": [1.0, 1.0, 1.0]})
        tree = from_sklearn(DecisionTreeClassifier().fit(frame, ["small", "small", "large"]))
        assert tree.schema.names == ("width", "height")
        assert tree.schema.classes == ("large", "small")
        assert "width <= 3" in export_text(tree)

    @pytest.mark.parametrize("learner", [RandomForestClassifier, ExtraTreesClassifier])
    def test_forests(self, learner: Any) -> None:
        X, y = load_iris(return_X_y=True)
        model = learner(10, random_state=0).fit(X, y)
        trees = from_sklearn(model)
        assert len(trees) == 10
        mean = np.mean([class_shares(tree, columns_of(X)) for tree in trees], axis=0)
        np.testing.assert_allclose(mean, model.predict_proba(X), atol=1e-12)
        packed = PackedForest.from_trees(trees)
        np.testing.assert_allclose(packed.shares(columns_of(X), "soft"), mean, atol=1e-7)

    def test_a_tree_of_2000_levels(self) -> None:
        X = np.arange(2000.0)[:, np.newaxis]
        model = DecisionTreeClassifier(random_state=0).fit(X, np.arange(2000) % 2)
        tree = from_sklearn(model)
        np.testing.assert_array_equal(class_codes(tree, columns_of(X)), model.predict(X))

    def test_refusals(self) -> None:
        X, y = table(0)
        with pytest.raises(ArgumentTypeError, match=r"leaves have parts of a sum"):
            from_sklearn(HistGradientBoostingClassifier(max_iter=2).fit(X, y))
        with pytest.raises(ArgumentTypeError, match="not fitted"):
            from_sklearn(DecisionTreeClassifier())
        with pytest.raises(ArgumentTypeError, match="one target"):
            from_sklearn(DecisionTreeClassifier().fit(X, np.column_stack([y, y])))
        with pytest.raises(ArgumentTypeError, match="not a tree or forest of scikit-learn"):
            from_sklearn("a tree")

    def test_a_model_around_a_tree_is_refused_and_the_way_in_is_told(self) -> None:
        X, y = table(0)
        steps = make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=2)).fit(X, y)
        with pytest.raises(ArgumentTypeError, match=r"type Pipeline.*last step, model\[-1\]"):
            from_sklearn(steps)
        assert from_sklearn(steps[-1]).depth == 2
        search = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1, 2]}, cv=2).fit(X, y)
        with pytest.raises(ArgumentTypeError, match=r"type GridSearchCV.*best_estimator_"):
            from_sklearn(search)


class TestGreatestGoingLeft:
    @given(st.floats(allow_nan=False, allow_infinity=False, min_value=-3e38, max_value=3e38))
    def test_it_is_the_last_that_goes_left(self, threshold: float) -> None:
        limit = greatest_going_left(np.array([threshold]))[0]
        with np.errstate(over="ignore"):
            singles = np.array([limit, np.nextafter(limit, np.inf)]).astype(np.float32)
        assert (singles.astype(np.float64) <= threshold).tolist() == [True, False]

    def test_infinite_thresholds_stay(self) -> None:
        limits = greatest_going_left(np.array([np.inf, -np.inf]))
        assert limits.tolist() == [np.inf, -np.inf]


class TestToSklearn:
    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("gaps", [False, True])
    def test_there_and_back(self, seed: int, gaps: bool) -> None:
        X, y = table(seed, gaps=gaps)
        model = DecisionTreeClassifier(max_depth=6, random_state=seed).fit(X, y)
        back = to_sklearn(from_sklearn(model))
        rows = around_thresholds(model, X, seed)
        np.testing.assert_allclose(back.predict_proba(rows), model.predict_proba(rows))
        np.testing.assert_array_equal(back.apply(X), model.apply(X))
        np.testing.assert_allclose(back.feature_importances_, model.feature_importances_)

    @pytest.mark.parametrize("digits", [1, 2, None])
    def test_a_tree_of_ours(self, digits: int | None) -> None:
        X, y = table(5, gaps=True, digits=digits)
        ours = CARTClassifier(max_depth=8).fit(X, y)
        theirs = to_sklearn(ours)
        np.testing.assert_array_equal(theirs.predict(X), ours.predict(X))
        np.testing.assert_allclose(theirs.predict_proba(X), ours.predict_proba(X))
        numbers = [node.index for node in ours.tree_.walk()]
        found = np.array(numbers)[theirs.apply(X)]
        np.testing.assert_array_equal(found, predicting_nodes(ours.tree_, columns_of(X)))

    def test_thresholds_that_are_values_of_the_table(self) -> None:
        """C4.5's thresholds are: 0.3 in single precision is above 0.3, and must go left."""
        X = np.round(np.random.default_rng(0).random((300, 3)), 2)
        y = (X[:, 0] + X[:, 1] > 0.9).astype(int)
        ours = C45Classifier().fit(X, y)
        np.testing.assert_array_equal(
            to_sklearn(ours, missing="larger").predict(X), ours.predict(X)
        )

    def test_tied_labels(self) -> None:
        """A tree whose labels win ties: scikit-learn would answer the first class."""
        tree = build(XY_SCHEMA, ("x <=", 1.5, [1, 1], [0, 2], 0))
        tree = replace(tree, label=np.array([1, 1, 1]))
        row = pd.DataFrame([[1.0, 0, 0, 0]], columns=list(XY_SCHEMA.names))
        assert to_sklearn(tree).predict(row).tolist() == ["B"]

    def test_names(self) -> None:
        frame = pd.DataFrame({"width": [1.0, 2.0, 4.0]})
        model = to_sklearn(CARTClassifier().fit(frame, ["small", "small", "large"]))
        assert model.feature_names_in_.tolist() == ["width"]
        assert model.predict(frame).tolist() == ["small", "small", "large"]

    def test_refusals(self) -> None:
        with pytest.raises(TreeError, match=r"node 0 splits on categories.*'outlook'"):
            to_sklearn(build(TENNIS_SCHEMA, TENNIS_SPEC))
        with pytest.raises(TreeError, match=r"node 0 splits on categories.*'size'"):
            to_sklearn(build(XY_SCHEMA, ("size <=", 0.5, [1, 0], [0, 1], 0)))
        with pytest.raises(TreeError, match="separate branch for missing values"):
            to_sklearn(build(XY_SCHEMA, ("x <=", 0.5, [1, 0], [0, 1], [1, 1])))
        with pytest.raises(TreeError, match=r"divides missing values.*missing=\"larger\""):
            to_sklearn(build(XY_SCHEMA, ("x <=", 0.5, [1, 0], [0, 1])))
        with pytest.raises(ParameterError, match="missing has a value that is not allowed"):
            to_sklearn(build(XY_SCHEMA, [1, 0]), missing="split")  # type: ignore[arg-type]
        with pytest.raises(ArgumentTypeError, match="call fit first"):
            to_sklearn(OurClassifier())
        forest = RandomForest.from_trees([build(XY_SCHEMA, [1, 0])])
        with pytest.raises(ArgumentTypeError, match=r"cannot represent a forest.*for tree in"):
            to_sklearn(forest)
