"""The rows of one node, compared with a walk through the whole tree."""

from __future__ import annotations

from time import process_time
from typing import Any

import numpy as np
import polars as pl
import pytest

import plaintree as pt
from plaintree.data.encode import encode
from plaintree.data.table import table_from
from plaintree.errors import ArgumentTypeError, ColumnError, TreeError
from plaintree.tree import Tree, path_of, rows_at
from plaintree.tree.walk import walk_rows

MODELS: dict[str, Any] = {
    "C4.5": pt.C45Classifier(pruning=None),
    "ID3": pt.ID3Classifier(),
    "CART": pt.CARTClassifier(),
    "surrogates": pt.CARTClassifier(missing="surrogate", max_depth=4),
    "branch": pt.DecisionTreeClassifier(missing="branch"),
    "divided": pt.DecisionTreeClassifier(missing="fractional", categorical="subset"),
    "stop": pt.DecisionTreeClassifier(missing="fractional", unseen="stop"),
}


def table(seed: int, n: int = 150) -> tuple[pl.DataFrame, list[str]]:
    random = np.random.default_rng(seed)
    x, z = random.normal(size=n).round(1), random.integers(0, 5, n)
    color = random.choice(["red", "green", "blue"], n)
    y = np.where((x > 0) ^ (color == "red") ^ (random.random(n) < 0.1), "yes", "no")
    gaps = random.random((3, n)) < 0.15
    columns = {"x": x, "z": z, "color": color}
    frame = pl.DataFrame(
        {
            name: [None if gap else v for v, gap in zip(values.tolist(), row, strict=True)]
            for (name, values), row in zip(columns.items(), gaps, strict=True)
        }
    )
    return frame, y.tolist()


def expected(tree: Tree, X: Any, weights: np.ndarray) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    assert tree.conventions is not None
    columns = encode(table_from(X), tree.schema, unseen=tree.conventions.unseen)
    return {at.node: (at.rows, at.weights) for at in walk_rows(tree, columns, weights)}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("seed", range(3))
def test_each_node_has_the_rows_of_a_walk_through_the_tree(name: str, seed: int) -> None:
    X, y = table(seed)
    tree = MODELS[name].fit(X, y).tree_
    weights = np.linspace(1, 3, len(y))
    other = X.with_columns(color=pl.col("color").replace("red", "violet"))
    for rows in (X, other):
        whole = expected(tree, rows, weights)
        for node in range(tree.n_nodes):
            positions, found = rows_at(tree, rows, node, weights)
            at, share = whole.get(node, (np.empty(0), np.empty(0)))
            assert positions.tolist() == at[share > 0].tolist()
            np.testing.assert_allclose(found, share[share > 0], rtol=1e-12)


def test_training_rows_have_the_weights_that_the_tree_has() -> None:
    X, y = table(7)
    for name in ("C4.5", "CART", "branch"):
        tree = MODELS[name].fit(X, y).tree_
        for node in range(tree.n_nodes):
            found = rows_at(tree, X, node)
            assert found.weights.sum() == pytest.approx(tree.weight[node])
            assert len(found.positions) == tree.n_rows[node]


def test_a_divided_row_has_a_part_of_its_weight() -> None:
    X, y = pt.datasets.load_golf()
    model = pt.C45Classifier().fit(X, y)
    gap = X.with_columns(outlook=pl.Series([None, *X["outlook"].to_list()[1:]], dtype=pl.String))
    positions, weights = rows_at(model, gap, [2])
    assert positions[0] == 0
    assert weights[0] == pytest.approx(5 / 14)
    assert set(weights[1:]) == {1.0}


def test_the_node_is_a_number_a_path_or_a_node() -> None:
    X, y = pt.datasets.load_tennis()
    tree = pt.ID3Classifier().fit(X, y).tree_
    for node in tree.walk():
        by_number, by_path, by_node = (
            rows_at(tree, X, at).positions.tolist()
            for at in (node.index, path_of(tree, node), node)
        )
        assert by_number == by_path == by_node
    with pytest.raises(TreeError, match="there is no such node"):
        rows_at(tree, X, 99)
    with pytest.raises(TreeError, match="the path leads to no node"):
        rows_at(tree, X, [9])
    with pytest.raises(ArgumentTypeError, match="node must be a number or a path"):
        rows_at(tree, X, 1.5)  # type: ignore[arg-type]


def test_only_columns_on_the_path_are_needed() -> None:
    X, y = pt.datasets.load_tennis()
    tree = pt.ID3Classifier().fit(X, y).tree_
    assert rows_at(tree, X.select("Outlook"), [2]).positions.tolist() == [0, 1, 7, 8, 10]
    with pytest.raises(ColumnError, match="lacks columns that the model uses"):
        rows_at(tree, X.select("Outlook"), [2, 0])


def test_rows_without_weight_are_left_out() -> None:
    X, y = pt.datasets.load_tennis()
    tree = pt.ID3Classifier().fit(X, y).tree_
    found = rows_at(tree, X, 0, sample_weight=[0] * 7 + [2] * 7)
    assert found.positions.tolist() == list(range(7, 14))
    assert set(found.weights) == {2.0}


@pytest.mark.slow
def test_a_million_rows_take_well_under_a_second() -> None:
    random = np.random.default_rng(1)
    X = random.normal(size=(1_000_000, 6))
    y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)
    tree = pt.CARTClassifier(max_depth=12).fit(X[:50_000], y[:50_000]).tree_
    began = process_time()
    found = rows_at(tree, X, tree.n_nodes - 1)
    assert process_time() - began < 1
    assert 0 < len(found.positions) < 1_000_000
