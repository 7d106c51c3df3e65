"""The one tree that every learner makes and everything else reads: frozen node arrays.

Parents stand before their children, the root is node 0, the children of a node are contiguous,
and nodes are numbered level by level, so that two-way and many-way nodes are the same code.
There is no training data inside. Every change makes a new tree. Nothing here recurses: a tree
may be 100,000 nodes deep.
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

from .condition import Condition, Equals, Grouped, Multiway, NodeKind, Subset, Threshold
from .conventions import Conventions
from .sklearn_view import SklearnView

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
}
"""All arrays of a tree and their types."""


@dataclass(frozen=True, eq=False)
class Tree(SklearnView):
    """A decision tree: a schema and equal-length, read-only arrays with one entry per node.

    - ``kind``: a :class:`NodeKind`; ``feature``: the column that the node splits on, -1 in a leaf.
    - ``threshold``: of Threshold nodes, possibly infinite; NaN elsewhere.
    - ``first_child``, ``n_children``: the children are ``first_child + 0 ... n_children - 1``, in
      the order of the condition's branches; -1 and 0 in a leaf.
    - ``missing_child``: which child (counted from 0) takes missing values; -1 divides them over
      all children in proportion to their weight. It may be an extra child behind the branches.
    - ``level_begin``, ``level_end``: a slice of ``levels``: the category codes that Equals and
      Subset nodes test for, or the branch of every category in Grouped nodes.
    - ``n_rows``, ``weight``: training rows that reached the node, and the sum of their weights.
    - ``impurity``, ``score``: of the node, and of the condition chosen there (NaN in a leaf).
    - ``label``: the class predicted at the node (a position in ``schema.classes``), which need
      not be the majority class.
    - ``n_tied``: how many other attributes reached the very same score.
    - ``prediction``: the number predicted at each node of a numeric target; otherwise empty.
    - ``class_weights``: nodes x classes, never normalised; 0 or from 1e-100 to 1e100.
    - ``edits``: what was changed by hand, one record per change; no part of what is compared.
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

    def __post_init__(self) -> None:
        # Validation is the one way into a tree: copies, replaced fields, pickles and model files
        # come here. Only tree_from_core leaves it out.
        from .validate import check_tree, checked_array

        for name, dtype in ARRAY_DTYPES.items():
            object.__setattr__(self, name, checked_array(name, getattr(self, name), dtype))
        check_tree(self)

    def __reduce__(self) -> tuple[Any, ...]:
        # Unpickled trees are made by the constructor, so they are validated. Categories of columns
        # that no node tests are not written.
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
        """All nodes, leaves included."""
        return len(self.kind)

    @property
    def n_leaves(self) -> int:
        """Nodes without children."""
        return int(np.count_nonzero(self.kind == NodeKind.LEAF))

    @property
    def size(self) -> int:
        """The number of internal nodes: a tree's complexity as the courses define it."""
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
        """The node of that number."""
        if not 0 <= index < self.n_nodes:
            raise TreeError(
                "there is no such node", got=f"{index}", hint=f"use 0 to {self.n_nodes - 1}."
            )
        return Node(self, index)

    def walk(self) -> Iterator[Node]:
        """All nodes depth first: a node, then its branches in order."""
        pending = [0]
        while pending:
            index = pending.pop()
            yield Node(self, index)
            first, n = int(self.first_child[index]), int(self.n_children[index])
            pending.extend(range(first + n - 1, first - 1, -1))

    def condition(self, index: int) -> Condition | None:
        """The condition tested at a node; None in a leaf."""
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

    def used_columns(self) -> frozenset[int]:
        """The numbers of the columns that some node tests; a row needs no others."""
        return frozenset(np.unique(self.feature[self.feature >= 0]).tolist())

    def importances(self) -> NDArray[np.float64]:
        """The impurity that the tests of each attribute remove, as shares of the whole."""
        mass = self.weight * self.impurity
        inner = np.flatnonzero(self.n_children)
        below = np.zeros(self.n_nodes)
        np.add.at(below, self.parent[1:], mass[1:])
        removed = np.zeros(len(self.schema.features))
        np.add.at(removed, self.feature[inner], np.maximum(mass[inner] - below[inner], 0.0))
        total = removed.sum()
        return removed / total if total > 0 else removed

    # ---------------------------------------------------------------- changes

    def cut(self, nodes: int | Iterable[int]) -> Tree:
        """A copy in which the subtrees at some nodes (a number or several) are leaves."""
        from .edit import cut_by_hand

        return cut_by_hand(self, nodes)

    def relabel(self, node: int, label: Label) -> Tree:
        """A copy in which a leaf answers another class; see :func:`plaintree.tree.relabel`."""
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
        """A copy with a test in the place of a leaf; see :func:`plaintree.tree.graft`."""
        from .edit import graft

        return graft(self, node, condition, labels=labels, missing=missing)

    def refit(self, X: Any, y: Any, sample_weight: Any = None) -> Tree:
        """A copy with the counts of another table; see :func:`plaintree.tree.refit`."""
        from .edit import refit

        return refit(self, X, y, sample_weight)

    def merge_leaves(self) -> Tree:
        """A copy in which sibling leaves that answer the same class are merged, upwards."""
        from .cut import merge_leaves

        return merge_leaves(self)

    # ---------------------------------------------------------------- checks and comparison

    def validate(self) -> Tree:
        """Check the tree again, as its constructor did; the tree itself, or TreeError."""
        from .validate import check_tree

        check_tree(self)
        return self

    def difference(self, other: Tree, *, tolerance: float = 0.0) -> str | None:
        """Where two trees differ, in words, or None if they are the same."""
        from .difference import describe_difference

        return describe_difference(self, other, tolerance)

    def content_hash(self) -> str:
        """A digest of the conditions, thresholds and class weights: equal for equal trees."""
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


@dataclass(frozen=True, eq=True)
class Node:
    """One node, read through its tree."""

    tree: Tree
    index: int

    @property
    def is_leaf(self) -> bool:
        """Whether the node has no children."""
        return bool(self.tree.kind[self.index] == NodeKind.LEAF)

    @property
    def condition(self) -> Condition | None:
        """The test made here; None in a leaf."""
        return self.tree.condition(self.index)

    @property
    def feature(self) -> str | None:
        """The name of the tested attribute; None in a leaf."""
        column = int(self.tree.feature[self.index])
        return None if column < 0 else self.tree.schema.features[column].name

    @property
    def children(self) -> tuple[Node, ...]:
        """The children in the order of the condition's branches."""
        first = int(self.tree.first_child[self.index])
        n = int(self.tree.n_children[self.index])
        return tuple(Node(self.tree, first + i) for i in range(n))

    @property
    def parent(self) -> Node | None:
        """The node above; None for the root."""
        above = int(self.tree.parent[self.index])
        return None if above < 0 else Node(self.tree, above)

    @property
    def depth(self) -> int:
        """The number of edges from the root."""
        return int(self.tree.node_depths[self.index])

    @property
    def counts(self) -> dict[Label, float]:
        """The weight of every class among the training rows here (a count if unweighted)."""
        return dict(
            zip(self.tree.schema.classes, self.tree.class_weights[self.index].tolist(), strict=True)
        )

    @property
    def weight(self) -> float:
        """The sum of the training rows' weights."""
        return float(self.tree.weight[self.index])

    @property
    def n_rows(self) -> int:
        """How many training rows reached the node."""
        return int(self.tree.n_rows[self.index])

    @property
    def impurity(self) -> float:
        """The impurity of the class weights, by the measure the tree was grown with."""
        return float(self.tree.impurity[self.index])

    @property
    def score(self) -> float:
        """The criterion's value for the condition; NaN in a leaf."""
        return float(self.tree.score[self.index])

    @property
    def label(self) -> Label:
        """The class predicted here; an error if the target is numeric."""
        from .task import needs_classes

        needs_classes(self.tree.schema, "the label of a node")
        return self.tree.schema.classes[int(self.tree.label[self.index])]

    @property
    def prediction(self) -> Label:
        """The class or the number predicted here."""
        tree = self.tree
        return self.label if tree.schema.classes else float(tree.prediction[self.index])

    def __repr__(self) -> str:
        test = self.feature or f"leaf {self.prediction!r}"
        return f"<Node {self.index}: {test}, weight {self.weight:g}>"


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
