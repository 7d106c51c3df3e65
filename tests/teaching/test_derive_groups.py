"""Worked solutions of groups of categories: those set aside, and groups that a tree was given."""

from __future__ import annotations

from math import log2
from typing import Any

import pytest

import plaintree as pt
from plaintree.growing.candidate_splits import NO_GROUPING
from plaintree.teaching import formula_of
from plaintree.teaching.derive.cases import Cases
from plaintree.teaching.derive.formula import evaluated, plainly
from plaintree.teaching.derive.offers import measured, offer_of
from plaintree.tree import Grouped
from plaintree.tree.conventions import Conventions
from tests.support.random_tables import Case

X = {"colour": ["red", "red", "blue", "blue", "green", "green", "grey", "pink"]}
y = [0, 0, 1, 1, 0, 1, 1, 0]
WEIGHTS = [1.0] * 6 + [0.25, 0.125]
"""Grey and pink have less than half a row, so grouping sets them aside."""


def formula(measure: Any) -> pt.teaching.Formula:
    model = pt.C45Classifier(categorical="grouped", pruning=None).fit(X, y, sample_weight=WEIGHTS)
    return formula_of(model, X, y, measure=measure, feature="colour", sample_weight=WEIGHTS)


def test_categories_set_aside_are_no_outcome() -> None:
    found, whole = formula("split_information"), 6.375
    assert str(found) == ("SplitInfo(colour) = 6/6.375 × (-2/6 log2 2/6 - 4/6 log2 4/6) ≈ 0.8643")
    assert found.value == pytest.approx((-2 * log2(2 / 6) - 4 * log2(4 / 6)) / whole)
    assert "half a row or less is left out" in found.definition


@pytest.mark.parametrize("measure", ["split_information", "remainder", "gain", "score"])
def test_the_numbers_filled_in_give_the_result(measure: Any) -> None:
    found = formula(measure)
    _, *_, filled, result = map(plainly, found.equation.parts)
    assert evaluated(filled) == pytest.approx(evaluated(result), abs=1e-12)
    assert found.to_dict()["parts"][-1]["value"] == pytest.approx(float(found.value))


def test_the_score_is_that_of_the_tree() -> None:
    model = pt.C45Classifier(categorical="grouped", pruning=None).fit(X, y, sample_weight=WEIGHTS)
    assert formula("score").value == pytest.approx(model.tree_.root.score)
    told = str(pt.derive(model, X, y, sample_weight=WEIGHTS))
    assert "The categories of the branch colour in {grey, pink} have half a row or less" in told


def cases_of(case: Case, **chosen: Any) -> Cases:
    rules = Conventions(criterion="gini", categorical="grouped", **chosen)
    return Cases.of(case.schema, case.rows, rules)


def test_why_no_grouping_is_offered() -> None:
    alike = cases_of(Case([[0, 0, 1, 1, 2, 2]], [3], [0, 1] * 3, 2, None))
    assert offer_of(alike, alike.everyone, 0).refused == NO_GROUPING
    one = cases_of(Case([[1, 1]], [3], [0, 1], 2, None))
    assert offer_of(one, one.everyone, 0).refused == "all rows have the same value"


def test_a_grouping_with_categories_that_no_row_has_may_be_chosen() -> None:
    cases = cases_of(Case([[0, 0, 1, 2, 2]], [4], [0, 0, 1, 1, 0], 2, None))
    split = measured(cases, cases.everyone, Grouped(0, (0, 1, 1, 2)))
    assert split is not None
    assert split.allowed
    assert [sum(branch) for branch in split.parts] == [2, 3, 0]
    other = measured(cases, cases.everyone, Grouped(0, (0, 0, 0, 1)))
    assert other is not None
    assert not other.allowed
