"""Refitting a tree: its splits stay, its counts, labels and numbers are those of other rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.rows import Rows
from plaintree.stats.centres import centre
from plaintree.stats.impurity import gains, impurities

from .build import PLAIN_GAINS
from .conventions import criterion_of
from .decision import DecisionRule
from .edit import recorded
from .prediction import labels_of, loss_of
from .tree import Tree
from .walk import rows_from, walk_rows

Floats = NDArray[np.float64]
Part = tuple[int, NDArray[Any], Floats]
"""A node, and the targets and weights of the rows that reach it."""


def refit(tree: Tree, X: Any, y: Any, sample_weight: Any = None) -> Tree:
    """Recompute counts and labels, or numbers, from the rows of a table; the splits stay.

    Rows with missing values are routed as in prediction: to the child for missing values, or
    divided over the branches in proportion to the known rows of this table. A node that no row
    reaches gets the label or the number of its parent. Scores are kept where the rows of a node are
    unchanged. Otherwise they are recomputed if the criterion is a gain, and NaN if not. The change
    is recorded in ``edits``.

    Parameters
    ----------
    tree : Tree
        The tree; it is not changed.
    X : table of shape (n_samples, n_features)
        Rows with the columns of the training table.
    y : array-like of shape (n_samples,)
        Their classes, all of them known to the tree; or their numbers.
    sample_weight : array-like of shape (n_samples,), default=None
        The rows' weights. None gives every row the weight 1.

    Returns
    -------
    Tree
        The new tree.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> tree = pt.ID3Classifier(max_depth=1).fit(X, y).tree_
    >>> print(refit(tree, X.head(6), y.head(6)))
    Play: 6 rows (No: 3, Yes: 3)
    ├─ Outlook = Overcast: Yes (1)
    ├─ Outlook = Rain: Yes (3; No: 1, Yes: 2)
    └─ Outlook = Sunny: No (2)

    >>> tree = pt.CARTRegressor(max_depth=1).fit([[1], [2], [8]], [10, 12, 30]).tree_
    >>> print(refit(tree, [[1], [2], [3], [9]], [10, 12, 14, 50]))
    target: 4 rows (mean 21.5, sd 16.52)
    ├─ x0 <= 5: 12 (3, sd 1.633)
    └─ x0 > 5: 50 (1, sd 0)
    """
    rows = rows_from(tree, X, y, sample_weight)
    counted = _counted(tree, rows[rows.known_weights > 0])
    same = _unchanged(tree, counted)
    names = ("impurity",) if tree.schema.classes else ("weight", "prediction", "impurity")
    for name in names:  # kept to the last bit where they are the same
        counted[name] = np.where(same, getattr(tree, name), counted[name])
    gain = gains(tree.parent, counted["weight"], counted["impurity"])
    scores: dict[str, Any] = {
        "score": _scores(tree, same, gain),
        "n_tied": np.where(same, tree.n_tied, 0),
    }
    after = replace(tree, **counted, **scores)
    return recorded(tree, after, "refit", rows=len(rows.target))


def _unchanged(tree: Tree, counted: dict[str, Any]) -> NDArray[np.bool_]:
    """The nodes whose counts, or numbers, are those of before, up to rounding."""
    if tree.schema.classes:
        close = np.isclose(counted["class_weights"], tree.class_weights, rtol=1e-12, atol=0)
        return np.asarray(close.all(axis=1))
    same: NDArray[np.bool_] = np.isclose(counted["weight"], tree.weight, rtol=1e-12, atol=0)
    for name in ("prediction", "impurity"):
        before = getattr(tree, name)
        rounding = 1e-12 * float(np.abs(before).max())  # a sum near 0 is rounded as its terms are
        same &= np.isclose(counted[name], before, rtol=1e-12, atol=rounding)
    return same


def _counted(tree: Tree, rows: Rows) -> dict[str, Any]:
    """The arrays of a tree that are counted from rows."""
    counts = np.zeros(tree.n_nodes, dtype=np.int64)
    reached = []
    for at in walk_rows(tree, rows.columns, rows.known_weights, by_table=True):
        counts[at.node] = len(at.rows)
        reached.append((at.node, rows.target[at.rows], at.weights))
    count = _counted_classes if tree.schema.classes else _counted_numbers
    return {"n_rows": counts, **count(tree, reached)}


def _counted_classes(tree: Tree, reached: Iterable[Part]) -> dict[str, Any]:
    """Class weights, labels and impurities."""
    weights = np.zeros_like(tree.class_weights)
    for node, codes, parts in reached:
        weights[node] = np.bincount(codes, parts, weights.shape[1])
    rule = DecisionRule.of(tree.conventions, tree.schema.classes, weights[0])
    altered = rule.altered(weights[0])
    in_scores = weights if altered is None else weights * altered
    return {
        "weight": weights.sum(axis=1),
        "class_weights": weights,
        "label": labels_of(tree.parent, weights, (), rule).astype(np.int32),
        "impurity": impurities(in_scores, _criterion(tree)),
    }


def _counted_numbers(tree: Tree, reached: Iterable[Part]) -> dict[str, Any]:
    """Weights, predictions and impurities of a numeric target, parents before their children."""
    weight, prediction, impurity = (np.zeros(tree.n_nodes) for _ in range(3))
    loss, criterion = loss_of(tree).of, _criterion(tree)
    for node, targets, parts in reached:
        weight[node] = parts.sum()
        if weight[node] > 0:
            prediction[node] = centre(targets, parts, criterion)
            losses = loss(np.full(len(targets), prediction[node]), targets)
            impurity[node] = np.average(losses, weights=parts)
    for node in (np.flatnonzero(weight[1:] == 0) + 1).tolist():
        prediction[node] = prediction[tree.parent[node]]
    return {"weight": weight, "prediction": prediction, "impurity": impurity}


def _scores(tree: Tree, same: NDArray[np.bool_], gain: Floats) -> Floats:
    """The scores of before where a node and its children are the same, otherwise the gains."""
    unchanged = same.copy()
    np.logical_and.at(unchanged, tree.parent[1:], same[1:])
    rules = tree.conventions
    weighed = rules is not None and any((rules.priors, rules.costs, rules.feature_costs))
    is_gain = _criterion(tree) in PLAIN_GAINS and not weighed
    worked_out = gain if is_gain else np.full(tree.n_nodes, np.nan)
    return np.where(unchanged | (tree.n_children == 0), tree.score, worked_out)


def _criterion(tree: Tree) -> str:
    return criterion_of(tree.conventions, tree.schema)
