"""Models as Python source: what its functions take and return (predictions: test_programs)."""

from __future__ import annotations

import ast
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from math import inf, nan, nextafter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import plaintree as pt
from plaintree.data.schema import Feature, Schema
from plaintree.interop.program.python import export_python
from plaintree.tree.condition import DIVIDES, STOPS
from tests.support.export_models import (
    golf_model,
    random_tree,
    rows_for,
    unseen_conventions,
    verified,
    with_numbers,
    with_surrogates,
)
from tests.support.trees import XY_SCHEMA, build, chain_spec, specs


def module_of(model: object) -> dict[str, Any]:
    module: dict[str, Any] = {}
    exec(export_python(model), module)
    return module


@pytest.mark.parametrize("of_numbers", [False, True])
@settings(max_examples=60)
@given(specs(), st.integers(0, 2**32), st.sampled_from(unseen_conventions()))
def test_random_trees(of_numbers: bool, spec: Any, seed: int, conventions: Any) -> None:
    tree = random_tree(spec, np.random.default_rng(seed), conventions)
    if of_numbers:
        tree = with_numbers(tree, seed)
    assert verified(export_python, tree, limit=150).n_generated >= rows_for(tree, limit=150)


@pytest.mark.parametrize("of_numbers", [False, True])
@settings(max_examples=40)
@given(specs(), st.integers(0, 2**32), st.sampled_from(unseen_conventions()))
def test_random_surrogates(of_numbers: bool, spec: Any, seed: int, conventions: Any) -> None:
    tree = random_tree(spec, np.random.default_rng(seed), conventions)
    tree = with_surrogates(tree, seed, (STOPS, 0, 1, DIVIDES))
    if of_numbers:
        tree = with_numbers(tree, seed)
    assert verified(export_python, tree, limit=300).n_generated >= rows_for(tree, limit=300)


def test_a_tree_of_any_depth() -> None:
    tree = build(XY_SCHEMA, chain_spec(5_000))
    predict = module_of(tree)["predict"]
    others = {"y": None, "size": None, "color": None}
    assert [predict({"x": x, **others}) for x in (4_998.5, 4_999.5, 5_001.0)] == ["A", "A", "B"]


def test_nothing_is_imported_but_datetime() -> None:
    source = ast.parse(export_python(golf_model("c45")[0]))
    imports = [node for node in ast.walk(source) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert [alias.name for node in imports for alias in node.names] == ["datetime"]


@pytest.mark.parametrize("threshold", [0.1, 1 / 3, -1e-300, 5e-324, 123456789.12345679, 1e308])
def test_thresholds_are_exact(threshold: float) -> None:
    schema = Schema((Feature("x", "numeric"),), ("low", "high"))
    predict = module_of(build(schema, ("x <=", threshold, [1, 0], [0, 1])))["predict"]
    tried = (threshold, nextafter(threshold, inf), nextafter(threshold, -inf))
    assert [predict({"x": x}) for x in tried] == ["low", "high", "low"]


def test_values_of_many_types_are_read_as_the_model_reads_them() -> None:
    schema = Schema(
        (
            Feature("x", "numeric"),
            Feature("c", "categorical", "text", ("1", "2.5", "True", "2024-02-29")),
        ),
        ("a", "b", "c", "d", "e"),
    )
    one = [[float(i == k) for i in range(5)] for k in range(5)]
    branches = dict(zip(schema.features[1].categories, one, strict=False))
    tree = build(schema, ("x <=", 0.5, ("c", branches, one[4]), one[4]))
    predict = module_of(tree)["predict"]
    read = {
        "a": ["1", 1, 1.0, np.int64(1), np.float32(1), Decimal(1)],
        "b": ["2.5", 2.5, Decimal("2.5")],
        "c": ["True", True, np.bool_(True)],
        "d": ["2024-02-29", date(2024, 2, 29)],
        "e": [None, nan, pd.NA, pd.NaT, "unseen", 7, False],
    }
    for label, values in read.items():
        for value in values:
            row = {"x": np.float32(0.25), "c": value, "another": 1}
            assert predict(row) == label, repr(value)


def test_moments_without_timezone_are_utc() -> None:
    schema = Schema((Feature("when", "numeric", "datetime"),), ("before", "after"))
    noon = datetime(2024, 2, 29, 12, tzinfo=UTC)
    threshold = noon.timestamp() * 1e6
    predict = module_of(build(schema, ("when <=", threshold, [1, 0], [0, 1])))["predict"]
    later = noon + timedelta(microseconds=1)
    tried = [noon, later, later.replace(tzinfo=None), noon.date(), np.datetime64("2024-03-01")]
    assert [predict({"when": t}) for t in tried] == ["before", "after", "after", "before", "after"]


def test_what_the_model_refuses_is_a_value_error() -> None:
    predict = module_of(golf_model("errors")[0])["predict"]
    row = {"outlook": "rain", "temperature": 70, "humidity": 80, "windy": True}
    assert predict(row) == "no"
    with pytest.raises(ValueError, match="'humidity' is missing"):
        predict({**row, "humidity": None})
    with pytest.raises(ValueError, match="category not seen in training: 'snow'"):
        predict({**row, "outlook": "snow"})


def test_a_row_without_a_column_or_with_text_for_a_number_is_an_error() -> None:
    predict = module_of(golf_model("cart")[0])["predict"]
    row = {"outlook": "rain", "temperature": 70, "humidity": 80, "windy": True}
    with pytest.raises(KeyError, match="windy"):
        predict({name: value for name, value in row.items() if name != "windy"})
    with pytest.raises(TypeError, match="'humidity' is to be integer, not '80'"):
        predict({**row, "humidity": "80"})
    with pytest.raises(TypeError, match="'humidity' is to be integer, not datetime"):
        predict({**row, "humidity": date(2024, 2, 29)})


def test_shares_go_by_label() -> None:
    shares = module_of(golf_model("c45")[0])["predict_proba"](
        {"outlook": None, "temperature": 70, "humidity": 80, "windy": True}
    )
    assert list(shares) == ["no", "yes"]
    assert sum(shares.values()) == pytest.approx(1)


def test_a_large_number_is_found_among_texts() -> None:
    X = {"id": [str(2**53), str(2**53 + 1), "none"]}
    model = pt.ID3Classifier().fit(X, ["a", "b", "c"])
    predict = module_of(model)["predict"]
    asked = [2**53, 2**53 + 1, np.int64(2**53 + 1), 2**53 + 2]
    expected = [model.predict({"id": [number]})[0] for number in asked]
    assert [predict({"id": number}) for number in asked] == expected
    assert expected[:3] == ["a", "b", "b"]
