"""A schema is frozen, knows its columns by name, and survives JSON."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaintree.data.schema import MISSING, UNSEEN, Feature, Kind, Label, Schema

SCHEMA = Schema(
    features=(
        Feature("outlook", "categorical", "text", ("overcast", "rainy", "sunny")),
        Feature("humidity", "numeric"),
        Feature("windy", "categorical", "boolean", (False, True)),
        Feature("grade", "categorical", "integer", (1, 2, 2.5)),
        Feature("size", "ordered", "text", ("S", "M", "L")),
        Feature("day", "numeric", "date"),
    ),
    classes=("no", "yes"),
    target="play",
)


def through_json(schema: Schema) -> Schema:
    return Schema.from_json(json.loads(json.dumps(schema.to_json())))


def test_names_are_in_column_order() -> None:
    assert SCHEMA.names == ("outlook", "humidity", "windy", "grade", "size", "day")


def test_a_column_is_found_by_name() -> None:
    assert [SCHEMA.position(name) for name in SCHEMA.names] == list(range(6))


def test_an_unknown_name_is_a_key_error() -> None:
    with pytest.raises(KeyError, match="wind"):
        SCHEMA.position("wind")


def test_only_unordered_codes_are_categorical() -> None:
    assert [a.is_categorical for a in SCHEMA.features] == [True, False, True, True, False, False]


def test_json_loses_nothing() -> None:
    assert through_json(SCHEMA) == SCHEMA


def test_json_keeps_the_types_of_labels() -> None:
    labels: tuple[Label, ...] = (False, True, 0, 1, 1.0, 0.5, "1")
    schema = Schema((Feature("a", "categorical", "text", labels),), labels)
    for found in (through_json(schema).classes, through_json(schema).features[0].categories):
        assert [(type(label), label) for label in found] == [(type(v), v) for v in labels]


def test_json_is_plain() -> None:
    data = SCHEMA.to_json()
    assert data["target"] == "play"
    assert data["classes"] == ["no", "yes"]
    assert data["features"][4] == {
        "name": "size",
        "kind": "ordered",
        "unit": "text",
        "categories": ["S", "M", "L"],
        "cuts": [],
        "n_values": 0,
    }


def test_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError, match="target"):
        SCHEMA.target = "other"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError, match="name"):
        SCHEMA.features[0].name = "other"  # type: ignore[misc]


def test_equal_schemas_have_equal_hashes() -> None:
    assert hash(through_json(SCHEMA)) == hash(SCHEMA)


@given(
    st.lists(st.text(), unique=True),
    st.lists(st.text() | st.integers() | st.booleans() | st.floats(allow_nan=False)),
)
def test_any_names_and_labels_survive_json(names: list[str], labels: list[Label]) -> None:
    attributes = tuple(Feature(n, "categorical", "text", tuple(labels)) for n in names)
    schema = Schema(attributes, tuple(labels), "t")
    assert through_json(schema) == schema


@pytest.mark.parametrize(
    ("kind", "codes", "missing"),
    [
        ("numeric", [1.5, nan, -1.0, -inf], [False, True, False, False]),
        ("ordered", [0.0, nan, 2.0], [False, True, False]),
        ("categorical", [0, MISSING, UNSEEN, 2], [False, True, True, False]),
    ],
)
def test_missing_values_of_an_encoded_column(
    kind: Kind, codes: list[float], missing: list[bool]
) -> None:
    attribute = Feature("x", kind)
    assert attribute.missing(np.array(codes)).tolist() == missing
    assert [attribute.is_missing(code) for code in codes] == missing
