"""Rows sent down a tree in Python: one step, one row, the rows of a table."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaintree.data.schema import MISSING, UNSEEN
from plaintree.errors import TableError
from plaintree.tree.conventions import Conventions
from plaintree.tree.predict import predicting_nodes
from plaintree.tree.tree import Tree
from plaintree.tree.walk import encoded_row, onward, reached_shares, walk_row, walk_rows
from tests.support.trees import (
    TENNIS_SCHEMA,
    TENNIS_SPEC,
    XY_SCHEMA,
    build,
    random_rows,
    specs,
    tennis,
)

WITHOUT_OUTLOOK = [np.array([MISSING], np.int32), np.array([80.0]), np.array([1], np.int32)]


def stopping(tree: Tree) -> Tree:
    return replace(tree, conventions=Conventions(unseen="stop"))


class TestOneStep:
    def test_a_known_value_takes_its_branch(self) -> None:
        assert onward(tennis(), 0, 2) == [(3, 1.0)]

    def test_a_missing_value_takes_the_child_for_it(self) -> None:
        tree = build(TENNIS_SCHEMA, (*TENNIS_SPEC, [1, 0]))
        assert onward(tree, 0, MISSING) == onward(tree, 0, UNSEEN) == [(4, 1.0)]

    def test_without_such_a_child_the_row_is_divided_by_training_weights(self) -> None:
        assert onward(tennis(), 0, MISSING) == [(1, 4.0), (2, 5.0), (3, 5.0)]

    def test_or_by_other_weights_where_there_are_any(self) -> None:
        assert onward(tennis(), 0, MISSING, np.array([0.0, 1.0, 2.0])) == [(2, 1.0), (3, 2.0)]
        assert onward(tennis(), 0, MISSING, np.zeros(3)) == []

    def test_an_unseen_category_may_end_the_path(self) -> None:
        tree = stopping(tennis())
        assert onward(tree, 0, UNSEEN) == []
        assert len(onward(tree, 0, MISSING)) == 3

    def test_weights_may_be_fractions(self) -> None:
        parts = onward(tennis(), 0, MISSING, number=Fraction)
        assert all(isinstance(part, Fraction) for _, part in parts)


class TestOneRow:
    def test_nodes_come_depth_first(self) -> None:
        assert [at.node for at in walk_row(tennis(), WITHOUT_OUTLOOK)] == [0, 1, 2, 5, 3, 7]

    def test_shares_in_fractions_are_exact(self) -> None:
        visits = list(walk_row(tennis(), WITHOUT_OUTLOOK, number=Fraction))
        ends = {at.node: at.share for at in visits if not at.onward}
        assert ends == {1: Fraction(2, 7), 5: Fraction(5, 14), 7: Fraction(5, 14)}


class TestRowsOfATable:
    def test_rows_are_divided_by_their_own_table_if_asked(self) -> None:
        outlook = np.array([0, MISSING, 2, 2], np.int32)
        columns = [outlook, np.full(4, 80.0), np.zeros(4, np.int32)]
        reached = {at.node: at for at in walk_rows(tennis(), columns, np.ones(4), by_table=True)}
        assert sorted(reached) == [0, 1, 3, 7]
        assert reached[1].rows.tolist() == [0, 1]
        assert reached[1].weights.tolist() == pytest.approx([1, 1 / 3])
        assert reached[3].rows.tolist() == [1, 2, 3]
        assert reached[3].weights.tolist() == pytest.approx([2 / 3, 1, 1])

    def test_rows_end_in_an_inner_node_where_they_cannot_go_on(self) -> None:
        columns = [np.array([UNSEEN, 0], np.int32), np.zeros(2), np.zeros(2, np.int32)]
        root, leaf = walk_rows(stopping(tennis()), columns, np.ones(2))
        assert root.ends.tolist() == [True, False]
        assert (leaf.node, leaf.rows.tolist(), leaf.ends.tolist()) == (1, [1], [True])

    @given(specs(), st.integers(0, 1000))
    def test_a_table_goes_where_its_rows_go_one_by_one(self, spec: Any, seed: int) -> None:
        tree, columns = build(XY_SCHEMA, spec), random_rows(XY_SCHEMA, 5, seed)
        columns[0][0], columns[3][1] = np.nan, MISSING
        together = np.zeros((5, tree.n_nodes))
        for at in walk_rows(tree, columns, np.ones(5)):
            together[at.rows, at.node] = at.weights
        for row in range(5):
            alone = reached_shares(tree, [column[row : row + 1] for column in columns])
            assert together[row] == pytest.approx(alone)


# -------------------------------------------------------------------- one row, in any form

ROW = {"outlook": "Sunny", "humidity": 80.0, "wind": "Weak"}


@pytest.mark.parametrize(
    "row",
    [
        ROW,
        pd.Series(ROW),
        pd.DataFrame([ROW]),
        pl.DataFrame([ROW]),
        ["Sunny", 80.0, "Weak"],
        [["Sunny", 80.0, "Weak"]],
        {name: [value] for name, value in ROW.items()},
    ],
)
def test_a_row_has_many_forms(row: Any) -> None:
    assert [column.tolist() for column in encoded_row(tennis(), row)] == [[2], [80.0], [1]]


def test_two_rows_are_not_one() -> None:
    with pytest.raises(TableError, match=r"one row can be followed at a time\. Got a table of 2"):
        encoded_row(tennis(), pl.DataFrame([ROW, ROW]))


def test_a_row_reaches_the_nodes_on_its_way() -> None:
    shares = reached_shares(tennis(), encoded_row(tennis(), ROW))
    assert np.flatnonzero(shares).tolist() == [0, 3, 7]


def test_a_row_without_the_value_is_divided_by_the_weights_of_the_branches() -> None:
    shares = reached_shares(tennis(), encoded_row(tennis(), ROW | {"outlook": None}))
    assert shares[1:4] == pytest.approx(np.array([4, 5, 5]) / 14)
    assert shares[[4, 5, 6, 7]] == pytest.approx([0, 5 / 14, 0, 5 / 14])


def test_a_row_without_the_value_follows_the_branch_for_missing_ones() -> None:
    tree = build(TENNIS_SCHEMA, (*TENNIS_SPEC, [1, 0]))
    shares = reached_shares(tree, encoded_row(tree, ROW | {"outlook": None}))
    assert np.flatnonzero(shares).tolist() == [0, 4]


@given(specs(), st.integers(0, 1000))
def test_a_complete_row_ends_in_the_leaf_that_answers_it(spec: Any, seed: int) -> None:
    tree, columns = build(XY_SCHEMA, spec), random_rows(XY_SCHEMA, 1, seed)
    shares = reached_shares(tree, columns)
    encoded = [c.astype(np.int32) if c.dtype.kind == "i" else c for c in columns]
    leaves = np.flatnonzero((shares > 0) & (tree.n_children == 0))
    assert leaves.tolist() == predicting_nodes(tree, encoded).tolist()
