"""Boosting: the rounds against a plain AdaBoost, where it stops, its votes, and bad input."""

from __future__ import annotations

from math import exp, log
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import AdaBoostClassifier
from sklearn.model_selection import GridSearchCV

import plaintree as pt
from plaintree.estimators.boost import BoostedTreesClassifier
from tests.support.contract import assert_contract
from tests.support.interrupts import interrupted_fit
from tests.support.reference_tables import folds, load, needs_shared

Pair = tuple[Any, np.ndarray]


def expected_failures(estimator: Any) -> dict[str, str]:
    if estimator.get_params().get("estimator__missing") == "error":
        return {"check_estimators_nan_inf": "infinities are ordinary extremes, not an error"}
    return {}


@pytest.mark.parametrize(
    "estimator",
    [
        BoostedTreesClassifier(n_estimators=3),
        BoostedTreesClassifier(pt.CARTClassifier(max_depth=1), n_estimators=3),
        BoostedTreesClassifier(
            pt.DecisionTreeClassifier(missing="error", max_depth=2), n_estimators=2
        ),
    ],
    ids=str,
)
def test_scikit_learn_contract(estimator: Any) -> None:
    assert_contract(estimator, expected_failures(estimator))


@pytest.fixture
def messy() -> Pair:
    """Text, numbers and gaps, three classes, and noise."""
    random = np.random.default_rng(0)
    n = 300
    frame = pd.DataFrame(
        {
            "colour": random.choice(["red", "green", "blue", None], n),
            "size": random.normal(size=n),
            "weight": random.normal(size=n),
        }
    )
    wants = np.where(frame["size"] + frame["weight"] > 0.5, "buys", "passes")
    wants[(frame["colour"] == "red").to_numpy() & (random.random(n) < 0.7)] = "asks"
    frame.loc[random.random(n) < 0.1, "size"] = np.nan
    return frame, wants


def xor_table() -> Pair:
    """Two columns that no single one of which says anything."""
    return np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5), np.array([0, 1, 1, 0] * 5)


# -------------------------------------------------------------------- the rounds


def plain_adaboost(
    base: Any, X: Any, y: np.ndarray, n_rounds: int, rate: float = 1.0
) -> list[tuple[Any, float, float]]:
    """SAMME as it is written in the books: models, errors and weights of all rounds."""
    n, n_classes = len(y), len(set(y))
    weights = [1.0] * n
    rounds = []
    for _ in range(n_rounds):
        model = clone(base).fit(X, y, weights)
        wrong = [answer != label for answer, label in zip(model.predict(X), y, strict=True)]
        error = sum(w for w, bad in zip(weights, wrong, strict=True) if bad) / sum(weights)
        if error == 0 or error >= 1 - 1 / n_classes:
            break
        alpha = rate * (log((1 - error) / error) + log(n_classes - 1))
        rounds.append((model, error, alpha))
        heavier = [w * exp(alpha * bad) for w, bad in zip(weights, wrong, strict=True)]
        weights = [w * n / sum(heavier) for w in heavier]
    return rounds


BASES = {
    "tree": pt.C45Classifier(),
    "stump": pt.CARTClassifier(max_depth=1),
    "ID3 of depth 2": pt.ID3Classifier(max_depth=2),
}


@pytest.mark.parametrize("rate", [1.0, 0.5])
@pytest.mark.parametrize("name", BASES)
def test_the_rounds_are_those_of_a_plain_adaboost(messy: Pair, name: str, rate: float) -> None:
    X, y = messy
    estimator = None if name == "tree" else BASES[name]  # None is C4.5
    model = BoostedTreesClassifier(estimator, n_estimators=8, learning_rate=rate).fit(X, y)
    expected = plain_adaboost(BASES[name], X, y, 8, rate)
    assert len(expected) == 8
    np.testing.assert_allclose(model.estimator_errors_, [error for _, error, _ in expected])
    np.testing.assert_allclose(model.estimator_weights_, [alpha for _, _, alpha in expected])
    for tree, (single, _, _) in zip(model.trees_, expected, strict=True):
        assert tree.n_nodes == single.tree_.n_nodes
        np.testing.assert_allclose(tree.class_weights, single.tree_.class_weights)
    votes = sum(alpha * (m.predict(X)[:, None] == model.classes_) for m, _, alpha in expected)
    np.testing.assert_allclose(model.predict_proba(X), votes / votes.sum(axis=1, keepdims=True))
    np.testing.assert_array_equal(model.predict(X), model.classes_[votes.argmax(axis=1)])


@pytest.mark.parametrize("table", [load_iris, load_wine, load_breast_cancer])
@pytest.mark.parametrize("depth", [1, 2])
def test_numeric_tables_are_boosted_as_scikit_learn_does(table: Any, depth: int) -> None:
    X, y = table(return_X_y=True)
    base = pt.CARTClassifier(max_depth=depth)
    expected = AdaBoostClassifier(base, n_estimators=12).fit(X, y)
    model = BoostedTreesClassifier(base, n_estimators=12).fit(X, y)
    n = len(model.trees_)
    assert n == len(expected.estimators_)
    np.testing.assert_allclose(model.estimator_errors_, expected.estimator_errors_[:n], atol=1e-12)
    scale = 0.5 if len(model.classes_) == 2 else 1  # scikit-learn's goes from -2 to 2 there
    np.testing.assert_allclose(
        model.decision_function(X), scale * expected.decision_function(X), atol=1e-9
    )
    np.testing.assert_array_equal(model.predict(X), expected.predict(X))


def test_weights_of_the_rows_keep_their_sum(messy: Pair) -> None:
    X, y = messy
    model = BoostedTreesClassifier(n_estimators=20).fit(X, y)
    assert len(model.trees_) == 20
    for tree in model.trees_:
        assert tree.weight[0] == pytest.approx(len(y))
    given = np.random.default_rng(1).uniform(1, 3, len(y))
    model = BoostedTreesClassifier(n_estimators=5).fit(X, y, given)
    for tree in model.trees_:
        assert tree.weight[0] == pytest.approx(given.sum())


def test_what_is_wrong_weighs_as_much_as_guessing_in_the_next_round(messy: Pair) -> None:
    """A tree has nothing to say about the weights that it leaves behind."""
    X, y = messy
    model = BoostedTreesClassifier(pt.CARTClassifier(max_depth=1), n_estimators=1).fit(X, y)
    wrong, alpha = model.predict(X) != y, model.estimator_weights_[0]
    after = np.where(wrong, np.exp(alpha), 1.0)
    assert after[wrong].sum() / after.sum() == pytest.approx(1 - 1 / 3)


def test_weights_of_rows_are_repetitions(messy: Pair) -> None:
    X, y = messy
    times = np.random.default_rng(3).integers(0, 4, len(X))
    weighted = BoostedTreesClassifier(pt.CARTClassifier(max_depth=1), n_estimators=5).fit(
        X, y, times
    )
    repeated = BoostedTreesClassifier(pt.CARTClassifier(max_depth=1), n_estimators=5)
    repeated.fit(X.loc[X.index.repeat(times)], np.repeat(y, times))
    np.testing.assert_allclose(weighted.estimator_errors_, repeated.estimator_errors_)
    np.testing.assert_array_equal(weighted.predict(X), repeated.predict(X))


def test_a_class_without_weight_is_no_class() -> None:
    """With two classes left, half the weight is what guessing gets wrong, not two thirds."""
    X, y = xor_table()
    X, y = np.vstack([X, [[7, 7]]]), np.append(y, 2)
    weights = np.append(np.ones(20), 0.0)
    model = BoostedTreesClassifier(pt.CARTClassifier(max_depth=1)).fit(X, y, weights)
    assert model.estimator_errors_.tolist() == [0.5]
    assert model.predict_proba(X).shape == (21, 3)


@given(seed=st.integers(0, 10_000), n_classes=st.integers(2, 4))
def test_errors_are_better_than_guessing_and_shares_add_up(seed: int, n_classes: int) -> None:
    random = np.random.default_rng(seed)
    X = random.integers(0, 4, (25, 3)).astype(float)
    y = random.integers(0, n_classes, 25)
    y[:n_classes] = np.arange(n_classes)
    model = BoostedTreesClassifier(pt.CARTClassifier(max_depth=1), n_estimators=6).fit(X, y)
    if len(model.trees_) > 1:
        assert np.all(model.estimator_errors_ < 1 - 1 / n_classes)
    assert np.all(model.estimator_weights_ > 0)
    shares = model.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_array_equal(model.predict(X), model.classes_[shares.argmax(axis=1)])


# -------------------------------------------------------------------- where it stops


def test_a_tree_without_errors_is_the_last() -> None:
    X, y = xor_table()
    model = BoostedTreesClassifier(pt.CARTClassifier()).fit(X, y)
    assert model.estimator_errors_.tolist() == [0.0]
    assert model.estimator_weights_ == pytest.approx([log(39)])  # as if half a row of 20 was wrong
    assert model.score(X, y) == 1.0


def test_a_later_tree_without_errors_is_kept_and_the_last() -> None:
    """A branch needs a weight of 2, which a row has once it was answered wrongly."""
    X, y = [[i] for i in range(10)], np.array([0] * 9 + [1])
    model = BoostedTreesClassifier(pt.CARTClassifier(min_weight_fraction_leaf=0.2)).fit(X, y)
    assert model.estimator_errors_ == pytest.approx([0.1, 0.0])
    assert model.estimator_weights_ == pytest.approx([log(9), log(19)])
    assert model.score(X, y) == 1.0


def test_a_useless_first_tree_answers_alone() -> None:
    X, y = xor_table()
    model = BoostedTreesClassifier(pt.CARTClassifier(max_depth=1)).fit(X, y)
    assert model.estimator_errors_.tolist() == [0.5]
    assert model.estimator_weights_.tolist() == [1.0]
    assert model.score(X, y) == 0.5


def test_a_useless_later_tree_is_dropped() -> None:
    """A constant column: the first tree says what most rows say, and then both halves are equal."""
    X, y = [[0]] * 10, np.array([0] * 8 + [1] * 2)
    model = BoostedTreesClassifier(pt.CARTClassifier(max_depth=1)).fit(X, y)
    assert model.estimator_errors_ == pytest.approx([0.2])
    assert model.estimator_weights_ == pytest.approx([log(4)])


def test_one_class_and_one_row_are_answered() -> None:
    for X, y in (([[1.0]], ["a"]), ([[1.0], [2.0]], ["a", "a"])):
        model = BoostedTreesClassifier().fit(X, y)
        assert model.predict([[5.0]]).tolist() == ["a"]
        assert model.predict_proba([[5.0]]).tolist() == [[1.0]]
        assert model.decision_function([[5.0]]).tolist() == [1.0]


def test_a_great_learning_rate_does_not_overflow(messy: Pair) -> None:
    X, y = messy
    model = BoostedTreesClassifier(
        pt.CARTClassifier(max_depth=1), learning_rate=1000, n_estimators=30
    ).fit(X, y)
    assert np.all(np.isfinite(model.estimator_weights_))
    for tree in model.trees_:
        assert tree.n_rows[0] == len(y)  # however light, no row is lost


# -------------------------------------------------------------------- answers


def test_stages_are_the_answers_of_fewer_trees(messy: Pair) -> None:
    X, y = messy
    model = BoostedTreesClassifier(pt.CARTClassifier(max_depth=1), n_estimators=6).fit(X, y)
    stages = zip(
        model.staged_predict(X),
        model.staged_predict_proba(X),
        model.staged_decision_function(X),
        model.staged_score(X, y),
        strict=True,
    )
    n_stages = 0
    for answers, shares, leads, score in stages:
        n_stages += 1
        fewer = BoostedTreesClassifier(pt.CARTClassifier(max_depth=1), n_estimators=n_stages).fit(
            X, y
        )
        np.testing.assert_array_equal(answers, fewer.predict(X))
        np.testing.assert_array_equal(shares, fewer.predict_proba(X))
        np.testing.assert_array_equal(leads, fewer.decision_function(X))
        assert score == fewer.score(X, y)
    assert n_stages == 6


def test_stages_are_scored_by_the_weights_of_the_rows(messy: Pair) -> None:
    X, y = messy
    weights = (y == "asks").astype(float)
    model = BoostedTreesClassifier(pt.CARTClassifier(max_depth=1), n_estimators=3).fit(X, y)
    scores = list(model.staged_score(X, y, weights))
    expected = [np.mean(answers[y == "asks"] == "asks") for answers in model.staged_predict(X)]
    assert scores == pytest.approx(expected)


def test_leads_go_from_minus_one_to_one() -> None:
    X, y = pt.datasets.load_tennis()
    model = BoostedTreesClassifier(pt.CARTClassifier(max_depth=2), n_estimators=5).fit(X, y)
    leads, shares = model.decision_function(X), model.predict_proba(X)
    np.testing.assert_allclose(leads, shares[:, 1] - shares[:, 0])
    np.testing.assert_array_equal(leads > 0, model.predict(X) == "Yes")


def test_importances_are_the_mean_of_the_trees_by_weight(messy: Pair) -> None:
    X, y = messy
    X = X.assign(constant=1)
    model = BoostedTreesClassifier(n_estimators=5).fit(X, y)
    pairs = zip(model.trees_, model.estimator_weights_, strict=True)
    mean = sum(w * tree.importances() for tree, w in pairs) / model.estimator_weights_.sum()
    np.testing.assert_allclose(model.feature_importances_, mean)
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.feature_importances_[3] == 0


def test_trees_are_ordinary_trees(messy: Pair) -> None:
    X, y = messy
    model = BoostedTreesClassifier(n_estimators=3).fit(X, y)
    for tree in model.trees_:
        assert tree.validate().schema == model.schema_
        assert pt.export_text(tree)
        assert pt.rules_of(tree)


def test_new_tables_may_have_gaps_and_unseen_categories(messy: Pair) -> None:
    X, y = messy
    model = BoostedTreesClassifier(n_estimators=5).fit(X, y)
    new = pd.DataFrame({"weight": [None, 1.0], "colour": ["black", None], "size": [0.0, None]})
    assert set(model.predict(new)) <= {"asks", "buys", "passes"}
    with pytest.raises(pt.PlaintreeError, match="size"):
        model.predict(X.drop(columns="size"))


def test_numbers_can_be_categories_or_intervals(messy: Pair) -> None:
    X, y = messy
    X = X.assign(code=np.arange(len(X)) % 5)
    named = BoostedTreesClassifier(n_estimators=2, categorical_features=["code"]).fit(X, y)
    base = pt.C45Classifier(categorical_features=["code"])
    of_base = BoostedTreesClassifier(base, n_estimators=2).fit(X, y)
    assert named.schema_ == of_base.schema_
    assert named.schema_.features[3].is_categorical
    cut = BoostedTreesClassifier(pt.ID3Classifier(numeric="intervals"), n_estimators=2).fit(X, y)
    assert cut.schema_.features[1].cuts
    assert cut.score(X, y) > 0.5


# -------------------------------------------------------------------- the same for everybody


def hashes(model: BoostedTreesClassifier) -> list[str]:
    return [tree.content_hash() for tree in model.trees_]


@pytest.mark.parametrize("base", [None, pt.CARTClassifier(max_depth=1)], ids=["tree", "stump"])
def test_threads_do_not_matter(base: Any) -> None:
    random = np.random.default_rng(2)
    X = pd.DataFrame(random.normal(size=(12_000, 3)), columns=list("abc"))
    X["e"] = random.choice(list("uvwxyz"), 12_000)
    y = ((X["a"] > 0) ^ (X["e"] == "u") ^ (random.random(12_000) < 0.1)).to_numpy()
    one, two = (BoostedTreesClassifier(base, n_estimators=4, n_jobs=n).fit(X, y) for n in (1, 2))
    assert hashes(one) == hashes(two)
    assert one.estimator_weights_.tolist() == two.estimator_weights_.tolist()


@pytest.mark.parametrize("base", [None, pt.CARTClassifier(max_depth=1)], ids=["tree", "stump"])
def test_the_order_of_the_rows_does_not_matter(messy: Pair, base: Any) -> None:
    X, y = messy
    expected = BoostedTreesClassifier(base, n_estimators=10).fit(X, y)
    order = np.random.default_rng(4).permutation(len(y))
    model = BoostedTreesClassifier(base, n_estimators=10).fit(X.iloc[order], y[order])
    assert hashes(model) == hashes(expected)
    assert model.estimator_errors_.tolist() == expected.estimator_errors_.tolist()


@pytest.mark.parametrize(
    "base",
    [
        pt.C45Classifier(pruning="reduced_error"),
        pt.CARTClassifier(pruning="cost_complexity", pruning_options={"choice": "min", "folds": 3}),
    ],
    ids=["reduced_error", "cost_complexity"],
)
def test_random_state_seeds_what_the_base_leaves_to_chance(messy: Pair, base: Any) -> None:
    X, y = messy
    one, same, other = (
        BoostedTreesClassifier(base, n_estimators=3, random_state=seed).fit(X, y)
        for seed in (0, 0, 5)
    )
    assert hashes(one) == hashes(same)
    assert hashes(one) != hashes(other)
    assert (
        base.get_params()["pruning_options"] is None or "random_state" not in base.pruning_options
    )


def test_random_state_seeds_a_base_that_has_one() -> None:
    """Memorising the same rows twice with contradictory labels leaves errors, so it goes on."""
    X = pd.DataFrame({"a": list("xxyyzz"), "b": list("pqpqpp")})
    y = ["0", "1", "1", "0", "0", "1"]
    base = pt.MemorizingTreeClassifier(random_state=3)
    one, same = (
        BoostedTreesClassifier(base, n_estimators=3, random_state=1).fit(X, y) for _ in range(2)
    )
    assert hashes(one) == hashes(same)
    assert base.random_state == 3


# -------------------------------------------------------------------- with scikit-learn's tools


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_shares_can_be_calibrated(messy: Pair, method: str) -> None:
    X, y = messy
    boosted = BoostedTreesClassifier(n_estimators=5)
    shares = CalibratedClassifierCV(boosted, method=method, cv=3).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)


def test_parameters_of_the_estimator_can_be_changed() -> None:
    model = BoostedTreesClassifier(pt.CARTClassifier(max_depth=1))
    model.set_params(estimator__max_depth=2, n_estimators=3)
    assert (model.estimator.max_depth, model.n_estimators) == (2, 3)


def test_the_members_are_estimators(messy: Pair) -> None:
    X, y = messy
    model = BoostedTreesClassifier(n_estimators=3).fit(X, y)
    assert len(model) == len(model.estimators_) == 3
    assert [one.tree_ for one in model] == list(model.trees_)


def test_number_of_classes(messy: Pair) -> None:
    assert not hasattr(BoostedTreesClassifier(), "n_classes_")
    assert BoostedTreesClassifier(n_estimators=2).fit(*messy).n_classes_ == len(set(messy[1]))


def test_parameters_of_the_base_can_be_searched(messy: Pair) -> None:
    X, y = messy
    boosted = BoostedTreesClassifier(pt.CARTClassifier(), n_estimators=3)
    search = GridSearchCV(boosted, {"estimator__max_depth": [1, 3]}, cv=3).fit(X, y)
    assert search.best_estimator_.trees_[0].depth == search.best_params_["estimator__max_depth"]


# -------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"estimator": "stump"}, "does not grow a single tree.* Got an object of type str"),
        ({"estimator": 7}, "does not grow a single tree.* Got an object of type int"),
        ({"estimator": pt.C45Classifier}, "Got an object of type"),
        ({"estimator": AdaBoostClassifier()}, "Got an object of type AdaBoostClassifier"),
        ({"estimator": pt.C45RulesClassifier()}, "doesn't support sample_weight"),
        ({"estimator": pt.CARTClassifier(max_depth=-1)}, "max_depth=-1"),
        ({"n_estimators": 0}, "n_estimators is out of range"),
        ({"n_estimators": 2.5}, "n_estimators=2.5"),
        ({"n_estimators": True}, "n_estimators=True"),
        ({"learning_rate": 0}, "learning_rate=0"),
        ({"learning_rate": float("nan")}, "learning_rate=nan"),
        ({"learning_rate": "fast"}, "learning_rate='fast'"),
        ({"n_jobs": 0}, "n_jobs=0"),
        ({"random_state": "x"}, "random_state='x'"),
        ({"categorical_features": ["siez"]}, "'size'"),
    ],
    ids=str,
)
def test_parameters_that_are_not_allowed(
    messy: Pair, parameters: dict[str, Any], message: str
) -> None:
    model = BoostedTreesClassifier(**{"n_estimators": 2, **parameters})
    with pytest.raises(pt.PlaintreeError, match=message):
        model.fit(*messy)
    assert not hasattr(model, "trees_")


def test_gaps_where_they_are_an_error(messy: Pair) -> None:
    X, y = messy
    base = pt.CARTClassifier(missing="error", max_depth=1)
    with pytest.raises(pt.PlaintreeError, match="'colour' has missing values"):
        BoostedTreesClassifier(base).fit(X, y)
    model = BoostedTreesClassifier(base, n_estimators=2).fit(X[["weight"]], y)
    with pytest.raises(pt.PlaintreeError, match="'weight' has missing values"):
        model.predict({"weight": [None, 1.0]})


@pytest.mark.slow
def test_ctrl_c_ends_a_fit() -> None:
    """A signal is noticed while trees are grown, and the model stays unfitted."""
    model = "pt.BoostedTreesClassifier(pt.CARTClassifier(max_depth=1), n_estimators=100_000)"
    left = interrupted_fit(model, n_rows=50_000, n_columns=5, after=0.5)
    assert left == ["interrupted"]


# -------------------------------------------------------------------- real tables


@pytest.mark.slow
@needs_shared
def test_boosting_makes_c45_better_on_most_tables() -> None:
    names = ["autos", "banknote", "crx", "iris", "monk1", "tic_tac_toe", "vote", "wine"]
    better = 0
    for name in names:
        X, y, fold = *load(name), folds(name)
        right = np.zeros(2)
        for held_out in np.unique(fold):
            test = fold == held_out
            for i, learner in enumerate(
                (pt.C45Classifier(), BoostedTreesClassifier(n_estimators=10))
            ):
                right[i] += np.sum(learner.fit(X[~test], y[~test]).predict(X[test]) == y[test])
        better += bool(right[1] > right[0])
    assert better >= 6


def test_progress_counts_trees() -> None:
    X, y = load_iris(return_X_y=True)
    seen: list[tuple[str, int, int]] = []
    model = BoostedTreesClassifier(pt.CARTClassifier(max_depth=1), n_estimators=5)
    model.fit(X, y, progress=lambda *step: seen.append(step))
    assert seen == [("growing trees", done, 5) for done in range(1, len(model) + 1)]
