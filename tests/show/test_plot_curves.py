"""Curves of errors: what is on the axes, and what is marked."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import plaintree as pt
from plaintree.errors import ArgumentTypeError
from plaintree.show.plot.curves import plot_oob, plot_overfitting, plot_pruning
from tests.support.figures import figures_are_closed, legend_texts, painted, plt

__all__ = ["figures_are_closed"]


@pytest.fixture(scope="module")
def rows() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    X = random.random((120, 3))
    return X, (X[:, 0] > 0.5) ^ (random.random(120) < 0.2)


@pytest.mark.parametrize(
    ("by", "label"),
    [("size", "size of the tree (internal nodes)"), ("depth", "depth of the tree")],
)
def test_errors_against_size_with_the_chosen_tree_marked(rows: Any, by: Any, label: str) -> None:
    X, y = rows
    curve = pt.pruning.overfitting_curve(pt.CARTClassifier(), X[:60], y[:60], X[60:], y[60:], by=by)
    _, ax = plt.subplots()
    assert painted(plot_overfitting(curve, ax=ax)) is ax
    training, validation, chosen = ax.lines
    sizes = curve.depths if by == "depth" else curve.sizes
    assert training.get_xdata().tolist() == validation.get_xdata().tolist() == sizes.tolist()
    assert training.get_ydata().tolist() == curve.training_errors.tolist()
    assert chosen.get_ydata().tolist() == [curve.validation_errors.min()]
    assert ax.get_xlabel() == label
    assert legend_texts(ax)[2].startswith(f"chosen: {by} {sizes[curve.best]} (")


def test_a_pruning_path_with_its_errors_and_leaves(rows: Any) -> None:
    path = pt.pruning.pruning_path(pt.CARTClassifier().fit(*rows))
    ax = painted(plot_pruning(path))
    assert ax.lines[0].get_ydata().tolist() == path.risks.tolist()
    assert legend_texts(ax) == ["training error"]
    assert ax.child_axes[0].get_xlabel() == "leaves"


def test_a_cross_validated_path_marks_the_tree_within_one_standard_error(rows: Any) -> None:
    path = pt.pruning.pruning_path(pt.CARTClassifier().fit(*rows), *rows, random_state=0)
    ax = painted(plot_pruning(path))
    chosen = int(np.flatnonzero(path.alphas == path.best_alpha("one_se"))[0])
    assert f"chosen by one SE: {path.n_leaves[chosen]} leaves" in legend_texts(ax)
    assert ax.lines[-1].get_xdata().tolist() == [chosen]


def test_the_error_of_a_forest_against_its_trees() -> None:
    ax = painted(plot_oob(SimpleNamespace(oob_error_curve_=np.array([0.4, np.nan, 0.2]))))
    assert ax.lines[0].get_xdata().tolist() == [1, 2, 3]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("number of trees", "out-of-bag error")


def test_the_error_against_the_attributes_tried() -> None:
    study = SimpleNamespace(max_features=np.array([1, 2, 4]), error=np.array([0.3, 0.1, 0.2]))
    ax = painted(plot_oob(study))
    assert ax.lines[1].get_xdata().tolist() == [2]
    assert legend_texts(ax) == ["max_features = 2 (0.1)"]
    assert ax.get_xticks().tolist() == [1, 2, 4]


def test_errors_are_seen_from_zero_with_room_above_the_greatest() -> None:
    low, high = plot_oob(SimpleNamespace(oob_error_curve_=[0.4, np.nan, 0.2])).get_ylim()
    assert low == 0
    assert high > 0.4
    assert plot_oob(SimpleNamespace(oob_error_curve_=[0.0, 0.0])).get_ylim() == (0, 1)


@pytest.mark.parametrize(
    ("plot", "message"),
    [
        (plot_overfitting, "pass the result of overfitting_curve"),
        (plot_pruning, "pass the result of pruning_path"),
        (plot_oob, "oob_score=True"),
    ],
)
def test_something_else_is_refused(plot: Any, message: str) -> None:
    with pytest.raises(ArgumentTypeError, match=message):
        plot([0.1, 0.2])
