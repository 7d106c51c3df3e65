"""Scores of cuts: they are the criterion's own, at any node."""

from __future__ import annotations

from math import log2
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plaintree as pt
from plaintree.data.rows import Rows
from plaintree.errors import ColumnError, ParameterError, TreeError
from plaintree.show.plot.thresholds import plot_thresholds, rows_at, threshold_scores
from plaintree.tree.conventions import CHOICES
from plaintree.tree.walk import rows_from
from tests.support.figures import figures_are_closed, legend_texts, painted

__all__ = ["figures_are_closed"]


def scored(values: Any, codes: Any, criterion: str) -> tuple[list[float], list[float]]:
    rows = Rows([np.array(values, dtype=float)], np.array(codes, dtype=np.int32), None)
    thresholds, scores = threshold_scores(rows, 0, 2, criterion)
    return thresholds.tolist(), scores.tolist()


def test_cuts_are_between_neighbouring_values_and_gaps_are_left_out() -> None:
    thresholds, scores = scored([3, 1, np.nan, 1], [1, 0, 1, 0], "information_gain")
    assert thresholds == [2.0]
    assert scores == pytest.approx([-(1 / 3) * log2(1 / 3) - (2 / 3) * log2(2 / 3)])


@pytest.mark.parametrize(
    ("criterion", "score"),
    [
        ("information_gain", 1 - 0.75 * (log2(3) - 2 / 3)),
        ("gain_ratio", (1 - 0.75 * (log2(3) - 2 / 3)) / (2 - 0.75 * log2(3))),
        ("gain_ratio_conditional", 1 / (0.75 * (log2(3) - 2 / 3)) - 1),
        ("gini", 0.5 - 0.75 * 4 / 9),
        ("error", 0.25),
    ],
)
def test_the_score_of_a_cut_by_every_criterion(criterion: str, score: float) -> None:
    assert scored([1, 2, 2, 2], [0, 0, 1, 1], criterion)[1] == pytest.approx([score])
    assert criterion in CHOICES["criterion"]


def test_a_perfect_cut_has_an_infinite_ratio_and_can_be_drawn() -> None:
    assert scored([1, 2], [0, 1], "gain_ratio_conditional")[1] == [np.inf]
    X, y = pl.DataFrame({"x": [1.0, 2.0, 3.0]}), ["a", "b", "b"]
    model = pt.ID3Classifier().fit(X, y)
    painted(plot_thresholds(model, X, y, "x", criterion="gain_ratio_conditional"))


@given(st.integers(0, 500), st.sampled_from(["information_gain", "gini", "error"]))
def test_the_best_cut_at_every_node_is_the_tree_s(seed: int, criterion: Any) -> None:
    random = np.random.default_rng(seed)
    X, y = random.integers(0, 8, (40, 2)).astype(float), random.integers(0, 3, 40)
    tree = pt.DecisionTreeClassifier(criterion=criterion).fit(X, y).tree_
    rows = rows_from(tree, X, y)
    for node in np.flatnonzero(tree.n_children).tolist():
        here = rows_at(tree, rows, node)
        assert len(here.codes) == tree.n_rows[node]
        column = int(tree.feature[node])
        thresholds, scores = threshold_scores(here, column, len(tree.schema.classes), criterion)
        assert scores.max() == pytest.approx(tree.score[node])
        at = int(np.flatnonzero(thresholds == tree.threshold[node])[0])
        assert scores[at] == pytest.approx(scores.max())


def test_the_picture_marks_the_best_cut_and_the_node_s_own() -> None:
    X, y = pt.datasets.load_golf()
    model = pt.C45Classifier(pruning=None).fit(X, y)
    node = int(np.flatnonzero(model.tree_.feature == 2)[0])
    ax = painted(plot_thresholds(model, X, y, "humidity", node=node))
    curve, best, own = ax.lines[:3]
    assert best.get_ydata()[0] == curve.get_ydata().max()
    assert own.get_xdata()[0] == model.tree_.threshold[node]
    assert ax.get_ylabel() == "gain ratio"
    cut = f"{model.tree_.threshold[node]:g}"
    assert legend_texts(ax)[:2] == ["no", "yes"]
    assert legend_texts(ax)[3] == f"threshold of the node: {cut}"
    assert legend_texts(ax)[2].startswith("best threshold: ")


def test_there_are_no_scores_below_zero_on_the_axis() -> None:
    X, y = pt.datasets.load_golf()
    ax = painted(plot_thresholds(pt.ID3Classifier().fit(X, y), X, y, "humidity"))
    assert ax.get_ylim()[0] < 0 == min(ax.get_yticks())


def test_an_attribute_that_the_node_does_not_test_has_no_such_line() -> None:
    X, y = pt.datasets.load_golf()
    ax = plot_thresholds(pt.C45Classifier().fit(X, y), X, y, "temperature", criterion="gini")
    assert len(ax.lines) == 4  # the curve, the best, and the rows of two classes


def test_what_cannot_be_cut_is_refused() -> None:
    X, y = pt.datasets.load_golf()
    model = pt.ID3Classifier().fit(X, y)
    with pytest.raises(ParameterError, match="only numbers and ordered categories have thresholds"):
        plot_thresholds(model, X, y, "outlook")
    with pytest.raises(ColumnError, match="did you mean 'humidity'"):
        plot_thresholds(model, X, y, "humidty")
    with pytest.raises(ParameterError, match="criterion has a value that is not allowed"):
        plot_thresholds(model, X, y, "humidity", criterion="entropy")
    with pytest.raises(TreeError, match="there is no such node"):
        plot_thresholds(model, X, y, "humidity", node=99)
    with pytest.raises(ParameterError, match="there is no threshold: all rows"):
        scored([1, 1], [0, 1], "gini")
