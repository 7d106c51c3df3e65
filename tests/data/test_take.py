"""Rows taken of a table that was read: what reading these rows alone would give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from plaintree import datasets
from plaintree.data.encode import learn_schema
from plaintree.data.rows import take_rows
from plaintree.data.table import Table, table_from
from plaintree.data.target import target_from
from plaintree.errors import TableError

SOME = np.array([4, 0, 3])
COLUMNS = {
    "number": [1.5, None, 2.5, 3.5, None],
    "large": [2**60, 2**60 + 1, 3, 4, 2**60 + 2],
    "text": ["b", "a", "c", None, "b"],
    "truth": [True, True, False, True, True],
    "nothing": [None, None, "x", None, None],
}


def assert_same_table(one: Table, other: Table) -> None:
    assert one.names == other.names
    assert one.n_rows == other.n_rows == len(one)
    for ours, theirs in zip(one.columns, other.columns, strict=True):
        assert (ours.kind, ours.unit, ours.labels) == (theirs.kind, theirs.unit, theirs.labels)
        np.testing.assert_array_equal(ours.values, theirs.values)
        assert ours.values.dtype == theirs.values.dtype
        np.testing.assert_array_equal(ours.exact, theirs.exact)


def test_a_table_is_a_table() -> None:
    table = table_from(COLUMNS)
    assert table_from(table) is table


def test_rows_of_a_frame() -> None:
    frame = pl.DataFrame(COLUMNS)
    assert_same_table(table_from(frame).take(SOME), table_from(frame[SOME.tolist()]))


def test_rows_by_mask() -> None:
    frame = pl.DataFrame(COLUMNS)
    mask = np.array([True, False, False, True, True])
    assert_same_table(table_from(frame).take(mask), table_from(frame.filter(mask)))


@pytest.mark.parametrize("ordered", [True, False])
def test_declared_categories_stay(ordered: bool) -> None:
    sizes = pd.Categorical(["s", None, "m", "l", "s"], categories=["s", "m", "l"], ordered=ordered)
    frame = pd.DataFrame({"size": sizes})
    taken = table_from(frame).take(SOME)
    assert taken.columns[0].labels == ("s", "m", "l")
    assert_same_table(taken, table_from(frame.iloc[SOME]))


def test_labels_found_shrink_to_those_left() -> None:
    taken = table_from(COLUMNS).take(SOME)
    assert taken.columns[2].labels == ("b",)
    assert taken.columns[2].values.tolist() == [0, 0, -1]


def test_rows_of_rows() -> None:
    frame = pl.DataFrame(COLUMNS)
    twice = table_from(frame).take(SOME).take(np.array([1]))
    assert_same_table(twice, table_from(frame[0]))


@pytest.mark.parametrize("load", [datasets.load_golf, datasets.load_tennis, datasets.load_flu])
def test_the_schema_of_some_rows(load: Any) -> None:
    X, y = load()
    rows = np.arange(1, len(y), 2)
    schema, columns = learn_schema(table_from(X).take(rows))
    expected, others = learn_schema(table_from(take_rows(X, rows)))
    assert schema == expected
    for one, other in zip(columns, others, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_part_knows_that_it_is_one() -> None:
    table = table_from(COLUMNS)
    assert not table.is_part
    assert table.take(SOME).is_part


def test_columns_left_out() -> None:
    assert table_from(COLUMNS).without(("text", "truth")).names == ("number", "large", "nothing")


@pytest.mark.parametrize(
    "y",
    [
        ["b", "a", "c", "a", "b"],
        [3, 1, 2, 1, 3],
        [2.0, 0.0, 1.0, 0.0, 2.0],
        [2**63 + 1, 2**63, 5, 5, 2**63 + 1],
        [True, False, False, True, True],
        pd.Categorical(["b", "a", "b", "b", "b"], categories=["z", "b", "a"]),
    ],
)
def test_rows_of_a_target(y: Any) -> None:
    taken = target_from(y, 5).take(SOME)
    alone = target_from(take_rows(y, SOME), 3)
    assert taken.classes == alone.classes
    assert list(map(type, taken.classes)) == list(map(type, alone.classes))
    assert taken.codes.tolist() == alone.codes.tolist()
    assert taken.codes.dtype == np.int32


def test_a_target_is_a_target() -> None:
    target = target_from(pd.Series([1, 2], name="grade"), 2)
    assert target_from(target, 2) is target
    assert target.name == target.take(np.array([0])).name == "grade"
    with pytest.raises(TableError, match="3 rows in X and 2 in y"):
        target_from(target, 3)
