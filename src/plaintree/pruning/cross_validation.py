"""Which tree of a pruning path does best on rows it has not seen: cross-validation.

As in CART and rpart: the trees of the path differ in alpha, so in every fold a tree is grown and
pruned with one alpha for each of them, the geometric mean of the interval for which it is the
best (infinity for the root alone).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.checks import check_random_state
from plaintree.data.encode import encode
from plaintree.data.rows import Rows, class_positions
from plaintree.data.table import table_from
from plaintree.data.target import comparable, labels_from, weights_from
from plaintree.errors import KindError, ParameterError, TableError
from plaintree.progress import Progress, no_progress
from plaintree.tree.tree import tree_of

from .path import PruningPath, path_of

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


def cross_validated(
    path: PruningPath,
    learner: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    folds: Any = 10,
    random_state: Any = None,
    progress: Progress | None = None,
) -> PruningPath:
    """The path with the cross-validated error rate of each of its trees.

    The folds' trees are grown by copies of the learner, without any pruning of its own. A row of
    a class that a fold's training rows do not have counts as wrong.
    """
    n_rows = table_from(X).n_rows
    codes, labels = labels_from(y, n_rows)
    weights = comparable(weights_from(sample_weight, n_rows))
    known_weights = np.ones(n_rows) if weights is None else weights
    between = np.append(np.sqrt(path.alphas[:-1] * path.alphas[1:]), np.inf)
    errors = np.zeros(len(path))
    report, splits = progress or no_progress, list(_splits(folds, codes, random_state))
    for done, (training, test) in enumerate(splits):
        report("cross-validating", done, len(splits))
        weighing = {} if weights is None else {"sample_weight": weights[training]}
        grown = unpruned_copy(learner).fit(_part(X, training), _part(y, training), **weighing)
        tree, table = tree_of(grown), table_from(_part(X, test))
        unseen = tree.conventions.unseen if tree.conventions else "missing"
        positions = class_positions(tree.schema, labels)[codes[test]]
        known = positions >= 0
        rows = Rows(encode(table, tree.schema, unseen=unseen), positions, known_weights[test])
        errors += path_of(tree, path.risk, path.method).errors_on(rows[known], between)
        errors += known_weights[test][~known].sum()
    report("cross-validating", len(splits), len(splits))
    total = known_weights.sum()
    rates = errors / total
    deviations = np.sqrt((rates * (1 - rates)).clip(min=0.0) / total)
    return replace(path, cv_errors=rates, cv_deviations=deviations)


def unpruned_copy(learner: Any) -> Any:
    """An unfitted copy of a learner that does not prune."""
    from sklearn.base import clone

    is_class = isinstance(learner, type)
    if is_class or not hasattr(learner, "get_params") or not hasattr(learner, "fit"):
        raise KindError(
            "a learner is needed to grow trees anew",
            got=f"the class {learner.__name__}"
            if is_class
            else f"an object of type {type(learner).__name__}",
            hint="give the model instead of its tree, or learner=CARTClassifier(), say.",
        )
    unpruned = {"prune": None} if "prune" in learner.get_params(deep=False) else {}
    return clone(learner).set_params(**unpruned)


def _part(values: Any, rows: NDArray[np.intp]) -> Any:
    """Some rows of a table of any kind, or of its labels."""
    from sklearn.utils import _safe_indexing

    if isinstance(values, Mapping):
        return {name: _safe_indexing(column, rows) for name, column in values.items()}
    return _safe_indexing(values, rows)


def _splits(folds: Any, codes: NDArray[np.int32], random_state: Any) -> Iterator[Split]:
    """Training and test rows of each fold.

    ``folds`` is their number (rows are then shuffled with the seed, and stratified where every
    class has a row for each fold), or one fold number per row.
    """
    from sklearn.model_selection import KFold, PredefinedSplit, StratifiedKFold

    n_rows = len(codes)
    if np.ndim(folds) == 1:
        of_row = np.asarray(folds)
        if len(of_row) != n_rows or of_row.dtype.kind not in "iu" or len(np.unique(of_row)) < 2:
            raise TableError(
                "folds does not give a fold number for each row",
                got=f"{len(of_row)} entries, {len(np.unique(of_row))} of them distinct",
                hint=f"give {n_rows} whole numbers, at least two of them different.",
            )
        yield from PredefinedSplit(np.unique(of_row, return_inverse=True)[1]).split()
        return
    if isinstance(folds, bool) or not isinstance(folds, int | np.integer) or folds < 2:
        raise ParameterError(
            "folds is not a number of folds",
            got=f"folds={folds!r}",
            hint="use a whole number from 2, or give one fold number per row.",
        )
    if n_rows < 2:
        raise TableError("a single row cannot be divided into folds", hint="give more rows.")
    n_folds = min(int(folds), n_rows)
    make = StratifiedKFold if np.bincount(codes).min() >= n_folds else KFold
    splitter = make(n_folds, shuffle=True, random_state=check_random_state(random_state))
    yield from splitter.split(np.zeros(n_rows), codes)
