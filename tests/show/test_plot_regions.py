"""Regions: exact boxes that agree with what the tree answers, and their pictures."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plaintree as pt
from plaintree.errors import ColumnError, ParameterError
from plaintree.show.plot.cells import Cell, cells_of, fixed_values, scale_of, shown_columns
from plaintree.show.plot.regions import plot_regions
from plaintree.tree.tree import Tree
from tests.support.figures import (
    HOSTILE,
    figures_are_closed,
    legend_texts,
    overlapping,
    painted,
    plt,
)
from tests.support.trees import XY_SCHEMA, build, random_rows, route, specs, tennis

__all__ = ["figures_are_closed"]


def cells(tree: Tree, shown: list[int], columns: Any, row: int = 0) -> list[Cell]:
    fixed = {n: float(columns[n][row]) for n in range(len(columns)) if n not in shown}
    scales = {n: scale_of(tree, n, columns[n]) for n in shown}
    return cells_of(tree, scales, fixed)


# ---------------------------------------------------------------- the boxes


@given(
    specs(),
    st.lists(st.integers(0, 3), min_size=1, max_size=3, unique=True),
    st.integers(0, 1000),
)
def test_a_row_is_in_exactly_one_box_and_it_is_of_its_leaf(
    spec: Any, shown: list[int], seed: int
) -> None:
    tree, columns = build(XY_SCHEMA, spec), random_rows(XY_SCHEMA, 12, seed)
    for row, leaf in enumerate(route(tree, columns).tolist()):
        inside = [
            cell.leaf
            for cell in cells(tree, shown, columns, row)
            for box in cell.boxes()
            if all(low < columns[n][row] <= high for n, (low, high) in zip(shown, box, strict=True))
        ]
        assert inside == [leaf]


def test_the_boxes_of_xor() -> None:
    X, y = pt.datasets.load_xor()
    tree = pt.ID3Classifier().fit(X, y).tree_
    boxes = [
        box for cell in cells(tree, [0, 1], [np.array([0.0, 1.0])] * 2) for box in cell.boxes()
    ]
    low, high = (-0.08, 0.5), (0.5, 1.08)
    assert sorted(boxes) == [(low, low), (low, high), (high, low), (high, high)]


def test_categories_apart_are_boxes_apart() -> None:
    tree = build(XY_SCHEMA, ("color in", ["red", "blue"], [1, 0], [0, 1]))
    found = {
        cell.leaf: list(cell.boxes()) for cell in cells(tree, [3], random_rows(XY_SCHEMA, 2, 0))
    }
    assert found == {1: [((-0.5, 0.5),), ((1.5, 2.5),)], 2: [((0.5, 1.5),), ((2.5, 3.5),)]}


def test_without_rows_the_axis_reaches_beyond_the_thresholds() -> None:
    tree = build(XY_SCHEMA, ("x <=", 2, [1, 0], ("x <=", 6, [0, 1], [1, 0])))
    scale = scale_of(tree, 0, None)
    assert (scale.low, scale.high) == (1.0, 7.0)


def test_shown_are_those_tested_or_the_most_important_ones() -> None:
    assert shown_columns(build(XY_SCHEMA, [1, 0]), None) == [0]
    assert shown_columns(tennis(), None) == [0, 1, 2]
    four = (
        "x <=",
        1,
        ("y <=", 1, [9, 0], [0, 9]),
        ("size <=", 0.5, ("color =", "red", [1, 0], [0, 1]), [5, 0]),
    )
    assert shown_columns(build(XY_SCHEMA, four), None) == [0, 1]
    assert shown_columns(tennis(), "wind") == [2]


@pytest.mark.parametrize(
    "names", [[], ["outlook", "outlook"], ["outlook", "wind", "humidity", "wind"]]
)
def test_one_to_three_attributes_can_be_shown(names: list[str]) -> None:
    with pytest.raises(ParameterError, match="features must be one to three different names"):
        shown_columns(tennis(), names)


def test_a_misspelt_attribute_is_named() -> None:
    with pytest.raises(ColumnError, match="did you mean 'outlook'"):
        shown_columns(tennis(), ["outlok"])
    with pytest.raises(ColumnError, match="did you mean 'wind'"):
        fixed_values(tennis(), [0], {"winds": "Weak"}, None)


def test_others_are_fixed_at_what_is_given_or_usual() -> None:
    columns = [np.array([0, 2, 2, -1]), np.array([1.0, np.nan, 9.0, 4.0]), np.array([0, 1, 1, 1])]
    assert fixed_values(tennis(), [0], None, columns) == {1: 4.0, 2: 1.0}
    assert fixed_values(tennis(), [0], {"wind": "Strong"}, columns) == {1: 4.0, 2: 0.0}
    with pytest.raises(ParameterError, match="both shown and fixed"):
        fixed_values(tennis(), [0], {"outlook": "Rain"}, columns)


def test_a_tested_attribute_that_is_neither_shown_nor_fixed_is_an_error() -> None:
    with pytest.raises(ParameterError, match=r"also splits on 'humidity'.*fixed=\{'humidity'"):
        plot_regions(tennis(), features=["outlook", "wind"])


def test_a_missing_value_that_divides_rows_cannot_be_fixed() -> None:
    with pytest.raises(ParameterError, match="divided over all branches"):
        plot_regions(tennis(), features=["outlook", "wind"], fixed={"humidity": None})


# ---------------------------------------------------------------- the pictures


def golf() -> tuple[Any, Any, Any]:
    X, y = pt.datasets.load_golf()
    return pt.C45Classifier().fit(X, y), X, y


def test_two_attributes_are_rectangles_with_points() -> None:
    X, y = pt.datasets.load_and()
    ax = painted(plot_regions(pt.ID3Classifier().fit(X, y), X, y))
    regions, zeros, ones = ax.collections
    assert len(regions.get_paths()) == 3
    assert (len(zeros.get_offsets()), len(ones.get_offsets())) == (3, 1)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x1", "x2")
    assert legend_texts(ax) == ["0", "1"]


def test_one_attribute_is_a_strip_with_a_line_for_each_class() -> None:
    X, y = pl.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]}), ["a", "a", "b", "b"]
    ax = painted(plot_regions(pt.CARTClassifier().fit(X, y), X, y))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    assert len(ax.collections[0].get_paths()) == 2
    assert ax.collections[1].get_offsets()[:, 1].tolist() == [0.25, 0.25]


def test_a_strip_of_many_classes_has_room_for_their_names() -> None:
    X, y = pl.DataFrame({"x": np.arange(40.0)}), [f"class {i % 20}" for i in range(40)]
    model = pt.CARTClassifier(max_depth=2).fit(X, y)
    labels = painted(plot_regions(model, X, y)).get_yticklabels()
    assert (len(labels), overlapping(labels)) == (20, [])
    _, low = plt.subplots(figsize=(5, 2))
    labels = painted(plot_regions(model, X, y, ax=low)).get_yticklabels()
    assert (len(labels), overlapping(labels)) == (10, [])


def test_the_legend_has_the_classes_of_points_that_no_region_answers() -> None:
    X, y = pl.DataFrame({"x": [1.0, 2.0, 2.0, 2.0]}), ["a", "b", "b", "c"]
    model = pt.CARTClassifier().fit(X, y)
    assert legend_texts(plot_regions(model, X, y)) == ["a", "b", "c"]
    assert legend_texts(plot_regions(model)) == ["a", "b"]


def test_categories_in_space_are_few_and_not_turned() -> None:
    names = [f"category {i}" for i in range(20)] * 2
    X = pl.DataFrame({"a": names, "b": np.arange(40.0), "c": np.arange(40.0) % 7})
    model = pt.CARTClassifier().fit(X, [f"{i % 3}" for i in range(40)])
    labels = painted(plot_regions(model, X, features=["a", "b", "c"])).get_xticklabels()
    assert (len(labels), labels[0].get_rotation()) == (5, 0)


def test_three_attributes_are_boxes() -> None:
    model, X, y = golf()
    ax = painted(plot_regions(model, X, y))
    assert ax.name == "3d"
    assert [ax.get_xlabel(), ax.get_ylabel(), ax.get_zlabel()] == ["outlook", "humidity", "windy"]


def test_three_attributes_need_three_dimensions() -> None:
    _, flat = plt.subplots()
    model, X, y = golf()
    with pytest.raises(ParameterError, match=r'need axes of three.*projection="3d"'):
        plot_regions(model, X, y, ax=flat)


def test_the_title_says_where_the_others_are_fixed() -> None:
    model, X, y = golf()
    ax = painted(plot_regions(model, X, y, features=["outlook", "humidity"]))
    assert ax.get_title() == "where windy = False"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["overcast", "rain", "sunny"]


def test_points_of_categories_are_spread_within_their_part_of_the_axis() -> None:
    model, X, y = golf()
    ax = plot_regions(model, X, y, features=["outlook", "humidity"])
    places = np.concatenate([points.get_offsets()[:, 0] for points in ax.collections[1:]])
    assert len(np.unique(places)) == len(places) == 12  # two are windy and rainy
    assert np.abs(places - places.round()).max() < 0.5


@pytest.mark.parametrize("c", [0.2, 0.8])
def test_only_rows_of_the_slice_are_drawn(c: float) -> None:
    values = np.random.default_rng(0).random((200, 3))
    a, b, third = values.T
    y = np.where(third > 0.5, np.where(a > 0.5, "p", "q"), np.where(b > 0.5, "p", "q"))
    X = pl.DataFrame(values, schema=["a", "b", "c"])
    model = pt.CARTClassifier().fit(X, y)
    ax = painted(plot_regions(model, X, y, features=["a", "b"], fixed={"c": c}))
    drawn = np.concatenate([points.get_offsets() for points in ax.collections[1:]])
    moved = X.with_columns(pl.lit(c).alias("c"))
    expected = values[model.apply(X) == model.apply(moved)][:, :2]
    assert 50 < len(expected) < 150
    assert sorted(map(tuple, drawn.tolist())) == sorted(map(tuple, expected.tolist()))
    assert f"{len(expected)} of 200 rows are in this slice" in [t.get_text() for t in ax.texts]


def test_rows_without_classes_and_with_gaps() -> None:
    X = pl.DataFrame({"x": [1.0, None, 3.0, 4.0], "y": [1.0, 2.0, 3.0, 1.0]})
    model = pt.CARTClassifier().fit(X, ["a", "a", "b", "a"])
    ax = painted(plot_regions(model, X, features=["x", "y"]))
    assert len(ax.collections[1].get_offsets()) == 3


def test_dates_and_hostile_names() -> None:
    days = [date(2024, 1, 1 + day) for day in range(20)]
    X = pl.DataFrame({"when": days, HOSTILE: np.arange(20.0) % 7})
    y = [HOSTILE if day.day > 9 else "_no" for day in days]
    model = pt.CARTClassifier().fit(X, y)
    ax = painted(plot_regions(model, X, y, features=["when", HOSTILE]))
    assert {text.get_text()[:7] for text in ax.get_xticklabels()} <= {"2023-12", "2024-01"}


def test_a_single_leaf_is_one_region() -> None:
    ax = painted(plot_regions(build(XY_SCHEMA, [1, 3])))
    assert len(ax.collections[0].get_paths()) == 1


def test_the_largest_numbers_are_drawn() -> None:
    X = [[-1e308], [1e308], [np.inf], [-np.inf]] * 3
    model = pt.CARTClassifier().fit(X, list("abba") * 3)
    low, high = pt.plot_regions(model, X).get_xlim()
    assert np.isfinite(high - low)
