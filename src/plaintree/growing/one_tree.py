"""Growing: encoded columns and conventions go to the engine, a finished tree comes back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree import _core
from plaintree.data.schema import Schema
from plaintree.errors import MemoryLimitError
from plaintree.tree.conventions import CHOICES, Conventions
from plaintree.tree.from_core import tree_from_core
from plaintree.tree.tree import Tree

from .finders import ALL_FINDERS

ROUNDING = 1e-12
"""Relatively, how far a fraction of the weight may be off."""
MOST_EMPTY_BRANCHES = 2**22
"""A tree with more branches without rows is refused (see src/core/grow/empty_branches.h)."""


def grow_tree(
    schema: Schema,
    columns: Sequence[NDArray[Any]],
    classes: NDArray[np.int32],
    weights: NDArray[np.float64] | None,
    conventions: Conventions,
    *,
    columns_per_node: int = 0,
    seed: int = 0,
    n_threads: int = 1,
    finders: int = ALL_FINDERS,
) -> Tree:
    """Grow a tree on encoded columns (see data/encode.py) and class codes.

    Each node chooses among all columns, or among some that are sampled by the seed. The result does
    not depend on the number of threads, the order of the rows or the finders.
    """
    try:
        arrays, n_values = _core.grow(
            columns=list(columns),
            n_categories=schema.category_counts,
            target=np.ascontiguousarray(classes, dtype=np.int32),
            n_classes=len(schema.classes),
            weights=None if weights is None else np.ascontiguousarray(weights, dtype=np.float64),
            params=engine_params(conventions, total_weight(classes, weights))
            | {"columns_per_node": columns_per_node, "seed": seed, "finders": finders},
            n_threads=n_threads,
        )
    except MemoryError as error:
        refuse_empty_branches(error, schema)
        raise MemoryLimitError(
            "the tree does not fit into memory",
            got=f"{len(classes):,} rows of {len(schema.classes):,} classes, each of which every "
            "node has a weight for",
            hint="grow a smaller tree (max_depth, min_samples_branch), or join rare classes.",
        ) from None
    return tree_from_core(arrays, schema.with_value_counts(n_values), conventions)


def total_weight(classes: NDArray[np.int32], weights: NDArray[np.float64] | None) -> float:
    """The weight of all rows; one each, where they have none."""
    return float(len(classes)) if weights is None else float(weights.sum())


def refuse_empty_branches(error: MemoryError, schema: Schema) -> None:
    """Raise an error that names the column, if the core stopped because of branches without rows.

    The core passes the number of the column. Other errors are left to the caller.
    """
    if not error.args or not isinstance(error.args[0], int):
        return
    column = schema.features[error.args[0]]
    raise MemoryLimitError(
        f"the tree would have more than {MOST_EMPTY_BRANCHES:,} branches without rows",
        got=f"splits with a branch for every category, as on {column.name!r}, "
        f"which has {len(column.categories):,} categories",
        hint=f"drop {column.name!r} if it identifies rows, join its rare categories, limit the "
        "tree (max_depth, min_samples_split), or split on sets of categories: CARTClassifier, or "
        'categorical="grouped" or "subset" where an estimator has it.',
    ) from None


def engine_params(c: Conventions, total: float) -> dict[str, Any]:
    """The conventions as the core takes them, for rows of this total weight."""
    every = c.branch_rule == "every"
    of_leaf = c.min_weight_fraction_leaf * total * (1 - ROUNDING)
    of_branch = 0.0 if every and c.min_samples_branch <= 1 else c.min_samples_branch
    choice = {name: CHOICES[name].index(getattr(c, name)) for name in CHOICES}
    return {
        "criterion": choice["criterion"],
        "categorical": choice["categorical"],
        "missing": choice["missing"],
        "max_depth": -1 if c.max_depth is None else int(c.max_depth),
        # One row to a branch, two to a node: whatever their weight, where every branch counts.
        "min_samples_split": 0.0 if every and c.min_samples_split <= 2 else c.min_samples_split,
        "min_samples_branch": max(of_branch, of_leaf),
        "every_branch": every,
        "min_score": -np.inf if c.min_score is None else float(c.min_score),
        "min_impurity_decrease": float(c.min_impurity_decrease) or -np.inf,
        "significance": 1.0 if c.significance is None else float(c.significance),
        "adjusted_significance": c.significance_test == "adjusted",
        "zero_gain": bool(c.zero_gain),
        "data_value_thresholds": c.threshold == "data_value",
        "cut_by_gain": c.cut_choice == "gain",
        "threshold_penalty": bool(c.threshold_penalty),
        "average_gain": bool(c.average_gain),
        "numeric_branch_share": float(c.numeric_branch_share),
        "least_gap": float(c.least_gap),
        "tie_tolerance": float(c.tie_tolerance),
        "collapse": bool(c.collapse),
        "max_bins": 0 if c.max_bins is None else int(c.max_bins),
        "exhaustive_categories": int(c.exhaustive_categories),
        "columns_per_node": 0,
        "seed": 0,
    }
