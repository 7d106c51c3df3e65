"""Cross-validation summed up: the folds, the accuracies, the confusion matrix."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict, cross_val_score

import plaintree as pt
from plaintree.evaluation.cross_validation import cross_validate


def iris_like() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    y = np.repeat(["a", "b", "c"], 40)
    X = rng.normal(size=(120, 3)) + np.repeat([0.0, 1.0, 2.5], 40)[:, None]
    return X, y


def test_it_says_what_scikit_learn_says() -> None:
    X, y = iris_like()
    folds = StratifiedKFold(10, shuffle=True, random_state=3)
    model = pt.CARTClassifier(min_samples_leaf=5)
    found = cross_validate(model, X, y, n_folds=10, seed=3)
    scores = cross_val_score(model, X, y, cv=folds)
    assert found.accuracies == pytest.approx(scores.tolist())
    assert found.mean == pytest.approx(scores.mean())
    assert found.deviation == pytest.approx(scores.std())
    predicted = cross_val_predict(model, X, y, cv=folds)
    assert found.confusion.tolist() == confusion_matrix(y, predicted).tolist()
    assert found.classes == ("a", "b", "c")
    assert found.stratified


def test_rows_of_the_matrix_are_the_actual_classes() -> None:
    X, y = np.zeros((10, 1)), np.array(["no"] * 3 + ["yes"] * 7)
    found = cross_validate(DummyClassifier(), X, y, n_folds=3)
    assert found.confusion.tolist() == [[0, 3], [0, 7]]


def test_folds_are_plain_where_a_class_has_too_few_rows() -> None:
    X, y = pt.datasets.load_golf()
    found = cross_validate(pt.C45Classifier(), X, y, n_folds=10, seed=0)
    scores = cross_val_score(pt.C45Classifier(), X, y, cv=KFold(10, shuffle=True, random_state=0))
    assert not found.stratified
    assert found.accuracies == pytest.approx(scores.tolist())


def test_a_small_table_gets_a_fold_per_row() -> None:
    X, y = pt.datasets.load_flu()
    assert cross_validate(pt.ID3Classifier(), X, y, n_folds=10).n_folds == len(X)


def test_every_fold_is_reported_with_its_model() -> None:
    models: list[pt.ID3Classifier] = []
    X, y = pt.datasets.load_golf()
    seen: list[tuple[str, int, int]] = []
    cross_validate(
        pt.ID3Classifier(),
        X,
        y,
        n_folds=5,
        on_fold=models.append,
        progress=lambda *step: seen.append(step),
    )
    assert seen == [("cross-validating", done, 5) for done in range(1, 6)]
    assert [round(model.tree_.weight[0]) for model in models] == [11, 11, 11, 11, 12]


def test_balanced_accuracy_counts_every_class_alike() -> None:
    X, y = iris_like()
    X, y = X[:100], y[:100]  # 20 rows of the third class
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    found = cross_validate(pt.CARTClassifier(max_depth=2), X, y, n_folds=5)
    scores = cross_val_score(
        pt.CARTClassifier(max_depth=2), X, y, cv=folds, scoring="balanced_accuracy"
    )
    assert found.balanced == pytest.approx(scores.tolist())
    assert found.balanced != pytest.approx(found.accuracies)


def test_balanced_accuracy_is_about_the_classes_in_the_fold() -> None:
    X, y = np.zeros((6, 1)), np.array(["a", "b", "b", "b", "b", "b"])
    found = cross_validate(DummyClassifier(), X, y, n_folds=6)
    assert sorted(found.balanced) == [0, 1, 1, 1, 1, 1]


@pytest.mark.parametrize("labels", [[0, 1], [False, True], ["u", "v"]])
def test_labels_of_any_kind_and_any_frame_will_do(labels: list[object]) -> None:
    frame = pd.DataFrame({"x": ["a", "b", "b"] * 10})
    y = pd.Series([labels[i % 3 == 0] for i in range(30)], index=range(100, 130))
    found = cross_validate(pt.ID3Classifier(), frame, y, n_folds=5)
    assert found.classes == tuple(labels)
    assert found.confusion.sum() == 30
    assert found.mean == 1.0


def test_one_fold_is_refused() -> None:
    X, y = iris_like()
    with pytest.raises(pt.PlaintreeError, match="at least two folds"):
        cross_validate(pt.ID3Classifier(), X, y, n_folds=1)


def test_one_row_is_refused() -> None:
    with pytest.raises(pt.PlaintreeError, match="a single row cannot be divided"):
        cross_validate(pt.ID3Classifier(), [[1]], ["a"], n_folds=2)


def test_one_class_is_validated_without_a_word() -> None:
    outcome = cross_validate(pt.CARTClassifier(), [[1], [2], [3]], ["a", "a", "a"], n_folds=3)
    assert outcome.confusion.tolist() == [[3]]
    assert outcome.mean == 1.0
