"""Cross-validation of the trees of a pruning path.

As in CART and rpart: the trees of the path differ in alpha, so in every fold a tree is grown and
pruned with one alpha for each of them, the geometric mean of the interval for which it is the
best (infinity for the root alone).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np

from plaintree.checks import check_random_state
from plaintree.data.encode import encode
from plaintree.data.rows import Rows, class_positions, take_rows
from plaintree.errors import ArgumentTypeError, ParameterError, TableError
from plaintree.progress import Progress, no_progress
from plaintree.tree.tree import Tree, tree_of

from .path import PruningPath, path_of
from .task import Floats, Regrow, RowNumbers

METHOD_OF_PARAMETER = {"confidence": "error_based"}
"""Parameters of learners that are options of one pruning method, and that method."""


def cross_validated(
    path: PruningPath,
    rows: Rows,
    regrow: Regrow,
    *,
    folds: Any = 10,
    random_state: Any = None,
    progress: Progress | None = None,
) -> PruningPath:
    """The path with the cross-validated error of each of its trees: the mean loss of the rows.

    ``rows`` are the training rows of its tree. A row of a class that a fold's training rows do
    not have counts as wrong. The standard error is that of the mean of the rows' losses, which for
    the errors of classes is that of a proportion.
    """
    between = np.append(np.sqrt(path.alphas[:-1] * path.alphas[1:]), np.inf)
    losses, squares = np.zeros(len(path)), np.zeros(len(path))
    report, splits = progress or no_progress, list(_splits(folds, rows, random_state))
    for done, (training, test) in enumerate(splits):
        report("cross-validating", done, len(splits))
        tree = regrow(training)
        asked, unknown = _encoded_again(rows, test, path.source, tree)
        of_fold = path_of(tree, path.risk, path.method, float(path.alphas[0]))
        losses += of_fold.losses_on(asked, between) + unknown
        squares += of_fold.losses_on(asked, between, power=2) + unknown
    report("cross-validating", len(splits), len(splits))
    total = rows.known_weights.sum()
    variances = (squares - losses**2 / total).clip(min=0.0)
    return replace(path, cv_errors=losses / total, cv_deviations=np.sqrt(variances) / total)


def _encoded_again(rows: Rows, some: RowNumbers, by: Tree, tree: Tree) -> tuple[Rows, float]:
    """Some rows that were encoded by one tree's schema, by another's, without those of classes
    that the other does not have; and the weight of these."""
    assert rows.table is not None, "rows to grow from come with their table"
    unseen = tree.conventions.unseen if tree.conventions else "missing"
    columns = encode(rows.table.take(some), tree.schema, unseen=unseen)
    weights = rows.known_weights[some]
    if not tree.schema.classes:
        return Rows(columns, rows.target[some], weights), 0.0
    positions = class_positions(tree.schema, by.schema.classes)[rows.codes[some]]
    known = positions >= 0
    return Rows(columns, positions, weights)[known], float(weights[~known].sum())


def regrow_by(learner: Any, X: Any, y: Any, weights: Floats | None = None) -> Regrow:
    """Growing by copies of a learner, without any pruning of its own, on the caller's rows."""

    def regrow(rows: RowNumbers) -> Tree:
        weighing = {} if weights is None else {"sample_weight": weights[rows]}
        copied = unpruned_copy(learner)
        return tree_of(copied.fit(take_rows(X, rows), take_rows(y, rows), **weighing))

    return regrow


def unpruned_copy(learner: Any) -> Any:
    """An unfitted copy of a learner that does not prune."""
    from sklearn.base import clone

    is_class = isinstance(learner, type)
    if is_class or not hasattr(learner, "get_params") or not hasattr(learner, "fit"):
        raise ArgumentTypeError(
            "an estimator is needed to grow the trees of the folds",
            got=f"the class {learner.__name__}"
            if is_class
            else f"an object of type {type(learner).__name__}",
            hint="give the model instead of its tree, or learner=CARTClassifier(), say.",
        )
    if "pruning" not in learner.get_params(deep=False):
        return clone(learner)
    known = {"pruning_options", *METHOD_OF_PARAMETER} & learner.get_params(deep=False).keys()
    unused = {name: default_of(learner, name) for name in known}
    return clone(learner).set_params(pruning=None, **unused)


def default_of(learner: Any, name: str) -> Any:
    """The default of a parameter of a learner; None if it does not have it."""
    parameter = signature(type(learner)).parameters.get(name)
    return None if parameter is None else parameter.default


def _splits(folds: Any, rows: Rows, random_state: Any) -> Iterator[tuple[RowNumbers, RowNumbers]]:
    """Training and test rows of each fold.

    ``folds`` is their number (rows are then shuffled with the seed, and stratified where every
    class, or every number, has a row for each fold), or one fold number per row.
    """
    from sklearn.model_selection import KFold, PredefinedSplit, StratifiedKFold

    n_rows = len(rows.target)
    if np.ndim(folds) == 1:
        of_row = np.asarray(folds)
        if len(of_row) != n_rows or of_row.dtype.kind not in "iu" or len(np.unique(of_row)) < 2:
            raise TableError(
                "folds does not give a fold number for each row",
                got=f"{len(of_row)} entries, {len(np.unique(of_row))} of them distinct",
                hint=f"give {n_rows} integers, at least two of them different.",
            )
        yield from PredefinedSplit(np.unique(of_row, return_inverse=True)[1]).split()
        return
    if isinstance(folds, bool) or not isinstance(folds, int | np.integer) or folds < 2:
        raise ParameterError(
            "folds is not a number of folds",
            got=f"folds={folds!r}",
            hint="use an integer from 2 upwards, or one fold number per row.",
        )
    if n_rows < 2:
        raise TableError("a single row cannot be divided into folds", hint="give more rows.")
    n_folds = min(int(folds), n_rows)
    strata, counts = rows.strata
    make = StratifiedKFold if counts.min() >= n_folds else KFold
    splitter = make(n_folds, shuffle=True, random_state=check_random_state(random_state))
    yield from splitter.split(np.zeros(n_rows), strata)
