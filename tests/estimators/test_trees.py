"""The learners as scikit-learn estimators: its own checks, its tools, and bad input."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import AdaBoostClassifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import plaintree as pt
from plaintree.errors import ParameterError
from tests.support.contract import assert_contract
from tests.support.interrupts import interrupted_fit

LEARNERS = [
    pt.ID3Classifier(),
    pt.C45Classifier(),
    pt.CARTClassifier(),
    pt.CARTClassifier(categorical="one_vs_rest", criterion="entropy", max_bins=16),
    pt.DecisionTreeClassifier(),
    pt.DecisionTreeClassifier(missing="error"),
    pt.MemorizingTreeClassifier(random_state=0),
]
EACH = pytest.mark.parametrize("learner", LEARNERS, ids=lambda m: type(m).__name__)


def on_a_small_stack(work):
    """What a function gives on a stack of a quarter of a megabyte."""
    usual = threading.stack_size(2**18)
    try:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(work).result()
    finally:
        threading.stack_size(usual)


def expected_failures(estimator):
    if estimator.get_params().get("missing") == "error":
        return {"check_estimators_nan_inf": "infinities are ordinary extremes, not an error"}
    return {}


@pytest.mark.parametrize("estimator", LEARNERS, ids=str)
def test_scikit_learn_contract(estimator):
    assert_contract(estimator, expected_failures(estimator))


@pytest.fixture
def messy() -> tuple[pd.DataFrame, np.ndarray]:
    """Text, numbers, booleans, dates, ordered categories, and gaps in all of them."""
    random = np.random.default_rng(0)
    n = 300
    frame = pd.DataFrame(
        {
            "colour": random.choice(["red", "green", "blue", None], n),
            "size": random.normal(size=n),
            "member": random.choice([True, False], n),
            "grade": pd.Categorical(
                random.choice(["low", "mid", "high"], n),
                categories=["low", "mid", "high"],
                ordered=True,
            ),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 365, n), "D"),
        }
    )
    wants = (frame["colour"] == "red") ^ (frame["size"] > 0.3) ^ (frame["day"] > "2024-09-01")
    frame.loc[random.random(n) < 0.1, "size"] = np.nan
    frame.loc[random.random(n) < 0.1, "day"] = pd.NaT
    return frame, np.where(wants, "buys", "passes")


class TestScikitLearnTools:
    @EACH
    def test_frames_with_text_and_gaps_cross_validate(self, learner, messy):
        X, y = messy
        learner = clone(learner)
        if learner.get_params().get("missing") == "error":
            X = X.dropna()
            y = y[X.index]
        scores = cross_val_score(learner, X, y, cv=3)
        assert scores.shape == (3,)
        assert np.all(scores > 0.4)

    def test_pipeline_and_grid_search(self, messy):
        X, y = messy
        pipeline = make_pipeline(FunctionTransformer(), pt.C45Classifier())
        search = GridSearchCV(pipeline, {"c45classifier__min_samples_branch": [2, 5, 20]}, cv=3)
        search.fit(X, y)
        assert search.best_params_["c45classifier__min_samples_branch"] in (2, 5, 20)
        assert set(search.predict(X)) <= {"buys", "passes"}

    @pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
    def test_calibration(self, messy, method):
        X, y = messy
        calibrated = CalibratedClassifierCV(pt.CARTClassifier(max_depth=4), method=method, cv=3)
        shares = calibrated.fit(X, y).predict_proba(X)
        np.testing.assert_allclose(shares.sum(axis=1), 1)

    def test_importances_add_up_and_ignore_noise(self):
        X, y = load_iris(return_X_y=True)
        model = pt.CARTClassifier().fit(np.column_stack([X, np.ones(len(X))]), y)
        assert model.feature_importances_.sum() == pytest.approx(1)
        assert model.feature_importances_[-1] == 0
        assert model.feature_importances_[2:4].sum() > 0.8

    @pytest.mark.parametrize("name", ["entropy", "log_loss"])
    @pytest.mark.parametrize(
        "learner", [pt.CARTClassifier, pt.ID3Classifier, pt.DecisionTreeClassifier]
    )
    def test_names_of_information_gain(self, messy, learner, name):
        model = learner(criterion=name).fit(*messy)
        assert model.tree_.conventions.criterion == "information_gain"
        expected = learner(criterion="information_gain").fit(*messy).tree_
        assert model.tree_.difference(expected) is None
        assert clone(model).criterion == name

    @EACH
    def test_number_of_classes(self, learner):
        assert not hasattr(clone(learner), "n_classes_")
        assert clone(learner).fit([[1], [2], [3]], ["a", "b", "c"]).n_classes_ == 3

    def test_apply_and_decision_path_agree(self, messy):
        X, y = messy
        model = pt.C45Classifier().fit(X, y)
        leaves, paths = model.apply(X), model.decision_path(X)
        assert paths.shape == (len(X), model.tree_.n_nodes)
        assert np.all(paths[:, 0].toarray() == 1)
        assert all(paths[i, leaf] == 1 for i, leaf in enumerate(leaves))
        np.testing.assert_array_equal(paths.sum(axis=1).A1, model.tree_.node_depths[leaves] + 1)


class TestSameTree:
    """Neither the container, the order of rows nor the number of threads changes a tree."""

    @pytest.mark.parametrize("learner", LEARNERS[:4], ids=lambda m: type(m).__name__)
    def test_for_pandas_polars_and_arrow(self, learner, messy):
        frame, y = messy
        frame = frame.drop(columns="grade")  # Arrow and polars have no ordered categories
        expected = clone(learner).fit(frame, y).tree_
        for other in (pl.from_pandas(frame), pa.Table.from_pandas(frame)):
            assert clone(learner).fit(other, y).tree_.difference(expected) is None

    def test_for_numpy_and_frames(self):
        X, y = load_breast_cancer(return_X_y=True)
        names = [f"x{i}" for i in range(X.shape[1])]
        expected = pt.CARTClassifier().fit(X, y).tree_
        for same in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names), X.tolist()):
            assert pt.CARTClassifier().fit(same, y).tree_.difference(expected) is None
        assert pt.CARTClassifier().fit(np.asfortranarray(X), y).tree_.difference(expected) is None

    @pytest.mark.parametrize("learner", LEARNERS[:5], ids=lambda m: type(m).__name__)
    @pytest.mark.parametrize("weighted", [False, True])
    def test_for_shuffled_rows(self, learner, weighted, messy):
        X, y = messy
        random = np.random.default_rng(1)
        weights = random.random(len(X)) if weighted else None
        expected = clone(learner).fit(X, y, weights).tree_
        for _ in range(3):
            order = random.permutation(len(X))
            shuffled = None if weights is None else weights[order]
            tree = clone(learner).fit(X.iloc[order], y[order], shuffled).tree_
            assert tree.difference(expected) is None
            assert tree.content_hash() == expected.content_hash()

    @pytest.mark.parametrize("learner", LEARNERS[:5], ids=lambda m: type(m).__name__)
    @pytest.mark.parametrize("gaps", [False, True])
    def test_for_one_and_two_threads(self, learner, gaps):
        random = np.random.default_rng(2)
        X = pd.DataFrame(random.normal(size=(20000, 4)), columns=list("abcd"))
        X["e"] = random.choice(list("uvwxyz"), 20000)
        y = ((X["a"] > 0) ^ (X["e"] == "u") ^ (random.random(20000) < 0.1)).to_numpy()
        if gaps:
            X = X.mask(random.random(X.shape) < 0.05)
        one, two = (clone(learner).set_params(n_jobs=n).fit(X, y).tree_ for n in (1, 2))
        assert one.content_hash() == two.content_hash()
        assert one.n_nodes > 10

    def test_weights_that_are_shares_are_scaled(self):
        """Boosting makes weights that add up to one; no least number of rows may fail on them."""
        X, y = load_breast_cancer(return_X_y=True)
        shares = np.full(len(X), 1 / len(X))
        for learner in LEARNERS[:3]:
            plain, shared = (clone(learner).fit(X, y, w).tree_ for w in (None, shares))
            assert shared.n_nodes == plain.n_nodes
        huge = pt.CARTClassifier().fit([[0], [1]], [0, 1], [1e308, 1e308])
        assert huge.tree_.validate().size == 1
        boosted = AdaBoostClassifier(pt.C45Classifier(), n_estimators=5, random_state=0)
        assert boosted.fit(X, y).score(X, y) > 0.98

    def test_weights_are_repetitions(self, messy):
        X, y = messy
        times = np.random.default_rng(3).integers(0, 4, len(X))
        for learner in LEARNERS[:3]:
            weighted = clone(learner).fit(X, y, times).tree_
            repeated = clone(learner).fit(X.loc[X.index.repeat(times)], np.repeat(y, times)).tree_
            assert weighted.n_nodes == repeated.n_nodes
            np.testing.assert_allclose(weighted.class_weights, repeated.class_weights)


class TestPrediction:
    def test_missing_values_divide_a_row(self):
        X = {"colour": ["red"] * 3 + ["blue"]}
        model = pt.C45Classifier(min_samples_branch=1).fit(X, ["yes", "yes", "yes", "no"])
        assert model.predict_proba({"colour": [None]}).tolist() == [[0.25, 0.75]]

    def test_unseen_categories_follow_the_policy(self):
        X, y = {"colour": ["red", "red", "red", "blue"]}, ["yes", "yes", "yes", "no"]
        new = {"colour": ["green"]}
        as_missing = pt.ID3Classifier(unseen="missing").fit(X, y)
        assert as_missing.predict(new).tolist() == ["yes"]
        stops = pt.ID3Classifier(unseen="stop").fit(X, y)
        assert stops.apply(new).tolist() == [0]
        assert stops.predict_proba(new).tolist() == [[0.25, 0.75]]
        with pytest.raises(pt.PlaintreeError, match=r"(?s)colour.*green"):
            pt.ID3Classifier(unseen="error").fit(X, y).predict(new)

    def test_columns_are_matched_by_name(self, messy):
        X, y = messy
        model = pt.C45Classifier().fit(X, y)
        np.testing.assert_array_equal(model.predict(X[X.columns[::-1]]), model.predict(X))

    def test_dates_are_printed_as_dates(self, messy):
        X, y = messy
        assert "day <= 2024-" in str(pt.CARTClassifier().fit(X[["day"]], y).tree_)

    def test_ordered_categories_are_cut_in_their_order(self, messy):
        X, _ = messy
        y = X["grade"].isin(["mid", "high"]).to_numpy()
        tree = pt.CARTClassifier().fit(X[["grade"]], y).tree_
        assert tree.n_nodes == 3
        assert "grade <= low" in str(tree)

    def test_numbers_can_be_put_into_intervals(self):
        X, y = load_iris(return_X_y=True, as_frame=True)
        model = pt.ID3Classifier(numeric="intervals").fit(X, y)
        root = model.tree_.root
        assert root.feature == "petal width (cm)"
        assert len(root.children) == 3
        assert model.schema_.features[3].cuts == (0.8, 1.75)
        assert pt.data.Schema.from_json(model.schema_.to_json()) == model.schema_
        assert model.score(X, y) > 0.95
        np.testing.assert_array_equal(model.predict(X[X.columns[::-1]]), model.predict(X))
        with pytest.raises(pt.PlaintreeError, match="'intervals'"):
            pt.ID3Classifier(numeric="bins").fit(X, y)

    def test_a_profile_can_be_named_and_changed(self):
        X, y = pt.datasets.load_golf()
        named = pt.DecisionTreeClassifier(conventions="c4.5r8").fit(X, y).tree_
        assert named.difference(pt.C45Classifier(pruning=None).fit(X, y).tree_) is None
        changed = pt.DecisionTreeClassifier(conventions="c4.5r8", max_depth=1).fit(X, y).tree_
        assert changed.depth == 1
        with pytest.raises(pt.PlaintreeError, match=r"c4\.5r8"):
            pt.DecisionTreeClassifier(conventions="c45r8").fit(X, y)

    def test_numbers_can_be_categories(self):
        X = pd.DataFrame({"code": [1, 2, 3] * 10})
        y = (X["code"] == 2).to_numpy()
        tree = pt.CARTClassifier(categorical_features=["code"]).fit(X, y).tree_
        assert tree.size == 1
        assert "code = 2" in str(tree)


class TestSmallAndLarge:
    def test_one_row_and_one_class_are_leaves(self):
        for X, y in (([[1.0]], ["a"]), ([[1.0], [2.0]], ["a", "a"])):
            tree = pt.C45Classifier().fit(X, y).tree_
            assert (tree.n_nodes, tree.depth, tree.size) == (1, 0, 0)

    def test_many_categories(self):
        n = 100_000
        X = pd.DataFrame({"id": [f"c{i}" for i in range(n)], "x": np.arange(n) % 7})
        y = np.arange(n) % 2
        for learner in (pt.CARTClassifier(max_depth=3), pt.ID3Classifier(), pt.C45Classifier()):
            assert learner.fit(X, y).score(X[:1000], y[:1000]) >= 0.5

    def test_many_columns(self):
        random = np.random.default_rng(0)
        X = random.normal(size=(200, 5000)).astype(np.float32)
        y = X[:, 4321] > 0.2
        tree = pt.CARTClassifier().fit(X, y).tree_
        assert (tree.size, tree.root.feature) == (1, "x4321")

    def test_many_classes(self):
        X = np.arange(3000.0).reshape(-1, 1)
        y = np.arange(3000) // 3
        assert pt.CARTClassifier().fit(X, y).score(X, y) == 1.0

    @pytest.mark.slow
    def test_chains_of_100_000_nodes(self):
        """Alternating classes can only be peeled off one at a time.

        There are five chains side by side, each of two classes that its neighbours do not have: a
        longer one costs as the square of its length. A small stack would show what recurses.
        """
        rows, length = np.arange(50_020), 10_004  # as many leaves: n + (n - 1) nodes
        x, y = rows.reshape(-1, 1).astype(np.float64), 2 * (rows // length % 2) + rows % 2

        def grown():
            model = pt.CARTClassifier().fit(x, y)
            np.testing.assert_array_equal(model.predict(x[:500]), y[:500])
            return model.tree_, str(model.tree_)

        tree, text = on_a_small_stack(grown)
        assert tree.n_nodes > 100_000
        assert tree.depth > 10_000
        assert len(text) > 1_000_000

    def test_bins_make_columns_coarser(self):
        random = np.random.default_rng(0)
        x = random.normal(size=(5000, 1))
        y = x[:, 0] > 0.123
        coarse = pt.CARTClassifier(max_bins=8, max_depth=1).fit(x, y).tree_
        exact = pt.CARTClassifier(max_bins=None, max_depth=1).fit(x, y).tree_
        edges = np.quantile(x, np.arange(1, 8) / 8)
        assert np.abs(edges - coarse.root.condition.threshold).min() < 0.01
        assert exact.root.condition.threshold == pytest.approx(0.123, abs=0.01)


class TestBadInput:
    X = pd.DataFrame({"size": [1.0, 2.0, 3.0], "colour": ["red", "red", "blue"]})
    y = np.array(["a", "b", "a"])

    @pytest.mark.parametrize(
        ("X", "y", "message"),
        [
            (X.iloc[:0], [], r"no rows|0 sample|empty"),
            (X, None, "y is None"),
            (X, csr_matrix([[0, 1, 0]]), r"target y is sparse.*shape \(1, 3\)"),
            (X, ["a", None, "b"], r"missing labels.*row 2"),
            (X, ["a", "b"], r"(?i)length|rows|samples"),
            ({"a": [1, 2], "b": [1]}, ["x", "y"], "equally long"),
            (pd.DataFrame([[1, 2]], columns=["a", "a"]), ["x"], "not unique.*'a'"),
            ([1, 2, 3], ["a", "b", "c"], r"(?i)reshape|2-D|two"),
        ],
        ids=[
            "empty",
            "no y",
            "sparse y",
            "gap",
            "short y",
            "unequal",
            "duplicates",
            "one dimension",
        ],
    )
    def test_tables_that_cannot_be_fitted(self, X, y, message):
        model = pt.CARTClassifier()
        with pytest.raises(pt.PlaintreeError, match=message):
            model.fit(X, y)
        assert not hasattr(model, "tree_")

    @pytest.mark.parametrize(
        ("weights", "message"),
        [([1, np.nan, 1], "finite"), ([1, -1, 1], "negative"), ([1, 1], "(?i)length|rows")],
    )
    def test_weights(self, weights, message):
        with pytest.raises(pt.PlaintreeError, match=message):
            pt.CARTClassifier().fit(self.X, self.y, weights)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            (lambda X: X.drop(columns="size"), "size"),
            (lambda X: X.assign(extra=1), "extra"),
            (lambda X: X.assign(size=["one", "two", "three"]), r"size.*one"),
        ],
        ids=["missing column", "extra column", "text for numbers"],
    )
    def test_tables_that_do_not_fit_the_model(self, change, message):
        model = pt.CARTClassifier().fit(self.X, self.y)
        with pytest.raises(pt.PlaintreeError, match=message):
            model.predict(change(self.X))

    @pytest.mark.parametrize(
        ("learner", "message"),
        [
            (pt.CARTClassifier(criterion="ginny"), r"'gini'.*'entropy'"),
            (pt.ID3Classifier(criterion="ginny"), "'information_gain'"),
            (pt.C45Classifier(criterion="gini"), "'gain_ratio'"),
            (pt.C45Classifier(pruning="hard"), "'error_based'"),
            (pt.C45Classifier(pruning=["mdl"]), "'error_based'"),
            (pt.CARTClassifier(categorical="multiway"), "'one_vs_rest'"),
            (pt.ID3Classifier(missing="guess"), "'fractional'"),
            (pt.CARTClassifier(max_depth=-1), "max_depth=-1"),
            (pt.CARTClassifier(max_bins=1), "max_bins=1"),
            (pt.CARTClassifier(n_jobs=0), "n_jobs=0"),
            (pt.CARTClassifier(max_depth=2.5), "max_depth=2.5"),
            (pt.CARTClassifier(min_samples_split="two"), "min_samples_split='two'"),
            (pt.CARTClassifier(min_score="high"), "min_score='high'"),
            (pt.CARTClassifier(zero_gain="no"), "zero_gain='no'"),
            (pt.CARTClassifier(categorical_features=[True]), "mask"),
            (pt.CARTClassifier(categorical_features=["colr"]), "'colour'"),
        ],
        ids=lambda value: "" if isinstance(value, str) else str(value),
    )
    def test_parameters(self, learner, message):
        with pytest.raises(pt.PlaintreeError, match=message):
            learner.fit(self.X, self.y)

    def test_gaps_where_they_are_an_error(self):
        X = self.X.assign(size=[1.0, np.nan, 2.0])
        with pytest.raises(pt.PlaintreeError, match=r"'size'.*row 2"):
            pt.CARTClassifier(missing="error").fit(X, self.y)

    def test_errors_are_value_errors_for_scikit_learn(self):
        with pytest.raises(ValueError, match="y is None"):
            pt.CARTClassifier().fit(self.X, None)


@pytest.mark.slow
def test_ctrl_c_ends_a_fit():
    """A signal is noticed while the engine works, and the model stays unfitted."""
    left = interrupted_fit("pt.CARTClassifier()", n_rows=1_000_000, n_columns=12, after=0.3)
    assert left == ["interrupted"]


def test_import_is_light():
    """Nothing heavy is loaded before it is needed."""
    program = "import sys, plaintree; print([m for m in sys.modules if '.' not in m])"
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    heavy = {"numpy", "pandas", "polars", "pyarrow", "narwhals", "sklearn", "matplotlib", "scipy"}
    assert not heavy & set(eval(result.stdout))


class TestKeptParameters:
    """A parameter that is "conventions" is as the conventions have it; None is a value."""

    @pytest.mark.parametrize("kind", [pt.DecisionTreeClassifier, pt.RandomForestClassifier])
    def test_a_limit_of_a_profile_can_be_lifted(self, kind: Any) -> None:
        assert kind(conventions="rpart")._conventions().max_depth == 30
        assert kind(conventions="rpart", max_depth=None)._conventions().max_depth is None
        assert kind(conventions="rpart", max_depth="conventions")._conventions().max_depth == 30
        assert kind()._conventions().max_depth is None

    def test_the_rule_for_branches_can_be_lifted(self) -> None:
        with pytest.raises(ParameterError, match=r"min_samples_branch=None with min_samples_leaf"):
            pt.DecisionTreeClassifier(conventions="c4.5r8", min_samples_leaf=5)._conventions()
        rules = {"min_samples_branch": None, "min_samples_leaf": 5}
        model = pt.DecisionTreeClassifier(conventions="c4.5r8", **rules)
        assert model._conventions().min_samples_leaf == 5

    def test_a_field_that_cannot_be_none_is_refused(self) -> None:
        with pytest.raises(ParameterError, match="criterion=None"):
            pt.DecisionTreeClassifier(criterion=None).fit([[0], [1]], [0, 1])

    def test_as_scikit_learn_expects_it(self) -> None:
        model = pt.DecisionTreeClassifier(conventions="rpart", max_depth=None)
        assert repr(model) == "DecisionTreeClassifier(conventions='rpart', max_depth=None)"
        assert clone(model).get_params() == model.get_params()
        X, y = load_iris(return_X_y=True)
        grid = {"max_depth": ["conventions", None, 1], "min_samples_leaf": [1, 0.1]}
        search = GridSearchCV(model, grid, cv=3).fit(X, y)
        assert search.best_params_["max_depth"] in ("conventions", None, 1)
