"""A tree that memorises its training rows: the naive learner of textbooks.

Each row gets a path of its own over all features in column order. Branches without rows end in a
leaf whose class is drawn at random. The tree is consistent with the training table, larger than any
sensible tree, and generalises badly, which is what it is there to show.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from plaintree.checks import DEFAULT_SEED
from plaintree.data.categorical_features import CategoricalFeatures
from plaintree.data.rows import Rows
from plaintree.data.schema import Schema
from plaintree.growing.counts import PartedTable
from plaintree.stats.impurity import entropy
from plaintree.stats.midpoints import midpoints
from plaintree.tree.condition import NodeKind
from plaintree.tree.conventions import Conventions, Unseen
from plaintree.tree.tree import Tree

from .documented import documented
from .parts import FitOptions, needs_rows
from .single_tree import TreeClassifier


@documented("tree_", "feature_importances_")
class MemorizingTreeClassifier(TreeClassifier):
    """A tree that memorises its training rows: one path per row, over all features.

    Branches without rows predict a class that is drawn at random. Numeric features are split
    between all their distinct values.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_xor()
    >>> pt.MemorizingTreeClassifier().fit(X, y).score(X, y)
    1.0
    """

    _default_conventions = Conventions(
        criterion="information_gain", categorical="multiway", missing="branch"
    )

    def __init__(
        self,
        *,
        unseen: Unseen = "missing",
        categorical_features: CategoricalFeatures = "from_dtype",
        random_state: int | np.random.RandomState | None = DEFAULT_SEED,
        n_jobs: int | None = None,
    ) -> None:
        self.unseen = unseen
        self.categorical_features = categorical_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit_parts(self, table: PartedTable, conventions: Conventions, options: FitOptions) -> None:
        del table, conventions, options
        raise needs_rows("MemorizingTreeClassifier, which has a path for each row", "use another")

    def _grow(self, schema: Schema, rows: Rows, conventions: Conventions) -> Tree:
        random = check_random_state(self.random_state)
        memory = _Memory(schema, rows.columns, rows.codes, rows.known_weights, random)
        return memory.tree(conventions)


@dataclass
class _Part:
    """Rows with the same path so far; features before ``column`` have been split on."""

    rows: NDArray[np.intp]
    column: int
    parent: int


@dataclass
class _Memory:
    """Builds the tree level by level."""

    schema: Schema
    columns: list[NDArray[Any]]
    codes: NDArray[np.int32]
    weights: NDArray[np.float64]
    random: np.random.RandomState
    nodes: list[dict[str, Any]] = field(default_factory=list)

    def tree(self, conventions: Conventions) -> Tree:
        pending = deque([_Part(np.flatnonzero(self.weights > 0), 0, -1)])
        next_child = 1
        while pending:
            part = pending.popleft()
            children = self._add_node(part, next_child)
            next_child += len(children)
            pending.extend(children)
        arrays: dict[str, Any] = {
            name: np.array([node[name] for node in self.nodes]) for name in self.nodes[0]
        }
        nothing = np.zeros(len(self.nodes), dtype=np.int64)
        return Tree(
            schema=self.schema,
            conventions=conventions,
            level_begin=nothing,
            level_end=nothing,
            levels=np.zeros(0, dtype=np.int32),
            n_tied=nothing.astype(np.int32),
            score=np.full(len(self.nodes), np.nan),
            **arrays,
        )

    def _add_node(self, part: _Part, first_child: int) -> list[_Part]:
        n_classes = len(self.schema.classes)
        counts = np.bincount(
            self.codes[part.rows], weights=self.weights[part.rows], minlength=n_classes
        )
        index = len(self.nodes)
        kind, column, threshold, groups = self._next_split(part)
        known = [self.weights[g].sum() for g in groups]
        extra = len(groups) > self._n_branches(kind, column)
        self.nodes.append(
            {
                "kind": int(kind),
                "feature": -1 if kind == NodeKind.LEAF else column,
                "threshold": threshold,
                "first_child": first_child if groups else -1,
                "n_children": len(groups),
                "missing_child": (len(groups) - 1 if extra else int(np.argmax(known)))
                if groups
                else -1,
                "n_rows": len(part.rows),
                "weight": counts.sum(),
                "impurity": entropy(counts),
                "label": int(np.argmax(counts))
                if len(part.rows)
                else int(self.random.randint(n_classes)),
                "class_weights": counts,
            }
        )
        after = column if kind == NodeKind.THRESHOLD else column + 1
        parts = [_Part(rows, after, index) for rows in groups]
        if extra:
            parts[-1].column = column + 1
        return parts

    def _next_split(self, part: _Part) -> tuple[NodeKind, int, float, list[NDArray[np.intp]]]:
        """The split that separates the rows of a part, and the groups it makes."""
        for column in range(part.column, len(self.columns) if len(part.rows) else 0):
            feature = self.schema.features[column]
            values = self.columns[column][part.rows]
            missing = feature.missing(values)
            without = [part.rows[missing]] if missing.any() else []
            if feature.is_categorical:
                groups = [part.rows[values == c] for c in range(len(feature.categories))]
                return NodeKind.MULTIWAY, column, np.nan, groups + without
            distinct = np.unique(values[~missing]).astype(np.float64)
            if len(distinct) < 2:
                continue
            middle = len(distinct) // 2
            threshold = float(midpoints(distinct[middle - 1], distinct[middle]))
            groups = [part.rows[values <= threshold], part.rows[values > threshold]]
            return NodeKind.THRESHOLD, column, threshold, groups + without
        return NodeKind.LEAF, part.column, np.nan, []

    def _n_branches(self, kind: NodeKind, column: int) -> int:
        if kind == NodeKind.MULTIWAY:
            return len(self.schema.features[column].categories)
        return 2
