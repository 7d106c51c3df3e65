"""pt.prune: cutting and merging, limits, the dispatcher, and what it refuses."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import plaintree as pt
from plaintree import (
    C45Classifier,
    CARTClassifier,
    DecisionTreeClassifier,
    ID3Classifier,
    MemorizingTreeClassifier,
    datasets,
)
from plaintree.data.schema import Feature, Schema
from plaintree.errors import ArgumentTypeError, ParameterError, TreeError
from plaintree.interop.model_file.reading import from_bytes, to_bytes
from plaintree.pruning.cross_validation import regrow_by
from plaintree.pruning.methods import METHODS, pruned
from plaintree.pruning.names import METHOD_NAMES
from plaintree.tree.cut import cut, cut_nodes, merge_leaves
from plaintree.tree.predict import class_codes
from plaintree.tree.significance import p_values
from plaintree.tree.tree import Tree
from plaintree.tree.walk import rows_from
from tests.support.pruned import pruned_tree
from tests.support.trees import XY_SCHEMA, build, chain_spec, random_rows, route, specs, tennis

trees = specs().map(lambda spec: build(XY_SCHEMA, spec))
LEARNERS = (
    ID3Classifier(),
    C45Classifier(pruning=None),
    CARTClassifier(),
    CARTClassifier(categorical="one_vs_rest"),
    DecisionTreeClassifier(categorical="grouped", missing="fractional"),
    MemorizingTreeClassifier(random_state=0),
)


def mixed_table(n: int, seed: int, *, gaps: bool = False) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers, categories and noise, the class depending on both, a little."""
    random = np.random.default_rng(seed)
    x, color = random.random(n), random.choice(["red", "green", "blue"], n)
    y = np.where((x > 0.5) ^ (color == "red") ^ (random.random(n) < 0.2), "yes", "no")
    X = pd.DataFrame({"x": x, "color": color, "noise": random.integers(0, 9, n)})
    if gaps:
        X.loc[random.random(n) < 0.2, "x"] = np.nan
        X.loc[random.random(n) < 0.2, "color"] = None
    return X, y


class TestCut:
    def test_a_node_becomes_a_leaf_with_its_majority(self) -> None:
        tree = tennis()
        pruned = cut(tree, 2)
        leaf = pruned.node(2)
        assert (leaf.is_leaf, leaf.label, leaf.counts) == (True, "Yes", {"No": 2, "Yes": 3})
        assert pruned.size == tree.size - 1

    def test_the_tree_itself_is_not_changed(self) -> None:
        tree = tennis()
        before = tree.content_hash()
        cut(tree, 0)
        assert tree.content_hash() == before

    def test_at_the_root_one_leaf_is_left(self) -> None:
        assert cut(tennis(), 0).n_nodes == 1

    def test_a_leaf_stays_what_it_is(self) -> None:
        tree = tennis()
        assert tree.difference(cut(tree, 1)) is None

    def test_levels_of_dropped_nodes_are_dropped(self) -> None:
        spec = (
            "x <=",
            1,
            ("color in", ["red", "blue"], [1, 0], [0, 1]),
            ("color =", "grey", [2, 0], [0, 2]),
        )
        pruned = cut(build(XY_SCHEMA, spec), 1)
        assert pruned.levels.tolist() == [3]
        assert pruned.validate().root.children[1].condition.category == 3

    def test_there_is_no_such_node(self) -> None:
        with pytest.raises(TreeError, match=r"no such node. Got 99"):
            cut(tennis(), 99)

    def test_a_tree_of_any_depth(self) -> None:
        deep = build(XY_SCHEMA, chain_spec(20_000))
        assert cut(deep, deep.n_nodes // 2).validate().depth < deep.depth

    @given(trees, st.data())
    def test_rows_end_at_the_cut_node_or_where_they_did(self, tree: Tree, data: Any) -> None:
        marks = data.draw(st.lists(st.booleans(), min_size=tree.n_nodes, max_size=tree.n_nodes))
        pruned = cut_nodes(tree, np.array(marks)).validate()
        columns = random_rows(XY_SCHEMA, 40, seed=1)
        for before, after in zip(route(tree, columns), route(pruned, columns), strict=True):
            path = [int(before)]
            while path[0]:
                path.insert(0, int(tree.parent[path[0]]))
            answering = next((node for node in path if marks[node]), before)
            expected = tree.class_weights[answering].tolist()
            assert pruned.class_weights[after].tolist() == expected


class TestMergeLeaves:
    def test_siblings_of_one_class_become_their_parent(self) -> None:
        spec = ("x <=", 1, ("y <=", 2, [3, 1], [2, 0]), ("y <=", 5, [0, 2], [2, 0]))
        merged = merge_leaves(build(XY_SCHEMA, spec))
        assert merged.n_leaves == 3
        assert merged.node(1).counts == {"A": 5, "B": 1}

    def test_merging_goes_on_upwards(self) -> None:
        spec = ("x <=", 1, ("y <=", 2, [3, 1], ("y <=", 3, [2, 0], [1, 0])), [4, 0])
        assert merge_leaves(build(XY_SCHEMA, spec)).n_nodes == 1

    @given(trees)
    def test_answers_stay(self, tree: Tree) -> None:
        merged = merge_leaves(tree).validate()
        columns = random_rows(XY_SCHEMA, 40, seed=2)
        before, after = tree.label[route(tree, columns)], merged.label[route(merged, columns)]
        assert before.tolist() == after.tolist()

    @given(trees)
    def test_nothing_is_left_to_merge(self, tree: Tree) -> None:
        merged = merge_leaves(tree)
        for node in merged.walk():
            answers = {child.label if child.is_leaf else None for child in node.children}
            assert node.is_leaf or len(answers) > 1 or None in answers

    def test_as_an_option_of_every_method(self) -> None:
        X, y = datasets.load_or_and()
        tree = pruned_tree(ID3Classifier().fit(X, y), "limits", max_depth=2, merge_leaves=True)
        assert tree.difference(merge_leaves(tree)) is None


class TestLimits:
    """What growing under a limit would not have grown."""

    @pytest.mark.parametrize(
        "limit",
        [{"max_depth": 0}, {"max_depth": 2}, {"min_samples_split": 12}, {"significance": 0.05}],
    )
    @pytest.mark.parametrize("learner", [ID3Classifier(), CARTClassifier()])
    def test_the_same_tree_as_growing_under_the_limit(self, learner: Any, limit: Any) -> None:
        X, y = mixed_table(200, seed=3)
        full = learner.set_params(**dict.fromkeys(limit)) if "max_depth" in limit else learner
        pruned = pruned_tree(full.fit(X, y), "limits", **limit)
        grown = type(learner)(**limit).fit(X, y).tree_
        assert pruned.difference(grown) is None

    def test_a_least_score(self) -> None:
        X, y = mixed_table(200, seed=3)
        pruned = pruned_tree(ID3Classifier().fit(X, y), "limits", min_score=0.1)
        assert pruned.difference(ID3Classifier(min_score=0.1).fit(X, y).tree_) is None

    def test_branches_need_rows(self) -> None:
        spec = ("x <=", 1, [9, 0], ("y <=", 2, [0, 5], ("y <=", 3, [1, 0], [0, 7])))
        pruned = pruned_tree(build(XY_SCHEMA, spec), "limits", min_samples_leaf=2)
        assert pruned.n_leaves == 3
        assert pruned_tree(build(XY_SCHEMA, spec), "limits", min_samples_leaf=0.3).n_leaves == 2

    def test_c45_is_content_with_two_branches_of_rows(self) -> None:
        X = pd.DataFrame({"color": ["red"] * 5 + ["blue"] * 5 + ["grey"]})
        y = ["a"] * 5 + ["b"] * 5 + ["c"]
        tree = C45Classifier(pruning=None).fit(X, y).tree_
        assert pruned_tree(tree, "limits", min_samples_branch=5).size == 1
        assert pruned_tree(tree, "limits", min_samples_branch=6).size == 0
        assert pruned_tree(tree, "limits", min_samples_leaf=5).size == 0

    def test_the_branch_of_missing_values_may_be_small(self) -> None:
        spec = ("x <=", 1, [5, 0], [0, 5], [1, 0])
        for limit in ("min_samples_leaf", "min_samples_branch"):
            assert pruned_tree(build(XY_SCHEMA, spec), "limits", **{limit: 5}).size == 1

    @pytest.mark.parametrize("missing", ["most_common", "fractional"])
    def test_rows_count_as_in_growing(self, missing: Any) -> None:
        X, y = mixed_table(200, seed=3)
        weights = np.random.default_rng(0).choice([0.25, 1, 3], 200)
        full = CARTClassifier(missing=missing).fit(X, y, weights)
        grown = CARTClassifier(missing=missing, min_samples_split=20).fit(X, y, weights)
        pruned = pruned_tree(full, "limits", min_samples_split=20)
        assert pruned.difference(grown.tree_) is None

    def test_p_values(self) -> None:
        """Humidity and wind divide five rows without error, but with so few Yates takes half a
        row off each difference: 5 x (0.7 / 1.2)^2 = 1.70 instead of 5.
        """
        p = p_values(tennis(), "chi_square")
        assert p[[2, 3]] == pytest.approx(0.1921, abs=1e-4)

    def test_at_least_one_limit(self) -> None:
        with pytest.raises(ParameterError, match=r"no limit is given. Hint: give max_depth"):
            pruned_tree(tennis(), "limits")

    @pytest.mark.parametrize(
        ("limit", "message"),
        [
            ({"max_depth": -1}, r"max_depth is out of range. Got max_depth=-1"),
            ({"significance": 1.5}, r"significance is out of range.*from 0 to 1"),
            ({"min_samples_split": "3"}, r"min_samples_split must be an int.*'3'"),
        ],
    )
    def test_limits_out_of_range(self, limit: Any, message: str) -> None:
        with pytest.raises(ParameterError, match=message):
            pruned_tree(tennis(), "limits", **limit)

    def test_a_tree_without_scores(self) -> None:
        X, y = datasets.load_xor()
        tree = MemorizingTreeClassifier(random_state=0).fit(X, y).tree_
        with pytest.raises(TreeError, match=r"min_score needs the scores of the splits"):
            pruned_tree(tree, "limits", min_score=0.1)


def spam_filter() -> Tree:
    """The course's tree of ten e-mails."""
    words = tuple(Feature(f"x{i}", "categorical", "text", ("F", "T")) for i in range(1, 6))
    x4 = ("x4", {"F": [0, 1], "T": [1, 0]})
    x1 = {"F": ("x2", {"F": [2, 0], "T": [0, 3]}), "T": ("x3", {"F": x4, "T": [3, 0]})}
    return build(Schema(words, ("legitimate", "spam")), ("x1", x1))


class TestCourseExamples:
    def test_spam_subtrees_reached_by_fewer_than_3_emails(self) -> None:
        """The subtree at x4 becomes a leaf; the one at x2, of five e-mails, stays."""
        pruned = pruned_tree(spam_filter(), "limits", min_samples_split=3)
        tested = [node.feature for node in pruned.walk() if not node.is_leaf]
        assert tested == ["x1", "x2", "x3"]

    def test_its_class_is_drawn_at_random_from_one_email_of_each(self) -> None:
        drawn = [label_in_place_of_x4(ties="random", random_state=seed) for seed in range(20)]
        assert set(drawn) == {"legitimate", "spam"}
        assert drawn == [label_in_place_of_x4(ties="random", random_state=i) for i in range(20)]

    def test_or_by_the_order_of_classes(self) -> None:
        assert label_in_place_of_x4() == "legitimate"

    def test_one_wrong_label_makes_the_tree_overfit(self) -> None:
        """Sunny, hot, normal humidity, strong wind: no tennis (Mitchell). The humidity that was
        enough on sunny days is not any more."""
        X, y, tree = noisy_tennis()
        clean = ID3Classifier("gain_ratio").fit(X, y).tree_
        assert (clean.size, tree.size) == (3, 4)
        normal = tree.root.children[2].children[1]
        assert (normal.feature, normal.counts) == ("Temperature", {"No": 1, "Yes": 2})

    @pytest.mark.parametrize(
        "options",
        [
            {"method": "reduced_error", "order": "bottom_up"},
            {"method": "reduced_error", "order": "greedy"},
            {"method": "limits", "min_samples_split": 4},
        ],
    )
    def test_pruning_repairs_it(self, options: Any) -> None:
        """The tree of the 14 right days comes back."""
        X, y, tree = noisy_tennis()
        rows = {"X": X, "y": y} if options["method"] == "reduced_error" else {}
        pruned = pruned_tree(tree, **rows, **options)
        clean = ID3Classifier("gain_ratio").fit(X, y).tree_
        assert [n.feature for n in pruned.walk()] == [n.feature for n in clean.walk()]
        assert [n.label for n in pruned.walk()] == [n.label for n in clean.walk()]


def label_in_place_of_x4(**options: Any) -> Any:
    pruned = pruned_tree(spam_filter(), "limits", min_samples_split=3, **options)
    return pruned.root.children[1].children[0].label


def noisy_tennis() -> tuple[pd.DataFrame, np.ndarray, Tree]:
    """The 14 days, and the tree of these and one more, wrongly labelled.

    By gain ratio, which still tests humidity on sunny days; by information gain, ID3 turns to
    temperature there.
    """
    days, y = datasets.load_tennis()
    names = ("Outlook", "Temperature", "Humidity", "Wind")
    X = pd.DataFrame({name: list(days[name]) for name in names})
    wrong = pd.DataFrame([("Sunny", "Hot", "Normal", "Strong")], columns=list(names))
    tree = ID3Classifier("gain_ratio").fit(pd.concat([X, wrong]), [*y, "No"]).tree_
    return X, np.array(list(y)), tree


SMALL_OPTIONS = MappingProxyType(
    {
        "limits": {"min_samples_split": 9},
        "cost_complexity": {"alpha": 0.01},
        "cut": {"nodes": 0},
    }
)


def options_for(method: str, X: Any, y: Any) -> dict[str, Any]:
    """Arguments with which a method works on any tree."""
    rows = {"X": X, "y": y} if method in ("reduced_error", "error_based") else {}
    return rows | SMALL_OPTIONS.get(method, {})


def test_the_names_are_those_of_the_methods() -> None:
    assert tuple(METHODS) == METHOD_NAMES


class TestEveryMethodOnEveryTree:
    @pytest.mark.parametrize("gaps", [False, True])
    @pytest.mark.parametrize("learner", LEARNERS, ids=repr)
    @pytest.mark.parametrize("method", METHODS)
    def test_the_result_is_a_tree(self, method: str, learner: Any, gaps: bool) -> None:
        X, y = mixed_table(120, seed=4, gaps=gaps)
        model = learner.fit(X, y)
        X_new, y_new = (X, y) if method == "error_based" else mixed_table(60, seed=5, gaps=gaps)
        for merge in (False, True):
            options = options_for(method, X_new, y_new)
            pruned = pruned_tree(model, method, **options, merge_leaves=merge).validate()
            assert pruned.n_nodes <= model.tree_.n_nodes
            assert pruned.schema is model.tree_.schema
            assert pruned.conventions == model.tree_.conventions

    @pytest.mark.parametrize("learner", LEARNERS, ids=repr)
    @pytest.mark.parametrize("method", METHODS)
    def test_leaves_answer_their_majority(self, method: str, learner: Any) -> None:
        X, y = mixed_table(120, seed=6)
        model = learner.fit(X, y)
        pruned = pruned_tree(model, method, **options_for(method, X, y))
        for node in pruned.walk():
            if node.is_leaf and node.weight:
                assert node.counts[node.label] == max(node.counts.values())

    def test_shares_as_weights_mean_the_same_as_in_growing(self) -> None:
        X, y = mixed_table(200, seed=1, gaps=True)
        shares = np.random.default_rng(0).random(200) / 100
        grown = C45Classifier(pruning=None).fit(X, y, shares)
        pruned = pruned_tree(grown, "error_based", X, y, shares)
        assert pruned.difference(C45Classifier().fit(X, y, shares).tree_) is None
        assert pruned.n_nodes > 1

    @pytest.mark.parametrize("method", METHODS)
    def test_predictions_are_those_of_the_leaves(self, method: str) -> None:
        X, y = mixed_table(120, seed=7)
        model = CARTClassifier().fit(X, y)
        pruned = pruned_tree(model, method, **options_for(method, X, y))
        _, columns = model._encoded(X)
        leaves = route(pruned, columns)
        majority = np.argmax(pruned.class_weights[leaves], axis=1)
        assert class_codes(pruned, columns).tolist() == majority.tolist()

    @pytest.mark.parametrize("method", [m for m in METHODS if m not in ("error_based", "cut")])
    @given(tree=trees)
    def test_hand_made_trees(self, method: str, tree: Tree) -> None:
        assume(tree.weight[0] > 0)
        X = pd.DataFrame({"x": [1.0, 7.0], "y": [2.0, 3.0]})
        X["size"], X["color"] = ["small", "large"], ["red", "grey"]
        pruned = pruned_tree(tree, method, **options_for(method, X, ["A", "B"])).validate()
        assert pruned.size <= tree.size
        assert pruned.class_weights[0].tolist() == tree.class_weights[0].tolist()


class TestWhileFitting:
    """`fit` and `prune` give a method the same: the tree, encoded rows, a way to grow again."""

    OPTIONS: ClassVar[dict[str, Any]] = {"choice": "min", "folds": 4, "random_state": 0}

    def test_alpha_is_chosen_alike(self) -> None:
        X, y = datasets.load_golf()
        fitted = ID3Classifier(pruning="cost_complexity", pruning_options=self.OPTIONS).fit(X, y)
        later = pruned_tree(ID3Classifier().fit(X, y), "cost_complexity", X, y, **self.OPTIONS)
        assert fitted.tree_.difference(later) is None

    def test_another_learner_may_choose_it(self) -> None:
        X, y = datasets.load_golf()
        options = {**self.OPTIONS, "learner": CARTClassifier(max_depth=1)}
        fitted = ID3Classifier(pruning="cost_complexity", pruning_options=options).fit(X, y)
        later = pruned_tree(ID3Classifier().fit(X, y), "cost_complexity", X, y, **options)
        assert fitted.tree_.difference(later) is None

    def test_the_trees_of_folds_are_grown_by_a_function(self) -> None:
        X, y = datasets.load_golf()
        model, numbers = ID3Classifier().fit(X, y), []
        grow = regrow_by(model, X, y)

        def regrow(rows: Any) -> Tree:
            numbers.append(rows.tolist())
            return grow(rows)

        rows = rows_from(model.tree_, X, y)
        found = pruned(model.tree_, "cost_complexity", rows, regrow, self.OPTIONS)
        expected = pruned_tree(model, "cost_complexity", X, y, **self.OPTIONS)
        assert found.difference(expected) is None
        assert len(numbers) == 4


class TestModels:
    """A model for a model, a Tree for a Tree."""

    def test_the_copy_predicts_by_the_pruned_tree(self) -> None:
        X, y = mixed_table(200, seed=3)
        model = CARTClassifier(max_depth=6).fit(X, y)
        before = model.tree_
        pruned = pt.prune(model, "limits", max_depth=1)
        assert type(pruned) is CARTClassifier
        assert pruned.get_params() == model.get_params()
        assert (pruned.tree_.depth, pruned.get_n_leaves()) == (1, 2)
        assert len(set(pruned.apply(X))) == 2
        smaller = pt.prune(before, "limits", max_depth=1)
        assert pruned.tree_.difference(smaller) is None
        assert model.tree_ is before

    def test_a_pruned_model_can_be_pruned_again_and_stored(self) -> None:
        X, y = mixed_table(200, seed=3)
        model = pt.prune(ID3Classifier().fit(X, y), "cost_complexity", X, y, choice="min")
        again = pt.prune(model, "limits", max_depth=1)
        assert from_bytes(to_bytes(again)).tree_.difference(again.tree_) is None

    def test_an_ensemble_is_refused(self) -> None:
        X, y = mixed_table(50, seed=3)
        forest = pt.RandomForestClassifier(3).fit(X, y)
        with pytest.raises(ArgumentTypeError, match=r"no single tree.*model\.trees_\[0\]"):
            pt.prune(forest, "limits", max_depth=1)

    def test_a_model_that_predicts_by_rules_is_refused(self) -> None:
        X, y = mixed_table(50, seed=3)
        model = pt.C45RulesClassifier().fit(X, y)
        with pytest.raises(ArgumentTypeError, match=r"predicts by rules.*model\.tree_"):
            pt.prune(model, "limits", max_depth=1)
        assert isinstance(pt.prune(model.tree_, "limits", max_depth=1), Tree)


class TestUnusedOptions:
    """What would not be used is refused."""

    @pytest.mark.parametrize(
        ("method", "options", "words"),
        [
            ("cost_complexity", {"alpha": 0.1, "folds": 5}, "'folds' .* only with 'choice'"),
            (
                "limits",
                {"max_depth": 1, "significance_test": "adjusted"},
                "only with 'significance'",
            ),
            ("cost_complexity", {"alfa": 0.1}, "no option 'alfa'.*did you mean 'alpha'"),
        ],
    )
    def test_options(self, method: Any, options: Any, words: str) -> None:
        X, y = mixed_table(50, seed=3)
        with pytest.raises(ParameterError, match=words):
            pt.prune(ID3Classifier().fit(X, y), method, **options)
        with pytest.raises(ParameterError, match=words):
            ID3Classifier(pruning=method, pruning_options=options).fit(X, y)

    def test_rows(self) -> None:
        X, y = mixed_table(50, seed=3)
        with pytest.raises(ParameterError, match="uses these options alone, no rows"):
            pt.prune(ID3Classifier().fit(X, y), "cost_complexity", X, y, alpha=0.1)

    def test_options_without_a_method(self) -> None:
        X, y = mixed_table(50, seed=3)
        with pytest.raises(ParameterError, match="pruning is None"):
            ID3Classifier(pruning_options={"alpha": 0.1}).fit(X, y)
