"""The choice of alpha by cross-validation: errors of the folds' trees, and which tree is chosen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from plaintree import C45Classifier, CARTClassifier, ID3Classifier, datasets
from plaintree.errors import ArgumentTypeError, ParameterError, TableError
from plaintree.pruning.curves import pruning_path
from plaintree.pruning.path import PruningPath
from tests.support.pruned import pruned_tree
from tests.support.trees import tennis


def noisy_table() -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.random((300, 3)), columns=list("abc"))
    return X, np.where((X["a"] > 0.5) ^ (random.random(300) < 0.2), "yes", "no")


class TestCrossValidation:
    @pytest.mark.parametrize("links", ["weakest", "rpart"])
    def test_errors_are_those_of_the_folds_trees(self, links: Any) -> None:
        X, y = noisy_table()
        fold_of = np.arange(len(y)) % 4
        path = pruning_path(CARTClassifier().fit(X, y), X, y, folds=fold_of, links=links)
        means = [*np.sqrt(path.alphas[:-1] * path.alphas[1:]), np.inf]
        wrong = np.zeros(len(path))
        for fold in range(4):
            training, test = fold_of != fold, fold_of == fold
            model = CARTClassifier().fit(X[training], y[training])
            nested = pruning_path(model, links=links)
            for i, alpha in enumerate(means):
                model.tree_ = nested.tree(alpha)
                wrong[i] += np.count_nonzero(model.predict(X[test]) != y[test])
        assert path.cv_errors == pytest.approx(wrong / len(y))

    def test_one_se_is_no_larger_than_the_minimum(self) -> None:
        X, y = noisy_table()
        model = CARTClassifier().fit(X, y)
        sizes = [
            pruned_tree(model, "cost_complexity", X, y, choice=choice, random_state=0).size
            for choice in ("min", "one_se")
        ]
        assert model.tree_.size > sizes[0] >= sizes[1] == 1

    def test_the_choices_by_their_definitions(self) -> None:
        flat = np.zeros(4)
        path = PruningPath(
            tennis(), "error", "weakest", flat, np.array([0, 0.1, 0.2, 0.3]), flat.astype(int),
            flat.astype(int), flat, np.array([0.20, 0.20, 0.23, 0.4]), np.full(4, 0.03),
        )  # fmt: skip
        assert path.best_alpha("min") == 0.1
        assert path.best_alpha("one_se") == 0.2
        with pytest.raises(ParameterError, match=r"choice has a value.*'min', 'one_se'"):
            path.best_alpha("best")  # type: ignore[arg-type]

    def test_the_same_seed_gives_the_same_folds(self) -> None:
        X, y = noisy_table()
        model = CARTClassifier().fit(X, y)
        first, second = (pruning_path(model, X, y, folds=5, random_state=3) for _ in range(2))
        assert first.cv_errors.tolist() == second.cv_errors.tolist()

    def test_a_class_that_a_fold_lacks_counts_as_wrong(self) -> None:
        X, y = pd.DataFrame({"x": [1.0, 2, 3, 4, 5, 6]}), ["a", "a", "b", "b", "c", "b"]
        path = pruning_path(CARTClassifier().fit(X, y), X, y, folds=[0, 1, 0, 1, 0, 1])
        assert path.cv_errors[0] >= 1 / 6

    def test_gaps_and_weights(self) -> None:
        X, y = datasets.load_golf()
        weights = np.arange(1, 15)
        model = C45Classifier(pruning=None).fit(X, y, weights)
        path = pruning_path(model, X, y, weights, folds=3, random_state=0)
        assert ((path.cv_errors >= 0) & (path.cv_errors <= 1)).all()

    def test_the_size_of_weights_does_not_matter(self) -> None:
        X, y = noisy_table()
        model, shares = CARTClassifier().fit(X, y), np.full(len(y), 1 / len(y))
        plain, shared = (
            pruning_path(model, X, y, weights, folds=4, random_state=0)
            for weights in (None, shares)
        )
        assert shared.cv_errors == pytest.approx(plain.cv_errors)
        assert shared.cv_deviations == pytest.approx(plain.cv_deviations)

    @pytest.mark.parametrize(
        "convert",
        [
            lambda frame: frame.to_dict("list"),
            lambda frame: frame.to_dict("records"),
            pl.from_pandas,
            pa.Table.from_pandas,
        ],
        ids=["a dict of lists", "rows as dicts", "polars", "Arrow"],
    )
    def test_any_kind_of_table(self, convert: Any) -> None:
        X, y = noisy_table()
        model, fold_of = CARTClassifier().fit(X, y), np.arange(len(y)) % 3
        expected = pruning_path(model, X, y, folds=fold_of).cv_errors
        found = pruning_path(model, convert(X), y.tolist(), folds=fold_of).cv_errors
        assert found.tolist() == expected.tolist()

    def test_a_tree_needs_its_learner(self) -> None:
        X, y = datasets.load_tennis()
        tree = ID3Classifier().fit(X, y).tree_
        with pytest.raises(ArgumentTypeError, match=r"an estimator is needed.*learner="):
            pruned_tree(tree, "cost_complexity", X, y, choice="min")
        options = {"choice": "min", "random_state": 0, "folds": 5}
        by_tree = pruned_tree(tree, "cost_complexity", X, y, learner=ID3Classifier(), **options)
        by_model = pruned_tree(ID3Classifier().fit(X, y), "cost_complexity", X, y, **options)
        assert by_tree.difference(by_model) is None

    def test_a_learner_is_an_object(self) -> None:
        X, y = datasets.load_tennis()
        with pytest.raises(
            ArgumentTypeError, match=r"Got the class ID3Classifier. Hint: .*learner=CART"
        ):
            pruning_path(ID3Classifier().fit(X, y).tree_, X, y, learner=ID3Classifier)

    def test_progress_is_told_when_asked_for(self) -> None:
        X, y = datasets.load_tennis()
        model, told = ID3Classifier().fit(X, y), []
        steps = [("cross-validating", done, 3) for done in range(4)]

        def report(*step: Any) -> None:
            told.append(step)

        pruned_tree(model, "cost_complexity", X, y, choice="min", folds=3, progress=report)
        assert told == steps
        pruning_path(model, X, y, folds=3, progress=report)
        assert told == steps * 2

    def test_labels_and_weights_need_their_table(self) -> None:
        X, y = datasets.load_tennis()
        model = ID3Classifier().fit(X, y)
        for rest in ({"y": y}, {"sample_weight": np.ones(14)}):
            with pytest.raises(ArgumentTypeError, match=r"X is not a table"):
                pruning_path(model, **rest)

    def test_it_needs_the_training_rows(self) -> None:
        X, y = datasets.load_tennis()
        with pytest.raises(TableError, match=r"training rows, to choose alpha"):
            pruned_tree(ID3Classifier().fit(X, y), "cost_complexity", choice="min")

    def test_a_path_that_was_not_cross_validated(self) -> None:
        with pytest.raises(ParameterError, match=r"has not been cross-validated"):
            pruning_path(tennis()).best_alpha()

    @pytest.mark.parametrize("folds", [1, 2.5, "ten", True, None])
    def test_folds_that_are_no_number(self, folds: Any) -> None:
        X, y = datasets.load_tennis()
        with pytest.raises(ParameterError, match=r"folds is not a number of folds"):
            pruning_path(ID3Classifier().fit(X, y), X, y, folds=folds)

    @pytest.mark.parametrize("folds", [[0] * 14, [0, 1], [0.5] * 14])
    def test_folds_that_are_not_one_per_row(self, folds: Any) -> None:
        X, y = datasets.load_tennis()
        with pytest.raises(TableError, match=r"folds does not give a fold number for each row"):
            pruning_path(ID3Classifier().fit(X, y), X, y, folds=folds)
