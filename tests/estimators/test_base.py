"""What every learner makes of tables: names of columns, and categories of any sort."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import plaintree as pt

LEARNERS = [
    pt.ID3Classifier(),
    pt.C45Classifier(),
    pt.CARTClassifier(),
    pt.MemorizingTreeClassifier(),
    pt.C45RulesClassifier(),
    pt.RandomForestClassifier(3, random_state=0),
    pt.BaggedTreesClassifier(n_estimators=3, random_state=0),
    pt.BoostedTreesClassifier(n_estimators=3),
]


@pytest.fixture(params=LEARNERS, ids=lambda learner: type(learner).__name__)
def learner(request: pytest.FixtureRequest) -> Any:
    return clone(request.param)


class TestNames:
    ARRAY = np.arange(24.0).reshape(12, 2) % 7
    FRAME = pd.DataFrame(ARRAY, columns=["p", "q"])
    Y = (ARRAY[:, 0] > 3).tolist()

    def test_are_missed_in_an_array(self, learner: Any) -> None:
        learner.fit(self.FRAME, self.Y)
        expected = learner.predict(self.FRAME)
        match = f"X does not have valid feature names, but {type(learner).__name__} was fitted with"
        for method in (learner.predict, learner.predict_proba):
            with pytest.warns(UserWarning, match=match):
                method(self.ARRAY)
        with pytest.warns(UserWarning, match=match):
            assert learner.predict(self.ARRAY).tolist() == expected.tolist()

    def test_are_told_of_a_model_of_an_array(self, learner: Any) -> None:
        learner.fit(self.ARRAY, self.Y)
        match = (
            f"X has feature names, but {type(learner).__name__} was fitted without feature names"
        )
        with pytest.warns(UserWarning, match=match):
            found = learner.predict(self.FRAME)
        assert found.tolist() == learner.predict(self.ARRAY).tolist()

    def test_a_warning_points_to_the_caller(self) -> None:
        model = pt.CARTClassifier().fit(self.FRAME, self.Y)
        with pytest.warns(UserWarning, match="valid feature names") as told:
            model.predict(self.ARRAY)
        assert told[0].filename == __file__


@pytest.mark.parametrize("classes", [(1, 2**63 + 1), (-1, 2**63 + 1), (2**53, 2**53 + 1)])
def test_large_integers_are_answered_as_they_are(learner: Any, classes: tuple[int, int]) -> None:
    X, y = np.arange(12.0).reshape(-1, 1), [classes[0]] * 6 + [classes[1]] * 6
    model = learner.fit(X, y)
    assert model.classes_.tolist() == list(classes)
    assert set(model.predict(X).tolist()) == set(classes)


class TestCategories:
    Y = list("abcd") * 3

    def test_large_integers_are_told_apart(self) -> None:
        X = {"id": [2**53 + i for i in range(4)] * 3}
        model = pt.C45Classifier(categorical_features=["id"], min_samples_branch=1).fit(X, self.Y)
        assert model.predict(X).tolist() == self.Y

    def test_as_numbers_they_are_the_nearest_floats(self) -> None:
        X = {"id": [2**53 + i for i in range(4)] * 3}
        model = pt.CARTClassifier().fit(X, self.Y)
        assert model.predict({"id": [2**53, 2**53 + 1]}).tolist() == ["a", "a"]

    def test_days_are_known_again_in_moments(self) -> None:
        X = {"day": [date(2020, 1, i + 1) for i in range(4)] * 3}
        model = pt.ID3Classifier(categorical_features=["day"], unseen="error").fit(X, self.Y)
        later = pd.DataFrame({"day": [datetime(2020, 1, i + 1, 8, 30) for i in range(4)] * 3})
        assert model.predict(later).tolist() == self.Y


@pytest.mark.parametrize("ensemble", [pt.BaggedTreesClassifier, pt.BoostedTreesClassifier])
@pytest.mark.parametrize("estimator", [None, pt.C45Classifier(), 7])
def test_tags_of_an_ensemble_leave_the_check_of_its_estimator_to_fit(
    ensemble: Any, estimator: Any
) -> None:
    assert ensemble(estimator).__sklearn_tags__().input_tags.allow_nan
    refusing = ensemble(pt.CARTClassifier(missing="error"))
    assert not refusing.__sklearn_tags__().input_tags.allow_nan
