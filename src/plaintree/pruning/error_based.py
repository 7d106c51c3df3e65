"""C4.5's error-based pruning, which is in the core.

Bottom-up, a node becomes a leaf, or is replaced by its largest branch, where that is not expected
to make more errors on new rows. The expectation is an upper confidence limit of the errors made
on the training rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree import _core
from plaintree.stats.expected_errors import check_confidence
from plaintree.tree.conventions import CHOICES
from plaintree.tree.from_core import tree_from_core
from plaintree.tree.prediction import majority_classes
from plaintree.tree.tree import Tree

from .tidy_groups import drop_impossible_groups


def prune_error_based(
    tree: Tree,
    columns: Sequence[NDArray[Any]],
    codes: NDArray[np.int32],
    weights: NDArray[np.float64] | None = None,
    confidence: float = 0.25,
) -> Tree:
    """The pruned tree; columns and class codes are those of the training rows, encoded."""
    pruned, _ = pruned_with_estimates(tree, columns, codes, weights, confidence)
    return drop_impossible_groups(pruned)


def pruned_with_estimates(
    tree: Tree,
    columns: Sequence[NDArray[Any]],
    codes: NDArray[np.int32],
    weights: NDArray[np.float64] | None = None,
    confidence: float = 0.25,
) -> tuple[Tree, NDArray[np.float64]]:
    """The pruned tree, with groups of categories as they were, and its nodes' expected errors."""
    check_confidence(confidence)
    criterion = tree.conventions.criterion if tree.conventions else "gini"
    arrays, errors = _core.prune_error_based(
        tree=tree,
        columns=list(columns),
        n_categories=tree.schema.category_counts,
        classes=np.ascontiguousarray(codes, dtype=np.int32),
        weights=None if weights is None else np.ascontiguousarray(weights, dtype=np.float64),
        confidence=float(confidence),
        criterion=CHOICES["criterion"].index(criterion),
    )
    if tree.conventions is not None and tree.conventions.tied_label == "first":
        # C4.5 keeps the label that a node had before, but predicts the first of tied classes.
        first = majority_classes(arrays["class_weights"]).astype(np.int32)
        arrays["label"] = np.where(arrays["weight"] > 0, first, arrays["label"])
    return tree_from_core(arrays, tree.schema, tree.conventions, tree.edits), errors
