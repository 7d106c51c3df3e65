"""plot_tree: the picture of a tree on axes, at any size."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from matplotlib.axes import Axes

from plaintree.data.schema import Feature, Schema
from plaintree.errors import ArgumentTypeError, ParameterError
from plaintree.show.picture.palette import ACCENT, INK
from plaintree.show.plot.tree import MAX_SIZE, MAX_SIZE_OF_DEPTH, plot_tree
from plaintree.tree.tree import Tree
from tests.support.figures import HOSTILE, figures_are_closed, painted, plt
from tests.support.trees import XY_SCHEMA, build, chain_spec, tennis

__all__ = ["figures_are_closed"]


def balanced(depth: int) -> Tree:
    spec: Any = [1, 2]
    for level in range(depth):
        spec = ("x <=", level, spec, spec)
    return build(XY_SCHEMA, spec)


def parts(ax: Axes) -> tuple[Any, Any, list[Any]]:
    """The branches, the boxes, and the words by colour."""
    lines, boxes, *words = ax.collections
    return lines, boxes, words


def test_a_new_figure_is_as_large_as_the_tree_needs() -> None:
    small, large = plot_tree(tennis()), plot_tree(balanced(4))
    sizes = [ax.get_figure().get_size_inches() for ax in (small, large)]
    assert (sizes[0] < sizes[1]).all()
    assert sizes[1][0] <= MAX_SIZE[0]


def test_one_collection_for_branches_boxes_and_words() -> None:
    lines, boxes, words = parts(painted(plot_tree(balanced(3))))
    assert len(lines.get_segments()) == 14
    assert len(boxes.get_paths()) == 15 * 4 + 2  # frame, two parts of the bar, outline; legend
    assert len(words) == 1
    assert len(words[0].get_paths()) == 15 * 2 + 14 + 2


def test_it_draws_on_axes_given_and_returns_them() -> None:
    _, ax = plt.subplots()
    assert plot_tree(SimpleNamespace(tree_=tennis()), ax=ax) is ax
    assert not ax.axison


def test_the_way_of_a_row_is_in_another_colour() -> None:
    ax = plot_tree(tennis(), row={"outlook": "Rain", "humidity": 80, "wind": "Weak"})
    colours = [tuple(colour) for colour in parts(ax)[0].get_colors()]
    from matplotlib.colors import to_rgba

    assert colours.count(to_rgba(ACCENT)) == 2
    assert {tuple(words.get_facecolor()[0]) for words in parts(ax)[2]} == {
        to_rgba(ACCENT),
        to_rgba(INK),
    }


def test_text_outside_of_boxes_is_legible_in_a_dark_style() -> None:
    from matplotlib.colors import to_rgba

    with plt.style.context("dark_background"):
        words = parts(plot_tree(tennis()))[2]
    colours = {tuple(one.get_facecolor()[0]): len(one.get_paths()) for one in words}
    n_branches, n_classes, n_lines_in_boxes = 7, 2, 2 * 8
    assert colours == {
        to_rgba("white"): n_branches + n_classes,
        to_rgba(INK): n_lines_in_boxes,
    }


def test_a_figure_that_waits_is_drawn_on() -> None:
    figure = plt.figure(figsize=(9, 4))
    assert plot_tree(tennis()).get_figure() is figure
    assert plot_tree(tennis()).get_figure() is not figure  # it has a drawing now


def test_fontsize_sets_the_size_of_the_text() -> None:
    sizes = [plot_tree(tennis(), fontsize=n).get_figure().get_size_inches() for n in (6, 12)]
    assert sizes[1] == pytest.approx(2 * sizes[0])
    _, ax = plt.subplots(figsize=(2, 2))
    plot_tree(tennis(), fontsize=30, ax=ax)
    assert ax.get_figure().get_size_inches().tolist() == [2, 2]
    with pytest.raises(ParameterError, match="fontsize is out of range"):
        plot_tree(tennis(), fontsize=0)


def test_rounded_boxes_have_arcs() -> None:
    angular, rounded = (parts(plot_tree(tennis(), rounded=flag))[1] for flag in (False, True))
    assert len(angular.get_paths()[0].vertices) == 4 + 1
    assert len(rounded.get_paths()[0].vertices) == 4 * 6 + 1
    assert rounded.get_datalim(rounded.axes.transData).size == pytest.approx(
        angular.get_datalim(angular.axes.transData).size
    )


@pytest.mark.parametrize(
    "tree",
    [build(XY_SCHEMA, [1, 2]), tennis(), balanced(6), build(XY_SCHEMA, chain_spec(400))],
    ids=["leaf", "tennis", "127 nodes", "deep"],
)
@pytest.mark.parametrize("max_depth", ["auto", None, 1])
def test_trees_of_all_shapes_are_drawn(tree: Tree, max_depth: Any) -> None:
    ax = painted(plot_tree(tree, max_depth=max_depth))
    width, height = ax.get_figure().get_size_inches()
    assert 0 < width <= MAX_SIZE_OF_DEPTH[0] + 1e-9
    assert 0 < height <= MAX_SIZE_OF_DEPTH[1] + 1e-9


def test_five_thousand_nodes_are_marks_without_words_in_them() -> None:
    tree = balanced(12)
    assert tree.n_nodes == 8191
    lines, boxes, words = parts(painted(plot_tree(tree, max_depth=None)))
    assert len(lines.get_segments()) == 8190
    assert len(boxes.get_paths()) >= 8191
    assert sum(len(one.get_paths()) for one in words) < 200


def test_letters_scale_with_the_axes_so_that_words_never_leave_their_boxes() -> None:
    for size in ((3, 2), (12, 8)):
        _, ax = plt.subplots(figsize=size)
        _, boxes, words = parts(painted(plot_tree(tennis(), ax=ax, max_depth=None)))
        frame = boxes.get_paths()[0].get_extents()
        head = words[0].get_paths()[0].get_extents()
        assert frame.x0 < head.x0 < head.x1 < frame.x1


def test_hostile_names_are_drawn_without_a_warning() -> None:
    attribute = Feature(HOSTILE, "categorical", "text", (HOSTILE, "$b$"))
    schema = Schema((attribute,), (HOSTILE, "_no"), HOSTILE)
    _, boxes, words = parts(
        painted(plot_tree(build(schema, (HOSTILE, {HOSTILE: [1, 2], "$b$": [0, 1]}))))
    )
    assert len(boxes.get_paths()) >= 3 * 3  # of every node a frame, its bar, an outline
    assert all(word.get_paths() for word in words)


def test_what_is_no_tree_or_depth_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match="there is no tree to read"):
        plot_tree([1, 2])
    with pytest.raises(ParameterError, match="max_depth must be an int >= 0"):
        plot_tree(tennis(), max_depth=1.5)
