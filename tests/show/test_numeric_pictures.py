"""Drawings of trees of a numeric target: numbers and their spread, as text, bars and colours."""

from __future__ import annotations

import re
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pytest

import plaintree as pt
from plaintree.show.picture.marks import Box
from plaintree.show.picture.node_text import NodeWriter
from plaintree.show.picture.palette import INK, REST, value_colour
from plaintree.show.picture.style import Frame
from plaintree.show.picture.tree_picture import tree_picture
from plaintree.tree.build import build_tree, described_nodes
from plaintree.tree.condition import Surrogate, Threshold
from plaintree.tree.tree import Tree

mpl.use("Agg")
HOURS, SCORE = [[1], [2], [3], [6], [7], [8]], [10, 12, 11, 30, 31, 32]
MODEL = pt.CARTRegressor(max_depth=1).fit(HOURS, SCORE)


def with_surrogates(tree: Tree, *surrogates: Surrogate) -> Tree:
    """The tree with surrogates at its root."""
    root, *below = described_nodes(tree)
    nodes = [replace(root, surrogates=surrogates), *below]
    return build_tree(tree.schema, nodes, conventions=tree.conventions)


def test_a_node_shows_its_mean_and_a_leaf_its_number_and_deviation():
    writer = NodeWriter(MODEL.tree_)
    root, leaf = writer.text(0), writer.text(1)
    assert (root.head, root.counts) == ("x0 ≤ 4.5", "6 rows, mean 21")
    assert (leaf.head, leaf.counts) == ("11", "3 rows, sd 0.8165")
    assert writer.title(1) == "x0 <= 4.5\nrows: 3, sd 0.8165\nprediction: 11"


@pytest.mark.parametrize("name", ["dot", "svg", "mermaid", "tikz"])
@pytest.mark.parametrize("model", [MODEL, MODEL.tree_], ids=["estimator", "tree"])
def test_every_drawing_has_the_numbers_of_the_leaves(name, model):
    drawn = getattr(pt, f"export_{name}")(model)
    assert re.search(r"\b11\b", drawn)
    assert re.search(r"\b31\b", drawn)


def test_matplotlib_and_notebooks_draw_the_tree():
    assert pt.plot_tree(MODEL).get_figure() is not None
    assert "6 rows, mean 21" in MODEL.tree_._repr_svg_()


def test_fills_and_proportions_are_drawn():
    drawn = pt.export_svg(MODEL, proportion=True, filled=True)
    assert "100% of rows, mean 21" in drawn
    assert "50% of rows, sd 0.8165" in drawn


def test_a_folded_node_shows_its_spread_as_a_leaf_does():
    folded = NodeWriter(MODEL.tree_).text(0, folded=True)
    assert (folded.head, folded.counts) == ("21", "6 rows, sd 10.03")


@pytest.mark.parametrize(
    ("criterion", "spread"),
    [("absolute_error", "mean deviation 0.6667"), ("poisson", "half deviance 0.03034")],
)
def test_the_spread_is_named_by_the_criterion(criterion, spread):
    model = pt.DecisionTreeRegressor(criterion=criterion, max_depth=1).fit(HOURS, SCORE)
    assert NodeWriter(model.tree_).text(1).counts == f"3 rows, {spread}"
    assert f"one {'mean deviation' if 'mean' in spread else 'sd of a Poisson'}" in re.sub(
        r"</?text[^>]*>|\s+", " ", pt.export_svg(model, max_depth=None)
    )


# -------------------------------------------------------------------- bars on a common scale


def bars(tree: Tree) -> list[tuple[Box, Box, Box]]:
    """The track, the spread and the mark of every node."""
    parts = [node.boxes for node in tree_picture(tree, Frame(max_depth=None)).nodes]
    return [(boxes[1], boxes[2], boxes[4]) for boxes in parts]


def test_every_bar_marks_the_prediction_on_the_same_scale():
    model = pt.CARTRegressor(max_depth=2, min_samples_leaf=2).fit(
        [[i] for i in range(8)], [0, 4, 10, 14, 30, 36, 90, 100]
    )
    tree = model.tree_
    low, high = tree.prediction.min(), tree.prediction.max()
    for node, (track, spread, mark) in enumerate(bars(tree)):
        assert (track.fill, mark.fill) == (REST, INK)
        fraction = (tree.prediction[node] - low) / (high - low)
        sd = np.sqrt(tree.impurity[node]) / (high - low)
        ends = np.clip([fraction - sd, fraction + sd], 0, 1)
        assert (mark.x + mark.width / 2 - track.x) / track.width == pytest.approx(
            np.clip(fraction, 1.25 / track.width, 1 - 1.25 / track.width)
        )
        assert (spread.x - track.x) / track.width == pytest.approx(ends[0])
        assert spread.width / track.width == pytest.approx(ends[1] - ends[0])
        assert spread.fill == value_colour(fraction)


def test_the_legend_has_the_ends_of_the_scale():
    legend = tree_picture(MODEL.tree_, Frame()).legend
    assert [words.text for words in legend.words][:2] == ["target: 11", "31"]
    assert legend.boxes[0].fill == value_colour(0)
    assert legend.boxes[-1].fill == value_colour(1)


def test_one_number_is_the_middle_of_the_scale():
    constant = pt.CARTRegressor().fit(HOURS, [5] * 6)
    (_, spread, mark), *_ = bars(constant.tree_)
    assert (spread.width, mark.fill) == (0, INK)
    assert ">5<" in pt.export_svg(constant)


def test_huge_and_negative_numbers_are_drawn():
    model = pt.CARTRegressor(max_depth=1).fit([[1], [2]], [-1e100, 1e100])
    assert ">-1e+100<" in pt.export_svg(model)
    assert all(0 <= spread.width <= track.width for track, spread, _ in bars(model.tree_))


def test_marks_of_a_sketch_have_the_colour_of_the_number():
    sketch = tree_picture(MODEL.tree_, Frame(max_depth=None), sketch=True)
    assert [node.boxes[0].fill for node in sketch.nodes[1:3]] == [value_colour(0), value_colour(1)]


def test_leaves_of_many_categories_are_a_table_with_numbers():
    model = pt.DecisionTreeRegressor(categorical="multiway")
    model.fit({"city": list("abcdefghij")}, [float(n) for n in range(10)])
    assert "1 row, sd 0" in pt.export_svg(model)
    assert pt.export_text(model).count("├─") + pt.export_text(model).count("└─") == 10


def test_the_tooltip_names_the_surrogates():
    tree = pt.CARTRegressor(max_depth=1).fit([[1, 5], [2, 6], [8, 1]], [1, 2, 9]).tree_
    by_other = Surrogate(Threshold(1, 3.0), True, agreement=1.0, adjusted=1.0)
    writer = NodeWriter(with_surrogates(tree, by_other))
    assert "surrogate: x1 > 3 (agreement 1)" in writer.title(0).splitlines()
