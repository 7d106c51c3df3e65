"""Pruning of regression trees, against trying every pruned tree and summing losses row by row."""

from __future__ import annotations

from itertools import product
from math import log, sqrt
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.metrics import mean_absolute_error, mean_poisson_deviance, root_mean_squared_error

import plaintree as pt
from plaintree.data.schema import Feature, Schema
from plaintree.errors import ParameterError, TableError
from plaintree.pruning.curves import overfitting_curve, pruning_path
from plaintree.tree.build import NodeDescription, build_tree
from plaintree.tree.condition import Threshold
from plaintree.tree.cut import cut_nodes
from plaintree.tree.predict import predicted_numbers
from plaintree.tree.tree import Tree
from tests.support.pruned import pruned_tree
from tests.support.reference_tables import golden, names_in, needs_shared

CRITERIA = ("squared_error", "absolute_error", "poisson")
Rows = tuple[pd.DataFrame, NDArray[np.float64], NDArray[np.float64]]


def loss(criterion: str, predicted: float, actual: float) -> float:
    if criterion == "squared_error":
        return (actual - predicted) ** 2
    if criterion == "absolute_error":
        return abs(actual - predicted)
    return (actual * log(actual / predicted) if actual else 0.0) - actual + predicted


def total_loss(tree: Tree, rows: Rows) -> float:
    X, y, weights = rows
    codes = X["colour"].cat.codes.to_numpy(np.int32)
    predictions = predicted_numbers(tree, [X["x"].to_numpy(), codes]).tolist()
    criterion = tree.conventions.criterion
    each = zip(weights.tolist(), predictions, y.tolist(), strict=True)
    return sum(w * loss(criterion, predicted, actual) for w, predicted, actual in each)


def rows_of(seed: int, n: int = 30, *, gaps: bool = False) -> Rows:
    """A number and a category, a target of few values, and weights."""
    random = np.random.default_rng(seed)
    x = random.integers(0, 8, n).astype(float)
    colours = random.choice(list("rgb"), n).astype(object)
    y = np.round(x / 2 + 3 * (colours == "r") + random.integers(0, 4, n))
    if gaps:
        x[random.random(n) < 0.2] = np.nan
    X = pd.DataFrame({"x": x, "colour": pd.Categorical(colours, list("rgb"))})
    return X, y, random.integers(1, 4, n).astype(float)


def grown(criterion: Any, rows: Rows, **options: Any) -> pt.CARTRegressor:
    X, y, weights = rows
    return pt.CARTRegressor(criterion, max_leaf_nodes=6, **options).fit(X, y, weights)


def all_prunings(tree: Tree) -> list[Tree]:
    """Every tree that cutting can make of a small one."""
    inner = np.flatnonzero(tree.n_children)
    found = {}
    for cut in product([False, True], repeat=len(inner)):
        mask = np.zeros(tree.n_nodes, dtype=bool)
        mask[inner] = cut
        small = cut_nodes(tree, mask)
        found[small.content_hash()] = small
    return list(found.values())


seeds = st.integers(0, 10_000)


@pytest.mark.parametrize("criterion", CRITERIA)
class TestReducedError:
    @settings(max_examples=25)
    @given(seed=seeds)
    def test_bottom_up_is_the_smallest_of_the_best(self, criterion: str, seed: int) -> None:
        model, rows = grown(criterion, rows_of(seed)), rows_of(seed + 1)
        losses = [(total_loss(tree, rows), tree.size) for tree in all_prunings(model.tree_)]
        lowest = min(losses)[0]
        pruned = pruned_tree(model, "reduced_error", *rows)
        assert pruned.size == min(size for loss, size in losses if loss <= lowest + 1e-9)
        assert total_loss(pruned, rows) == pytest.approx(lowest)

    @settings(max_examples=25)
    @given(seed=seeds)
    def test_greedy_stops_when_every_removal_worsens(self, criterion: str, seed: int) -> None:
        model, rows = grown(criterion, rows_of(seed)), rows_of(seed + 1)
        pruned = pruned_tree(model, "reduced_error", *rows, order="greedy")
        for node in np.flatnonzero(pruned.n_children):
            shorter = cut_nodes(pruned, np.arange(pruned.n_nodes) == node)
            assert total_loss(shorter, rows) > total_loss(pruned, rows)

    def test_a_divided_row_has_a_loss_in_each_leaf(self, criterion: str) -> None:
        model = grown(criterion, rows_of(5, gaps=True), missing="fractional")
        pruned = pruned_tree(model, "reduced_error", *rows_of(6, gaps=True))
        assert 0 < pruned.size < model.tree_.size

    def test_during_fit(self, criterion: Any) -> None:
        X, y, weights = rows_of(0, 300)
        model = pt.CARTRegressor(criterion, pruning="reduced_error")
        full = pt.CARTRegressor(criterion)
        assert model.fit(X, y, weights).tree_.size < full.fit(X, y, weights).tree_.size


@pytest.mark.parametrize("criterion", CRITERIA)
class TestCostComplexity:
    @settings(max_examples=25)
    @given(seed=seeds, alpha=st.floats(0, 1))
    def test_least_risk_and_leaves_of_all_prunings(
        self, criterion: str, seed: int, alpha: float
    ) -> None:
        rows = rows_of(seed)
        model = grown(criterion, rows)
        alpha, weight = alpha * total_loss(model.tree_, rows), rows[2].sum()

        def price(tree: Tree) -> float:
            return total_loss(tree, rows) / weight + alpha * tree.n_leaves

        best = min(map(price, all_prunings(model.tree_)))
        assert price(pruned_tree(model, "cost_complexity", alpha=alpha)) == pytest.approx(best)

    @settings(max_examples=25)
    @given(seed=seeds)
    def test_risks_are_the_losses_of_the_training_rows(self, criterion: str, seed: int) -> None:
        rows = rows_of(seed)
        path = pruning_path(grown(criterion, rows))
        for tree, risk in zip(path.trees(), path.risks, strict=True):
            assert total_loss(tree, rows) / rows[2].sum() == pytest.approx(risk, abs=1e-12)

    @settings(max_examples=25)
    @given(seed=seeds, cp=st.floats(0, 1))
    def test_cp_is_alpha_in_units_of_the_root(self, criterion: str, seed: int, cp: float) -> None:
        model = grown(criterion, rows_of(seed))
        root = float(model.tree_.impurity[0])
        by_cp = pruned_tree(model, "cost_complexity", cp=cp)
        by_alpha = pruned_tree(model, "cost_complexity", alpha=cp * root * (1 + 1e-11))
        assert by_cp.difference(by_alpha) is None
        path = pruning_path(model, cp=cp)
        assert path.tree(float(path.alphas[0])).difference(by_cp) is None
        assert path.cp_table().cp[-1] == pytest.approx(cp)

    @pytest.mark.parametrize("gaps", [False, True])
    def test_cross_validation_row_by_row(self, criterion: str, gaps: bool) -> None:
        X, y, weights = rows = rows_of(1, 60, gaps=gaps)
        fold = np.arange(len(y)) % 4
        path = pruning_path(grown(criterion, rows), *rows, folds=fold)
        between = [*np.sqrt(path.alphas[:-1] * path.alphas[1:]), np.inf]
        losses = np.zeros((len(path), len(y)))
        for k in range(4):
            training = tuple(part[fold != k] for part in rows)
            nested = pruning_path(grown(criterion, training))
            for i, alpha in enumerate(between):
                tree = nested.tree(alpha)
                for row in np.flatnonzero(fold == k):
                    one = (X.iloc[[row]], y[[row]], np.ones(1))
                    losses[i, row] = total_loss(tree, one)
        total = weights.sum()
        means = losses @ weights / total
        variances = losses**2 @ weights / total - means**2
        assert path.cv_errors == pytest.approx(means)
        assert path.cv_deviations == pytest.approx(np.sqrt(variances / total))

    def test_one_se_during_fit_and_afterwards(self, criterion: Any) -> None:
        X, y, weights = rows_of(2, 300)
        options = {"choice": "one_se", "folds": np.arange(300) % 5}
        model = pt.CARTRegressor(criterion, pruning="cost_complexity", pruning_options=options)
        full = pt.CARTRegressor(criterion).fit(X, y, weights)
        afterwards = pruned_tree(full, "cost_complexity", X, y, weights, **options)
        assert model.fit(X, y, weights).tree_.difference(afterwards) is None
        assert 0 < afterwards.size < full.tree_.size


ERRORS = {
    "squared_error": ("RMSE", root_mean_squared_error),
    "absolute_error": ("mean absolute error", mean_absolute_error),
    "poisson": ("mean half deviance", lambda y, p: mean_poisson_deviance(y, p) / 2),
}


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("by", ["size", "alpha", "depth", "min_samples"])
@pytest.mark.parametrize("missing", ["most_common", "fractional"])
def test_overfitting_curve_is_that_of_each_tree(criterion: Any, by: Any, missing: Any) -> None:
    X, y, _ = rows_of(3, 200, gaps=True)
    X_val, y_val, _ = rows_of(4, 100, gaps=True)
    model = pt.CARTRegressor(criterion, missing=missing)
    curve = overfitting_curve(model, X, y, X_val, y_val, by=by)
    name, measure = ERRORS[criterion]
    assert curve.error_name == name
    assert curve.training_errors[-1] < curve.training_errors[0]
    if by == "depth":
        for depth, training, validation in zip(
            curve.values, curve.training_errors, curve.validation_errors, strict=True
        ):
            limited = pt.CARTRegressor(criterion, missing=missing, max_depth=int(depth)).fit(X, y)
            assert measure(y, limited.predict(X)) == pytest.approx(training)
            assert measure(y_val, limited.predict(X_val)) == pytest.approx(validation)
    whole = model.fit(X, y)
    if by == "alpha":  # begins at 0, where subtrees of no use have gone
        whole = pt.prune(whole, "cost_complexity", alpha=0)
    assert measure(y_val, whole.predict(X_val)) == pytest.approx(curve.validation_errors[-1])


def test_a_training_error_of_zero_is_zero() -> None:
    X, y = np.arange(50.0)[:, None], np.arange(50.0) * 0.1
    curve = overfitting_curve(pt.CARTRegressor(), X, y, X, y)
    assert curve.training_errors[-1] == 0.0
    assert curve.training_errors[0] == pytest.approx(sqrt(y.var()))


class TestRefused:
    @pytest.mark.parametrize("method", ["error_based", "pessimistic", "mdl"])
    def test_methods_that_count_errors(self, method: Any) -> None:
        rows = rows_of(0)
        table = rows[:2] if method == "error_based" else ()
        with pytest.raises(ParameterError, match=rf"the method '{method}' needs classes"):
            pruned_tree(grown("squared_error", rows), method, *table)

    def test_validation_rows_that_poisson_does_not_allow(self) -> None:
        X, y, _ = rows = rows_of(0)
        with pytest.raises(TableError, match=r"y holds a number below 0.* Got -[0-9.]+ in row 1"):
            pruned_tree(grown("poisson", rows), "reduced_error", X, y - y.max() - 1)

    @pytest.mark.parametrize("cp", [-0.1, 1.5, "small", float("nan")])
    def test_a_cp_out_of_range(self, cp: Any) -> None:
        model = grown("squared_error", rows_of(0))
        for prune in (lambda: pruned_tree(model, "cost_complexity", cp=cp),
                      lambda: pruning_path(model, cp=cp)):  # fmt: skip
            with pytest.raises(ParameterError, match=r"cp is out of range"):
                prune()


class TestCpTable:
    def test_reads_like_that_of_rpart(self) -> None:
        X, y, weights = rows_of(1, 100)
        model = pt.CARTRegressor(min_samples_split=20, min_samples_leaf=7).fit(X, y, weights)
        path = pruning_path(model, X, y, weights, folds=np.arange(100) % 10, cp=0.01)
        table = path.cp_table()
        head, _, names, *lines = str(table).splitlines()
        assert head == f"target: 100 rows, mean squared error of the root {table.root_risk:.5g}"
        assert names.split() == ["cp", "n_splits", "relative_error", "cv_error", "cv_deviation"]
        assert lines[0].split()[1:3] == ["0", "1.00000"]
        assert len(lines) == len(table) == len(table.to_frame())
        assert lines[table.min].endswith("<- min") or table.min == table.one_se
        assert "<- one_se" in lines[table.one_se]
        chosen = path.tree(path.best_alpha("one_se"))
        assert chosen.n_leaves - 1 == table.n_splits[table.one_se]

    def test_without_cross_validation(self) -> None:
        table = pruning_path(grown("poisson", rows_of(0))).cp_table()
        assert table.to_frame().columns == ["cp", "n_splits", "relative_error"]
        assert "<-" not in str(table)


def stored_paths() -> list[tuple[str, str]]:
    return [
        (name, run)
        for name in names_in("sklearn_regression")
        for run, stored in golden("sklearn_regression", name)["runs"].items()
        if "ccp_alphas" in stored and "tree" in stored
    ]


@needs_shared
@pytest.mark.parametrize(("name", "run"), stored_paths())
def test_alphas_of_the_trees_of_scikit_learn(name: str, run: str) -> None:
    """Equal links are cut one by one there: the last of them has the tree that is left."""
    stored = golden("sklearn_regression", name)["runs"][run]
    path = pruning_path(tree_of_arrays(stored["tree"]))
    alphas, impurities = np.array(stored["ccp_alphas"]), np.array(stored["ccp_impurities"])
    near = 1e-9 * alphas[-1]
    last = np.flatnonzero(np.append(np.diff(alphas) > near, True))
    assert path.alphas == pytest.approx(alphas[last], abs=near)
    assert path.risks == pytest.approx(impurities[last], abs=1e-9 * impurities[-1])


def tree_of_arrays(arrays: dict[str, list[Any]]) -> Tree:
    """A tree of the structure and the impurities of scikit-learn's."""
    names = ("left", "right", "n", "value", "impurity")
    nodes = [
        NodeDescription(
            condition=None if left < 0 else Threshold(0, 0.0),
            children=() if left < 0 else (left, right),
            n_rows=n,
            weight=float(n),
            prediction=value,
            impurity=impurity,
        )
        for left, right, n, value, impurity in zip(*(arrays[k] for k in names), strict=True)
    ]
    return build_tree(Schema((Feature("x", "numeric"),), ()), nodes)
