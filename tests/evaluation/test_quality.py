"""Quality: accuracy, balanced accuracy and baseline, as scikit-learn computes them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.metrics import accuracy_score, balanced_accuracy_score, confusion_matrix

from plaintree.evaluation.quality import quality_of


@pytest.mark.parametrize("n_classes", [1, 2, 3, 7])
def test_metrics_are_those_of_scikit_learn(n_classes: int) -> None:
    random = np.random.default_rng(n_classes)
    classes = np.arange(n_classes)
    actual = np.concatenate(
        [classes, random.choice(classes, 60, p=(classes + 1) / sum(classes + 1))]
    )
    predicted = random.choice(classes, len(actual))
    found = quality_of(actual.tolist(), predicted.tolist(), "rows given")
    assert found.accuracy == pytest.approx(accuracy_score(actual, predicted))
    if n_classes > 1:
        assert found.balanced_accuracy == pytest.approx(balanced_accuracy_score(actual, predicted))
    labels = classes.tolist() if n_classes > 1 else [0]
    if n_classes > 1:
        assert (found.confusion == confusion_matrix(actual, predicted, labels=labels)).all()
    dummy = DummyClassifier(strategy="most_frequent").fit(actual[:, None], actual)
    assert found.baseline == dummy.score(actual[:, None], actual)
    assert found.majority_class == dummy.predict([[0]])[0]


def test_class_that_is_only_predicted_does_not_count_in_the_balanced_accuracy() -> None:
    found = quality_of(["a", "a", "b"], ["a", "z", "b"], "rows given")
    assert found.classes == ("a", "b", "z")
    assert found.balanced_accuracy == 0.75


def test_no_rows_have_no_quality() -> None:
    found = quality_of([], [], "out-of-bag rows").to_json()
    assert found["rows"] == 0
    assert found["accuracy"] is None
