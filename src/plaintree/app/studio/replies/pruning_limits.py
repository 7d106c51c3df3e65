"""Errors of a tree under a limit: depth, rows of a split, or the confidence of C4.5's pruning.

Each fold's tree is grown by the document's learner and then put under the same limits, so every
point of the cross-validated curve is measured on rows that its trees have not seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.encode import encode
from plaintree.data.rows import Rows
from plaintree.evaluation.cross_validation import cross_validate
from plaintree.progress import Progress
from plaintree.pruning.limits import counted_rows
from plaintree.pruning.losses import node_losses
from plaintree.pruning.methods import prune
from plaintree.tree.cut import below
from plaintree.tree.prediction import loss_of
from plaintree.tree.tree import Tree

from .held import quiet
from .learners import estimator_of
from .names import numbers
from .replay import Work

Floats = NDArray[np.float64]
MOST_VALUES = 40
CONFIDENCES = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)


@dataclass(frozen=True, eq=False)
class Grown:
    """A model with the rows that it was grown from."""

    model: Any
    X: Any
    y: Any
    weights: Floats | None

    @property
    def tree(self) -> Tree:
        """Its tree."""
        found: Tree = self.model.tree_
        return found


@dataclass(frozen=True, eq=False)
class Limited:
    """What a limit of some values leaves of a tree: by value, and by node where it falls."""

    values: Floats
    n_leaves: list[int]
    falls_at: list[float | None]
    training: list[float | None]


@dataclass(frozen=True, eq=False)
class Validated:
    """The cross-validated error of each value, and its standard error over the folds."""

    errors: Floats
    deviations: Floats

    @property
    def best(self) -> int:
        """The position of the least error; of equals the smallest tree, which comes first."""
        return int(np.argmin(self.errors))

    @property
    def one_se(self) -> int:
        """The smallest tree within one standard error of it."""
        limit = self.errors[self.best] + self.deviations[self.best]
        return int(np.flatnonzero(self.errors <= limit)[0])


# -------------------------------------------------------------------- the limits

Marks = Callable[[Tree, float], NDArray[np.bool_]]


def _too_deep(tree: Tree, value: float) -> NDArray[np.bool_]:
    return np.asarray(tree.node_depths >= value)


def _too_few_rows(tree: Tree, value: float) -> NDArray[np.bool_]:
    return np.asarray(counted_rows(tree) < value)


MARKS: dict[str, Marks] = {"depth": _too_deep, "min_samples_split": _too_few_rows}
"""Which nodes a limit makes leaves; the confidence of C4.5 moves branches instead."""


def limited(work: Work, method: str) -> Limited:
    """The trees that a limit makes of the document's tree, from small to large."""
    tree, values = work.own_tree(), _values(work.own_tree(), method)
    falls: list[float | None] = [None] * tree.n_nodes
    if method == "depth":
        falls = numbers(tree.node_depths)
    elif method == "min_samples_split":
        falls = numbers(counted_rows(tree))
    grown = _whole(work)
    totals = _losses(grown, method, values, work.rows, tree)
    return Limited(
        values=values,
        n_leaves=[_n_leaves(grown, method, value) for value in values.tolist()],
        falls_at=falls,
        training=numbers(_errors(tree, totals, work.rows)),
    )


def _whole(work: Work) -> Grown:
    return Grown(work.model, work.training.X, work.training.y, work.rows.weights)


def _values(tree: Tree, method: str) -> Floats:
    """The values of a limit, from that of a single leaf to that of the whole tree."""
    if method == "depth":
        return np.arange(tree.depth + 1, dtype=np.float64)
    if method == "confidence":
        return np.array(CONFIDENCES)
    rows = np.unique(counted_rows(tree)[tree.n_children > 0])
    steps = np.append(rows, np.floor(counted_rows(tree)[0]) + 1)
    chosen = np.unique(np.linspace(0, len(steps) - 1, min(MOST_VALUES, len(steps))).round())
    return np.unique(np.ceil(steps[chosen.astype(int)]))[::-1]


def _n_leaves(grown: Grown, method: str, value: float) -> int:
    if method == "confidence":
        return _pruned(grown, value).n_leaves
    tree = grown.tree
    marked = MARKS[method](tree, value)
    gone = below(tree, marked)
    return int(np.count_nonzero(~gone & (marked | (tree.n_children == 0))))


def _pruned(grown: Grown, confidence: float) -> Tree:
    rows = (grown.X, grown.y) if grown.weights is None else (grown.X, grown.y, grown.weights)
    with quiet():
        found: Tree = prune(grown.model, "error_based", *rows, confidence=confidence).tree_
    return found


# -------------------------------------------------------------------- errors


def _losses(grown: Grown, method: str, values: Floats, rows: Rows, by: Tree) -> Floats:
    """The total loss of rows by value; ``by`` is the tree whose loss and classes are meant."""
    if method == "confidence":
        trees = (_pruned(grown, value) for value in values.tolist())
        return np.array([node_losses(tree, rows, by=by).stopped.sum() for tree in trees])
    tree = grown.tree
    losses, found = node_losses(tree, rows, by=by), []
    for value in values.tolist():
        marked = MARKS[method](tree, value)
        gone = below(tree, marked)
        leaves = losses.as_leaf[marked & ~gone & (tree.n_children > 0)].sum()
        found.append(leaves + losses.stopped[~gone & ~(marked & (tree.n_children > 0))].sum())
    return np.array(found)


def _errors(tree: Tree, totals: Floats, rows: Rows) -> Floats:
    """Total losses as errors in the unit of the page, such as a rate or an RMSE."""
    mean = np.asarray(totals / rows.known_weights.sum()).clip(min=0.0)
    return np.asarray(loss_of(tree).error(mean))


def tested(work: Work, method: str, values: Floats, rows: Rows) -> list[float | None]:
    """The error of the document's tree on other rows, by value."""
    tree = work.own_tree()
    return numbers(_errors(tree, _losses(_whole(work), method, values, rows, tree), rows))


def validated(
    work: Work, method: str, values: Floats, n_folds: int, progress: Progress
) -> Validated:
    """The cross-validated errors of the learner under a limit, by value."""
    training, own, by = work.training, work.rows, work.own_tree()
    totals, parts = np.zeros(len(values)), []

    def keep(model: Any, rows: NDArray[np.intp]) -> None:
        others = np.setdiff1d(np.arange(training.X.n_rows), rows)
        weights = None if own.weights is None else own.weights[others]
        grown = Grown(model, training.X.take(others), training.y.take(others), weights)
        asked = _rows_for(model.tree_, work, rows)
        losses = _losses(grown, method, values, asked, by)
        parts.append(_errors(by, losses, asked))
        np.add(totals, losses, out=totals)

    with quiet():
        learner = estimator_of(work.document.settings, training.task)
        cross_validate(
            learner, training.X, training.y, n_folds=n_folds, on_test=keep, progress=progress
        )
    deviations = np.std(parts, axis=0, ddof=1) / np.sqrt(len(parts))
    return Validated(_errors(by, totals, own), deviations)


def _rows_for(tree: Tree, work: Work, rows: NDArray[np.intp]) -> Rows:
    """Rows in the codes of a fold's tree, which may have seen fewer categories."""
    unseen = tree.conventions.unseen if tree.conventions else "missing"
    columns = encode(work.training.X.take(rows), tree.schema, unseen=unseen)
    return Rows(columns, work.rows.target[rows], work.rows.known_weights[rows])
