"""Predicted numbers explained: path, interval of the leaf, counterfactual into a range, forests."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import plaintree as pt
from plaintree.errors import ParameterError
from plaintree.rules.rule_list import RuleList
from plaintree.show.explain.explain import explain
from plaintree.show.explain.explanation import Explanation
from plaintree.tree.predict import predicted_numbers
from tests.support.counterfactuals import brute_force, coded, decoded, with_missing_children
from tests.support.trees import XY_SCHEMA, build, numeric, random_rows, specs

HOURS = {"hours": [1.0, 2.0, 3.0, 6.0, 7.0, 8.0, 12.0, 13.0]}
SCORE = [10, 12, 11, 30, 31, 32, 60, 64]
MODEL = pt.CARTRegressor(max_depth=2, min_samples_leaf=2).fit(HOURS, SCORE)


def lines(explanation: Explanation) -> list[str]:
    return explanation.to_text(200).splitlines()


# ---------------------------------------------------------------- the path and the interval


def test_the_path_has_the_value_of_every_node() -> None:
    explanation = explain(MODEL, {"hours": 7.0})
    assert explanation.prediction == 31.0
    assert lines(explanation)[:4] == [
        "Prediction: 31",
        "Decision path (root: 31.25):",
        "  hours <= 10 (it is 7): 21",
        "  hours > 4.5 (it is 7): 31",
    ]
    assert explanation.path.start == 31.25
    assert [step.prediction for step in explanation.path.steps] == [21.0, 31.0]


def test_the_interval_is_one_spread_of_the_leaf_on_either_side() -> None:
    explanation = explain(MODEL, {"hours": 7.0})
    assert explanation.estimate is not None
    low, high = explanation.estimate.interval or (0.0, 0.0)
    sd = float(np.std(SCORE[3:6]))
    assert (low, high) == pytest.approx((31 - sd, 31 + sd))
    assert lines(explanation)[4:6] == [
        "Interval: 30.18 to 31.82 (mean 31, one sd (0.8165) on either side; 3 training rows in "
        "this leaf)",
        "(It describes these rows and is optimistic for others: the tree was fitted to them.)",
    ]


@pytest.mark.parametrize(
    ("criterion", "words"),
    [
        ("absolute_error", "(median 11, one mean deviation (0.6667) on either side; 3 training"),
        ("poisson", "(mean 11, one sd of a Poisson distribution (3.317) on either side; half dev"),
    ],
)
def test_the_interval_goes_by_the_criterion(criterion: Any, words: str) -> None:
    model = pt.DecisionTreeRegressor(criterion=criterion, min_samples_leaf=3).fit(HOURS, SCORE)
    assert words in explain(model, {"hours": 1.0}).to_text(200)


def test_leaves_without_spread_or_rows_have_no_interval() -> None:
    pure = pt.CARTRegressor().fit(HOURS, SCORE)
    assert "Interval: none, because the spread is 0 (1 training row" in str(
        explain(pure, {"hours": 1.0})
    )
    grafted = MODEL.tree_.graft(2, "hours <= 12.5", labels=[1, 2])
    explanation = explain(grafted, {"hours": 12.0})
    assert (explanation.prediction, explanation.estimate.spread) == (1.0, None)
    assert "no training rows in this leaf, so there is no interval" in str(explanation)


def test_a_divided_row_is_the_mean_of_its_leaves() -> None:
    model = pt.DecisionTreeRegressor(max_depth=1, missing="fractional").fit(HOURS, SCORE)
    explanation = explain(model, {"hours": None})
    assert explanation.prediction == model.predict({"hours": [np.nan]})[0]
    assert [path.estimate.value for path in explanation.paths] == [21.0, 62.0]
    text = str(explanation)
    assert text.startswith("Prediction: 31.25 (weighted mean of the leaves)\n")
    assert "  75% of the row:" in text
    assert "    leaf: 21 (sd 10.03, support 6)" in text
    assert "Interval" not in text


def test_numbers_are_valid_json() -> None:
    found = json.loads(json.dumps(explain(MODEL, {"hours": 7.0}).to_dict(), allow_nan=False))
    assert (found["prediction"], found["probabilities"], found["interval"]) == (31.0, [], None)
    assert found["estimate"]["spread"] == {"name": "sd", "value": pytest.approx(0.8165, abs=1e-4)}
    assert found["paths"][0]["estimate"] == found["estimate"]
    assert found["min_change"] > 0


# ---------------------------------------------------------------- the counterfactual


def counterfactual(model: Any, hours: float, **wanted: Any) -> tuple[float, float] | None:
    found = explain(model, {"hours": hours}, **wanted).counterfactual
    return None if found is None else (found.prediction, found.new_values[0].value)


def test_it_moves_the_prediction_into_the_range() -> None:
    assert counterfactual(MODEL, 7.0, above=40) == (62.0, 10.01)
    assert counterfactual(MODEL, 7.0, below=30) == (11.0, 4.5)
    assert counterfactual(MODEL, 2.0, above=20, below=40) == (31.0, 4.51)
    text = str(explain(MODEL, {"hours": 7.0}, above=40))
    assert "Counterfactual: 62, above 40, with one change (2 training rows in its leaf):" in text


def test_without_a_range_it_moves_it_by_the_spread_of_the_leaf() -> None:
    assert counterfactual(MODEL, 7.0) == (11.0, 4.5)
    explanation = explain(MODEL, {"hours": 7.0})
    assert explanation.min_change == pytest.approx(max(np.std(SCORE[3:6]), 0.1 * np.std(SCORE)))


def test_a_spread_of_0_asks_for_a_tenth_of_the_spread_at_the_root() -> None:
    """In a fully grown tree, the next leaf is hardly another prediction."""
    pure = pt.CARTRegressor().fit(HOURS, SCORE)
    found = counterfactual(pure, 7.0)
    assert found is not None
    assert abs(found[0] - 31) >= 0.1 * np.std(SCORE) > abs(30 - 31)


def test_a_range_that_holds_already_or_cannot_be_reached_says_so() -> None:
    assert lines(explain(MODEL, {"hours": 7.0}, above=20))[-1] == (
        "Counterfactual: none needed; the prediction is above 20."
    )
    assert lines(explain(MODEL, {"hours": 7.0}, above=99))[-1] == (
        "Counterfactual: none; no change of the row moves the prediction to a number above 99."
    )
    leaf = pt.CARTRegressor(max_depth=0).fit(HOURS, SCORE)
    assert "moves the prediction by" in lines(explain(leaf, {"hours": 7.0}))[-1]


@settings(max_examples=150)
@given(
    specs(max_tests=8),
    st.integers(0, 2**32 - 1),
    st.sampled_from(["complete", "divided", "sent"]),
    st.sampled_from([(None, 0.5), (0.5, None), (1.5, None), (-0.5, 1.5), None]),
    st.sets(st.integers(0, 3), max_size=1),
)
def test_no_smaller_change_does_it(
    spec: Any, seed: int, gaps: str, ends: Any, frozen: set[int]
) -> None:
    tree = numeric(build(XY_SCHEMA, spec))
    if gaps == "sent":
        tree = with_missing_children(tree, seed)
    columns = random_rows(XY_SCHEMA, 1, seed, gaps=gaps != "complete")
    row, own = decoded(columns), float(predicted_numbers(tree, coded(columns))[0])
    above, below = ends or (None, None)
    kept = [XY_SCHEMA.names[number] for number in frozen]
    explanation = explain(tree, row, above=above, below=below, immutable=kept)
    assert explanation.prediction == own

    def wanted(answers: np.ndarray) -> np.ndarray:
        if ends is None:
            change = np.abs(answers - own)
            return (change >= explanation.min_change) & (change > 0)
        low, high = above is None or answers > above, below is None or answers < below
        return np.logical_and(low, high) & np.ones(len(answers), dtype=bool)

    found = explanation.counterfactual
    least = brute_force(tree, columns, wanted, tuple(frozen))
    if wanted(np.array([own]))[0]:
        assert found is None
    elif found is None:
        assert least is None
    else:
        assert (len(found.new_values), found.distance) == pytest.approx(least, abs=1e-9)
        changed = explain(tree, found.applied_to(row))
        assert changed.prediction == found.prediction
        assert wanted(np.array([found.prediction]))[0]


@pytest.mark.parametrize("wanted", [{"above": 3}, {"below": 0}])
def test_ranges_are_for_numbers_and_single_trees(wanted: dict[str, Any]) -> None:
    classes = pt.CARTClassifier().fit(HOURS, ["no"] * 4 + ["yes"] * 4)
    with pytest.raises(ParameterError, match="above and below are for numbers"):
        explain(classes, {"hours": 1.0}, **wanted)
    forest = pt.RandomForestRegressor(3).fit(HOURS, SCORE)
    with pytest.raises(ParameterError, match=f"for single trees only.*{next(iter(wanted))}"):
        explain(forest, {"hours": 1.0}, **wanted)


# ---------------------------------------------------------------- forests and rule lists


@pytest.mark.parametrize("learner", [pt.RandomForestRegressor, pt.BaggedTreesRegressor])
def test_a_forest_is_the_mean_of_its_trees(learner: Any) -> None:
    forest = learner(n_estimators=25, random_state=1).fit(HOURS, SCORE)
    row = {"hours": 6.5}
    explanation = explain(forest, row)
    numbers = [tree.prediction[explain(tree, row).path.node] for tree in forest.trees_]
    assert explanation.prediction == forest.predict({"hours": [6.5]})[0]
    assert explanation.prediction == pytest.approx(np.mean(numbers))
    vote = explanation.vote
    assert (vote.sd, vote.low, vote.high) == pytest.approx(
        (np.std(numbers), min(numbers), max(numbers))
    )
    assert abs(numbers[vote.typical] - explanation.prediction) <= vote.sd * (1 + 1e-9)
    assert lines(explanation)[0].endswith("(mean of 25 trees)")
    assert lines(explanation)[1].startswith("Predictions of the trees: ")
    assert json.dumps(explanation.to_dict(), allow_nan=False)


def test_a_rule_list_has_the_interval_of_the_rule() -> None:
    rules = tuple(pt.rules_of(MODEL))[:2]
    listed = RuleList(MODEL.schema_, rules, default=62.0, default_weights=(2.0,))
    fired = listed.explain({"hours": 7.0})
    assert lines(fired)[:2] == [
        "Prediction: 31 (rule 2 of 2 is the first that fires)",
        "Conditions:",
    ]
    assert "3 training rows that satisfy the rule" in str(fired).replace("\n    ", " ")
    default = listed.explain({"hours": 13.0})
    assert (default.prediction, default.estimate.interval) == (62.0, None)
    assert lines(default)[0] == "Prediction: 62 (default: none of the 2 rules fires)"
