"""Trees and rules as the two-way nodes of ONNX's TreeEnsemble operator.

A node of many branches becomes several that divide the codes in two again and again, a rule a
chain of splits. Parts still to be written are *items* on a stack; a *source* of items returns for
each a leaf, or a split with two items. Nodes are numbered depth first, which is also the order in
which the operator reads the sets of its membership splits.

Every leaf of a tree has its own weight. onnxruntime joins splits of the same column whose
leaves have equal weights, and is wrong where they differ in target or in what is done with missing
values.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from math import floor, inf, nan
from typing import Any, Protocol

import numpy as np

from plaintree.data.schema import Feature
from plaintree.errors import ExportError, TreeError
from plaintree.rules.rule import Clause
from plaintree.tree.condition import STOPS, Equals, Grouped, Multiway, Subset, Threshold
from plaintree.tree.tree import Tree

from .graph import ML, Graph, numbers

UNSEEN_CODE = 0.0
"""Code of an unseen category; known ones are coded from 1 upwards. NaN is missing."""

DEEPEST = 500
"""onnxruntime loads trees by recursion, with some 800 bytes of stack a split, and crashes without
more. Threads have 512 KB on some systems; the main one has 1 MB next to a Java machine."""
SPARE_LEAVES = 2
"""Leaves that no split leads to. Without them the ends of a root, a split and a leaf, might have
the same number, and some versions of onnxruntime take such a root for a leaf."""

Item = Hashable


class Mode(IntEnum):
    """The operator's numbers for its comparisons."""

    AT_MOST = 0
    ABOVE = 3
    EQUAL = 4
    MEMBER = 6


@dataclass(frozen=True)
class Leaf:
    """Adds a weight to a target."""

    weight: float
    target: int


@dataclass(frozen=True)
class Split:
    """A split on a feature, and the items if it is true or false."""

    feature: int
    mode: Mode
    value: float
    when_true: Item
    when_false: Item
    missing_is_true: bool = False
    members: tuple[float, ...] = ()


class Source(Protocol):
    """Resolves items."""

    def part(self, item: Item) -> Leaf | Split:
        """Return a leaf, or a split with two further items."""


@dataclass
class Ensemble:
    """The arrays of the operator, one entry for each node or leaf."""

    roots: list[int] = field(default_factory=list)
    splits: list[Split] = field(default_factory=list)
    ends: list[list[tuple[int, bool]]] = field(default_factory=list)
    leaves: list[Leaf] = field(default_factory=lambda: [Leaf(0.0, 0)] * SPARE_LEAVES)

    def add(self, root: Item, source: Source) -> None:
        """Add the tree that begins with an item."""
        self.roots.append(len(self.splits))
        if isinstance(source.part(root), Leaf):  # the operator begins with a split
            self._open(Split(0, Mode.AT_MOST, 0.0, root, root))
            waiting = [(root, self.roots[-1], side, 1) for side in (1, 0)]
        else:
            waiting = [(root, -1, 0, 0)]
        while waiting:
            item, above, side, depth = waiting.pop()
            part = source.part(item)
            if isinstance(part, Leaf):
                self.ends[above][side] = (len(self.leaves), True)
                self.leaves.append(part)
                continue
            if depth > DEEPEST:
                raise ExportError(
                    "the tree is so deep that onnxruntime would crash over it",
                    got=f"more than {DEEPEST} splits on a path",
                    hint="prune the tree, or grow it with max_depth.",
                )
            number = self._open(part)
            if above >= 0:
                self.ends[above][side] = (number, False)
            below = depth + 1
            waiting += [(part.when_false, number, 1, below), (part.when_true, number, 0, below)]

    def _open(self, split: Split) -> int:
        self.splits.append(split)
        self.ends.append([(-1, False), (-1, False)])
        return len(self.splits) - 1

    def apply(self, graph: Graph, features: str, n_targets: int) -> str:
        """The operation: rows x features in, rows x targets out."""
        attributes: dict[str, Any] = {}
        sets = [x for split in self.splits if split.members for x in (*split.members, nan)]
        if sets:
            attributes["membership_values"] = numbers(sets)
        (on_true, true_leaf), (on_false, false_leaf) = (
            zip(*(ends[side] for ends in self.ends), strict=True) for side in (0, 1)
        )
        return graph.apply(
            "TreeEnsemble",
            features,
            domain=ML,
            n_targets=n_targets,
            aggregate_function=1,  # sum
            post_transform=0,  # none
            tree_roots=self.roots,
            nodes_featureids=[split.feature for split in self.splits],
            nodes_modes=numbers([split.mode for split in self.splits], np.uint8),
            nodes_splits=numbers([split.value for split in self.splits]),
            nodes_truenodeids=list(on_true),
            nodes_trueleafs=list(map(int, true_leaf)),
            nodes_falsenodeids=list(on_false),
            nodes_falseleafs=list(map(int, false_leaf)),
            nodes_missing_value_tracks_true=[int(s.missing_is_true) for s in self.splits],
            leaf_targetids=[leaf.target for leaf in self.leaves],
            leaf_weights=numbers([leaf.weight for leaf in self.leaves]),
            **attributes,
        )


# -------------------------------------------------------------------- trees

Step = tuple[int, str, int, int]
"""An item of a tree: a node, its remaining splits, and their branches."""


@dataclass(frozen=True, eq=False)
class TreeSource:
    """A tree; ``leaves`` returns what each node adds to which target if a row ends there."""

    tree: Tree
    leaves: Sequence[Leaf]
    stops: bool = False

    @staticmethod
    def enter(node: int) -> Step:
        """The item of a whole subtree."""
        return node, "enter", 0, 0

    def part(self, item: Any) -> Leaf | Split:
        """Return the leaf or split of an item."""
        node, step, low, high = self._settled(item)
        if step == "end" or not self.tree.n_children[node]:
            return self.leaves[node]
        condition = self.tree.condition(node)
        assert condition is not None, "an internal node has a condition"
        attribute = self.tree.schema.features[condition.feature]
        may_stop = self.stops and attribute.is_categorical and not attribute.cuts
        if step == "enter" and may_stop:
            stays, goes_on = (node, "end", 0, 0), (node, "known", 0, 0)
            return Split(condition.feature, Mode.EQUAL, UNSEEN_CODE, stays, goes_on)
        apart = (condition.n_branches, STOPS)  # missing values leave before the condition
        if step in ("enter", "known") and self._missing(node) in apart:
            return self._missing_test(node, condition)
        if isinstance(condition, Multiway):
            ends = (low, high) if step == "among" else (0, condition.n_branches)
            return self._halved(node, condition, *ends)
        if isinstance(condition, Grouped):
            return self._group(node, condition, low)
        return self._two_way(node, condition, attribute)

    def _settled(self, item: Step) -> Step:
        """The item itself, or the child's where a single branch is left."""
        node, step, low, high = item
        return self._child(node, low) if step == "among" and high - low == 1 else item

    def _missing(self, node: int) -> int:
        return int(self.tree.missing_child[node])

    def _child(self, node: int, branch: int) -> Step:
        return self.enter(int(self.tree.first_child[node]) + branch)

    def _missing_test(self, node: int, condition: Any) -> Split:
        """Whether a value is missing, or of a category that counts as missing."""
        others: Step = (node, "value", 0, 0)
        stops = self._missing(node) == STOPS
        own = (node, "end", 0, 0) if stops else self._child(node, condition.n_branches)
        stray = condition.categories_of(-1) if isinstance(condition, Grouped) else ()
        if stray:
            return Split(condition.feature, Mode.MEMBER, 0.0, own, others, True, coded(stray))
        return Split(condition.feature, Mode.AT_MOST, inf, others, own)

    def _halved(self, node: int, condition: Multiway, low: int, high: int) -> Split:
        """The lower half of the branches from the upper one."""
        middle = (low + high + 1) // 2
        return Split(
            condition.feature,
            Mode.AT_MOST,
            float(middle),  # categories are coded from 1
            (node, "among", low, middle),
            (node, "among", min(middle, high - 1), high),
            low <= self._missing(node) < middle,
        )

    def _group(self, node: int, condition: Grouped, branch: int) -> Split:
        """One group of categories from those behind it."""
        missing = self._missing(node)
        codes = condition.categories_of(branch)
        if missing == branch:
            codes += condition.categories_of(-1)
        last = branch + 2 >= condition.n_branches
        behind = (
            self._child(node, condition.n_branches - 1) if last else (node, "value", branch + 1, 0)
        )
        own = self._child(node, branch)
        return Split(
            condition.feature, Mode.MEMBER, 0.0, own, behind, missing == branch, coded(codes)
        )

    def _two_way(self, node: int, condition: Any, attribute: Feature) -> Split:
        yes, no = self._child(node, 0), self._child(node, 1)
        mode, value = Mode.MEMBER, 0.0
        members: tuple[float, ...] = ()
        if isinstance(condition, Threshold):
            mode, value = Mode.AT_MOST, feature_threshold(attribute, condition.threshold)
        elif isinstance(condition, Equals):
            mode, value = Mode.EQUAL, condition.category + 1.0
        elif isinstance(condition, Subset):
            members = coded(condition.categories)
        else:
            raise TreeError("ONNX has no such condition", got=type(condition).__name__)
        tracks = self._missing(node) == 0
        return Split(condition.feature, mode, value, yes, no, tracks, members)


def coded(codes: Sequence[int]) -> tuple[float, ...]:
    """Return categories as coded in features."""
    return tuple(code + 1.0 for code in codes)


def feature_threshold(attribute: Feature, threshold: float) -> float:
    """Return a threshold on a feature; for ordered categories, on their codes."""
    return floor(threshold) + 1.0 if attribute.kind == "ordered" else threshold


# -------------------------------------------------------------------- rules


@dataclass(frozen=True, eq=False)
class RuleSource:
    """A rule: 1 for its target where it fires, less than 0 where not.

    An item is the number of conditions that were true, or a negative number after a false one.
    """

    tests: Sequence[Split]
    target: int

    @classmethod
    def of(cls, clauses: Sequence[Clause], attributes: Sequence[Feature], target: int) -> Any:
        """The rule of some clauses."""
        tests: list[Split] = []
        for clause in clauses:
            tests += _tests(clause, attributes[clause.feature], len(tests))
        return cls(tests, target)

    def part(self, item: Any) -> Leaf | Split:
        """Return the next condition, or the end."""
        if item < 0:
            return Leaf(float(item), self.target)
        return self.tests[item] if item < len(self.tests) else Leaf(1.0, self.target)


def _tests(clause: Clause, attribute: Feature, done: int) -> list[Split]:
    """Return the conditions of a clause; their items continue from those before."""
    tests: list[Split] = []

    def add(mode: Mode, value: float, members: tuple[float, ...] = (), wanted: bool = True) -> None:
        following = done + len(tests) + 1
        yes, no = (following, -following) if wanted else (-following, following)
        tests.append(Split(clause.feature, mode, value, yes, no, False, members))

    if clause.is_missing:
        add(Mode.AT_MOST, inf, wanted=False)
    if clause.allowed is not None:
        add(Mode.MEMBER, 0.0, coded(clause.codes) or (-1.0,))
    if clause.low is not None:
        add(Mode.ABOVE, feature_threshold(attribute, clause.low))
    if clause.high is not None:
        add(Mode.AT_MOST, feature_threshold(attribute, clause.high))
    return tests
