"""Words for printing: one line of printable text, as wide as it is counted."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaintree.data.schema import Feature, Schema
from plaintree.data.words import cells, line_width, plain, shown_schema, weight_text, wrapped
from plaintree.errors import ArgumentTypeError, ParameterError
from plaintree.tree.tree import tree_of
from tests.support.trees import tennis


@pytest.mark.parametrize(
    ("value", "text"),
    [("sunny", "sunny"), (3, "3"), ("", '""'), (" a", '" a"'), ("a, b", '"a, b"'), ("{", '"{"'),
     ("a\nb", r"a\nb"), ("größe", "größe")],
)  # fmt: skip
def test_labels_are_printable_and_quoted_where_they_would_be_misread(
    value: object, text: str
) -> None:
    assert plain(value) == text


def test_a_schema_is_shown_with_printable_names() -> None:
    schema = Schema((Feature("a\tö", "categorical", "text", (1, "x,y")),), ("ä", "b"), "t")
    shown = shown_schema(schema)
    assert (shown.names, shown.classes) == ((r"a\tö",), ("ä", "b"))
    assert shown.features[0].categories == ("1", '"x,y"')
    assert shown_schema(schema, ascii=True).names == (r"a\t\xf6",)


@pytest.mark.parametrize(
    ("weight", "text"), [(12.0, "12"), (12.5, "12.5"), (10 / 3, "3.33"), (0.01234, "0.012")]
)
def test_weights_are_written_as_a_person_does(weight: float, text: str) -> None:
    assert weight_text(weight) == text


def test_a_tree_is_found_in_a_model_or_is_one() -> None:
    tree = tennis()
    assert tree_of(tree) is tree_of(SimpleNamespace(tree_=tree)) is tree
    with pytest.raises(ArgumentTypeError, match="call fit first"):
        tree_of(SimpleNamespace(fit=None))
    with pytest.raises(ArgumentTypeError, match=r"no single tree.*trees_\[0\], or --tree 0"):
        tree_of(SimpleNamespace(fit=None, trees_=[tree]))


def test_a_width_has_a_least() -> None:
    assert line_width(40) == 40
    with pytest.raises(ParameterError, match=r"Got width=39.*integer from 40"):
        line_width(39)


@pytest.mark.parametrize(
    ("text", "columns"), [("abc", 3), ("größe", 5), ("気温", 4), ("e\u0301", 1), ("ａ", 2)]
)
def test_columns_are_those_of_a_terminal(text: str, columns: int) -> None:
    assert cells(text) == columns


@given(st.lists(st.text("ab気", min_size=1, max_size=6), min_size=1), st.integers(20, 40))
def test_wrapped_words_are_all_there_and_fit(words: list[str], width: int) -> None:
    first, *others = wrapped(words, width, "IF ", "   ")
    lines = [first.removeprefix("IF "), *(line.removeprefix("   ") for line in others)]
    assert " ".join(lines).split() == words
    assert all(cells(line) <= width for line in (first, *others))


def test_further_spaces_are_kept_within_a_line_and_left_out_at_its_end() -> None:
    words = ["THEN", "yes", "", "", "(support", "4)"]
    assert list(wrapped(words, 80)) == ["THEN yes   (support 4)"]
    assert list(wrapped(words, 10, rest="  ")) == ["THEN yes", "  (support", "  4)"]


def test_a_word_wider_than_a_line_is_not_broken() -> None:
    assert list(wrapped(["a", "b" * 30, "c"], 10)) == ["a", "b" * 30, "c"]
