"""Editing regression trees: refit, relabel, graft and merge, against plain means and medians."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import plaintree as pt
from plaintree.errors import ParameterError, TableError
from plaintree.tree.tree import Tree

CRITERIA = ("squared_error", "absolute_error", "poisson")


def table(seed: int, n: int = 120) -> tuple[dict[str, Any], np.ndarray, np.ndarray]:
    """Numbers and categories with missing values, positive targets, and weights."""
    random = np.random.default_rng(seed)
    x = random.integers(0, 12, n) / 2
    color = random.choice(["red", "green", "blue"], n).astype(object)
    y = random.integers(0, 30, n) / 4 + x + 3 * (color == "red")
    color[random.random(n) < 0.15] = None
    holes = random.random(n) < 0.15
    return {"x": np.where(holes, np.nan, x), "color": color}, y, random.integers(1, 5, n) / 4


def naive_numbers(y: np.ndarray, w: np.ndarray, criterion: str) -> tuple[float, float]:
    """Prediction and impurity of rows with integer multiples of 1/4 as weights."""
    rows = np.repeat(y, np.rint(4 * w).astype(int))
    if criterion == "absolute_error":
        median = float(np.median(rows))
        return median, float(np.abs(rows - median).mean())
    mean = rows.mean()
    if criterion == "squared_error":
        return mean, float(((rows - mean) ** 2).mean())
    positive = rows[rows > 0]
    return mean, float((positive * np.log(positive / mean)).sum() / len(rows))


# ---------------------------------------------------------------- refit


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("missing", ["most_common", "fractional", "branch"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_training_rows_give_the_same_tree(criterion: Any, missing: Any, weighted: bool) -> None:
    X, y, w = table(1)
    weights = w if weighted else None
    model = pt.DecisionTreeRegressor(criterion=criterion, missing=missing, max_depth=4)
    tree = model.fit(X, y, weights).tree_
    again = tree.refit(X, y, weights)
    assert again.difference(tree) is None
    assert again.prediction.tobytes() == tree.prediction.tobytes()
    assert again.edits[-1]["edit"] == "refit"


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("seed", range(4))
def test_other_rows_give_their_own_numbers(criterion: Any, seed: int) -> None:
    """Rows that reach a node are those whose decision path contains it."""
    X, y, w = table(seed)
    model = pt.DecisionTreeRegressor(criterion=criterion, missing="most_common", max_depth=3)
    tree = model.fit(X, y, w).tree_
    others, target, weights = table(seed + 10, 60)
    again = tree.refit(others, target, weights)
    reached = model.decision_path(others).toarray().astype(bool)
    for node in range(tree.n_nodes):
        rows = reached[:, node]
        assert again.n_rows[node] == rows.sum()
        if rows.any():
            expected = naive_numbers(target[rows], weights[rows], criterion)
            found = again.prediction[node], again.impurity[node]
            assert found == pytest.approx(expected, abs=1e-12)
            assert again.weight[node] == pytest.approx(weights[rows].sum())


def test_a_node_that_no_row_reaches_keeps_the_number_of_its_parent() -> None:
    tree = pt.CARTRegressor(max_depth=2).fit([[1], [2], [3], [4]], [1, 2, 8, 9]).tree_
    again = tree.refit([[1], [2]], [5, 7])
    right = again.root.children[1]
    assert (right.prediction, right.weight, right.n_rows) == (6.0, 0.0, 0)
    assert {child.prediction for child in right.children} == {6.0}


def test_a_divided_row_counts_in_each_branch_by_its_share() -> None:
    model = pt.DecisionTreeRegressor(max_depth=1, missing="fractional")
    tree = model.fit([[1.0], [2.0], [8.0], [9.0]], [1, 1, 9, 9]).tree_
    again = tree.refit([[1.0], [8.0], [np.nan]], [0, 10, 5])
    left, right = again.root.children
    assert (left.weight, right.weight) == (1.5, 1.5)
    assert (left.prediction, right.prediction) == pytest.approx((5 / 3, 25 / 3))


def test_targets_that_do_not_fit_are_refused() -> None:
    tree = pt.CARTRegressor().fit([[1], [2]], [1, 2]).tree_
    with pytest.raises(TableError, match="is not numeric, and a regressor predicts numbers"):
        tree.refit([[1], [2]], ["a", "b"])
    counts = pt.DecisionTreeRegressor(criterion="poisson").fit([[1], [2]], [1, 2]).tree_
    with pytest.raises(TableError, match="below 0"):
        counts.refit([[1], [2]], [1, -2])


# ---------------------------------------------------------------- relabel, graft, merge


def grown() -> Tree:
    return pt.CARTRegressor(max_depth=1).fit([[1], [2], [8], [9]], [1, 3, 9, 11]).tree_


def test_a_leaf_predicts_the_number_that_it_is_given() -> None:
    tree = grown().relabel(2, 20)
    assert pt.export_rules(tree).splitlines()[1].startswith("IF x0 > 5 THEN 20 ")
    assert (tree.edits[-1]["from"], tree.edits[-1]["to"]) == (10.0, 20.0)
    with pytest.raises(ParameterError, match=r"label is out of range.*'much'"):
        grown().relabel(2, "much")


def test_a_graft_is_counted_by_refit() -> None:
    X, y = [[1], [2], [8], [9]], [1, 3, 9, 11]
    tree = grown().graft(2, "x0 <= 8.5", labels=[9, 11])
    assert tree.prediction[tree.n_children == 0].tolist() == [2.0, 9.0, 11.0]
    assert tree.refit(X, y).prediction[tree.n_children == 0].tolist() == [2.0, 9.0, 11.0]
    with pytest.raises(ParameterError, match="labels must be one number per branch"):
        grown().graft(2, "x0 <= 8.5", labels=[9])


def test_merged_leaves_predict_the_number_that_both_predict() -> None:
    """Not the mean of the training rows, which relabelled leaves do not predict."""
    tree = grown().relabel(1, 20.0).relabel(2, 20.0)
    merged = tree.merge_leaves()
    assert (merged.n_nodes, merged.root.prediction) == (1, 20.0)
