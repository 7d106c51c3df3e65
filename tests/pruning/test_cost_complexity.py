"""Cost-complexity pruning: against the definition, scikit-learn and rpart."""

from __future__ import annotations

from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier as ScikitLearnTree

from plaintree import CARTClassifier
from plaintree.data.schema import Feature, Schema
from plaintree.errors import ParameterError, TreeError
from plaintree.pruning.curves import pruning_path
from plaintree.pruning.path import PruningPath
from plaintree.tree.cut import cut_nodes
from plaintree.tree.tree import Tree
from tests.support.pruned import pruned_tree
from tests.support.reference_tables import description, folds, golden, names_in, needs_shared
from tests.support.trees import XY_SCHEMA, build, chain_spec, specs, tennis

trees = specs().map(lambda spec: build(XY_SCHEMA, spec)).filter(lambda tree: tree.weight[0] > 0)
RISKS = ("error", "impurity")


def leaf_risks(tree: Tree, risk: str) -> np.ndarray:
    total = tree.weight[0]
    if risk == "impurity":
        return tree.weight * tree.impurity / total
    return (tree.weight - tree.class_weights.max(axis=1)) / total


def risk_and_leaves(tree: Tree, risk: str) -> tuple[float, int]:
    return float(leaf_risks(tree, risk)[tree.n_children == 0].sum()), tree.n_leaves


def naive_path(tree: Tree, risk: str) -> list[tuple[float, int]]:
    """(alpha, leaves) after every round: find all weakest links, cut them, repeat."""
    steps: list[tuple[float, int]] = [(0.0, tree.n_leaves)]
    while tree.n_nodes > 1:
        links = {}
        for node in np.flatnonzero(tree.n_children).tolist():
            below = cut_nodes(tree, np.arange(tree.n_nodes) == node)
            lost = risk_and_leaves(below, risk)[0] - risk_and_leaves(tree, risk)[0]
            links[node] = max(lost, 0.0) / (tree.n_leaves - below.n_leaves)
        least = min(links.values())
        mask = np.zeros(tree.n_nodes, dtype=bool)
        mask[[node for node, link in links.items() if link <= least + 1e-9]] = True
        tree = cut_nodes(tree, mask)
        alpha = max(least, steps[-1][0])
        if alpha <= steps[-1][0] + 1e-9:
            steps[-1] = (steps[-1][0], tree.n_leaves)
        else:
            steps.append((alpha, tree.n_leaves))
    return steps


class TestPath:
    @pytest.mark.parametrize("risk", RISKS)
    @given(tree=trees)
    def test_weakest_links_found_one_by_one(self, risk: Any, tree: Tree) -> None:
        path = pruning_path(tree, risk=risk)
        alphas, leaves = zip(*naive_path(tree, risk), strict=True)
        assert path.n_leaves.tolist() == list(leaves)
        assert path.alphas.tolist() == pytest.approx(alphas, abs=1e-9)

    @pytest.mark.parametrize("links", ["weakest", "rpart"])
    @pytest.mark.parametrize("risk", RISKS)
    @given(tree=trees)
    def test_figures_are_those_of_the_trees(self, risk: Any, links: Any, tree: Tree) -> None:
        path = pruning_path(tree, risk=risk, links=links)
        for i, pruned in enumerate(path.trees()):
            assert (pruned.size, pruned.n_leaves) == (path.sizes[i], path.n_leaves[i])
            assert risk_and_leaves(pruned, risk)[0] == pytest.approx(path.risks[i], abs=1e-12)
        assert pruned.n_nodes == 1

    @pytest.mark.parametrize("links", ["weakest", "rpart"])
    @given(tree=trees)
    def test_trees_are_nested(self, links: Any, tree: Tree) -> None:
        path = pruning_path(tree, links=links)
        assert (np.diff(path.alphas) > 0).all()
        assert (np.diff(path.sizes) < 0).all()
        kept = [set(np.flatnonzero((path.links > a) & (tree.n_children > 0))) for a in path.alphas]
        assert all(small < large for large, small in pairwise(kept))

    @given(tree=trees, alpha=st.floats(0, 0.5))
    def test_no_tree_of_the_path_costs_less(self, tree: Tree, alpha: float) -> None:
        best = pruned_tree(tree, "cost_complexity", alpha=alpha)
        others = [risk_and_leaves(other, "error") for other in pruning_path(tree).trees()]
        risk, leaves = risk_and_leaves(best, "error")
        assert risk + alpha * leaves <= min(r + alpha * n for r, n in others) + 1e-9

    def test_a_tree_of_any_depth(self) -> None:
        path = pruning_path(build(XY_SCHEMA, chain_spec(20_000)))
        assert path.n_leaves[-1] == 1

    def test_breimans_units(self) -> None:
        """Outlook, wind and humidity remove 5 errors of 14 with 4 more leaves."""
        path = pruning_path(tennis())
        assert path.alphas.tolist() == pytest.approx([0, 5 / 14 / 4])
        assert path.risks.tolist() == pytest.approx([0, 5 / 14])

    def test_as_a_frame(self) -> None:
        frame = pruning_path(tennis()).to_frame()
        assert frame["cp"].to_list() == pytest.approx([0, 1 / 4])
        assert frame["relative_risk"].to_list() == pytest.approx([0, 1])
        assert frame["size"].to_list() == [3, 0]

    @pytest.mark.parametrize("alpha", [-1, "0.1", None])
    def test_a_tree_of_an_alpha_that_is_none(self, alpha: Any) -> None:
        with pytest.raises(ParameterError, match=r"alpha is out of range.*from 0 upwards"):
            pruning_path(tennis()).tree(alpha)

    def test_a_tree_without_class_counts(self) -> None:
        bare = build(XY_SCHEMA, ("x <=", 1, [0, 0], [0, 0]))
        with pytest.raises(TreeError, match=r"a pruning path needs class counts"):
            pruning_path(bare)

    def test_a_single_leaf(self) -> None:
        path = pruning_path(build(XY_SCHEMA, [3, 1]))
        assert (path.alphas.tolist(), path.n_leaves.tolist()) == ([0], [1])

    def test_nodes_with_a_single_branch(self) -> None:
        only = Feature("only", "categorical", "text", ("one",))
        schema = Schema((only, *XY_SCHEMA.features), ("A", "B"))
        spec = ("only", {"one": ("x <=", 1, [2, 0], ("only", {"one": [1, 3]}))})
        path = pruning_path(build(schema, spec))
        assert path.alphas.tolist() == pytest.approx([0, 2 / 6])
        assert path.n_leaves.tolist() == [2, 1]

    @pytest.mark.parametrize(("option", "value"), [("risk", "loss"), ("links", "strongest")])
    def test_unknown_choices(self, option: str, value: str) -> None:
        with pytest.raises(ParameterError, match=rf"{option} has a value that is not allowed"):
            pruning_path(tennis(), **{option: value})


class TestAlpha:
    def test_zero_keeps_what_lowers_the_risk(self) -> None:
        spec = ("x <=", 1, ("y <=", 2, [3, 1], [2, 0]), [0, 4])
        pruned = pruned_tree(build(XY_SCHEMA, spec), "cost_complexity", alpha=0)
        assert pruned.n_leaves == 2

    def test_infinity_leaves_the_root(self) -> None:
        assert pruned_tree(tennis(), "cost_complexity", alpha=float("inf")).n_nodes == 1

    @pytest.mark.parametrize("options", [{}, {"alpha": 0.1, "choice": "min"}])
    def test_either_alpha_or_choice(self, options: Any) -> None:
        with pytest.raises(
            ParameterError, match=r"exactly one of alpha, cp and choice must be given"
        ):
            pruned_tree(tennis(), "cost_complexity", **options)


def as_spec(model: ScikitLearnTree, counts: np.ndarray) -> Any:
    """A tree of scikit-learn's; children stand behind their parents there, too."""
    tree = model.tree_
    specs: list[Any] = [None] * tree.node_count
    for node in range(tree.node_count - 1, -1, -1):
        left, right = tree.children_left[node], tree.children_right[node]
        leaf = left < 0
        test = f"x{tree.feature[node]} <=", float(tree.threshold[node])
        specs[node] = counts[node].tolist() if leaf else (*test, specs[left], specs[right])
    return specs[0]


def distinct(values: Any) -> np.ndarray:
    """Sorted, without those that only rounding tells apart."""
    values = np.sort(np.asarray(values))
    return values[np.concatenate([[True], np.diff(values) > 1e-9])]


NUMERIC = [name for name in names_in("sklearn") if not description(name)["n_categorical"]]


class TestScikitLearn:
    @pytest.mark.parametrize("seed", range(5))
    def test_alphas_of_the_same_tree(self, seed: int) -> None:
        random = np.random.default_rng(seed)
        X, y = random.random((150, 3)), random.integers(0, 3, 150)
        theirs = ScikitLearnTree(random_state=seed).fit(X, y)
        values = theirs.tree_.value[:, 0] * theirs.tree_.weighted_n_node_samples[:, None]
        schema = Schema(tuple(Feature(f"x{i}", "numeric") for i in range(3)), (0, 1, 2))
        path = pruning_path(build(schema, as_spec(theirs, values.round())), risk="impurity")
        expected = theirs.cost_complexity_pruning_path(X, y)
        assert path.alphas == pytest.approx(distinct(expected.ccp_alphas), abs=1e-12)
        # Equal links are cut one by one there: the last of them has the tree that is left.
        last = np.searchsorted(expected.ccp_alphas, path.alphas + 1e-9) - 1
        assert path.risks == pytest.approx(expected.impurities[last], abs=1e-12)
        for alpha in path.alphas[::7]:
            pruned = ScikitLearnTree(random_state=seed, ccp_alpha=alpha + 1e-12).fit(X, y)
            assert path.tree(alpha).n_nodes == pruned.tree_.node_count

    @needs_shared
    @pytest.mark.parametrize("criterion", ["gini", "entropy"])
    @pytest.mark.parametrize("name", NUMERIC)
    def test_stored_paths_of_numeric_tables(self, name: str, criterion: Any) -> None:
        """But for ionosphere, where columns tie: chance decides there, column order here."""
        expected = distinct(golden("sklearn", name)["trees"][criterion]["ccp_alphas"])
        path = pruning_path(CARTClassifier(criterion).fit(*load(name)), risk="impurity")
        same = len(path) == len(expected) and np.allclose(path.alphas, expected, atol=1e-11)
        assert same == (name != "ionosphere")


def without_gaps(folder: str) -> list[str]:
    return [name for name in names_in(folder) if description(name)["n_missing"] == 0]


def load(name: str) -> tuple[pd.DataFrame, np.ndarray]:
    from tests.support.reference_tables import load as load_table

    return load_table(name)


@needs_shared
class TestRpart:
    """The tables without gaps, with rpart's approximation of the links."""

    CRITERIA = MappingProxyType({"gini": "gini_full", "entropy": "information_full"})
    TIES = (("credit_g", "gini"),)
    """Where another tree is grown, because tests tie exactly."""

    @pytest.mark.parametrize("criterion", CRITERIA)
    @pytest.mark.parametrize("name", without_gaps("rpart"))
    def test_cp_tables_of_full_trees(self, name: str, criterion: Any) -> None:
        model = CARTClassifier(criterion, zero_gain=False).fit(*load(name))
        found = cp_table(pruning_path(model, links="rpart"))
        stored = golden("rpart", name)["runs"][self.CRITERIA[criterion]]["cptable"]
        expected = [[row[key] for key in ("CP", "nsplit", "rel_error")] for row in stored]
        same = len(found) == len(expected) and np.allclose(found[:, :3], expected, atol=1e-11)
        assert same != ((name, criterion) in self.TIES)

    XERROR_TIES = MappingProxyType({"banknote": 1, "credit_g": 6, "wdbc": 1, "wine": 1})
    """By how many rows a cross-validated error differs at most, because tests tie in a fold."""

    @pytest.mark.parametrize("name", without_gaps("rpart"))
    def test_cross_validation_on_the_stored_folds(self, name: str) -> None:
        X, y = load(name)
        learner = CARTClassifier(min_samples_split=20, min_samples_leaf=7, zero_gain=False)
        path = pruning_path(learner.fit(X, y), X, y, folds=folds(name), links="rpart")
        xval = golden("rpart", name)["xval"]
        keys = ("CP", "nsplit", "rel_error", "xerror", "xstd")
        expected = np.array([[row[key] for key in keys] for row in xval["cptable"]])
        found = cp_table(path)
        assert np.allclose(found[:, :3], expected[:, :3], atol=1e-11)
        assert path.tree(path.best_alpha("min")).n_leaves == xval["min_leaves"]
        assert path.tree(path.best_alpha("one_se")).n_leaves == xval["se1_leaves"]
        if len(expected) == 1:  # rpart does not cross-validate a root alone
            return
        rows_apart = np.abs(found[:, 3] - expected[:, 3]).max() * path.risks[-1] * len(y)
        assert round(rows_apart, 6) == self.XERROR_TIES.get(name, 0)
        assert name in self.XERROR_TIES or np.allclose(found[:, 4], expected[:, 4])


def cp_table(path: PruningPath) -> np.ndarray:
    """CP, nsplit, rel error, and xerror and xstd if they are there, as rpart prints them."""
    frame = path.to_frame().reverse()
    columns = [frame["cp"], frame["n_leaves"] - 1, frame["relative_risk"]]
    if path.cv_errors is not None:
        columns += [frame["cv_error"] / path.risks[-1], frame["cv_deviation"] / path.risks[-1]]
    return np.array([column.to_numpy() for column in columns]).T
