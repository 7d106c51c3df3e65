"""An ordered list of rules: the first that fires answers, and if none does, the default."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaintree.datasets import load_golf
from plaintree.errors import ColumnError
from plaintree.estimators.rules import C45RulesClassifier
from plaintree.rules.extract import export_rules, rules_of
from plaintree.rules.rule import Clause
from plaintree.rules.rule_list import DEFAULT, RuleList
from plaintree.show.explain.explain import explain
from tests.support.rule_lists import HUMIDITY, ROWS, RULES, rule
from tests.support.trees import XY_SCHEMA, build, random_rows, route, specs

FIRED = [0, 1, DEFAULT, 2, 2, DEFAULT, 1, DEFAULT]
"""The first rule that fires answers; a missing or unknown value satisfies no condition."""


class TestAnswers:
    def test_the_first_rule_that_fires(self) -> None:
        assert RULES.fired(ROWS).tolist() == FIRED

    def test_its_class_or_the_default(self) -> None:
        expected = ["No", "Yes", "Yes", "No", "No", "Yes", "Yes", "Yes"]
        assert RULES.predict(ROWS).tolist() == expected

    def test_shares_are_those_of_the_rows_a_rule_covers(self) -> None:
        shares = {0: [1, 0], 1: [0.2, 0.8], 2: [1, 0], DEFAULT: [0.25, 0.75]}
        assert RULES.predict_proba(ROWS).tolist() == [shares[fired] for fired in FIRED]

    def test_without_uncovered_rows_the_default_is_certain(self) -> None:
        rules = replace(RULES, default_weights=(0.0, 0.0))
        assert rules.predict_proba(ROWS[2:3]).tolist() == [[0, 1]]

    def test_without_rules_everything_is_the_default(self) -> None:
        rules = replace(RULES, rules=())
        assert set(rules.predict(ROWS)) == {"Yes"}
        assert str(rules) == "OTHERWISE Yes   (support 4)"

    def test_a_rule_of_too_low_accuracy_never_fires(self) -> None:
        rules = replace(RULES, min_accuracy=0.6)
        assert set(rules.fired(ROWS).tolist()) == {0, DEFAULT}
        written = rules.describe(width=100)
        assert "2. IF humidity <= 80 THEN Yes" in written
        assert written.count("never fires") == 2

    def test_columns_are_found_by_name(self) -> None:
        assert RULES.fired(ROWS[["wind", "humidity", "outlook"]]).tolist() == FIRED

    def test_single_precision_does_not_move_a_threshold(self) -> None:
        """16777217 is no single-precision number; rounded it would be 16777216."""
        rules = replace(RULES, rules=(rule("No", (1, 0), Clause(HUMIDITY, low=16777215.5)),))
        column = np.array([16777215, 16777216], dtype=np.float32)
        codes = np.zeros(2, dtype=np.int32)
        assert rules.fired_codes([codes, column, codes]).tolist() == [DEFAULT, 0]
        clause = Clause(HUMIDITY, high=np.nextafter(0.1, 0))
        assert not clause.matches(np.array([0.1], dtype=np.float32))[0]

    def test_a_lacking_column(self) -> None:
        with pytest.raises(ColumnError, match="no 'wind'"):
            RULES.predict(ROWS[["outlook", "humidity"]])

    @given(spec=specs(), seed=st.integers(0, 2**32 - 1))
    def test_rules_of_a_tree_answer_like_the_tree(self, spec: Any, seed: int) -> None:
        """Of complete rows; in whatever order the rules stand."""
        tree = build(XY_SCHEMA, spec)
        columns = random_rows(XY_SCHEMA, 50, seed)
        rules = rules_of(tree)
        order = np.random.default_rng(seed).permutation(len(rules))
        listed = RuleList(XY_SCHEMA, tuple(rules[i] for i in order), "A", (0.0, 0.0))
        classes = np.array(XY_SCHEMA.classes)
        expected = classes[tree.label[route(tree, columns)]]
        assert listed.classes_of(listed.fired_codes(columns)).tolist() == expected.tolist()


class TestWords:
    def test_in_order_with_accuracy_and_support(self) -> None:
        assert RULES.describe(width=100).splitlines() == [
            "1. IF outlook = Sunny AND 70 < humidity <= 90",
            "   THEN No   (estimated accuracy 63.0%, support 3, confidence 1.00)",
            "2. IF humidity <= 80 THEN Yes   "
            "(estimated accuracy 54.6%, support 5, confidence 0.80)",
            "3. IF wind = Strong AND outlook != Sunny",
            "   THEN No   (estimated accuracy 50.0%, support 2, confidence 1.00)",
            "OTHERWISE Yes   (support 4)",
        ]

    def test_a_list_of_rules(self) -> None:
        assert len(RULES) == 3
        assert RULES[1].number == 2
        assert [r.label for r in RULES] == ["No", "Yes", "No"]
        assert repr(RULES) == "<RuleList of 3 rules, otherwise 'Yes'>"

    def test_explains_itself(self) -> None:
        assert RULES.explain(ROWS[:1]) == explain(RULES, ROWS[:1])
        assert "(90% Wilson" in str(RULES.explain(ROWS[:1], confidence=0.9))


def test_rules_of_a_model_that_predicts_with_rules_are_its_list() -> None:
    model = C45RulesClassifier().fit(*load_golf())
    assert rules_of(model) is model.rules_
    assert rules_of(model.rules_) is model.rules_
    assert list(model.rules_) == list(model.rules_.rules)
    assert model.rules_[:2] == model.rules_.rules[:2]


def test_a_list_as_a_frame_has_the_rules_that_can_fire_and_the_default() -> None:
    frame = replace(RULES, min_accuracy=0.6).to_frame()
    assert frame.columns == ["rule", "if", "then", "support", "confidence", "estimated_accuracy"]
    assert frame.row(-1)[:2] == (None, "otherwise")
    assert frame.equals(export_rules(replace(RULES, min_accuracy=0.6), format="frame"))
