"""Monotonic, forbidden and random columns: the core against the naive grower on random tables."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from plaintree.rules.monotonic import check_monotonic
from plaintree.tree.conventions import CHOICES, Conventions
from tests.oracle.engine_check import check_tree
from tests.oracle.target_check import check_target_tree
from tests.support.random_tables import Case, cases, fine_print, from_a_seed, many
from tests.support.random_targets import TargetCase, target_cases, target_fine_print

OF_CLASSES = ["gini", "information_gain", "gain_ratio", "error"]
OF_TARGETS = ["squared_error", "absolute_error", "poisson"]
TWO_BRANCHES = ["subset", "one_vs_rest"]
MISSING = ["most_common", "most_common_in_class", "fractional", "error"]


def constraints(case: Case, *subject: str) -> st.SearchStrategy[dict[str, Any]]:
    """Directions of the numeric columns, and a forbidden column if one is left."""

    def drawn(random: Random) -> dict[str, Any]:
        columns = range(len(case.columns))
        free = [c for c in columns if not case.n_categories[c]]
        signs = {c: random.choice([-1, 0, 1, 1]) for c in free}
        return {
            "monotonic_cst": {c: sign for c, sign in signs.items() if sign},
            "forbid": random.sample(columns, random.randint(0, 1)) if len(columns) > 1 else (),
            "splitter": random.choice(["best", "best", "random"]),
        }

    return from_a_seed(drawn, *subject)


def with_two_classes(case: Case) -> Case:
    return replace(case, y=[c % 2 for c in case.y], n_classes=2)


@pytest.mark.parametrize(
    ("criterion", "categorical", "missing"), list(product(OF_CLASSES, TWO_BRANCHES, MISSING))
)
@many(25)
@given(data=st.data())
def test_trees_of_two_classes(
    data: st.DataObject, criterion: Any, categorical: Any, missing: Any
) -> None:
    subject = ("monotonic", criterion, categorical, missing)
    case = with_two_classes(data.draw(cases(*subject, gaps=missing != "error")))
    if data.draw(st.booleans()):
        case = with_two_classes(case.stretched(one_more_class=False))
    more = data.draw(constraints(case, *subject)) | data.draw(fine_print(*subject) | st.just({}))
    rules = Conventions(*subject[1:], **more)
    tree = case.grow(rules)
    if rules.monotonic_cst:
        assert check_monotonic(tree, dict(rules.monotonic_cst)) is None
    if case.is_exact(rules):
        check_tree(case.naive, rules, tree, exact=True, most_rows=60)


@pytest.mark.parametrize(
    ("criterion", "categorical", "missing"),
    list(product(OF_TARGETS, [*TWO_BRANCHES, "multiway"], ["most_common", "fractional", "branch"])),
)
@many(25)
@given(data=st.data())
def test_trees_of_numbers(
    data: st.DataObject, criterion: Any, categorical: Any, missing: Any
) -> None:
    subject = ("monotonic", criterion, categorical, missing)
    case: TargetCase = data.draw(target_cases(criterion, *subject))
    if data.draw(st.booleans()):
        case = case.stretched()
    drawn = data.draw(constraints(case, *subject))
    more = data.draw(target_fine_print(*subject) | st.just({}))
    rules = Conventions(*subject[1:], **drawn, **more)
    tree = case.grow(rules)
    if rules.monotonic_cst:
        assert check_monotonic(tree, dict(rules.monotonic_cst)) is None
    if case.is_exact(rules):
        check_target_tree(case.naive, rules, tree, exact=True, most_rows=60)


@many(150)
@given(data=st.data(), splitter=st.sampled_from(["best", "random"]))
def test_order_of_rows_and_number_of_threads_do_not_matter(
    data: st.DataObject, splitter: Any
) -> None:
    case = with_two_classes(data.draw(cases("order")))
    drawn = data.draw(constraints(case)) | {"splitter": splitter}
    rules = Conventions(**drawn, **data.draw(fine_print()))
    assume(rules.missing != "branch")
    tree = case.grow(rules, seed=3)
    order = data.draw(st.permutations(range(len(case.y))))
    assert tree.difference(case.reordered(order).grow(rules, seed=3)) is None
    assert tree.difference(case.grow(rules, seed=3, n_threads=2)) is None


@pytest.mark.parametrize("categorical", CHOICES["categorical"])
@many(30)
@given(case=cases("random"))
def test_random_splits_of_many_classes(case: Case, categorical: Any) -> None:
    rules = Conventions(categorical=categorical, splitter="random")
    check_tree(case.naive, rules, case.grow(rules), exact=case.is_exact(rules))
