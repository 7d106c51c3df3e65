"""The target and the weights: codes of sorted classes, and what is no target."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plaintree as pt
from plaintree.data.target import comparable, label_array, labels_from, weights_from
from plaintree.errors import TableError


class TestLabels:
    @pytest.mark.parametrize(
        ("y", "classes"),
        [
            (["b", "a", "b"], ("a", "b")),
            ([1, 0, 1], (0, 1)),
            (np.array([1, -1, 1], dtype=np.int8), (-1, 1)),
            (np.array([100, -100, 100], dtype=np.int8), (-100, 100)),
            (np.array([2**63 + 1, 2**63, 2**63 + 1], dtype=np.uint64), (2**63, 2**63 + 1)),
            ([10**18 + 1, 10**18, 10**18 + 1], (10**18, 10**18 + 1)),
            ([10**6, 5, 10**6], (5, 10**6)),
            ([2.0, 1.0, 2.0], (1.0, 2.0)),
            ([True, False, True], (False, True)),
            (np.array(["b", "a", "b"]), ("a", "b")),
            (np.array([[1], [0], [1]]), (0, 1)),
            ([["b"], ["a"], ["b"]], ("a", "b")),
            (pd.Series(["b", "a", "b"]), ("a", "b")),
            (pd.Series([1, 0, 1], dtype="Int64"), (0, 1)),
            (pd.Series([2**53 + 1, 2**53, 2**53 + 1], dtype="Int64"), (2**53, 2**53 + 1)),
            (pa.chunked_array([[2**53 + 1, 2**53], [2**53 + 1]]), (2**53, 2**53 + 1)),
            ([2**64 + 1, 2**64, 2**64 + 1], (2**64, 2**64 + 1)),
            (pd.Series(pd.Categorical(["b", "a", "b"], ["c", "b", "a"])), ("a", "b")),
            (pd.Series(pd.Categorical(["b", "a", "b"], ["b", "a"], ordered=True)), ("a", "b")),
            (pd.DataFrame({"y": ["b", "a", "b"]}), ("a", "b")),
            (pl.Series(["b", "a", "b"]), ("a", "b")),
            (pl.Series(["b", "a", "b"], dtype=pl.Enum(["b", "a"])), ("a", "b")),
            (pa.chunked_array([["b"], ["a", "b"]]), ("a", "b")),
        ],
    )
    def test_are_codes_into_sorted_classes(self, y: Any, classes: tuple[Any, ...]) -> None:
        codes, found = labels_from(y, 3, "y")
        assert codes.dtype == np.int32
        assert codes.tolist() == [1, 0, 1]
        assert found == classes
        assert [type(c) for c in found] == [type(c) for c in classes]

    @pytest.mark.parametrize("classes", [(0, 2**63 + 1), (-1, 2**63 + 1), (2**64, 2**64 + 1)])
    def test_large_integers_stay_themselves_in_an_array(self, classes: tuple[int, ...]) -> None:
        assert label_array(classes).tolist() == list(classes)

    @pytest.mark.parametrize("classes", [(0.0, 1.0), (0, 1), ("a", "b"), (False, True)])
    def test_other_labels_are_arrays_as_numpy_makes_them(self, classes: tuple[Any, ...]) -> None:
        assert label_array(classes).dtype == np.array(classes).dtype

    def test_one_class_is_enough(self) -> None:
        codes, classes = labels_from(["a", "a"], 2, "y")
        assert codes.tolist() == [0, 0]
        assert classes == ("a",)

    @pytest.mark.parametrize(
        ("y", "match"),
        [
            (None, "requires y to be passed, but the target y is None"),
            ([1, 2], "Got 3 rows in X and 2 in y"),
            (["a", None, "b"], r"missing labels. Got no label in row 2\."),
            ([np.nan] * 3, r"row 1 and 2 more rows \(row 2, row 3\)"),
            ([0.5, 1, 2], "Unknown label type: continuous"),
            ([np.inf, 1, 2], "Unknown label type: continuous"),
            ([date(2020, 1, 1)] * 3, "Unknown label type: date"),
            (["a", "a", "a\0"], r"a class ends with a NUL character.* Got 'a\\x00'"),
            (np.zeros((3, 2)), "y should be a 1d array"),
            (pd.DataFrame({"a": [1] * 3, "b": [1] * 3}), "y should be a 1d array"),
        ],
    )
    def test_errors(self, y: Any, match: str) -> None:
        with pytest.raises(TableError, match=match):
            labels_from(y, 3, "y")

    @given(st.lists(st.integers(-(2**62), 2**62) | st.integers(-5, 5), min_size=1))
    def test_of_integers_are_those_of_numpy(self, y: list[int]) -> None:
        expected, inverse = np.unique(y, return_inverse=True)
        codes, classes = labels_from(np.array(y), len(y), "y")
        assert classes == tuple(expected.tolist())
        assert codes.tolist() == inverse.tolist()


class TestWeights:
    def test_none_is_none(self) -> None:
        assert weights_from(None, 3) is None

    @pytest.mark.parametrize(
        "weights", [[1, 0, 2], np.array([1, 0, 2]), pd.Series([1, 0, 2]), pl.Series([1, 0, 2])]
    )
    def test_are_float64(self, weights: Any) -> None:
        found = weights_from(weights, 3)
        assert found is not None
        assert found.dtype == np.float64
        assert found.tolist() == [1, 0, 2]

    @pytest.mark.parametrize(
        ("weights", "match"),
        [
            ([1, np.nan, 1], "not finite. Got nan in row 2"),
            ([1, 1, np.inf], "not finite. Got inf in row 3"),
            ([1, -2, 1], "negative. Got -2.0 in row 2"),
            ([1, 1], "3 rows in X and 2 in sample_weight"),
            ([0, 0, 0], "every sample_weight is zero"),
            ([[1], [1], [1]], r"one dimension. Got an array of shape \(3, 1\)"),
            (2.0, "one dimension"),
            (["a", "b", "c"], "values that are not numbers"),
        ],
    )
    def test_errors(self, weights: Any, match: str) -> None:
        with pytest.raises(TableError, match=match):
            weights_from(weights, 3)


def test_weights_that_vanish_beside_others_are_zero() -> None:
    found = comparable(np.array([1.0, 5e-324, 1e-61, 1e-50]))
    assert found is not None
    assert found.tolist() == [1.0, 0.0, 0.0, 1e-50]
    scaled = comparable(np.array([1e308, 1.0]))
    assert scaled is not None
    assert scaled.tolist() == [1.0, 0.0]


@pytest.mark.parametrize("weight", [5e-324, 1e308])
def test_trees_grown_with_extreme_weights_are_valid(weight: float) -> None:
    X, y = [[float(i)] for i in range(6)], list("aabbab")
    for model in (pt.MemorizingTreeClassifier(), pt.CARTClassifier(), pt.C45Classifier()):
        fitted = model.fit(X, y, sample_weight=[weight, 1, 1, 1, 1, 1])
        assert np.isfinite(fitted.tree_.validate().class_weights).all()
