"""Trees that growing has not made so: what a derivation says of them is true of tree and rows."""

from __future__ import annotations

from dataclasses import replace
from math import isnan
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import plaintree as pt
from plaintree.errors import PlaintreeError
from plaintree.stats.exact import total
from plaintree.teaching.derive.introduction import MISSING_VALUES
from plaintree.teaching.derive.solution import Derivation, derive
from plaintree.teaching.derive.steps import Step, Steps
from plaintree.tree.condition import STOPS, Condition, Multiway, Threshold
from plaintree.tree.conventions import C45, CART, ID3, Conventions
from plaintree.tree.tree import Tree
from tests.support.random_tables import (
    CLASS_CRITERIA,
    Case,
    cases,
    fine_print,
    from_a_seed,
    kinds_with,
    many,
    surrogate_print,
)
from tests.support.trees import XY_SCHEMA, build, random_rows, specs


def tennis(edit: Any = lambda tree: tree, model: Any = None, **options: Any) -> Derivation:
    X, y = pt.datasets.load_tennis()
    tree = (model or pt.ID3Classifier()).fit(X, y).tree_
    return derive(edit(tree), X, y, **options)


def lines(found: Derivation) -> list[str]:
    return found.to_text(width=300).splitlines()


class TestSentences:
    """Nodes of the tennis tree: 1 Outlook = Overcast, 2 Rain (Wind), 3 Sunny (Humidity)."""

    def test_a_grown_tree(self) -> None:
        found = tennis()
        assert found.agrees
        told = (
            "Every split of the tree is the one found here, and every leaf is where growing stops."
        )
        assert told in lines(found)

    def test_another_label_in_a_pure_leaf(self) -> None:
        found = tennis(lambda tree: tree.relabel(1, "No"))
        assert not found.agrees
        differs = "the label No differs from the majority class Yes (4 of 4)"
        assert f"- Outlook = Overcast: 4 rows, all Yes, a leaf: No; {differs}." in lines(found)
        assert f"- At Outlook = Overcast: T{differs[1:]}." in lines(found)
        assert "The tree was edited by hand after it was grown: relabel." in lines(found)
        assert not any("Every split of the tree" in line for line in lines(found))

    def test_another_label_where_growing_stops(self) -> None:
        found = tennis(lambda tree: tree.relabel(2, "No"), pt.ID3Classifier(max_depth=1))
        differs = "the label No differs from the majority class Yes (3 of 5)"
        reached = "the maximum depth, 1, is reached"
        told = f"- Outlook = Rain: 5 rows, No: 2, Yes: 3, a leaf: No; {reached}; {differs}."
        assert told in lines(found)

    def test_another_label_of_a_single_leaf(self) -> None:
        found = tennis(lambda tree: tree.cut(0).relabel(0, "No"), pt.ID3Classifier(max_depth=0))
        assert "the label No differs from the majority class Yes (9 of 14)" in found.to_text(
            width=300
        )

    def test_a_cut(self) -> None:
        found = tennis(lambda tree: tree.cut([2]))
        assert not found.agrees
        why = "although growing would continue with Wind"
        told = f"The tree has a leaf here, which predicts Yes, {why}."
        assert f"!! {told}" in lines(found)
        assert f"- At Outlook = Rain: {told}" in lines(found)
        assert not any("So this is a leaf" in line for line in lines(found))

    def test_a_graft_where_growing_stops(self) -> None:
        found = tennis(lambda tree: tree.graft(1, "Wind", labels=["No", "Yes"]))
        told = "Growing would stop here: all rows are of one class. The tree splits on Wind."
        assert f"!! {told} The derivation follows the tree." in lines(found)
        differs = "the label No differs from the majority class Yes (2 of 2)"
        assert f"- Wind = Strong: 2 rows, all Yes, a leaf: No; {differs}." in lines(found)
        told = "The tree has other counts here: No: 0, Yes: 0."
        assert f"- At Outlook = Overcast, Wind = Strong: {told}" in lines(found)

    def test_a_graft_below_the_greatest_depth(self) -> None:
        X, y = pt.datasets.load_tennis()
        model = pt.ID3Classifier(max_depth=1)
        found = tennis(lambda tree: tree.graft(2, "Wind").refit(X, y), model)
        told = "Growing would stop here: the maximum depth, 1, is reached. The tree splits on Wind"
        assert any(told in line for line in lines(found))
        assert not found.agrees

    def test_a_graft_on_another_attribute(self) -> None:
        X, y = pt.datasets.load_tennis()
        found = tennis(lambda tree: tree.cut(2).graft(2, "Temperature").refit(X, y))
        told = (
            "The tree splits on Temperature here, with a gain of 0.0200; the criterion prefers "
            "Wind, with 0.9710."
        )
        assert f"!! {told} The derivation follows the tree." in lines(found)
        assert "Temperature  0.9510  0.0200  in the tree" in lines(found)
        assert "Wind              0  0.9710  best" in lines(found)

    def test_a_split_that_scores_more_but_may_not_be_chosen(self) -> None:
        """With 5 rows in every branch, Outlook (4, 5 and 5 rows) does not qualify."""
        model = pt.ID3Classifier()
        found = tennis(
            lambda tree: replace(tree, conventions=replace(ID3, min_samples_leaf=5)), model
        )
        told = (
            "The tree splits on Outlook here, with a gain of 0.2467 (too few rows in a branch); "
            "the criterion prefers Humidity, with 0.1518."
        )
        assert f"- At the root: {told}" in lines(found)

    def test_a_threshold_under_another_name(self) -> None:
        X, y = pt.datasets.load_golf()
        tree = pt.CARTClassifier(max_depth=1).fit(X[["humidity"]], y).tree_
        written = replace(tree, threshold=np.where(tree.n_children > 0, 82.0, np.nan))
        found = derive(written, X[["humidity"]], y)
        assert found.agrees
        told = "The tree writes this split as humidity <= 82: each row goes the same way."
        assert told in lines(found)

    def test_the_penalty_is_taken_off_every_threshold(self) -> None:
        """A threshold of the tree is measured as those tried are: with C4.5's penalty."""
        X, y = pt.datasets.load_golf()
        grown = pt.C45Classifier(pruning=None, max_depth=0, average_gain=False).fit(X, y).tree_
        tree = grown.graft(0, "humidity <= 82").refit(X, y)
        tree = replace(tree, conventions=replace(C45, average_gain=False))
        step = derive(tree, X, y, max_rows=None).steps.by_node[0]
        assert step.taken is not None
        assert step.taken.penalty > 0

    def test_rows_of_another_table_with_the_same_classes(self) -> None:
        X, y = pt.datasets.load_tennis()
        tree = pt.ID3Classifier().fit(X, y).tree_
        found = derive(tree, X, y.reverse())
        assert not found.agrees
        told = "The tree has other counts here: No: 0, Yes: 4."
        assert f"- At Outlook = Overcast: {told}" in lines(found)

    def test_an_inner_node_that_no_row_reaches(self) -> None:
        X = {"a": ["p", "p", "q", "q"], "b": ["u", "v", "u", "v"]}
        tree = pt.ID3Classifier().fit(X, [0, 0, 0, 1]).tree_
        found = derive(tree, {"a": ["p"] * 4, "b": X["b"]}, [0, 0, 0, 1])
        assert "- a = q: no rows; the tree nevertheless splits on b." in lines(found)

    def test_no_row_has_the_value_that_the_tree_splits_on(self) -> None:
        X = {"a": ["p", "p", "q", "q"], "b": ["u", "v", "u", "v"]}
        tree = pt.ID3Classifier().fit(X, [0, 0, 1, 1]).tree_
        found = derive(tree, {"a": [None] * 4, "b": X["b"]}, [0, 0, 1, 1])
        assert not found.agrees
        told = "The tree splits on a here, although no row has a value; the criterion prefers b"
        assert any(told in line for line in lines(found))

    def test_no_branch_for_missing_values_where_growing_makes_one(self) -> None:
        X = {"a": ["p", "p", "q", None, None]}
        grown = pt.ID3Classifier(missing="branch").fit(X, [0, 0, 1, 1, 1]).tree_
        found = derive(grown.cut(0).graft(0, "a").refit(X, [0, 0, 1, 1, 1]), X, [0, 0, 1, 1, 1])
        assert not found.agrees
        told = "(rows with missing values are not routed by these conventions)"
        assert any(told in line for line in lines(found))

    def test_a_category_not_seen_in_training(self) -> None:
        X = {"a": ["p", "p", "q", "q"]}
        tree = pt.ID3Classifier().fit(X, [0, 0, 1, 1]).tree_
        with pytest.raises(PlaintreeError, match="a category not seen in training"):
            derive(tree, {"a": ["p", "p", "q", "new"]}, [0, 0, 1, 1])

    def test_a_relabelled_tree_of_a_model_that_prunes(self) -> None:
        X, y = pt.datasets.load_golf()
        model = pt.C45Classifier().fit(X, y)
        assert derive(model, X, y).agrees
        leaf = int(np.flatnonzero(model.tree_.n_children == 0)[0])
        other = next(c for c in model.classes_ if c != model.tree_.node(leaf).label)
        model.tree_ = model.tree_.relabel(leaf, other)
        found = derive(model, X, y)
        assert not found.agrees
        told = "1 leaf of the model's tree does not predict the majority class of its rows."
        assert f"!! {told}" in lines(found)


# ---------------------------------------------------------------- any tree


def naive_majority(counts: Any) -> int:
    return max(range(len(counts)), key=lambda code: (counts[code], -code))


def check_steps(steps: Steps) -> None:
    """What every derivation says of rows, classes, splits and leaves, against tree and rows."""
    tree, cases_ = steps.tree, steps.cases
    assert steps.by_node.keys() == set(range(tree.n_nodes))
    for step in steps.in_order:
        counts = [0] * len(tree.schema.classes)
        for row, weight in step.rows:
            counts[cases_.codes[row]] += weight
        assert step.counts == tuple(counts)
        assert step.label == tree.label[step.node]
        assert step.condition == tree.condition(step.node)
        check_children(steps, step)
        if step.leaf is not None:
            check_leaf(steps, step)
        else:
            check_split(step)


def check_children(steps: Steps, step: Step) -> None:
    """Rows are neither lost nor made on their way down, unless there is nowhere to go; where
    surrogates send them, some may stay."""
    first = int(steps.tree.first_child[step.node])
    children = [steps.by_node[first + b] for b in range(int(steps.tree.n_children[step.node]))]
    weight = total([total(child.counts) for child in children])
    if steps.tree.missing_child[step.node] == STOPS:
        assert float(weight) <= float(total(step.counts)) * (1 + 1e-9)
    elif children and weight:
        assert float(weight) == pytest.approx(float(total(step.counts)))


def check_leaf(steps: Steps, step: Step) -> None:
    assert step.leaf is not None
    present = sum(map(bool, step.counts))
    assert (step.leaf.reason == "empty") == (present == 0)
    assert (step.leaf.reason == "pure") == (present == 1)
    above = step
    while not any(above.counts) and above.node:
        above = steps.by_node[int(steps.tree.parent[above.node])]
    assert step.expected == naive_majority(above.counts)
    if float(above.counts[step.label]) < float(max(above.counts)) - 1e-6:
        assert "label" in step.differences
    if step.label == step.expected:
        assert "label" not in step.differences
    if step.leaf.reason in ("stopped", "insignificant", "folded"):
        assert step.choice is not None
        assert step.choice.winner is not None


def check_split(step: Step) -> None:
    rest = {"counts", "surrogates", "surrogate_tie"}
    if step.beyond is None:
        assert step.choice is not None
        winner = step.choice.winner
        assert winner is not None
        if step.taken is None:  # no row has a value
            assert step.verdict == "other"
            return
        score, best = (float(tried.measures.score) for tried in (step.taken, winner.best))
        if step.verdict == "tie":
            assert score == pytest.approx(best, abs=1e-6)
        if step.verdict == "same":
            assert step.taken.condition.feature == winner.feature
            assert set(step.differences) <= rest
        if step.verdict == "other" and score > best + 1e-6 and not step.objection:
            assert step.taken.by_gain  # of a column, the threshold of greatest gain is compared
    else:
        assert "beyond" in step.differences
    if not isnan(float(step.impurity)) and step.impurity == 0 and any(step.counts):
        assert step.beyond is not None
        assert step.beyond.reason == "pure"


def edited(tree: Tree, case: Case, random: Random) -> Tree:
    """The tree, changed by hand a few times."""
    for _ in range(random.randint(1, 3)):
        node = random.randrange(tree.n_nodes)
        edits = ["refit"] if tree.n_children[node] == 0 else ["cut"]
        edits += ["relabel", "graft"] if tree.n_children[node] == 0 else []
        match random.choice(edits):
            case "cut":
                tree = tree.cut(node)
            case "relabel":
                tree = tree.relabel(node, random.choice(tree.schema.classes))
            case "graft":
                tree = tree.graft(node, _condition(tree, random))
            case "refit":
                tree = tree.refit(table_of(case), case.y, case.weights)
    return tree


def _condition(tree: Tree, random: Random) -> Condition:
    column = random.randrange(len(tree.schema.features))
    attribute = tree.schema.features[column]
    if attribute.is_categorical:
        return Multiway(column, len(attribute.categories))
    return Threshold(column, float(random.randint(-1, 5)))


def table_of(case: Case) -> dict[str, list[Any]]:
    names = case.schema.names
    return {
        name: [None if isnan(value) or (n and value < 0) else value for value in column]
        if not n
        else [None if value < 0 else int(value) for value in column]
        for name, (column, n) in zip(names, case.parts, strict=True)
    }


def same_tree(one: Tree, other: Tree) -> bool:
    """Whether two trees have the same splits, counts and labels."""
    names = ("first_child", "kind", "feature", "label")
    return one.n_nodes == other.n_nodes and all(
        np.array_equal(getattr(one, name), getattr(other, name)) for name in names
    )


@pytest.mark.slow
class TestAnyTree:
    @pytest.mark.parametrize("missing", MISSING_VALUES)
    @many(40)
    @given(data=st.data())
    def test_a_grown_tree_after_edits(self, data: st.DataObject, missing: Any) -> None:
        case = data.draw(cases("edits", gaps=missing != "error"))
        rules = Conventions(
            criterion=data.draw(st.sampled_from(CLASS_CRITERIA)),
            categorical=data.draw(st.sampled_from(kinds_with(missing))),
            missing=missing,
            **data.draw(surrogate_print(missing, "edits")),
            collapse=data.draw(st.booleans()),
            **data.draw(fine_print("edits") | st.just({})),
        )
        grown = case.grow(rules)
        tree = data.draw(from_a_seed(lambda random: edited(grown, case, random), "edits"))
        level = data.draw(st.sampled_from(["full", "table", "summary"]))
        found = derive(tree, table_of(case), case.y, case.weights, level=level)
        check_steps(found.steps)
        assert found.to_text()
        told = {kind for step in found.steps.in_order for kind in step.differences}
        if not told and not same_tree(tree, grown):  # rounding made a split that is none exactly
            assert not derive(grown, table_of(case), case.y, case.weights).agrees
        assert found.worksheet().to_text() is not None

    @many(60)
    @given(
        spec=specs(max_tests=8),
        seed=st.integers(0, 10**6),
        rules=st.sampled_from(
            [ID3, C45, CART, replace(CART, missing="branch"), replace(CART, missing="surrogate")]
        ),
        gaps=st.booleans(),
    )
    def test_a_tree_from_anywhere_on_random_rows(
        self, spec: Any, seed: int, rules: Conventions, gaps: bool
    ) -> None:
        columns = random_rows(XY_SCHEMA, 15, seed, gaps=gaps)
        X = {
            attribute.name: [
                None
                if attribute.is_missing(value)
                else attribute.categories[int(value)]
                if attribute.categories
                else value
                for value in column.tolist()
            ]
            for attribute, column in zip(XY_SCHEMA.features, columns, strict=True)
        }
        y = np.random.default_rng(seed).choice(["A", "B"], 15).tolist()
        tree = replace(build(XY_SCHEMA, spec), conventions=rules).refit(X, y)
        found = derive(tree, X, y)
        check_steps(found.steps)
        assert found.to_text()
        for step in found.steps.in_order:
            if not gaps:
                assert not step.counts_differ
                assert [float(c) for c in step.counts] == tree.class_weights[step.node].tolist()
