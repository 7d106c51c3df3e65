"""Rows that a surrogate split sends: the decision path names it, the counterfactual knows it."""

from __future__ import annotations

from typing import Any

import pytest

from plaintree.data.schema import Feature, Schema
from plaintree.show.explain.explain import explain
from plaintree.tree.build import NodeDescription, build_tree
from plaintree.tree.condition import STOPS, Grouped, Surrogate, Threshold
from plaintree.tree.tree import Tree

SCHEMA = Schema(
    (
        Feature("age", "numeric"),
        Feature("weight", "numeric"),
        Feature("color", "categorical", "text", ("red", "green", "blue")),
    ),
    (),
    "price",
)
BY_WEIGHT = Surrogate(Threshold(1, 70.0), True, 0.9, 0.75)
BY_COLOR = Surrogate(Grouped(2, (0, 1, -1)), False, 0.8, 0.5)


def tree_of(missing_child: int = STOPS) -> Tree:
    """age <= 40, with weight and color as surrogates."""
    root = NodeDescription(
        Threshold(0, 40.0), (1, 2), missing_child=missing_child, surrogates=(BY_WEIGHT, BY_COLOR)
    )
    leaves = (
        NodeDescription(prediction=number, n_rows=n, impurity=1.0)
        for number, n in ((10, 4), (20, 6))
    )
    return build_tree(SCHEMA, [root, *leaves])


def explained(age: Any = None, weight: Any = None, color: Any = None, **options: Any) -> Any:
    return explain(tree_of(), {"age": age, "weight": weight, "color": color}, **options)


@pytest.mark.parametrize(
    ("row", "step", "prediction"),
    [
        ((30.0, None, None), "age <= 40 (it is 30)", 10),
        (
            (None, 60.0, "red"),
            "age > 40 (it is missing; sent by the surrogate weight <= 70, which is 60)",
            20,
        ),
        ((None, None, "red"), "age <= 40 (it is missing; sent by the surrogate color = red)", 10),
    ],
)
def test_the_path_names_the_surrogate_that_decides(row: Any, step: str, prediction: int) -> None:
    explanation = explained(*row)
    assert str(explanation.path.steps[0]) == step
    assert explanation.prediction == prediction
    assert explanation.path.steps[0].reason == ("missing" if row[0] is None else "value")


def test_a_row_that_no_surrogate_sends_stops_at_the_node() -> None:
    for color in (None, "blue"):
        explanation = explained(color=color)
        assert explanation.prediction == 16.0
        assert explanation.path.node == 0
        assert explanation.path.stopped == (
            "age is missing, and no surrogate has a value; this node predicts it"
        )


def test_or_goes_to_the_child_for_missing_values() -> None:
    row = {"age": None, "weight": None, "color": "blue"}
    assert str(explain(tree_of(1), row).path.steps[0]) == (
        "age > 40 (it is missing; takes this branch)"
    )


def test_the_feature_of_a_surrogate_can_be_the_smallest_change() -> None:
    explanation = explained(weight=60.0, color="red", above=5, below=15, immutable="age")
    (change,) = explanation.counterfactual.new_values
    assert (change.feature, change.condition) == ("weight", "weight > 70")
    assert explanation.counterfactual.prediction == 10.0


def test_a_missing_surrogate_value_may_be_filled_in() -> None:
    explanation = explained(color="red", above=15)
    assert explanation.prediction == 10
    assert len(explanation.counterfactual.new_values) == 1
    changed = explanation.counterfactual.applied_to({"age": None, "weight": None, "color": "red"})
    assert explain(tree_of(), changed).prediction == explanation.counterfactual.prediction > 15


def test_a_number_that_is_filled_in_has_few_digits() -> None:
    """Thresholds of rpart are the greatest double below a cut."""
    leaf = NodeDescription(prediction=1.0, n_rows=4, impurity=0.0)
    other = NodeDescription(prediction=9.0, n_rows=6, impurity=0.0)
    below = 79.49999999999997
    tree = build_tree(
        SCHEMA, [NodeDescription(Threshold(0, below), (1, 2), missing_child=1), leaf, other]
    )
    row = {"age": None, "weight": None, "color": None}
    (change,) = explain(tree, row).counterfactual.new_values
    assert (change.value, change.condition) == (79.0, "age <= 79.5")
