"""Other names for features and classes: one for each, all different."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plaintree.data.renaming import renamed
from plaintree.data.schema import Feature, Schema
from plaintree.errors import ArgumentTypeError, ParameterError

SCHEMA = Schema((Feature("x0", "numeric"), Feature("x1", "numeric")), (0, 1), "y")


@pytest.mark.parametrize("names", [["a", "b"], ("a", "b"), np.array(["a", "b"])])
def test_names_come_in_any_sequence(names: Any) -> None:
    schema = renamed(SCHEMA, names, names)
    assert schema.names == schema.classes == ("a", "b")
    assert {type(name) for name in (*schema.names, *schema.classes)} == {str}
    assert schema.target == "y"


def test_nothing_to_rename_is_the_same_schema() -> None:
    assert renamed(SCHEMA) is SCHEMA
    assert renamed(SCHEMA, None, True) is SCHEMA


def test_feature_names_are_strings_and_class_names_may_be_numbers() -> None:
    schema = renamed(SCHEMA, [10, 20], np.array([5, 6]))
    assert schema.names == ("10", "20")
    assert schema.classes == (5, 6)


def test_class_names_of_several_types_are_strings() -> None:
    assert renamed(SCHEMA, class_names=["no", 1]).classes == ("no", "1")


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        (
            ["a"],
            ParameterError,
            "feature_names must have one name per feature. Got 1 names",
        ),
        (["a", "b", "c"], ParameterError, "Got 3 names for 2 features"),
        (["a", "a"], ParameterError, "feature_names must be different names. Got 'a' 2 times"),
        (["1", 1], ParameterError, "must be different names. Got '1' 2 times"),
        ("ab", ArgumentTypeError, "must be a sequence of names. Got an object of type str"),
        ({"x0": "a", "x1": "b"}, ArgumentTypeError, "Got an object of type dict"),
        (3, ArgumentTypeError, "Got an object of type int"),
        ([None, "b"], ArgumentTypeError, "must be a sequence of names. Got .None, 'b'."),
    ],
)
def test_other_names_are_refused(names: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        renamed(SCHEMA, names)


def test_class_names_are_counted_as_well() -> None:
    with pytest.raises(ParameterError, match=r"one name per class. Got 3 names for 2 classes"):
        renamed(SCHEMA, None, ["a", "b", "c"])
    with pytest.raises(ArgumentTypeError, match=r"class_names must be a sequence.*type bool"):
        renamed(SCHEMA, None, False)


def test_a_numeric_target_has_no_class_names() -> None:
    numeric = Schema(SCHEMA.features, (), "price")
    with pytest.raises(
        ParameterError, match=r"class_names needs classes, and the target 'price'.*leave out"
    ):
        renamed(numeric, class_names=["a"])
    assert renamed(numeric, class_names=True) is numeric
