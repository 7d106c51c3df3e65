"""Growing the trees of a forest on samples of the rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from plaintree import _core
from plaintree.data.rows import Rows
from plaintree.data.schema import Schema
from plaintree.data.target import core_target
from plaintree.errors import ParameterError
from plaintree.progress import Progress
from plaintree.tree.best_first import keep_best
from plaintree.tree.constraints import by_position
from plaintree.tree.conventions import Conventions
from plaintree.tree.forest import PackedForest, Sampling, any_node_predicts

from .finders import ALL_FINDERS
from .one_tree import check_task, engine_params, range_of, refuse_empty_branches, total_of

Floats = NDArray[np.float64]


LEAST_SHARE = 2.0**-50
"""Rows of less than this fraction of the largest possible weight of a sample count nothing."""


def grow_forest(
    schema: Schema,
    rows: Rows,
    conventions: Conventions,
    sampling: Sampling,
    *,
    n_trees: int,
    first_tree: int = 0,
    columns_per_node: int = 0,
    most_bytes: int = 0,
    n_threads: int = 1,
    finders: int = ALL_FINDERS,
    progress: Progress | None = None,
) -> PackedForest:
    """Grow trees on samples of the rows, each node looking at columns drawn at random (0: all).

    Tree i depends on the rows, the conventions, the seed and i, and on nothing else.
    """
    check_task(schema, conventions, *range_of(schema, rows.target))
    check_single_trees_only(conventions)
    try:
        packed = _core.grow_forest(
            columns=list(rows.columns),
            n_categories=schema.category_counts,
            target=core_target(rows.target, schema),
            n_classes=len(schema.classes),
            weights=None if rows.weights is None else np.ascontiguousarray(rows.weights),
            params=engine_params(
                conventions,
                schema,
                len(rows.codes),
                total_of(rows.weights),
                drawn_fraction(sampling, int(np.count_nonzero(rows.known_weights))),
            )
            | by_position(conventions, schema)
            | {"columns_per_node": columns_per_node, "finders": finders},
            options=sampling.for_engine()
            | {"any_node_answers": any_node_predicts(conventions)}
            | {"first_tree": first_tree, "n_trees": n_trees, "most_bytes": most_bytes},
            n_threads=n_threads,
            progress=None
            if progress is None
            else lambda done: progress("growing trees", done, n_trees),
        )
    except MemoryError as error:
        refuse_empty_branches(error, schema)
        raise
    forest = PackedForest(schema, conventions, packed)
    most = conventions.max_leaf_nodes
    return forest if most is None else PackedForest.from_trees(keep_best(t, most) for t in forest)


_OF_SINGLE_TREES = {
    "missing": 'packed trees have no surrogate splits; use missing="most_common"',
    "priors": "the classes of a sample have other fractions; use class_weight",
    "costs": "packed trees predict by majority; use class_weight",
    "decision_threshold": "packed trees predict by majority; compare predict_proba with it",
}
"""Conventions that the trees of a forest do not have, and why."""


def check_single_trees_only(conventions: Conventions) -> None:
    for name, reason in _OF_SINGLE_TREES.items():
        value = getattr(conventions, name)
        if value == "surrogate" if name == "missing" else value is not None:
            raise ParameterError(
                f"{name} of this kind is for single trees",
                got=f"{name}={value!r}",
                hint=f"{reason}.",
            )


def drawn_fraction(sampling: Sampling, n_rows: int) -> float:
    """The proportion of all weight that a sample has on average; ``n_rows`` have a weight."""
    return 1.0 if sampling.how == "all" else sampling.n_draws / n_rows


def without_rounding_residue(weights: Floats | None) -> Floats | None:
    """Weights in which what is too small to count in any sample counts nothing."""
    if weights is None:
        return None
    return np.where(weights < weights.max() * len(weights) * LEAST_SHARE, 0.0, weights)
