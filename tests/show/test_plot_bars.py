"""Importances and confusion: bars in order, and scikit-learn's matrix."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import plaintree as pt
from plaintree.errors import ArgumentTypeError, ParameterError
from plaintree.show.plot.bars import plot_confusion, plot_importances
from tests.support.figures import HOSTILE, figures_are_closed, overlapping, painted, plt
from tests.support.trees import tennis

__all__ = ["figures_are_closed"]


def labels(ax: Any) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def test_the_greatest_share_is_on_top() -> None:
    tree = tennis()
    ax = painted(plot_importances(tree))
    assert labels(ax)[0] == tree.schema.names[tree.importances().argmax()]
    widths = [bar.get_width() for bar in ax.patches]
    assert widths == sorted(tree.importances().tolist(), reverse=True)
    heights = [bar.get_y() for bar in ax.patches]
    assert heights == sorted(heights, reverse=True)


def test_the_rest_is_one_bar() -> None:
    model = SimpleNamespace(feature_importances_=np.array([0.1, 0.5, 0.15, 0.25]))
    ax = painted(plot_importances(model, top=2))
    assert labels(ax) == ["x1", "x3", "2 others"]
    assert [bar.get_width() for bar in ax.patches] == pytest.approx([0.5, 0.25, 0.25])


def test_names_are_those_of_the_table() -> None:
    model = SimpleNamespace(
        feature_importances_=np.array([1.0, 0.0]), feature_names_in_=np.array([HOSTILE, "b"])
    )
    assert labels(painted(plot_importances(model)))[0].startswith(" _a ")


def test_a_tree_without_tests_has_bars_without_length() -> None:
    X, y = pt.datasets.load_tennis()
    ax = painted(plot_importances(pt.ID3Classifier(max_depth=0).fit(X, y)))
    assert [bar.get_width() for bar in ax.patches] == [0.0] * 4


def test_what_has_no_importances_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match="there are no feature importances to draw"):
        plot_importances("model")
    with pytest.raises(ParameterError, match="top must be an integer >= 1"):
        plot_importances(tennis(), top=0)


@pytest.mark.parametrize("as_tree", [False, True])
def test_a_confusion_matrix_counts_rows(as_tree: bool) -> None:
    X, y = pt.datasets.load_tennis()
    model = pt.ID3Classifier(max_depth=1).fit(X, y)
    ax = painted(plot_confusion(model.tree_ if as_tree else model, X, y))
    assert [text.get_text() for text in ax.texts] == ["3", "2", "2", "7"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["No", "Yes"]


def test_a_confusion_matrix_of_shares() -> None:
    X, y = pt.datasets.load_tennis()
    model = pt.ID3Classifier(max_depth=1).fit(X, y)
    ax = painted(plot_confusion(model, X, y, normalize="true"))
    assert [text.get_text() for text in ax.texts] == ["0.60", "0.40", "0.22", "0.78"]


def many_classes(n: int) -> tuple[Any, Any, Any]:
    X = np.arange(float(n)).reshape(-1, 1)
    y = np.array([f"a long class {i:02}" for i in range(n)])
    return pt.CARTClassifier().fit(X, y), X, y


def test_long_names_of_many_classes_are_turned_and_end_at_their_ticks() -> None:
    ax = painted(plot_confusion(*many_classes(12)))
    first = ax.get_xticklabels()[0]
    assert (first.get_rotation(), first.get_ha(), first.get_rotation_mode()) == (
        45,
        "right",
        "anchor",
    )


@pytest.mark.parametrize("normalize", [None, "true"])
@pytest.mark.parametrize("n", [4, 15])
def test_the_figures_of_many_classes_do_not_run_into_each_other(n: int, normalize: Any) -> None:
    ax = painted(plot_confusion(*many_classes(n), normalize=normalize))
    assert len(ax.texts) == n * n
    assert overlapping(ax.texts) == []
    assert overlapping(ax.get_yticklabels()) == []


def test_where_no_figures_fit_colours_have_a_key() -> None:
    figure, ax = plt.subplots(figsize=(4, 3))
    plot_confusion(*many_classes(60), ax=ax)
    assert not ax.texts
    assert len(figure.axes) == 2
    assert overlapping(painted(ax).get_yticklabels()) == []


def test_bars_and_cells_take_other_names() -> None:
    model = pt.CARTClassifier().fit([[1.0, 0.0], [2.0, 0.0]], [0, 1])
    bars = plot_importances(model, feature_names=["age", "height"])
    assert [label.get_text() for label in bars.get_yticklabels()] == ["age", "height"]
    matrix = plot_confusion(model, [[1.0, 0.0]], [0], class_names=["no", "yes"])
    assert [label.get_text() for label in matrix.get_xticklabels()] == ["no", "yes"]
    with pytest.raises(ParameterError, match="Got 1 names for 2 features"):
        plot_importances(model, feature_names=["age"])
