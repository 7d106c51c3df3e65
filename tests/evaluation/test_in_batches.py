"""Metrics of predictions that are added batch by batch: those of all rows at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plaintree.evaluation import in_batches
from plaintree.evaluation.evaluate import evaluate
from plaintree.evaluation.in_batches import LabelCounts, NumericSums, Residuals
from plaintree.evaluation.numeric import evaluate_numbers, largest_errors
from plaintree.evaluation.quality import numeric_quality_of, quality_of

RANDOM = np.random.default_rng(0)


def rows_of(n_classes: int, n_rows: int = 500) -> tuple[list[str], list[str], Any, list[str]]:
    """Classes, predicted classes and probabilities of which many are equal."""
    labels = [f"class {i}" for i in range(n_classes)]
    leaves = RANDOM.dirichlet(np.ones(n_classes), 12)
    probabilities = leaves[RANDOM.integers(0, len(leaves), n_rows)]
    actual = [labels[i] for i in RANDOM.integers(0, n_classes, n_rows)]
    predicted = [labels[i] for i in probabilities.argmax(axis=1)]
    return actual, predicted, probabilities, labels


def counted(actual: list[str], predicted: list[str], probabilities: Any = None) -> LabelCounts:
    counts = LabelCounts()
    for begin in range(0, len(actual), 70):
        part = slice(begin, begin + 70)
        own = None if probabilities is None else probabilities[part]
        counts.add(counts.places(actual[part]), counts.places(predicted[part]), own)
    return counts


@pytest.mark.parametrize("n_classes", [1, 2, 5])
@pytest.mark.parametrize("few", [2**20, 10])
def test_counts_of_classes_give_the_metrics_of_all_rows(
    n_classes: int, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(in_batches, "FEW_KEPT", few)
    actual, predicted, probabilities, labels = rows_of(n_classes)
    actual[3] = "unknown"
    expected = evaluate(actual, predicted, probabilities, labels, "here")
    found = counted(actual, predicted, probabilities).evaluation(labels, "here")
    assert found.quality.classes == expected.quality.classes
    assert np.array_equal(found.quality.confusion, expected.quality.confusion)
    assert (found.interval, found.by_class) == (expected.interval, expected.by_class)
    assert found.probabilities is not None
    assert expected.probabilities is not None
    for name in ("auc", "brier", "log_loss", "calibration_error"):
        value = getattr(expected.probabilities, name)
        got = getattr(found.probabilities, name)
        assert got == (None if value is None else pytest.approx(value, rel=1e-9, abs=1e-12)), name
    assert found.probabilities.n_rows == expected.probabilities.n_rows == 499
    for one, other in zip(
        found.probabilities.calibration, expected.probabilities.calibration, strict=True
    ):
        assert (one.low, one.n_rows) == (other.low, other.n_rows)
        assert one.accuracy == pytest.approx(other.accuracy)


def test_counts_without_probabilities_give_the_confusion_matrix_and_costs() -> None:
    actual, predicted, _, _ = rows_of(3)
    costs = {("class 0", "class 1"): 5.0}
    expected = quality_of(actual, predicted, "here", costs)
    found = counted(actual, predicted).quality("here", costs)
    assert np.array_equal(found.confusion, expected.confusion)
    assert found.values == expected.values


def test_equal_predictions_are_kept_once() -> None:
    actual, predicted, probabilities, _ = rows_of(2, n_rows=5000)
    counts = counted(actual, predicted, probabilities)
    assert len(counts.distinct()) <= 12 * 2


def test_sums_give_the_metrics_of_numbers() -> None:
    actual = 1e6 + RANDOM.normal(size=500)
    predicted = actual + 0.3 * RANDOM.normal(size=500)
    expected = numeric_quality_of(actual, predicted, "here")
    found = NumericSums("here", float(actual.mean()))
    for begin in range(0, 500, 70):
        found.add(actual[begin : begin + 70], predicted[begin : begin + 70])
    assert found.to_json() == {
        key: value if isinstance(value, str) else pytest.approx(value, rel=1e-9)
        for key, value in expected.to_json().items()
    }
    assert found.baseline_prediction == expected.baseline_prediction


def test_undefined_metrics_of_sums_are_undefined() -> None:
    assert NumericSums("here", float("nan")).to_json()["rmse"] is None
    one = NumericSums("here", 2.0)
    one.add(np.array([2.0]), np.array([3.0]))
    assert (one.rmse, one.to_json()["r2"]) == (1.0, None)
    constant = NumericSums("here", 2.0)
    constant.add(np.array([2.0, 2.0]), np.array([2.0, 2.0]))
    assert constant.r2 == numeric_quality_of([2.0, 2.0], [2.0, 2.0], "here").r2 == 1.0


def test_residuals_give_intervals_medians_and_the_largest_errors() -> None:
    actual = RANDOM.normal(size=500)
    predicted = actual + 0.3 * RANDOM.normal(size=500)
    expected = evaluate_numbers(actual, predicted, "here")
    found = Residuals("here", float(actual.mean()), n_largest=7)
    for begin in range(0, 500, 70):
        part = slice(begin, begin + 70)
        found.add_at(np.arange(500)[part], actual[part], predicted[part])
    assert found.largest == largest_errors(numeric_quality_of(actual, predicted, "here"), 7)
    got = found.evaluation(0.95)
    assert got.intervals == expected.intervals
    assert got.median_absolute_error == expected.median_absolute_error
    assert got.mean_residual == expected.mean_residual
    assert got.quality.rmse == pytest.approx(expected.quality.rmse)
