"""significance=: the stated level holds on noise, although the best of many splits is tested."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

import plaintree as pt
from plaintree import _core
from plaintree.errors import ParameterError
from plaintree.tree.condition import NodeKind
from plaintree.tree.significance import p_values


def noise(seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(seed)
    columns = {f"x{j}": random.standard_normal(200) for j in range(8)}
    columns |= {f"c{j}": random.choice(list("abcd"), 200) for j in range(4)}
    return pd.DataFrame(columns), random.integers(0, 2, 200)


@pytest.mark.parametrize("learner", [pt.CARTClassifier, pt.ID3Classifier])
def test_noise_is_seldom_split(learner: type) -> None:
    grown = [learner(significance=0.05).fit(*noise(seed)).tree_.size > 0 for seed in range(40)]
    assert sum(grown) <= 6  # more happens with a probability below 0.02 at a level of 0.05


def test_the_textbook_test_splits_nearly_all_noise() -> None:
    plain = pt.CARTClassifier(significance=0.05, significance_test="chi_square")
    assert sum(plain.fit(*noise(seed)).tree_.size > 0 for seed in range(10)) >= 8


def test_a_signal_is_found() -> None:
    X, _ = noise(0)
    tree = pt.CARTClassifier(significance=0.05).fit(X, X["x3"] > 0.2).tree_
    assert tree.size == 1
    assert p_values(tree)[0] < 1e-20


def test_every_split_shown_reaches_the_level() -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    tree = pt.CARTClassifier(significance=0.05).fit(X, y).tree_
    assert tree.size >= 2
    assert p_values(tree).max() <= 0.05
    doubtful = p_values(tree, "chi_square") > 1e-10  # below, chi-square is rougher than Fisher
    assert doubtful.any()
    assert (p_values(tree, "chi_square") <= p_values(tree))[doubtful].all()


def test_a_column_of_few_values_is_adjusted_for_few_thresholds() -> None:
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 300)
    flag = np.where(random.random(300) < 0.25, y, random.integers(0, 2, 300))
    many = flag + 0.5 * random.random(300) * np.where(flag, 1, -1)  # the same best split
    two, all_values = (
        pt.CARTClassifier(max_depth=1).fit(pd.DataFrame({"x": x}), y).tree_ for x in (flag, many)
    )
    assert (two.class_weights == all_values.class_weights).all()
    assert two.schema.features[0].n_values == 2
    assert all_values.schema.features[0].n_values == 300
    assert 10 * p_values(two)[0] < p_values(all_values)[0]


def test_the_p_value_survives_pruning_and_a_model_file(tmp_path: Path) -> None:
    X, _ = noise(1)
    X["few"] = (X["x1"] > 0).astype(float)
    model = pt.CARTClassifier(max_depth=2).fit(X[["few"]], X["x1"] + X["x2"] > 0)
    pt.save(model, tmp_path / "few.model")
    read = pt.load(tmp_path / "few.model")
    cut = model.tree_.cut(1)
    assert p_values(read.tree_)[0] == p_values(cut)[0] == p_values(model.tree_)[0] > 0


def test_an_unknown_test_is_refused() -> None:
    with pytest.raises(ParameterError, match="significance_test"):
        pt.CARTClassifier(significance_test="wald").fit(*noise(0))


@pytest.mark.parametrize("weight", [2.0**23, 2.0**40, 1e60, 1e100])
def test_weights_of_any_size_have_p_values(weight: float) -> None:
    """Three branches with a rare class: random tables would shuffle as many rows as the weight."""
    table = [weight, 0, 1, 0, weight, 0, weight / 2, weight / 2, 0]
    for kind in (NodeKind.MULTIWAY, NodeKind.GROUPED):
        assert _core.adjusted_p(table, 3, int(kind), 3, 4) < 1e-9
    assert _core.adjusted_p([weight, weight, weight, weight], 2, 1, 0, 4) == 1.0
