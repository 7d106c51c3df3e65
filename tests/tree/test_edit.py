"""Changing a tree by hand: new validated trees, with a record of every change."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plaintree import C45Classifier, CARTClassifier, DecisionTreeClassifier, ID3Classifier, Tree
from plaintree.datasets import load_tennis
from plaintree.errors import ArgumentTypeError, ParameterError, TableError, TreeError
from plaintree.tree.condition import Equals, Multiway, Subset, Threshold
from plaintree.tree.condition_text import condition_from
from plaintree.tree.predict import class_codes, class_shares
from tests.support.trees import TENNIS_SCHEMA, TENNIS_SPEC, XY_SCHEMA, build, random_rows


def tennis() -> Tree:
    return build(TENNIS_SCHEMA, TENNIS_SPEC)


def day(outlook: int = 0, humidity: float = 70.0, wind: int = 0) -> list[np.ndarray]:
    return encoded([np.array([outlook]), np.array([humidity]), np.array([wind])])


def encoded(columns: list[np.ndarray]) -> list[np.ndarray]:
    """Codes as predicting takes them."""
    return [c if c.dtype.kind == "f" else c.astype(np.int32) for c in columns]


def left_of_1_5() -> list[np.ndarray]:
    return [np.array([1.0]), *encoded(random_rows(XY_SCHEMA, 1, 0))[1:]]


OVERCAST, RAIN, SUNNY = 0, 1, 2


class TestRelabel:
    def test_the_leaf_answers_the_label(self) -> None:
        tree = tennis()
        changed = tree.relabel(1, "No")
        assert class_codes(tree, day(OVERCAST)) == [1]
        assert class_codes(changed, day(OVERCAST)) == [0]
        assert class_codes(changed, day(RAIN, wind=1)) == class_codes(tree, day(RAIN, wind=1))

    def test_counts_and_probabilities_stay_those_of_the_rows(self) -> None:
        tree, changed = tennis(), tennis().relabel(1, "No")
        assert changed.node(1).counts == {"No": 0.0, "Yes": 4.0}
        assert (changed.class_weights == tree.class_weights).all()
        assert (changed.impurity == tree.impurity).all()
        assert class_shares(changed, day(OVERCAST)).tolist() == [[0.0, 1.0]]

    def test_a_label_that_it_has_already_keeps_the_counts(self) -> None:
        tree = build(XY_SCHEMA, ("x <=", 1.5, [1, 3], [2, 0]))
        assert tree.relabel(1, "B").node(1).counts == {"A": 1.0, "B": 3.0}

    def test_ties_keep_the_counts(self) -> None:
        tree = build(XY_SCHEMA, ("x <=", 1.5, [2, 2], [2, 0]))
        changed = tree.relabel(1, "B")
        assert changed.node(1).counts == {"A": 2.0, "B": 2.0}
        assert class_codes(changed, left_of_1_5()) == [1]

    def test_a_leaf_without_rows(self) -> None:
        tree = build(XY_SCHEMA, ("x <=", 1.5, [0, 0], [2, 0])).relabel(1, "B")
        assert class_codes(tree, left_of_1_5()) == [1]

    def test_refusals(self) -> None:
        with pytest.raises(TreeError, match=r"only a leaf.*'outlook'.*tree\.cut\(0\)"):
            tennis().relabel(0, "No")
        with pytest.raises(ParameterError, match=r"no such class.*did you mean 'Yes'"):
            tennis().relabel(1, "yes")
        with pytest.raises(TreeError, match="there is no such node"):
            tennis().relabel(99, "No")
        with pytest.raises(ArgumentTypeError, match="must be the index of a node"):
            tennis().relabel("root", "No")  # type: ignore[arg-type]


class TestGraft:
    def test_a_split_in_the_place_of_a_leaf(self) -> None:
        tree = tennis().graft(1, "wind", labels=["No", "Yes"])
        assert tree.condition(1) == Multiway(2, 2)
        assert tree.size == tennis().size + 1
        assert class_codes(tree, day(OVERCAST, wind=0)) == [0]
        assert class_codes(tree, day(OVERCAST, wind=1)) == [1]

    def test_predictions_are_unchanged_before_labels_or_rows_are_given(self) -> None:
        tree, rows = tennis(), encoded(random_rows(TENNIS_SCHEMA, 200, 1, gaps=True))
        grafted = tree.graft(1, "humidity <= 75").graft(5, "outlook in {Rain, Sunny}")
        np.testing.assert_array_equal(class_codes(grafted, rows), class_codes(tree, rows))

    def test_a_row_without_the_value_stops_at_the_new_node(self) -> None:
        tree = tennis().graft(1, "humidity <= 75", labels=["No", "No"])
        assert class_codes(tree, day(OVERCAST, humidity=np.nan)) == [1]
        tree = tennis().graft(1, "humidity <= 75", labels=["No", "No"], missing=0)
        assert class_codes(tree, day(OVERCAST, humidity=np.nan)) == [0]

    def test_a_condition_itself(self) -> None:
        words = tennis().graft(1, "outlook = Sunny")
        assert tennis().graft(1, Equals(0, SUNNY)).difference(words) is None

    def test_refusals(self) -> None:
        with pytest.raises(TreeError, match="only a leaf can be replaced by a split"):
            tennis().graft(0, "wind")
        with pytest.raises(ParameterError, match="must be one class per branch"):
            tennis().graft(1, "wind", labels=["No"])
        with pytest.raises(ParameterError, match="must be one class per branch"):
            tennis().graft(1, "wind", labels="No")
        with pytest.raises(ArgumentTypeError, match="must be a Condition or a string"):
            tennis().graft(1, 3)  # type: ignore[arg-type]
        with pytest.raises(TreeError, match="splits on a feature that the schema"):
            tennis().graft(1, Threshold(7, 1.0))
        with pytest.raises(TreeError, match="sends missing values to no child"):
            tennis().graft(1, "wind", missing=2)


class TestConditionAsText:
    @pytest.mark.parametrize(
        ("words", "condition"),
        [
            ("x <= 1.5", Threshold(0, 1.5)),
            ("  x <= -2e3 ", Threshold(0, -2000.0)),
            ("size <= middle", Threshold(2, 1.5)),
            ("color", Multiway(3, 4)),
            ("color = blue", Equals(3, 2)),
            ("color in {blue,red}", Subset(3, (0, 2))),
            ("color in grey", Subset(3, (3,))),
        ],
    )
    def test_every_form(self, words: str, condition: Any) -> None:
        assert condition_from(XY_SCHEMA, words) == condition

    @pytest.mark.parametrize(
        ("words", "hint"),
        [
            ("x", r"x <= 1"),
            ("x = 1", "use <="),
            ("color <= 1", "use = or in"),
            ("color = blau", "did you mean 'blue'"),
            ("color in {blue, orange}", "the categories are red"),
            ("colour = blue", "did you mean 'color'"),
            ("x <= high", "must be a number"),
            ("", "the features are x, y"),
        ],
    )
    def test_text_that_is_not_a_condition(self, words: str, hint: str) -> None:
        with pytest.raises(ParameterError, match=rf"text is not a condition on a feature.*{hint}"):
            condition_from(XY_SCHEMA, words)

    def test_what_a_tree_prints_is_read(self) -> None:
        tree = CARTClassifier().fit(*load_tennis()).tree_
        for node in tree.walk():
            if node.condition is not None:
                words = node.condition.describe(tree.schema, 0)
                again = condition_from(tree.schema, words)
                assert again.describe(tree.schema, 0) == words


LEARNERS = (
    ID3Classifier(),
    ID3Classifier(missing="branch"),
    C45Classifier(),
    C45Classifier(categorical="grouped"),
    CARTClassifier(),
    CARTClassifier("error", missing="most_common"),
    DecisionTreeClassifier(unseen="stop", categorical="one_vs_rest", missing="fractional"),
)


def messy(seed: int, gaps: float = 0.2) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(seed)
    n = 60
    frame = pd.DataFrame(
        {
            "a": random.normal(size=n).round(1),
            "b": random.choice(["x", "y", "z"], n),
            "c": random.integers(0, 4, n).astype(float),
        }
    )
    return frame.mask(random.random(frame.shape) < gaps), random.choice(["no", "yes", "so"], n)


class TestRefit:
    @pytest.mark.parametrize("learner", LEARNERS)
    @pytest.mark.parametrize("seed", range(3))
    def test_on_its_own_table_nothing_changes(self, learner: Any, seed: int) -> None:
        X, y = messy(seed)
        weights = np.random.default_rng(seed).integers(0, 4, len(y)) if seed == 2 else None
        tree = learner.set_params(pruning=None).fit(X, y, weights).tree_
        again = tree.refit(X, y, weights)
        assert again.difference(tree, tolerance=1e-9) is None

    @given(st.integers(0, 1000))
    @settings(max_examples=20)
    def test_counts_are_those_of_the_rows_that_get_there(self, seed: int) -> None:
        X, y = messy(seed, gaps=0.0)
        tree = CARTClassifier().fit(*messy(0)).tree_.refit(X, y)
        assert tree.root.weight == len(y)
        below = np.zeros(tree.n_nodes)
        np.add.at(below, tree.parent[1:], tree.weight[1:])
        inner = tree.n_children > 0
        np.testing.assert_array_equal(below[inner], tree.weight[inner])
        np.testing.assert_array_equal(tree.n_rows, tree.weight)

    def test_a_grafted_test_gets_its_rows(self) -> None:
        X, y = load_tennis()
        tree = ID3Classifier(max_depth=1).fit(X, y).tree_
        full = ID3Classifier().fit(X, y).tree_
        grown = tree.graft(2, "Wind", missing=1).graft(3, "Humidity", missing=0).refit(X, y)
        assert grown.difference(replace(full, n_tied=grown.n_tied)) is None

    def test_answers_where_no_row_gets_to_are_those_above(self) -> None:
        X, y = load_tennis()
        tree = ID3Classifier().fit(X, y).tree_.refit(X.head(2), y.head(2))  # sunny days only
        assert [child.label for child in tree.root.children] == ["No", "No", "No"]

    def test_scores_that_cannot_be_worked_out_are_left_open(self) -> None:
        X, y = messy(3)
        tree = C45Classifier().fit(X, y).tree_.refit(X.head(30), y[:30])
        inner = tree.n_children > 0
        assert np.isnan(tree.score[inner]).all()
        gains = CARTClassifier().fit(X, y).tree_.refit(X.head(30), y[:30])
        assert not np.isnan(gains.score[gains.n_children > 0]).any()

    def test_labels_it_does_not_know(self) -> None:
        X, y = messy(0)
        with pytest.raises(TableError, match="was not trained on"):
            CARTClassifier().fit(X, y).tree_.refit(X, np.where(y == "no", "never", y))


class TestEdits:
    def test_every_change_leaves_a_record(self) -> None:
        X, y = load_tennis()
        tree = ID3Classifier().fit(X, y).tree_
        assert tree.edits == ()
        changed = tree.cut(2).relabel(2, "No").graft(1, "Wind").refit(X, y)
        assert [edit["edit"] for edit in changed.edits] == ["cut", "relabel", "graft", "refit"]
        assert changed.edits[1]["at"] == "at Outlook = Rain"
        assert (changed.edits[1]["from"], changed.edits[1]["to"]) == ("Yes", "No")
        assert changed.edits[2]["branches"] == ["Wind = Strong", "Wind = Weak"]
        assert changed.edits[3]["rows"] == 14

    def test_records_are_a_chain_of_hashes(self) -> None:
        tree = tennis()
        changed = tree.cut(3).relabel(1, "No")
        first, second = changed.edits
        assert first["before"] == tree.content_hash()
        assert first["after"] == second["before"]
        assert second["after"] == changed.content_hash()

    def test_records_are_plain_json(self) -> None:
        edits = tennis().cut([2, 3]).relabel(1, "No").edits
        assert json.loads(json.dumps(edits)) == list(edits)

    def test_records_are_no_part_of_what_is_compared(self) -> None:
        tree = tennis()
        marked = replace(tree, edits=({"edit": "by hand"},))
        assert marked.difference(tree) is None
        assert marked.content_hash() == tree.content_hash()

    def test_records_are_pickled(self) -> None:
        tree = tennis().cut(2)
        assert pickle.loads(pickle.dumps(tree)).edits == tree.edits

    def test_cutting_a_leaf_changes_nothing(self) -> None:
        assert tennis().cut(1).edits == ()

    def test_the_tree_itself_is_not_changed(self) -> None:
        tree = tennis()
        before = tree.content_hash()
        tree.relabel(1, "No"), tree.graft(1, "wind"), tree.cut(2)
        assert (tree.content_hash(), tree.edits) == (before, ())
