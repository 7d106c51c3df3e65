"""Conditions as plain data and back: nothing is lost, and nothing is guessed."""

from __future__ import annotations

import json
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given

from plaintree.data.schema import Feature, Schema
from plaintree.errors import ArgumentTypeError, ParameterError
from plaintree.tree import (
    Condition,
    Equals,
    Grouped,
    Multiway,
    Subset,
    Threshold,
    condition_from_data,
    condition_to_data,
)
from tests.support.trees import XY_SCHEMA, build, specs

SCHEMA = Schema(
    (
        Feature("x", "numeric"),
        Feature("size", "ordered", "text", ("small", "middle", "large")),
        Feature("color", "categorical", "text", ("red", "green", "blue", "grey")),
        Feature("n", "categorical", "integer", (1, 2, 3)),
        Feature("flag", "categorical", "boolean", (False, True)),
        Feature("empty", "categorical"),
    ),
    ("A", "B"),
)

PAIRS: list[tuple[Condition, dict[str, Any]]] = [
    (Threshold(0, 2.5), {"column": "x", "cut": 2.5}),
    (Threshold(0, inf), {"column": "x", "cut": "infinity"}),
    (Threshold(0, -inf), {"column": "x", "cut": "-infinity"}),
    (Threshold(1, 0.5), {"column": "size", "cut": 0.5}),
    (Multiway(2, 4), {"column": "color"}),
    (Equals(2, 1), {"column": "color", "is": "green"}),
    (Equals(3, 1), {"column": "n", "is": 2}),
    (Equals(4, 1), {"column": "flag", "is": True}),
    (Subset(2, (0, 3)), {"column": "color", "in": ["red", "grey"]}),
    (Grouped(2, (1, 0, -1, 1)), {"column": "color", "groups": [["green"], ["red", "grey"]]}),
]


@pytest.mark.parametrize(("condition", "data"), PAIRS)
def test_conditions_are_data_that_json_holds(condition: Condition, data: dict[str, Any]) -> None:
    assert condition_to_data(SCHEMA, condition) == data
    again = json.loads(json.dumps(data, allow_nan=False))
    assert condition_from_data(SCHEMA, again) == condition


@given(specs())
def test_every_condition_of_a_tree_is_made_again(spec: object) -> None:
    tree = build(XY_SCHEMA, spec)
    for node in tree.walk():
        if node.condition is not None:
            data = condition_to_data(tree.schema, node.condition)
            assert condition_from_data(tree.schema, json.loads(json.dumps(data))) == node.condition


def test_integers_and_floats_are_the_same_category_but_strings_and_booleans_are_not() -> None:
    assert condition_from_data(SCHEMA, {"column": "n", "is": 2.0}) == Equals(3, 1)
    assert condition_from_data(SCHEMA, {"column": "x", "cut": 2}) == Threshold(0, 2.0)
    with pytest.raises(ParameterError, match=r"Got '2'\. Hint: did you mean 2\?"):
        condition_from_data(SCHEMA, {"column": "n", "is": "2"})
    with pytest.raises(ParameterError, match=r"does not have this category\. Got True"):
        condition_from_data(SCHEMA, {"column": "n", "is": True})


def test_categories_come_in_any_order() -> None:
    found = condition_from_data(SCHEMA, {"column": "color", "in": ["grey", "red"]})
    assert found == Subset(2, (0, 3))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"cut": 1}, 'has no "column"'),
        ({"column": "colour", "is": "red"}, "did you mean 'color'"),
        ({"column": 0, "cut": 1}, "a column that the tree does not have. Got 0"),
        ({"column": "x", "cutt": 1}, "unknown entry. Got 'cutt'. Hint: did you mean 'cut'"),
        ({"column": "color", "is": "red", "in": ["red"]}, "exclude each other. Got 'is' and 'in'"),
        ({"column": "x"}, "does not fit column 'x', which is numeric"),
        ({"column": "x", "is": "red"}, 'use "cut"'),
        ({"column": "color", "cut": 1}, "does not fit column 'color', which is categorical"),
        ({"column": "x", "cut": "2.5"}, "threshold of column 'x' is not a number. Got '2.5'"),
        ({"column": "x", "cut": nan}, "is not a number. Got nan"),
        ({"column": "x", "cut": True}, "is not a number. Got True"),
        ({"column": "x", "cut": None}, "is not a number. Got None"),
        ({"column": "size", "cut": 2}, "outside its ordered categories. Got 2"),
        ({"column": "color", "is": "gren"}, "did you mean 'green'"),
        ({"column": "color", "is": "mauve"}, "the categories are 'red', 'green'"),
        ({"column": "color", "is": ["red"]}, "does not have this category"),
        ({"column": "color", "in": "red"}, "must be a list. Got 'red'. Hint: use \"is\""),
        ({"column": "color", "in": ["red", "red"]}, "listed twice. Got 'red'"),
        ({"column": "color", "in": []}, "does not divide its categories. Got no categories"),
        ({"column": "flag", "in": [True, False]}, "Got all categories"),
        ({"column": "color", "groups": [["red"], ["red"]]}, "is in two groups. Got 'red'"),
        ({"column": "color", "groups": [["red"], []]}, "Got an empty group"),
        ({"column": "color", "groups": []}, "Got no groups"),
        ({"column": "color", "groups": ["red"]}, "must be a list"),
        ({"column": "empty"}, "Got a column without categories"),
    ],
)
def test_whatever_is_not_a_condition_is_an_error(data: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        condition_from_data(SCHEMA, data)


def test_data_is_a_dictionary() -> None:
    with pytest.raises(ArgumentTypeError, match="a condition must be a dictionary"):
        condition_from_data(SCHEMA, "x <= 1")  # type: ignore[arg-type]
