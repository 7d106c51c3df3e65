"""Regression: cross-validation, metrics, intervals and comparison of models of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.dummy import DummyRegressor
from sklearn.metrics import mean_absolute_error, r2_score, root_mean_squared_error
from sklearn.model_selection import KFold, cross_val_score

import plaintree as pt
from plaintree.evaluation.cross_validation import cross_validate
from plaintree.evaluation.metrics import MAIN, METRICS
from plaintree.evaluation.numeric import evaluate_numbers, largest_errors
from plaintree.evaluation.quality import numeric_quality_of, out_of_bag_quality

SCORERS = {
    "rmse": (-1, "neg_root_mean_squared_error"),
    "mae": (-1, "neg_mean_absolute_error"),
    "r2": (1, "r2"),
}


def table(n_rows: int = 120) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(5)
    X = random.normal(size=(n_rows, 3))
    return X, 3 * X[:, 0] + np.abs(X[:, 1]) + random.normal(size=n_rows)


def test_scores_of_folds_are_those_of_scikit_learn() -> None:
    X, y = table()
    model = pt.CARTRegressor(min_samples_leaf=5)
    found = cross_validate(model, X, y, n_folds=10, seed=3)
    folds = KFold(10, shuffle=True, random_state=3)
    assert found.task == "regression"
    assert set(found.scores) == {metric.key for metric in METRICS["regression"]}
    for key, (sign, scoring) in SCORERS.items():
        scores = sign * cross_val_score(model, X, y, cv=folds, scoring=scoring)
        assert found.scores[key] == pytest.approx(scores.tolist())
        assert found.mean_of(key) == pytest.approx(scores.mean())
        assert found.deviation_of(key) == pytest.approx(scores.std())
    assert found.mean == found.mean_of("rmse")
    assert not found.stratified
    assert found.classes == ()


def test_metrics_and_baseline_are_those_of_scikit_learn() -> None:
    X, y = table()
    predicted = pt.CARTRegressor(max_depth=3).fit(X, y).predict(X)
    found = numeric_quality_of(y, predicted, "training rows")
    assert found.rmse == root_mean_squared_error(y, predicted)
    assert found.mae == mean_absolute_error(y, predicted)
    assert found.r2 == r2_score(y, predicted)
    always = DummyRegressor().fit(X, y).predict(X)
    assert found.baseline == pytest.approx(root_mean_squared_error(y, always))
    assert found.baseline_values["mae"] == pytest.approx(mean_absolute_error(y, always))
    assert found.baseline_values["r2"] == pytest.approx(0)


def test_folds_of_one_row_have_no_r2() -> None:
    found = cross_validate(DummyRegressor(), [[1], [2], [3]], [1.0, 2.0, 6.0], n_folds=10)
    assert found.n_folds == 3
    assert np.isnan(found.scores["r2"]).all()
    assert np.isnan(found.mean_of("r2"))
    assert sorted(found.scores["rmse"]) == [1.5, 3.0, 4.5]


def test_no_rows_have_no_metrics() -> None:
    found = numeric_quality_of([], [], "out-of-bag rows").to_json()
    assert found["rows"] == 0
    assert found["rmse"] is found["baseline_rmse"] is found["mean"] is None


def test_out_of_bag_metrics_are_those_of_the_out_of_bag_predictions() -> None:
    X, y = table()
    forest = pt.RandomForestRegressor(40, oob_score=True).fit(X, y)
    found = out_of_bag_quality(forest, y)
    assert found.measured_on == "out-of-bag rows"
    assert found.values["r2"] == pytest.approx(forest.oob_score_)
    assert found.values["rmse"] ** 2 == pytest.approx(forest.oob_error_curve_[-1])


def test_rows_in_every_sample_are_left_out_of_bag() -> None:
    X, y = table(30)
    with pytest.warns(UserWarning, match="rows were in the sample of every tree"):
        forest = pt.RandomForestRegressor(1, oob_score=True, random_state=0).fit(X, y)
    known = ~np.isnan(forest.oob_prediction_)
    assert 0 < known.sum() < 30
    assert out_of_bag_quality(forest, y).n_rows == known.sum()


def test_intervals_are_those_of_means() -> None:
    X, y = table(400)
    predicted = pt.CARTRegressor(max_depth=4).fit(X, y).predict(X)
    found = evaluate_numbers(y, predicted, "rows given", confidence=0.9)
    for key, losses in (("mae", np.abs(y - predicted)), ("rmse", (y - predicted) ** 2)):
        low, high = norm.interval(0.9, losses.mean(), losses.std(ddof=1) / 20)
        ends = (low, high) if key == "mae" else (low**0.5, high**0.5)
        assert found.intervals[key] == pytest.approx(ends)
        assert found.intervals[key][0] < found.quality.values[key] < found.intervals[key][1]


def test_intervals_of_a_single_row_are_undefined() -> None:
    found = evaluate_numbers([1.0], [3.0], "rows given")
    assert np.isnan([*found.intervals["rmse"], *found.intervals["mae"]]).all()
    assert found.mean_residual == -2


def test_largest_errors_come_first_and_of_equal_ones_the_first_row() -> None:
    quality = numeric_quality_of([0, 0, 0, 0], [1, -3, 3, 0], "rows given")
    assert [(part.row, part.residual) for part in largest_errors(quality, 3)] == [
        (1, 3),
        (2, -3),
        (0, -1),
    ]


@pytest.mark.parametrize(
    ("task", "better", "worse"), [("classification", 0.9, 0.1), ("regression", 0.1, 0.9)]
)
def test_the_main_metric_ranks(task: Any, better: float, worse: float) -> None:
    metric = MAIN[task]
    assert metric.is_better(better, worse)
    assert not metric.is_better(worse, better)
    assert metric.is_better(worse, float("nan"))
    assert not metric.is_better(float("nan"), float("nan"))


def test_diff_of_numbers_has_no_probabilities() -> None:
    X, y = table()
    large, small = (pt.CARTRegressor(max_depth=d).fit(X, y) for d in (3, 2))
    found = pt.evaluation.diff(large, small, X, n_examples=1)
    apart = np.abs(large.predict(X) - small.predict(X))
    assert found.task == "regression"
    assert found.n_predictions == np.count_nonzero(apart)
    assert found.max_difference == apart.max()
    assert "differ, by at most" in found.to_text()
    assert "probabilities" not in found.to_text()
    assert pt.evaluation.diff(large, large, X).equal
