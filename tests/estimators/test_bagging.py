"""Bagged trees on samples of the features, and forests that balance the classes of each sample."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import RandomForestClassifier as TheirForest
from sklearn.linear_model import LogisticRegression
from sklearn.utils.class_weight import compute_sample_weight

import plaintree as pt
from plaintree.data.rows import Rows
from plaintree.estimators.boost import BoostedTreesClassifier
from plaintree.estimators.class_weight import balanced_in_sample
from plaintree.growing.each_tree import Part
from plaintree.tree.tree import Tree
from tests.support.contract import assert_contract

BAGGED = pt.BaggedTreesClassifier


@pytest.fixture(scope="module")
def mixed() -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers, categories, missing values, and classes of 70, 20 and 10 percent."""
    random = np.random.default_rng(1)
    n = 200
    frame = pd.DataFrame(random.normal(size=(n, 4)), columns=[*"abcd"])
    frame["e"] = random.choice(["red", "green", "blue", None], n)
    frame.loc[random.random(n) < 0.1, "b"] = np.nan
    y = np.where(
        frame["a"] > 1.3, "rare", np.where(frame["c"] + (frame["e"] == "red") > 1, "s", "l")
    )
    return frame, y


def same(one: Any, other: Any) -> bool:
    """Whether two fitted ensembles have the same trees."""
    pairs = zip(one.trees_, other.trees_, strict=True)
    return all(a.difference(b) is None for a, b in pairs)


def grown_alone(tree: pt.CARTClassifier, X: Any, y: Any, rows: Any, features: Any) -> Tree:
    """The tree of a sample of rows and features, in the numbers of the whole table."""
    times = np.bincount(rows, minlength=len(y)).astype(float)
    return clone(tree).fit(X.iloc[:, features], y, times).tree_


class TestFeatures:
    @pytest.mark.parametrize(("max_features", "n"), [(1, 1), (3, 3), (0.5, 2), (0.01, 1), (5, 5)])
    @pytest.mark.parametrize("again", [False, True])
    def test_each_tree_draws_so_many(self, mixed: Any, max_features: Any, n: int, again: bool):
        model = BAGGED(None, 20, max_features=max_features, bootstrap_features=again).fit(*mixed)
        drawn = model.estimators_features_
        assert [len(features) for features in drawn] == [n] * 20
        assert any(len(set(features)) < n for features in drawn) == (again and n > 1)
        for tree, features in zip(model.trees_, drawn, strict=True):
            assert tree.used_columns() <= set(features.tolist())
            assert tree.schema == model.schema_
        assert len(set().union(*map(tuple, drawn))) == 5  # every feature has its turn

    def test_each_tree_is_that_of_its_sample_alone(self, mixed: Any) -> None:
        X, y = mixed
        tree = pt.CARTClassifier(max_depth=4)
        model = BAGGED(tree, 8, max_features=3, max_samples=0.7, random_state=4).fit(X, y)
        samples = zip(model.estimators_samples_, model.estimators_features_, strict=True)
        for grown, (rows, features) in zip(model.trees_, samples, strict=True):
            expected = grown_alone(tree, X, y, rows, features)
            np.testing.assert_array_equal(grown.threshold, expected.threshold)
            np.testing.assert_array_equal(grown.class_weights, expected.class_weights)
            names = [[node.feature for node in each.walk()] for each in (grown, expected)]
            assert names[0] == names[1]

    def test_all_features_are_the_default(self, mixed: Any) -> None:
        default = BAGGED(None, 4).fit(*mixed)
        assert same(default, BAGGED(None, 4, max_features=5).fit(*mixed))
        assert [features.tolist() for features in default.estimators_features_] == [[*range(5)]] * 4

    def test_growing_tree_by_tree_changes_nothing(self, mixed: Any, monkeypatch: Any) -> None:
        model = BAGGED(pt.CARTClassifier(max_features=2), 6, random_state=0)
        at_once = clone(model).fit(*mixed)
        monkeypatch.setattr(
            BAGGED, "_part_of", lambda _, rows, *__: lambda ___: Part(np.arange(5), rows.weights)
        )
        assert same(at_once, clone(model).fit(*mixed))

    @pytest.mark.parametrize("n_jobs", [1, 2])
    def test_threads_change_nothing(self, mixed: Any, n_jobs: int) -> None:
        model = BAGGED(None, 6, max_features=2, oob_score=True)
        model.set_params(n_estimators=40)
        assert same(clone(model).fit(*mixed), clone(model).set_params(n_jobs=n_jobs).fit(*mixed))

    def test_further_trees_are_those_of_a_larger_ensemble(self, mixed: Any) -> None:
        model = BAGGED(None, 3, max_features=2, warm_start=True).fit(*mixed)
        model.set_params(n_estimators=7).fit(*mixed)
        assert same(model, BAGGED(None, 7, max_features=2).fit(*mixed))
        assert len(model.estimators_features_) == 7

    def test_progress_counts_trees(self, mixed: Any) -> None:
        seen: list[tuple[str, int, int]] = []
        BAGGED(None, 4, max_features=2).fit(*mixed, progress=lambda *step: seen.append(step))
        assert seen == [("growing trees", done, 4) for done in (1, 2, 3, 4)]

    def test_a_saved_model_predicts_alike_and_has_no_samples(self, mixed: Any, tmp_path: Any):
        X, y = mixed
        model = BAGGED(None, 5, max_features=2, bootstrap_features=True).fit(X, y)
        pt.save(model, tmp_path / "bagged.model")
        again = pt.load(tmp_path / "bagged.model")
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
        assert again.get_params()["bootstrap_features"] is True
        with pytest.raises(pt.PlaintreeError, match="samples are known only to a forest"):
            again.estimators_features_  # noqa: B018

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"max_features": 0}, "max_features=0"),
            ({"max_features": 6}, "max_features=6"),
            ({"max_features": 1.5}, "max_features=1.5"),
            ({"max_features": "many"}, "max_features='many'"),
            ({"bootstrap_features": "yes"}, "bootstrap_features='yes'"),
        ],
    )
    def test_other_values_are_refused(self, mixed: Any, given: Any, message: str) -> None:
        with pytest.raises(pt.PlaintreeError, match=message):
            BAGGED(None, 2, **given).fit(*mixed)

    @pytest.mark.slow
    def test_scikit_learn_contract(self) -> None:
        model = BAGGED(None, 20, max_features=0.5, bootstrap_features=True, random_state=0)
        failing = {
            "check_sample_weight_equivalence_on_dense_data": "repeated rows are drawn one by one"
        }
        assert_contract(model, failing)


class TestForeignEstimators:
    @pytest.mark.parametrize(
        ("learner", "theirs"),
        [(BAGGED, "BaggingClassifier"), (BoostedTreesClassifier, "AdaBoostClassifier")],
    )
    def test_are_refused_with_what_takes_them(self, learner: Any, theirs: str) -> None:
        message = f"LogisticRegression.*Hint: .*sklearn.ensemble.{theirs}"
        with pytest.raises(TypeError, match=message):
            learner(LogisticRegression()).fit([[1], [2]], [0, 1])


class TestBalancedSubsample:
    def test_weights_are_those_of_scikit_learn(self, mixed: Any) -> None:
        X, y = mixed
        model = pt.RandomForestClassifier(6, class_weight="balanced_subsample").fit(X, y)
        for tree, rows in zip(model.trees_, model.estimators_samples_, strict=True):
            weights = compute_sample_weight("balanced", y, indices=rows)
            times = np.bincount(rows, minlength=len(y))
            expected = [(weights * times)[y == label].sum() for label in model.classes_]
            np.testing.assert_allclose(tree.class_weights[0], expected)

    def test_classes_that_are_not_drawn_keep_their_rows(self) -> None:
        X, y = make_classification(40, weights=[0.95], flip_y=0, random_state=0)
        y[0] = 2
        forest = pt.RandomForestClassifier(
            30, max_samples=3, class_weight="balanced_subsample", oob_score=True
        ).fit(X, y)
        assert {len(rows) for rows in forest.estimators_samples_} == {3}
        assert not np.isnan(forest.oob_decision_function_).any()

    def test_without_chance_it_is_balanced(self, mixed: Any) -> None:
        whole = {"bootstrap": False, "max_features": None, "n_estimators": 2}
        sampled = pt.RandomForestClassifier(class_weight="balanced_subsample", **whole).fit(*mixed)
        balanced = pt.RandomForestClassifier(class_weight="balanced", **whole).fit(*mixed)
        assert [
            tree.difference(other, tolerance=1e-9)
            for tree, other in zip(sampled.trees_, balanced.trees_, strict=True)
        ] == [None, None]

    def test_rows_without_weight_are_not_counted(self) -> None:
        X, y = load_iris(return_X_y=True)
        weights = (np.arange(150) % 2).astype(float)
        forest = pt.RandomForestClassifier(4, class_weight="balanced_subsample")
        part = clone(forest).fit(X[1::2], y[1::2])
        assert same(forest.fit(X, y, weights), part)

    def test_it_finds_rare_classes_as_scikit_learn_does(self) -> None:
        X, y = make_classification(600, n_features=8, weights=[0.9], flip_y=0.1, random_state=3)
        recalls = []
        for forest in (pt.RandomForestClassifier, TheirForest):
            model = forest(60, max_depth=3, class_weight="balanced_subsample", random_state=0).fit(
                X[:300], y[:300]
            )
            recalls.append((model.predict(X[300:]) == 1)[y[300:] == 1].mean())
        assert recalls[0] == pytest.approx(recalls[1], abs=0.1)

    def test_other_words_are_refused_and_the_hint_has_it(self, mixed: Any) -> None:
        with pytest.raises(pt.PlaintreeError, match=r"'balanced', 'balanced_subsample'"):
            pt.RandomForestClassifier(2, class_weight="even").fit(*mixed)
        with pytest.raises(pt.PlaintreeError, match=r"use one of None, 'balanced', \{"):
            pt.CARTClassifier(class_weight="balanced_subsample").fit(*mixed)

    def test_draws_count_and_weights_multiply(self) -> None:
        rows = Rows([], np.array([0, 0, 1], np.int32), np.array([2.0, 0.0, 3.0]))
        assert balanced_in_sample(rows, np.array([3, 1], np.uint32)).tolist() == [
            2 * (2 / 3),
            0.0,
            3 * 2.0,
        ]


class TestMembers:
    def test_of_bagging_are_its_estimator(self, mixed: Any) -> None:
        model = BAGGED(pt.CARTClassifier(max_depth=3, missing="fractional"), 3).fit(*mixed)
        assert repr(model.estimator_) == repr(model.estimator)
        for member, tree in zip(model, model.trees_, strict=True):
            assert member.get_params() == model.estimator.get_params()
            assert member.tree_.difference(tree) is None
            assert member.score(*mixed) > 0.5

    def test_of_a_forest_have_its_parameters(self, mixed: Any) -> None:
        given: dict[str, Any] = {"min_impurity_decrease": 0.01, "criterion": "entropy"}
        forest = pt.RandomForestClassifier(3, max_features=2, **given).fit(*mixed)
        for member in forest.estimators_:
            assert {name: getattr(member, name) for name in given} == given
            assert member.max_features_ == forest.max_features_ == 2
            assert member._conventions() == member.tree_.conventions

    @pytest.mark.parametrize("max_features", [None, 1])
    def test_of_boosting_have_seeds_of_their_own(self, mixed: Any, max_features: Any) -> None:
        estimator = pt.CARTClassifier(max_depth=2, max_features=max_features)
        model = pt.BoostedTreesClassifier(estimator, n_estimators=4).fit(*mixed)
        seeds = {member.random_state for member in model}
        assert len(seeds) == len(model) > 1
        first = clone(model[0]).fit(*mixed)
        assert first.tree_.difference(model.trees_[0]) is None

    def test_follow_the_trees_where_parameters_were_changed(self, mixed: Any) -> None:
        forest = pt.RandomForestClassifier(2, max_depth=2).fit(*mixed)
        forest.set_params(max_depth=7)
        assert forest[0].tree_.conventions.max_depth == 2
        assert forest[0]._conventions().max_depth == 2

    @pytest.mark.parametrize(
        "estimator", [pt.MemorizingTreeClassifier(), pt.C45RulesClassifier()], ids=repr
    )
    def test_estimators_that_grow_otherwise_are_refused(self, mixed: Any, estimator: Any) -> None:
        with pytest.raises(pt.PlaintreeError, match="more than grow a tree from its parameters"):
            BAGGED(estimator, 2).fit(*mixed)

    def test_tags_about_missing_values_are_those_of_the_estimator(self) -> None:
        for estimator, expected in [
            (None, True),
            (pt.CARTClassifier(missing="error"), False),
            (LogisticRegression(), False),
            ("cart", True),  # refused by fit, not by its tags
        ]:
            for learner in (BAGGED, pt.BoostedTreesClassifier):
                tags = learner(estimator).__sklearn_tags__()
                assert tags.input_tags.allow_nan is expected


class TestCostComplexity:
    @pytest.mark.parametrize("alpha", [0.005, 0.02, 1.0])
    def test_each_tree_is_pruned_as_a_single_one(self, mixed: Any, alpha: float) -> None:
        X, y = mixed
        forests = (
            pt.RandomForestClassifier(4, max_features=None, ccp_alpha=alpha),
            BAGGED(pt.CARTClassifier(ccp_alpha=alpha), 4),
        )
        for forest in forests:
            forest.fit(X, y)
            for tree, rows in zip(forest.trees_, forest.estimators_samples_, strict=True):
                times = np.bincount(rows, minlength=len(y)).astype(float)
                expected = pt.CARTClassifier(ccp_alpha=alpha).fit(X, y, times).tree_
                assert tree.difference(expected) is None

    def test_alpha_of_zero_changes_nothing(self, mixed: Any) -> None:
        plain = pt.RandomForestClassifier(3).fit(*mixed)
        assert same(plain, pt.RandomForestClassifier(3, ccp_alpha=0).fit(*mixed))

    @pytest.mark.parametrize("alpha", [-1, "much", np.nan])
    def test_other_values_are_refused(self, mixed: Any, alpha: Any) -> None:
        for model in (
            pt.RandomForestClassifier(2, ccp_alpha=alpha),
            BAGGED(pt.CARTClassifier(ccp_alpha=alpha), 2),
        ):
            with pytest.raises(pt.PlaintreeError, match="ccp_alpha is out of range"):
                model.fit(*mixed)
