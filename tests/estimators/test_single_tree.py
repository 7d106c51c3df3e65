"""What all estimators of one tree share with scikit-learn's: seeds, weights, complexity."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.tree import DecisionTreeClassifier as Theirs
from sklearn.utils.class_weight import compute_sample_weight

import plaintree as pt

EACH = pytest.mark.parametrize(
    "learner", [pt.ID3Classifier, pt.C45Classifier, pt.CARTClassifier, pt.DecisionTreeClassifier]
)
IRIS = load_iris(return_X_y=True)


def tree_of(model: Any) -> str:
    return str(model.fit(*IRIS).tree_.content_hash())


class TestMaxFeatures:
    @EACH
    def test_samples_features_at_every_node(self, learner: Any) -> None:
        full, sampled = (tree_of(learner(max_features=n)) for n in (None, 1))
        assert full != sampled

    def test_a_tree_of_sampled_features_is_the_first_one_of_a_forest(self) -> None:
        X, y = IRIS
        one = pt.CARTClassifier(max_features=2, random_state=3).fit(X, y)
        forest = pt.RandomForestClassifier(2, max_features=2, bootstrap=False, random_state=3)
        assert one.tree_.content_hash() == forest.fit(X, y).trees_[0].content_hash()

    @EACH
    def test_all_features_need_no_seed(self, learner: Any) -> None:
        assert len({tree_of(learner(random_state=seed)) for seed in (0, 1, None)}) == 1

    def test_is_remembered_as_a_number(self) -> None:
        assert pt.CARTClassifier(max_features=0.5).fit(*IRIS).max_features_ == 2


class TestRandomState:
    @EACH
    @pytest.mark.parametrize("options", [{"max_features": 1}, {"pruning": "reduced_error"}])
    def test_the_default_gives_one_tree(self, learner: Any, options: Any) -> None:
        assert len({tree_of(learner(**options)) for _ in range(6)}) == 1

    def test_seeds_pruning_as_well(self) -> None:
        seeded = {
            tree_of(pt.CARTClassifier(pruning="reduced_error", random_state=seed))
            for seed in range(8)
        }
        assert len(seeded) > 1

    def test_none_is_chance_and_says_so(self) -> None:
        chance = pt.CARTClassifier(max_features=1, random_state=None)
        assert len({tree_of(chance) for _ in range(8)}) > 1
        assert chance.__sklearn_tags__().non_deterministic
        assert not pt.CARTClassifier(max_features=1).__sklearn_tags__().non_deterministic
        assert not pt.CARTClassifier(random_state=None).__sklearn_tags__().non_deterministic


class TestClassWeight:
    @EACH
    @pytest.mark.parametrize("weight", ["balanced", {0: 1, 1: 5, 2: 0.5}])
    def test_is_a_weight_of_every_row(self, learner: Any, weight: Any) -> None:
        X, y = IRIS
        X, y = X[20:], y[20:]
        given = learner(class_weight=weight).fit(X, y)
        by_hand = learner().fit(X, y, compute_sample_weight(weight, y))
        np.testing.assert_allclose(given.tree_.class_weights, by_hand.tree_.class_weights)

    def test_is_not_applied_twice_where_pruning_grows_again(self) -> None:
        X, y = load_breast_cancer(return_X_y=True)
        options = {"pruning": "cost_complexity", "pruning_options": {"choice": "min", "folds": 3}}
        given = pt.CARTClassifier(class_weight="balanced", **options).fit(X, y)
        by_hand = pt.CARTClassifier(**options).fit(X, y, compute_sample_weight("balanced", y))
        assert given.tree_.n_nodes == by_hand.tree_.n_nodes


class TestCostComplexity:
    @pytest.mark.parametrize("criterion", ["gini", "entropy"])
    def test_the_path_is_scikit_learns(self, criterion: Any) -> None:
        X, y = load_breast_cancer(return_X_y=True)
        X = X[:, :6].round(2)
        ours = pt.CARTClassifier(criterion, max_depth=4).cost_complexity_pruning_path(X, y)
        theirs = Theirs(criterion=criterion, max_depth=4, random_state=0)
        path = theirs.cost_complexity_pruning_path(X, y)
        np.testing.assert_allclose(ours.ccp_alphas, path.ccp_alphas, atol=1e-12)
        np.testing.assert_allclose(ours.impurities, path.impurities, atol=1e-12)

    @pytest.mark.parametrize("alpha", [0.0, 0.005, 0.02, 0.1, 1.0])
    def test_ccp_alpha_prunes_as_scikit_learn_does(self, alpha: float) -> None:
        X, y = load_breast_cancer(return_X_y=True)
        ours = pt.CARTClassifier(ccp_alpha=alpha, max_depth=4).fit(X, y)
        theirs = Theirs(ccp_alpha=alpha, max_depth=4, random_state=0).fit(X, y)
        assert ours.get_n_leaves() == theirs.get_n_leaves()

    @pytest.mark.parametrize("alpha", [-0.1, "much", None])
    def test_must_be_a_number_from_zero(self, alpha: Any) -> None:
        with pytest.raises(pt.PlaintreeError, match="ccp_alpha"):
            pt.CARTClassifier(ccp_alpha=alpha).fit(*IRIS)


class TestMinImpurityDecrease:
    @pytest.mark.parametrize("least", [1e-4, 0.01, 0.05, 0.3, 0.5])
    def test_stops_where_scikit_learn_stops(self, least: float) -> None:
        X, y = load_breast_cancer(return_X_y=True)
        ours = pt.CARTClassifier(min_impurity_decrease=least).fit(X, y)
        theirs = Theirs(min_impurity_decrease=least, random_state=0).fit(X, y)
        assert ours.get_n_leaves() == theirs.get_n_leaves()

    def test_counts_the_weight_of_a_node(self) -> None:
        """Every split of the tree gains that much; leaves may, but not by any of their splits."""
        tree = pt.CARTClassifier(min_impurity_decrease=0.02).fit(*IRIS).tree_
        inner = tree.n_children > 0
        assert (tree.score[inner] * tree.weight[inner] / tree.weight[0] >= 0.02).all()


@pytest.mark.parametrize("pruning", [None, "pessimistic", "reduced_error"])
def test_confidence_is_refused_where_it_would_not_be_used(pruning: Any) -> None:
    X, y = pt.datasets.load_golf()
    model = pt.C45Classifier(pruning=pruning, confidence=0.1)
    words = f"confidence=0.1 with pruning={pruning!r}. Hint: leave out confidence, or set pruning"
    with pytest.raises(pt.errors.ParameterError, match=words):
        model.fit(X, y)
    assert model.set_params(confidence=0.25).fit(X, y).tree_.n_nodes


def test_copies_that_do_not_prune_leave_out_the_confidence() -> None:
    X, y = pt.datasets.load_golf()
    model = pt.C45Classifier(confidence=0.1)
    assert len(model.cost_complexity_pruning_path(X, y).ccp_alphas)
    data = {"X": X, "y": y}
    assert pt.prune(model.fit(X, y), "cost_complexity", **data, choice="min", folds=2).tree_.n_nodes
