"""The measures for lessons: the courses' figures, counts or columns, and how many trees."""

from __future__ import annotations

from itertools import product
from math import inf
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plaintree as pt
from plaintree.errors import ArgumentTypeError, ParameterError, TableError
from plaintree.stats.measures import (
    conditional_entropy,
    count_trees,
    entropy,
    gain_ratio,
    gini,
    information_gain,
)


class TestOneVariable:
    def test_figures_of_the_courses(self) -> None:
        assert entropy(counts=[3, 3]) == 1
        assert entropy(counts=[1, 1, 2, 2]) == pytest.approx(1.9183, abs=1e-4)
        assert entropy(counts={"yes": 3, "no": 4}) == pytest.approx(0.9852, abs=1e-4)
        assert gini(counts=[1, 5]) == pytest.approx(0.278, abs=1e-3)
        assert gini(counts=[5, 2]) == pytest.approx(20 / 49)

    @pytest.mark.parametrize(
        "column",
        [
            list("aabb"),
            pd.Series(list("aabb")),
            pl.Series(list("aabb")),
            np.array(list("aabb")),
            [True, True, False, False],
        ],
        ids=["list", "pandas", "polars", "numpy", "truth values"],
    )
    def test_columns_of_labels(self, column: Any) -> None:
        assert entropy(column) == 1
        assert gini(column) == 0.5

    def test_numbers_are_labels_unless_given_as_counts(self) -> None:
        assert entropy(np.array([2, 2])) == 0
        assert entropy(counts=np.array([2, 2])) == 1
        assert gini([0, 1, 1, 0]) == 0.5

    def test_weights(self) -> None:
        assert entropy(counts=[0.5, 0.5]) == 1
        assert gini(counts=[0.25, 0.75]) == 0.375


class TestTwoVariables:
    def test_tennis(self) -> None:
        X, y = pt.datasets.load_tennis()
        assert information_gain(X["Humidity"], y) == pytest.approx(0.1518, abs=1e-4)
        assert conditional_entropy(X["Wind"], y) == pytest.approx(
            8 / 14 * 0.8113 + 6 / 14, abs=1e-4
        )

    def test_counts_give_what_columns_give(self) -> None:
        X, y = pt.datasets.load_flu()
        table = [[3, 0], [1, 3]]
        assert gain_ratio(counts=table) == pytest.approx(gain_ratio(X["Headache"], y))
        named = {"no": {"no": 3, "yes": 0}, "yes": {"no": 1, "yes": 3}}
        assert gain_ratio(counts=named) == gain_ratio(counts=table)

    def test_the_conditional_ratio(self) -> None:
        emails = pt.datasets.load_emails()
        ratio = gain_ratio(emails.X["research"], emails.y, conditional=True)
        assert ratio == pytest.approx((0.970951 - 0.846439) / 0.846439, abs=1e-5)
        assert gain_ratio(counts=[[2, 0], [0, 1]], conditional=True) == inf

    def test_a_value_without_rows_changes_nothing(self) -> None:
        assert gain_ratio(counts=[[2, 1], [0, 3], [0, 0]]) == gain_ratio(counts=[[2, 1], [0, 3]])

    def test_a_single_value_says_nothing(self) -> None:
        assert gain_ratio(["a", "a"], ["x", "y"]) == 0

    @given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), min_size=1))
    def test_the_chain_rule(self, pairs: list[tuple[str, str]]) -> None:
        x, y = zip(*pairs, strict=True)
        joint = entropy(["".join(pair) for pair in pairs])
        assert joint == pytest.approx(entropy(x) + conditional_entropy(x, y))
        assert information_gain(x, y) == pytest.approx(information_gain(y, x), abs=1e-12)

    def test_it_is_the_score_of_the_tree(self) -> None:
        X, y = pt.datasets.load_tennis()
        tree = pt.ID3Classifier().fit(X, y).tree_
        assert information_gain(X["Outlook"], y) == pytest.approx(tree.root.score)


class TestCountTrees:
    def test_the_formulas_of_the_course(self) -> None:
        for d in range(8):
            assert count_trees(d, 0) == 2
            assert count_trees(d, 1) == 4 * d
            assert count_trees(d, 2) == 16 * d * (d - 1)

    def test_more_classes(self) -> None:
        assert count_trees(5, 1, n_classes=10) == 5 * 10**2

    def test_more_values(self) -> None:
        assert count_trees(4, 1, 2, n_values=3) == 4 * 2**3

    @pytest.mark.parametrize(("d", "classes"), list(product(range(3), (1, 2, 3))))
    def test_by_listing_them_all(self, d: int, classes: int) -> None:
        def trees(attributes: frozenset[int]) -> list[tuple[Any, int]]:
            found: list[tuple[Any, int]] = [(label, 0) for label in range(classes)]
            for a in attributes:
                below = trees(attributes - {a})
                found += [((a, x, y), s + t + 1) for (x, s), (y, t) in product(below, repeat=2)]
            return found

        listed = trees(frozenset(range(d)))
        assert len(set(listed)) == count_trees(d, n_classes=classes)
        for size in range(5):
            assert sum(s == size for _, s in listed) == count_trees(d, size, classes)

    def test_none_is_larger_than_the_largest(self) -> None:
        assert count_trees(3, 7) > 0
        assert count_trees(3, 8) == 0
        assert count_trees(3) == sum(count_trees(3, size) for size in range(8))

    @pytest.mark.parametrize(
        "arguments", [(-1, 1), (2, -1), (2, 1, 0), (2.5, 1), (True, 1), ("2", 1)]
    )
    def test_numbers_out_of_range(self, arguments: tuple[Any, ...]) -> None:
        with pytest.raises(ParameterError, match="is out of range"):
            count_trees(*arguments)


class TestWrongInput:
    @pytest.mark.parametrize("wrong", [[], "text", [[1, 2], [3]], [[-1, 2]], [[0, 0]], 5])
    def test_tables(self, wrong: Any) -> None:
        with pytest.raises((TableError, ArgumentTypeError), match=r"count|table"):
            information_gain(counts=wrong)

    @pytest.mark.parametrize("wrong", [[-1, 2], [0, 0], [], [inf, 1]])
    def test_counts(self, wrong: Any) -> None:
        with pytest.raises(TableError, match="count"):
            entropy(counts=wrong)

    def test_columns_of_unequal_length(self) -> None:
        with pytest.raises(TableError, match="2 entries in x and 1 in y"):
            information_gain(["a", "b"], ["x"])

    def test_one_or_the_other(self) -> None:
        with pytest.raises(ParameterError, match=r"either labels or counts.*neither"):
            entropy()
        with pytest.raises(ParameterError, match=r"either labels or counts.*both"):
            gini(["a"], counts=[1])
        with pytest.raises(ParameterError, match=r"either x and y or counts.*both"):
            gain_ratio(["a"], ["x"], counts=[[1]])
        with pytest.raises(ParameterError, match=r"both needed. Got x alone"):
            information_gain(["a"])

    def test_counts_are_given_by_keyword(self) -> None:
        with pytest.raises(ArgumentTypeError, match=r"counts by keyword"):
            entropy({"yes": 3, "no": 4})
