"""Growing a forest whose trees see different features, or rows with different weights.

The core grows all trees of a forest on one table. Here each tree gets a table of its own and is
grown by the same call; its features are numbered as in the whole table afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from plaintree.data.rows import Rows
from plaintree.data.schema import Schema
from plaintree.progress import Progress
from plaintree.tree.conventions import Conventions
from plaintree.tree.forest import Floats, PackedForest, Sampling
from plaintree.tree.tree import Tree

from .forest import grow_forest


@dataclass(frozen=True, eq=False)
class Part:
    """The features that one tree may split on, ascending, and its weights of the rows.

    A feature that was drawn several times is there as often.
    """

    features: NDArray[np.int64]
    weights: Floats | None


def grow_each(
    schema: Schema,
    rows: Rows,
    conventions: Conventions,
    sampling: Sampling,
    part_of: Callable[[int], Part],
    *,
    n_trees: int,
    first_tree: int = 0,
    n_threads: int = 1,
    progress: Progress | None = None,
    **options: Any,
) -> PackedForest:
    """Grow tree i on ``part_of(i)``; all else is that of :func:`grow_forest`."""

    def grown(number: int) -> Tree:
        part = part_of(number)
        columns = [rows.columns[i] for i in part.features]
        features = tuple(schema.features[i] for i in part.features)
        forest = grow_forest(
            replace(schema, features=features),
            Rows(columns, rows.codes, part.weights),
            conventions,
            sampling,
            n_trees=1,
            first_tree=number,
            **options,
        )
        return _in_whole_table(forest[0], schema, part.features)

    team = Parallel(n_jobs=n_threads, require="sharedmem", return_as="generator")
    trees = []
    for tree in team(delayed(grown)(i) for i in range(first_tree, first_tree + n_trees)):
        trees.append(tree)
        if progress is not None:
            progress("growing trees", len(trees), n_trees)
    return PackedForest.from_trees(trees)


def _in_whole_table(tree: Tree, schema: Schema, features: NDArray[np.int64]) -> Tree:
    numbers = np.where(tree.feature >= 0, features[tree.feature], -1)
    return replace(tree, schema=schema, feature=numbers.astype(np.int32))
