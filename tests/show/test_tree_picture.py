"""A tree as marks: nothing overlaps, all words are inside their boxes, rows are in proportion."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from plaintree.data.schema import Feature, Schema
from plaintree.datasets import load_tennis
from plaintree.errors import ParameterError
from plaintree.estimators.quinlan import ID3Classifier
from plaintree.show.picture.marks import BOLD, Box, Picture, Words, class_bar
from plaintree.show.picture.node_text import text_width
from plaintree.show.picture.palette import ACCENT, PAPER, REST, class_colour
from plaintree.show.picture.style import Frame, NodeStyle
from plaintree.show.picture.tree_picture import tree_picture
from plaintree.tree.tree import Tree
from tests.support.trees import XY_SCHEMA, build, chain_spec, specs, tennis

WHOLE = Frame(max_depth=None)


def words_width(words: Words) -> float:
    return text_width(words.text) * words.size * (BOLD if words.bold else 1.0)


def fan(n: int) -> Tree:
    towns = tuple(f"town {i:02d}" for i in range(n))
    schema = Schema((Feature("town", "categorical", "text", towns),), ("no", "yes"))
    return build(schema, ("town", {town: [i % 3, i % 5] for i, town in enumerate(towns)}))


def texts(picture: Picture) -> list[str]:
    return [words.text for one in (*picture.nodes, picture.legend) for words in one.words]


def balanced(depth: int) -> Tree:
    spec: Any = [1, 2]
    for level in range(depth):
        spec = ("x <=", level, spec, spec)
    return build(XY_SCHEMA, spec)


def overlap(one: Box, other: Box) -> bool:
    across = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
    down = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
    return across > 1e-6 and down > 1e-6


# ---------------------------------------------------------------- what is drawn


def test_a_node_shows_its_test_its_rows_and_its_classes() -> None:
    root = tree_picture(tennis(), WHOLE).nodes[0]
    assert [words.text for words in root.words] == ["outlook", "No: 5, Yes: 9"]
    frame, no, yes, _ = root.boxes
    assert (no.fill, yes.fill) == (class_colour(0), class_colour(1))
    assert no.width / frame.width == pytest.approx(5 / 14)
    assert no.width + yes.width == pytest.approx(frame.width)


def test_counts_can_be_left_out() -> None:
    picture = tree_picture(tennis(), Frame(max_depth=None, style=NodeStyle(show_weights=False)))
    assert "14 rows" not in texts(picture)
    assert [words.text for words in picture.nodes[0].words] == ["outlook"]


def test_branches_are_the_wider_and_leaves_the_taller_the_more_rows_they_have() -> None:
    tree = build(XY_SCHEMA, ("x <=", 1, [90, 0], [0, 10]))
    picture = tree_picture(tree, WHOLE)
    many, few = picture.lines
    assert many.width > few.width
    assert picture.nodes[1].boxes[0].height > picture.nodes[2].boxes[0].height


def test_the_legend_names_the_classes_in_their_colours() -> None:
    legend = tree_picture(tennis(), WHOLE).legend
    assert [words.text for words in legend.words] == ["No", "Yes"]
    assert [box.fill for box in legend.boxes] == [class_colour(0), class_colour(1)]


def test_of_many_classes_the_legend_counts_the_rest() -> None:
    schema = Schema((Feature("x", "numeric"),), tuple(f"c{i}" for i in range(30)))
    legend = tree_picture(build(schema, [1] + [0] * 29), WHOLE).legend
    assert len(legend.boxes) == 11
    assert legend.words[-1].text == "… 19 more classes"


def test_of_many_classes_a_bar_has_the_largest_and_one_part_for_the_rest() -> None:
    weights = [1.0] * 50
    weights[30], weights[7] = 40.0, 12.0
    bar = class_bar(weights, 5, 0, (200, 4))
    largest = [*range(10), 30]
    assert [box.fill for box in bar] == [*map(class_colour, largest), REST]
    assert [box.width for box in bar] == [2.0] * 7 + [24.0] + [2.0] * 2 + [80.0, 78.0]
    assert bar[0].x == 5
    assert all(b.x == pytest.approx(a.x + a.width) for a, b in pairwise(bar))


@pytest.mark.parametrize(("n_classes", "n_parts"), [(12, 12), (13, 12), (4_000, 12)])
def test_a_picture_of_many_classes_stays_small_and_says_what_bars_leave_out(
    n_classes: int, n_parts: int
) -> None:
    schema = Schema((Feature("x", "numeric"),), tuple(range(n_classes)))
    tree = build(schema, ("x <=", 1, [1] * n_classes, [2] * n_classes))
    picture = tree_picture(tree, Frame(most_width=2_000))
    assert [len(node.boxes) for node in picture.nodes] == [n_parts + 2] * 3
    note = "Of more than 12 classes, bars show the 11 largest, and the others in grey."
    assert (note in " ".join(texts(picture))) == (n_classes > 12)


def test_the_way_of_a_row_is_marked() -> None:
    row = {"outlook": "Rain", "humidity": 80, "wind": "Weak"}
    picture = tree_picture(tennis(), Frame(max_depth=None, row=row))
    marked = [number for number, node in enumerate(picture.nodes) if node.boxes[0].stroke == ACCENT]
    assert marked == [0, 2, 5]
    assert sum(line.colour == ACCENT for line in picture.lines) == 2
    assert picture.lines[-1].colour == ACCENT  # on top of the others


# ---------------------------------------------------------------- how much is drawn


def test_a_tree_that_fits_is_shown_whole() -> None:
    assert len(tree_picture(tennis(), Frame()).nodes) == 8


def test_a_tree_that_does_not_fit_is_folded_with_a_note() -> None:
    tree = balanced(7)
    picture = tree_picture(tree, Frame(most_width=600))
    assert picture.width <= 600 + 16
    assert len(picture.nodes) == 7
    assert "… 32 leaves below" in texts(picture)
    assert texts(picture)[-1] == "Not shown: 248 nodes below depth 2."


def test_a_deep_tree_is_folded_to_the_height() -> None:
    picture = tree_picture(build(XY_SCHEMA, chain_spec(3000)), Frame(most_height=700))
    assert picture.height < 800
    assert texts(picture)[-1].startswith("Not shown: 59")


def test_a_depth_of_zero_shows_the_answer_of_all_rows() -> None:
    picture = tree_picture(tennis(), Frame(max_depth=0))
    assert [words.text for words in picture.nodes[0].words] == [
        "Yes",
        "No: 5, Yes: 9",
        "… 5 leaves below",
    ]
    assert picture.nodes[0].boxes[0].dashed


# ---------------------------------------------------------------- nothing overlaps


@pytest.mark.parametrize(
    "tree",
    [build(XY_SCHEMA, [1, 2]), tennis(), balanced(5), fan(20), build(XY_SCHEMA, chain_spec(40))],
    ids=["leaf", "tennis", "balanced", "20-way", "chain"],
)
def test_everything_is_on_the_page_and_words_are_in_their_boxes(tree: Tree) -> None:
    picture = tree_picture(tree, WHOLE)
    for one in (*picture.nodes, picture.legend):
        for box in one.boxes:
            assert 0 <= box.x <= box.x + box.width <= picture.width + 1e-6
            assert 0 <= box.y <= box.y + box.height <= picture.height + 1e-6
        for words in one.words:
            half = words_width(words) / 2
            middle = words.x + (half if words.anchor == "start" else 0.0)
            assert middle - half >= 0
            assert middle + half <= picture.width
            assert 0 < words.y <= picture.height
    for node in picture.nodes:
        inside = [words for words in node.words if words.y > node.boxes[0].y]
        assert all(words_width(words) <= node.boxes[0].width for words in inside)


@settings(max_examples=60)
@given(specs(max_tests=25))
def test_no_two_nodes_overlap_nor_do_the_words_of_branches(spec: Any) -> None:
    picture = tree_picture(build(XY_SCHEMA, spec), WHOLE)
    blocks = []
    for node in picture.nodes:
        blocks.append(node.boxes[0])
        for words in node.words:
            if words.y < node.boxes[0].y:
                width = words_width(words)
                blocks.append(Box(words.x - width / 2, words.y - 9, width, 11, ""))
    for number, one in enumerate(blocks):
        assert not any(overlap(one, other) for other in blocks[number + 1 :])


def test_branches_go_down_between_the_levels_and_through_no_box() -> None:
    picture = tree_picture(balanced(4), WHOLE)
    for line in picture.lines:
        (x0, y0), (x1, y1), (_, y2) = line.points
        assert x0 == x1
        assert y0 <= y1 < y2
        crossing = [n.boxes[0] for n in picture.nodes]
        below = [box for box in crossing if y1 < box.y + box.height and box.y < y2 - 1]
        assert not below


# ---------------------------------------------------------------- many leaves below one node


@pytest.mark.parametrize("n", [9, 20, 60])
@pytest.mark.parametrize("show_weights", [True, False])
def test_many_leaves_are_lines_of_a_table_and_none_runs_into_another(
    n: int, show_weights: bool
) -> None:
    row = {"town": "town 03"}
    picture = tree_picture(
        fan(n), Frame(max_depth=None, row=row, style=NodeStyle(show_weights=show_weights))
    )
    blocks = []
    for node in picture.nodes[1:]:
        frame, branch = node.boxes[0], node.words[0]
        assert branch.x + words_width(branch) < frame.x
        assert branch.text.startswith("town ")
        blocks += [frame, Box(branch.x, branch.y - 9, words_width(branch), 11, "")]
        ends = [words.x + words_width(words) for words in node.words[1:]]
        assert max(ends) <= frame.x + frame.width
        assert all(end < words.x for end, words in zip(ends, node.words[2:], strict=False))
    for number, one in enumerate(blocks):
        assert not any(overlap(one, other) for other in blocks[number + 1 :])


def test_the_branch_to_a_line_of_a_table_goes_along_a_stem_through_no_word_or_box() -> None:
    picture = tree_picture(fan(20), WHOLE)
    assert len(picture.lines) == 20
    frames = [node.boxes[0] for node in picture.nodes[1:]]
    for line, node in zip(picture.lines, picture.nodes[1:], strict=True):
        stem, end = line.points[-2], line.points[-1]
        assert end[0] < node.words[0].x
        assert node.boxes[0].y < end[1] == stem[1] < node.boxes[0].y + node.boxes[0].height
        assert not any(frame.x < stem[0] < frame.x + frame.width for frame in frames)


def test_a_table_keeps_a_wide_node_within_600_pixels() -> None:
    assert tree_picture(fan(20), WHOLE).width < 600
    assert tree_picture(fan(8), WHOLE).nodes[1].words[-1].y < 90  # few leaves stand side by side


def test_leaves_in_a_table_are_folded_like_others() -> None:
    towns = tuple(f"town {i:02d}" for i in range(12))
    schema = Schema(
        (Feature("town", "categorical", "text", towns), *XY_SCHEMA.features), ("a", "b")
    )
    below = ("x <=", 1, [3, 0], [0, 4])
    tree = build(schema, ("town", dict.fromkeys(towns, below)))
    line = tree_picture(tree, Frame(max_depth=1)).nodes[1]
    assert [words.text for words in line.words] == ["town 00", "b", "a: 3, b: 4 … 2 leaves below"]
    assert line.boxes[0].dashed


# ---------------------------------------------------------------- sketches


def test_a_sketch_has_marks_as_wide_as_there_is_room() -> None:
    tree = balanced(9)
    picture = tree_picture(tree, Frame(max_depth=None, most_width=500), sketch=True)
    assert picture.width <= 500 + 16 + 1e-6
    assert texts(picture)[-1] == "1023 nodes: too many for text in each."


def test_the_words_of_a_sketch_do_not_overlap() -> None:
    picture = tree_picture(balanced(8), Frame(max_depth=None, most_width=900), sketch=True)
    labels = [one.words[0] for one in picture.nodes if one.words]
    assert labels[0].text == "x ≤ 7"
    rows: dict[float, list[Words]] = {}
    for words in labels:
        rows.setdefault(round(words.y, 3), []).append(words)
    for row in rows.values():
        for one, other in pairwise(sorted(row, key=lambda words: words.x)):
            assert other.x - one.x >= (words_width(one) + words_width(other)) / 2


def test_a_sketch_of_many_levels_has_no_words_on_its_nodes() -> None:
    frame = Frame(max_depth=None, most_height=300)
    picture = tree_picture(build(XY_SCHEMA, chain_spec(200)), frame, sketch=True)
    assert not any(one.words for one in picture.nodes)
    assert np.isfinite(picture.height)


# -------------------------------------------------------------------- options of nodes


def fills(**style: Any) -> list[str]:
    picture = tree_picture(tennis(), Frame(max_depth=None, style=NodeStyle(**style)))
    return [node.boxes[0].fill for node in picture.nodes]


def test_filled_paints_all_nodes_the_leaves_or_none() -> None:
    inner, leaf = 0, 1  # Outlook, Overcast
    assert fills()[inner] == PAPER != fills()[leaf]
    assert fills(filled=True)[inner] != PAPER != fills(filled=True)[leaf]
    assert set(fills(filled=False)) == {PAPER}
    with pytest.raises(ParameterError, match="filled has a value that is not allowed"):
        fills(filled="all")


def root_texts(**style: Any) -> list[str]:
    picture = tree_picture(tennis(), Frame(max_depth=None, style=NodeStyle(**style)))
    return [words.text for words in picture.nodes[0].words]


def test_nodes_show_their_number_and_impurity() -> None:
    plain = root_texts()
    assert root_texts(node_ids=True) == [*plain, "node 0"]
    assert root_texts(impurity=True) == [*plain, f"impurity = {tennis().impurity[0]:.3f}"]
    assert root_texts(impurity=True, precision=1)[-1] == f"impurity = {tennis().impurity[0]:.1f}"
    grown = ID3Classifier().fit(*load_tennis()).tree_
    assert NodeStyle(impurity=True).note(grown, 0) == "entropy = 0.940"


def test_nodes_show_percentages_of_rows() -> None:
    assert root_texts(proportion=True)[1] == "No: 36%, Yes: 64%"


def test_the_bar_of_a_rounded_box_stays_clear_of_its_corners() -> None:
    picture = tree_picture(tennis(), Frame(max_depth=None, style=NodeStyle(rounded=True)))
    frame, *bar, outline = picture.nodes[0].boxes
    assert frame.radius == outline.radius > 0
    assert bar[0].x == frame.x + frame.radius
    assert bar[-1].x + bar[-1].width == pytest.approx(frame.x + frame.width - frame.radius)


def test_precision_rounds_what_is_shown_and_not_the_path_of_a_row() -> None:
    tree = build(XY_SCHEMA, ("x <=", 2.46, [3, 0], [0, 2]))
    style = NodeStyle(precision=1)
    picture = tree_picture(tree, Frame(row=[2.48, 1, "small", "red"], style=style))
    assert picture.nodes[0].words[0].text == "x ≤ 2.5"
    assert [node.boxes[0].stroke == ACCENT for node in picture.nodes] == [True, False, True]
    for wrong in (-1, 1.5, True, 99):
        with pytest.raises(ParameterError, match="precision must be an integer from 0 to 15"):
            NodeStyle(precision=wrong)  # type: ignore[arg-type]
