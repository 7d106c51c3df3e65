"""What drawn nodes say, and that what they say fits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaintree.data.schema import Feature, Schema
from plaintree.show.picture.legend import legend_words
from plaintree.show.picture.node_text import NodeWriter, fitted, is_pure, text_width
from tests.support.trees import XY_SCHEMA, build, tennis


def texts(tree: object) -> list[tuple[str, str, str]]:
    writer = NodeWriter(tree)
    found = [writer.text(node) for node in range(tree.n_nodes)]
    return [(text.branch, text.head, text.counts) for text in found]


def test_many_branches_name_their_categories_and_two_answer_a_question() -> None:
    assert texts(tennis()) == [
        ("", "outlook", "No: 5, Yes: 9"),
        ("Overcast", "Yes", "4 rows"),
        ("Rain", "wind", "No: 2, Yes: 3"),
        ("Sunny", "humidity ≤ 75", "No: 3, Yes: 2"),
        ("Strong", "No", "2 rows"),
        ("Weak", "Yes", "3 rows"),
        ("yes", "Yes", "2 rows"),
        ("no", "No", "3 rows"),
    ]


@pytest.mark.parametrize(
    ("spec", "head"),
    [
        (("color =", "red", [1, 0], [0, 1]), "color = red"),
        (("color in", ["red", "blue"], [1, 0], [0, 1]), "color in {red, blue}"),
        (("size <=", 0.5, [1, 0], [0, 1]), "size ≤ small"),
    ],
)
def test_two_way_tests_stand_in_the_node(spec: tuple, head: str) -> None:
    tree = build(XY_SCHEMA, spec)
    assert texts(tree)[0][1] == head
    assert [branch for branch, _, _ in texts(tree)[1:]] == ["yes", "no"]


def test_a_branch_for_missing_values_and_a_leaf_without_rows_say_so() -> None:
    tree = build(XY_SCHEMA, ("x <=", 1, [1, 0], [0, 1], [0, 0]))
    assert texts(tree)[3] == ("missing", "A", "no rows")


def test_one_row_is_not_rows_and_many_classes_are_a_share() -> None:
    classes = tuple(f"class number {i}" for i in range(6))
    schema = Schema((Feature("x", "numeric"),), classes)
    tree = build(schema, ("x <=", 0, [1, 0, 0, 0, 0, 0], [1, 2, 3, 4, 5, 6]))
    assert [counts for _, _, counts in texts(tree)] == ["22 rows", "1 row", "6 of 21"]


def test_counts_do_not_run_into_classes_that_are_numbers() -> None:
    schema = Schema((Feature("x", "numeric"),), (0, 1))
    assert texts(build(schema, [3, 4]))[0][2] == "0: 3, 1: 4"


def test_a_folded_node_speaks_as_a_leaf() -> None:
    assert NodeWriter(tennis()).text(2, folded=True).head == "Yes"


def test_the_title_says_everything_in_full() -> None:
    long = "x" * 300
    schema = Schema((Feature(long, "numeric"),), ("A", "B"))
    writer = NodeWriter(build(schema, (f"{long} <=", 2.5, [3, 1], [0, 2])))
    assert writer.title(0) == f"split: {long} <= 2.5\nrows: A: 3, B: 3\nprediction: A"
    assert writer.title(2) == f"{long} > 2.5\nrows: B: 2\nprediction: B"
    assert writer.text(0).head.startswith("xxxx")
    assert writer.text(0).head.endswith("… ≤ 2.5")


def test_the_title_counts_the_smallest_of_very_many_classes() -> None:
    schema = Schema((Feature("x", "numeric"),), tuple(f"c{n:02}" for n in range(99)))
    counted = NodeWriter(build(schema, [1] * 98 + [5])).title(0).splitlines()[0]
    assert counted.startswith("rows: c98: 5, c00: 1, c01: 1,")
    assert counted.endswith("c38: 1, and 59 more classes")


def test_a_leaf_whose_rows_are_of_another_class_is_not_pure() -> None:
    tree = build(XY_SCHEMA, [0, 3])
    assert is_pure(tree, 0)
    assert not is_pure(build(XY_SCHEMA, [1, 3]), 0)


def test_the_legend_shortens_names() -> None:
    schema = Schema((Feature("x", "numeric"),), ("a", "b" * 200))
    assert legend_words(schema)[0] == "a"
    assert legend_words(schema)[1].endswith("bb…")


@given(st.text(max_size=60), st.floats(1.0, 30.0))
def test_what_is_fitted_fits_and_is_kept_if_it_did(text: str, width: float) -> None:
    short = fitted(text, width)
    assert text_width(short) <= width
    assert short == text or (short.endswith("…") and text.startswith(short[:-1]))
