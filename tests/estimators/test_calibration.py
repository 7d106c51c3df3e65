"""Shares of classes made honest by scikit-learn's calibration, on tables with text and gaps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import brier_score_loss
from sklearn.model_selection import train_test_split

import plaintree as pt

LEARNERS = [
    pt.C45Classifier(),
    pt.C45RulesClassifier(),
    pt.RandomForestClassifier(20, random_state=0),
    pt.BaggedTreesClassifier(n_estimators=20, random_state=0),
    pt.BoostedTreesClassifier(n_estimators=15),
]
EACH = pytest.mark.parametrize("learner", LEARNERS, ids=lambda m: type(m).__name__)
METHODS = pytest.mark.parametrize("method", ["sigmoid", "isotonic"])


def table(n: int, n_classes: int = 2, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Text, numbers and gaps; what class a row is of is more or less likely, never sure."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "colour": random.choice(["red", "green", "blue", None], n),
            "size": random.normal(size=n),
            "kind": pd.Categorical(random.choice(["a", "b", "c"], n)),
        }
    )
    score = frame["size"] + (frame["colour"] == "red") + random.logistic(size=n)
    frame.loc[random.random(n) < 0.1, "size"] = np.nan
    borders = np.quantile(score, np.arange(1, n_classes) / n_classes)
    names = np.array(["low", "high", "middle"][:n_classes])
    return frame, names[np.searchsorted(borders, score)]


@EACH
@METHODS
@pytest.mark.parametrize("n_classes", [2, 3])
def test_frames_of_text_and_gaps_are_calibrated(learner: Any, method: Any, n_classes: int) -> None:
    X, y = table(240, n_classes)
    calibrated = CalibratedClassifierCV(learner, method=method, cv=3).fit(X, y)
    shares = calibrated.predict_proba(X)
    assert shares.shape == (240, n_classes)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert calibrated.classes_.tolist() == sorted(set(y))
    assert np.mean(calibrated.predict(X) == y) > 1.2 / n_classes


@METHODS
@pytest.mark.parametrize(
    "learner",
    [pt.CARTClassifier(), pt.RandomForestClassifier(30, random_state=0)],
    ids=lambda m: type(m).__name__,
)
def test_calibrated_shares_are_nearer_to_the_truth(learner: Any, method: Any) -> None:
    X, y = table(1500)
    X, new, y, truth = train_test_split(X, y, random_state=0)
    plain = learner.fit(X, y).predict_proba(new)[:, 0]
    calibrated = CalibratedClassifierCV(learner, method=method, cv=4).fit(X, y)
    fair = calibrated.predict_proba(new)[:, 0]
    assert brier_score_loss(truth == "high", fair) < brier_score_loss(truth == "high", plain)


@METHODS
def test_a_fitted_forest_is_calibrated_on_other_rows(method: Any) -> None:
    X, y = table(600)
    forest = pt.RandomForestClassifier(20, random_state=0).fit(X[:400], y[:400])
    calibrated = CalibratedClassifierCV(FrozenEstimator(forest), method=method)
    shares = calibrated.fit(X[400:], y[400:]).predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)


def test_polars_frames_and_weights_are_calibrated() -> None:
    X, y = table(240)
    X = X.assign(kind=X["kind"].astype(str))
    weights = np.random.default_rng(0).random(240) + 0.5
    forest = pt.RandomForestClassifier(10, random_state=0)
    shares = [
        CalibratedClassifierCV(forest, cv=3).fit(frame, y, weights).predict_proba(frame)
        for frame in (X, pl.from_pandas(X))
    ]
    np.testing.assert_array_equal(*shares)
