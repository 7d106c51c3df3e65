"""What is worked out at each node: exact figures, and the engine's choice or that it differs."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plaintree as pt
from plaintree.data.rows import Rows
from plaintree.stats.exact import Scale, entropy, error_rate, gini, measure
from plaintree.stats.sums import ClassWeights
from plaintree.teaching.derive.cases import Cases
from plaintree.teaching.derive.choice import p_value
from plaintree.teaching.derive.introduction import MISSING_VALUES
from plaintree.teaching.derive.offers import offer_of
from plaintree.teaching.derive.steps import Steps, work_out
from plaintree.tree.conventions import Conventions
from plaintree.tree.significance import p_values
from plaintree.tree.tree import Tree
from plaintree.tree.walk import rows_from
from tests.support.random_tables import (
    CLASS_CRITERIA,
    Case,
    cases,
    fine_print,
    kinds_with,
    many,
    surrogate_print,
)
from tests.support.reference_tables import load, needs_shared


def steps_of(tree: Tree, X: Any, y: Any) -> Steps:
    assert tree.conventions is not None
    return work_out(tree, Cases.of(tree.schema, rows_from(tree, X, y), tree.conventions))


def steps_of_case(case: Case, rules: Conventions) -> Steps:
    tree = case.grow(rules)
    columns = [np.array(c, np.int32 if n else np.float64) for c, n in case.parts]
    weights = None if case.weights is None else np.array(case.weights)
    rows = Rows(columns, np.array(case.y, np.int32), weights)
    return work_out(tree, Cases.of(tree.schema, rows, rules))


class TestMeasures:
    def test_gini_and_error_are_exact_fractions(self) -> None:
        assert gini((5, 2)) == Fraction(20, 49)
        assert error_rate((5, 2)) == Fraction(2, 7)

    def test_weights_may_be_fractions(self) -> None:
        assert gini((Fraction(1, 3), Fraction(1, 3))) == Fraction(1, 2)
        assert entropy((Fraction(1, 3), Fraction(1, 3))) == 1

    def test_nothing_is_pure(self) -> None:
        assert (entropy((0, 0)), gini((0, 0)), error_rate((0, 0))) == (0, 0, 0)

    def test_a_gini_gain_is_an_exact_fraction(self) -> None:
        scale = Scale.of(ClassWeights("gini"), (6, 6), 0)
        found = measure([(5, 2), (1, 4)], scale)
        assert found.gain == Fraction(1, 2) - Fraction(7, 12) * Fraction(20, 49) - Fraction(
            5, 12
        ) * Fraction(8, 25)

    def test_rows_left_out_scale_the_gain_and_are_an_outcome(self) -> None:
        scale = Scale.of(ClassWeights("gain_ratio"), (2, 2), 1)
        found = measure([(2, 0), (0, 2)], scale)
        assert found.share == Fraction(4, 5)
        assert found.gain == pytest.approx(0.8)
        assert found.split_info == pytest.approx(entropy((2, 2, 1)))

    @given(
        st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=4).filter(
            lambda branches: sum(map(sum, branches)) > 0
        )
    )
    def test_no_test_makes_anything_worse(self, branches: list[tuple[int, int]]) -> None:
        known = tuple(map(sum, zip(*branches, strict=True)))
        for criterion in ("information_gain", "gini", "error"):
            scale = Scale.of(ClassWeights(criterion), known, 0)
            assert measure(branches, scale).gain >= -1e-12


class TestAgreement:
    @pytest.mark.parametrize("missing", MISSING_VALUES)
    @many(30)
    @given(data=st.data())
    def test_every_choice_of_the_engine_is_found_again(
        self, data: st.DataObject, missing: Any
    ) -> None:
        case = data.draw(cases(gaps=missing != "error"))
        more = data.draw(fine_print() | st.just({}))
        rules = Conventions(
            criterion=data.draw(st.sampled_from(CLASS_CRITERIA)),
            categorical=data.draw(st.sampled_from(kinds_with(missing))),
            missing=missing,
            collapse=data.draw(st.booleans()),
            **more,
            **data.draw(surrogate_print(missing)),
        )
        for step in steps_of_case(case, rules).in_order:
            assert set(step.differences) <= {"tie"}

    @needs_shared
    @pytest.mark.parametrize("name", ["labor", "vote"])
    @pytest.mark.parametrize(
        "model",
        [pt.ID3Classifier(), pt.C45Classifier(pruning=None), pt.CARTClassifier()],
        ids=["ID3", "C45", "CART"],
    )
    def test_on_real_tables(self, name: str, model: Any) -> None:
        X, y = load(name)
        steps = steps_of(model.fit(X, y).tree_, X, y)
        assert {step.verdict for step in steps.in_order} <= {"same", "tie"}

    def test_scores_are_those_of_the_tree(self) -> None:
        X, y = pt.datasets.load_golf()
        tree = pt.C45Classifier(pruning=None).fit(X, y).tree_
        for step in steps_of(tree, X, y).in_order:
            if step.taken is not None:
                assert step.taken.measures.score == pytest.approx(tree.score[step.node])

    def test_another_choice_is_told(self) -> None:
        X, y = pt.datasets.load_flu()
        tree = pt.ID3Classifier("gain_ratio").fit(X, y).tree_
        assert tree.conventions is not None
        other = replace(tree, conventions=replace(tree.conventions, criterion="information_gain"))
        verdicts = [step.verdict for step in steps_of(other, X, y).in_order]
        assert verdicts[0] == "other"

    def test_another_of_two_equal_choices_is_a_tie(self) -> None:
        signs = pt.datasets.load_lisbon_signs()
        order = ["F1", "F3", "F2"]
        tree = pt.ID3Classifier().fit(signs.X.select(order), signs.y).tree_
        mirrored = pt.ID3Classifier().fit(signs.X, signs.y).tree_
        second = replace(
            mirrored,
            feature=np.where(mirrored.feature == 1, 2, mirrored.feature),
            schema=mirrored.schema,
        )
        assert tree.n_nodes == second.n_nodes
        steps = steps_of(second, signs.X, signs.y)
        assert [step.verdict for step in steps.in_order].count("tie") == 1


class TestLeaves:
    def reasons(self, model: Any, data: Any = None) -> set[str]:
        X, y = data or pt.datasets.load_tennis()
        steps = steps_of(model.fit(X, y).tree_, X, y)
        return {step.leaf.reason for step in steps.in_order if step.leaf}

    def test_pure(self) -> None:
        assert self.reasons(pt.ID3Classifier()) == {"pure"}

    def test_too_deep(self) -> None:
        assert self.reasons(pt.ID3Classifier(max_depth=1)) == {"pure", "depth"}

    def test_too_few_rows(self) -> None:
        assert self.reasons(pt.ID3Classifier(min_samples_split=6)) == {"pure", "few"}

    def test_no_rows(self) -> None:
        X = {"a": list("xxxxyyyy"), "b": list("pqpqqqqr")}
        assert self.reasons(pt.ID3Classifier(), (X, list("01010000"))) == {"pure", "empty"}

    def test_no_attribute_left(self) -> None:
        assert self.reasons(pt.ID3Classifier(), ({"a": ["x", "x", "y"]}, [0, 1, 0])) == {
            "pure",
            "unused",
        }

    def test_none_qualifies(self) -> None:
        X, y = pt.datasets.load_xor()
        assert self.reasons(pt.CARTClassifier(zero_gain=False), (X, y)) == {"refused"}

    def test_not_significant(self) -> None:
        assert self.reasons(pt.ID3Classifier(significance=1e-9)) == {"insignificant"}

    def test_folded(self) -> None:
        X = {"a": [1.0, 2, 3, 4, 5, 6, 7, 8]}
        y = ["n", "n", "n", "n", "n", "n", "y", "n"]
        assert self.reasons(pt.C45Classifier(pruning=None), (X, y)) == {"folded"}

    def test_cut(self) -> None:
        X, y = pt.datasets.load_tennis()
        tree = pt.ID3Classifier().fit(X, y).tree_.cut(2)
        assert steps_of(tree, X, y).by_node[2].leaf.reason == "stopped"


class TestOffers:
    def test_every_threshold_between_two_values_is_tried(self) -> None:
        X, y = pt.datasets.load_golf()
        tree = pt.ID3Classifier().fit(X, y).tree_
        steps = steps_of(tree, X, y)
        humidity = offer_of(steps.cases, steps.cases.everyone, 2)
        values = sorted(set(X["humidity"].to_list()))
        assert humidity.n_tried == len(values) - 1
        assert [t.condition.threshold for t in humidity.tried] == [
            (low + high) / 2 for low, high in pairwise(values)
        ]

    def test_the_best_of_very_many_tests_are_kept_in_order(self) -> None:
        X, y = pt.datasets.load_golf()
        tree = pt.ID3Classifier().fit(X, y).tree_
        steps = steps_of(tree, X, y)
        every = offer_of(steps.cases, steps.cases.everyone, 1)
        some = offer_of(steps.cases, steps.cases.everyone, 1, 3)
        assert (some.n_tried, len(some.tried)) == (every.n_tried, 3)
        best = sorted((t.worth for t in every.tried), reverse=True)[:3]
        assert sorted((t.worth for t in some.tried), reverse=True) == best
        thresholds = [t.condition.threshold for t in some.tried]
        assert thresholds == sorted(thresholds)

    def test_divided_rows_weigh_exact_fractions(self) -> None:
        X = {"a": ["x", "x", "y", None], "b": ["p", "q", "p", "q"]}
        tree = (
            pt.C45Classifier(pruning=None, min_samples_branch=1, average_gain=False, collapse=False)
            .fit(X, [0, 0, 1, 1])
            .tree_
        )
        below = steps_of(tree, X, [0, 0, 1, 1]).by_node[1]
        assert (3, Fraction(2, 3)) in below.rows

    def test_the_p_value_is_that_of_the_engine(self) -> None:
        X, y = pt.datasets.load_tennis()
        tree = pt.ID3Classifier().fit(X, y).tree_
        for step in steps_of(tree, X, y).in_order:
            if step.taken is not None:
                assert p_value(step.taken) == pytest.approx(p_values(tree, "chi_square")[step.node])
