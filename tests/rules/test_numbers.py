"""Rules, rule lists and formulas of regression trees, against the leaves that rows reach."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plaintree as pt
from plaintree.errors import ArgumentTypeError, ParameterError
from plaintree.rules.formula import export_formula, formula_of
from plaintree.rules.rule_list import RuleList
from tests.support.trees import XY_SCHEMA, build, numeric, random_rows, route, specs

HOURS, SCORE = [[1], [2], [3], [6], [7], [8]], [10, 12, 11, 30, 31, 32]
MODEL = pt.CARTRegressor(max_depth=1).fit(HOURS, SCORE)
ENDS = st.one_of(st.none(), st.sampled_from([-2.5, -1.0, 0.0, 1.0, 2.5]))


# ---------------------------------------------------------------- rules


@pytest.mark.parametrize(
    ("criterion", "spread"),
    [
        ("squared_error", "sd 0.8165"),
        ("absolute_error", "mean deviation 0.6667"),
        ("poisson", "half deviance 0.03034"),
    ],
)
def test_a_rule_names_the_spread_by_the_criterion(criterion: Any, spread: str) -> None:
    model = pt.DecisionTreeRegressor(criterion=criterion, max_depth=1).fit(HOURS, SCORE)
    assert str(pt.rules_of(model)[0]) == f"IF x0 <= 4.5 THEN 11   (support 3, {spread})"


def test_a_rule_has_its_number_and_no_confidence() -> None:
    rule = pt.rules_of(MODEL)[1]
    assert (rule.label, rule.weight, rule.class_weights) == (31.0, 3.0, ())
    assert rule.spread is not None
    assert (rule.spread.name, rule.spread.centre) == ("sd", "mean")
    assert rule.spread.value == pytest.approx(np.std(SCORE[3:]))
    assert np.isnan(rule.confidence)


@given(specs(), st.integers(0, 2**32 - 1))
def test_the_one_rule_that_matches_has_the_number_of_the_leaf(spec: Any, seed: int) -> None:
    tree = numeric(build(XY_SCHEMA, spec))
    columns = random_rows(XY_SCHEMA, 40, seed)
    matching = np.array([rule.matches(columns) for rule in pt.rules_of(tree)])
    assert (matching.sum(axis=0) == 1).all()
    numbers = np.array([rule.label for rule in pt.rules_of(tree)])[matching.argmax(axis=0)]
    assert numbers.tolist() == tree.prediction[route(tree, columns)].tolist()
    assert pt.rules.check_partition(tree) is None


def test_tables_of_rules_have_a_column_for_the_spread() -> None:
    frame = pt.export_rules(MODEL, format="frame")
    assert frame.columns == ["rule", "if", "then", "support", "sd"]
    assert frame["then"].to_list() == [11.0, 31.0]
    assert "| 1 | x0 &lt;= 4.5 | 11 | 3 | 0.82 |" in pt.export_rules(MODEL, format="markdown")


def test_c45rules_are_of_classes() -> None:
    with pytest.raises(ValueError, match="continuous"):
        pt.C45RulesClassifier().fit(HOURS, np.array(SCORE) / 7)


# ---------------------------------------------------------------- rule lists


LISTED = RuleList(
    MODEL.schema_, tuple(pt.rules_of(MODEL)[:1]), default=31.0, default_weights=(3.0,)
)


def test_a_rule_list_predicts_the_number_of_the_rule_that_fires() -> None:
    assert LISTED.predict(HOURS).tolist() == MODEL.predict(HOURS).tolist()
    assert LISTED.fired(HOURS).tolist() == [0, 0, 0, -1, -1, -1]


def test_a_rule_list_is_written_with_its_default() -> None:
    assert str(LISTED) == (
        "1. IF x0 <= 4.5 THEN 11   (support 3, sd 0.8165)\nOTHERWISE 31   (support 3)"
    )
    assert LISTED.renamed(["hours"]).rules[0].describe().startswith("IF hours <= 4.5")
    expected = pl.DataFrame(
        {
            "rule": [1, None],
            "if": ["x0 <= 4.5", "otherwise"],
            "then": [11.0, 31.0],
            "support": [3.0, 3.0],
            "sd": [float(np.std(SCORE[:3])), None],
        }
    )
    assert LISTED.to_frame().equals(expected)


def test_numbers_have_no_probabilities() -> None:
    with pytest.raises(ParameterError, match="predict_proba needs classes"):
        LISTED.predict_proba(HOURS)


# ---------------------------------------------------------------- formulas


@given(specs(), ENDS, ENDS, st.integers(0, 2**32 - 1))
def test_a_formula_holds_where_the_prediction_is_in_the_range(
    spec: Any, above: float | None, below: float | None, seed: int
) -> None:
    if above is None and below is None:
        below = 1.0
    elif above is not None and below is not None and above >= below:
        above, below = below - 1, above + 1
    tree = numeric(build(XY_SCHEMA, spec))
    columns = random_rows(XY_SCHEMA, 60, seed)
    inside = [
        (above is None or number > above) and (below is None or number < below)
        for number in tree.prediction[route(tree, columns)].tolist()
    ]
    for simplify in (True, False):
        found = formula_of(tree, above=above, below=below, simplify=simplify)
        assert found.matches(columns).tolist() == inside


def test_a_formula_is_of_predictions_above_below_or_between() -> None:
    hours = pt.CARTRegressor().fit([[1], [2], [4], [8], [9]], [10, 10, 20, 30, 31])
    assert export_formula(hours, above=15) == "x0 > 3"
    assert export_formula(hours, below=15) == "x0 <= 3"
    assert export_formula(hours, above=15, below=31) == "3 < x0 <= 8.5"
    assert export_formula(hours, above=31) == "never"
    assert str(formula_of(hours, above=15, below=31).label) == "between 15 and 31"


@pytest.mark.parametrize(
    ("given_range", "message"),
    [
        ({}, "a range of predictions needs an end.*above= or below="),
        ({"label": 11}, "needs a range of numbers.*'target' is numeric.*label=11"),
        ({"above": 3, "below": 3}, "no number is above the one and below the other.*above=3"),
        ({"above": "much"}, "above is out of range.*'much'"),
        ({"below": float("nan")}, "below is out of range.*nan"),
    ],
)
def test_ranges_that_are_none(given_range: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        export_formula(MODEL, **given_range)


def test_classes_have_no_range_and_forests_no_formula() -> None:
    classes = pt.CARTClassifier().fit(HOURS, ["no"] * 3 + ["yes"] * 3)
    with pytest.raises(ParameterError, match=r"needs a class.*above=3.*'no', 'yes'"):
        export_formula(classes, above=3)
    with pytest.raises(ParameterError, match=r"needs a class.*no label"):
        export_formula(classes)
    forest = pt.RandomForestRegressor(2).fit(HOURS, SCORE)
    with pytest.raises(ArgumentTypeError, match="an ensemble has no single tree"):
        export_formula(forest, above=3)
