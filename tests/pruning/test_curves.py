"""The over-fitting curve: errors of a sequence of nested trees."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from plaintree import (
    C45RulesClassifier,
    CARTClassifier,
    ID3Classifier,
    MemorizingTreeClassifier,
    datasets,
)
from plaintree.errors import ArgumentTypeError, ParameterError, TableError
from plaintree.pruning.curves import overfitting_curve
from tests.support.pruned import pruned_tree

BY = ("size", "alpha", "depth", "min_samples")


def noisy(n: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(seed)
    X = pd.DataFrame(random.random((n, 2)), columns=["a", "b"])
    return X, np.where((X["a"] > 0.5) ^ (random.random(n) < 0.25), "yes", "no")


@pytest.mark.parametrize("by", BY)
def test_from_a_single_leaf_to_the_whole_tree(by: Any) -> None:
    (X, y), validation = noisy(150, seed=0), noisy(150, seed=1)
    curve = overfitting_curve(CARTClassifier(), X, y, *validation, by=by)
    grown = CARTClassifier().fit(X, y)
    assert (curve.sizes[0], curve.sizes[-1]) == (0, grown.tree_.size)
    assert curve.depths[-1] == grown.tree_.depth
    assert (np.diff(curve.sizes) > 0).all()
    assert curve.training_errors[-1] == 0
    assert curve.validation_errors[-1] == pytest.approx(1 - grown.score(*validation))


@pytest.mark.parametrize("by", BY)
def test_the_picture_of_the_courses(by: Any) -> None:
    """Training errors fall and fall; validation errors fall, and then rise again."""
    curve = overfitting_curve(CARTClassifier(), *noisy(150, 0), *noisy(500, 1), by=by)
    assert (np.diff(curve.training_errors) <= 0).all()
    assert 0 < curve.best < len(curve) - 1
    lowest = curve.validation_errors[curve.best]
    assert lowest < min(curve.validation_errors[0], curve.validation_errors[-1])


def test_values_are_limits_that_prune_to_the_same_trees() -> None:
    (X, y), validation = noisy(80, seed=0), noisy(80, seed=1)
    model = ID3Classifier().fit(X, y)
    limits = {"depth": "max_depth", "min_samples": "min_samples_split"}
    for by, limit in limits.items():
        curve = overfitting_curve(model, X, y, *validation, by=by)
        sizes = [pruned_tree(model, "limits", **{limit: int(value)}).size for value in curve.values]
        assert curve.sizes.tolist() == sizes
    curve = overfitting_curve(model, X, y, *validation, by="alpha")
    sizes = [pruned_tree(model, "cost_complexity", alpha=alpha).size for alpha in curve.values]
    assert curve.sizes.tolist() == sizes


def test_by_size_the_values_are_sizes() -> None:
    curve = overfitting_curve(ID3Classifier(), *noisy(80, 0), *noisy(80, 1))
    assert curve.values.tolist() == curve.sizes.tolist()


def test_long_sequences_are_thinned_out() -> None:
    table, validation = noisy(300, seed=0), noisy(50, seed=1)
    curve = overfitting_curve(CARTClassifier(), *table, *validation, max_trees=10)
    whole = overfitting_curve(CARTClassifier(), *table, *validation)
    assert len(curve) == 10
    assert (curve.sizes[0], curve.sizes[-1]) == (0, whole.sizes[-1])


def test_a_tree_is_taken_as_it_is() -> None:
    (X, y), validation = noisy(80, seed=0), noisy(80, seed=1)
    tree = pruned_tree(CARTClassifier().fit(X, y), "limits", max_depth=3)
    assert overfitting_curve(tree, X, y, *validation, by="depth").sizes[-1] == tree.size


def test_the_model_itself_stays_unfitted() -> None:
    model = CARTClassifier()
    overfitting_curve(model, *noisy(50, 0), *noisy(50, 1))
    assert not hasattr(model, "tree_")


def test_a_memorising_tree() -> None:
    X, y = datasets.load_tennis()
    curve = overfitting_curve(MemorizingTreeClassifier(random_state=0), X, y, X, y, by="depth")
    assert curve.training_errors[-1] == 0


def test_as_a_frame() -> None:
    frame = overfitting_curve(CARTClassifier(), *noisy(50, 0), *noisy(50, 1)).to_frame()
    assert frame.columns == [
        "value", "size", "n_leaves", "depth", "training_error", "validation_error",
    ]  # fmt: skip


def test_what_is_refused() -> None:
    (X, y), (X_val, y_val) = noisy(50, 0), noisy(50, 1)
    with pytest.raises(ParameterError, match=r"by has a value.*'size', 'alpha', 'depth'"):
        overfitting_curve(CARTClassifier(), X, y, X_val, y_val, by="leaves")  # type: ignore[arg-type]
    with pytest.raises(TableError, match=r"X has 0 sample"):
        overfitting_curve(CARTClassifier(), X, y, X_val[:0], y_val[:0])
    with pytest.raises(TableError, match=r"not trained on. Got 'perhaps' in row 1"):
        overfitting_curve(CARTClassifier(), X, y, X_val, ["perhaps"] * 50)
    with pytest.raises(ParameterError, match=r"max_trees is out of range"):
        overfitting_curve(CARTClassifier(), X, y, X_val, y_val, max_trees=1)
    with pytest.raises(ArgumentTypeError, match=r"'sample_weight'. Hint: C4.5rules counts rows"):
        overfitting_curve(C45RulesClassifier(), X, y, X_val, y_val, sample_weight=np.ones(50))
    with pytest.raises(ArgumentTypeError, match=r"an estimator is needed to grow the trees"):
        overfitting_curve("CART", X, y, X_val, y_val)
