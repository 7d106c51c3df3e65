"""The fast engine against the naive grower, on thousands of small random tables."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaintree.tree.conventions import C45, CART, CHOICES, ID3, Conventions
from tests.oracle.engine_check import as_naive, check_tree, is_level_by_level, same_shape
from tests.oracle.naive import collapse
from tests.support.random_tables import (
    CLASS_CRITERIA,
    SPLITS,
    Case,
    cases,
    drawn_rules,
    fine_print,
    kinds_with,
    many,
    policies,
    surrogate_print,
)

GROUPING = [missing for missing in CHOICES["missing"] if "grouped" in kinds_with(missing)]


@pytest.mark.parametrize(
    ("criterion", "categorical", "missing"),
    [(criterion, *split) for criterion, split in product(CLASS_CRITERIA, SPLITS)],
)
@many(32)
@given(data=st.data())
def test_every_node_is_one_of_the_best(
    data: st.DataObject, criterion: Any, categorical: Any, missing: Any
) -> None:
    subject = (criterion, categorical, missing)
    case = data.draw(cases(*subject, gaps=missing != "error"))
    more = data.draw(fine_print(*subject) | st.just({}))
    more = more | data.draw(surrogate_print(missing, *subject))
    rules = Conventions(*subject, **more)
    tree = case.grow(rules)
    check_tree(case.naive, rules, tree, exact=case.is_exact(rules))


@pytest.mark.parametrize(
    ("criterion", "missing"), list(product(CLASS_CRITERIA, CHOICES["missing"]))
)
@many(16)
@given(data=st.data())
def test_every_small_node_of_columns_with_many_values(
    data: st.DataObject, criterion: Any, missing: Any
) -> None:
    case = data.draw(cases(criterion, missing, gaps=missing != "error"))
    case = case.stretched(one_more_class=data.draw(st.booleans()))
    rules = drawn_rules(data, criterion, missing)
    exact = case.is_exact(rules)
    check_tree(case.naive, rules, case.grow(rules), exact=exact, most_rows=60)


@pytest.mark.parametrize(
    ("criterion", "missing"), list(product(CLASS_CRITERIA, CHOICES["missing"]))
)
@many(6)
@given(data=st.data())
def test_every_node_that_has_few_of_many_classes(
    data: st.DataObject, criterion: Any, missing: Any
) -> None:
    case = data.draw(cases(criterion, missing, "classes", gaps=missing != "error"))
    case = case.with_many_classes
    rules = drawn_rules(data, criterion, missing)
    check_tree(case.naive, rules, case.grow(rules), exact=case.is_exact(rules))


@pytest.mark.parametrize(("criterion", "missing"), list(product(CLASS_CRITERIA, GROUPING)))
@many(4)
@given(data=st.data())
def test_every_node_with_groups_of_more_categories(
    data: st.DataObject, criterion: Any, missing: Any
) -> None:
    subject = (criterion, missing, "groups")
    case = data.draw(cases(*subject, gaps=missing != "error", sizes=(6, 7)))
    more = data.draw(fine_print(criterion, missing) | st.just({}))
    rules = Conventions(criterion=criterion, categorical="grouped", missing=missing, **more)
    check_tree(case.naive, rules, case.grow(rules), exact=case.is_exact(rules))


@pytest.mark.parametrize("profile", [ID3, C45, CART], ids=["ID3", "C45", "CART"])
@many(120)
@given(case=cases())
def test_every_node_of_the_named_learners(case: Case, profile: Conventions) -> None:
    rules = replace(profile, collapse=False)
    check_tree(case.naive, rules, case.grow(rules), exact=case.is_exact(rules))


@many(150)
@given(case=cases(), criterion=st.sampled_from(CLASS_CRITERIA))
def test_collapsing_is_the_naive_one(case: Case, criterion: Any) -> None:
    rules = replace(C45, criterion=criterion)
    expected = as_naive(case.grow(replace(rules, collapse=False)))
    collapse(expected)
    assert same_shape(case.grow(rules), expected)


@many(150)
@given(data=st.data(), missing=st.sampled_from(policies()))
def test_order_of_rows_and_number_of_threads_do_not_matter(
    data: st.DataObject, missing: Any
) -> None:
    case = data.draw(cases())
    more = data.draw(fine_print()) | data.draw(surrogate_print(missing))
    rules = Conventions(missing=missing, **more)
    order = data.draw(st.permutations(range(len(case.y))))
    tree = case.grow(rules)
    assert tree.difference(case.reordered(order).grow(rules)) is None
    assert tree.difference(case.grow(rules, n_threads=3)) is None


@many(100)
@given(case=cases(), rules=st.sampled_from([ID3, C45, CART]))
def test_a_grown_tree_is_valid(case: Case, rules: Conventions) -> None:
    tree = case.grow(rules)
    assert tree.validate() is tree
    assert is_level_by_level(tree)
    assert tree.conventions == rules


@pytest.mark.parametrize("categorical", CHOICES["categorical"])
def test_without_gain_or_remaining_entropy_there_is_no_conditional_ratio(categorical: Any) -> None:
    """The known rows are of one class, and only a row with a gap is of the other."""
    rules = Conventions("gain_ratio_conditional", categorical, "fractional")
    case = Case([[-1, 0, 2]], [3], [0, 1, 1], 2, None)
    assert case.grow(rules).size == 0
