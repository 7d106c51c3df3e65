"""Candidate splits are those of fit, and those that worked solutions find exactly."""

from __future__ import annotations

from itertools import product
from math import isclose, isnan, nan
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plaintree as pt
from plaintree.errors import ArgumentTypeError, ColumnError, ParameterError, TreeError
from plaintree.growing import Candidates
from plaintree.growing.altered import Altered
from plaintree.growing.candidate_splits import _Probe
from plaintree.growing.given_tree import GivenTree
from plaintree.teaching.derive.cases import Cases
from plaintree.teaching.derive.choice import Choice, choose
from plaintree.teaching.derive.cuts import Gathered
from plaintree.teaching.derive.stops import used_below
from plaintree.teaching.derive.surrogates import grown_branches
from plaintree.teaching.derive.thresholds import cut_books
from plaintree.tree.conventions import CHOICES, Conventions
from plaintree.tree.tree import Tree
from tests.support.random_tables import (
    CLASS_CRITERIA,
    Case,
    cases,
    drawn_rules,
    kinds_with,
    many,
    random_case,
)
from tests.support.random_targets import target_cases

FEW = "too few rows in a branch"
SAME_REASON = {"a branch would have too few rows or a mean of 0": FEW}


def probe(tree: Tree, case: Case, node: int) -> _Probe:
    rows, rules = case.rows, tree.conventions
    assert rules is not None
    altered = Altered.of(tree.schema, rows.target, rows.weights, rules)
    return _Probe(GivenTree(tree, rows, rules, altered, {}, 1), node)


def candidates_at(tree: Tree, case: Case, node: int) -> Candidates:
    return probe(tree, case, node).candidates()


def close(a: float, b: float) -> bool:
    return a == b or isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) or (isnan(a) and isnan(b))


def assert_agree(tree: Tree, case: Case) -> None:
    """Every internal node has its own split at the top, and every leaf says why it is one.

    One leaf without rows stands for all, of which a split on many categories makes many.
    """
    reached, empty = np.flatnonzero(tree.n_rows > 0), np.flatnonzero(tree.n_rows == 0)
    for node in [*reached.tolist(), *empty[:1].tolist()]:
        found = candidates_at(tree, case, node)
        if not tree.n_children[node]:
            assert found.split is None
            assert found.stops is not None
            continue
        best = found.best
        assert best is not None
        assert best.rank == 1
        assert best.condition == tree.condition(node) == found.split
        assert found.chosen is best
        assert found.stops is None
        assert close(best.score, float(tree.score[node]))
        assert [item.rank for item in found].count(1) - 1 == int(tree.n_tied[node])
        assert_children(tree, node, best.branches, best.missing_branch)


def assert_children(tree: Tree, node: int, branches: Any, missing: int | None) -> None:
    first, n = int(tree.first_child[node]), int(tree.n_children[node])
    assert len(branches) == n
    assert [branch.n_rows for branch in branches] == tree.n_rows[first : first + n].tolist()
    weights = tree.weight[first : first + n].tolist()
    assert all(map(close, [branch.weight for branch in branches], weights))
    if tree.schema.classes:
        own = [list(branch.class_weights) for branch in branches]
        assert np.allclose(own, tree.class_weights[first : first + n], rtol=1e-12, atol=0)
    assert missing == (child if (child := int(tree.missing_child[node])) >= 0 else None)


@pytest.mark.parametrize(
    ("criterion", "missing"), list(product(CLASS_CRITERIA, CHOICES["missing"]))
)
@many(20)
@given(data=st.data())
def test_the_first_candidate_is_the_split_of_the_tree(
    data: st.DataObject, criterion: Any, missing: Any
) -> None:
    case = data.draw(cases(criterion, missing, gaps=missing != "error"))
    if Random(data.draw(st.integers(0, 2**32))).random() < 0.2:
        case = case.stretched(one_more_class=False)
    rules = drawn_rules(data, criterion, missing)
    assert_agree(case.grow(rules), case)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize("missing", ["most_common", "branch", "fractional", "surrogate"])
@many(12)
@given(data=st.data())
def test_the_first_candidate_of_numbers(data: st.DataObject, criterion: Any, missing: Any) -> None:
    case = data.draw(target_cases(criterion, missing))
    kinds = [k for k in kinds_with(missing) if k != "grouped" or criterion != "absolute_error"]
    categorical = data.draw(st.sampled_from(kinds))
    splitter = data.draw(st.sampled_from(["best", "best", "random"]))
    rules = Conventions(
        criterion=criterion, categorical=categorical, missing=missing, splitter=splitter
    )
    assert_agree(case.grow(rules), case)


@pytest.mark.parametrize(
    ("criterion", "missing"),
    list(product([*CLASS_CRITERIA, "squared_error"], ["most_common", "branch", "fractional"])),
)
@many(15)
@given(data=st.data())
def test_candidates_are_those_of_worked_solutions(
    data: st.DataObject, criterion: Any, missing: Any
) -> None:
    draw = target_cases if criterion == "squared_error" else cases
    case = data.draw(draw(criterion, missing))
    rules = (
        Conventions(criterion=criterion, categorical="subset", missing=missing)
        if criterion == "squared_error"
        else drawn_rules(data, criterion, missing)
    )
    tree = case.grow(rules)
    reference = Cases.of(tree.schema, case.rows, rules)
    pending: list[tuple[int, Any, frozenset[int]]] = [(0, reference.everyone, frozenset())]
    while pending:
        node, rows, used = pending.pop()
        if not rows or reference.sums.is_pure(reference.counts(rows)):
            continue
        found = candidates_at(tree, case, node)
        assert_same_offers(found, choose(reference, rows, used), tree.schema.names)
        condition = tree.condition(node)
        if condition is not None:
            parts = grown_branches(reference, rows, condition)
            below = used_below(used, condition)
            first = int(tree.first_child[node])
            pending += [(first + i, part, below) for i, part in enumerate(parts)]


FIXED: dict[str, tuple[Case, dict[str, Any]]] = {
    "a category with a quarter of a row, which is in no group": (
        Case([[0, 0, 1, 1, 2, 2, 3]], [4], [0, 0, 1, 1, 0, 1, 1], 2, [1.0] * 6 + [0.25]),
        {"criterion": "gain_ratio", "categorical": "grouped"},
    ),
    "the same where rows without a value are divided": (
        random_case(Random("21 gain_ratio fractional"), gaps=True),
        {"criterion": "gain_ratio", "categorical": "grouped", "missing": "fractional"},
    ),
    "three categories of one mixture, which no grouping separates": (
        Case([[0, 0, 1, 1, 2, 2]], [3], [0, 1] * 3, 2, None),
        {"criterion": "gini", "categorical": "grouped"},
    ),
    "one known value against missing ones, of less weight than two branches need": (
        Case([[5.0, nan, nan]], [0], [1, 1, 0], 2, [3.0, 4.0, 1.0]),
        {"missing": "branch", "min_samples_branch": 3},
    ),
    "two subsets of which each separates the classes": (
        Case([[0, 3, 2, 2, 1]], [4], [0, 2, 3, 1, 0], 4, [3.0, 1.0, 2.0, 4.0, 1.0]),
        {"criterion": "gain_ratio", "min_samples_branch": 3},
    ),
    "a subset that no category may be in": (
        Case([[0, 1, 2]], [3], [0, 1, 0], 2, None),
        {"categorical": "subset", "min_samples_leaf": 2},
    ),
}


@pytest.mark.parametrize("name", FIXED)
def test_candidates_are_those_of_worked_solutions_where(name: str) -> None:
    case, chosen = FIXED[name]
    rules = Conventions(**chosen)
    tree = case.grow(rules)
    reference = Cases.of(tree.schema, case.rows, rules)
    choice = choose(reference, reference.everyone, frozenset())
    assert_same_offers(candidates_at(tree, case, 0), choice, tree.schema.names)
    assert_agree(tree, case)


def assert_same_offers(found: Candidates, choice: Choice, names: tuple[str, ...]) -> None:
    """The same features, refusals, scores, conditions, ranks and margin."""
    assert {item.feature for item in found} == {names[offer.feature] for offer in choice.offers}
    for offer in choice.offers:
        item = found[names[offer.feature]]
        if item.condition is None and offer.refused == "the criterion has no value":
            continue  # as a threshold whose score has no value is not kept
        refused = SAME_REASON.get(offer.refused, offer.refused) or None
        assert SAME_REASON.get(item.refused, item.refused) == refused, item.feature
        assert (item.condition is None) == (offer.best is None)
        if item.condition is None or offer.best is None:
            continue
        if not isinstance(item.condition, pt.tree.Subset):  # sides of equal weight may be swapped
            assert item.condition == offer.best.condition
        assert close(item.score, float(offer.score))
        assert close(item.gain, float(offer.gain))
        assert close(item.penalty, float(offer.best.penalty))
    winner = found.best and found.best.feature
    assert winner == (choice.winner and names[choice.winner.feature])
    tied = {names[offer.feature] for offer in choice.tied}
    assert {item.feature for item in found if item.rank == 1} - {winner} == tied
    assert (found.margin is None) == (choice.margin is None)
    if found.margin is not None and choice.margin is not None:
        assert close(found.margin, float(choice.margin))
    if choice.average is not None:
        assert found.min_gain is not None
        assert close(found.min_gain, float(choice.average))


@pytest.mark.parametrize(
    ("criterion", "missing"),
    list(product([*CLASS_CRITERIA, "squared_error", "poisson"], ["most_common", "branch"])),
)
@many(15)
@given(data=st.data())
def test_thresholds_are_those_of_worked_solutions(
    data: st.DataObject, criterion: Any, missing: Any
) -> None:
    numeric = criterion in ("squared_error", "poisson")
    case = data.draw((target_cases if numeric else cases)(criterion, missing))
    rules = Conventions(criterion=criterion, categorical="subset", missing=missing)
    rules = rules if numeric else drawn_rules(data, criterion, missing)
    if rules.min_separation:
        return  # worked solutions leave out the thresholds between values that are too close
    tree = case.grow(rules).cut(0)
    reference = Cases.of(tree.schema, case.rows, rules)
    found = candidates_at(tree, case, 0)
    gathered = Gathered.of(reference, reference.everyone)
    columns = [i for i, n in enumerate(case.n_categories) if not n]
    if numeric and reference.sums.is_pure(reference.counts(reference.everyone)):
        return
    for column, book in cut_books(gathered, columns, None).items():
        cuts, listed = found.thresholds(tree.schema.names[column]), book.listed
        order = np.argsort(listed.thresholds, kind="stable").tolist()
        assert len(cuts) == len(order)
        assert cuts.allowed.sum() == book.n_allowed
        assert [listed.thresholds[i] for i in order] == cuts.values.tolist()
        assert [listed.allowed[i] for i in order] == cuts.allowed.tolist()


# -------------------------------------------------------------------- the public function


def test_a_model_with_class_weights_priors_and_costs() -> None:
    X, y = pt.datasets.load_golf()
    for options in (
        {"class_weight": {"no": 3}},
        {"priors": {"no": 0.8, "yes": 0.2}},
        {"costs": {("no", "yes"): 4, ("yes", "no"): 1}},
        {"feature_costs": {"outlook": 3.0}},
    ):
        model = pt.CARTClassifier(**options).fit(X, y)
        found = pt.candidates(model, X, y)
        assert found.best is not None
        assert found.best.condition == model.tree_.condition(0)
        assert close(found.best.score, model.tree_.root.score)
        assert np.allclose(found.class_weights, model.tree_.class_weights[0])
        children = [child.counts for child in model.tree_.root.children]
        assert [branch.class_weights for branch in found.best.branches] == [
            tuple(counts.values()) for counts in children
        ]


def test_features_that_are_not_tried() -> None:
    X, y = pt.datasets.load_golf()
    model = pt.CARTClassifier(forbid=["windy"], interaction_cst="no_interactions").fit(X, y)
    found = pt.candidates(model, X, y, model.tree_.root.children[1].index)
    assert found.untried["windy"] == "forbidden (forbid)"
    assert "interaction_cst" in found.untried["humidity"]
    id3 = pt.ID3Classifier().fit(X, y)
    below = pt.candidates(id3, X, y, node=2)
    assert below.untried == {"outlook": "used above, with a branch for each category"}
    with pytest.raises(ColumnError, match="'outlook' is not tried at node 2"):
        below["outlook"]


def test_a_feature_that_comes_first() -> None:
    X, y = pt.datasets.load_golf()
    model = pt.CARTClassifier(first=["windy"]).fit(X, y)
    found = pt.candidates(model, X, y)
    assert found.best is not None
    assert found.best.feature == "windy"
    assert found.best.condition == model.tree_.condition(0)
    assert found["outlook"].refused == "nodes of this depth split on 'windy' (first)"


def test_an_insignificant_split_stops_the_node() -> None:
    X, y = pt.datasets.load_golf()
    model = pt.ID3Classifier(significance=1e-6).fit(X, y)
    found = pt.candidates(model, X, y)
    assert found.split is None
    assert found.best is not None
    assert found.best.p_value is not None
    assert found.stops is not None
    assert "not significant" in found.stops


def test_why_a_node_is_not_split() -> None:
    X, y = pt.datasets.load_golf()
    deep = pt.ID3Classifier(max_depth=1).fit(X, y)
    assert pt.candidates(deep, X, y, 2).stops == "the depth limit, 1, is reached"
    large = pt.ID3Classifier(min_samples_split=6).fit(X, y)
    assert pt.candidates(large, X, y, 2).stops == "too few rows to be split"
    assert pt.candidates(large, X, y, 1).stops == "all rows are of one class"
    same = pt.CARTRegressor().fit(X, np.ones(14))
    found = pt.candidates(same, X, np.ones(14))
    assert found.stops == "all targets are equal"
    assert {item.refused for item in found} == {"all targets are equal"}


def test_a_node_without_rows() -> None:
    X, y = pt.datasets.load_golf()
    tree = pt.ID3Classifier(max_depth=0).fit(X, y).tree_
    found = pt.candidates(tree.graft(0, "humidity <= 1"), X, y, node=1)
    assert (len(found), found.n_rows, found.stops) == (0, 0, "no row reaches the node")
    assert "0 rows" in str(found)


def test_a_loaded_model_and_features_that_no_node_uses(tmp_path: Any) -> None:
    X, y = pt.datasets.load_golf()
    model = pt.CARTClassifier(max_depth=1).fit(X, y)
    pt.save(model, tmp_path / "golf.model")
    again = pt.load(tmp_path / "golf.model")
    assert str(pt.candidates(again, X, y, 2)) == str(pt.candidates(model, X, y, 2))


def test_the_table_of_candidates() -> None:
    X, y = pt.datasets.load_golf()
    found = pt.candidates(pt.C45Classifier().fit(X, y), X, y)
    frame = found.to_frame()
    assert frame["feature"].to_list() == [item.feature for item in found]
    assert frame["rank"].to_list() == [1, None, None, None]
    assert max(map(len, str(found).splitlines())) <= 80
    assert found.min_gain is not None
    assert found["temperature"].penalty > 0


def test_thresholds_have_the_best_of_the_candidate() -> None:
    X, y = pt.datasets.load_golf()
    for learner in (pt.C45Classifier(), pt.CARTClassifier(min_samples_leaf=3)):
        found = pt.candidates(learner.fit(X, y), X, y)
        for feature in ("humidity", "temperature"):
            cuts = found.thresholds(feature)
            assert cuts.best is not None
            assert cuts.allowed[cuts.best]
            item = found[feature]
            assert isinstance(item.condition, pt.tree.Threshold)
            assert cuts.values[cuts.best] == item.condition.threshold
            assert close(cuts.gains[cuts.best], item.gain + item.penalty)
            assert cuts.below[cuts.best].tolist() == list(item.branches[0].class_weights)
            assert cuts.to_frame().height == len(cuts)
    assert FEW in cuts.refused


def test_thresholds_of_what_has_none() -> None:
    X, y = pt.datasets.load_golf()
    found = pt.candidates(pt.C45Classifier().fit(X, y), X, y)
    with pytest.raises(ParameterError, match="a categorical feature has no thresholds"):
        found.thresholds("outlook")
    with pytest.raises(ColumnError, match="no such feature"):
        found.thresholds("humidty")


def test_errors() -> None:
    X, y = pt.datasets.load_golf()
    model = pt.ID3Classifier().fit(X, y)
    with pytest.raises(TreeError, match="there is no such node"):
        pt.candidates(model, X, y, node=99)
    with pytest.raises(ParameterError, match="node must be the number of a node"):
        pt.candidates(model, X, y, node=True)
    with pytest.raises(ArgumentTypeError, match="predicts by rules"):
        pt.candidates(pt.C45RulesClassifier().fit(X, y), X, y)
    bare = pt.tree.build_tree(model.schema_, [pt.tree.NodeDescription(class_weights=(5, 9))])
    with pytest.raises(TreeError, match="no conventions to grow by"):
        pt.candidates(bare, X, y)
