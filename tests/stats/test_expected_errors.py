"""C4.5's pessimistic error: the book's figures, the formula written out, the program's leaves."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaintree.data.schema import Feature, Schema
from plaintree.errors import ParameterError
from plaintree.pruning.error_based import pruned_with_estimates
from plaintree.stats.expected_errors import _CONFIDENCES as TABLE
from plaintree.stats.expected_errors import additional_errors
from plaintree.tree.build import NodeDescription, build_tree
from tests.support.reference_tables import description, golden, names_in, needs_shared


def by_hand(n: float, e: float, confidence: float, z: float) -> float:
    """The definition, case by case, for one leaf."""
    without = n * (1 - confidence ** (1 / n))
    if e < 1e-6:
        return without
    if e < 0.9999:
        return without + e * (by_hand(n, 1, confidence, z) - without)
    if e + 0.5 >= n:
        return 0.67 * (n - e)
    k = z * z
    p = (e + 0.5 + k / 2 + sqrt(k * ((e + 0.5) * (1 - (e + 0.5) / n) + k / 4))) / (n + k)
    return n * p - e


def test_the_book_s_leaves() -> None:
    """Quinlan's vote example: rates 0.206, 0.143 and 0.750 for 6, 9 and 1 rows without error."""
    rates = additional_errors([6, 9, 1], 0) / [6, 9, 1]
    assert rates.round(3).tolist() == [0.206, 0.143, 0.75]


@pytest.mark.parametrize(
    ("confidence", "z"), [(0.25, 0.6925), (0.1, 1.28), (0.05, 1.65), (0.3, 0.545), (1.0, 0.0)]
)
@given(n=st.floats(0.01, 1e5), share=st.floats(0, 1))
def test_every_case_of_the_formula(confidence: float, z: float, n: float, share: float) -> None:
    for e in (0.0, share, 1.0, n * share, n):
        if e <= n:
            expected = by_hand(n, e, confidence, z)
            assert additional_errors(n, e, confidence) == pytest.approx(expected, abs=1e-9)


def test_arrays_and_nothing_at_all() -> None:
    added = additional_errors(np.array([[0, 10], [5, 2.5]]), np.array([0, 2]))
    assert added.shape == (2, 2)
    assert added[0, 0] == 0
    assert added[1, 1] == pytest.approx(0.67 * 0.5)


def test_less_confidence_adds_more() -> None:
    added = [float(additional_errors(20, 3, c)) for c in (0.5, 0.25, 0.1, 0.01, 0.001)]
    assert added == sorted(added)


@pytest.mark.parametrize("confidence", [0, -0.1, 1.01, float("nan"), "25%", True, None])
def test_confidence_out_of_range(confidence: Any) -> None:
    with pytest.raises(ParameterError, match="confidence is out of range"):
        additional_errors(10, 1, confidence)


def leaves(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    pending = [tree]
    while pending:
        node = pending.pop()
        pending += node.get("children", [])
        if not node.get("children"):
            yield node


@needs_shared
@pytest.mark.parametrize("name", names_in("c45"))
def test_the_program_s_pruned_leaves(name: str) -> None:
    """The errors printed at a pruned leaf are those made and those added."""
    classes = description(name)["classes"]
    found = list(leaves(golden("c45", name)["variants"]["default"]["tree_pruned"]))
    found = [leaf for leaf in found if leaf["n"] > 0]
    n = np.array([leaf["n"] for leaf in found])
    made = n - [leaf["dist"][classes.index(leaf["class"])] for leaf in found]
    printed = np.array([leaf["errors"] for leaf in found])
    np.testing.assert_allclose(made + additional_errors(n, made), printed, rtol=1e-4, atol=1e-3)


def expected_by_the_core(n: float, e: float, confidence: float) -> float:
    """The errors that the core's pruning expects of a leaf with n rows and e errors."""
    schema = Schema((Feature("x", "numeric"),), ("right", "wrong"))
    leaf = build_tree(schema, [NodeDescription(class_weights=(n - e, e))])
    codes, weights = np.array([0, 1], dtype=np.int32), np.array([n - e, e])
    there = weights > 0
    columns = [np.zeros(np.count_nonzero(there))]
    _, errors = pruned_with_estimates(leaf, columns, codes[there], weights[there], confidence)
    return float(errors[0])


@pytest.mark.parametrize("confidence", [*TABLE[1:], 0.002, 0.02, 0.15, 0.25, 0.3, 0.75])
def test_the_core_s_pruning_has_the_same_table_and_formula(confidence: float) -> None:
    """The two round a few operations in another order, hence the last bits."""
    for n in (1, 2, 3, 5, 10, 37, 1000, 54321):
        for e in (0, 0.25, 0.5, 1, 2, 7.75, n // 4, n // 2):
            if e <= n / 2:
                expected = e + float(additional_errors(n, e, confidence))
                found = expected_by_the_core(n, e, confidence)
                assert found == pytest.approx(expected, rel=1e-14, abs=0)
                if confidence == 0.25 and e >= 1:  # no logarithms, and C4.5's own confidence
                    assert found == expected
