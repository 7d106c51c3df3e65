"""Conventions together: constraints, costs, priors, surrogates, random splits and fast finders.

Where the naive grower does not know a combination, the tree must at least not depend on the finder,
the order of rows or the number of threads, and keep what each convention promises.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import plaintree as pt
from plaintree.errors import TableError
from plaintree.growing.finders import FINDERS, all_finders_but
from plaintree.rules.monotonic import check_monotonic
from plaintree.tree.condition import NodeKind
from plaintree.tree.conventions import Conventions
from plaintree.tree.tree import Tree
from tests.oracle.target_check import check_target_tree
from tests.support.random_tables import (
    Case,
    cases,
    fine_print,
    from_a_seed,
    kinds_with,
    many,
    policies,
    surrogate_print,
)
from tests.support.random_targets import TargetCase, target_cases, target_fine_print

CRITERIA = ["squared_error", "absolute_error", "poisson"]
MISSING = policies(of_classes=False)
NO_FINDERS = all_finders_but(FINDERS)


def signs_and_costs(case: Case, *subject: str) -> st.SearchStrategy[dict[str, Any]]:
    """Directions of some numeric columns, costs of some columns, and a way to split."""

    def drawn(random: Random) -> dict[str, Any]:
        numeric = [c for c, n in enumerate(case.n_categories) if not n]
        signs = {c: random.choice([-1, 0, 0, 1]) for c in numeric}
        costs = {name: random.choice([0.5, 1, 3]) for name in case.schema.names}
        return {
            "monotonic_cst": {c: sign for c, sign in signs.items() if sign},
            "feature_costs": random.choice([None, costs]),
            "splitter": random.choice(["best", "best", "random"]),
        }

    return from_a_seed(drawn, *subject)


def tied_targets(random: Random) -> TargetCase:
    """Numbers of few, some or many values, some missing, in hundreds of rows."""
    n_rows = random.randint(40, 300)
    ranges = random.choices([2, 3, 12, 60, 10**6], k=random.randint(1, 5))
    columns = []
    for n in ranges:
        share = random.choice([0, 0, 0.1])
        values = [float(random.randrange(n)) for _ in range(n_rows)]
        columns.append([float("nan") if random.random() < share else v for v in values])
    most = random.choice([3, 50, 10**6])
    y = [float(random.randrange(most)) for _ in range(n_rows)]
    y[0] = 1.0
    weights = random.choice([None, [random.randint(1, 9) / 4 for _ in y]])
    return TargetCase(columns, [0] * len(ranges), y, 0, weights)


def assert_nothing_else_matters(data: st.DataObject, case: Case, rules: Conventions) -> Tree:
    tree = case.grow(rules, seed=5)
    order = data.draw(st.permutations(range(len(case.y)))) if len(case.y) < 60 else None
    shuffled = list(order or np.random.default_rng(1).permutation(len(case.y)))
    assert tree.difference(case.grow(rules, seed=5, finders=NO_FINDERS)) is None
    assert tree.difference(case.grow(rules, seed=5, n_threads=2)) is None
    assert tree.difference(case.reordered(shuffled).grow(rules, seed=5)) is None
    if rules.monotonic_cst:
        assert check_monotonic(tree, dict(rules.monotonic_cst)) is None
    return tree


class TestNumbers:
    @pytest.mark.parametrize(("criterion", "missing"), list(product(CRITERIA, MISSING)))
    @many(15)
    @given(data=st.data())
    def test_small_tables(self, data: st.DataObject, criterion: Any, missing: Any) -> None:
        subject = ("combined", criterion, missing)
        case = data.draw(target_cases(criterion, *subject))
        kind = data.draw(st.sampled_from([k for k in kinds_with(missing) if k != "grouped"]))
        more = data.draw(target_fine_print(*subject)) | data.draw(surrogate_print(missing))
        more |= data.draw(signs_and_costs(case, *subject))
        rules = Conventions(criterion, kind, missing, **more)
        assert_nothing_else_matters(data, case, rules)

    @pytest.mark.parametrize(("criterion", "missing"), list(product(CRITERIA, MISSING)))
    @many(6)
    @given(data=st.data())
    def test_hundreds_of_rows(self, data: st.DataObject, criterion: Any, missing: Any) -> None:
        """In which the finders of numeric targets are at work."""
        case = data.draw(from_a_seed(tied_targets, criterion, missing))
        more = data.draw(signs_and_costs(case, criterion, missing))
        more |= data.draw(surrogate_print(missing, criterion))
        leaf = data.draw(st.sampled_from([1, 5, 0.1]))
        rules = Conventions(criterion, "subset", missing, min_samples_leaf=leaf, **more)
        assert_nothing_else_matters(data, case, rules)

    @pytest.mark.parametrize("criterion", CRITERIA)
    @many(25)
    @given(data=st.data())
    def test_directions_and_surrogates_by_the_naive_grower(
        self, data: st.DataObject, criterion: Any
    ) -> None:
        case = data.draw(target_cases(criterion, "directions", "surrogates"))
        more = data.draw(signs_and_costs(case, criterion)) | {"feature_costs": None}
        more |= data.draw(surrogate_print("surrogate", criterion))
        rules = Conventions(criterion, "subset", "surrogate", **more)
        assume(case.is_exact(rules))
        check_target_tree(case.naive, rules, case.grow(rules), exact=True)


class TestClasses:
    @pytest.mark.parametrize("missing", policies())
    @many(25)
    @given(data=st.data())
    def test_small_tables(self, data: st.DataObject, missing: Any) -> None:
        """With priors as well."""
        case = data.draw(cases("combined", missing))
        case = replace(case, y=[c % 2 for c in case.y], n_classes=2)
        assume(len(set(case.y)) == 2)
        kind = data.draw(st.sampled_from(["subset", "one_vs_rest"]))
        more = data.draw(fine_print(missing)) | data.draw(surrogate_print(missing))
        more |= data.draw(signs_and_costs(case, missing))
        if missing == "branch":  # which monotonic probabilities do not allow
            more["monotonic_cst"] = {}
        more["priors"] = data.draw(st.sampled_from([None, {0: 0.25, 1: 0.75}]))
        rules = Conventions("gini", kind, missing, **more)
        assert_nothing_else_matters(data, case, rules)


class TestGroupsOfCategories:
    """Merged by C4.5's rules, which do not know numeric targets."""

    @pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
    @many(80)
    @given(data=st.data())
    def test_scores_are_decreases_of_impurity(self, data: st.DataObject, criterion: Any) -> None:
        """Those of categories that weigh at most half a row, and are set aside, included."""
        case = data.draw(target_cases(criterion, "grouped", gaps=False))
        tree = case.grow(Conventions(criterion, "grouped", "error"))
        for node in np.flatnonzero(tree.kind == NodeKind.GROUPED):
            first = tree.first_child[node]
            below = slice(first, first + tree.n_children[node])
            left = np.dot(tree.weight[below], tree.impurity[below]) / tree.weight[node]
            gain = tree.impurity[node] - left
            assert tree.score[node] == pytest.approx(gain, rel=1e-6, abs=1e-9 * tree.impurity[node])

    @many(80)
    @given(data=st.data(), missing=st.sampled_from(["most_common", "branch", "error"]))
    def test_no_branch_of_a_poisson_tree_predicts_zero(
        self, data: st.DataObject, missing: Any
    ) -> None:
        case = data.draw(target_cases("poisson", "zeros", gaps=missing != "error"))
        few = [max(0.0, y - np.median(case.y)) for y in case.y]
        case = replace(case, y=few if any(few) else case.y)
        tree = case.grow(Conventions("poisson", "grouped", missing))
        assume(tree.prediction[0] > 0)  # not all events have a weight of 0
        assert (tree.prediction > 0).all()

    def test_zeros_join_the_group_of_the_least_mean(self) -> None:
        model = pt.DecisionTreeRegressor(criterion="poisson", categorical="grouped")
        tree = model.fit({"k": list("aabbccdd")}, [0, 0, 3, 4, 9, 8, 3, 2]).tree_
        leaf = {k: tree.apply({"k": [k]})[0] for k in "ad"}
        assert leaf["a"] == leaf["d"]
        assert model.predict({"k": list("abcd")}).tolist() == [1.25, 3.5, 8.5, 1.25]


class TestLargeTargets:
    """Sums of squares exceed the largest float long before the targets do."""

    @pytest.mark.parametrize(
        ("criterion", "most"),
        [("squared_error", 1e140), ("absolute_error", 1e280), ("poisson", 1e280)],
    )
    def test_the_limit(self, criterion: Any, most: float) -> None:
        X = {"x": np.arange(1000.0)}
        y = np.r_[np.zeros(500), np.full(499, most / 2), most]
        tree = pt.DecisionTreeRegressor(criterion=criterion, max_depth=3).fit(X, y).tree_
        assert np.isfinite(tree.impurity).all()
        assert tree.size > 0
        with pytest.raises(TableError, match=f"targets in 'target' are too large for.*{criterion}"):
            pt.DecisionTreeRegressor(criterion=criterion).fit(X, 2 * y)
        with pytest.raises(TableError, match="divide the target by a constant"):
            pt.RandomForestRegressor(criterion=criterion).fit(X, -2 * y)
