"""Regression trees node by node like scikit-learn's, where no tie is decided at random."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeRegressor

from plaintree import CARTRegressor
from plaintree.tree.tree import Tree
from tests.support.reference_tables import (
    SHARED,
    cells,
    description,
    golden,
    names_in,
    needs_shared,
)

CRITERIA = ["squared_error", "absolute_error", "poisson"]


@dataclass(frozen=True)
class Nodes:
    """The node arrays of one of scikit-learn's trees; the feature of a leaf is negative."""

    feature: NDArray[Any]
    threshold: NDArray[Any]
    left: NDArray[Any]
    right: NDArray[Any]
    n: NDArray[Any]
    weight: NDArray[Any]
    value: NDArray[Any]
    impurity: NDArray[Any]

    def check(self, tree: Tree) -> int:
        """Compare a tree node by node; return how many nodes have equally good other splits.

        Splits of one node often leave exactly the same absolute error, and small nodes of the
        monotonic runs the same squared error. Which of these scikit-learn finds is left to rounding
        or the seed. What is below is not compared.
        """
        pending, n_tied = [(0, 0)], 0
        while pending:
            ours, theirs = pending.pop()
            self.check_node(tree, ours, theirs)
            if self.feature[theirs] < 0:
                assert tree.feature[ours] < 0
                continue
            children = int(tree.first_child[ours]) + np.arange(2)
            kids = np.array([self.left[theirs], self.right[theirs]])
            if self.same_split(tree, ours, theirs):
                pending += zip(children.tolist(), kids.tolist(), strict=True)
                continue
            rules = tree.conventions
            assert rules.criterion == "absolute_error" or rules.monotonic_cst
            left_open = tree.weight[children] @ tree.impurity[children]
            assert np.isclose(left_open, self.weight[kids] @ self.impurity[kids], rtol=1e-9)
            n_tied += 1
        return n_tied

    def same_split(self, tree: Tree, ours: int, theirs: int) -> bool:
        # scikit-learn has values, and so midpoints, in 32 bits.
        same = np.isclose(tree.threshold[ours], self.threshold[theirs], rtol=1e-6)
        return bool(same) and bool(tree.feature[ours] == self.feature[theirs])

    def check_node(self, tree: Tree, ours: int, theirs: int) -> None:
        assert tree.n_rows[ours] == self.n[theirs]
        assert np.isclose(tree.prediction[ours], self.value[theirs], rtol=1e-12)
        near = 1e-12 * self.impurity[0]
        assert np.isclose(tree.impurity[ours], self.impurity[theirs], rtol=1e-9, atol=near)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("min_samples_leaf", [4, 20])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_random_tables_without_ties(
    criterion: Any, min_samples_leaf: int, weighted: bool, seed: int
) -> None:
    random = np.random.default_rng(seed)
    table = random.permuted(np.tile(np.arange(400.0)[:, None], 5), axis=0)
    y = np.round(table @ random.normal(size=5) + 50 * random.normal(size=400), 2)
    y = y - y.min() + 1
    weights = random.integers(1, 5, 400).astype(float) if weighted else None
    # Fewer rows may be split alike by two columns.
    limits: dict[str, Any] = {"min_samples_leaf": min_samples_leaf, "max_depth": 5}
    theirs = DecisionTreeRegressor(criterion=criterion, random_state=0, **limits)
    theirs.fit(table, y, sample_weight=weights)
    ours = CARTRegressor(criterion, **limits).fit(table, y, sample_weight=weights)
    t = theirs.tree_
    size, value = t.weighted_n_node_samples, t.value[:, 0, 0]
    arrays = (t.feature, t.threshold, t.children_left, t.children_right, t.n_node_samples)
    assert Nodes(*arrays, size, value, t.impurity).check(ours.tree_) < t.node_count / 4


def numbers(name: str, column: str) -> NDArray[np.float64]:
    return np.array([float(c) if c else np.nan for c in cells(f"regression/{name}")[column]])


def target_of(name: str) -> NDArray[np.float64]:
    return numbers(name, description(f"regression/{name}")["target"])


def stored_runs() -> list[tuple[str, str]]:
    """Runs that do not depend on the seed, and monotonic ones, without missing values."""
    if not (SHARED / "golden" / "sklearn_regression").is_dir():
        return []
    return [
        (name, run)
        for name in names_in("sklearn_regression")
        for run, stored in golden("sklearn_regression", name)["runs"].items()
        if (stored.get("same_tree_for_seeds_0_4") or "monotonic_cst" in stored["args"])
        and stored.get("tree")
        and not golden("sklearn_regression", name)["gaps"]
        and stored["args"]["criterion"] in CRITERIA
    ]


@needs_shared
@pytest.mark.parametrize(("name", "run"), stored_runs())
def test_stored_results(name: str, run: str) -> None:
    about, stored = golden("sklearn_regression", name), golden("sklearn_regression", name)["runs"]
    columns, tree = about["columns"], stored[run]["tree"]
    table = np.column_stack([numbers(name, column) for column in columns])
    target = target_of(name)
    args = {k: v for k, v in stored[run]["args"].items() if k != "weights"}
    if "monotonic_cst" in args:  # by column
        args["monotonic_cst"] = {columns.index(c): s for c, s in args["monotonic_cst"].items()}
    ours = CARTRegressor(**args).fit(table, target)
    position = {column: i for i, column in enumerate(columns)}
    nodes = Nodes(
        feature=np.array([position.get(c, -1) for c in tree["feature"]]),
        threshold=np.array([np.nan if t is None else t for t in tree["threshold"]]),
        left=np.array(tree["left"]),
        right=np.array(tree["right"]),
        n=np.array(tree["n"]),
        weight=np.array(tree["n"]),
        value=np.array(tree["value"]),
        impurity=np.array(tree["impurity"]),
    )
    assert nodes.check(ours.tree_) < len(nodes.n) / 4
