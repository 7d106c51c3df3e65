"""The way in: whatever table the caller has becomes the same named columns."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from plaintree.data.table import remember_names, table_for, table_from
from plaintree.errors import ArgumentTypeError, TableError
from tests.support.column_values import decoded, numbers

ROWS = {
    "text": ["b", None, "a", "b"],
    "whole": [3, 1, 2, 3],
    "real": [0.5, None, -1.5, float("inf")],
    "truth": [True, False, None, True],
}

MAKES = {
    "pandas": lambda: pd.DataFrame(ROWS),
    "pandas object": lambda: pd.DataFrame(ROWS, dtype=object),
    "pandas nullable": lambda: pd.DataFrame(ROWS).convert_dtypes(),
    "pandas arrow": lambda: pd.DataFrame(ROWS).convert_dtypes(dtype_backend="pyarrow"),
    "polars": lambda: pl.DataFrame(ROWS),
    "arrow": lambda: pa.table(ROWS),
    "narwhals": lambda: nw.from_native(pl.DataFrame(ROWS)),
    "dict of lists": lambda: ROWS,
    "dict of series": lambda: {k: pl.Series(v) for k, v in ROWS.items()},
    "list of dicts": lambda: pl.DataFrame(ROWS).to_dicts(),
}


class TestEveryMake:
    @pytest.fixture(params=MAKES)
    def X(self, request: pytest.FixtureRequest) -> Any:
        with np.errstate(invalid="ignore"):  # some versions of pandas try infinity as an integer
            return MAKES[request.param]()

    def test_gives_the_same_columns(self, X: Any) -> None:
        table = table_from(X)
        assert table.names == ("text", "whole", "real", "truth")
        assert table.n_rows == 4
        assert not table.generated_names
        assert [c.kind for c in table.columns] == [
            "categorical", "numeric", "numeric", "categorical"
        ]  # fmt: skip

    def test_gives_the_same_values(self, X: Any) -> None:
        text, whole, real, truth = table_from(X).columns
        assert text.labels == ("a", "b")
        assert decoded(text) == ["b", None, "a", "b"]
        assert numbers(whole) == [3, 1, 2, 3]
        assert numbers(real) == [0.5, None, -1.5, np.inf]
        assert truth.labels == (False, True)
        assert truth.unit == "boolean"
        assert decoded(truth) == [True, False, None, True]

    def test_stores_codes_as_int32_and_numbers_as_floats(self, X: Any) -> None:
        text, whole, real, truth = table_from(X).columns
        assert text.values.dtype == truth.values.dtype == np.int32
        assert whole.values.dtype == real.values.dtype == np.float64


class TestMatrix:
    def test_has_generated_names(self) -> None:
        table = table_from(np.zeros((2, 3)))
        assert table.names == ("x0", "x1", "x2")
        assert table.generated_names

    @pytest.mark.parametrize("order", ["C", "F"])
    @pytest.mark.parametrize("dtype", [np.float32, np.float64])
    def test_of_floats_is_not_copied(self, order: Any, dtype: Any) -> None:
        X = np.array([[1, 2], [3, 4]], dtype=dtype, order=order)
        for c in table_from(X).columns:
            assert np.shares_memory(c.values, X)
            assert c.values.dtype == dtype

    @pytest.mark.parametrize(
        ("dtype", "expected"),
        [(np.float16, np.float32), (np.longdouble, np.float64), (">f8", np.float64),
         (np.int8, np.float64), (np.uint64, np.float64)],
    )  # fmt: skip
    def test_of_other_numbers_is_widened(self, dtype: Any, expected: Any) -> None:
        values = table_from(np.array([[1], [2]], dtype=dtype)).columns[0].values
        assert values.dtype == np.dtype(expected)
        assert values.tolist() == [1, 2]

    def test_of_objects_is_read_column_by_column(self) -> None:
        text, whole = table_from(np.array([["a", 1], ["b", None]], dtype=object)).columns
        assert decoded(text) == ["a", "b"]
        assert numbers(whole) == [1, None]

    def test_of_text_is_categorical(self) -> None:
        assert decoded(table_from(np.array([["b"], ["a"]])).columns[0]) == ["b", "a"]

    @pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.float32, "M8[ns]", "m8[D]"])
    def test_masked_numbers_are_missing(self, dtype: Any) -> None:
        X = np.ma.array(np.array([[1, 2]]).astype(dtype), mask=[[False, True]])
        first, second = table_from(X).columns
        assert numbers(first) == numbers(table_from(X.data).columns[0])
        assert numbers(second) == [None]

    @pytest.mark.parametrize("values", [["b", "a"], [True, False], [2**60, 2**60 + 1]])
    def test_so_are_masked_entries_of_other_sorts(self, values: list[Any]) -> None:
        masked, same = table_from(
            {"a": np.ma.array(values, mask=[False, True]), "b": [values[0], None]}
        ).columns
        np.testing.assert_array_equal(masked.values, same.values)
        assert (masked.kind, masked.labels) == (same.kind, same.labels)

    def test_anything_with_an_array_inside_will_do(self) -> None:
        class Wrapped:
            def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
                return np.ones((2, 1), dtype)

        assert table_from(Wrapped()).names == ("x0",)

    def test_a_list_of_rows_is_one_too(self) -> None:
        table = table_from([[1, "a"], [2.5, None]])
        assert table.generated_names
        assert numbers(table.columns[0]) == [1, 2.5]
        assert decoded(table.columns[1]) == ["a", None]


class TestErrors:
    @pytest.mark.parametrize(
        ("X", "match"),
        [
            (np.zeros((3, 0)), r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1"),
            (np.zeros((0, 3)), r"0 sample\(s\)"),
            ([], r"0 feature\(s\)"),
            ({}, r"0 feature\(s\)"),
            (pl.DataFrame({"a": []}), r"0 sample\(s\)"),
            (pd.DataFrame([[1, 2]], columns=["a", "a"]), "not unique. Got 'a' more than once"),
            (pd.DataFrame([[1, 2]], columns=["1", 1]), "'1' more than once"),
            ({"a": [1], "b": [1, 2]}, "Got 'a' with 1 rows, 'b' with 2 rows"),
            ([[1, 2], [1]], "2 values in row 1 and 1 in row 2"),
            (np.zeros(3), "Reshape your data"),
            ([1, 2, 3], "Reshape your data"),
            (pd.Series([1, 2]), "Reshape your data"),
            (np.zeros((1, 2), dtype=complex), "Complex data not supported"),
            ({"a": [1j]}, "Complex data not supported"),
            ({"a": 5}, "'a' cannot be used. Got a single value of type int"),
            ({"a": [[1], [2]]}, "'a' cannot be used. Got values of type list"),
            ({"a": [b"x"]}, "'a' cannot be used. Got values of type bytes"),
            ({"a": np.array([b"x"])}, "'a' cannot be used. Got binary data"),
            ({"a": [10**400]}, "'a' cannot be used. Got an integer too large"),
            (pl.DataFrame({"a": [[1]]}), r"'a' cannot be used. Got values of type List"),
            (pl.DataFrame({"a": [{"b": 1}]}), r"'a' cannot be used. Got values of type Struct"),
            (pl.DataFrame({"a": [b"x"]}), r"'a' cannot be used. Got values of type Binary"),
            (pa.table({"a": [[1]]}), "'a' cannot be used"),
            (pd.DataFrame({"a": [{}]}), "'a' cannot be used. Got values of type dict"),
        ],
    )
    def test_tables_that_cannot_be_used(self, X: Any, match: str) -> None:
        with pytest.raises(TableError, match=match):
            table_from(X)

    @pytest.mark.parametrize(
        ("X", "match"),
        [
            ("table.csv", "X is not a table. Got an object of type str"),
            (None, "NoneType"),
            (scipy.sparse.csr_matrix(np.eye(2)), r"sparse.*Hint: make it dense with .toarray"),
            (pl.LazyFrame({"a": [1]}), r"lazy.*collect"),
        ],
    )
    def test_things_that_are_no_tables(self, X: Any, match: str) -> None:
        with pytest.raises(ArgumentTypeError, match=match):
            table_from(X)


def test_importing_the_module_imports_no_frame_library() -> None:
    code = (
        "import sys, plaintree.data.table;"
        "sys.exit(', '.join({'pandas', 'polars', 'pyarrow'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_an_arrow_batch_keeps_its_names() -> None:
    batch = pa.record_batch({"age": [1, 2], "sex": ["f", "m"]})
    assert table_from(batch).names == ("age", "sex")


class Fitted:
    """What a fitted model is here: a width, and names where the table had them."""

    def __init__(self, X: Any) -> None:
        table = table_from(X)
        self.n_features_in_ = len(table.columns)
        remember_names(self, table)


class TestNamesOfAFittedModel:
    """As scikit-learn has it: a warning where only one of two tables has names."""

    ARRAY = np.array([[1.0, 2.0]])
    NAMED = pd.DataFrame(ARRAY, columns=["p", "q"])
    NUMBERED = pd.DataFrame(ARRAY)

    def test_are_those_of_its_table_if_they_are_text(self) -> None:
        named = ({"p": [1]}, [{"p": 1}], pl.DataFrame({"p": [1]}), pa.table({"p": [1]}))
        assert all(Fitted(X).feature_names_in_.tolist() == ["p"] for X in named)
        nameless = (self.ARRAY, [[1]], self.NUMBERED, {1: [1]}, [{1: 1}], pd.DataFrame([[1] * 600]))
        assert not any(hasattr(Fitted(X), "feature_names_in_") for X in nameless)

    def test_are_forgotten_when_it_is_fitted_again(self) -> None:
        model = Fitted(self.NAMED)
        remember_names(model, table_from(self.ARRAY))
        assert not hasattr(model, "feature_names_in_")

    @pytest.mark.parametrize("X", [ARRAY, NUMBERED, [[1, 2]]])
    def test_are_missed_in_a_table_without(self, X: Any) -> None:
        match = "X does not have valid feature names, but Fitted was fitted with feature names"
        with pytest.warns(UserWarning, match=match):
            assert table_for(Fitted(self.NAMED), X).n_rows == 1

    @pytest.mark.parametrize("X", [NAMED, {"x0": [1], "x1": [2]}, [{"p": 1, "q": 2}]])
    def test_are_told_where_it_has_none(self, X: Any) -> None:
        match = "X has feature names, but Fitted was fitted without feature names"
        with pytest.warns(UserWarning, match=match):
            assert table_for(Fitted(self.ARRAY), X).n_rows == 1

    @pytest.mark.parametrize(
        ("trained", "asked"), [(ARRAY, NUMBERED), (NUMBERED, ARRAY), (NAMED, NAMED), (ARRAY, ARRAY)]
    )
    def test_are_no_matter_where_both_sides_are_alike(self, trained: Any, asked: Any) -> None:
        assert table_for(Fitted(trained), asked).n_rows == 1  # a warning would be an error

    def test_made_up_ones_are_none(self) -> None:
        """Trees from elsewhere have them; models of such trees are asked with arrays."""
        assert table_for(Fitted({"x0": [1], "x1": [2]}), self.ARRAY).n_rows == 1

    def test_a_nameless_table_must_be_as_wide(self) -> None:
        match = "X has 3 features, but Fitted is expecting 2 features as input"
        with pytest.raises(TableError, match=match):
            table_for(Fitted(self.NAMED), np.zeros((1, 3)))
