"""How much of a tree is shown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from plaintree.errors import ParameterError
from plaintree.show.folding import (
    checked_depth,
    fold_note,
    hidden_leaves,
    leaves_below,
    shown_nodes,
)
from tests.support.trees import tennis


def test_nodes_down_to_a_depth_are_the_first_ones() -> None:
    assert [shown_nodes(tennis(), depth) for depth in (0, 1, 2, None)] == [1, 4, 8, 8]


def test_leaves_are_counted_below_every_node() -> None:
    assert leaves_below(tennis()) == [5, 1, 2, 2, 1, 1, 1, 1]


def test_only_nodes_with_branches_are_folded() -> None:
    tree, below = tennis(), leaves_below(tennis())
    assert hidden_leaves(tree, 0, below) == [5]
    assert hidden_leaves(tree, 1, below) == [0, 0, 2, 2]
    assert hidden_leaves(tree, 2, below) == [0] * 8
    assert hidden_leaves(tree, None, below) == [0] * 8


def test_a_note_counts_them() -> None:
    assert (fold_note(2), fold_note(0)) == ("… 2 leaves below", "")


@pytest.mark.parametrize("depth", [None, "auto", 0, 3, np.int64(2)])
def test_depths(depth: Any) -> None:
    assert checked_depth(depth) == depth


@pytest.mark.parametrize("depth", [-1, 1.5, True, "all"])
def test_what_is_no_depth_is_refused(depth: Any) -> None:
    with pytest.raises(ParameterError, match=r'max_depth must be an int >= 0, "auto" or None'):
        checked_depth(depth)


def test_graph_languages_lay_out_themselves_and_know_no_auto() -> None:
    with pytest.raises(ParameterError, match="max_depth must be an int >= 0, or None"):
        checked_depth("auto", automatic=False)
