"""How the error changes while a tree is pruned: by alpha, by depth, or by validation rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from plaintree.data.rows import Rows
from plaintree.evaluation.quality import TRAINING, folds_name
from plaintree.progress import Progress
from plaintree.pruning.curves import pruning_path
from plaintree.pruning.losses import node_losses
from plaintree.pruning.path import PruningPath
from plaintree.pruning.task import cheaper_as_leaves
from plaintree.tree.prediction import loss_of
from plaintree.tree.tree import Tree
from plaintree.tree.walk import rows_from

from ..messages.views import PruningCurve, PruningPoint, PruningRequest, PruningStep
from .editing import training_drop
from .held import quiet, read_target
from .library import path_of, path_text
from .names import numbers
from .pruning_limits import limited, tested, validated
from .replay import Work


def pruning(work: Work, request: PruningRequest, progress: Progress) -> PruningCurve:
    """The pruning curve of the document's tree by a method."""
    key = ("pruning", request.method, request.n_folds, request.test, tuple(work.held.tests))
    make = partial(METHODS[request.method], work, request, progress)
    found: PruningCurve = work.kept_for_tree(key, make)
    return found


def _by_alpha(work: Work, request: PruningRequest, progress: Progress) -> PruningCurve:
    training, folds = work.training, _n_folds(work, request)
    if folds:
        with quiet():
            path = pruning_path(
                work.model,
                training.X,
                training.y,
                work.rows.weights,
                folds=folds,
                progress=progress,
            )
    else:
        path = pruning_path(work.own_tree())
    test = _test_rows(work, request)
    return PruningCurve(
        method="cost_complexity",
        measure=path.error_name,
        points=_points(path, _tested_path(work, path, test)),
        best=_position(path, "min") if folds else None,
        one_se=_position(path, "one_se") if folds else None,
        falls_at=_falls_at(path),
        steps=[],
        measured_on=_measured_on(work, folds, test),
    )


def _n_folds(work: Work, request: PruningRequest) -> int:
    """The number of folds that the rows allow; 0 for none."""
    n_rows = work.training.X.n_rows
    return min(request.n_folds, n_rows) if request.n_folds > 1 and n_rows > 1 else 0


def _measured_on(work: Work, folds: int, test: tuple[Any, Any, str] | None) -> str:
    """The rows of each curve, as text."""
    parts = [TRAINING]
    if folds:
        parts.append(f"{folds_name(folds)} of the learner{_without_edits(work)}")
    return "; ".join([*parts, *([] if test is None else [test[2]])])


def _tested_path(
    work: Work, path: PruningPath, test: tuple[Any, Any, str] | None
) -> list[float | None]:
    """The mean loss of each tree of a path on a test table."""
    if test is None:
        return [None] * len(path)
    tree = work.own_tree()
    rows = rows_from(tree, test[0], test[1])
    return numbers(path.losses_on(rows, path.alphas, by=tree) / rows.known_weights.sum())


def _without_edits(work: Work) -> str:
    return " without the edits by hand" if work.state.is_edited else ""


def _points(path: PruningPath, tested: list[float | None]) -> list[PruningPoint]:
    nothing = [None] * len(path)
    errors = nothing if path.cv_errors is None else numbers(path.cv_errors)
    deviations = nothing if path.cv_deviations is None else numbers(path.cv_deviations)
    columns: Any = zip(
        path.alphas.tolist(),
        path.n_leaves.tolist(),
        path.risks.tolist(),
        errors,
        deviations,
        tested,
        strict=True,
    )
    return _listed(columns)


def _listed(columns: Any) -> list[PruningPoint]:
    names = ("value", "n_leaves", "training", "validated", "deviation", "tested")
    return [PruningPoint(**dict(zip(names, point, strict=True))) for point in columns]


def _position(path: PruningPath, choice: Any) -> int:
    return int(np.flatnonzero(path.alphas == path.best_alpha(choice))[0])


def _falls_at(path: PruningPath) -> list[float | None]:
    """The alpha from which on each node is a leaf; of leaves, from which on they are gone."""
    tree, links = path.source, path.links
    above = links[np.maximum(tree.parent, 0)]
    return numbers(np.where(tree.n_children > 0, links, above))


def _by_limit(work: Work, request: PruningRequest, progress: Progress) -> PruningCurve:
    """Depth, rows of a split, or confidence: the document's tree and the learner's by folds."""
    tree, method, folds = work.own_tree(), request.method, _n_folds(work, request)
    found, test = limited(work, method), _test_rows(work, request)
    nothing: list[float | None] = [None] * len(found.values)
    errors, deviations, tests, curve = nothing, nothing, nothing, None
    if folds:
        curve = validated(work, method, found.values, folds, progress)
        errors, deviations = numbers(curve.errors), numbers(curve.deviations)
    if test is not None:
        tests = tested(work, method, found.values, rows_from(tree, test[0], test[1]))
    columns = (found.n_leaves, found.training, errors, deviations, tests)
    return PruningCurve(
        method=method,
        measure=loss_of(tree).error_name,
        points=_listed(zip(found.values.tolist(), *columns, strict=True)),
        best=None if curve is None else curve.best,
        one_se=None if curve is None else curve.one_se,
        falls_at=found.falls_at,
        steps=[],
        measured_on=_measured_on(work, folds, test),
    )


def _test_rows(work: Work, request: PruningRequest) -> tuple[Any, Any, str] | None:
    """The features, the target and the name of a test table: as asked for, or the latest."""
    if request.test is None and not work.held.tests:
        return None
    training = work.training
    opened = work.held.test(request.test or list(work.held.tests)[-1], training.opened.recipe)
    y = read_target(opened.column(training.target), training.task)
    X = opened.table.without([training.target, *training_drop(training)])
    return X, y, f"test table {opened.name}"


def _by_reduced_error(work: Work, request: PruningRequest, progress: Progress) -> PruningCurve:
    del progress
    tree, test = work.own_tree(), _test_rows(work, request)
    rows: Rows = work.rows if test is None else rows_from(tree, test[0], test[1])
    losses = node_losses(tree, rows)
    chosen, best = cheaper_as_leaves(tree, losses.as_leaf, losses.stopped)
    return PruningCurve(
        method="reduced_error",
        measure=loss_of(tree).name,
        points=[],
        best=None,
        one_se=None,
        falls_at=[None] * tree.n_nodes,
        steps=_steps(tree, rows, losses, chosen, best),
        measured_on=f"{TRAINING}, which prune little" if test is None else test[2],
    )


def _steps(tree: Tree, rows: Rows, losses: Any, chosen: Any, best: Any) -> list[PruningStep]:
    """The decisions in their order, from below: each against the best that is left below."""
    below = losses.stopped.copy()
    np.add.at(below, tree.parent[1:], best[1:])
    reached = node_losses(tree, rows, power=0).as_leaf
    inner = np.flatnonzero(tree.n_children)[::-1].tolist()
    return [
        PruningStep(
            at=list(path_of(tree, node)),
            text=path_text(tree, node),
            as_leaf=float(losses.as_leaf[node]),
            as_subtree=float(below[node]),
            cut=bool(chosen[node]),
            n_rows=float(reached[node]),
        )
        for node in inner
    ]


METHODS: dict[str, Callable[[Work, PruningRequest, Progress], PruningCurve]] = {
    "cost_complexity": _by_alpha,
    "depth": _by_limit,
    "min_samples_split": _by_limit,
    "confidence": _by_limit,
    "reduced_error": _by_reduced_error,
}
"""The curves by the method of the request."""
