"""A printed tree: what its lines say, what shares a line, and that everything fits the width."""

from __future__ import annotations

import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import plaintree as pt
from plaintree.data.schema import Feature, Schema
from plaintree.data.words import cells
from plaintree.errors import ArgumentTypeError, ParameterError
from plaintree.show.text import export_text
from plaintree.tree.condition import Multiway
from plaintree.tree.conventions import C45
from tests.support.trees import TENNIS_SCHEMA, XY_SCHEMA, build, chain_spec, specs, tennis


def lines_of(tree: Any, **options: Any) -> list[str]:
    return export_text(tree, **options).split("\n")


def many_towns(n: int) -> Schema:
    towns = tuple(f"town {i:03d}" for i in range(n))
    attributes = (Feature("town", "categorical", "text", towns), Feature("x", "numeric"))
    return Schema(attributes, ("no", "yes"), "rain")


# ---------------------------------------------------------------- what the lines say


def test_a_path_reads_like_a_sentence() -> None:
    assert export_text(tennis()) == (
        "play: 14 rows (No: 5, Yes: 9)\n"
        "├─ outlook = Overcast: Yes (4)\n"
        "├─ outlook = Rain (5)\n"
        "│  ├─ wind = Strong: No (2)\n"
        "│  └─ wind = Weak: Yes (3)\n"
        "└─ outlook = Sunny (5)\n"
        "   ├─ humidity <= 75: Yes (2)\n"
        "   └─ humidity > 75: No (3)"
    )


def test_printing_a_tree_or_a_fitted_model_is_the_same() -> None:
    tree = tennis()
    assert str(tree) == export_text(tree) == export_text(SimpleNamespace(tree_=tree))


def test_counts_can_be_left_out_and_lines_drawn_in_ascii() -> None:
    assert export_text(tennis(), show_weights=False, ascii=True) == (
        "play\n"
        "|- outlook = Overcast: Yes\n"
        "|- outlook = Rain\n"
        "|  |- wind = Strong: No\n"
        "|  `- wind = Weak: Yes\n"
        "`- outlook = Sunny\n"
        "   |- humidity <= 75: Yes\n"
        "   `- humidity > 75: No"
    )


def test_an_impure_leaf_shows_its_classes() -> None:
    tree = build(XY_SCHEMA, ("x <=", 1.25, [1, 4], [2, 2]))
    assert lines_of(tree)[1:] == [
        "├─ x <= 1.25: B (5; A: 1, B: 4)",
        "└─ x > 1.25: A (4; A: 2, B: 2)",
    ]


def test_a_leaf_whose_rows_are_all_of_another_class_says_so() -> None:
    tree = build(XY_SCHEMA, [3, 0])
    answered_b = replace(tree, label=tree.label + 1)
    assert export_text(answered_b) == "class: always B (3 rows; A: 3)"


@pytest.mark.parametrize(
    ("weights", "text"),
    [
        ([5, 9], "play: always Yes (14 rows; No: 5, Yes: 9)"),
        ([0, 1], "play: always Yes (1 row; Yes: 1)"),
        ([0.25, 1.5], "play: always Yes (2 rows, weight 1.75; No: 0.25, Yes: 1.5)"),
        ([0, 0], "play: always No (0 rows)"),
    ],
)
def test_a_single_leaf_is_one_line(weights: list[float], text: str) -> None:
    assert export_text(build(TENNIS_SCHEMA, weights)) == text


@pytest.mark.parametrize(
    ("weight", "text"),
    [(2.5, "2.5"), (10 / 3, "3.33"), (2.9999999999, "3"), (1234567.5, "1234567.5"),
     (0.00123, "0.0012"), (3e9, "3000000000")],
)  # fmt: skip
def test_weights_are_written_short(weight: float, text: str) -> None:
    tree = build(XY_SCHEMA, ("x <=", 1, [weight, 0], [0, 1]))
    assert lines_of(tree)[1] == f"├─ x <= 1: A ({text})"


def test_numbers_as_classes_are_told_from_their_counts() -> None:
    tree = build(replace(XY_SCHEMA, classes=(0, 1)), ("x <=", 1, [3, 1], [0, 1]))
    assert lines_of(tree) == [
        "class: 5 rows (0: 3, 1: 2)",
        "├─ x <= 1: 0 (4; 0: 3, 1: 1)",
        "└─ x > 1: 1 (1)",
    ]


def test_of_many_classes_the_heaviest_are_shown() -> None:
    schema = replace(XY_SCHEMA, classes=tuple("abcdefgh"))
    text = export_text(build(schema, [1, 9, 8, 7, 6, 5, 0, 2]))
    assert text == "class: always b (38 rows; b: 9, c: 8, d: 7, e: 6, f: 5, … 2 more classes)"


def test_every_condition_and_the_missing_branch_are_written() -> None:
    spec = ("color in", ["red", "blue"], ("color =", "red", [1, 0], [0, 1]),
            ("size <=", 0.5, [1, 0], [0, 1]), [0, 2])  # fmt: skip
    assert lines_of(build(XY_SCHEMA, spec), show_weights=False)[1:] == [
        "├─ color in {red, blue}",
        "│  ├─ color = red: A",
        "│  └─ color != red: B",
        "├─ color not in {red, blue}",
        "│  ├─ size <= small: A",
        "│  └─ size > small: B",
        "└─ color is missing: B",
    ]


# ---------------------------------------------------------------- what is left out


def test_below_max_depth_leaves_are_counted() -> None:
    assert lines_of(tennis(), max_depth=1)[1:] == [
        "├─ outlook = Overcast: Yes (4)",
        "├─ outlook = Rain: Yes (5; No: 2, Yes: 3) … 2 leaves below",
        "└─ outlook = Sunny: No (5; No: 3, Yes: 2) … 2 leaves below",
    ]
    top = "play: always Yes (14 rows; No: 5, Yes: 9) … 5 leaves below"
    assert export_text(tennis(), max_depth=0) == top
    assert export_text(tennis(), max_depth=2) == export_text(tennis())


def test_few_branches_have_a_line_each_and_empty_ones_share_one() -> None:
    spec = ("color", {"red": [1, 0], "green": [0, 0], "blue": [2, 0], "grey": [0, 0]})
    assert lines_of(build(XY_SCHEMA, spec))[1:] == [
        "├─ color = red: A (1)",
        "├─ color = blue: A (2)",
        "└─ color in {green, grey}: A (no rows)",
    ]


def test_many_leaves_with_the_same_answer_share_a_line() -> None:
    schema = many_towns(9)
    towns = schema.features[0].categories
    branches: dict[Any, Any] = {town: [i % 2, 2] for i, town in enumerate(towns)}
    branches[towns[3]] = ("x <=", 1, [1, 0], [0, 1])
    branches[towns[5]] = [4, 0]
    assert lines_of(build(schema, ("town", branches)), width=80) == [
        "rain: 22 rows (no: 7, yes: 15)",
        "├─ town in {town 000, town 001, town 002, town 004, town 006, town 007,",
        "│    town 008}: yes (16; no: 2, yes: 14)",
        "├─ town = town 003 (2)",
        "│  ├─ x <= 1: no (1)",
        "│  └─ x > 1: yes (1)",
        "└─ town = town 005: no (4)",
    ]


def test_200_categories_stay_readable_in_60_columns() -> None:
    schema = many_towns(200)
    weights = ([0, 0], [0, 3], [2, 1], [0, 1])
    branches = {t: weights[i % 4] for i, t in enumerate(schema.features[0].categories)}
    lines = lines_of(build(schema, ("town", branches)), width=60)
    assert len(lines) < 25
    assert max(map(len, lines)) <= 60
    assert lines[1] == "├─ town in {town 001, town 003, town 005, town 007,"
    assert lines[7] == "│    town 059, town 061, town 063, town 065, … 67 more}: yes"
    assert lines[-1] == "└─ town in {50 more categories}: yes (no rows)"


def test_a_long_set_is_listed_once_and_then_abbreviated() -> None:
    schema = many_towns(100)
    inside = list(schema.features[0].categories[:30])
    lines = lines_of(build(schema, ("town in", inside, [1, 0], [0, 1])), width=60)
    assert lines[-2] == "│    town 029}: no (1)"
    assert lines[-1] == "└─ town not in {town 000, town 001, … 28 more}: yes (1)"


# ---------------------------------------------------------------- names


def test_long_names_are_shortened_before_a_line_is_wrapped() -> None:
    schema = Schema((Feature("a" * 80, "numeric"),), ("b" * 50, "c"), "d" * 70)
    lines = lines_of(build(schema, ("a" * 80 + " <=", 1, [1, 2], [3, 0])), width=64)
    assert lines == [
        f"{'d' * 31}…: 6 rows (bbbbbbbbbbb…: 4, c: 2)",
        f"├─ {'a' * 23}… <= 1: c (3; bbbbbbbbbbb…: 1, c: 2)",
        f"└─ {'a' * 23}… > 1: {'b' * 23}… (3)",
    ]


def test_control_characters_are_shown_not_sent_to_the_terminal() -> None:
    schema = Schema((Feature("x\n\x1b[31m", "numeric"),), ("a\tb", ""), "t\u202e")
    lines = lines_of(build(schema, ("x\n\x1b[31m <=", 1, [1, 0], [0, 1])), width=80)
    assert lines == [
        r't\u202e: 2 rows (a\tb: 1, "": 1)',
        r"├─ x\n\x1b[31m <= 1: a\tb (1)",
        r'└─ x\n\x1b[31m > 1: "" (1)',
    ]


def test_labels_that_would_be_misread_are_quoted() -> None:
    attribute = Feature("c", "categorical", "text", ("a, b", " c", "{d}", "e f"))
    tree = build(Schema((attribute,), ("A", "B")), ("c in", ["a, b", " c"], [1, 0], [0, 1]))
    assert lines_of(tree)[1] == '├─ c in {"a, b", " c"}: A (1)'


def test_east_asian_names_take_two_columns_each() -> None:
    schema = Schema((Feature("天気" * 30, "numeric"),), ("はい", "いいえ"))
    lines = lines_of(build(schema, ("天気" * 30 + " <=", 1, [1, 2], [3, 0])), width=50)
    assert max(map(cells, lines)) <= 50
    assert cells("天a\u0301") == 3


def test_ascii_is_ascii_also_in_names() -> None:
    schema = Schema((Feature("größe" * 20, "numeric"),), ("ja", "möglich"))
    text = export_text(build(schema, ("größe" * 20 + " <=", 1, [1, 2], [3, 0])), ascii=True)
    assert text.isascii()
    assert r"gr\xf6\xdfe" in text
    assert "... <= 1" in text


# ---------------------------------------------------------------- width and depth


@given(specs(), st.integers(40, 120), st.booleans())
def test_every_line_fits_in_any_width(spec: Any, width: int, ascii: bool) -> None:
    lines = lines_of(build(XY_SCHEMA, spec), width=width, ascii=ascii)
    assert max(map(len, lines)) <= width


@given(specs())
def test_where_there_is_room_every_node_has_a_line(spec: Any) -> None:
    tree = build(XY_SCHEMA, spec)
    folded = 0
    for node in tree.walk():
        if isinstance(node.condition, Multiway):
            empty = [child.label for child in node.children if child.is_leaf and not child.weight]
            folded += len(empty) - len(set(empty))
    assert len(lines_of(tree, width=1000)) == tree.n_nodes - folded


@pytest.mark.parametrize("width", [40, 60, 200])
def test_deep_lines_carry_a_number_instead_of_an_indentation(width: int) -> None:
    lines = lines_of(build(XY_SCHEMA, chain_spec(1000)), width=width)
    assert max(map(len, lines)) <= width
    deepest_indent = {40: 6, 60: 10, 200: 30}[width]
    assert sum(not line.startswith("[") for line in lines) == 1 + 2 * deepest_indent
    assert lines[-1] == "[depth 1000] x > 1000: B (1)"


def test_the_terminal_decides_the_width(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = many_towns(100)
    tree = build(schema, ("town in", schema.features[0].categories[:60], [1, 0], [0, 1]))
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setattr(sys, "__stdout__", None)  # no terminal
    assert 90 < max(map(len, lines_of(tree))) <= 100
    monkeypatch.setenv("COLUMNS", "70")
    assert 60 < max(map(len, lines_of(tree))) <= 70
    monkeypatch.setenv("COLUMNS", "7")
    assert 30 < max(map(len, lines_of(tree))) <= 40


def test_splits_can_show_how_sure_they_are() -> None:
    text = export_text(tennis(), show_p_values="chi_square")
    assert text.splitlines()[0].endswith("p=0.17")
    assert "not adjusted for the choice" in text.splitlines()[-1]
    adjusted = export_text(tennis(), show_p_values=True).splitlines()
    assert adjusted[0].endswith("p=0.53")  # 1 - (1 - 0.17)^4 columns
    assert adjusted[-1] == "p: adjusted for the choice among all splits of the node"
    assert sum("p=" in line for line in text.splitlines()) == tennis().size
    assert "p=" not in export_text(tennis())


def test_below_the_tree_stands_what_it_was_grown_by_if_asked_for() -> None:
    tree = replace(tennis(), conventions=replace(C45, max_depth=3))
    shown = export_text(tree, show_conventions=True)
    assert shown == f"{export_text(tree)}\nConventions: c4.5r8, but max_depth=3"


def test_long_conventions_are_wrapped() -> None:
    other = replace(C45, max_depth=3, criterion="gini", min_score=0.25, zero_gain=False)
    lines = lines_of(
        replace(tennis(), conventions=other), show_conventions=True, width=40, ascii=True
    )
    n_branches = tennis().n_nodes - 1
    assert max(map(len, lines)) <= 40
    told = " ".join(line.strip() for line in lines[n_branches + 1 :])
    assert told == f"Conventions: {other}"


def test_a_tree_of_another_origin_has_no_conventions_to_show() -> None:
    assert lines_of(tennis(), show_conventions=True)[-1] == "Conventions: unknown"


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize("width", [39, 60.0, True, "wide"])
def test_a_width_must_be_a_number_of_columns(width: Any) -> None:
    with pytest.raises(ParameterError, match=r"Got width=.*integer from 40"):
        export_text(tennis(), width=width)


@pytest.mark.parametrize("max_depth", [-1, 1.5, True, "2"])
def test_max_depth_must_be_a_depth(max_depth: Any) -> None:
    with pytest.raises(ParameterError, match=r"max_depth must be an int >= 0, or None"):
        export_text(tennis(), max_depth=max_depth)


def test_what_has_no_tree_cannot_be_printed() -> None:
    with pytest.raises(ArgumentTypeError, match=r"no tree to read.*type int.*pass a fitted model"):
        export_text(3)
    unfitted = SimpleNamespace(fit=None)
    with pytest.raises(ArgumentTypeError, match="call fit first"):
        export_text(unfitted)


@pytest.mark.parametrize(
    ("criterion", "expected"),
    [
        ("squared_error", "target: 4 rows (mean 4, sd 3.082)"),
        ("absolute_error", "target: 4 rows (median 3, mean deviation 2.5)"),
        ("poisson", "target: 4 rows (mean 4, half deviance 1.131)"),
    ],
)
def test_a_numeric_target_names_what_its_spread_is(criterion: Any, expected: str) -> None:
    model = pt.CARTRegressor(criterion).fit([[1], [2], [3], [4]], [1, 2, 4, 9])
    assert str(model.tree_).splitlines()[0] == expected
