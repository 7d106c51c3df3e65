"""Reduced error, pessimistic and description-length pruning, against their definitions."""

from __future__ import annotations

from math import comb, floor, log2, sqrt
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from plaintree import C45Classifier, CARTClassifier, DecisionTreeClassifier, ID3Classifier, datasets
from plaintree.data.rows import Rows
from plaintree.errors import ParameterError
from plaintree.pruning.mdl import description_length
from plaintree.tree.condition import Equals, Grouped, Multiway, Subset, Threshold
from plaintree.tree.cut import cut_nodes
from plaintree.tree.node import Node
from plaintree.tree.predict import class_shares
from plaintree.tree.tree import Tree
from plaintree.tree.walk import ended_parts, rows_from
from tests.support.pruned import pruned_tree
from tests.support.trees import XY_SCHEMA, build, random_rows, route, specs, tennis

trees = specs().map(lambda spec: build(XY_SCHEMA, spec))


def frame(columns: list[np.ndarray]) -> pd.DataFrame:
    """Encoded columns as a table of the schema's own values."""
    decoded: dict[str, Any] = {}
    for attribute, column in zip(XY_SCHEMA.features, columns, strict=True):
        if attribute.categories:
            labels = list(attribute.categories)
            codes = np.where(np.isnan(column), -1, column).astype(int)
            ordered = attribute.kind == "ordered"
            decoded[attribute.name] = pd.Categorical.from_codes(codes, labels, ordered=ordered)
        else:
            decoded[attribute.name] = column
    return pd.DataFrame(decoded)


def validation_rows(n: int, seed: int) -> tuple[list[np.ndarray], np.ndarray]:
    labels = np.random.default_rng(seed).choice(["A", "B"], n)
    return random_rows(XY_SCHEMA, n, seed), labels


def n_wrong(tree: Tree, columns: list[np.ndarray], labels: np.ndarray) -> int:
    answers = np.array(XY_SCHEMA.classes)[tree.label[route(tree, columns)]]
    return int(np.count_nonzero(answers != labels))


def ended_weights(tree: Tree, rows: Rows) -> np.ndarray:
    """The class weights (nodes x classes) of the rows that end in each node."""
    ended, weights = ended_parts(tree, rows), np.zeros(tree.class_weights.shape)
    np.add.at(weights, (ended.nodes, rows.codes[ended.rows]), ended.weights)
    return weights


def all_prunings(tree: Tree, n_most: int = 400) -> list[Tree]:
    """Every tree that cutting can make of a small one."""
    inner = np.flatnonzero(tree.n_children)
    assume(2 ** len(inner) <= n_most)
    found = {}
    for bits in range(2 ** len(inner)):
        mask = np.zeros(tree.n_nodes, dtype=bool)
        mask[inner[[bool(bits >> i & 1) for i in range(len(inner))]]] = True
        pruned = cut_nodes(tree, mask)
        found[pruned.content_hash()] = pruned
    return list(found.values())


def inner_paths(tree: Tree) -> set[tuple[int, ...]]:
    """The inner nodes as ways from the root, comparable between a tree and its prunings."""
    paths: list[tuple[int, ...]] = [()]
    for node in range(1, tree.n_nodes):
        above = int(tree.parent[node])
        paths.append((*paths[above], node - int(tree.first_child[above])))
    return {path for path, n in zip(paths, tree.n_children, strict=True) if n}


class TestReducedError:
    @given(tree=trees, seed=st.integers(0, 99), n=st.integers(1, 30))
    def test_never_worsens_the_validation_error(self, tree: Tree, seed: int, n: int) -> None:
        assume(tree.weight[0] > 0)
        columns, labels = validation_rows(n, seed)
        for order in ("bottom_up", "greedy"):
            pruned = pruned_tree(tree, "reduced_error", frame(columns), labels, order=order)
            assert n_wrong(pruned, columns, labels) <= n_wrong(tree, columns, labels)

    @given(tree=specs(max_tests=5).map(lambda s: build(XY_SCHEMA, s)), seed=st.integers(0, 99))
    def test_bottom_up_is_the_smallest_of_the_best(self, tree: Tree, seed: int) -> None:
        assume(tree.weight[0] > 0)
        columns, labels = validation_rows(25, seed)
        pruned = pruned_tree(tree, "reduced_error", frame(columns), labels)
        best = min((n_wrong(t, columns, labels), t.size) for t in all_prunings(tree))
        assert (n_wrong(pruned, columns, labels), pruned.size) == best

    @given(tree=trees, seed=st.integers(0, 99))
    def test_greedy_stops_when_every_removal_worsens(self, tree: Tree, seed: int) -> None:
        assume(tree.weight[0] > 0)
        columns, labels = validation_rows(25, seed)
        pruned = pruned_tree(tree, "reduced_error", frame(columns), labels, order="greedy")
        for node in np.flatnonzero(pruned.n_children):
            mask = np.arange(pruned.n_nodes) == node
            shorter = cut_nodes(pruned, mask)
            assert n_wrong(shorter, columns, labels) > n_wrong(pruned, columns, labels)

    @given(tree=trees, seed=st.integers(0, 99))
    def test_greedy_is_a_pruning_of_bottom_up(self, tree: Tree, seed: int) -> None:
        """The same tree, or, where it has been too greedy, less of it and more errors."""
        assume(tree.weight[0] > 0)
        columns, labels = validation_rows(25, seed)
        X = frame(columns)
        bottom_up = pruned_tree(tree, "reduced_error", X, labels)
        greedy = pruned_tree(tree, "reduced_error", X, labels, order="greedy")
        assert inner_paths(greedy) <= inner_paths(bottom_up)
        same = greedy.difference(bottom_up) is None
        errors = n_wrong(greedy, columns, labels), n_wrong(bottom_up, columns, labels)
        assert errors[0] == errors[1] if same else errors[0] > errors[1]

    def test_where_greedy_is_too_greedy(self) -> None:
        """At the root 3 errors less, at each child 2: the root goes first, with 3 errors left,
        where both children together would have left 2."""
        low = ("x <=", 1, [0, 4], [5, 0])
        high = ("x <=", 3, [4, 0], [0, 5])
        tree = build(XY_SCHEMA, ("x <=", 2, low, high))
        rows = [(0.5, "A")] * 3 + [(1.5, "A"), (1.5, "B")] + [(2.5, "B")] * 2 + [(3.5, "A")]
        x, labels = [row[0] for row in rows], np.array([row[1] for row in rows])
        columns = [np.array(x), *random_rows(XY_SCHEMA, len(rows), seed=0)[1:]]
        bottom_up = pruned_tree(tree, "reduced_error", frame(columns), labels)
        greedy = pruned_tree(tree, "reduced_error", frame(columns), labels, order="greedy")
        assert n_wrong(tree, columns, labels) == 7
        assert (bottom_up.size, n_wrong(bottom_up, columns, labels)) == (1, 2)
        assert (greedy.size, n_wrong(greedy, columns, labels)) == (0, 3)

    def test_rows_count_with_their_weight(self) -> None:
        tree = build(XY_SCHEMA, ("x <=", 1, [3, 0], [0, 2]))
        columns = [np.array([0.5, 2.0]), *random_rows(XY_SCHEMA, 2, seed=0)[1:]]
        X, labels = frame(columns), ["B", "B"]
        assert pruned_tree(tree, "reduced_error", X, labels, [1, 1]).size == 1
        assert pruned_tree(tree, "reduced_error", X[:1], labels[:1], [1]).size == 0
        assert pruned_tree(tree, "reduced_error", X, ["A", "A"], [1, 3]).size == 0

    def test_an_order_that_is_neither(self) -> None:
        X, y = datasets.load_tennis()
        with pytest.raises(ParameterError, match=r"order has a value.*'bottom_up', 'greedy'"):
            pruned_tree(ID3Classifier().fit(X, y), "reduced_error", X, y, order="top_down")


class TestRowsInATree:
    def test_a_row_with_a_gap_is_divided_by_the_weights(self) -> None:
        tree = build(XY_SCHEMA, ("x <=", 1, [3, 0], ("y <=", 2, [0, 4], [1, 0])))
        columns = [np.array([np.nan]), np.array([np.nan]), np.array([0.0]), np.array([0], np.int32)]
        ended = ended_weights(tree, Rows(columns, np.array([1], np.int32), None))
        assert ended[:, 1].tolist() == pytest.approx([0, 3 / 8, 0, 4 / 8, 1 / 8])

    @pytest.mark.parametrize("categorical", ["multiway", "subset", "one_vs_rest"])
    def test_shares_agree_with_prediction(self, categorical: Any) -> None:
        """Shares of a row, times the leaves' class shares, are its predicted probabilities."""
        X, y = gappy(300)
        model = DecisionTreeClassifier(categorical=categorical, missing="fractional", max_depth=6)
        tree = model.fit(X, y).tree_
        rows = rows_from(tree, X, y)
        shares = class_shares(tree, rows.columns)
        for row in range(0, 300, 10):
            one = Rows([c[row : row + 1] for c in rows.columns], rows.codes[row : row + 1], None)
            ended = ended_weights(tree, one).sum(axis=1)
            leaf_shares = tree.class_weights / np.where(tree.weight > 0, tree.weight, 1)[:, None]
            assert ended.sum() == pytest.approx(1)
            assert ended @ leaf_shares == pytest.approx(shares[row])

    def test_unseen_categories_may_stop_at_a_node(self) -> None:
        X = pd.DataFrame({"color": ["red", "blue"] * 3, "x": [1.0, 2, 3, 4, 5, 6]})
        y = ["a", "b", "a", "b", "a", "b"]
        model = ID3Classifier(unseen="stop").fit(X[["color"]], y)
        rows = rows_from(model.tree_, pd.DataFrame({"color": ["green", "red"]}), ["b", "b"])
        assert ended_weights(model.tree_, rows)[:, 1].tolist() == [1, 0, 1]

    def test_reduced_error_with_gaps(self) -> None:
        X, y = gappy(300)
        tree = C45Classifier(pruning=None).fit(X[:200], y[:200]).tree_
        pruned = pruned_tree(tree, "reduced_error", X[200:], y[200:])
        assert share_wrong(pruned, X[200:], y[200:]) <= share_wrong(tree, X[200:], y[200:])


def gappy(n: int) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(0)
    x, color = random.random(n), random.choice(["red", "green", "blue"], n).astype(object)
    y = np.where((x > 0.5) ^ (color == "red") ^ (random.random(n) < 0.2), "yes", "no")
    x[random.random(n) < 0.3] = np.nan
    color[random.random(n) < 0.3] = None
    return pd.DataFrame({"x": x, "color": color}), y


def share_wrong(tree: Tree, X: Any, y: Any) -> float:
    ended = ended_weights(tree, rows_from(tree, X, y))
    return float(ended.sum() - ended[np.arange(tree.n_nodes), tree.label].sum())


class TestPessimistic:
    @given(trees)
    def test_by_the_definition(self, tree: Tree) -> None:
        assume(tree.weight[0] > 0)
        nodes = [tree.node(i) for i in range(tree.n_nodes)]
        mask = np.array([self.within_one_standard_error(node) for node in nodes])
        assert pruned_tree(tree, "pessimistic").difference(cut_nodes(tree, mask)) is None

    @staticmethod
    def within_one_standard_error(node: Node) -> bool:
        leaves, pending = [], [node]
        while pending:
            current = pending.pop()
            pending.extend(current.children)
            leaves += [current] if current.is_leaf else []
        subtree = sum(leaf.weight - max(leaf.counts.values()) + 0.5 for leaf in leaves)
        rows = node.weight
        error = sqrt(max(subtree * (rows - subtree), 0) / rows) if rows else 0.0
        return node.weight - max(node.counts.values()) + 0.5 <= subtree + error

    def test_a_worked_example(self) -> None:
        """30 rows, 4 wrong as a leaf. Two leaves with 1 wrong: 2 corrected errors, standard error
        sqrt(2 x 28 / 30) = 1.37, and 4.5 is not within 3.37. With 2 wrong: 3 + 1.64 = 4.64, and
        4.5 is."""
        better = build(XY_SCHEMA, ("x <=", 1, [25, 0], [1, 4]))
        hardly = build(XY_SCHEMA, ("x <=", 1, [25, 2], [1, 2]))
        assert pruned_tree(better, "pessimistic").size == 1
        assert pruned_tree(hardly, "pessimistic").size == 0


def independent_bits(tree: Tree, coding: str) -> float:
    """The description length, node by node, as the module's text says."""
    c = len(tree.schema.classes)
    total = 0.0
    for node in tree.walk():
        n = int(node.weight)
        k = n - int(max(node.counts.values()))
        if coding == "sliq":
            total += 1 + (k if node.is_leaf else sliq_test(node))
        elif node.is_leaf:
            at_most = floor((n + 1) * (c - 1) / c)
            total += 1 + log2(c) + log2(at_most + 1) + log2(comb(n, k))
            total += k * log2(c - 1) if c > 2 else 0
        else:
            total += 1 + quinlan_rivest_test(node)
    return total


def sliq_test(node: Node) -> float:
    if isinstance(node.condition, Threshold):
        return 1.0
    same = [n for n in node.tree.walk() if n.feature == node.feature]
    return log2(len(same))


def quinlan_rivest_test(node: Node) -> float:
    attributes = node.tree.schema.features
    used, above = 0, node.parent
    while above is not None:
        used += isinstance(above.condition, Multiway)
        above = above.parent
    bits = log2(max(len(attributes) - used, 1))
    condition = node.condition
    assert condition is not None
    m = len(attributes[condition.feature].categories)
    match condition:
        case Threshold():
            bits += log2(m or max(node.n_rows, 1)) / 2
        case Equals():
            bits += log2(m)
        case Subset():
            bits += m - 1
        case Grouped():
            ways = condition.n_branches
            bits += m * log2(ways) - sum(log2(i) for i in range(1, ways + 1))
    return bits


class TestDescriptionLength:
    @pytest.mark.parametrize("coding", ["quinlan_rivest", "sliq"])
    @given(tree=trees)
    def test_bits_recomputed(self, coding: Any, tree: Tree) -> None:
        assert description_length(tree, coding=coding).total == pytest.approx(
            independent_bits(tree, coding)
        )

    @pytest.mark.parametrize("coding", ["quinlan_rivest", "sliq"])
    @pytest.mark.parametrize("load", [datasets.load_golf, datasets.load_flu])
    def test_bits_of_grown_trees(self, load: Any, coding: Any) -> None:
        X, y = load()
        for learner in (ID3Classifier(), CARTClassifier()):
            tree = learner.fit(X, y).tree_
            found = description_length(tree, coding=coding).total
            assert found == pytest.approx(independent_bits(tree, coding))

    def test_three_classes(self) -> None:
        X = pd.DataFrame({"x": [1, 2, 3, 4, 5, 6, 7, 8]})
        y = ["a", "a", "b", "b", "c", "c", "c", "a"]
        tree = pruned_tree(CARTClassifier().fit(X, y), "limits", max_depth=1)
        assert description_length(tree).total == pytest.approx(
            independent_bits(tree, "quinlan_rivest")
        )

    def test_the_example_of_quinlan_and_rivest(self) -> None:
        """14 days: the tree takes 18.170 bits, and its leaves, without exceptions, the numbers of
        them: log2 of 3, 2, 3, 3 and 2."""
        X, y = datasets.load_tennis()
        bits = description_length(ID3Classifier().fit(X, y))
        assert bits.tree == pytest.approx(18.170, abs=5e-4)
        assert bits.exceptions == pytest.approx(3 * log2(3) + 2)

    @pytest.mark.parametrize("coding", ["quinlan_rivest"])
    @given(tree=specs(max_tests=5).map(lambda s: build(XY_SCHEMA, s)))
    def test_pruning_finds_the_shortest(self, coding: Any, tree: Tree) -> None:
        assume(tree.weight[0] > 0)
        shortest = min(independent_bits(t, coding) for t in all_prunings(tree))
        pruned = pruned_tree(tree, "mdl", coding=coding)
        assert description_length(pruned, coding=coding).total == pytest.approx(shortest)

    def test_sliq_prunes_what_costs_more_than_its_errors(self) -> None:
        """Two leaves and a threshold take 1 + 1 + 1 + 1 bits, a leaf 1 and its errors."""
        assert (
            pruned_tree(build(XY_SCHEMA, ("x <=", 1, [9, 0], [0, 4])), "mdl", coding="sliq").size
            == 1
        )
        assert (
            pruned_tree(build(XY_SCHEMA, ("x <=", 1, [9, 0], [0, 3])), "mdl", coding="sliq").size
            == 0
        )

    def test_an_unknown_coding(self) -> None:
        with pytest.raises(ParameterError, match=r"coding has a value.*'quinlan_rivest', 'sliq'"):
            description_length(tennis(), coding="huffman")  # type: ignore[arg-type]
