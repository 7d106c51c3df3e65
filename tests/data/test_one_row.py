"""One row in any form, and the nodes it reaches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaintree.errors import TableError
from plaintree.tree.predict import answering_nodes
from plaintree.tree.walk import encoded_row, reached_shares
from tests.support.trees import (
    TENNIS_SCHEMA,
    TENNIS_SPEC,
    XY_SCHEMA,
    build,
    random_rows,
    specs,
    tennis,
)

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
    assert leaves.tolist() == answering_nodes(tree, encoded).tolist()
