"""Drawings of trees of a numeric target: rows, mean and deviation, and the number of a leaf."""

from __future__ import annotations

import re

import matplotlib as mpl
import pytest

import plaintree as pt
from plaintree.show.picture.node_text import NodeWriter

mpl.use("Agg")
HOURS, SCORE = [[1], [2], [3], [6], [7], [8]], [10, 12, 11, 30, 31, 32]
MODEL = pt.CARTRegressor(max_depth=1).fit(HOURS, SCORE)


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
    assert "100% of rows" in pt.export_svg(MODEL, proportion=True, filled=True)
