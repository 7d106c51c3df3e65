"""Input that cannot be used is refused by our own errors; nothing is merged or misread silently."""

from __future__ import annotations

import warnings
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

import plaintree as pt
from plaintree.data.table import table_from
from plaintree.data.target import target_from, weights_from
from plaintree.errors import ColumnError, ParameterError, TableError
from plaintree.threads import MOST_THREADS, thread_count


class Speechless:
    def __str__(self) -> str:
        raise RuntimeError("no text")


class TestLabels:
    @pytest.mark.parametrize("y", [[1, "1"], [0, "x"], [True, 1], [True, "True"]])
    def test_of_several_types_are_refused(self, y: list[Any]) -> None:
        for labels in (y, pd.Series(y, dtype=object)):
            with pytest.raises(TableError, match=r"types|same string"):
                target_from(labels, 2)

    def test_declared_categories_of_several_types_are_refused(self) -> None:
        with pytest.raises(TableError, match="mixes labels"):
            target_from(pd.Series(pd.Categorical([1, "1"], categories=[1, "1"])), 2)

    def test_many_distinct_numbers_are_warned_of(self) -> None:
        with pytest.warns(pt.errors.ManyClassesWarning, match="300 distinct values"):
            target_from(list(range(300)), 300)


class TestColumns:
    def test_values_that_are_the_same_as_text_are_not_merged(self) -> None:
        with pytest.raises(TableError, match="1 as int and as str"):
            table_from({"a": [1, "1"]})

    def test_a_signalling_nan_is_missing(self) -> None:
        column = table_from({"a": [Decimal("sNaN"), Decimal(1)]}).columns[0]
        assert column.missing.tolist() == [True, False]

    @pytest.mark.parametrize(
        "values",
        [
            [Speechless()],
            pd.Series([pd.Period(ordinal=10**9, freq="Y")]),
            np.array([10**9], dtype="M8[Y]"),
        ],
    )
    def test_unreadable_values_are_refused(self, values: Any) -> None:
        with pytest.raises(TableError, match=r"cannot be read|out of range"):
            table_from({"a": values})


@pytest.mark.parametrize(
    "weights", [[10**400], [Speechless()], np.array([1j]), np.ma.array([1.0], mask=[True])]
)
def test_weights_that_are_no_numbers_are_refused(weights: Any) -> None:
    with pytest.raises(TableError, match="sample_weight"):
        weights_from(weights, 1)


def test_any_number_of_threads_fits_the_core() -> None:
    assert thread_count(10**30) == MOST_THREADS
    assert thread_count(-(10**30)) == 1


def test_nested_categorical_features_are_refused() -> None:
    nested: Any = [["a"]]
    with pytest.raises(ParameterError, match="not a list of columns"):
        pt.CARTClassifier(categorical_features=nested).fit([[1], [2]], [0, 1])


class TestPrediction:
    X = pd.DataFrame({"sky": ["dull", "sunny"] * 5, "unused": list("abcdefghij")})
    y = ("no", "yes") * 5

    def model(self) -> Any:
        return pt.CARTClassifier().fit(self.X, list(self.y))

    def test_unseen_categories_are_warned_of_once(self) -> None:
        new = pd.DataFrame({"sky": ["dull", "red", "red"], "unused": ["a", "z", "z"]})
        with pytest.warns(
            pt.errors.UnseenCategoryWarning, match="'sky': 'red' in 2 rows$"
        ) as caught:
            self.model().predict(new)
        assert len(caught) == 1

    def test_a_misspelt_category_is_reported_with_the_nearest(self) -> None:
        new = pd.DataFrame({"sky": ["dul", "sunny"], "unused": ["a", "a"]})
        with pytest.warns(
            pt.errors.UnseenCategoryWarning, match=r"'dul' \(did you mean 'dull'\?\)"
        ):
            self.model().predict(new)

    def test_a_column_without_known_values_is_said(self) -> None:
        new = pd.DataFrame({"sky": ["DULL"], "unused": ["a"]})
        with pytest.warns(pt.errors.UnseenCategoryWarning, match="no value was seen in training"):
            self.model().predict(new)

    def test_unused_columns_are_not_warned_of(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = self.model().predict(pd.DataFrame({"sky": ["dull"], "unused": ["z"]}))
        assert len(found) == 1

    def test_positions_of_ordered_categories_are_refused(self) -> None:
        sizes = pd.Categorical(["low", "high"] * 5, categories=["low", "high"], ordered=True)
        model = pt.CARTClassifier().fit(pd.DataFrame({"size": sizes}), list(self.y))
        with pytest.raises(ColumnError, match="ordered categories"):
            model.predict(pd.DataFrame({"size": [0, 1]}))


def test_reduced_error_pruning_gives_one_tree_for_one_table() -> None:
    X = np.random.default_rng(0).normal(size=(200, 5)).round(1)
    y = (X[:, 0] + X[:, 1] ** 2 > 1).astype(int)
    models = [pt.CARTClassifier(pruning="reduced_error").fit(X, y) for _ in range(3)]
    assert len({str(model.tree_) for model in models}) == 1
