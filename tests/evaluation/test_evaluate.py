"""Metrics of predictions: the same as scikit-learn's, and defined where theirs are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import metrics

from plaintree.errors import ParameterError
from plaintree.evaluation.evaluate import Evaluation, evaluate, normal_deviation

CLASSES = ("a", "b", "c")


def random_predictions(
    classes: tuple[str, ...], n: int = 300
) -> tuple[list[str], list[str], np.ndarray[Any, np.dtype[np.float64]]]:
    """Classes, predictions and probabilities that are right more often than not."""
    random = np.random.default_rng(0)
    codes = random.integers(0, len(classes), n)
    raw = random.random((n, len(classes))) + np.eye(len(classes))[codes] * 0.7
    probabilities = raw / raw.sum(axis=1, keepdims=True)
    labels = np.array(classes)
    return labels[codes].tolist(), labels[probabilities.argmax(axis=1)].tolist(), probabilities


def measured(*arguments: Any, **options: Any) -> Evaluation:
    return evaluate(*arguments, "rows given", **options)


class TestAgainstScikitLearn:
    def test_metrics_of_two_classes(self) -> None:
        actual, predicted, p = random_predictions(("a", "b"))
        found = measured(actual, predicted, p, ("a", "b")).probabilities
        assert found is not None
        positive = [label == "b" for label in actual]
        assert found.auc == pytest.approx(metrics.roc_auc_score(positive, p[:, 1]))
        assert found.brier == pytest.approx(metrics.brier_score_loss(positive, p[:, 1]))
        assert found.log_loss == pytest.approx(metrics.log_loss(positive, p[:, 1]))

    def test_metrics_of_three_classes(self) -> None:
        actual, predicted, p = random_predictions(CLASSES)
        found = measured(actual, predicted, p, CLASSES).probabilities
        assert found is not None
        assert found.auc == pytest.approx(metrics.roc_auc_score(actual, p, multi_class="ovr"))
        assert found.log_loss == pytest.approx(metrics.log_loss(actual, p))
        one_hot = np.array([[label == c for c in CLASSES] for label in actual])
        assert found.brier == pytest.approx(((p - one_hot) ** 2).sum(axis=1).mean())

    def test_metrics_by_class(self) -> None:
        actual, predicted, p = random_predictions(CLASSES)
        found = measured(actual, predicted, p, CLASSES).by_class
        expected = metrics.classification_report(actual, predicted, output_dict=True)
        for part in found:
            report = expected[part.label]
            assert (part.precision, part.recall, part.f1) == pytest.approx(
                (report["precision"], report["recall"], report["f1-score"])
            )
            assert part.support == report["support"]


class TestCalibration:
    def test_bins_hold_every_row_once_and_give_the_error(self) -> None:
        actual, predicted, p = random_predictions(CLASSES)
        found = measured(actual, predicted, p, CLASSES).probabilities
        assert found is not None
        assert sum(part.n_rows for part in found.calibration) == 300
        top, correct = p.max(axis=1), np.array(actual) == np.array(predicted)
        for part in found.calibration:
            inside = (top > part.low) & (top <= part.high)
            assert part.n_rows == inside.sum()
            assert part.mean_probability == pytest.approx(top[inside].mean())
            assert part.accuracy == pytest.approx(correct[inside].mean())
        error = sum(
            part.n_rows * abs(part.mean_probability - part.accuracy) for part in found.calibration
        )
        assert found.calibration_error == pytest.approx(error / 300)

    @pytest.mark.parametrize(("predicted", "error"), [("aa", 0), ("bb", 1)])
    def test_certain_predictions_are_calibrated_if_they_are_correct(
        self, predicted: str, error: float
    ) -> None:
        p = np.array([[float(label == "a"), float(label == "b")] for label in predicted])
        found = measured("aa", predicted, p, "ab").probabilities
        assert found is not None
        assert found.calibration_error == error


class TestUndefined:
    def test_one_class_in_the_table_has_no_auc(self) -> None:
        p = np.array([[0.8, 0.2], [0.4, 0.6]])
        found = measured("aa", "ab", p, "ab")
        assert found.probabilities is not None
        assert found.probabilities.auc is None
        assert found.quality.accuracy == 0.5
        a, b = found.by_class
        assert (a.precision, a.recall, a.support) == (1.0, 0.5, 2)
        assert (b.precision, b.recall, b.support) == (0.0, None, 0)

    def test_a_model_of_one_class(self) -> None:
        found = measured("aaa", "aaa", np.ones((3, 1)), "a")
        assert found.probabilities is not None
        assert (found.probabilities.log_loss, found.probabilities.auc) == (0.0, None)

    def test_rows_of_unknown_classes_are_errors_and_have_no_probability(self) -> None:
        p = np.array([[0.8, 0.2], [0.4, 0.6], [0.9, 0.1]])
        found = measured("abz", "aba", p, "ab")
        assert found.quality.accuracy == pytest.approx(2 / 3)
        assert found.probabilities is not None
        assert found.probabilities.n_rows == 2
        assert measured("zz", "aa", p[:2], "ab").probabilities is None


def test_the_interval_widens_with_confidence_and_narrows_with_rows() -> None:
    def width(n: int, confidence: float) -> float:
        actual, predicted, p = random_predictions(CLASSES, n)
        low, high = measured(actual, predicted, p, CLASSES, confidence=confidence).interval
        return high - low

    assert width(300, 0.5) < width(300, 0.95) < width(30, 0.95)


@pytest.mark.parametrize("confidence", [0, 1, -0.5, float("nan"), True, "0.95"])
def test_a_confidence_is_between_0_and_1(confidence: Any) -> None:
    with pytest.raises(ParameterError, match="confidence must be between 0 and 1"):
        normal_deviation(confidence)
