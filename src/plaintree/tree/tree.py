"""The decision tree of all estimators: a schema and read-only arrays of nodes.

Parents come before their children, the root is node 0, the children of a node are contiguous, and
nodes are numbered level by level, so nodes with two and with many branches are the same code. A
tree holds no training data. Every change makes a new tree. Nothing here recurses: a tree may be
100,000 nodes deep.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.schema import Label, Schema
from plaintree.errors import ArgumentTypeError, TreeError

from .condition import Condition, Equals, Grouped, Multiway, NodeKind, Subset, Surrogate, Threshold
from .conventions import Conventions
from .node import Node
from .sklearn_view import SklearnView
from .surrogates import SURROGATE_DTYPES, surrogates_at

NODE_DTYPES: dict[str, type[np.generic]] = {
    "kind": np.int8,
    "feature": np.int32,
    "threshold": np.float64,
    "first_child": np.int32,
    "n_children": np.int32,
    "missing_child": np.int32,
    "level_begin": np.int64,
    "level_end": np.int64,
    "n_rows": np.int64,
    "weight": np.float64,
    "impurity": np.float64,
    "score": np.float64,
    "label": np.int32,
    "n_tied": np.int32,
}
"""The arrays with one number per node, and their types."""

ARRAY_DTYPES: dict[str, type[np.generic]] = {
    **NODE_DTYPES,
    "levels": np.int32,
    "class_weights": np.float64,
    "prediction": np.float64,
    **SURROGATE_DTYPES,
}
"""All arrays of a tree and their types."""


@dataclass(frozen=True, eq=False)
class Tree(SklearnView):
    """A decision tree: a schema, and read-only arrays with one entry per node.

    Attributes
    ----------
    schema : Schema
        The features with their kinds and categories, and the classes; none if the target is
        numeric.
    kind : ndarray of int8
        A :class:`NodeKind` for every node.
    feature : ndarray of int32
        The feature that the node splits on; -1 in a leaf.
    threshold : ndarray of float64
        The threshold of Threshold nodes, possibly infinite; NaN elsewhere.
    first_child, n_children : ndarray of int32
        The children are ``first_child + 0 ... n_children - 1``, in the order of the condition's
        branches; -1 and 0 in a leaf.
    missing_child : ndarray of int32
        Which child (counted from 0) takes rows that neither the condition nor a surrogate has a
        branch for, such as missing values. -1 divides them over all children in proportion to their
        weight; rows stop at the node and are predicted by it where it is -2. It may be an extra
        child behind the branches.
    level_begin, level_end : ndarray of int64
        A slice of ``levels``: the category codes of Equals and Subset nodes, or the branch of every
        category in Grouped nodes.
    n_rows : ndarray of int64
        The number of training rows that reached the node.
    weight : ndarray of float64
        The sum of their weights.
    impurity : ndarray of float64
        The impurity of the node.
    score : ndarray of float64
        The score of its split; NaN in a leaf.
    label : ndarray of int32
        The class predicted at the node (a position in ``schema.classes``), which need not be the
        majority class.
    n_tied : ndarray of int32
        The number of other features with the same score.
    levels : ndarray of int32
        Category codes, see ``level_begin``.
    class_weights : ndarray of float64, shape (n_nodes, n_classes)
        The weight of every class, never normalised; 0 or from 1e-100 to 1e100.
    prediction : ndarray of float64
        The number that the node predicts, where the target is numeric; otherwise empty.
    conventions : Conventions or None
        The conventions that the tree was grown by.
    edits : tuple of dict
        One record per change by hand; not compared.
    surrogate_begin, surrogate_end : ndarray of int64
        A slice of the surrogate splits for every node, in the order in which they are tried. Empty,
        as are the following arrays, in a tree without surrogates. :meth:`surrogates` reads them.
    surrogate_kind, surrogate_feature, surrogate_threshold : ndarray
        Of every surrogate: a threshold or groups of categories, the feature, and the threshold.
    surrogate_reversed : ndarray of int8
        1 where values up to the threshold go to branch 1 of the node.
    surrogate_level_begin, surrogate_level_end : ndarray of int64
        A slice of ``surrogate_levels``: the branch of every category, -1 where it has none.
    surrogate_agreement, surrogate_adjusted : ndarray of float64
        The agreement with the split of the node, and the adjusted agreement.
    surrogate_levels : ndarray of int32
        Branches of categories, see ``surrogate_level_begin``.
    """

    schema: Schema
    kind: NDArray[np.int8]
    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    first_child: NDArray[np.int32]
    n_children: NDArray[np.int32]
    missing_child: NDArray[np.int32]
    level_begin: NDArray[np.int64]
    level_end: NDArray[np.int64]
    n_rows: NDArray[np.int64]
    weight: NDArray[np.float64]
    impurity: NDArray[np.float64]
    score: NDArray[np.float64]
    label: NDArray[np.int32]
    n_tied: NDArray[np.int32]
    levels: NDArray[np.int32]
    class_weights: NDArray[np.float64]
    prediction: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    conventions: Conventions | None = None
    edits: tuple[dict[str, Any], ...] = ()
    surrogate_begin: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    surrogate_end: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    surrogate_kind: NDArray[np.int8] = field(default_factory=lambda: np.empty(0, np.int8))
    surrogate_feature: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
    surrogate_threshold: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    surrogate_reversed: NDArray[np.int8] = field(default_factory=lambda: np.empty(0, np.int8))
    surrogate_level_begin: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    surrogate_level_end: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    surrogate_agreement: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    surrogate_adjusted: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    surrogate_levels: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))

    def __post_init__(self) -> None:
        # Validation is the one way into a tree: copies, replaced fields, pickles and model files
        # come here. Only tree_from_core leaves it out.
        from .validate import check_tree, checked_array

        for name, dtype in ARRAY_DTYPES.items():
            object.__setattr__(self, name, checked_array(name, getattr(self, name), dtype))
        check_tree(self)

    def __reduce__(self) -> tuple[Any, ...]:
        # Unpickled trees are made by the constructor, so they are validated. Categories of columns
        # that no node splits on are not written.
        schema, *others = self._fields()
        return type(self), (schema.with_values_of(self.used_columns()), *others)

    def __copy__(self) -> Tree:
        return type(self)(*self._fields())

    def __deepcopy__(self, memo: dict[int, Any]) -> Tree:
        return type(self)(*deepcopy(self._fields(), memo))

    def _fields(self) -> tuple[Any, ...]:
        return tuple(getattr(self, f.name) for f in fields(self))

    # ---------------------------------------------------------------- size and shape

    @property
    def n_nodes(self) -> int:
        """The number of nodes, leaves included."""
        return len(self.kind)

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return int(np.count_nonzero(self.kind == NodeKind.LEAF))

    @property
    def size(self) -> int:
        """The number of internal nodes, the complexity of a tree in many lecture notes."""
        return self.n_nodes - self.n_leaves

    @property
    def depth(self) -> int:
        """The number of edges on the longest path; a single leaf has depth 0."""
        return int(self.node_depths.max())

    @cached_property
    def parent(self) -> NDArray[np.int32]:
        """The parent of every node; -1 for the root."""
        inner = np.flatnonzero(self.n_children)
        inner = inner[np.argsort(self.first_child[inner])]
        parents = np.full(self.n_nodes, -1, dtype=np.int32)
        parents[1:] = np.repeat(inner, self.n_children[inner])
        return _frozen(parents)

    @cached_property
    def node_depths(self) -> NDArray[np.int32]:
        """The number of edges from the root to every node."""
        depths = np.zeros(self.n_nodes, dtype=np.int32)
        for node, parent in enumerate(self.parent.tolist()):
            if parent >= 0:
                depths[node] = depths[parent] + 1
        return _frozen(depths)

    # ---------------------------------------------------------------- nodes

    @property
    def root(self) -> Node:
        """The root as a node object."""
        return Node(self, 0)

    def node(self, index: int) -> Node:
        """Return the node of a number."""
        if not 0 <= index < self.n_nodes:
            raise TreeError(
                "there is no such node", got=f"{index}", hint=f"use 0 to {self.n_nodes - 1}."
            )
        return Node(self, index)

    def walk(self) -> Iterator[Node]:
        """Yield all nodes depth first: a node, then its branches in order."""
        pending = [0]
        while pending:
            index = pending.pop()
            yield Node(self, index)
            first, n = int(self.first_child[index]), int(self.n_children[index])
            pending.extend(range(first + n - 1, first - 1, -1))

    def condition(self, index: int) -> Condition | None:
        """Return the condition of a node; None in a leaf."""
        kind = NodeKind(self.kind[index])
        attribute = int(self.feature[index])
        match kind:
            case NodeKind.LEAF:
                return None
            case NodeKind.THRESHOLD:
                return Threshold(attribute, float(self.threshold[index]))
            case NodeKind.MULTIWAY:
                return Multiway(attribute, len(self.schema.features[attribute].categories))
            case NodeKind.EQUALS:
                return Equals(attribute, int(self.levels[self.level_begin[index]]))
            case NodeKind.SUBSET:
                tested = self.levels[self.level_begin[index] : self.level_end[index]]
                return Subset(attribute, tuple(tested.tolist()))
            case NodeKind.GROUPED:
                groups = self.levels[self.level_begin[index] : self.level_end[index]]
                return Grouped(attribute, tuple(groups.tolist()))

    def surrogates(self, index: int) -> tuple[Surrogate, ...]:
        """Return the surrogate splits of a node, in the order in which they are tried."""
        return surrogates_at(self, index)

    @property
    def has_surrogates(self) -> bool:
        """Whether some node has surrogate splits."""
        return self.surrogate_kind.size > 0

    def used_columns(self) -> frozenset[int]:
        """Return the numbers of the features that nodes or surrogates split on.

        A row needs no others.
        """
        used = np.union1d(self.feature[self.feature >= 0], self.surrogate_feature)
        return frozenset(used.astype(np.int64).tolist())

    def importances(self) -> NDArray[np.float64]:
        """Return the fraction of the total decrease of impurity that each feature contributes."""
        from .prediction import impurity_masses

        mass = impurity_masses(self)
        inner = np.flatnonzero(self.n_children)
        below = np.zeros(self.n_nodes)
        np.add.at(below, self.parent[1:], mass[1:])
        removed = np.zeros(len(self.schema.features))
        np.add.at(removed, self.feature[inner], np.maximum(mass[inner] - below[inner], 0.0))
        total = removed.sum()
        return removed / total if total > 0 else removed

    # ---------------------------------------------------------------- changes

    def cut(self, nodes: int | Iterable[int]) -> Tree:
        """Return a copy in which the subtrees at some nodes (a number or several) are leaves."""
        from .edit import cut_by_hand

        return cut_by_hand(self, nodes)

    def relabel(self, node: int, label: Label) -> Tree:
        """Return a copy with another prediction in a leaf; see :func:`plaintree.tree.relabel`."""
        from .edit import relabel

        return relabel(self, node, label)

    def graft(
        self,
        node: int,
        condition: Condition | str,
        *,
        labels: Sequence[Label] | None = None,
        missing: int | None = None,
    ) -> Tree:
        """Return a copy with a split in place of a leaf; see :func:`plaintree.tree.graft`."""
        from .edit import graft

        return graft(self, node, condition, labels=labels, missing=missing)

    def refit(self, X: Any, y: Any, sample_weight: Any = None) -> Tree:
        """Return a copy with the counts of a table; see :func:`plaintree.tree.refit`."""
        from .refitting import refit

        return refit(self, X, y, sample_weight)

    def merge_leaves(self) -> Tree:
        """Return a copy in which sibling leaves that predict the same are merged."""
        from .cut import merge_leaves

        return merge_leaves(self)

    # ---------------------------------------------------------------- checks and comparison

    def validate(self) -> Tree:
        """Validate the tree again, as its constructor did. Return it, or raise TreeError."""
        from .validate import check_tree

        check_tree(self)
        return self

    def difference(self, other: Tree, *, tolerance: float = 0.0) -> str | None:
        """Return as text where two trees differ, or None if they are the same."""
        from .difference import describe_difference

        return describe_difference(self, other, tolerance)

    def content_hash(self) -> str:
        """Return a hash of conditions, thresholds and class weights, equal for equal trees."""
        digest = hashlib.sha256()
        parts = (
            self.kind,
            self.feature,
            self.threshold,
            self.first_child,
            self.n_children,
            self.missing_child,
            self.level_begin,
            self.level_end,
            self.levels,
            self.label,
            self.class_weights,
            self.prediction,
            *(getattr(self, name) for name in SURROGATE_DTYPES),
        )
        for part in parts:
            digest.update(np.ascontiguousarray(part).tobytes())
        return digest.hexdigest()

    def __str__(self) -> str:
        from plaintree.show.text import export_text

        return export_text(self)

    def _repr_svg_(self) -> str:
        from plaintree.show.picture.svg import export_svg

        return export_svg(self)

    def __repr__(self) -> str:
        return f"<Tree of {self.size} internal nodes, {self.n_leaves} leaves, depth {self.depth}>"


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


def tree_of(model_or_tree: object) -> Tree:
    """Return the tree itself, or the ``tree_`` of a fitted model."""
    tree = getattr(model_or_tree, "tree_", model_or_tree)
    if isinstance(tree, Tree):
        return tree
    if hasattr(model_or_tree, "trees_"):
        raise ArgumentTypeError(
            "an ensemble has no single tree",
            got=f"an object of type {type(model_or_tree).__name__}",
            hint="pass one of its trees: model.trees_[0], or --tree 0 on the command line.",
        )
    unfitted = hasattr(model_or_tree, "fit")
    raise ArgumentTypeError(
        "there is no tree to read",
        got=f"an object of type {type(model_or_tree).__name__} without a tree_",
        hint="call fit first." if unfitted else "pass a fitted model or a Tree.",
    )
