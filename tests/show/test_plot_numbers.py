"""Plots of numeric targets: steps and colours, scores of thresholds, errors, predictions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgba

import plaintree as pt
from plaintree.errors import ParameterError
from plaintree.show.plot.thresholds import rows_at, threshold_scores
from plaintree.stats.losses import OF_CRITERION
from plaintree.tree.walk import rows_from
from tests.support.figures import figures_are_closed, legend_texts, painted, plt

__all__ = ["figures_are_closed"]


def wave(n: int = 60) -> tuple[pd.DataFrame, pd.Series]:
    random = np.random.default_rng(0)
    X = pd.DataFrame({"a": random.random(n) * 10, "b": random.random(n), "c": random.random(n)})
    return X, pd.Series(np.sin(X["a"]) + X["b"] + 0.1 * random.normal(size=n), name="height")


class TestRegions:
    def test_one_feature_is_steps_over_the_rows(self) -> None:
        X, y = wave()
        model = pt.CARTRegressor(max_leaf_nodes=5).fit(X[["a"]], y)
        ax = painted(pt.plot_regions(model, X[["a"]], y))
        across, up = ax.lines[0].get_data()
        inside = (np.array(X["a"])[:, None] > across[::3]) & (
            np.array(X["a"])[:, None] <= across[1::3]
        )
        assert (inside.sum(axis=1) == 1).all()
        assert up[::3][inside.argmax(axis=1)] == pytest.approx(model.predict(X[["a"]]))
        assert ax.collections[0].get_offsets().tolist() == np.column_stack([X["a"], y]).tolist()
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("a", "height")
        assert legend_texts(ax) == ["prediction", "rows"]

    def test_steps_of_categories_are_apart(self) -> None:
        X, y = pd.DataFrame({"colour": list("rgbrgb")}), [1.0, 5, 9, 2, 6, 10]
        ax = painted(pt.plot_regions(pt.CARTRegressor().fit(X, y), X, y))
        assert np.isnan(ax.lines[0].get_xdata()).sum() == 3
        assert [label.get_text() for label in ax.get_xticklabels()] == ["b", "g", "r"]

    def test_two_features_are_colours_with_a_bar(self) -> None:
        X, y = wave()
        model = pt.CARTRegressor(max_leaf_nodes=6).fit(X[["a", "b"]], y)
        ax = painted(pt.plot_regions(model, X[["a", "b"]], y))
        regions, rows = ax.collections
        assert isinstance(regions, PolyCollection)
        assert len(regions.get_paths()) == 6
        (bar,) = [other for other in ax.get_figure().axes if other is not ax]
        assert bar.get_ylabel() == "height"
        assert bar.get_ylim() == (y.min(), y.max())
        lowest, highest = rows.get_facecolors()[[y.argmin(), y.argmax()]]
        colours = plt.get_cmap("viridis")
        assert np.allclose([lowest, highest], [colours(0.0), colours(1.0)])

    def test_a_region_has_the_colour_of_its_number(self) -> None:
        X, y = pd.DataFrame({"a": [0.0, 1, 0, 1], "b": [0.0, 0, 1, 1]}), [0.0, 1, 2, 4]
        ax = painted(pt.plot_regions(pt.CARTRegressor().fit(X, y), X, y))
        found = sorted(map(tuple, ax.collections[0].get_facecolors()))
        expected = sorted(plt.get_cmap("viridis")(value / 4) for value in y)
        assert np.allclose(found, expected, atol=1 / 255)

    def test_without_targets_rows_have_no_colour(self) -> None:
        X, y = wave()
        model = pt.CARTRegressor(max_leaf_nodes=6).fit(X[["a", "b"]], y)
        rows = painted(pt.plot_regions(model, X[["a", "b"]])).collections[1]
        assert rows.get_facecolors().tolist() == [list(to_rgba("white"))]
        one = pt.CARTRegressor(max_leaf_nodes=6).fit(X[["a"]], y)
        assert legend_texts(painted(pt.plot_regions(one, X[["a"]]))) == ["prediction"]

    def test_three_features_are_boxes(self) -> None:
        X, y = wave()
        model = pt.CARTRegressor(max_leaf_nodes=6).fit(X, y + 5 * (X["c"] > 0.5))
        ax = painted(pt.plot_regions(model, X, y, features=["a", "b", "c"]))
        assert ax.name == "3d"
        assert len(ax.get_figure().axes) == 2

    def test_a_single_leaf(self) -> None:
        ax = painted(pt.plot_regions(pt.CARTRegressor().fit([[1], [2]], [3, 3])))
        assert set(ax.lines[0].get_ydata()) == {3.0}
        low, high = ax.get_ylim()
        assert low < 3 < high


class TestThresholds:
    @pytest.mark.parametrize("criterion", OF_CRITERION)
    @given(seed=st.integers(0, 500))
    def test_the_best_threshold_at_every_node_is_the_tree_s(
        self, criterion: Any, seed: int
    ) -> None:
        random = np.random.default_rng(seed)
        X, y = random.integers(0, 8, (40, 2)).astype(float), random.integers(1, 9, 40)
        weights = random.integers(1, 3, 40).astype(float)
        tree = pt.CARTRegressor(criterion, max_depth=3).fit(X, y, weights).tree_
        rows = rows_from(tree, X, y, weights)
        for node in np.flatnonzero(tree.n_children).tolist():
            here, column = rows_at(tree, rows, node), int(tree.feature[node])
            thresholds, scores = threshold_scores(here, column, 0, criterion)
            assert scores.max() == pytest.approx(tree.score[node])
            at = int(np.flatnonzero(thresholds == tree.threshold[node])[0])
            assert scores[at] == pytest.approx(scores.max())

    def test_the_picture(self) -> None:
        X, y = wave()
        model = pt.CARTRegressor(max_depth=2).fit(X, y)
        ax = painted(pt.plot_thresholds(model, X, y, "a"))
        behind = next(other for other in ax.get_figure().axes if other is not ax)
        assert behind.lines[0].get_xydata().tolist() == np.column_stack([X["a"], y]).tolist()
        assert (ax.get_ylabel(), behind.get_ylabel()) == ("decrease of the variance", "height")
        best, own, rows = legend_texts(ax)
        assert best.split(": ")[1] == own.split(": ")[1]
        assert rows == "height of the rows"

    def test_criteria_are_those_of_the_task(self) -> None:
        X, y = wave()
        model = pt.CARTRegressor(max_depth=2).fit(X, y)
        ax = pt.plot_thresholds(model, X, y, "a", criterion="absolute_error")
        assert ax.get_ylabel() == "decrease of the mean absolute deviation"
        with pytest.raises(ParameterError, match=r"criterion has a value.*'squared_error'"):
            pt.plot_thresholds(model, X, y, "a", criterion="gini")
        X, y = pt.datasets.load_golf()
        with pytest.raises(ParameterError, match=r"criterion has a value.*'gini'"):
            pt.plot_thresholds(
                pt.ID3Classifier().fit(X, y), X, y, "humidity", criterion="squared_error"
            )

    def test_sides_without_events(self) -> None:
        X, y = [[1], [2], [3], [4]], [0, 0, 1, 2]
        model = pt.CARTRegressor("poisson").fit(X, y)
        curve = painted(pt.plot_thresholds(model, X, y, "x0")).lines[0].get_ydata()
        assert np.isnan(curve).tolist() == [True, True, False]
        only = pt.CARTRegressor("poisson").fit(X, [0, 0, 0, 2])
        with pytest.raises(ParameterError, match=r"no threshold has targets above 0 on both"):
            pt.plot_thresholds(only, X, [0, 0, 0, 2], "x0")


class TestErrors:
    def test_the_overfitting_curve_has_the_name_of_its_error(self) -> None:
        X, y = wave()
        for criterion, name in (("squared_error", "RMSE"), ("absolute_error", "mean absolute")):
            learner = pt.CARTRegressor(criterion)
            curve = pt.pruning.overfitting_curve(learner, X[:40], y[:40], X[40:], y[40:])
            assert painted(pt.plot_overfitting(curve)).get_ylabel().startswith(name)

    def test_the_pruning_path_as_well(self) -> None:
        X, y = wave()
        path = pt.pruning.pruning_path(pt.CARTRegressor().fit(X, y), X, y, folds=3)
        assert painted(pt.plot_pruning(path)).get_ylabel() == "mean squared error"

    def test_a_confusion_matrix_is_of_classes(self) -> None:
        X, y = wave()
        with pytest.raises(ParameterError, match=r"needs classes.* use plot_predictions"):
            pt.plot_confusion(pt.CARTRegressor().fit(X, y), X, y)


class TestPredictions:
    @pytest.mark.parametrize("part", ["model", "tree", "forest"])
    def test_predicted_against_actual(self, part: str) -> None:
        X, y = wave()
        model = pt.RandomForestRegressor(5) if part == "forest" else pt.CARTRegressor(max_depth=2)
        model.fit(X, y)
        ax = painted(pt.plot_predictions(model.tree_ if part == "tree" else model, X, y))
        drawn = ax.collections[0].get_offsets()
        assert np.allclose(drawn, np.column_stack([y, model.predict(X)]))
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("actual height", "predicted height")
        assert legend_texts(ax)[0].endswith(f"R² {model.score(X, y):.3g}")
        assert ax.get_xlim() == ax.get_ylim()

    def test_one_row(self) -> None:
        model = pt.CARTRegressor().fit([[1], [2]], [3, 3])
        assert legend_texts(painted(pt.plot_predictions(model, [[1]], [3])))[0] == "RMSE 0"

    def test_classes_have_a_confusion_matrix(self) -> None:
        X, y = pt.datasets.load_tennis()
        for model in (pt.ID3Classifier().fit(X, y), pt.ID3Classifier().fit(X, y).tree_):
            with pytest.raises(ParameterError, match=r"needs numbers.* use plot_confusion"):
                pt.plot_predictions(model, X, y)
        with pytest.raises(ParameterError, match=r"ID3Classifier predicts classes"):
            pt.plot_predictions(pt.ID3Classifier(), X, y)
