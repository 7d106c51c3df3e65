"""Damaged trees: each is refused by validation, or is a tree that everything can read."""

from __future__ import annotations

import pickle
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import plaintree as pt
from plaintree.errors import ParameterError, TreeError
from plaintree.tree.tree import Tree
from tests.support.every_reader import read_by
from tests.support.fuzz_trees import try_tree
from tests.support.trees import XY_SCHEMA, build, tennis

SPLIT = ("x <=", 1.5, [1, 3], [2, 0])


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_ten_thousand_damaged_trees_are_refused_or_read(part: int) -> None:
    outcomes = Counter(try_tree(f"0 {number}") for number in range(1000 * part, 1000 * (part + 1)))
    assert 0.2 < outcomes["read"] / 1000 < 0.8


@given(st.integers(0, 2**64))
@settings(max_examples=100)
def test_damaged_trees_of_any_seed(seed: int) -> None:
    assert try_tree(str(seed)) in ("refused", "read")


def test_a_pickle_of_damaged_arrays_is_refused() -> None:
    tree = tennis()
    make, arguments = tree.__reduce__()
    broken = tuple(np.array([0] * len(a)) if a is arguments[4] else a for a in arguments)

    class Damaged:
        def __reduce__(self) -> Any:
            return make, broken

    with pytest.raises(TreeError, match=r"first child|before its children"):
        pickle.loads(pickle.dumps(Damaged()))


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("label", [0.5, 0, 0], "label has values that int32 cannot hold"),
        ("kind", [257, 0, 0], "kind has values that int8 cannot hold"),
        ("n_rows", [2.0**63, 0, 0], "n_rows has values that int64 cannot hold"),
        ("feature", [0, float("nan"), -1], "feature has values that int32 cannot hold"),
        ("weight", ["6", "4", "2"], "weight does not hold numbers"),
        ("weight", [[1], [1, 2]], "weight does not hold numbers"),
        ("weight", None, "weight does not hold numbers"),
        ("n_tied", [-1, 0, 0], "negative number of ties"),
        ("schema", "x", "schema of a tree is not of the right type"),
        ("conventions", 3, "conventions of a tree is not of the right type"),
        ("edits", ("x",), "edits of a tree is not of the right type"),
    ],
)
def test_no_value_is_changed_without_a_word(name: str, values: Any, message: str) -> None:
    with pytest.raises(TreeError, match=message):
        replace(build(XY_SCHEMA, SPLIT), **{name: values})


def test_arrays_of_a_made_tree_cannot_be_written_to() -> None:
    label = np.array([0, 1, 0], dtype=np.int32)
    view = label.view()
    view.flags.writeable = False
    tree: Tree = replace(build(XY_SCHEMA, SPLIT), label=view)
    label[1] = 99
    assert tree.label.tolist() == [0, 1, 0]
    with pytest.raises(ValueError, match="WRITEABLE"):
        tree.label.flags.writeable = True


def test_a_threshold_outside_ordered_categories_is_refused() -> None:
    for threshold in (-1, 2, 7, np.inf):
        with pytest.raises(TreeError, match="outside its ordered categories"):
            build(XY_SCHEMA, ("size <=", threshold, [1, 0], [0, 1]))


@pytest.mark.parametrize("weight", [-0.0, 5e-324, 1e-310, 1e101, 1e308])
def test_weights_whose_ratios_are_lost_are_refused(weight: float) -> None:
    leaf = build(XY_SCHEMA, [0, 0])
    with pytest.raises(TreeError, match=r"not 0 or from 1e-100 to 1e\+100"):
        replace(leaf, class_weights=[[weight, 0]], weight=[weight])


@pytest.mark.parametrize("weight", [1e-100, 1e100])
def test_everything_reads_the_smallest_and_the_largest_weights(weight: float) -> None:
    tree = build(XY_SCHEMA, ("x <=", 1.5, [1, 0], ("size <=", 0, [0, 1], [1, 1])))
    weights = np.where(tree.class_weights > 0, weight, 0.0)
    assert read_by(replace(tree, class_weights=weights, weight=weights.sum(axis=1))) == []


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("score", [0.5, 0.1, np.nan], "node 1 is a leaf but has a score"),
        ("n_tied", [0, 0, 3], "node 2 is a leaf but has tied splits"),
        ("impurity", [np.nan, 0, 0], "node 0 has an impurity that is not from 0"),
        ("impurity", [np.inf, 0, 0], "node 0 has an impurity that is not from 0"),
        ("impurity", [0, -1, 0], "node 1 has an impurity that is not from 0"),
    ],
)
def test_what_no_reader_could_use_is_refused(name: str, values: Any, message: str) -> None:
    with pytest.raises(TreeError, match=message):
        replace(build(XY_SCHEMA, SPLIT), **{name: values})


def test_a_forest_does_not_drop_digits_of_row_counts() -> None:
    tree = replace(build(XY_SCHEMA, SPLIT), n_rows=[2**32, 2**32, 0])
    with pytest.raises(ParameterError, match=r"at most 2\^32 - 1 rows"):
        pt.RandomForestClassifier.from_trees([tree])


@pytest.mark.parametrize("threshold", [np.inf, -np.inf, 1e300])
def test_a_branch_that_no_value_takes_is_not_in_the_formula(threshold: float) -> None:
    tree = build(XY_SCHEMA, ("x <=", threshold, [1, 0], [0, 1]))
    assert str(pt.export_formula(tree, "B"))
