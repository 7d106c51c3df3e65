"""rpart's stored trees read back: every node, and the node that predicts every row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from plaintree.data.encode import encode, learn_schema
from plaintree.data.table import table_from
from plaintree.interop.foreign.rpart import from_rpart
from plaintree.tree.predict import predicting_nodes, row_predictions
from plaintree.tree.tree import Tree
from tests.support.reference_tables import description
from tests.support.rpart_runs import RpartRun, rpart_runs

RUNS = list(rpart_runs("rpart_anova", "rpart_cart"))
NODES = [run for run in RUNS if "nodes" in run.stored]
pytestmark = pytest.mark.skipif(not RUNS, reason="rpart's results are not here")


def read(run: RpartRun) -> Tree:
    """The tree of a run, with the schema of its table."""
    X, _, _ = run.table
    about, is_class = description(run.where), run.args["method"] == "class"
    classes = about["classes"] if is_class else ()
    schema, _ = learn_schema(table_from(X), classes=classes)
    nodes = run.stored["nodes"]
    if is_class and not isinstance(nodes[0]["yval"], str):
        nodes = [node | {"yval": classes[int(node["yval"]) - 1]} for node in nodes]
    source = {"nodes": nodes, "splits": run.stored["splits"], "method": run.args["method"]}
    return from_rpart(source | {"usesurrogate": run.args["usesurrogate"]}, schema)


def numbers_in_rpart(tree: Tree, run: RpartRun) -> list[int]:
    """The number that rpart has for each node of the tree."""
    stored = {node["id"]: node for node in run.stored["nodes"]}
    numbers = [1] * tree.n_nodes
    for node in range(tree.n_nodes):
        if tree.n_children[node]:
            left, right = 2 * numbers[node], 2 * numbers[node] + 1
            first = int(tree.first_child[node])
            is_left = all(
                tree.n_rows[first + place] == stored[number]["n"]
                and np.isclose(said(tree, first + place), predicted(stored[number], run))
                for place, number in enumerate((left, right))
            )
            numbers[first : first + 2] = (left, right) if is_left else (right, left)
    return numbers


def said(tree: Tree, node: int) -> float:
    return float(tree.label[node] if tree.schema.classes else tree.prediction[node])


def predicted(record: dict[str, Any], run: RpartRun) -> float:
    if run.args["method"] != "class":
        return float(record["yval"])
    classes = description(run.where)["classes"]
    yval = record["yval"]
    return float(classes.index(yval) if isinstance(yval, str) else int(yval) - 1)


def ends(tree: Tree, X: pd.DataFrame, run: RpartRun) -> list[int]:
    found = predicting_nodes(tree, encode(table_from(X), tree.schema))
    return np.array(numbers_in_rpart(tree, run))[found].tolist()


@pytest.mark.parametrize("run", NODES, ids=str)
def test_nodes_and_the_node_that_predicts_each_row(run: RpartRun) -> None:
    tree, stored = read(run), run.stored
    assert (tree.n_nodes, tree.n_leaves) == (stored["n_nodes"], stored["n_leaves"])
    of = {node["id"]: node for node in stored["nodes"]}
    for node, number in enumerate(numbers_in_rpart(tree, run)):
        assert tree.n_rows[node] == of[number]["n"]
        if not tree.schema.classes:
            assert tree.prediction[node] == of[number]["yval"]
            assert tree.weight[node] == of[number]["wt"]
            halves = 2 if run.args["method"] == "poisson" else 1
            deviance = tree.impurity[node] * tree.weight[node] * halves
            assert deviance == pytest.approx(of[number]["dev"], rel=1e-12, abs=1e-9)
    X = run.every_row
    if "predict_node" in stored:
        assert ends(tree, X, run) == stored["predict_node"]
    if "predict" in stored:
        numbers = row_predictions(tree, encode(table_from(X), tree.schema))
        np.testing.assert_array_equal(numbers, stored["predict"])
    if "holes_node" in stored:
        assert ends(tree, run.holes, run) == stored["holes_node"]
