"""Schemas of hand-made trees: names, kinds, units, labels and cuts are those of columns."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from plaintree.data.schema import Feature, Schema
from plaintree.data.schema_check import check_schema
from plaintree.errors import TreeError

COLOR = Feature("color", "categorical", "text", ("red", "blue"))
X = Feature("x", "numeric")
SCHEMA = Schema((X, COLOR), ("no", "yes"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"target": 3}, "target's name is not a string"),
        ({"classes": "ab"}, "not all in a tuple"),
        ({"classes": ("no", None)}, "not strings, numbers or booleans"),
        ({"classes": (0.5, np.nan)}, "not strings, numbers or booleans"),
        ({"classes": ("no", "no")}, r"not all different. Got 'no' twice"),
        ({"classes": (True, "yes")}, "mix labels of different types"),
        ({"classes": (1, "1")}, "as strings, are not all different"),
        ({"features": {"x": X}}, "not all in a tuple"),
        ({"features": (X, None)}, "feature 1 is not a Feature"),
        ({"features": (X, X)}, "names are not all different"),
        ({"features": (replace(X, name=b"x"),)}, "name of feature 0 is not a string"),
        ({"features": (replace(X, kind="wavy"),)}, "kind of feature 'x' is unknown"),
        ({"features": (replace(X, unit=["date"]),)}, "unit of feature 'x' is unknown"),
        ({"features": (replace(X, categories=("a",)),)}, "numeric and has categories"),
        ({"features": (replace(COLOR, cuts=(2, 1)),)}, "not numbers in ascending order"),
        ({"features": (replace(COLOR, cuts=("a",)),)}, "not numbers in ascending order"),
        ({"features": (replace(COLOR, cuts=(1, 2)),)}, "not the ends of its categories"),
    ],
)
def test_what_no_column_has_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(TreeError, match=message):
        check_schema(replace(SCHEMA, **changes))


def test_lists_become_tuples() -> None:
    given = Schema([X, replace(COLOR, categories=["red", "blue"])], ["no", "yes"])  # type: ignore[arg-type]
    assert given == SCHEMA
    check_schema(given)


def test_a_copy_is_checked_again() -> None:
    check_schema(SCHEMA)
    assert SCHEMA.is_checked
    assert not replace(SCHEMA, target="y").is_checked
    assert not pickle.loads(pickle.dumps(SCHEMA)).is_checked
