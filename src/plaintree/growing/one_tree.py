"""Growing one tree by the core, from encoded columns and conventions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree import _core
from plaintree.data.rows import Rows
from plaintree.data.schema import Schema
from plaintree.data.target import core_target
from plaintree.errors import MemoryLimitError, ParameterError, TableError
from plaintree.tree.best_first import keep_best
from plaintree.tree.class_costs import feature_cost_list
from plaintree.tree.constraints import by_position
from plaintree.tree.conventions import CHOICES, OF_TARGETS, Conventions
from plaintree.tree.from_core import tree_from_core
from plaintree.tree.tree import Tree

from .altered import Altered, by_decision_rule
from .finders import ALL_FINDERS

ROUNDING = 1e-12
"""Relatively, how far a fraction of the weight may be off."""
_MOST_ROWS = 2**32 - 1
"""The core counts rows in 32 bits, where they are not their weights."""
_MOST_WEIGHT = 2**62
_MOST_DEPTH = 2**31 - 1
_OF_CLASSES: dict[str, Callable[[Any], bool]] = {
    "missing": lambda policy: bool(policy == "most_common_in_class"),
    "collapse": bool,
    "threshold_choice": lambda choice: bool(choice == "gain"),
    "threshold_penalty": bool,
    "average_gain": bool,
    "numeric_branch_fraction": bool,
    "significance": lambda level: level is not None,
    "priors": lambda priors: priors is not None,
    "costs": lambda costs: costs is not None,
    "decision_threshold": lambda threshold: threshold is not None,
}
"""Values of conventions that a numeric target does not allow."""

LARGEST_TARGETS = {"squared_error": 1e140, "absolute_error": 1e280, "poisson": 1e280}
"""Deviations of larger targets, squared and added up over weights, may exceed the largest float."""
MOST_EMPTY_BRANCHES = 2**22
"""A tree with more branches without rows is refused (see src/core/grow/empty_branches.h)."""


def grow_tree(
    schema: Schema,
    columns: Sequence[NDArray[Any]],
    target: NDArray[Any],
    weights: NDArray[np.float64] | None,
    conventions: Conventions,
    *,
    columns_per_node: int = 0,
    seed: int = 0,
    n_threads: int = 1,
    finders: int = ALL_FINDERS,
) -> Tree:
    """Grow a tree on encoded columns (see data/encode.py) and class codes or numbers.

    Each node chooses among all columns, or among some that are sampled by the seed. The result does
    not depend on the number of threads, the order of the rows or the finders.
    """
    check_task(schema, conventions, *range_of(schema, target))
    altered = Altered.of(schema, target, weights, conventions)
    rows = Rows(list(columns), target, weights)
    chance = {"columns_per_node": columns_per_node, "seed": seed}
    arguments = core_arguments(schema, rows, conventions, altered, finders=finders, **chance)
    with refusing_large_trees(schema, rows):
        arrays, n_values = _core.grow(**arguments, n_threads=n_threads)
    tree = tree_from_core(arrays, schema.with_value_counts(n_values), conventions)
    most = conventions.max_leaf_nodes
    tree = tree if most is None else keep_best(tree, most)
    return by_decision_rule(tree, None if altered is None else altered.restored)


def core_arguments(
    schema: Schema, rows: Rows, conventions: Conventions, altered: Altered | None, **params: int
) -> dict[str, Any]:
    """The rows and the conventions as the core takes them; ``params`` change those of its own."""
    counted = rows.weights if altered is None else altered.weights
    n_rows = len(rows.target)
    return {
        "columns": rows.columns,
        "n_categories": schema.category_counts,
        "target": core_target(rows.target, schema),
        "n_classes": len(schema.classes),
        "weights": _contiguous(counted),
        "params": engine_params(conventions, schema, n_rows, total_of(counted))
        | by_position(conventions, schema)
        | {"finders": ALL_FINDERS, **params},
        "case_weights": None if altered is None else _contiguous(altered.case_weights),
    }


@contextmanager
def refusing_large_trees(schema: Schema, rows: Rows) -> Iterator[None]:
    """Turn errors of the core about memory into errors that say what to do."""
    try:
        yield
    except MemoryError as error:
        refuse_empty_branches(error, schema)
        raise MemoryLimitError(
            "the tree does not fit into memory",
            got=f"{len(rows.target):,} rows of {len(schema.classes):,} classes, each of which "
            "every node has a weight for",
            hint="grow a smaller tree (max_depth, min_samples_leaf), or join rare classes.",
        ) from None


def _contiguous(weights: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    return None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)


def range_of(schema: Schema, target: NDArray[Any]) -> tuple[float | None, float | None]:
    """The least and the greatest number of a numeric target."""
    return (None, None) if schema.classes else (float(target.min()), float(target.max()))


def total_of(weights: NDArray[np.float64] | None) -> float | None:
    """The weight of all rows together; None where each counts 1."""
    return None if weights is None else float(weights.sum())


def check_task(
    schema: Schema, conventions: Conventions, least: float | None, most: float | None
) -> None:
    """Refuse conventions that the target does not allow: classes, or numbers from least to most."""
    numeric = conventions.criterion in OF_TARGETS
    if numeric == bool(schema.classes):
        wanted = set(CHOICES["criterion"]) - OF_TARGETS if schema.classes else OF_TARGETS
        raise ParameterError(
            f"the criterion is for {'numeric targets' if numeric else 'classes'}, and the target "
            f"{schema.target!r} {'has classes' if schema.classes else 'is numeric'}",
            got=f"criterion={conventions.criterion!r}",
            hint=f"use one of {', '.join(sorted(wanted))}.",
        )
    if schema.classes:
        return
    if conventions.criterion == "absolute_error" and conventions.categorical == "grouped":
        raise ParameterError(
            "categories are not merged into groups by absolute error",
            got="criterion='absolute_error', categorical='grouped'",
            hint="use categorical='subset', or the criterion squared_error.",
        )
    for parameter, is_refused in _OF_CLASSES.items():
        if is_refused(getattr(conventions, parameter)):
            raise ParameterError(
                f"{parameter} needs classes, and the target {schema.target!r} is numeric",
                got=f"{parameter}={getattr(conventions, parameter)!r}",
                hint="leave it out.",
            )
    assert least is not None
    assert most is not None
    limit = LARGEST_TARGETS[conventions.criterion]
    if max(-least, most) > limit:
        raise TableError(
            f"targets in {schema.target!r} are too large for criterion {conventions.criterion!r}",
            got=f"targets from {least:g} to {most:g}, where {limit:g} is the limit",
            hint="divide the target by a constant, such as a power of ten.",
        )
    if conventions.criterion == "poisson" and (least < 0 or most == 0):
        raise TableError(
            f"criterion 'poisson' needs targets from 0 upwards, not all 0, in {schema.target!r}",
            got=f"targets from {least:g} to {most:g}",
            hint='use criterion="squared_error".',
        )


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


def min_sizes(
    c: Conventions, n_rows: int, total_weight: float | None, drawn: float = 1.0
) -> dict[str, Any]:
    """The minimum sizes of nodes and branches, as weights and as numbers of rows.

    Two rows to a node and one to a branch are enough, whatever they weigh, so the core is asked for
    more only. Without weights (``total_weight`` is None) a row weighs one, or as much as it was
    drawn. ``drawn`` is the proportion of the rows that a sample has.
    """
    limits = c.for_rows(n_rows)
    by_weight = total_weight is None or c.counts_weights
    most = _MOST_WEIGHT if by_weight else _MOST_ROWS
    split = 0 if limits.min_samples_split <= 2 else min(limits.min_samples_split, most)
    leaf = 0 if limits.min_samples_leaf <= 1 else min(limits.min_samples_leaf, most)
    total = drawn * (n_rows if total_weight is None else total_weight)
    of_two = 0.0 if c.min_samples_branch is None else float(c.min_samples_branch)
    weight = max(of_two, c.min_weight_fraction_leaf * total * (1 - ROUNDING))
    if by_weight:
        return {
            "min_split_weight": float(max(split, 2 * of_two)),
            "min_branch_weight": float(max(leaf, weight)),
            "min_split_rows": 0,
            "min_branch_rows": 0,
        }
    return {
        "min_split_weight": 2 * of_two,
        "min_branch_weight": weight,
        "min_split_rows": split,
        "min_branch_rows": leaf,
    }


def _depth_limit(c: Conventions) -> int:
    """The depth limit as the core takes it; no tree reaches one that it cannot hold."""
    limit = c.depth_limit
    return -1 if limit is None or limit > _MOST_DEPTH else int(limit)


def engine_params(
    c: Conventions,
    schema: Schema,
    n_rows: int,
    total_weight: float | None,
    drawn: float = 1.0,
) -> dict[str, Any]:
    """The conventions as the core takes them, for so many rows with or without weights."""
    choice = {name: CHOICES[name].index(getattr(c, name)) for name in CHOICES}
    return {
        "criterion": choice["criterion"],
        "categorical": choice["categorical"],
        "missing": choice["missing"],
        "max_surrogates": int(c.max_surrogates),
        "use_surrogate": int(c.use_surrogate),
        "agreement_of_known": c.surrogate_style == 1,
        "max_depth": _depth_limit(c),
        "every_branch": c.min_samples_branch is None,
        "min_score": -np.inf if c.min_score is None else float(c.min_score),
        "min_impurity_decrease": float(c.min_impurity_decrease) or -np.inf,
        "significance": 1.0 if c.significance is None else float(c.significance),
        "adjusted_significance": c.significance_test == "adjusted",
        "zero_gain": bool(c.zero_gain),
        "data_value_thresholds": c.threshold == "data_value",
        "threshold_by_gain": c.threshold_choice == "gain",
        "threshold_penalty": bool(c.threshold_penalty),
        "average_gain": bool(c.average_gain),
        "numeric_branch_fraction": float(c.numeric_branch_fraction),
        "min_separation": float(c.min_separation),
        "tie_tolerance": float(c.tie_tolerance),
        "feature_costs": feature_cost_list(c.feature_costs, schema.names),
        "collapse": bool(c.collapse),
        "max_bins": 0 if c.max_bins is None else int(c.max_bins),
        "exhaustive_categories": int(c.exhaustive_categories),
        "random_splits": c.splitter == "random",
        "columns_per_node": 0,
        "seed": 0,
    } | min_sizes(c, n_rows, total_weight, drawn)
