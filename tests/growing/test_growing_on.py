"""Growing on from a part of a tree gives the tree of fit; kept splits stay."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plaintree as pt
from plaintree.errors import ArgumentTypeError, TreeError
from plaintree.growing.given_tree import GivenTree
from plaintree.growing.growing_on import _grown, _leaves
from plaintree.tree.conventions import CHOICES, Conventions
from plaintree.tree.tree import Tree
from tests.oracle.engine_check import check_tree
from tests.support.random_tables import (
    CLASS_CRITERIA,
    Case,
    cases,
    drawn_rules,
    kinds_with,
    many,
)
from tests.support.random_targets import target_cases


def given_tree(tree: Tree, case: Case, **chance: int) -> GivenTree:
    """The tree with the rows of a case, as encoded by its schema."""
    from plaintree.growing.altered import Altered

    rows, rules = case.rows, tree.conventions
    assert rules is not None
    altered = Altered.of(tree.schema, rows.target, rows.weights, rules)
    return GivenTree(tree, rows, rules, altered, dict(chance), 1)


def grown_on(tree: Tree, case: Case, nodes: Any = None, **chance: int) -> Tree:
    given = given_tree(tree, case, **chance)
    return _grown(given, _leaves(tree, nodes), nodes is None, {})


def assert_same(tree: Tree, other: Tree) -> None:
    assert tree.difference(other) is None
    assert tree.content_hash() == other.content_hash()
    assert tree.n_tied.tolist() == other.n_tied.tolist()


def cut_at_random(tree: Tree, random: Random) -> Tree:
    inner = np.flatnonzero(tree.n_children).tolist()
    return tree.cut(random.sample(inner, random.randint(1, len(inner)))) if inner else tree


@pytest.mark.parametrize(
    ("criterion", "missing"), list(product(CLASS_CRITERIA, CHOICES["missing"]))
)
@many(25)
@given(data=st.data())
def test_cut_trees_grow_to_what_they_were(
    data: st.DataObject, criterion: Any, missing: Any
) -> None:
    case = data.draw(cases(criterion, missing, gaps=missing != "error"))
    random = Random(data.draw(st.integers(0, 2**32)))
    if random.random() < 0.3:
        case = case.stretched(one_more_class=False)
    rules = drawn_rules(data, criterion, missing, collapse=data.draw(st.booleans()))
    chance = {"columns_per_node": 1, "seed": 7} if random.random() < 0.3 else {}
    tree = case.grow(rules, **chance)
    assert_same(grown_on(cut_at_random(tree, random), case, **chance), tree)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
@pytest.mark.parametrize("missing", ["most_common", "branch", "fractional", "surrogate"])
@many(12)
@given(data=st.data())
def test_cut_trees_of_numbers_grow_to_what_they_were(
    data: st.DataObject, criterion: Any, missing: Any
) -> None:
    case = data.draw(target_cases(criterion, missing))
    random = Random(data.draw(st.integers(0, 2**32)))
    kinds = [k for k in kinds_with(missing) if k != "grouped" or criterion != "absolute_error"]
    categorical = data.draw(st.sampled_from(kinds))
    splitter = random.choice(["best", "random"]) if categorical == "subset" else "best"
    rules = Conventions(
        criterion=criterion, categorical=categorical, missing=missing, splitter=splitter
    )
    chance = {"seed": 3} if splitter == "random" else {}
    tree = case.grow(rules, **chance)
    cut = cut_at_random(tree, random)
    counted = grown_on(cut, case, [], **chance)
    assert counted.difference(cut) is None
    assert counted.impurity.tolist() == cut.impurity.tolist()
    assert_same(grown_on(cut, case, **chance), tree)


@pytest.mark.parametrize(
    ("criterion", "missing"), list(product(CLASS_CRITERIA, CHOICES["missing"]))
)
@many(25)
@given(data=st.data())
def test_splits_by_hand_are_those_of_the_learner_if_they_are_the_same(
    data: st.DataObject, criterion: Any, missing: Any
) -> None:
    case = data.draw(cases(criterion, missing, gaps=missing != "error"))
    rules = drawn_rules(data, criterion, missing, collapse=data.draw(st.booleans()))
    tree = case.grow(rules)
    condition = tree.condition(0)
    if condition is None or (missing == "surrogate" and tree.kind[0] == 5):
        return
    root = grown_on(tree.cut(0), case, nodes=[])
    branch = int(tree.missing_child[0])
    by_hand = root.graft(
        0, condition, missing=None if branch < 0 else branch % condition.n_branches
    )
    if branch == condition.n_branches:
        by_hand = root.graft(0, condition)
    assert_same(grown_on(by_hand, case), tree)


@pytest.mark.parametrize("missing", CHOICES["missing"])
@pytest.mark.parametrize("criterion", ["gini", "gain_ratio"])
@many(30)
@given(data=st.data())
def test_leaves_below_other_splits_grow_as_the_oracle_grows_them(
    data: st.DataObject, criterion: Any, missing: Any
) -> None:
    case = data.draw(cases(criterion, missing, gaps=missing != "error"))
    rules = drawn_rules(data, criterion, missing, collapse=data.draw(st.booleans()))
    random = Random(data.draw(st.integers(0, 2**32)))
    root = grown_on(case.grow(rules).cut(0), case, nodes=[])
    numeric = [i for i, n in enumerate(case.n_categories) if not n]
    values = {i: sorted({v for v in case.columns[i] if np.isfinite(v)}) for i in numeric}
    offered = [(i, v[len(v) // 2 - 1]) for i, v in values.items() if len(v) > 1]
    if not offered or rules.collapse:
        return
    column, threshold = random.choice(offered)
    present = case.weights is None or all(w > 0 for w in case.weights)
    if not present:
        return
    by_hand = root.graft(0, pt.tree.Threshold(column, threshold))
    grown = grown_on(by_hand, case)
    assert grown.condition(0) == by_hand.condition(0)
    check_tree(case.naive, rules, grown, exact=case.is_exact(rules), given={0})


# -------------------------------------------------------------------- the public function


@pytest.mark.parametrize(
    "learner",
    [
        pt.ID3Classifier(),
        pt.C45Classifier(pruning=None),
        pt.CARTClassifier(),
        pt.CARTClassifier(class_weight="balanced"),
        pt.CARTClassifier(priors={"no": 0.5, "yes": 0.5}),
        pt.CARTClassifier(first=["windy", "outlook"]),
        pt.CARTClassifier(monotonic_cst={"humidity": -1}, categorical="subset"),
        pt.DecisionTreeClassifier(max_features=1, random_state=4),
        pt.DecisionTreeClassifier(splitter="random", random_state=4),
    ],
    ids=str,
)
def test_models_grow_to_what_they_were(learner: Any) -> None:
    X, y = pt.datasets.load_golf()
    model = learner.fit(X, y)
    for node in np.flatnonzero(model.tree_.n_children).tolist():
        part = pt.prune(model, "cut", nodes=node)
        grown = pt.grow_on(part, X, y)
        assert type(grown) is type(model)
        assert_same(grown.tree_, model.tree_)
        assert grown.predict(X).tolist() == model.predict(X).tolist()
        assert part.tree_.n_children[node] == 0


def test_some_leaves_to_some_depth() -> None:
    X, y = pt.datasets.load_golf()
    tree = pt.CARTClassifier().fit(X, y).tree_
    part = tree.cut(2)
    grown = pt.grow_on(part, X, y, nodes=2, max_depth=2)
    assert grown.depth == 2
    assert grown.difference(pt.prune(tree, "limits", max_depth=2)) is None
    assert pt.grow_on(part, X, y, nodes=1).difference(part) is None
    assert pt.grow_on(part, X, y, nodes=[0]).difference(tree) is None
    assert grown.edits[-1]["edit"] == "grow_on"
    assert (grown.edits[-1]["nodes"], grown.edits[-1]["max_depth"]) == ([2], 2)
    assert grown.edits[-1]["after"] == grown.content_hash()


def test_labels_by_hand_stay() -> None:
    X, y = pt.datasets.load_golf()
    part = pt.ID3Classifier().fit(X, y).tree_.cut(2).relabel(1, "no")
    grown = pt.grow_on(part, X, y, nodes=2)
    assert grown.node(1).label == "no"
    assert grown.n_nodes > part.n_nodes


def test_splits_by_hand_stay_and_are_counted() -> None:
    X, y = pt.datasets.load_golf()
    root = pt.C45Classifier(pruning=None).fit(X, y).tree_.cut(0)
    by_hand = root.graft(0, "windy = False").graft(1, "humidity <= 1")
    grown = pt.grow_on(by_hand, X, y)
    assert grown.condition(0) == by_hand.condition(0)
    assert grown.condition(1) == by_hand.condition(1)
    assert grown.n_rows[:5].tolist() == [14, 8, 6, 0, 8]
    assert grown.node(3).is_leaf
    assert not np.isnan(grown.score[0])


def test_leaves_of_splits_by_hand_have_the_spread_of_their_rows() -> None:
    X, y = pt.datasets.load_houses()
    root = pt.CARTRegressor(max_depth=0).fit(X, y).tree_
    by_hand = root.graft(0, pt.candidates(root, X, y)[0].condition)
    counted = pt.grow_on(by_hand, X, y, nodes=[])
    assert counted.impurity.tolist() == pytest.approx(by_hand.refit(X, y).impurity.tolist())
    assert (counted.impurity > 0).all()


def test_a_split_below_a_branch_without_rows_stays() -> None:
    X, y = pt.datasets.load_golf()
    root = pt.CARTClassifier().fit(X, y).tree_.cut(0)
    by_hand = root.graft(0, "humidity <= 1").graft(1, "windy = False").graft(3, "outlook = rain")
    grown = pt.grow_on(by_hand, X, y)
    below = [grown.node(1).feature, grown.root.children[0].children[0].feature]
    assert below == ["windy", "outlook"]
    assert grown.root.children[0].n_rows == 0
    assert grown.root.children[0].label == "yes"


def test_missing_values_follow_the_branch_that_was_chosen() -> None:
    X = {"a": [1.0, 2.0, 3.0, None, None, 6.0], "b": [1, 2, 3, 4, 5, 6]}
    y = ["n", "n", "y", "y", "n", "y"]
    for learner in (pt.CARTClassifier(), pt.C45Classifier(pruning=None)):
        root = learner.fit(X, y).tree_.cut(0)
        for branch, n_rows in ((0, [4, 2]), (1, [2, 4])):
            grown = pt.grow_on(root.graft(0, "a <= 2", missing=branch), X, y)
            assert grown.missing_child[0] == branch
            assert grown.n_rows[1:3].tolist() == n_rows


def test_max_leaf_nodes_counts_the_splits_that_stay() -> None:
    X, y = pt.datasets.load_golf()
    tree = pt.DecisionTreeClassifier(max_leaf_nodes=4).fit(X, y).tree_
    by_hand = tree.cut(0).graft(0, "windy = False")
    grown = pt.grow_on(by_hand, X, y)
    assert grown.condition(0) == by_hand.condition(0)
    assert grown.n_leaves == 4


def test_thresholds_within_bins_are_refused() -> None:
    X, y = [[float(i)] for i in range(40)], ["a"] * 20 + ["b"] * 20
    root = pt.CARTClassifier(max_bins=4).fit(X, y).tree_.cut(0)
    with pytest.raises(TreeError, match="cannot be kept with these rows"):
        pt.grow_on(root.graft(0, "x0 <= 3.5"), X, y)


def test_errors() -> None:
    X, y = pt.datasets.load_golf()
    model = pt.RandomForestClassifier(n_estimators=2).fit(X, y)
    with pytest.raises(ArgumentTypeError, match="no single tree"):
        pt.grow_on(model, X, y)
    with pytest.raises(TreeError, match="there is no such node"):
        pt.grow_on(pt.ID3Classifier().fit(X, y), X, y, nodes=99)
