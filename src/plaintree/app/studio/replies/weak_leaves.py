"""The weakest leaves of a tree: few rows, wide intervals, errors."""

from __future__ import annotations

import numpy as np

from plaintree.evaluation.evaluate import normal_deviation
from plaintree.pruning.losses import node_losses
from plaintree.stats.intervals import wilson
from plaintree.tree.walk import rows_from

from ..messages.views import LeafQuality, QualityRequest
from .editing import training_drop
from .held import quiet, read_target
from .library import path_of, path_text
from .replay import Work

MOST_LEAVES = 20
CONFIDENCE = 0.95


def weak_leaves(work: Work, request: QualityRequest) -> list[LeafQuality]:
    """The leaves with the least certain accuracy, on training rows or on those of a test table.

    The errors of numbers are losses by the criterion; they have no interval.
    """
    tree, training = work.own_tree(), work.training
    rows = work.rows
    if request.rows == "test":
        opened = work.held.test(request.test, training.opened.recipe)
        X = opened.table.without([training.target, *training_drop(training)])
        with quiet():
            y = read_target(opened.column(training.target), training.task)
            rows = rows_from(tree, X, y)
    errors = node_losses(tree, rows).stopped
    reached = node_losses(tree, rows, power=0).stopped
    leaves = np.flatnonzero((tree.n_children == 0) & (reached > 0))
    classes = bool(tree.schema.classes)
    deviation = normal_deviation(CONFIDENCE)
    found = []
    for leaf in leaves.tolist():
        n, wrong = float(reached[leaf]), float(errors[leaf])
        low, high = wilson(max(0.0, 1 - wrong / n), n, deviation) if classes else (None, None)
        found.append((low if classes else -wrong / n, leaf, n, wrong, low, high))
    found.sort(key=lambda entry: (entry[0], entry[1]))
    return [
        LeafQuality(
            at=list(path_of(tree, leaf)),
            text=path_text(tree, leaf),
            n_rows=n,
            errors=wrong,
            low=low,
            high=high,
        )
        for _, leaf, n, wrong, low, high in found[:MOST_LEAVES]
    ]
