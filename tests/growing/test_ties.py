"""Ties between splits: decided once, exactly, whoever finds them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaintree.growing.finders import FINDERS, all_finders_but
from plaintree.growing.forest import grow_forest
from plaintree.tree.conventions import C45, CART, Conventions
from plaintree.tree.forest import PackedForest, Sampling
from plaintree.tree.tree import Tree
from tests.oracle.engine_check import check_tree
from tests.support.random_tables import (
    CLASS_CRITERIA,
    Case,
    cases,
    fine_print,
    from_a_seed,
    kinds_with,
    many,
    policies,
)

CRITERIA = CLASS_CRITERIA
NO_FINDERS = all_finders_but(FINDERS)


def with_many_ties(random: Random) -> Case:
    """Numbers of few, some or many values, in hundreds of rows: most nodes have tied cuts."""
    n_rows, n_classes = random.randint(50, 400), random.randint(2, 5)
    ranges = random.choices([2, 3, 12, 60, 400, 10**6], k=random.randint(1, 6))
    columns = [[float(random.randrange(n)) for _ in range(n_rows)] for n in ranges]
    y = random.choices(range(n_classes), k=n_rows)
    return Case(columns, [0] * len(ranges), y, n_classes, None)


def tied(*subject: str) -> st.SearchStrategy[Case]:
    return from_a_seed(with_many_ties, *subject)


def bootstrap(case: Case, **options: Any) -> PackedForest:
    sampling = Sampling("with_replacement", len(case.y), 3)
    given = {"n_trees": 3, "columns_per_node": 2, "conventions": CART, **options}
    return grow_forest(case.schema, case.rows, sampling=sampling, **given)


def same(one: PackedForest, other: PackedForest) -> bool:
    return all(a.difference(b) is None for a, b in zip(one, other, strict=True))


def weighted(case: Case, weight: float) -> Case:
    return replace(case, weights=[weight] * len(case.y))


class TestFinders:
    """Every finder finds the cut that the general one finds."""

    @pytest.mark.parametrize("name", [*FINDERS, "all of them"])
    @many(12)
    @given(data=st.data())
    def test_a_tree_is_the_same_without_it(self, name: Any, data: st.DataObject) -> None:
        case = data.draw(tied(name))
        without = NO_FINDERS if name == "all of them" else all_finders_but([name])
        assert case.grow(CART).difference(case.grow(CART, finders=without)) is None

    @pytest.mark.parametrize("name", [*FINDERS, "all of them"])
    @many(12)
    @given(data=st.data())
    def test_a_forest_is_the_same_without_it(self, name: Any, data: st.DataObject) -> None:
        case = data.draw(tied("forest", name))
        without = NO_FINDERS if name == "all of them" else all_finders_but([name])
        rules = replace(CART, min_samples_leaf=data.draw(st.sampled_from([1, 3])))
        forest = bootstrap(case, conventions=rules)
        assert same(forest, bootstrap(case, conventions=rules, finders=without))

    def test_the_bits_are_named_once(self) -> None:
        assert all_finders_but([]) == 0b1111111
        assert all_finders_but(["few_rows", "lists", "lists"]) == 0b1101110


class TestWeightsOfOne:
    """Weights of one, or of any one power of two, change nothing."""

    @pytest.mark.parametrize("criterion", CRITERIA)
    @many(40)
    @given(data=st.data())
    def test_the_tree_is_the_same(self, criterion: Any, data: st.DataObject) -> None:
        case = data.draw(tied(criterion))
        rules = replace(CART, criterion=criterion)
        assert case.grow(rules).difference(weighted(case, 1.0).grow(rules)) is None

    @pytest.mark.parametrize("criterion", CRITERIA)
    @many(60)
    @given(data=st.data())
    def test_whatever_the_conventions(self, criterion: Any, data: st.DataObject) -> None:
        case = replace(data.draw(cases("ones", criterion)), weights=None)
        rules = replace(CART, criterion=criterion, **data.draw(fine_print("ones", criterion)))
        rules = replace(rules, categorical=data.draw(st.sampled_from(kinds_with("surrogate"))))
        rules = replace(rules, missing=data.draw(st.sampled_from(policies())))
        assert case.grow(rules).difference(weighted(case, 1.0).grow(rules)) is None

    @many(20)
    @given(case=tied("forest"))
    def test_a_forest_is_the_same(self, case: Case) -> None:
        assert same(bootstrap(case), bootstrap(weighted(case, 1.0)))

    @pytest.mark.parametrize("weight", [0.25, 2.0, 1024.0])
    @many(20)
    @given(case=tied("powers"))
    def test_the_unit_of_weights_decides_nothing(self, weight: float, case: Case) -> None:
        one, other = case.grow(CART), weighted(case, weight).grow(CART)
        assert np.array_equal(one.feature, other.feature)
        assert np.array_equal(one.threshold, other.threshold, equal_nan=True)


def rows_below(case: Case, tree: Tree) -> list[np.ndarray]:
    """The rows of every node of a tree of thresholds."""
    columns = np.array(case.columns)
    found = [np.arange(len(case.y))]
    for node in range(tree.n_nodes):
        if tree.n_children[node]:
            rows = found[node]
            low = columns[tree.feature[node], rows] <= tree.threshold[node]
            found += [rows[low], rows[~low]]
    return found


def subtree(tree: Tree, root: int) -> list[tuple[int, float, int]]:
    """Feature, threshold and rows of every node below one, level by level."""
    order = [root]
    for node in order:
        first = tree.first_child[node]
        order.extend(range(first, first + tree.n_children[node]))
    nodes = zip(tree.feature[order], tree.threshold[order], tree.n_rows[order], strict=True)
    return [(int(a), 0.0 if np.isnan(t) else float(t), int(n)) for a, t, n in nodes]


class TestSubtrees:
    """A subtree is what its own rows give, wherever they come from."""

    @pytest.mark.parametrize("criterion", CRITERIA)
    @many(12)
    @given(data=st.data())
    def test_a_subtree_grown_from_its_rows_is_the_same(
        self, criterion: Any, data: st.DataObject
    ) -> None:
        case = data.draw(tied("subtrees", criterion))
        rules = replace(CART, criterion=criterion)
        tree = case.grow(rules)
        inner = np.flatnonzero(tree.n_children)
        rows = rows_below(case, tree)
        for node in inner[:60]:
            again = case.reordered(rows[node].tolist()).grow(rules)
            assert subtree(again, 0) == subtree(tree, node)


class TestExactTies:
    """Cuts that are exactly as good: the lowest threshold, whatever rounding would say."""

    @pytest.mark.parametrize("criterion", CRITERIA)
    @pytest.mark.parametrize("weight", [None, 1.0, 0.1])
    def test_of_two_mirrored_cuts_the_lower_one(self, criterion: Any, weight: float | None) -> None:
        y = [0, 1, 2, 1, 2, 1, 2, 1, 2, 0]
        case = Case([[float(i) for i in range(10)]], [0], y, 3, weight and [weight] * 10)
        rules = replace(CART, criterion=criterion, max_depth=1)
        case = case if weight else replace(case, weights=None)
        assert case.grow(rules).threshold[0] == 0.5

    def test_by_gini_the_first_cut_that_is_best_in_fractions(self) -> None:
        for case in (with_many_ties(Random(i)) for i in range(30)):
            tree = case.grow(replace(CART, max_depth=1))
            if tree.n_nodes == 1:
                continue
            column, y = case.columns[tree.feature[0]], np.array(case.y)
            best = max(purity(column, y, cut) for cut in cuts_of(column))
            first = next(cut for cut in cuts_of(column) if purity(column, y, cut) == best)
            assert tree.threshold[0] == first

    def test_of_gain_ratios_of_one_the_first(self) -> None:
        y = [0, 0, 1, 1, 2, 2, 3, 3]
        case = Case([[float(i) for i in range(8)]], [0], y, 4, None)
        rules = replace(CART, criterion="gain_ratio", max_depth=1)
        assert case.grow(rules).threshold[0] == 1.5  # ratio 1 there, at 3.5 and at 5.5

    def test_the_first_column_within_the_tolerance_of_the_best(self) -> None:
        y = [0] * 50 + [1] * 50
        columns = [[float(i >= 50 + d) for i in range(100)] for d in (4, 2, 0)]
        case = Case(columns, [0, 0, 0], y, 2, None)
        gains = [case.grow(replace(CART, max_depth=1, tie_tolerance=t)) for t in (0.0, 0.05, 0.1)]
        assert [int(tree.feature[0]) for tree in gains] == [2, 1, 0]
        assert [int(tree.n_tied[0]) for tree in gains] == [0, 1, 2]


def with_functions_of_the_class(random: Random) -> Case:
    """Columns of categories that depend on the class alone, and others of noise."""
    n_classes, n_rows = random.randint(2, 6), random.randint(10, 60)
    y = [*range(n_classes), *random.choices(range(n_classes), k=n_rows)]
    columns = [[float(random.randrange(3)) for _ in y] for _ in range(random.randint(0, 2))]
    for _ in range(random.randint(2, 4)):
        values = random.choices(range(4), k=n_classes)
        columns.append([float(values[label]) for label in y])
    random.shuffle(columns)
    return Case(columns, [4] * len(columns), y, n_classes, None)


def depends_on_class_alone(column: list[float], y: list[int]) -> bool:
    return len(set(column)) > 1 and len(set(zip(column, y, strict=True))) == len(set(y))


class TestFunctionsOfTheClass:
    """A column that depends on the class alone has a gain ratio of 1: its gain is its entropy."""

    @many(1500)
    @given(case=from_a_seed(with_functions_of_the_class, "ratio"))
    def test_all_of_them_tie(self, case: Case) -> None:
        rules = replace(CART, criterion="gain_ratio", categorical="multiway", max_depth=1)
        tree = case.grow(rules)
        tied = [
            c for c, column in enumerate(case.columns) if depends_on_class_alone(column, case.y)
        ]
        if tied:
            assert int(tree.feature[0]) == tied[0]
            assert int(tree.n_tied[0]) == len(tied) - 1

    @pytest.mark.slow
    @many(1500)
    @given(case=from_a_seed(with_functions_of_the_class, "average gain"))
    def test_those_of_at_least_average_gain_tie_in_c45(self, case: Case) -> None:
        rules = replace(C45, collapse=False)
        check_tree(case.naive, rules, case.grow(rules), exact=True)

    def test_a_ratio_of_one_below_the_average_gain_does_not_tie(self) -> None:
        """As at some nodes of the soybean table: the other column has a gain ratio of 1, too."""
        y = [0] * 18 + [1] * 18 + [2] * 2
        halves, rest = [float(label == 0) for label in y], [float(label == 2) for label in y]
        case = Case([rest, halves], [2, 2], y, 3, None)
        by_ratio = case.grow(replace(C45, average_gain=False))
        assert (int(by_ratio.feature[0]), int(by_ratio.n_tied[0])) == (0, 1)
        assert float(by_ratio.score[0]) == pytest.approx(1)
        c45 = case.grow(C45)
        assert (int(c45.feature[0]), int(c45.n_tied[0])) == (1, 0)
        assert float(c45.score[0]) == pytest.approx(1)


def cuts_of(column: list[float]) -> list[float]:
    values = sorted(set(column))
    return [(a + b) / 2 for a, b in pairwise(values)]


def purity(column: list[float], y: np.ndarray, cut: float) -> Fraction:
    low = np.array(column) <= cut
    sides = [np.bincount(y[side]).tolist() for side in (low, ~low)]
    return sum((Fraction(sum(c * c for c in side), sum(side)) for side in sides), Fraction(0))


def test_conventions_are_the_same_for_every_finder() -> None:
    """The switch is no convention: it is not stored with a tree."""
    assert not any("finder" in name for name in Conventions.__dataclass_fields__)
