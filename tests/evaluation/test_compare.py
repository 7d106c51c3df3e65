"""Where two models differ: in their trees, and in what they answer."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier as Theirs

from plaintree import C45RulesClassifier, CARTClassifier, CARTRegressor, ID3Classifier
from plaintree.datasets import load_golf, load_houses, load_tennis
from plaintree.errors import ArgumentTypeError, ColumnError, ParameterError
from plaintree.estimators.boost import BoostedTreesClassifier
from plaintree.estimators.forest import RandomForestClassifier
from plaintree.evaluation.compare import ModelDifference, diff, rows_predicted_differently
from plaintree.interop.foreign.sklearn import from_sklearn

X, y = load_tennis()


def grown(**options: Any) -> Any:
    return ID3Classifier(**options).fit(X, y)


class TestTrees:
    def test_equal_trees(self) -> None:
        found = diff(grown(), grown(), X)
        assert found.equal
        assert found == ModelDifference(None, n_rows=14)
        assert found.to_text().split("\n") == [
            "Trees: the same.",
            "Predictions: 0 of 14 rows differ.",
            "Class probabilities: 0 of 14 rows differ.",
        ]

    def test_a_model_and_its_tree(self) -> None:
        assert diff(grown(), grown().tree_, X).equal

    def test_structure_alone(self) -> None:
        found = diff(grown(), grown(max_depth=1))
        assert not found.equal
        assert found.structure == "at Outlook = Rain: Wind against leaf Yes"
        assert str(found) == "Trees: at Outlook = Rain: Wind against leaf Yes."

    def test_rows_that_are_answered_differently(self) -> None:
        found = diff(grown(), grown(max_depth=1), X)
        assert (found.n_rows, found.n_predictions, found.n_probabilities) == (14, 4, 10)
        assert found.max_difference == pytest.approx(0.6)
        first = found.rows[0]
        assert (first.row, first.first, first.second) == (5, "No", "Yes")
        assert first.values["Outlook"] == "Rain"

    def test_only_a_few_rows_are_shown(self) -> None:
        found = diff(grown(), grown(max_depth=1), X, n_examples=1)
        assert len(found.rows) == 1
        assert "  ... 3 more" in found.to_text()

    def test_shares_may_differ_where_answers_do_not(self) -> None:
        tree = grown(max_depth=1).tree_
        more = tree.refit(X, y, [2.0] + [1.0] * 13)
        found = diff(tree, more, X)
        assert (found.n_predictions, found.n_probabilities) == (0, 5)
        assert not found.equal

    def test_a_tolerance(self) -> None:
        frame, target = {"x": [1.0, 2.0, 3.0]}, ["a", "a", "b"]
        one = CARTClassifier().fit(frame, target)
        other = CARTClassifier().fit({"x": [1.0, 2.0, 3.0 + 1e-9]}, target)
        assert diff(one, other).structure is not None
        assert diff(one, other, tolerance=1e-6).equal

    def test_labels_that_read_the_same_are_the_same(self) -> None:
        table = np.array([[0.0], [1.0], [2.0]])
        one = CARTClassifier().fit(table, [0, 0, 1])
        other = CARTClassifier().fit(table, ["0", "0", "1"])
        found = diff(one, other, table)
        assert (found.n_predictions, found.n_probabilities) == (0, 0)
        assert found.structure is not None

    def test_values_as_people_write_them(self) -> None:
        frame = pd.DataFrame(
            {"day": pd.to_datetime(["2024-01-01", "2024-01-03"]), "n": [1, 2], "z": [0.5, None]}
        )
        tree = CARTClassifier().fit(frame, ["a", "b"]).tree_
        found = diff(tree, tree.cut(0), frame)
        assert found.rows[0].values == {"day": "2024-01-03", "n": 2, "z": None}

    def test_as_json(self) -> None:
        found = diff(grown(), grown(max_depth=1), X).to_dict()
        assert json.loads(json.dumps(found)) == found
        assert found["equal"] is False


class TestOtherModels:
    def test_forests(self) -> None:
        one, same, other = (
            RandomForestClassifier(5, random_state=seed).fit(X, y) for seed in (0, 0, 1)
        )
        assert diff(one, same, X).equal
        assert "tree 0, " in str(diff(one, other).structure)
        fewer = RandomForestClassifier(3, random_state=0).fit(X, y)
        assert diff(one, fewer).structure == "5 trees against 3"

    def test_voting(self) -> None:
        one = RandomForestClassifier(5, random_state=0, voting="hard").fit(X, y)
        other = RandomForestClassifier(5, random_state=0, voting="soft").fit(X, y)
        assert diff(one, other).structure == "voting by hard against soft"

    def test_boosted_trees(self) -> None:
        one = BoostedTreesClassifier(CARTClassifier(max_depth=1), n_estimators=3).fit(X, y)
        assert diff(one, one, X).equal
        slower = BoostedTreesClassifier(
            CARTClassifier(max_depth=1), n_estimators=3, learning_rate=0.5
        ).fit(X, y)
        assert diff(one, slower).structure is not None

    def test_rules(self) -> None:
        one = C45RulesClassifier().fit(X, y)
        assert diff(one, C45RulesClassifier().fit(X, y), X).equal
        assert str(diff(one, one)) == "Rules: the same."
        other = C45RulesClassifier().fit(X.head(5), y.head(5))
        assert str(diff(one, other)).startswith("Rules: rule 1, Outlook = ")

    def test_a_list_of_rules_by_itself(self) -> None:
        model = C45RulesClassifier().fit(X, y)
        assert diff(model.rules_, model, X).equal
        first, *others = model.rules_.rules
        fewer = replace(model.rules_, rules=tuple(others))
        found = diff(model.rules_, fewer, X)
        assert found.structure is not None
        assert found.n_predictions > 0
        shorter = replace(model.rules_, rules=(first, *others[:-1]))
        assert str(diff(model.rules_, shorter).structure) == f"{len(others) + 1} rules against 4"

    def test_what_rules_may_differ_in(self) -> None:
        golf, play = load_golf()
        rules = C45RulesClassifier().fit(golf, play).rules_
        first, *others = rules.rules
        assert [clause.low for clause in first.conditions] == [None, 75.0]

        def changed(**what: Any) -> str | None:
            other = replace(rules, rules=(replace(first, **what), *others))
            return diff(rules, other).structure

        nearly = replace(first.conditions[1], low=75.0 + 1e-9)  # which reads the same
        assert changed(conditions=(first.conditions[0], nearly)) == (
            "rule 1, outlook = sunny AND humidity > 75: thresholds (75.0,) against (75.000000001,)"
        )
        assert changed(conditions=first.conditions[:1]) == (
            "rule 1, outlook = sunny AND humidity > 75 against outlook = sunny"
        )
        assert changed(label="yes") == "rule 1, no against yes"
        weights = first.class_weights
        assert changed(class_weights=(9.0, 0.0)) == (
            f"rule 1, class weights {weights} against (9.0, 0.0)"
        )
        assert changed(accuracy=-1.0) == "rule 1, which only one of them ever uses"
        assert diff(rules, replace(rules, default="no")).structure == "otherwise yes against no"
        emptied = replace(rules, default_weights=(0.0, 0.5))
        assert diff(rules, emptied).structure == "the class weights where no rule fires"

    def test_rules_that_are_near_enough(self) -> None:
        golf, play = load_golf()
        rules = C45RulesClassifier().fit(golf, play).rules_
        first, *others = rules.rules
        nearly = replace(first.conditions[1], low=75.0 + 1e-9)
        moved = replace(first, conditions=(first.conditions[0], nearly))
        other = replace(rules, rules=(moved, *others))
        assert diff(rules, other, tolerance=1e-6).equal

    def test_of_different_kinds(self) -> None:
        forest = RandomForestClassifier(5, random_state=0).fit(X, y)
        found = diff(grown(), forest, X)
        assert found.structure == "a tree against a forest"
        assert found.n_rows == 14

    def test_a_tree_from_elsewhere(self) -> None:
        table = np.random.default_rng(0).normal(size=(100, 3))
        target = (table[:, 0] > 0).astype(int)
        theirs = from_sklearn(Theirs(random_state=0).fit(table, target))
        assert diff(CARTClassifier().fit(table, target), theirs, table).n_predictions == 0


class TestRefusals:
    def test_what_is_no_model(self) -> None:
        with pytest.raises(ArgumentTypeError, match=r"diff compares models only.*from_sklearn"):
            diff(grown(), Theirs().fit([[1.0], [2.0]], [0, 1]))
        with pytest.raises(ArgumentTypeError, match="diff compares models only"):
            diff(ID3Classifier(), grown())

    def test_a_table_that_does_not_fit(self) -> None:
        with pytest.raises(ColumnError, match="lacks columns"):
            diff(grown(), grown().tree_, {"Outlook": ["Rain"], "Windy": ["Weak"]})

    def test_parameters(self) -> None:
        with pytest.raises(ParameterError, match="n_examples is out of range"):
            diff(grown(), grown(), X, n_examples=-1)
        with pytest.raises(ParameterError, match="tolerance is out of range"):
            diff(grown(), grown(), tolerance=2)


def test_rows_of_many_columns_are_shown_by_their_first_values() -> None:
    X = {f"c{i}": [0, 1] for i in range(40)}
    same, other = (CARTClassifier().fit(X, labels).tree_ for labels in (["a", "b"], ["b", "a"]))
    found = diff(same, other, X)
    assert "c29 0, and 10 more)" in found.to_text()
    assert len(found.to_dict()["rows"][0]["values"]) == 40


def test_all_rows_predicted_differently_are_found() -> None:
    tree = grown().tree_
    leaf = tree.cut(0)
    found = rows_predicted_differently(tree, leaf, X)
    told = [row.row for row in diff(tree, leaf, X, n_examples=14).rows]
    assert found.tolist() == told == np.flatnonzero(y == "No").tolist()
    assert rows_predicted_differently(tree, tree, X).size == 0


def test_rows_with_other_predicted_numbers_are_found() -> None:
    houses, price = load_houses()
    one, other = (CARTRegressor(max_depth=depth).fit(houses, price) for depth in (2, 3))
    apart = np.flatnonzero(one.predict(houses) != other.predict(houses))
    assert rows_predicted_differently(one, other, houses).tolist() == apart.tolist()
