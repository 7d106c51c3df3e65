"""One prediction explained: decision path, class probabilities, counterfactual."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import plaintree as pt
from plaintree.data.schema import MISSING, Feature, Schema
from plaintree.errors import ArgumentTypeError, ColumnError, ParameterError, TableError
from plaintree.show.explain import counterfactual
from plaintree.show.explain.distance import number_above
from plaintree.show.explain.explain import explain
from plaintree.show.explain.explanation import Explanation
from plaintree.tree.condition import NodeKind
from plaintree.tree.predict import class_codes, class_shares
from tests.support.counterfactuals import brute_force, coded, decoded, with_missing_children
from tests.support.trees import XY_SCHEMA, build, chain_spec, random_rows, specs, tennis

SUNNY_DAY = {"outlook": "Sunny", "humidity": 85.0, "wind": "Weak"}


def new_values(explanation: Explanation) -> dict[str, Any]:
    """The changed features with their new values."""
    assert explanation.counterfactual is not None
    return {new.feature: new.value for new in explanation.counterfactual.new_values}


def probabilities(explanation: Explanation) -> list[float]:
    return [p.probability for p in explanation.probabilities]


class TestTheDecisionPath:
    """Each split with the row's value, as text."""

    def test_the_path_says_which_branch_and_the_value_where_the_branch_does_not(self) -> None:
        explanation = explain(tennis(), SUNNY_DAY)
        assert explanation.prediction == "No"
        assert list(map(str, explanation.path.steps)) == [
            "outlook = Sunny",
            "humidity > 75 (it is 85)",
        ]
        assert [step.node for step in explanation.path.steps] == [0, 3]
        assert [step.value for step in explanation.path.steps] == ["Sunny", 85.0]
        assert [step.reason for step in explanation.path.steps] == ["value", "value"]

    def test_sets_of_categories_name_the_row_s_own(self) -> None:
        tree = build(XY_SCHEMA, ("color in", ["red", "blue"], [3, 0], [0, 3]))
        steps = explain(tree, {"x": 1, "y": 1, "size": "small", "color": "green"}).path.steps
        assert list(map(str, steps)) == ["color not in {red, blue} (it is green)"]

    def test_ordered_categories_are_words(self) -> None:
        tree = build(XY_SCHEMA, ("size <=", 0.5, [3, 0], [0, 3]))
        explanation = explain(tree, {"x": 1, "y": 1, "size": "large", "color": "red"})
        assert list(map(str, explanation.path.steps)) == ["size > small (it is large)"]
        assert new_values(explanation) == {"size": "small"}

    def test_a_single_leaf_needs_no_reason(self) -> None:
        explanation = explain(build(XY_SCHEMA, [2, 1]), [1, 1, "small", "red"])
        assert explanation.path.steps == ()
        assert str(explanation).startswith("Prediction: A (the tree is a single leaf)\n")
        assert explanation.counterfactual is None
        assert "Counterfactual: none; no change of the row changes the prediction." in str(
            explanation
        )

    def test_dates_are_dates(self) -> None:
        days = [date(2024, 1, day) for day in range(1, 21)]
        model = pt.CARTClassifier().fit({"day": days}, ["early"] * 10 + ["late"] * 10)
        explanation = explain(model, {"day": date(2024, 1, 4)})
        assert explanation.path.steps[0].value == date(2024, 1, 4)
        assert explanation.path.steps[0].remark == "it is 2024-01-04"
        assert new_values(explanation) == {"day": date(2024, 1, 11)}
        assert model.predict(new_values(explanation) | {"day": [date(2024, 1, 11)]}) == ["late"]
        assert json.loads(json.dumps(explanation.to_dict()))["counterfactual"]["new_values"] == [
            {
                "feature": "day",
                "value": "2024-01-11",
                "instead_of": "2024-01-04",
                "condition": "day > 2024-01-10",
            }
        ]

    def test_a_deep_tree_is_no_problem(self) -> None:
        tree = build(XY_SCHEMA, chain_spec(5_000))
        explanation = explain(tree, [4_999.0, 0, "small", "red"])
        assert len(explanation.path.steps) == 4_999


class TestMissingAndUnseen:
    """What a row without a value, or with an unknown one, does at a test."""

    def test_fractions_go_into_all_branches(self) -> None:
        explanation = explain(tennis(), SUNNY_DAY | {"outlook": None})
        assert [path.fraction for path in explanation.paths] == pytest.approx(
            [5 / 14, 5 / 14, 4 / 14]
        )
        assert [str(path.steps[0]) for path in explanation.paths] == [
            "outlook = Rain (it is missing; 36% takes this branch)",
            "outlook = Sunny (it is missing; 36% takes this branch)",
            "outlook = Overcast (it is missing; 29% takes this branch)",
        ]
        assert probabilities(explanation) == pytest.approx([5 / 14, 9 / 14])
        assert "Decision paths (3, because missing values divide the row):" in str(explanation)

    def test_a_child_for_missing_values_takes_them(self) -> None:
        tree = build(XY_SCHEMA, ("x <=", 3, [3, 0], [0, 3], 1))
        step = explain(tree, {"x": None, "y": 1, "size": "small", "color": "red"}).path.steps[0]
        assert str(step) == "x > 3 (it is missing; takes this branch)"
        assert (step.reason, step.fraction, step.value) == ("missing", 1.0, None)

    def test_a_branch_of_their_own_says_so_itself(self) -> None:
        tree = build(XY_SCHEMA, ("x <=", 3, [3, 0], [0, 3], [0, 1]))
        step = explain(tree, {"x": None, "y": 1, "size": "small", "color": "red"}).path.steps[0]
        assert str(step) == "x is missing"

    def test_an_unseen_category_is_named(self) -> None:
        explanation = explain(tennis(), SUNNY_DAY | {"outlook": "Fog"})
        assert explanation.path.steps[0].reason == "unseen"
        assert explanation.path.steps[0].value == "Fog"
        assert "it is Fog, not seen in training" in explanation.path.steps[0].remark

    def test_an_unseen_category_can_end_the_way(self) -> None:
        X, y = pt.datasets.load_tennis()
        model = pt.ID3Classifier(unseen="stop").fit(X, y)
        row = X.row(0, named=True) | {"Outlook": "Fog"}
        explanation = explain(model, row)
        assert explanation.path.node == 0
        assert (
            explanation.path.stopped == "Outlook is Fog, not seen in training; no branch takes it"
        )
        assert probabilities(explanation) == pytest.approx([5 / 14, 9 / 14])
        assert explanation.prediction == model.predict([row])[0] == "Yes"
        assert new_values(explanation) == {"Outlook": "Sunny"}

    def test_or_be_refused(self) -> None:
        X, y = pt.datasets.load_tennis()
        model = pt.ID3Classifier(unseen="error").fit(X, y)
        with pytest.raises(ColumnError, match="a category not seen in training"):
            explain(model, X.row(0, named=True) | {"Outlook": "Fog"})

    def test_gaps_are_refused_where_the_model_refuses_them(self) -> None:
        X, y = pt.datasets.load_tennis()
        model = pt.ID3Classifier(missing="error").fit(X, y)
        with pytest.raises(TableError, match=r"the row has no value for 'Wind'.*Hint: fill it in"):
            explain(model, X.row(0, named=True) | {"Wind": None})

    def test_many_paths_are_counted_not_listed(self) -> None:
        spec: Any = [1, 2]
        for name in ("x <=", "y <="):
            for threshold in range(4):
                spec = (name, threshold, [2, 1], spec)
        text = str(explain(build(XY_SCHEMA, spec), [None, None, "small", "red"]))
        assert "Decision paths (9, because" in text
        assert "of the row: 4 more paths" in text


class TestProbabilities:
    """The classes at the leaf, with intervals."""

    def test_they_are_wilson_s_intervals(self) -> None:
        tree = build(XY_SCHEMA, [8, 2])
        first, second = explain(tree, [1, 1, "small", "red"]).probabilities
        assert (first.label, first.probability) == ("A", 0.8)
        assert (first.low, first.high) == pytest.approx((0.4901625, 0.9433178), abs=1e-6)
        assert (second.low, second.high) == pytest.approx((1 - first.high, 1 - first.low))

    def test_a_higher_confidence_is_wider(self) -> None:
        tree = build(XY_SCHEMA, [8, 2])
        narrow = explain(tree, [1, 1, "small", "red"], confidence=0.5)
        wide = explain(tree, [1, 1, "small", "red"], confidence=0.999)
        assert wide.probabilities[0].low < narrow.probabilities[0].low < 0.8
        assert "50% Wilson intervals" in str(narrow)
        assert "99.9% Wilson intervals" in str(wide)

    def test_pure_leaves_reach_the_end_exactly(self) -> None:
        first, second = explain(build(XY_SCHEMA, [3, 0]), [1, 1, "small", "red"]).probabilities
        assert (first.probability, first.high) == (1.0, 1.0)
        assert (second.probability, second.low) == (0.0, 0.0)

    def test_weights_count_as_if_their_mean_were_one(self) -> None:
        X, y = pt.datasets.load_golf()
        plain = explain(pt.CARTClassifier(max_depth=1).fit(X, y), X[:1])
        heavy = explain(pt.CARTClassifier(max_depth=1).fit(X, y, np.full(14, 1000.0)), X[:1])
        assert heavy.weighted
        assert not plain.weighted
        assert [s.low for s in heavy.probabilities] == pytest.approx(
            [s.low for s in plain.probabilities]
        )
        assert "training rows with a weight of 10000 in this leaf" in str(heavy)
        assert "weights scaled to a mean of one" in str(heavy)

    def test_a_leaf_without_rows_knows_nothing(self) -> None:
        explanation = explain(build(XY_SCHEMA, ("x <=", 3, [0, 0], [0, 3])), [1, 1, "small", "red"])
        assert [(s.probability, s.low, s.high) for s in explanation.probabilities] == [
            (0, 0, 1),
            (1, 0, 1),
        ]
        assert "no training rows in this leaf" in str(explanation)

    def test_a_label_that_is_not_the_majority_class(self) -> None:
        X, y = pt.datasets.load_tennis()
        tree = pt.ID3Classifier().fit(X, y).tree_
        note = "The label of the leaf is not the majority class of these rows."
        assert note not in str(explain(tree, X[2:3]))
        explanation = explain(tree.relabel(1, "No"), X[2:3])
        assert explanation.prediction == "No"
        assert note in str(explanation)

    def test_a_grafted_leaf_without_rows_predicts_its_own_label(self) -> None:
        X, y = pt.datasets.load_tennis()
        tree = pt.ID3Classifier().fit(X, y).tree_.graft(1, "Wind", labels=["No", "Yes"])
        strong, weak = (X[2:3].with_columns(Wind=pl.lit(wind)) for wind in ("Strong", "Weak"))
        source = "no training rows in this leaf, which predicts"
        assert f"{source} the class of its parent" in explain(tree, weak).to_text(200)
        assert f"{source} its own class" in explain(tree, strong).to_text(200)

    def test_only_the_commonest_classes_are_written(self) -> None:
        schema = Schema((Feature("x", "numeric"),), tuple(f"class {i}" for i in range(8)))
        text = str(explain(build(schema, [8, 7, 6, 5, 4, 3, 2, 1]), [1]))
        assert "class 4" in text
        assert "class 5" not in text
        assert "and 3 more classes" in text

    @given(specs(), st.integers(0, 2**32 - 1))
    def test_they_are_those_of_predicting(self, spec: Any, seed: int) -> None:
        tree = build(XY_SCHEMA, spec)
        columns = coded(random_rows(XY_SCHEMA, 1, seed, gaps=True))
        explanation = explain(tree, decoded(columns))
        assert probabilities(explanation) == pytest.approx(class_shares(tree, columns)[0].tolist())
        assert explanation.prediction == tree.schema.classes[class_codes(tree, columns)[0]]
        assert sum(path.fraction for path in explanation.paths) == pytest.approx(1)
        for path in explanation.paths:
            assert path.fraction == pytest.approx(np.prod([step.fraction for step in path.steps]))
        for p in explanation.probabilities:
            assert p.low <= p.probability + 1e-12
            assert p.probability <= p.high + 1e-12


class TestCounterfactuals:
    """The fewest features, then the shortest distance."""

    def test_one_attribute_rather_than_two_near_ones(self) -> None:
        spec = (
            "x <=",
            5,
            ("y <=", 5, [3, 0], ("x <=", 4.9, [3, 0], [0, 9])),
            ("y <=", 9, [3, 0], [0, 1]),
        )
        explanation = explain(build(XY_SCHEMA, spec), [4.95, 4.9, "small", "red"])
        assert new_values(explanation) == {"y": pytest.approx(5.0, abs=0.05)}

    def test_the_nearest_of_equally_many(self) -> None:
        spec = ("x <=", 2, [0, 1], ("x <=", 6, [5, 0], [0, 1]))
        tree = build(XY_SCHEMA, spec)
        assert new_values(explain(tree, [3, 1, "small", "red"])) == {"x": 2.0}
        assert new_values(explain(tree, [5.5, 1, "small", "red"]))["x"] > 6

    def test_of_equals_the_leaf_with_most_training_rows(self) -> None:
        spec = ("color", {"red": [9, 0], "green": [0, 1], "blue": [0, 5], "grey": [0, 5]})
        explanation = explain(build(XY_SCHEMA, spec), [1, 1, "small", "red"])
        assert new_values(explanation) == {"color": "blue"}
        assert explanation.counterfactual is not None
        assert (explanation.counterfactual.leaf, explanation.counterfactual.weight) == (3, 5.0)

    def test_immutable_features_stay(self) -> None:
        assert new_values(explain(tennis(), SUNNY_DAY)) == {"outlook": "Overcast"}
        assert new_values(explain(tennis(), SUNNY_DAY, immutable=["outlook"])) == {"humidity": 75.0}
        assert new_values(explain(tennis(), SUNNY_DAY, immutable="outlook")) == {"humidity": 75.0}

    def test_no_change_can(self) -> None:
        explanation = explain(tennis(), SUNNY_DAY, immutable=["humidity", "outlook"])
        assert explanation.counterfactual is None
        assert explanation.search_ended_at is None
        assert str(explanation).endswith(
            "Counterfactual: none while these features stay: outlook, humidity."
        )

    def test_scales_say_what_is_near(self) -> None:
        spec = ("x <=", 5, ("y <=", 5, [9, 0], [0, 1]), [0, 1])
        tree = build(XY_SCHEMA, spec)
        row = [4, 1, "small", "red"]
        assert set(new_values(explain(tree, row, scales={"x": 1, "y": 1}))) == {"x"}
        assert set(new_values(explain(tree, row, scales={"x": 0.1, "y": 10}))) == {"y"}

    def test_new_numbers_have_few_digits_and_do_as_they_are_written(self) -> None:
        low, high = 2.4499999999999997, 6.123456789012345
        tree = build(XY_SCHEMA, ("x <=", low, [0, 3], ("x <=", high, [3, 0], [0, 3])))
        for own, new in ((3.0, 2.44), (6.0, 6.13)):
            explanation = explain(tree, [own, 1, "small", "red"])
            assert new_values(explanation) == {"x": new}
            assert f"x: {new} instead of {own:g} (any x" in str(explanation)
        narrow = build(XY_SCHEMA, ("x <=", 5, [3, 0], ("x <=", np.nextafter(5, 6), [0, 3], [3, 0])))
        assert "x: 5.000000000000001 instead of 3" in str(explain(narrow, [3, 1, "small", "red"]))

    def test_whole_numbers_stay_whole(self) -> None:
        model = pt.CARTClassifier().fit({"age": [20, 30, 40, 51]}, ["a", "a", "b", "b"])
        assert new_values(explain(model, {"age": 20})) == {"age": 36}
        assert new_values(explain(model, {"age": 50})) == {"age": 35}
        assert isinstance(new_values(explain(model, {"age": 50}))["age"], int)

    def test_a_place_that_no_whole_number_reaches_is_no_way_out(self) -> None:
        schema = Schema((Feature("n", "numeric", "integer"),), ("a", "b"))
        tree = build(schema, ("n <=", 3.2, [5, 0], ("n <=", 3.7, [0, 5], [5, 0])))
        assert explain(tree, [1]).counterfactual is None

    def test_intervals_give_a_number_back(self) -> None:
        X = {"x": [1, 2, 3, 4, 11, 12, 13, 14]}
        model = pt.ID3Classifier(numeric="intervals").fit(X, list("aaaabbbb"))
        explanation = explain(model, {"x": 2})
        assert str(explanation.path.steps[0]) == 'x in "(-inf, 7.5]" (it is 2)'
        assert new_values(explanation) == {"x": 8}
        assert new_values(explain(model, {"x": 20})) == {"x": 7}
        assert "x: 8 instead of 2 (any x > 7.5 will do)" in str(explanation)

    def test_an_infinite_value_has_a_way_back(self) -> None:
        tree = build(XY_SCHEMA, ("x <=", 3, [3, 0], [0, 3]))
        assert new_values(explain(tree, [np.inf, 1, "small", "red"])) == {"x": 3.0}
        json.loads(
            json.dumps(explain(tree, [np.inf, 1, "small", "red"]).to_dict(), allow_nan=False)
        )

    def test_gaps_may_be_filled_in(self) -> None:
        explanation = explain(tennis(), SUNNY_DAY | {"outlook": None})
        assert (explanation.prediction, new_values(explanation)) == ("Yes", {"outlook": "Sunny"})
        assert "outlook: Sunny instead of missing" in str(explanation)

    def test_too_many_cells_are_given_up_honestly(self, monkeypatch: pytest.MonkeyPatch) -> None:
        row = SUNNY_DAY | {"outlook": None}
        monkeypatch.setattr(counterfactual, "MAX_CELLS", 0)
        nothing = explain(tennis(), row)
        assert (nothing.counterfactual, nothing.search_ended_at) == (None, 1)
        assert "Counterfactual: not found; there are too many changes to try." in str(nothing)
        monkeypatch.setattr(counterfactual, "MAX_CELLS", 2)
        spec = ("x <=", 5, [1, 3], ("size <=", 0.5, [1, 3], ("color =", "red", [9, 0], [0, 9])))
        some = explain(build(XY_SCHEMA, spec), [None, 1, "small", "blue"], immutable="x")
        assert (some.counterfactual, some.search_ended_at) == (None, 1)

    def test_applied_to_makes_the_row(self) -> None:
        explanation = explain(tennis(), SUNNY_DAY)
        assert explanation.counterfactual is not None
        assert explanation.counterfactual.applied_to(SUNNY_DAY) == SUNNY_DAY | {
            "outlook": "Overcast"
        }
        assert (
            explain(tennis(), explanation.counterfactual.applied_to(SUNNY_DAY)).prediction == "Yes"
        )


# -------------------------------------------------------------------- against brute force


class TestExactness:
    """The change is real, and none is smaller."""

    @settings(max_examples=150)
    @given(
        specs(max_tests=8),
        st.integers(0, 2**32 - 1),
        st.sampled_from(["complete", "divided", "sent"]),
        st.sets(st.integers(0, 3), max_size=2),
    )
    def test_no_row_does_it_with_less(
        self, spec: Any, seed: int, gaps: str, frozen: set[int]
    ) -> None:
        tree = build(XY_SCHEMA, spec)
        if gaps == "sent":
            tree = with_missing_children(tree, seed)
        columns = random_rows(XY_SCHEMA, 1, seed, gaps=gaps != "complete")
        row = decoded(columns)
        names = [XY_SCHEMA.names[number] for number in frozen]
        explanation = explain(tree, row, immutable=names)
        own = class_codes(tree, coded(columns))[0]
        least = brute_force(tree, columns, lambda answers: answers != own, tuple(frozen))
        assert explanation.search_ended_at is None
        if explanation.counterfactual is None:
            assert least is None
            return
        assert least is not None
        assert len(explanation.counterfactual.new_values) == least[0]
        assert explanation.counterfactual.distance == pytest.approx(least[1], abs=1e-9)
        assert not set(new_values(explanation)) & set(names)
        changed = explain(tree, explanation.counterfactual.applied_to(row))
        assert changed.prediction == explanation.counterfactual.prediction != explanation.prediction
        assert explanation.counterfactual.leaf in (None, changed.path.node)

    @settings(max_examples=60)
    @given(
        st.integers(0, 2**32 - 1),
        st.sampled_from(["multiway", "one_vs_rest", "subset", "grouped"]),
        st.sampled_from(["fractional", "most_common", "branch"]),
        st.sampled_from([None, "error_based"]),
    )
    def test_grown_trees_of_all_kinds(
        self, seed: int, categorical: Any, missing: Any, prune: Any
    ) -> None:
        random = np.random.default_rng(seed)
        n = 60
        columns = random_rows(XY_SCHEMA, n, seed, gaps=True)
        noise = random.integers(0, 2, n)
        answers = np.where((columns[3] % 2 == 1) ^ (columns[0] > 5), 1, noise)
        assume(len(set(answers.tolist())) > 1)
        frame = pd.DataFrame([decoded(columns, row) for row in range(n)])
        frame["size"] = pd.Categorical(frame["size"], ["small", "middle", "large"], ordered=True)
        model = pt.DecisionTreeClassifier(
            categorical=categorical, missing=missing, pruning=prune, criterion="gain_ratio"
        )
        model.fit(frame, answers)
        row = decoded(columns, 0)
        explanation = explain(model, row)
        assert explanation.prediction == model.predict([row])[0]
        if explanation.counterfactual is not None:
            changed = explanation.counterfactual.applied_to(row)
            assert (
                model.predict([changed])[0]
                == explanation.counterfactual.prediction
                != explanation.prediction
            )

    def test_groups_that_do_not_know_a_category_divide_it(self) -> None:
        X = {"color": list("rrggbbyyrrgg"), "n": [1, 2] * 6}
        model = pt.C45Classifier(categorical="grouped", pruning=None, min_samples_branch=1)
        tree = model.fit(X, list("aabbabababba")).tree_
        grouped = np.flatnonzero(tree.kind == NodeKind.GROUPED)
        levels = tree.levels.copy()
        place = int(tree.level_begin[grouped[0]])
        levels[place] = MISSING
        odd = replace(tree, levels=levels)
        code = X["color"].index(str(tree.schema.features[0].categories[0]))
        explanation = explain(odd, {"color": X["color"][code], "n": 1})
        assert explanation.path.steps[0].reason == "unseen"
        assert "not seen in training" in explanation.path.steps[0].remark


@pytest.fixture(scope="module")
def model() -> pt.C45Classifier:
    """C4.5's tree of the golf table."""
    X, y = pt.datasets.load_golf()
    return pt.C45Classifier().fit(X, y)


class TestRows:
    """A row may come in any form."""

    def test_all_forms_say_the_same(self, model: pt.C45Classifier) -> None:
        X, _ = pt.datasets.load_golf()
        named = X.row(0, named=True)
        expected = explain(model, X[:1])
        forms = [
            named,
            list(named.values()),
            tuple(named.values()),
            np.array(list(named.values()), dtype=object),
            pd.Series(named),
            pd.DataFrame([named]),
            dict(reversed(named.items())),
        ]
        for form in forms:
            assert explain(model, form) == expected

    def test_lists_go_by_position_whatever_the_names_are(self) -> None:
        X, y = pt.datasets.load_or_and()
        model = pt.CARTClassifier().fit(X, y)
        explanation = explain(model, [1, 0, 1])
        assert {step.feature: step.value for step in explanation.path.steps} == {"x3": 1, "x1": 1}

    def test_numbers_without_names(self) -> None:
        model = pt.CARTClassifier().fit(np.array([[0.0], [1.0]]), [0, 1])
        explanation = explain(model, np.array([0.2]))
        assert explanation.prediction == 0
        assert new_values(explanation)["x0"] > 0.5

    def test_two_rows_are_one_too_many(self, model: pt.C45Classifier) -> None:
        X, _ = pt.datasets.load_golf()
        with pytest.raises(TableError, match="only one row can be followed"):
            explain(model, X[:2])

    def test_a_column_that_lacks_is_told(self, model: pt.C45Classifier) -> None:
        with pytest.raises(ColumnError, match=r"lacks columns.*'windy'"):
            explain(model, {"outlook": "rain", "temperature": 70, "humidity": 80})


class TestMistakes:
    """Wrong arguments are told what is wrong with them."""

    def test_an_immutable_feature_that_does_not_exist(self) -> None:
        with pytest.raises(ColumnError, match="did you mean 'humidity'"):
            explain(tennis(), SUNNY_DAY, immutable=["humidty"])

    @pytest.mark.parametrize("confidence", [0, 1, 1.5, "high", True, None])
    def test_a_confidence_that_is_none(self, confidence: Any) -> None:
        with pytest.raises(ParameterError, match="confidence must be a number between 0 and 1"):
            explain(tennis(), SUNNY_DAY, confidence=confidence)

    @pytest.mark.parametrize(
        "scales",
        [{"humidity": 0}, {"humidity": True}, {"humidity": timedelta(1)}, {"outlook": 1}],
    )
    def test_a_scale_that_is_none(self, scales: Any) -> None:
        with pytest.raises(ParameterError, match="cannot be measured by that scale"):
            explain(tennis(), SUNNY_DAY, scales=scales)

    def test_dates_are_scaled_by_spans_of_time(self) -> None:
        days = [date(2024, 1, day) for day in range(1, 11)]
        model = pt.CARTClassifier().fit({"day": days}, ["early"] * 5 + ["late"] * 5)
        explanation = explain(model, {"day": days[0]}, scales={"day": timedelta(days=2)})
        assert explanation.counterfactual is not None
        assert explanation.counterfactual.distance == pytest.approx(2.5)

    def test_many_models_are_not_one(self) -> None:
        class Forest:
            estimators_ = ()

        with pytest.raises(
            ArgumentTypeError, match=r"an ensemble of other models.*pass one of its estimators_"
        ):
            explain(Forest(), SUNNY_DAY)

    def test_no_tree_at_all(self) -> None:
        with pytest.raises(ArgumentTypeError, match="call fit first"):
            explain(pt.CARTClassifier(), SUNNY_DAY)


class TestWriting:
    """Text of a width, plain data, HTML."""

    def test_every_line_fits(self) -> None:
        names = ("a rather long name of an attribute, with a comma", "another long name of one")
        schema = Schema(tuple(Feature(n, "numeric") for n in names), ("yes & no", "<b>"))
        tree = build(schema, (f"{names[0]} <=", 1, (f"{names[1]} <=", 1, [9, 1], [1, 9]), [0, 9]))
        text = explain(tree, [0.123456, 0.987654]).to_text(width=50)
        assert max(map(len, text.splitlines())) <= 50

    def test_a_width_that_is_none(self) -> None:
        with pytest.raises(ParameterError, match="width is not a number of columns"):
            explain(tennis(), SUNNY_DAY).to_text(width=10)

    def test_html_is_escaped(self) -> None:
        schema = Schema((Feature("</pre><script>", "numeric"),), ("<i>", "b"))
        html = explain(build(schema, ("</pre><script> <=", 1, [1, 0], [0, 1])), [0])._repr_html_()
        assert html.count("<") == 2
        assert "&lt;script&gt;" in html

    def test_the_data_go_through_json(self) -> None:
        data = explain(tennis(), SUNNY_DAY | {"outlook": None}).to_dict()
        assert json.loads(json.dumps(data, allow_nan=False)) == data
        assert data["prediction"] == "Yes"
        assert [path["node"] for path in data["paths"]] == [5, 7, 1]
        assert data["counterfactual"]["new_values"][0]["value"] == "Sunny"

    def test_it_can_be_compared_and_is_the_same_again(self) -> None:
        assert explain(tennis(), SUNNY_DAY) == explain(tennis(), SUNNY_DAY)


class TestReadableNumbers:
    """Just above a threshold, with few digits."""

    @given(st.floats(-1e12, 1e12), st.floats(0, 1e6).filter(lambda room: room == 0 or room > 1e-9))
    def test_they_are_above_and_not_too_far(self, low: float, room: float) -> None:
        number = number_above(low, low + room)
        assert number > low
        assert number <= max(low + room, np.nextafter(low, np.inf))

    def test_digits(self) -> None:
        assert number_above(75, 75.31) == 75.1
        assert number_above(-0.125, -0.11) == -0.12
        assert number_above(1e300, np.inf) == np.nextafter(1e300, np.inf)
