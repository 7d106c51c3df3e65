"""Why a list of rules answers a row: the rule that fires, those that lose, or the default."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import plaintree as pt
from plaintree.errors import ParameterError, TableError
from plaintree.rules.rule import Clause, Rule
from plaintree.rules.rule_list import RuleList
from plaintree.show.explain.explain import explain
from plaintree.show.explain.firing import RULES_SHOWN
from tests.support.rule_lists import HUMIDITY, ROWS, RULES, rule
from tests.support.trees import TENNIS_SCHEMA

X, Y = pt.datasets.load_golf()
MODEL = pt.C45RulesClassifier().fit(X, Y)
BOTH = {"outlook": "Sunny", "humidity": 75, "wind": "Strong"}
"""Satisfies rule 1 (No) and rule 2 (Yes)."""


def lines(row: Any, rules: RuleList = RULES) -> list[str]:
    return explain(rules, row).to_text(100).split("\n")


class TestWords:
    @pytest.mark.parametrize(
        "row",
        [
            {"outlook": "Sunny", "humidity": 75, "wind": None},
            {"wind": None, "humidity": 75.0, "outlook": "Sunny"},
            ["Sunny", 75, None],
            pd.Series({"outlook": "Sunny", "humidity": 75, "wind": "Weak"}),
            ROWS.iloc[0],
            ROWS.iloc[:1],
            ROWS.iloc[:1].to_dict("list"),
        ],
        ids=["dict", "other order", "list", "series", "row of a frame", "frame", "columns"],
    )
    def test_why_a_rule_fired_and_which_others_did(self, row: Any) -> None:
        assert lines(row) == [
            "Prediction: No (rule 1 of 3 is the first that fires)",
            "Conditions:",
            "  outlook = Sunny",
            "  70 < humidity <= 90 (it is 75)",
            "Class probabilities (3 training rows that satisfy the rule):",
            "  No   100%   (44% to 100%)",
            "  Yes    0%   (0% to 56%)",
            "(95% Wilson intervals. They are optimistic: the rules were fitted to these rows.)",
            "Estimated accuracy of the rule (pessimistic): 63.0%",
            "",
            "1 other rule fires, later in the list:",
            "  2. IF humidity <= 80 THEN Yes   "
            "(estimated accuracy 54.6%, support 5, confidence 0.80)",
        ]

    def test_a_set_of_categories_and_a_rule_alone(self) -> None:
        told = lines(["Rain", 85, "Strong"])
        assert told[:4] == [
            "Prediction: No (rule 3 of 3 is the first that fires)",
            "Conditions:",
            "  wind = Strong",
            "  outlook != Sunny (it is Rain)",
        ]
        assert told[-1] == "No other rule fires."

    def test_missing_values_keep_rules_before_it_from_firing(self) -> None:
        told = lines(["Rain", None, "Strong"])
        assert told[4] == "(humidity is missing; rules with a condition on it do not fire.)"

    def test_why_none_fired(self) -> None:
        assert lines({"outlook": "Hail", "humidity": None, "wind": "Weak"}) == [
            "Prediction: Yes (default: none of the 3 rules fires)",
            "(outlook is Hail, not seen in training; rules with a condition on it do not fire.)",
            "(humidity is missing; rules with a condition on it do not fire.)",
            "Class probabilities (4 training rows that no rule covers):",
            "  Yes   75%   (30% to 95%)",
            "  No    25%   (5% to 70%)",
            "(95% Wilson intervals. They are optimistic: the rules were fitted to these rows.)",
        ]

    def test_few_rules_and_few_rows(self) -> None:
        hot = ["Sunny", 95, "Weak"]
        only = replace(RULES, rules=RULES.rules[:1], default_weights=(0.0, 0.0))
        assert lines(hot, only)[:2] == [
            "Prediction: Yes (default: the only rule does not fire)",
            "Class probabilities (the rules cover all training rows):",
        ]
        assert lines(hot, replace(RULES, rules=()))[0] == (
            "Prediction: Yes (default: there are no rules)"
        )
        always = replace(RULES, rules=(rule("No", (0, 0)),))
        assert lines(hot, always)[:2] == [
            "Prediction: No (rule 1 of 1 is the first that fires)",
            "Class probabilities (no training rows that satisfy the rule):",
        ]
        assert not any("stimated accuracy" in line for line in lines(hot, always))

    def test_a_rule_of_too_low_accuracy_is_told_of(self) -> None:
        barred = replace(RULES, min_accuracy=0.65)
        told = lines(BOTH, barred)
        assert told[0] == "Prediction: Yes (default: none of the 3 rules fires)"
        start = told.index("2 rules are satisfied but never fire (estimated accuracy below 65.0%):")
        assert told[start + 1].startswith("  1. IF outlook = Sunny AND")
        assert told[-1].startswith("  2. IF humidity <= 80 THEN Yes")

    def test_many_rules_are_counted(self) -> None:
        dry = rule("No", (2, 0), Clause(HUMIDITY, high=80), accuracy=0.6)
        told = lines(BOTH, replace(RULES, rules=(dry,) * (RULES_SHOWN + 3)))
        assert f"{RULES_SHOWN + 2} other rules fire, later in the list:" in told
        assert told[-1] == "  and 2 more rules"

    def test_lines_are_wrapped(self) -> None:
        assert max(map(len, explain(RULES, BOTH).to_text(60).split("\n"))) <= 60


class TestData:
    def test_what_fired_and_lost(self) -> None:
        found = explain(RULES, BOTH)
        firing = found.firing
        assert firing is not None
        assert (found.prediction, firing.position, firing.rule) == ("No", 0, RULES[0])
        assert [(other.position, other.rule, other.reason) for other in firing.other_rules] == [
            (1, RULES[1], "later")
        ]
        assert [step.condition for step in found.path.steps] == [
            "outlook = Sunny",
            "70 < humidity <= 90",
        ]
        assert (found.counterfactual, found.vote, found.path.weight) == (None, None, 3)

    def test_as_json(self) -> None:
        found = explain(replace(RULES, min_accuracy=0.6), BOTH).to_dict()
        assert found["paths"][0]["steps"][1]["value"] == 75
        assert found["firing"] == {
            "n_rules": 3,
            "position": 0,
            "rule": {
                "if": ["outlook = Sunny", "70 < humidity <= 90"],
                "then": "No",
                "support": 3,
                "confidence": 1.0,
                "estimated_accuracy": 0.63,
                "leaf": 0,
            },
            "other_rules": [
                {
                    "position": 1,
                    "reason": "inaccurate",
                    "if": ["humidity <= 80"],
                    "then": "Yes",
                    "support": 5,
                    "confidence": 0.8,
                    "estimated_accuracy": 0.546,
                    "leaf": 0,
                }
            ],
            "unknown": [],
            "default": "Yes",
            "min_accuracy": 0.6,
        }

    def test_trees_have_none(self) -> None:
        tree = pt.C45Classifier().fit(X, Y)
        assert tree.explain(X[:1]).firing is None
        assert tree.explain(X[:1]).to_dict()["firing"] is None

    def test_the_default_has_no_rule(self) -> None:
        found = explain(RULES, {"outlook": None, "humidity": None, "wind": None})
        assert found.to_dict()["firing"]["rule"] is None
        assert (found.path.steps, found.path.node) == ((), None)
        assert found.to_dict()["firing"]["unknown"] == ["outlook", "humidity", "wind"]


def test_a_model_and_its_list_explain_alike() -> None:
    probabilities = MODEL.predict_proba(X)
    for i, label in enumerate(MODEL.predict(X)):
        found = MODEL.explain(X[i : i + 1])
        assert found == pt.explain(MODEL.rules_, X[i : i + 1])
        assert found.prediction == label
        assert np.allclose([p.probability for p in found.probabilities], probabilities[i])


def test_intervals_of_a_cut_column_tell_the_number() -> None:
    """The columns of a list may have been cut into intervals before growing."""
    age = replace(TENNIS_SCHEMA.features[0], name="age", categories=("low", "high"), cuts=(30.0,))
    schema = replace(TENNIS_SCHEMA, features=(age,))
    old = Clause(0, allowed=1, offset=1, n_categories=2)
    listed = RuleList(schema, (Rule((old,), "No", 2, 1.0, (2, 0), 0, schema),), "Yes", (0, 1))
    assert explain(listed, {"age": 44}).path.steps[0].remark == "it is 44"


def test_one_row_at_a_time() -> None:
    with pytest.raises(TableError, match=r"only one row .* Got a table of 8 rows"):
        explain(RULES, ROWS)


def test_no_change_is_looked_for() -> None:
    match = r"for single trees only, and this is a rule list. Got immutable"
    with pytest.raises(ParameterError, match=match):
        MODEL.explain(X[:1], immutable=["outlook"])
