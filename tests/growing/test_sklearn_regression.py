"""Regression trees node by node like scikit-learn's, where no tie is decided at random."""

from __future__ import annotations

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

CRITERIA = ["squared_error", "poisson"]


def preorder(tree: Tree) -> list[int]:
    """Nodes in scikit-learn's order: depth first, the left child first."""
    found, pending = [], [0]
    while pending:
        node = pending.pop()
        found.append(node)
        first, n = int(tree.first_child[node]), int(tree.n_children[node])
        pending += reversed(range(first, first + n))
    return found


def check_nodes(tree: Tree, nodes: dict[str, Any]) -> None:
    """Features are -1 (or less) in leaves; thresholds are compared at inner nodes."""
    order = preorder(tree)
    feature = np.maximum(nodes["feature"], -1)
    assert tree.feature[order].tolist() == feature.tolist()
    inner = feature >= 0
    # scikit-learn has values, and so midpoints, in 32 bits.
    assert np.allclose(tree.threshold[order][inner], nodes["threshold"][inner], rtol=1e-6)
    assert tree.n_rows[order].tolist() == nodes["n"].tolist()
    assert np.allclose(tree.prediction[order], nodes["value"], rtol=1e-12)
    scale = nodes["impurity"][0]
    assert np.allclose(tree.impurity[order], nodes["impurity"], rtol=1e-9, atol=1e-12 * scale)


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
    nodes = theirs.tree_
    check_nodes(
        ours.tree_,
        {
            "feature": nodes.feature,
            "threshold": nodes.threshold,
            "n": nodes.n_node_samples,
            "value": nodes.value[:, 0, 0],
            "impurity": nodes.impurity,
        },
    )


def numbers(name: str, column: str) -> NDArray[np.float64]:
    return np.array([float(c) if c else np.nan for c in cells(f"regression/{name}")[column]])


def target_of(name: str) -> NDArray[np.float64]:
    return numbers(name, description(f"regression/{name}")["target"])


def stored_runs() -> list[tuple[str, str]]:
    """Runs that do not depend on the seed, of tables without missing values."""
    if not (SHARED / "golden" / "sklearn_regression").is_dir():
        return []
    return [
        (name, run)
        for name in names_in("sklearn_regression")
        for run, stored in golden("sklearn_regression", name)["runs"].items()
        if stored.get("same_tree_for_seeds_0_4")
        and stored.get("tree")
        and not golden("sklearn_regression", name)["gaps"]
        and stored["args"]["criterion"] in CRITERIA
        and "monotonic_cst" not in stored["args"]
    ]


@needs_shared
@pytest.mark.parametrize(("name", "run"), stored_runs())
def test_stored_results(name: str, run: str) -> None:
    about, stored = golden("sklearn_regression", name), golden("sklearn_regression", name)["runs"]
    columns, tree = about["columns"], stored[run]["tree"]
    table = np.column_stack([numbers(name, column) for column in columns])
    target = target_of(name)
    args = {k: v for k, v in stored[run]["args"].items() if k != "weights"}
    ours = CARTRegressor(**args).fit(table, target)
    position = {column: i for i, column in enumerate(columns)}
    check_nodes(
        ours.tree_,
        {
            "feature": np.array([position.get(c, -1) for c in tree["feature"]]),
            "threshold": np.array([np.nan if t is None else t for t in tree["threshold"]]),
            "n": np.array(tree["n"]),
            "value": np.array(tree["value"]),
            "impurity": np.array(tree["impurity"]),
        },
    )
