"""Choosing how many columns a node draws: where the search goes, and what it finds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer

import plaintree as pt
from plaintree.estimators.tune import MaxFeaturesTuning, search_max_features


def searched(errors: dict[int, float], n_columns: int, factor: float = 2) -> list[int]:
    """The numbers tried, in the order in which they are; those without an error given score 1."""
    tried = []

    def error_of(wanted: int) -> float:
        tried.append(wanted)
        return errors.get(wanted, 1.0)

    search_max_features(error_of, n_columns, factor)
    return tried


class TestSearch:
    def test_begins_at_the_root_and_goes_down_and_up_once_each(self) -> None:
        assert searched({8: 0.1}, 64) == [8, 4, 16]

    def test_goes_on_while_the_error_falls(self) -> None:
        assert searched({8: 0.5, 16: 0.4, 32: 0.3, 64: 0.2}, 64) == [8, 4, 16, 32, 64]
        assert searched({8: 0.5, 4: 0.4, 2: 0.3, 1: 0.2}, 64) == [8, 4, 2, 1, 16]
        assert searched({8: 0.5, 4: 0.4, 2: 0.4}, 64) == [8, 4, 2, 16]

    def test_stays_between_one_and_all_columns(self) -> None:
        assert searched({}, 1) == [1]
        assert searched({}, 2) == [1, 2]
        assert searched({1: 0.5, 2: 0.4, 3: 0.3}, 3) == [1, 2, 3]
        assert searched({5: 0.5, 10: 0.4, 20: 0.3, 30: 0.2}, 30) == [5, 2, 10, 20, 30]

    def test_small_factors_take_small_steps(self) -> None:
        assert searched({4: 0.5, 5: 0.4, 6: 0.3}, 16, 1.1) == [4, 3, 5, 6, 7]
        assert searched({4: 0.5, 3: 0.4}, 16, 1.1) == [4, 3, 2, 5]

    @given(
        n_columns=st.integers(1, 300),
        factor=st.floats(1.01, 10),
        seed=st.integers(0, 1000),
    )
    def test_tries_each_number_once_and_keeps_the_best(
        self, n_columns: int, factor: float, seed: int
    ) -> None:
        errors = np.random.default_rng(seed).random(n_columns + 1)
        tried: list[int] = []

        def error_of(wanted: int) -> float:
            tried.append(wanted)
            return float(errors[wanted])

        found = search_max_features(error_of, n_columns, factor)
        assert len(set(tried)) == len(tried)
        assert found.max_features.tolist() == sorted(tried)
        assert found.error.tolist() == errors[sorted(tried)].tolist()
        assert errors[found.best] == errors[tried].min()
        assert 1 <= found.max_features[0] <= found.max_features[-1] <= n_columns

    def test_the_smallest_of_equals_is_the_best(self) -> None:
        tuning = MaxFeaturesTuning(np.array([2, 4, 8]), np.array([0.3, 0.1, 0.1]))
        assert tuning.best == 4
        assert tuning.to_frame().to_dict(as_series=False) == {
            "max_features": [2, 4, 8],
            "oob_error": [0.3, 0.1, 0.1],
        }


@pytest.fixture(scope="module")
def table() -> tuple[np.ndarray, np.ndarray]:
    """Five columns that matter together, and twenty of noise: few columns are too few."""
    random = np.random.default_rng(0)
    X = random.normal(size=(250, 25))
    return X, (X[:, :2].sum(axis=1) > 0).astype(int)


class TestTuning:
    def test_errors_are_those_of_forests_with_these_numbers(self, table: Any) -> None:
        X, y = table
        seen: list[tuple[str, int, int | None]] = []
        forest = pt.RandomForestClassifier(40, random_state=3)
        tuning = pt.tune_max_features(forest, X, y, progress=lambda *step: seen.append(step))
        finished = {stage for stage, done, total in seen if done == total == 40}
        assert finished == {f"growing trees with max_features={n}" for n in tuning.max_features}
        for wanted, error in zip(tuning.max_features.tolist(), tuning.error.tolist(), strict=True):
            model = pt.RandomForestClassifier(
                40, max_features=wanted, random_state=3, oob_score=True
            ).fit(X, y)
            assert model.oob_error_curve_[-1] == error
        assert not hasattr(forest, "trees_")

    def test_noise_asks_for_more_columns_than_the_root(self, table: Any) -> None:
        tuning = pt.tune_max_features(pt.RandomForestClassifier(60, random_state=1), *table)
        assert tuning.best > 5

    def test_a_forest_can_choose_by_itself(self, table: Any) -> None:
        X, y = table
        model = pt.RandomForestClassifier(40, max_features="oob", random_state=3).fit(X, y)
        tuning = pt.tune_max_features(pt.RandomForestClassifier(40, random_state=3), X, y)
        assert model.tuning_.max_features.tolist() == tuning.max_features.tolist()
        assert model.tuning_.error.tolist() == tuning.error.tolist()
        assert model.max_features_ == tuning.best
        told = pt.RandomForestClassifier(40, max_features=tuning.best, random_state=3).fit(X, y)
        pairs = zip(model.trees_, told.trees_, strict=True)
        assert all(tree.difference(other) is None for tree, other in pairs)

    def test_all_numbers_have_the_same_samples_without_a_seed(self) -> None:
        """One column more than there is to draw from: all forests are the same."""
        X, y = load_breast_cancer(return_X_y=True)
        forest = pt.RandomForestClassifier(30, random_state=np.random.RandomState(0))
        tuning = pt.tune_max_features(forest, np.column_stack([X[:, 0]] * 2), y)
        assert len(tuning.error) == 2
        assert tuning.error[0] == pytest.approx(tuning.error[1], abs=0.02)
        pt.tune_max_features(pt.RandomForestClassifier(30), X[:, :2], y)

    def test_weights_count(self, table: Any) -> None:
        X, y = table
        weights = (np.arange(len(y)) % 2).astype(float)
        forest = pt.RandomForestClassifier(60, random_state=0)
        weighted = pt.tune_max_features(forest, X, y, weights)
        half = pt.tune_max_features(forest, X[1::2], y[1::2])
        assert weighted.error.tolist() == half.error.tolist()

    @pytest.mark.parametrize("factor", [1, 0, -2, "two", None])
    def test_a_factor_is_above_one(self, table: Any, factor: Any) -> None:
        with pytest.raises(pt.PlaintreeError, match=f"factor={factor!r}"):
            pt.tune_max_features(pt.RandomForestClassifier(5), *table, factor=factor)

    def test_without_rows_left_out_there_is_nothing_to_choose_by(self, table: Any) -> None:
        for told in ({"max_features": "oob"}, {"oob_score": True}):
            forest = pt.RandomForestClassifier(5, bootstrap=False, **told)
            with pytest.raises(pt.PlaintreeError, match="Out of bag estimation only available"):
                forest.fit(*table)
        with pytest.raises(pt.PlaintreeError, match="Out of bag estimation only available"):
            pt.tune_max_features(pt.RandomForestClassifier(5, bootstrap=False), *table)
