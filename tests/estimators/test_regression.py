"""Regression trees and forests as estimators: targets, tables, out-of-bag rows, quantiles."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeRegressor as TheirTree

import plaintree as pt
from plaintree.tree.conventions import Conventions
from tests.support.contract import assert_contract

Pair = tuple[Any, np.ndarray]
TREES = [pt.CARTRegressor(), pt.DecisionTreeRegressor()]
FORESTS = [pt.RandomForestRegressor(8), pt.BaggedTreesRegressor(n_estimators=8)]
EACH = pytest.mark.parametrize("learner", [*TREES, *FORESTS], ids=lambda m: type(m).__name__)
EACH_FOREST = pytest.mark.parametrize("learner", FORESTS, ids=lambda m: type(m).__name__)


@EACH
def test_scikit_learn_contract(learner: Any) -> None:
    expected = {
        "check_sample_weight_equivalence_on_dense_data": "repeated rows are drawn one by one"
    }
    assert_contract(learner, expected if learner in FORESTS else {})


@pytest.fixture(scope="module")
def numbers() -> Pair:
    random = np.random.default_rng(0)
    X = random.normal(size=(120, 4))
    return X, 3 * X[:, 0] + np.abs(X[:, 1]) + random.normal(size=120) / 4


@pytest.fixture(scope="module")
def messy() -> Pair:
    """Text, numbers and missing values."""
    random = np.random.default_rng(1)
    n = 150
    frame = pd.DataFrame(
        {
            "colour": random.choice(["red", "green", "blue", None], n),
            "size": random.normal(size=n),
            "weight": random.integers(0, 9, n),
        }
    )
    y = frame["size"] * 2 + frame["weight"] + 5.0 * (frame["colour"] == "red")
    frame.loc[random.random(n) < 0.1, "size"] = np.nan
    return frame, y.to_numpy()


def trees_of(model: Any) -> list[pt.Tree]:
    return [model.tree_] if hasattr(model, "tree_") else list(model.trees_)


def same(one: Any, other: Any) -> bool:
    pairs = zip(trees_of(one), trees_of(other), strict=True)
    return all(a.content_hash() == b.content_hash() for a, b in pairs)


class TestAll:
    @EACH
    def test_frames_of_all_libraries_give_one_model(self, learner: Any, messy: Pair) -> None:
        X, y = messy
        model = clone(learner).fit(X, y)
        polars = pl.from_pandas(X)
        assert same(model, clone(learner).fit(polars, pl.Series(y)))
        assert same(model, clone(learner).fit(polars.to_arrow(), y.tolist()))
        np.testing.assert_array_equal(model.predict(X), model.predict(polars))

    @EACH
    def test_arrays_are_read_as_frames_are(self, learner: Any, numbers: Pair) -> None:
        X, y = numbers
        model = clone(learner).fit(X, y)
        framed = clone(learner).fit(pd.DataFrame(X), y)
        np.testing.assert_array_equal(model.predict(X), framed.predict(pd.DataFrame(X)))

    @EACH
    def test_copies_predict_the_same(self, learner: Any, messy: Pair) -> None:
        X, y = messy
        model = clone(learner).fit(X, y)
        np.testing.assert_array_equal(
            pickle.loads(pickle.dumps(model)).predict(X), model.predict(X)
        )

    @EACH
    def test_threads_do_not_matter(self, learner: Any, messy: Pair) -> None:
        assert same(clone(learner).fit(*messy), clone(learner).set_params(n_jobs=2).fit(*messy))

    @pytest.mark.parametrize("learner", TREES, ids=lambda m: type(m).__name__)
    def test_a_weight_is_a_number_of_rows(self, learner: Any, messy: Pair) -> None:
        X, y = messy
        weights = np.arange(len(y)) % 3
        repeated = np.repeat(np.arange(len(y)), weights)
        weighted = clone(learner).fit(X, y, weights)
        again = clone(learner).fit(X.iloc[repeated], y[repeated])
        np.testing.assert_array_equal(weighted.predict(X), again.predict(X))

    def test_grid_search(self, numbers: Pair) -> None:
        grid = {"ccp_alpha": [0.0, 0.01], "min_samples_leaf": [1, 5]}
        search = GridSearchCV(pt.CARTRegressor(), grid, cv=3).fit(*numbers)
        assert search.best_score_ > 0.8

    def test_pruning_path_is_that_of_scikit_learn(self, numbers: Pair) -> None:
        ours = pt.CARTRegressor().cost_complexity_pruning_path(*numbers)
        theirs = TheirTree(random_state=0).cost_complexity_pruning_path(*numbers)
        np.testing.assert_allclose(ours.ccp_alphas, theirs.ccp_alphas, atol=1e-12)
        np.testing.assert_allclose(ours.impurities, theirs.impurities, atol=1e-12)

    def test_a_profile_keeps_the_criterion_of_numbers(self, numbers: Pair) -> None:
        model = pt.DecisionTreeRegressor(conventions="rpart").fit(*numbers)
        assert model.tree_.conventions.criterion == "squared_error"
        assert model.tree_.conventions.min_samples_split == 20

    def test_a_model_around_a_tree(self, numbers: Pair) -> None:
        tree = pt.CARTRegressor("poisson").fit(numbers[0], np.exp(numbers[1] / 4)).tree_
        model = pt.DecisionTreeRegressor.from_tree(tree)
        assert model._conventions() == tree.conventions


class TestForests:
    @EACH_FOREST
    def test_warnings_point_at_the_caller(self, learner: Any, messy: Pair) -> None:
        X, y = messy
        model = clone(learner).fit(X, y)
        with pytest.warns(pt.errors.UnseenCategoryWarning, match="'pink'") as caught:
            model.predict(X.assign(colour="pink"))
        assert caught[0].filename == __file__

    @EACH_FOREST
    def test_predicts_the_mean_of_its_trees(self, learner: Any, messy: Pair) -> None:
        X, y = messy
        model = clone(learner).fit(X, y)
        assert len(model) == len(model.estimators_) == 8
        mean = np.mean([member.predict(X) for member in model], axis=0)
        np.testing.assert_allclose(model.predict(X), mean)
        *_, last = model.staged_predict(X)
        np.testing.assert_allclose(last, mean)
        *_, score = model.staged_score(X, y)
        assert score == pytest.approx(model.score(X, y))
        assert model.feature_importances_.sum() == pytest.approx(1)

    @EACH_FOREST
    def test_out_of_bag_estimates(self, learner: Any, numbers: Pair) -> None:
        X, y = numbers
        model = clone(learner).set_params(n_estimators=40, oob_score=True).fit(X, y)
        sums, asked = np.zeros(len(y)), np.zeros(len(y))
        for member, sample in zip(model, model.estimators_samples_, strict=True):
            outside = np.setdiff1d(np.arange(len(y)), sample)
            sums[outside] += member.predict(X[outside])
            asked[outside] += 1
        np.testing.assert_allclose(model.oob_prediction_, sums / asked)
        assert model.oob_score_ == pytest.approx(r2_score(y, model.oob_prediction_))
        error = mean_squared_error(y, model.oob_prediction_)
        assert model.oob_error_curve_[-1] == pytest.approx(error)
        assert not hasattr(model, "oob_decision_function_")
        by_function = clone(model).set_params(oob_score=mean_absolute_error).fit(X, y)
        expected = mean_absolute_error(y, model.oob_prediction_)
        assert by_function.oob_score_ == pytest.approx(expected)

    @EACH_FOREST
    def test_permutation_importance(self, learner: Any, numbers: Pair) -> None:
        model = clone(learner).fit(*numbers)
        importance = model.oob_permutation_importance(*numbers).importances_mean
        assert importance.argmax() == 0

    @EACH_FOREST
    def test_warm_start_adds_trees(self, learner: Any, numbers: Pair) -> None:
        model = clone(learner).set_params(n_estimators=3, warm_start=True, keep_targets=True)
        model.fit(*numbers).set_params(n_estimators=8).fit(*numbers)
        assert same(model, clone(learner).fit(*numbers))
        assert model.predict(numbers[0], quantiles=[0.5]).shape == (120, 1)

    def test_features_of_each_tree(self, numbers: Pair) -> None:
        model = pt.BaggedTreesRegressor(n_estimators=5, max_features=2).fit(*numbers)
        for tree, drawn in zip(model.trees_, model.estimators_features_, strict=True):
            assert tree.used_columns() <= set(drawn.tolist())

    def test_tuning(self, numbers: Pair) -> None:
        tuning = pt.tune_max_features(pt.RandomForestRegressor(20), *numbers)
        model = pt.RandomForestRegressor(20, max_features="oob").fit(*numbers)
        assert model.max_features_ == tuning.best
        assert model.tuning_.error.tolist() == tuning.error.tolist()


class TestQuantiles:
    @EACH_FOREST
    def test_weights_of_the_training_rows_give_the_mean(self, learner: Any, messy: Pair) -> None:
        X, y = messy
        weights = (np.arange(len(y)) % 3).astype(float)
        model = clone(learner).set_params(keep_targets=True).fit(X, y, weights)
        kept, nodes = model._leaf_targets, model.apply(X)
        by_tree = [kept.weights[nodes[:, t] + kept.begins[t]] @ kept.targets for t in range(8)]
        np.testing.assert_allclose(np.mean(by_tree, axis=0), model.predict(X))

    def test_equal_the_definition(self, numbers: Pair) -> None:
        X, y = numbers
        model = pt.RandomForestRegressor(6, min_samples_leaf=5, keep_targets=True).fit(X, y)
        weights = np.zeros((len(y), len(y)))
        training = model.apply(X)
        for tree, sample in enumerate(model.estimators_samples_):
            for row, leaf in enumerate(training[:, tree]):
                inside = sample[training[sample, tree] == leaf]
                np.add.at(weights[row], inside, 1 / len(inside) / 6)
        order = np.argsort(y)
        sums = weights[:, order].cumsum(axis=1)
        for level in (0.1, 0.5, 0.9):
            expected = y[order][(sums >= level - 1e-9).argmax(axis=1)]
            np.testing.assert_array_equal(model.predict(X, quantiles=level), expected)

    def test_are_training_targets_in_order(self, numbers: Pair) -> None:
        X, y = numbers
        model = pt.RandomForestRegressor(20, keep_targets=True, min_samples_leaf=5).fit(X, y)
        found = model.predict(X, quantiles=[0, 0.1, 0.5, 0.9, 1])
        assert found.shape == (120, 5)
        assert np.isin(found, y).all()
        assert (np.diff(found, axis=1) >= 0).all()
        twin = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(twin.predict(X, quantiles=[0.5]), found[:, [2]])

    def test_need_the_targets(self, numbers: Pair) -> None:
        with pytest.raises(pt.PlaintreeError, match="fit it with keep_targets=True"):
            pt.RandomForestRegressor(2).fit(*numbers).predict(numbers[0], quantiles=[0.5])

    @pytest.mark.parametrize("quantiles", [[], [1.5], -1, ["half"], [None]])
    def test_levels_are_from_0_to_1(self, numbers: Pair, quantiles: Any) -> None:
        model = pt.RandomForestRegressor(2, keep_targets=True).fit(*numbers)
        with pytest.raises(pt.PlaintreeError, match="quantiles"):
            model.predict(numbers[0], quantiles=quantiles)

    @pytest.mark.parametrize("policy", [{"missing": "fractional"}, {"unseen": "stop"}])
    def test_need_one_leaf_for_each_row(self, numbers: Pair, policy: dict[str, Any]) -> None:
        forest = pt.RandomForestRegressor(2, keep_targets=True, **policy)
        with pytest.raises(pt.PlaintreeError, match="every row ends in one leaf"):
            forest.fit(*numbers)


class TestBadInput:
    @EACH
    @pytest.mark.parametrize("wrong", [np.nan, np.inf])
    def test_missing_or_infinite_target(self, learner: Any, numbers: Pair, wrong: float) -> None:
        X, y = numbers
        with pytest.raises(pt.PlaintreeError, match=f"missing or infinite.*{wrong} in row 4"):
            clone(learner).fit(X, np.where(np.arange(len(y)) == 3, wrong, y))

    @EACH
    def test_text_target(self, learner: Any, numbers: Pair) -> None:
        with pytest.raises(pt.PlaintreeError, match=r"not numeric.*Hint: use a classifier"):
            clone(learner).fit(numbers[0], ["a", "b"] * 60)

    def test_targets_that_are_no_single_numbers_are_named(self, numbers: Pair) -> None:
        X = numbers[0]
        with pytest.raises(pt.PlaintreeError, match=r"not numeric.*Got a boolean column"):
            pt.CARTRegressor().fit(X, [True, False] * 60)
        with pytest.raises(pt.PlaintreeError, match=r"one class or number per row.*shape"):
            pt.CARTRegressor().fit(X, np.ones((120, 2)))

    @pytest.mark.parametrize("learner", [pt.CARTClassifier(), pt.RandomForestClassifier(2)])
    def test_continuous_target_of_a_classifier(self, learner: Any, numbers: Pair) -> None:
        with pytest.raises(pt.PlaintreeError, match=r"continuous.*Hint: use CARTRegressor"):
            clone(learner).fit(*numbers)

    @pytest.mark.parametrize("wrong", [-1.0, 0.0])
    @pytest.mark.parametrize("learner", [pt.CARTRegressor, pt.RandomForestRegressor])
    def test_targets_of_poisson(self, learner: Any, numbers: Pair, wrong: float) -> None:
        with pytest.raises(pt.PlaintreeError, match=r"poisson.* needs targets from 0 upwards"):
            learner(criterion="poisson").fit(numbers[0], np.full(120, wrong))

    @pytest.mark.parametrize("criterion", ["gini", "entropy", "mse", None])
    @pytest.mark.parametrize(
        "learner", [pt.CARTRegressor, pt.DecisionTreeRegressor, pt.RandomForestRegressor]
    )
    def test_criteria_of_classes(self, learner: Any, numbers: Pair, criterion: Any) -> None:
        with pytest.raises(pt.PlaintreeError, match=r"criterion has a value .*squared_error"):
            learner(criterion=criterion).fit(*numbers)

    @pytest.mark.parametrize("learner", [pt.DecisionTreeClassifier, pt.RandomForestClassifier])
    def test_criteria_of_numbers(self, learner: Any, numbers: Pair) -> None:
        with pytest.raises(pt.PlaintreeError, match="criterion is for numeric targets"):
            learner(criterion="squared_error").fit(numbers[0], numbers[1] > 0)

    @pytest.mark.parametrize("learner", [pt.DecisionTreeRegressor, pt.RandomForestRegressor])
    def test_conventions_that_need_classes(self, learner: Any, numbers: Pair) -> None:
        with pytest.raises(pt.PlaintreeError, match="needs classes"):
            learner(conventions="c4.5r8").fit(*numbers)

    @pytest.mark.parametrize(
        "own",
        [
            {"collapse": True},
            {"significance": 0.05},
            {"threshold_choice": "gain"},
            {"threshold_penalty": True},
            {"average_gain": True},
            {"numeric_branch_fraction": 0.1},
            {"missing": "most_common_in_class"},
        ],
    )
    def test_each_convention_that_needs_classes(self, numbers: Pair, own: dict[str, Any]) -> None:
        learner = pt.DecisionTreeRegressor(conventions=Conventions(**own))
        with pytest.raises(pt.PlaintreeError, match=f"{next(iter(own))} needs classes"):
            learner.fit(*numbers)

    @pytest.mark.parametrize("learner", [pt.DecisionTreeRegressor, pt.RandomForestRegressor])
    def test_criteria_of_conventions(self, learner: Any, numbers: Pair) -> None:
        with pytest.raises(pt.PlaintreeError, match="criterion='gini'"):
            learner(conventions="rpart", criterion="conventions").fit(*numbers)

    def test_estimators_of_the_other_task(self, numbers: Pair) -> None:
        with pytest.raises(pt.PlaintreeError, match=r"does not predict numbers.*CARTRegressor"):
            pt.BaggedTreesRegressor(pt.CARTClassifier()).fit(*numbers)
        with pytest.raises(pt.PlaintreeError, match=r"does not predict classes.*CARTClassifier"):
            pt.BaggedTreesClassifier(pt.CARTRegressor()).fit(numbers[0], numbers[1] > 0)
        with pytest.raises(pt.PlaintreeError, match=r"does not predict classes.*CARTClassifier"):
            pt.BoostedTreesClassifier(pt.CARTRegressor()).fit(numbers[0], numbers[1] > 0)


@pytest.mark.parametrize("model", [pt.CARTRegressor, pt.DecisionTreeRegressor])
def test_the_former_name_of_squared_error_is_deprecated(model: Any) -> None:
    X, y = [[1], [2], [3]], [1.0, 2.0, 4.0]
    with pytest.warns(FutureWarning, match='criterion="friedman_mse" is deprecated'):
        fitted = model(criterion="friedman_mse").fit(X, y)
    assert fitted.tree_.conventions.criterion == "squared_error"


def test_a_limit_of_leaves_beyond_32_bits_is_no_limit() -> None:
    assert (
        pt.CARTRegressor(max_leaf_nodes=2**40).fit([[1], [2], [3]], [1, 2, 4]).tree_.n_leaves == 3
    )
