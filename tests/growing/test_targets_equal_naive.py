"""The fast engine against the naive grower on numeric targets."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from plaintree.tree.conventions import Conventions
from tests.oracle.target_check import check_target_tree
from tests.support.random_tables import kinds_with, many, policies, surrogate_print
from tests.support.random_targets import TargetCase, target_cases, target_fine_print

CRITERIA = ["squared_error", "absolute_error", "poisson"]
CATEGORICAL = ["multiway", "one_vs_rest", "subset"]
MISSING = policies(gaps=False, of_classes=False)
WITH_GAPS = policies(of_classes=False)
BY_WEIGHT = [policy for policy in WITH_GAPS if policy != "surrogate"]
"""Surrogates need two rows on each side of a threshold, whatever they weigh."""


@pytest.mark.parametrize(
    ("criterion", "categorical", "missing"),
    [
        (criterion, kind, missing)
        for criterion, kind, missing in product(CRITERIA, CATEGORICAL, MISSING)
        if kind in kinds_with(missing)
    ],
)
@many(25)
@given(data=st.data())
def test_every_node_has_the_best_split(
    data: st.DataObject, criterion: Any, categorical: Any, missing: Any
) -> None:
    subject = (criterion, categorical, missing)
    case = data.draw(target_cases(*subject, gaps=missing != "error"))
    more = data.draw(target_fine_print(*subject) | st.just({}))
    more = more | data.draw(surrogate_print(missing, *subject))
    rules = Conventions(*subject, **more)
    check_target_tree(case.naive, rules, case.grow(rules), exact=case.is_exact(rules))


@pytest.mark.slow
@pytest.mark.parametrize(("criterion", "missing"), list(product(CRITERIA, MISSING)))
@many(20)
@given(data=st.data())
def test_every_small_node_of_columns_with_many_values(
    data: st.DataObject, criterion: Any, missing: Any
) -> None:
    case = data.draw(target_cases(criterion, missing, "many", gaps=missing != "error"))
    case = case.stretched()
    categorical = data.draw(st.sampled_from([k for k in CATEGORICAL if k in kinds_with(missing)]))
    more = data.draw(target_fine_print(criterion, missing) | st.just({}))
    more = more | data.draw(surrogate_print(missing, criterion))
    rules = Conventions(criterion, categorical, missing, **more)
    exact = case.is_exact(rules)
    check_target_tree(case.naive, rules, case.grow(rules), exact=exact, most_rows=60)


@many(150)
@given(data=st.data(), criterion=st.sampled_from(CRITERIA), missing=st.sampled_from(WITH_GAPS))
def test_order_of_rows_and_number_of_threads_do_not_matter(
    data: st.DataObject, criterion: Any, missing: Any
) -> None:
    case = data.draw(target_cases(criterion, missing))
    if data.draw(st.booleans()):
        case = case.stretched()
    rules = Conventions(criterion, "subset", missing, **data.draw(target_fine_print()))
    tree = case.grow(rules)
    order = list(range(len(case.y)))
    data.draw(st.randoms(use_true_random=False)).shuffle(order)
    assert tree.difference(case.reordered(order).grow(rules)) is None
    assert tree.difference(case.grow(rules, n_threads=2)) is None


def same_structure(one: Any, other: Any) -> bool:
    names = ("kind", "feature", "first_child", "levels", "n_rows", "missing_child")
    same = all(np.array_equal(getattr(one, n), getattr(other, n)) for n in names)
    return same and np.array_equal(one.threshold, other.threshold, equal_nan=True)


@many(150)
@given(data=st.data(), missing=st.sampled_from(WITH_GAPS))
def test_a_constant_added_to_all_targets_changes_predictions_alone(
    data: st.DataObject, missing: Any
) -> None:
    case = data.draw(target_cases("squared_error", missing))
    case = case.moved(-min(case.y))
    rules = Conventions("squared_error", "subset", missing)
    tree, by = case.grow(rules), 2.0 ** data.draw(st.integers(-3, 30))
    assume(case.is_exact(rules))
    moved = case.moved(by).grow(rules)
    assert same_structure(tree, moved)
    assert np.allclose(moved.prediction, tree.prediction + by, rtol=1e-12, atol=0)
    assert np.allclose(moved.impurity, tree.impurity, rtol=1e-9, atol=0)


@many(150)
@given(data=st.data(), criterion=st.sampled_from(CRITERIA), missing=st.sampled_from(BY_WEIGHT))
def test_a_whole_weight_counts_like_repeated_rows(
    data: st.DataObject, criterion: Any, missing: Any
) -> None:
    case = data.draw(target_cases(criterion, missing))
    weights = [float(data.draw(st.integers(0, 3))) for _ in case.y]
    case = replace(case, weights=[1.0, *weights[1:]])
    rules = Conventions(criterion, "subset", missing)
    weighted, repeated = case.grow(rules), case.repeated.grow(rules)
    assert np.array_equal(weighted.feature, repeated.feature)
    assert np.array_equal(weighted.threshold, repeated.threshold, equal_nan=True)
    assert np.array_equal(weighted.levels, repeated.levels)
    assert np.allclose(weighted.weight, repeated.weight, rtol=1e-12, atol=0)
    assert np.allclose(weighted.prediction, repeated.prediction, rtol=1e-12, atol=0)
    assert np.allclose(weighted.impurity, repeated.impurity, rtol=1e-9, atol=0)


def test_no_branch_of_a_poisson_tree_predicts_zero() -> None:
    """The best split by deviance alone would be x <= 2.5, into zeros and others."""
    case = TargetCase([[1, 2, 3, 4, 5]], [0], [0, 0, 4, 5, 9], 0, None)  # type: ignore[list-item]
    tree = case.grow(Conventions("poisson", max_depth=1))
    assert tree.threshold[0] == 3.5
    assert (tree.prediction > 0).all()
    zeros = TargetCase([[0, 0, 1, 1]], [2], [0, 0, 1, 3], 0, None)
    assert zeros.grow(Conventions("poisson", "multiway")).size == 0


def test_small_deviances_of_large_counts_are_told_apart() -> None:
    """Half deviances of 1e-9 of the mean: terms of the size of the mean must cancel before."""
    y = [1e9, 1e9 + 1, 1e9 + 3, 1e9 + 3, 1e9 + 4, 1e9 + 9]
    case = TargetCase([[1, 2, 3, 4, 5, 6]], [0], y, 0, None)  # type: ignore[arg-type]
    rules = Conventions("poisson")
    check_target_tree(case.naive, rules, case.grow(rules), exact=True)
