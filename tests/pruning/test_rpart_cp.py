"""The cp tables of rpart's stored runs, on all tables without missing values."""

from __future__ import annotations

from collections import Counter
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from plaintree.pruning.curves import pruning_path
from plaintree.pruning.path import PruningPath
from plaintree.tree.node import Node
from plaintree.tree.prediction import node_risks
from tests.support.reference_tables import needs_shared
from tests.support.rpart_runs import RpartRun, rpart_runs

pytestmark = needs_shared

RUNS = list(rpart_runs("rpart_anova", "rpart_cart"))
COMPARED = [run for run in RUNS if run.left_out is None]
STORED = [run for run in RUNS if "nodes" in run.stored and run.args["cp"] >= 0]
TIES = "splits tie, and rounding decides there"
NO_WEIGHT = "rows without weight count in minsplit there"
ZERO = "there a leaf may predict 0 events; here the deviance of others from it is infinite"
EQUAL_MEANS = "categories of equal means, which the best split separates, are ordered by rounding"
AT_THRESHOLD = "a row held out is exactly at a threshold: it is left of it here, right of it there"
SQUARE_ROOTS = "the error is that of square roots there"
OTHER_TABLE = MappingProxyType(
    {
        "barley-wzero": NO_WEIGHT,
        "boston-full": TIES,
        "iris_petal-cp0_minsplit5": TIES,
        "iris_petal-full": TIES,
        "mtcars-wzero": NO_WEIGHT,
        "servo-full": TIES,
        "servo-wfrac_cp001": TIES,
        "solder-full": TIES,
        "solder-poisson_shrink0_cp001": ZERO,
    }
)
"""The runs that have another cp table, and why."""
OTHER_XERROR = MappingProxyType(
    {
        "boston-cp0_minsplit5": TIES,
        "boston-w123_cp001": TIES,
        "boston-wfrac_cp001": TIES,
        "insurance-cp0_minsplit5": TIES,
        "insurance-poisson_shrink0": AT_THRESHOLD,
        "insurance-poisson_shrink0_cp001": AT_THRESHOLD,
        "insurance-poisson_sqrt": SQUARE_ROOTS,
        "mtcars-cp0_minsplit5": TIES,
        "servo-cp001": TIES,
        "servo-cp0_minsplit5": TIES,
        "servo-w123": TIES,
        "servo-w123_cp001": TIES,
        "solder-cp001": EQUAL_MEANS,
        "solder-cp0_minsplit5": TIES,
        "solder-poisson_sqrt": SQUARE_ROOTS,
        "solder-w123_cp001": EQUAL_MEANS,
    }
)
"""Other runs, whose cross-validated errors differ, because another tree is grown in a fold."""


@cache
def path_of(run: RpartRun) -> PruningPath:
    X, y, weights = run.table
    model = run.learner.fit(X, y, weights)
    options: dict[str, Any] = {"links": "rpart", "cp": run.args["cp"]}
    if run.folds is None:
        return pruning_path(model, **options)
    return pruning_path(model, X, y, weights, folds=run.folds, **options)


def test_the_runs_that_are_left_out() -> None:
    assert Counter(run.left_out for run in RUNS) == {
        None: 89,
        "missing values (surrogates)": 179,
        "shrunken rates": 10,
        "priors or losses": 9,
        "costs of features": 7,
        "exposure": 6,
        "splits that do not lower the risk": 1,
    }


@pytest.mark.parametrize("run", STORED, ids=str)
def test_cp_tables_of_the_stored_trees(run: RpartRun) -> None:
    """Pruning alone: the trees are rpart's, of all tasks, with surrogates, priors and losses."""
    table = pruning_path(run.tree, links="rpart", cp=run.args["cp"]).cp_table()
    columns = np.array([table.cp, table.n_splits, table.relative_errors]).T
    if str(run) == "kyphosis-loss_5_1":  # a root that cannot be split has CP 0 there
        columns[0, 0] = 0.0
    assert columns == pytest.approx(run.cp_table[:, :3], abs=1e-11)


@pytest.mark.parametrize("run", COMPARED, ids=str)
def test_cp_splits_and_relative_errors(run: RpartRun) -> None:
    found, stored = path_of(run).cp_table(), run.cp_table
    columns = np.array([found.cp, found.n_splits, found.relative_errors]).T
    same = len(columns) == len(stored) and np.allclose(columns, stored[:, :3], atol=1e-11)
    assert same == (str(run) not in OTHER_TABLE)


@pytest.mark.parametrize("run", [run for run in COMPARED if run.folds is not None], ids=str)
def test_cross_validated_errors_on_the_stored_folds(run: RpartRun) -> None:
    if str(run) in OTHER_TABLE:
        return
    found, stored = path_of(run).cp_table(), run.cp_table
    columns = np.array([found.cv_errors, found.cv_deviations]).T
    # rpart does not cross-validate a root alone.
    same = len(stored) == 1 or np.allclose(columns, stored[:, 3:], atol=1e-11)
    assert same == (str(run) not in OTHER_XERROR)
    if same and len(stored) > 1:
        lowest = stored[:, 3].argmin()
        within = stored[:, 3] <= stored[lowest, 3:].sum()
        assert (found.min, found.one_se) == (lowest, np.flatnonzero(within)[0])


@pytest.mark.parametrize("run", COMPARED, ids=str)
def test_complexity_of_every_node(run: RpartRun) -> None:
    """Of all splits that both trees have, but for nodes below a tie."""
    if str(run) in OTHER_TABLE or "nodes" not in run.stored:
        return
    path, theirs = path_of(run), {node["id"]: node for node in run.stored["nodes"]}
    pending, compared = [(path.tree(float(path.alphas[0])).root, path.source.root, 1)], 0
    while pending:
        pruned, node, number = pending.pop()
        assert pruned.is_leaf == (theirs[number]["var"] == "<leaf>")
        if pruned.is_leaf:
            continue
        cp = path.links[node.index] / path.risks[-1]
        assert cp == pytest.approx(theirs[number]["complexity"], abs=1e-11)
        compared += 1
        if number not in run.stored["tie_nodes"]:
            order = as_there(pruned, theirs[2 * number])
            pending += [
                (pruned.children[i], node.children[i], 2 * number + side)
                for side, i in enumerate(order)
            ]
    assert compared or len(theirs) == 1


def as_there(node: Node, left: dict[str, Any]) -> tuple[int, int]:
    """The order of two children in which the left one is rpart's."""
    known = ["wt", "dev", *(["yval"] if "prob" not in left else [])]
    ours = [(child.weight, risk_of(child), child.prediction) for child in node.children]
    is_left = [np.allclose(c[: len(known)], [left[k] for k in known], atol=1e-6) for c in ours]
    assert any(is_left)
    return (0, 1) if is_left[0] else (1, 0)


def risk_of(node: Node) -> float:
    """The risk of a node as rpart has it: the deviance, not half of it."""
    twice = 2 if node.tree.conventions.criterion == "poisson" else 1
    return float(twice * node_risks(node.tree)[node.index])
