"""Random forests and bagged trees as estimators: chance, votes, out-of-bag estimates, bad input."""

from __future__ import annotations

import itertools
import pickle
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.metrics import f1_score
from sklearn.model_selection import GridSearchCV, cross_val_score

import plaintree as pt
from plaintree.estimators.max_features import features_of, sampled_per_node
from plaintree.tree.forest import Sampling
from plaintree.tree.predict import class_shares
from tests.oracle.naive_forest import times_drawn
from tests.support.contract import assert_contract
from tests.support.reference_tables import folds, golden, load, needs_shared

Pair = tuple[Any, np.ndarray]
FOREST = pt.RandomForestClassifier


def BAGGED(n_estimators: int = 10, **parameters: Any) -> pt.BaggedTreesClassifier:
    """Bagged trees; parameters that bagging does not have are those of the trees."""
    own = signature(pt.BaggedTreesClassifier).parameters
    tree = {name: parameters.pop(name) for name in [*parameters] if name not in own}
    return pt.BaggedTreesClassifier(pt.DecisionTreeClassifier(**tree), n_estimators, **parameters)


EACH = pytest.mark.parametrize("learner", [FOREST, BAGGED])


def expected_failures(estimator: Any) -> dict[str, str]:
    found = {
        "check_sample_weight_equivalence_on_dense_data": "repeated rows are drawn one by one",
    }
    if getattr(estimator, "missing", None) == "error":
        found["check_estimators_nan_inf"] = "infinities are ordinary extremes, not an error"
    return found


@pytest.mark.parametrize(
    "estimator",
    [
        FOREST(5, random_state=0),
        FOREST(3, random_state=0, voting="soft", missing="error", max_samples=0.9),
        BAGGED(4, random_state=0),
    ],
    ids=str,
)
def test_scikit_learn_contract(estimator: Any) -> None:
    assert_contract(estimator, expected_failures(estimator))


@pytest.fixture(scope="module")
def messy() -> Pair:
    """Text, numbers, gaps, three classes, and noise."""
    random = np.random.default_rng(0)
    n = 240
    frame = pd.DataFrame(
        {
            "colour": random.choice(["red", "green", "blue", None], n),
            "size": random.normal(size=n),
            "member": random.choice([True, False], n),
            "weight": random.integers(0, 9, n),
        }
    )
    wants = np.where(frame["size"] + frame["weight"] / 4 > 1, "buys", "passes")
    wants[(frame["colour"] == "red").to_numpy() & (random.random(n) < 0.7)] = "asks"
    frame.loc[random.random(n) < 0.1, "size"] = np.nan
    return frame, wants


def same(one: Any, other: Any) -> bool:
    """Whether two fitted forests have the same trees."""
    pairs = zip(one.trees_, other.trees_, strict=True)
    return all(a.difference(b) is None for a, b in pairs)


def sampling_of(model: Any, n_rows: int) -> Sampling:
    """The sampling of a forest with a seed and bootstrap, as its parameters say."""
    seed = int(np.random.RandomState(model.random_state).randint(2**31 - 1))
    return Sampling("with_replacement", n_rows, seed)


# -------------------------------------------------------------------- the trees


class TestTrees:
    def test_each_is_grown_on_its_own_sample(self, messy: Pair) -> None:
        X, y = messy
        model = BAGGED(6, random_state=3).fit(X, y)
        for number, tree in enumerate(model.trees_):
            times = times_drawn(sampling_of(model, len(y)), number, len(y))
            assert tree.difference(pt.CARTClassifier().fit(X, y, times).tree_) is None

    def test_a_forest_that_draws_all_columns_is_bagging(self, messy: Pair) -> None:
        X, y = messy
        bagged = BAGGED(5, random_state=1).fit(X, y)
        for all_columns in (None, 4, 1.0):
            forest = FOREST(5, max_features=all_columns, random_state=1).fit(X, y)
            assert forest.max_features_ == 4
            assert same(forest, bagged)
        assert not same(FOREST(5, random_state=1).fit(X, y), bagged)

    def test_without_samples_and_draws_every_tree_is_the_single_one(self, messy: Pair) -> None:
        X, y = messy
        expected = pt.CARTClassifier(max_depth=3).fit(X, y).tree_
        model = BAGGED(3, bootstrap=False, max_depth=3).fit(X, y)
        assert all(tree.difference(expected) is None for tree in model.trees_)

    @pytest.mark.parametrize(
        ("told", "conventions"),
        [
            ({"criterion": "gain_ratio", "categorical": "multiway"}, {}),
            ({"missing": "fractional", "unseen": "stop", "min_score": 0.01}, {}),
            ({"conventions": "c4.5r8"}, {"criterion": "gain_ratio", "collapse": True}),
            ({"conventions": "id3", "max_depth": 2}, {"criterion": "information_gain"}),
        ],
        ids=str,
    )
    def test_can_be_of_any_kind(self, messy: Pair, told: Any, conventions: Any) -> None:
        X, y = messy
        tree = FOREST(2, random_state=0, **told).fit(X, y).trees_[1]
        own = {name: value for name, value in told.items() if name != "conventions"}
        for name, value in (own | conventions).items():
            assert getattr(tree.conventions, name) == value
        tree.validate()

    def test_are_read_like_any_other(self, messy: Pair) -> None:
        X, y = messy
        model = FOREST(3, random_state=0, max_depth=2).fit(X, y)
        tree = model.trees_[0]
        assert pt.export_text(tree) == str(tree)
        assert len(pt.rules_of(tree)) == tree.n_leaves
        assert pt.prune(tree, "cost_complexity", alpha=1.0).size == 0
        nodes = model.apply(X)
        assert nodes.shape == (len(X), 3)
        assert set(nodes[:, 0]) <= set(np.flatnonzero(tree.n_children == 0))

    @EACH
    def test_do_not_depend_on_threads_or_on_when_they_are_grown(self, learner: Any) -> None:
        random = np.random.default_rng(0)
        X = random.normal(size=(800, 6))
        y = (X[:, 0] * X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
        model = learner(25, random_state=5, oob_score=True)

        def fitted(n_jobs: int) -> Any:
            return clone(model).set_params(n_jobs=n_jobs).fit(X, y)

        expected = fitted(1)
        with ThreadPoolExecutor(4) as pool:
            others = list(pool.map(fitted, [1, 2, 3, 50, 2, 1]))
        for other in others:
            assert same(expected, other)
            np.testing.assert_array_equal(expected.oob_error_curve_, other.oob_error_curve_)
            np.testing.assert_array_equal(expected.predict_proba(X), other.predict_proba(X))

    def test_are_the_first_ones_of_a_larger_forest(self, messy: Pair) -> None:
        few, many = (FOREST(n, random_state=0).fit(*messy) for n in (3, 7))
        assert all(a.difference(b) is None for a, b in zip(few.trees_, many.trees_, strict=False))

    def test_depend_on_the_seed(self, messy: Pair) -> None:
        first, again, other = (FOREST(3, random_state=s).fit(*messy) for s in (1, 1, 2))
        assert same(first, again)
        assert not same(first, other)
        generator = np.random.RandomState(0)
        one, two = (FOREST(3, random_state=generator).fit(*messy) for _ in range(2))
        assert not same(one, two)


# -------------------------------------------------------------------- rows and weights


class TestSamples:
    @pytest.mark.parametrize(
        ("bootstrap", "max_samples", "expected"),
        [
            (True, 0.5, 120),
            (True, 30, 30),
            (True, 1.5, 360),
            (True, 1000, 1000),
            (False, 0.25, 60),
            (False, 0.999, 239),
            (False, 17, 17),
            (True, None, 240),
        ],
    )
    def test_have_the_size_asked_for(
        self, messy: Pair, bootstrap: bool, max_samples: Any, expected: int
    ) -> None:
        model = BAGGED(3, bootstrap=bootstrap, max_samples=max_samples, random_state=1).fit(*messy)
        for tree in model.trees_:
            assert tree.weight[0] == expected
            assert (tree.n_rows[0] == expected) == (not bootstrap)

    def test_weights_multiply_with_the_draws(self, messy: Pair) -> None:
        X, y = messy
        weights = np.random.default_rng(0).integers(1, 5, len(y)).astype(float)
        model = BAGGED(3, random_state=2).fit(X, y, weights)
        for number, tree in enumerate(model.trees_):
            times = times_drawn(sampling_of(model, len(y)), number, len(y))
            expected = pt.CARTClassifier().fit(X, y, weights * times).tree_
            assert tree.difference(expected) is None

    @EACH
    def test_rows_without_weight_are_as_if_they_were_not_there(
        self, messy: Pair, learner: Any
    ) -> None:
        X, y = messy
        weights = np.where(np.arange(len(y)) % 3 == 0, 0.0, 1.0)
        model = learner(4, random_state=0, oob_score=True)
        with pytest.warns(UserWarning, match=r"of 160 rows were in the sample of every tree"):
            left_out = clone(model).fit(X, y, weights)
        with pytest.warns(UserWarning, match=r"of 160 rows were in the sample of every tree"):
            absent = clone(model).fit(X[weights > 0], y[weights > 0])
        assert same(left_out, absent)
        assert left_out.oob_score_ == absent.oob_score_
        assert np.isnan(left_out.oob_decision_function_[weights == 0]).all()

    def test_class_weights_are_weights_of_rows(self, messy: Pair) -> None:
        X, y = messy
        given = {"asks": 3.0, "buys": 0.5}
        by_class = FOREST(3, class_weight=given, random_state=0).fit(X, y)
        by_row = FOREST(3, random_state=0).fit(X, y, [given.get(label, 1.0) for label in y])
        assert same(by_class, by_row)
        plain = np.arange(1.0, len(y) + 1)
        both = FOREST(3, class_weight=given, random_state=0).fit(X, y, plain)
        product = plain * [given.get(label, 1.0) for label in y]
        assert same(both, FOREST(3, random_state=0).fit(X, y, product))

    def test_balanced_classes_weigh_the_same(self, messy: Pair) -> None:
        X, y = messy
        model = FOREST(3, class_weight="balanced", random_state=0, bootstrap=False).fit(X, y)
        weights = model.trees_[0].class_weights[0]
        np.testing.assert_allclose(weights, len(y) / 3)
        rare = np.array([0] * 95 + [1] * 5)
        X = np.random.default_rng(0).normal(size=(100, 2))
        X[:95, 0] -= 1
        plain, fair = (
            FOREST(60, class_weight=w, random_state=0, min_samples_leaf=5).fit(X, rare)
            for w in (None, "balanced")
        )
        assert (fair.predict(X) == 1).sum() > (plain.predict(X) == 1).sum()

    def test_a_class_without_weight_is_never_answered(self, messy: Pair) -> None:
        X, y = messy
        model = FOREST(10, class_weight={"asks": 0}, random_state=0).fit(X, y)
        assert set(model.predict(X)) == {"buys", "passes"}
        assert model.predict_proba(X).shape == (len(X), 3)
        importance = model.oob_permutation_importance(X, y)
        others = y != "asks"
        again = FOREST(10, random_state=0).fit(X[others], y[others])
        expected = again.oob_permutation_importance(X[others], y[others])
        np.testing.assert_array_equal(importance.importances, expected.importances)


class TestColumnsPerNode:
    @pytest.mark.parametrize(
        ("max_features", "n_columns", "expected"),
        [
            ("sqrt", 54, 7), ("sqrt", 1, 1), ("log2", 64, 6), ("log2", 1, 1), (None, 9, 9),
            (3, 9, 3), (9, 9, 9), (0.5, 9, 4), (0.3, 10, 3), (1.0, 9, 9), (0.01, 9, 1),
            (np.int64(2), 9, 2), (np.float32(0.5), 8, 4),
        ],
    )  # fmt: skip
    def test_are_a_root_a_logarithm_a_number_or_a_fraction(
        self, max_features: Any, n_columns: int, expected: int
    ) -> None:
        assert features_of(max_features, n_columns) == expected

    def test_all_of_them_are_told_to_the_engine_as_none(self) -> None:
        assert [sampled_per_node(m, 5) for m in (1, 4, 5)] == [1, 4, 0]

    @pytest.mark.parametrize("n_values", [40_000, 150_000])
    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_drawn_ones_are_cut_where_a_single_tree_cuts_them(
        self, n_values: int, n_classes: int
    ) -> None:
        # One column twice: whichever is drawn, the tree is that of the column. Two bytes hold the
        # ranks of fewer values, but not of more; and rows of equal values keep together.
        random = np.random.default_rng(0)
        x = random.permutation(np.arange(150_000) % n_values) / 7
        noise = random.integers(0, n_classes, len(x))
        y = np.where(random.random(len(x)) < 0.3, noise, (x > x.mean()) + (x > x.mean() * 1.9))
        y = y % n_classes
        told: dict[str, Any] = {"max_depth": 9, "n_jobs": 2}
        single = pt.CARTClassifier(**told).fit(x[:, None], y).tree_
        told |= {"bootstrap": False, "max_features": 1}
        drawn = pt.RandomForestClassifier(1, **told).fit(np.column_stack([x, x]), y).trees_[0]
        assert single.n_nodes > 100
        np.testing.assert_array_equal(drawn.threshold, single.threshold)
        np.testing.assert_array_equal(drawn.class_weights, single.class_weights)

    @pytest.mark.parametrize(("n_rows", "depth"), [(5_000, 5), (150_000, 9)])
    @pytest.mark.parametrize("bootstrap", [False, True])
    def test_drawn_ones_are_cut_as_where_rows_have_weights(
        self, n_rows: int, depth: int, bootstrap: bool
    ) -> None:
        # Rows that all count two are looked at one by one, by the general rules; rows that count
        # one are searched in ways of their own, and packed. Nodes of few rows, where different
        # cuts may be equally good, are left out.
        random = np.random.default_rng(1)
        X = random.normal(size=(n_rows, 7)).astype(np.float32)
        X[:, 3], X[:, 4] = X[:, 3].round(1), (300 * X[:, 4]).round()
        told = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + X[:, 4] / 900 + X[:, 5] ** 2 + X[:, 6] / 9
        y = told + random.normal(size=n_rows) > 1
        forest = FOREST(2, max_features=5, max_depth=depth, bootstrap=bootstrap, random_state=0)
        trees = forest.fit(X, y).trees_
        weighted = forest.fit(X, y, sample_weight=np.full(n_rows, 2.0)).trees_
        for tree, other in zip(trees, weighted, strict=True):
            assert tree.n_nodes > 40
            assert len(set(tree.feature)) > 5
            np.testing.assert_array_equal(tree.feature, other.feature)
            np.testing.assert_array_equal(tree.threshold, other.threshold)
            np.testing.assert_array_equal(2 * tree.class_weights, other.class_weights)

    def test_few_columns_make_trees_that_differ_more(self) -> None:
        X, y = load_breast_cancer(return_X_y=True)
        roots = {
            m: len({int(t.feature[0]) for t in FOREST(40, max_features=m, random_state=0)
                    .fit(X, y).trees_})
            for m in (1, 30)
        }  # fmt: skip
        assert roots[1] > 2 * roots[30]


# -------------------------------------------------------------------- votes


class TestVotes:
    def test_of_the_majority_are_shares_of_trees(self, messy: Pair) -> None:
        X, y = messy
        model = FOREST(7, random_state=0, max_depth=4, voting="hard").fit(X, y)
        answers = np.array([single(model, i).predict(X) for i in range(7)])
        expected = np.array([(answers == label).mean(axis=0) for label in model.classes_]).T
        np.testing.assert_allclose(model.predict_proba(X), expected)
        np.testing.assert_array_equal(model.predict(X), model.classes_[expected.argmax(axis=1)])

    def test_of_probability_are_means_of_shares(self, messy: Pair) -> None:
        X, y = messy
        model = FOREST(7, random_state=0, max_depth=4).fit(X, y)
        expected = np.mean([single(model, i).predict_proba(X) for i in range(7)], axis=0)
        np.testing.assert_allclose(model.predict_proba(X), expected)
        with np.errstate(divide="ignore"):
            np.testing.assert_allclose(model.predict_log_proba(X), np.log(expected))

    @EACH
    @pytest.mark.parametrize("voting", ["hard", "soft"])
    def test_come_in_stages(self, messy: Pair, learner: Any, voting: Any) -> None:
        X, y = messy
        model = learner(6, random_state=0, voting=voting, max_depth=3).fit(X, y)
        stages = list(model.staged_predict_proba(X))
        for n, shares in enumerate(stages, start=1):
            smaller = learner(n, random_state=0, voting=voting, max_depth=3).fit(X, y)
            np.testing.assert_allclose(shares, smaller.predict_proba(X))
        assert [a.tolist() for a in model.staged_predict(X)] == [
            model.classes_[s.argmax(axis=1)].tolist() for s in stages
        ]
        scores = list(model.staged_score(X, y))
        assert scores[-1] == model.score(X, y)
        weights = np.arange(len(y))
        assert list(model.staged_score(X, y, weights))[-1] == model.score(X, y, weights)

    @pytest.mark.parametrize("voting", ["hard", "soft"])
    @pytest.mark.parametrize(
        ("dtype", "n_columns"), [(np.float32, 4), (np.float32, 256), (np.float32, 257), (float, 4)]
    )
    def test_of_one_row_and_of_many_are_the_same(
        self, dtype: Any, n_columns: int, voting: Any
    ) -> None:
        """Many rows are walked side by side, one is not; gaps and infinities are in some blocks."""
        random = np.random.default_rng(0)
        X, y = random.normal(size=(5000, n_columns)).astype(dtype), random.integers(0, 3, 5000)
        X[:, -1] = y + random.integers(-1, 1, 5000)  # so that the last column is tested
        X[::7] *= -1  # zeros have either sign
        model = FOREST(5, random_state=0, max_depth=8, voting=voting).fit(X, y)
        X[1500, 2], X[1600, 0], X[3100] = np.nan, np.inf, -np.inf
        shares = model.predict_proba(X)
        rows = np.vstack([model.predict_proba(X[i : i + 1]) for i in range(0, 5000, 100)])
        np.testing.assert_array_equal(shares[::100], rows)

    def test_of_many_rows_fall_on_the_right_side_of_every_threshold(self) -> None:
        """Of thresholds that float32 cannot hold, too: on its neighbours on both sides."""
        random = np.random.default_rng(1)
        X, y = random.normal(size=(300, 1)), random.integers(0, 2, 300)
        model = FOREST(3, random_state=0).fit(X, y)
        cuts = np.unique(np.concatenate([tree.threshold for tree in model.trees_]))
        near = cuts[np.isfinite(cuts)].astype(np.float32)
        ways = [near, np.nextafter(near, np.float32(-9)), np.nextafter(near, np.float32(9))]
        rows = np.resize(np.concatenate(ways), 4096)[:, None]
        expected = np.mean(
            [class_shares(tree, [rows[:, 0].astype(np.float64)]) for tree in model.trees_], axis=0
        )
        np.testing.assert_array_equal(model.predict_proba(rows), expected)

    def test_of_many_rows_do_not_look_at_columns_that_no_tree_tests(self) -> None:
        random = np.random.default_rng(2)
        frame = {"x": random.normal(size=4000), "constant": ["a"] * 4000}
        model = FOREST(3, random_state=0, max_features=None).fit(frame, frame["x"] > 0)
        np.testing.assert_array_equal(model.predict(frame), frame["x"] > 0)

    @EACH
    def test_paths_are_those_of_the_trees_side_by_side(self, messy: Pair, learner: Any) -> None:
        X, y = messy
        with pytest.raises(NotFittedError, match="not fitted yet"):
            learner(4).decision_path(X)
        model = learner(4, random_state=0, missing="fractional").fit(X, y)
        paths, begins = model.decision_path(X)
        assert begins.tolist()[0] == 0
        assert paths.shape == (len(X), begins[-1])
        for number, (begin, end) in enumerate(itertools.pairwise(begins)):
            expected = single(model, number).decision_path(X)
            np.testing.assert_array_equal(paths[:, begin:end].toarray(), expected.toarray())


def single(forest: Any, number: int) -> Any:
    """One tree of a forest as a model of its own."""
    model = pt.DecisionTreeClassifier().fit([[0]], ["x"])
    vars(model).update({name: value for name, value in vars(forest).items() if name.endswith("_")})
    model.tree_ = forest.trees_[number]
    return model


# -------------------------------------------------------------------- out of the bag


class TestOutOfBag:
    @EACH
    @pytest.mark.parametrize("voting", ["hard", "soft"])
    def test_estimates_are_those_of_a_direct_computation(
        self, messy: Pair, learner: Any, voting: Any
    ) -> None:
        X, y = messy
        model = learner(25, random_state=4, oob_score=True, voting=voting).fit(X, y)
        votes, asked = np.zeros((len(y), 3)), np.zeros(len(y))
        for number in range(25):
            tree = single(model, number)
            outside = times_drawn(sampling_of(model, len(y)), number, len(y)) == 0
            if voting == "hard":
                votes[outside] += tree.predict(X[outside])[:, None] == model.classes_
            else:
                votes[outside] += tree.predict_proba(X[outside])
            asked += outside
            right = model.classes_[votes.argmax(axis=1)] == y
            assert model.oob_error_curve_[number] == np.mean(~right[asked > 0])
        np.testing.assert_allclose(model.oob_decision_function_, votes / asked[:, None])
        assert model.oob_score_ == 1 - model.oob_error_curve_[-1]

    @pytest.mark.parametrize("n_categories", [5, 50, 80])
    def test_estimates_of_many_rows_with_text(self, n_categories: int) -> None:
        """Many rows are walked side by side, by masks of up to 32 or 64 categories."""
        random = np.random.default_rng(0)
        code = random.integers(0, n_categories, 6000)
        X = pd.DataFrame({"x": random.normal(size=6000), "word": [f"w{c:02}" for c in code]})
        y = (code % 3 == 0) ^ (random.random(6000) < 0.2)
        model = FOREST(25, random_state=1, oob_score=True).fit(X, y)
        votes = np.zeros((6000, 2))
        for number in range(25):
            outside = times_drawn(sampling_of(model, 6000), number, 6000) == 0
            answers = single(model, number).predict(X[outside])
            votes[outside] += answers[:, None] == model.classes_
        voted = votes.sum(axis=1) > 0
        right = model.classes_[votes.argmax(axis=1)] == y
        assert model.oob_score_ == 1 - np.mean(~right[voted])

    def test_error_is_near_the_error_on_new_rows(self) -> None:
        X, y = load_breast_cancer(return_X_y=True)
        model = FOREST(200, random_state=0, oob_score=True).fit(X, y)
        expected = cross_val_score(FOREST(100, random_state=0), X, y, cv=4).mean()
        assert model.oob_score_ == pytest.approx(expected, abs=0.02)
        assert model.oob_error_curve_[-1] <= model.oob_error_curve_[0]

    def test_rows_in_every_bag_are_told(self, messy: Pair) -> None:
        X, y = messy
        with pytest.warns(UserWarning, match=r"\d+ of 240 rows were in the sample of every tree"):
            model = FOREST(2, random_state=0, oob_score=True).fit(X, y)
        never = np.isnan(model.oob_decision_function_).all(axis=1)
        assert 0 < never.sum() < 240

    def test_estimates_of_a_fit_before_do_not_stay(self, messy: Pair) -> None:
        model = FOREST(30, random_state=0, oob_score=True, max_features="oob").fit(*messy)
        assert hasattr(model, "tuning_")
        model.set_params(oob_score=False, max_features="sqrt").fit(*messy)
        assert not [name for name in vars(model) if name.startswith(("oob_", "tuning"))
                    and name != "oob_score"]  # fmt: skip

    @EACH
    def test_estimates_need_rows_left_out(self, messy: Pair, learner: Any) -> None:
        for told in ({}, {"max_samples": 1.0}, {"max_samples": 240}):
            model = learner(3, oob_score=True, bootstrap=False, **told)
            with pytest.raises(pt.PlaintreeError, match="Out of bag estimation only available"):
                model.fit(*messy)
        fewer = learner(30, oob_score=True, bootstrap=False, max_samples=0.6, random_state=0)
        assert fewer.fit(*messy).oob_score_ > 0.5


class TestImportances:
    def test_of_impurity_are_means_of_the_trees_shares(self, messy: Pair) -> None:
        model = FOREST(5, random_state=0).fit(*messy)
        expected = np.mean([tree.importances() for tree in model.trees_], axis=0)
        np.testing.assert_allclose(model.feature_importances_, expected)
        assert model.feature_importances_.sum() == pytest.approx(1)
        alone = FOREST(2, random_state=0).fit([[1.0], [1.0]], [0, 0])
        assert alone.feature_importances_.tolist() == [0.0]

    def test_of_permutation_tell_signal_from_noise(self) -> None:
        X, y = load_iris(return_X_y=True)
        X = np.column_stack([X, np.random.default_rng(0).normal(size=(150, 2))])
        model = FOREST(200, random_state=0).fit(X, y)
        found = model.oob_permutation_importance(X, y)
        assert found.importances.shape == (200, 6)
        mean, error = found.importances_mean, found.importances_error
        np.testing.assert_allclose(mean, found.importances.mean(axis=0))
        np.testing.assert_allclose(error, found.importances.std(axis=0, ddof=1) / np.sqrt(200))
        assert (mean[2:4] > 10 * error[2:4]).all()
        assert (np.abs(mean[4:]) < 4 * error[4:] + 0.01).all()

    def test_of_permutation_are_the_same_every_time(self, messy: Pair) -> None:
        X, y = messy
        found = [
            FOREST(20, random_state=0, n_jobs=n).fit(X, y).oob_permutation_importance(X, y)
            for n in (1, 2, 2)
        ]
        for other in found[1:]:
            np.testing.assert_array_equal(found[0].importances, other.importances)
        one = FOREST(1, random_state=0).fit(X, y).oob_permutation_importance(X, y)
        assert np.isnan(one.importances_error).all()

    def test_of_permutation_need_the_training_table(self, messy: Pair) -> None:
        X, y = messy
        model = FOREST(3, random_state=0).fit(X, y)
        with pytest.raises(pt.PlaintreeError, match="100 rows, where there were 240"):
            model.oob_permutation_importance(X[:100], y[:100])
        with pytest.raises(pt.PlaintreeError, match="label that the tree was not trained on"):
            model.oob_permutation_importance(X, np.where(y == "asks", "other", y))
        whole = FOREST(3, bootstrap=False).fit(X, y)
        with pytest.raises(pt.PlaintreeError, match="Out of bag estimation only available"):
            whole.oob_permutation_importance(X, y)


# -------------------------------------------------------------------- tables and tools


class TestTables:
    def test_pandas_polars_and_dictionaries_make_the_same_forest(self, messy: Pair) -> None:
        X, y = messy
        expected = FOREST(4, random_state=0).fit(X, y)
        dictionary = {name: X[name].to_list() for name in X}
        for other in (pl.from_pandas(X), dictionary):
            model = FOREST(4, random_state=0).fit(other, y)
            assert same(model, expected)
            np.testing.assert_array_equal(model.predict(other), expected.predict(X))

    def test_float32_and_strided_matrices_are_taken_as_they_are(self) -> None:
        X, y = load_breast_cancer(return_X_y=True)
        X = X.astype(np.float32)
        expected = FOREST(3, random_state=0).fit(X.astype(np.float64), y)
        for other in (X, np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2]):
            assert same(FOREST(3, random_state=0).fit(other, y), expected)

    def test_gaps_and_unseen_categories_are_answered(self, messy: Pair) -> None:
        X, y = messy
        new = X[:4].assign(colour=["violet", None, "red", "violet"], size=np.nan)
        for told in ({}, {"missing": "fractional"}, {"missing": "branch"}, {"unseen": "stop"}):
            shares = FOREST(10, random_state=0, **told).fit(X, y).predict_proba(new)
            np.testing.assert_allclose(shares.sum(axis=1), 1)
        strict = FOREST(3, random_state=0, unseen="error").fit(X, y)
        with pytest.raises(pt.PlaintreeError, match=r"(?s)colour.*violet"):
            strict.predict(new)

    def test_small_tables(self) -> None:
        for X, y in (([[1.0]], ["a"]), ([[1.0], [2.0]], ["a", "a"]), ([[1.0], [2.0]], ["a", "b"])):
            model = FOREST(5, random_state=0).fit(X, y)
            assert set(model.predict(X)) <= set(y)
            assert model.predict_proba(X).shape == (len(X), len(set(y)))


class TestTools:
    @EACH
    def test_pickles_and_clones_are_the_same(self, messy: Pair, learner: Any) -> None:
        X, y = messy
        model = learner(5, random_state=0, class_weight={"asks": 2}).fit(X, y)
        copied = pickle.loads(pickle.dumps(model))
        assert same(model, copied)
        np.testing.assert_array_equal(model.predict_proba(X), copied.predict_proba(X))
        expected = model.oob_permutation_importance(X, y).importances
        np.testing.assert_array_equal(copied.oob_permutation_importance(X, y).importances, expected)
        assert same(clone(model).fit(X, y), model)
        assert not hasattr(clone(model), "trees_")

    @pytest.mark.slow
    def test_grid_search_and_parallel_workers(self, messy: Pair) -> None:
        X, y = messy
        grid = {"max_features": [1, 0.5, None], "voting": ["hard", "soft"]}
        search = GridSearchCV(FOREST(5, random_state=0), grid, cv=3).fit(X, y)
        assert search.best_score_ > 0.5
        inside = joblib.Parallel(n_jobs=2)(
            joblib.delayed(FOREST(4, random_state=0).fit)(X, y) for _ in range(2)
        )
        assert same(*inside)

    @EACH
    def test_folds_may_lack_a_class_that_has_a_weight(self, messy: Pair, learner: Any) -> None:
        X, y = messy
        weights = {"asks": 2, "buys": 1, "passes": 3, "haggles": 5}
        model = learner(5, random_state=0, class_weight=weights).fit(X, y)
        del weights["haggles"]
        assert same(model, learner(5, random_state=0, class_weight=weights).fit(X, y))
        labels = np.where(np.arange(len(y)) == 0, "haggles", y)
        model = learner(5, random_state=0, class_weight={**weights, "haggles": 5})
        parts = [(np.arange(1, 240), np.arange(0, 240, 3)), (np.arange(120), np.arange(120, 240))]
        scores = cross_val_score(model, X, labels, cv=parts, error_score="raise")
        assert scores.min() > 0.5

    @EACH
    @pytest.mark.parametrize("name", ["entropy", "log_loss"])
    def test_scikit_learns_names_of_information_gain(
        self, messy: Pair, learner: Any, name: str
    ) -> None:
        X, y = messy
        model = learner(4, random_state=0, criterion=name).fit(X, y)
        assert same(model, learner(4, random_state=0, criterion="information_gain").fit(X, y))
        assert same(clone(model).fit(X, y), model)

    @EACH
    def test_number_of_classes(self, messy: Pair, learner: Any) -> None:
        assert not hasattr(learner(3), "n_classes_")
        model = learner(3).fit(*messy)
        assert model.n_classes_ == 3
        assert pickle.loads(pickle.dumps(model)).n_classes_ == 3

    def test_progress_counts_trees(self) -> None:
        seen: list[tuple[str, int, int | None]] = []
        random = np.random.default_rng(0)
        X, y = random.normal(size=(4000, 10)), random.integers(0, 2, 4000)
        model = FOREST(30, n_jobs=2, random_state=0, warm_start=True)
        model.fit(X, y, progress=lambda *step: seen.append(step))
        assert seen == sorted(seen)
        assert seen[0][1] >= 0
        assert seen[-1] == ("growing trees", 30, 30)
        model.set_params(n_estimators=40).fit(X, y, progress=lambda *step: seen.append(step))
        assert seen[-1] == ("growing trees", 10, 10)

    @EACH
    @pytest.mark.parametrize(("verbose", "lines"), [(0, 0), (1, 1), (2, 1)])
    def test_verbose_prints_it_to_standard_error(
        self, messy: Pair, learner: Any, verbose: int, lines: int, capsys: Any
    ) -> None:
        learner(20, verbose=verbose).fit(*messy)
        printed = capsys.readouterr()
        assert printed.out == ""
        assert len(printed.err.splitlines()) >= lines
        assert printed.err.endswith("growing trees: 20 of 20\n" if verbose else "")


# -------------------------------------------------------------------- bad input


class TestBadInput:
    X = pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0], "colour": ["red", "red", "blue", "red"]})
    y = np.array(["a", "b", "a", "b"])

    @pytest.mark.parametrize(
        ("told", "message"),
        [
            ({"n_estimators": 0}, "n_estimators=0"),
            ({"n_estimators": 2.5}, "n_estimators=2.5"),
            ({"n_estimators": "many"}, "n_estimators='many'"),
            ({"n_estimators": None}, "n_estimators=None"),
            ({"n_estimators": 10**10}, "n_estimators=10000000000"),
            ({"voting": "loud"}, r"'hard', 'soft'"),
            ({"bootstrap": "yes"}, "bootstrap='yes'"),
            ({"oob_score": 1}, "oob_score=1"),
            ({"max_samples": 0}, "max_samples=0"),
            ({"max_samples": 0.0}, "max_samples=0.0"),
            ({"max_samples": 1.5, "bootstrap": False}, "max_samples=6 must be <= n_samples=4"),
            ({"max_samples": 5, "bootstrap": False}, "max_samples=5 must be <= n_samples=4"),
            ({"max_samples": -0.5}, "max_samples=-0.5"),
            ({"max_samples": np.inf}, "max_samples=inf"),
            ({"max_samples": "half"}, "max_samples='half'"),
            ({"class_weight": "even"}, r"class_weight='even'.*'balanced'"),
            ({"class_weight": [1, 2]}, r"class_weight=\[1, 2\]"),
            ({"class_weight": {"c": 1}}, r"class that the table does not have.*'c'.*'a', 'b'"),
            ({"class_weight": {"a": 1, "B": 2}}, "class that the table does not have.*'B'"),
            ({"class_weight": {"a": 1, "b": 1, "c": -2}}, "class_weight of 'c'=-2"),
            ({"class_weight": {"a": -1}}, "class_weight of 'a'=-1"),
            ({"class_weight": {"a": np.nan}}, "class_weight of 'a'=nan"),
            ({"class_weight": {"a": 0, "b": 0}}, "leaves no row any weight"),
            ({"random_state": "luck"}, "random_state='luck'"),
            ({"n_jobs": 0}, "n_jobs=0"),
            ({"verbose": "yes"}, "verbose='yes'"),
            ({"criterion": "ginny"}, "'gini'"),
            ({"missing": "guess"}, "'fractional'"),
            ({"max_depth": -1}, "max_depth=-1"),
            ({"conventions": "c45"}, r"c4\.5r8"),
            ({"categorical_features": ["colr"]}, "'colour'"),
        ],
        ids=str,
    )
    @EACH
    def test_parameters(self, learner: Any, told: dict[str, Any], message: str) -> None:
        model = learner(**{"n_estimators": 3, **told})
        with pytest.raises(pt.PlaintreeError, match=message):
            model.fit(self.X, self.y)
        assert not hasattr(model, "trees_")

    @pytest.mark.parametrize(
        ("max_features", "message"),
        [
            (0, "max_features=0"),
            (3, r"max_features=3.*from 1 to 2"),
            (0.0, r"max_features=0\.0"),
            (1.5, r"max_features=1\.5"),
            ("auto", r"max_features='auto'.*'sqrt', 'log2', 'oob'"),
            (True, "max_features=True"),
            ([1], r"max_features=\[1\]"),
        ],
    )
    def test_max_features(self, max_features: Any, message: str) -> None:
        with pytest.raises(pt.PlaintreeError, match=message):
            FOREST(3, max_features=max_features).fit(self.X, self.y)

    @EACH
    def test_tables(self, learner: Any) -> None:
        model = learner(3)
        with pytest.raises(pt.PlaintreeError, match="y is None"):
            model.fit(self.X, None)
        with pytest.raises(TypeError, match=r"target y is sparse.*shape \(4, 1\)"):
            model.fit(self.X, csr_matrix([[0], [1], [0], [1]]))
        with pytest.raises(TypeError, match="sparse matrices are not supported"):
            model.fit(csr_matrix(np.eye(4)), self.y)
        with pytest.raises(pt.PlaintreeError, match="every sample_weight is zero"):
            model.fit(self.X, self.y, [0, 0, 0, 0])
        gaps = self.X.assign(size=[1.0, np.nan, 3.0, 4.0])
        with pytest.raises(pt.PlaintreeError, match=r"'size'.*row 2"):
            learner(3, missing="error").fit(gaps, self.y)
        model.fit(self.X, self.y)
        with pytest.raises(pt.PlaintreeError, match="size"):
            model.predict(self.X.drop(columns="size"))

    @EACH
    def test_forests_that_would_not_fit_into_memory(self, learner: Any) -> None:
        with pytest.raises(MemoryError, match=r"would not fit into memory.*GiB for 1,000,000,000"):
            learner(10**9).fit(self.X, self.y)
        with pytest.raises(pt.PlaintreeError, match="grow fewer trees, or smaller ones"):
            learner(2**31 - 1, n_jobs=2).fit(self.X, self.y)


@pytest.mark.slow
def test_ctrl_c_ends_a_forest_and_leaves_no_threads() -> None:
    """A signal is noticed while trees are grown, and the model stays unfitted."""
    program = textwrap.dedent("""
        import os, signal, threading, time
        import numpy as np, plaintree as pt
        random = np.random.default_rng(0)
        X, y = random.normal(size=(100_000, 20)), random.integers(0, 2, 100_000)
        pt.RandomForestClassifier(10, n_jobs=2).fit(X[:100], y[:100])
        model = pt.RandomForestClassifier(100_000, max_depth=8, n_jobs=2)
        n_threads = len(os.listdir("/proc/self/task"))
        threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            model.fit(X, y)
        except KeyboardInterrupt:
            print("interrupted", hasattr(model, "trees_"))
        time.sleep(0.2)
        print(len(os.listdir("/proc/self/task")) <= n_threads)
    """)
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert result.stdout.split() == ["interrupted", "False", "True"]


# -------------------------------------------------------------------- beside other forests

SMALL = (
    "iris",
    "wine",
    "contact_lenses",
    "weather_numeric",
    "autos",
    "breast_cancer",
    "vote",
    "monk1",
)


@needs_shared
@pytest.mark.parametrize("name", SMALL)
def test_accuracy_is_within_noise_of_other_forests(name: str) -> None:
    """On the folds that were stored with the other programs' results."""
    X, y = load(name)
    fold = folds(name)
    right = 0
    for number in range(10):
        held_out = fold == number
        model = FOREST(100, random_state=0).fit(X[~held_out], y[~held_out])
        right += int((model.predict(X[held_out]) == y[held_out]).sum())
    theirs = max(result["cv_accuracy"] for result in other_forests(name))
    noise = 2 * np.sqrt(theirs * (1 - theirs) / len(y))
    assert right / len(y) >= theirs - noise


def other_forests(name: str) -> list[dict[str, Any]]:
    found = []
    for folder in ("ranger", "sklearn_rf"):
        try:
            found.append(golden(folder, name))
        except FileNotFoundError:
            continue  # ranger takes no gaps
    return found


# -------------------------------------------------------------------- scikit-learn's ensembles


class TestMembers:
    @EACH
    def test_are_estimators_of_one_tree_each(self, messy: Pair, learner: Any) -> None:
        X, y = messy
        forest = learner(3).fit(X, y)
        assert len(forest) == len(forest.estimators_) == 3
        votes = np.mean([one.predict_proba(X) for one in forest], axis=0)
        soft = learner(3, voting="soft").fit(X, y)
        np.testing.assert_allclose(soft.predict_proba(X), votes)

    @EACH
    def test_samples_are_those_that_the_trees_were_grown_on(
        self, messy: Pair, learner: Any
    ) -> None:
        X, y = messy
        weights = np.arange(len(y)) % 3.0  # every third row has none
        forest = learner(2, random_state=5).fit(X, y, weights)
        for tree, rows in zip(forest.trees_, forest.estimators_samples_, strict=True):
            assert len(rows) == np.count_nonzero(weights)
            assert not np.any(weights[rows] == 0)
            assert tree.weight[0] == pytest.approx(weights[rows].sum())

    @EACH
    def test_many_more_draws_than_rows_keep_the_weights_exact(
        self, messy: Pair, learner: Any
    ) -> None:
        X, y = messy
        weights = np.arange(len(y)) % 3 + 0.5
        forest = learner(2, max_samples=1000.0, random_state=5).fit(X, y, weights)
        for tree, rows in zip(forest.trees_, forest.estimators_samples_, strict=True):
            assert tree.weight[0] == weights[rows].sum()
            tree.validate()

    def test_samples_are_not_in_model_files(self, messy: Pair, tmp_path: Path) -> None:
        pt.save(FOREST(2).fit(*messy), tmp_path / "forest.json")
        loaded = pt.load(tmp_path / "forest.json")
        with pytest.raises(pt.PlaintreeError, match="fitted in this session"):
            _ = loaded.estimators_samples_


class TestWarmStart:
    @EACH
    def test_adds_trees_until_the_forest_is_the_one_of_a_single_fit(
        self, messy: Pair, learner: Any
    ) -> None:
        X, y = messy
        grown = learner(3, warm_start=True, oob_score=False, random_state=4).fit(X, y)
        first = grown.trees_[0].content_hash()
        grown.set_params(n_estimators=8).fit(X, y)
        assert same(grown, learner(8, random_state=4).fit(X, y))
        assert grown.trees_[0].content_hash() == first

    def test_goes_on_from_a_seed_that_was_drawn(self, messy: Pair) -> None:
        X, y = messy
        forest = FOREST(2, warm_start=True, random_state=None).fit(X, y)
        seed = forest._sampling_done.seed
        assert forest.set_params(n_estimators=4).fit(X, y)._sampling_done.seed == seed

    def test_cannot_take_trees_away(self, messy: Pair) -> None:
        X, y = messy
        forest = FOREST(3, warm_start=True).fit(X, y).set_params(n_estimators=2)
        with pytest.raises(pt.PlaintreeError, match=r"larger or equal to len\(estimators_\)=3"):
            forest.fit(X, y)

    def test_with_as_many_trees_warns(self, messy: Pair) -> None:
        X, y = messy
        forest = FOREST(3, warm_start=True).fit(X, y)
        with pytest.warns(UserWarning, match="does not fit new trees"):
            assert len(forest.fit(X, y)) == 3

    def test_refuses_another_table(self, messy: Pair) -> None:
        X, y = messy
        forest = FOREST(3, warm_start=True).fit(X, y).set_params(n_estimators=4)
        with pytest.raises(pt.PlaintreeError, match="another table or with other parameters"):
            forest.fit(X, ["u" if label == y[0] else "v" for label in y])


@EACH
def test_a_function_of_labels_can_replace_the_out_of_bag_accuracy(
    messy: Pair, learner: Any
) -> None:
    X, y = messy
    macro = partial(f1_score, average="macro")
    forest = learner(40, oob_score=macro).fit(X, y)
    predicted = forest.classes_[forest.oob_decision_function_.argmax(axis=1)]
    assert forest.oob_score_ == macro(y, predicted)


@EACH
def test_the_default_seed_gives_one_forest(messy: Pair, learner: Any) -> None:
    X, y = messy
    first = learner(3).fit(X, y)
    assert all(same(first, learner(3).fit(X, y)) for _ in range(5))
