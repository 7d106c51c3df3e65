"""Columns of frame libraries: nothing is copied in vain, declared categories stay as declared."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from plaintree.data.table import table_from
from tests.support.column_values import column, decoded, numbers


class TestFrames:
    def test_float_columns_are_not_copied(self) -> None:
        frame = pl.DataFrame({"a": [1.0, 2.0]})
        assert np.shares_memory(column(frame).values, frame["a"].to_numpy())
        wide = pd.DataFrame(np.zeros((2, 600)))
        assert np.shares_memory(column(wide, "599").values, wide.to_numpy())

    def test_names_become_text(self) -> None:
        assert table_from(pd.DataFrame({1: [1], ("a", 2): [2]})).names == ("1", "('a', 2)")

    def test_float32_stays(self) -> None:
        assert column(pd.DataFrame({"a": [1.5]}, dtype="Float32")).values.dtype == np.float32
        assert column(pl.DataFrame({"a": [1.5]}, schema={"a": pl.Float32})).values.dtype == "f4"

    @pytest.mark.parametrize("n_strings", [3, 5000])
    def test_object_text_with_few_or_many_strings(self, n_strings: int) -> None:
        texts = [None if i % 7 == 0 else f"s{i % n_strings}" for i in range(10_000)]
        c = column(pd.DataFrame({"a": pd.Series(texts, dtype=object)}))
        assert decoded(c) == texts
        assert list(c.labels) == sorted({t for t in texts if t})

    def test_a_hundred_thousand_categories(self) -> None:
        texts = [f"k{i}" for i in range(100_000)]
        for frame in (pd.DataFrame({"a": texts}), pl.DataFrame({"a": texts})):
            assert decoded(column(frame)) == texts

    def test_object_columns_keep_equal_values_of_different_type_apart(self) -> None:
        c = column(pd.DataFrame({"a": pd.Series([True, 1, "2", 1.0], dtype=object)}))
        assert decoded(c) == ["True", "1", "2", "1.0"]


class TestCategories:
    def test_keep_the_declared_order_and_those_without_rows(self) -> None:
        labels = ["low", "mid", "high"]
        frames = [
            pd.DataFrame({"a": pd.Categorical(["high", None, "low"], categories=labels)}),
            pl.DataFrame({"a": ["high", None, "low"]}, schema={"a": pl.Enum(labels)}),
        ]
        for frame in frames:
            c = column(frame)
            assert c.kind == "categorical"
            assert c.labels == ("low", "mid", "high")
            assert decoded(c) == ["high", None, "low"]

    def test_arrow_dictionaries_are_sorted(self) -> None:
        """Their order is that of appearance; indices may be unsigned, values may be gaps."""
        for indices in (pa.array([2, None, 0, 1]), pa.array([2, None, 0, 1], pa.uint8())):
            coded = pa.DictionaryArray.from_arrays(indices, ["low", None, "high"])
            c = column(pa.table({"a": coded}))
            assert c.labels == ("high", "low")
            assert decoded(c) == ["high", None, "low", None]

    def test_polars_categorical_is_sorted(self) -> None:
        pl.Series(["zz", "c"]).cast(pl.Categorical)  # may live in the same pool of strings
        c = column(pl.DataFrame({"a": ["c", "b"]}, schema={"a": pl.Categorical}))
        assert c.labels == ("b", "c")
        assert decoded(c) == ["c", "b"]

    def test_ordered_ones_are_ranks(self) -> None:
        values = pd.Categorical(["high", None, "low"], ["low", "mid", "high"], ordered=True)
        c = column(pd.DataFrame({"a": values}))
        assert c.kind == "ordered"
        assert c.values.dtype == np.float64
        assert numbers(c) == [2, None, 0]
        assert c.labels == ("low", "mid", "high")

    def test_labels_are_plain_python_values(self) -> None:
        numbers_ = column(pd.DataFrame({"a": pd.Categorical([2, 1])})).labels
        assert numbers_ == (1, 2)
        assert all(type(label) is int for label in numbers_)
        intervals = column(pd.DataFrame({"a": pd.cut([1, 9], [0, 5, 10])})).labels
        assert intervals == ("(0, 5]", "(5, 10]")
