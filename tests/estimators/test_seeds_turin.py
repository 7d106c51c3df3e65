"""The Turin notes' figures: seven patients and the flu, by the information gain ratio."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest

from plaintree import ID3Classifier
from plaintree.datasets import load_flu, load_or_and
from plaintree.tree.condition import NodeKind
from tests.support.worked_steps import branch, fitted, outline, remaining, score, stump

CUT_OFF = 1.01e-4
"""Figures with four digits, cut off or rounded."""

ROOT = (  # conditional entropy, gain, entropy of the attribute, gain ratio
    ("Temperature", 0.3936, 0.5916, 1.4488, 0.4083),
    ("Headache", 0.4636, 0.5216, 0.9852, 0.5294),
    ("Nausea", 0.9650, 0.0202, 0.9852, 0.0205),
)
BRANCHES = (
    ("Temperature", {"very_high": 0, "high": 0.9183, "normal": 0}),
    ("Headache", {"yes": 0.8113, "no": 0}),
    ("Nausea", {"yes": 1, "no": 0.9183}),
)


def test_entropy_of_the_class() -> None:
    assert stump(load_flu(), "Nausea").impurity == pytest.approx(0.9852, abs=CUT_OFF)


@pytest.mark.parametrize(("column", "entropies"), BRANCHES)
def test_entropies_of_the_branches(column: str, entropies: dict[str, float]) -> None:
    node = stump(load_flu(), column)
    for value, entropy in entropies.items():
        assert branch(node, value).impurity == pytest.approx(entropy, abs=CUT_OFF)


@pytest.mark.parametrize(("column", "left", "gain", "own", "ratio"), ROOT)
def test_gain_and_ratio_at_the_root(
    column: str, left: float, gain: float, own: float, ratio: float
) -> None:
    flu = load_flu()
    found = score(flu, column, "gain_ratio")
    assert remaining(stump(flu, column)) == pytest.approx(left, abs=CUT_OFF)
    assert score(flu, column) == pytest.approx(gain, abs=CUT_OFF)
    assert score(flu, column) / found == pytest.approx(own, abs=CUT_OFF)
    assert found == pytest.approx(ratio, abs=CUT_OFF)


def test_second_node_by_temperature() -> None:
    flu = load_flu()
    node = stump(flu, "Temperature", Headache="yes")
    assert node.impurity == pytest.approx(0.8113, abs=CUT_OFF)
    assert remaining(node) == 0
    assert node.score == pytest.approx(0.8113, abs=CUT_OFF)
    ratio = score(flu, "Temperature", "gain_ratio", Headache="yes")
    assert node.score / ratio == pytest.approx(1.5)
    assert ratio == pytest.approx(0.5408, abs=CUT_OFF)


def test_second_node_by_nausea() -> None:
    flu = load_flu()
    node = stump(flu, "Nausea", Headache="yes")
    assert branch(node, "yes").impurity == 0
    assert branch(node, "no").impurity == 1
    assert remaining(node) == 0.5
    assert node.score == pytest.approx(0.3113, abs=CUT_OFF)
    # Printed H(X3) = 0.9852 and a ratio of 0.3160; nausea is yes, yes, no, no here, so its
    # entropy is 1 and the ratio 0.3113.
    ratio = score(flu, "Nausea", "gain_ratio", Headache="yes")
    assert ratio == pytest.approx(0.3113, abs=CUT_OFF)


def test_the_tree_and_the_new_vectors() -> None:
    model = fitted(ID3Classifier("gain_ratio"), load_flu())
    assert outline(model.tree_.root) == {
        "Headache": {
            "no": "no",
            "yes": {"Temperature": {"high": "yes", "normal": "no", "very_high": "yes"}},
        }
    }
    new = pl.DataFrame(
        {
            "Temperature": ["normal", "very_high"],
            "Headache": ["yes", "yes"],
            "Nausea": ["yes", "no"],
        }
    )
    assert model.predict(new).tolist() == ["no", "yes"]


def test_exercise_2_three_variables() -> None:
    model = fitted(ID3Classifier("gain_ratio"), load_or_and())
    assert model.score(*load_or_and()) == 1
    assert model.tree_.root.feature == "x3"
    assert model.tree_.size == 3


def test_a_numeric_feature_can_be_tested_again() -> None:
    """Example 1: true where x1 and x2 differ in sign, on the notes' grid of steps of 0.05."""
    axis = np.round(np.arange(-20, 21) * 0.05, 2)
    grid = np.array(list(product(axis, repeat=2)))
    differ = np.sign(grid[:, 0]) * np.sign(grid[:, 1]) < 0
    model = ID3Classifier("gain_ratio").fit(grid, differ)
    assert len(grid) == 1681
    assert model.score(grid, differ) == 1
    # Any cut is a midpoint of the grid, as the printed -0.125, -0.025 and 0.025 are.
    cuts = model.tree_.threshold[model.tree_.kind == NodeKind.THRESHOLD]
    np.testing.assert_allclose(np.round(cuts / 0.05 - 0.5), cuts / 0.05 - 0.5, atol=1e-9)
    assert len(cuts) > len(set(model.tree_.feature.tolist()) - {-1})


def test_an_empty_subset_answers_like_its_parent() -> None:
    frame = {"a": ["p", "p", "p", "q", "q"], "b": ["u", "v", "v", "v", "w"]}
    root = ID3Classifier().fit(frame, ["no", "yes", "yes", "no", "no"]).tree_.root
    empty = branch(branch(root, "p"), "w")
    assert empty.is_leaf
    assert (empty.weight, empty.label, root.label) == (0, "yes", "no")


def test_no_features_left_answers_with_the_most_common_class() -> None:
    root = ID3Classifier().fit({"a": ["p", "p", "p", "q"]}, ["no", "no", "yes", "yes"]).tree_.root
    leaf = branch(root, "p")
    assert leaf.is_leaf
    assert leaf.counts == {"no": 2, "yes": 1}
    assert leaf.label == "no"
