"""C4.5's error-based pruning, computed again with a line for every node.

A node is pruned after its branches. Its expected errors are compared as a leaf, with its branches
as they have become, and with the largest branch in its place.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any

from plaintree.stats.exact import Counts, Value, Weight, total
from plaintree.stats.expected_errors import additional_errors
from plaintree.tree.condition import Condition, Grouped
from plaintree.tree.tree import Tree

from .cases import Cases, Rows, branch_of, share_out
from .surrogates import decider

SLACK = 0.1

Line = tuple[int, tuple[Value | str, ...], str]


def same_tests(tree: Tree) -> list[Condition | None]:
    """The splits of a tree, depth first.

    Where categories are grouped, only the attributes are given: pruning also tidies the groups.
    """
    return _comparable([node.condition for node in tree.walk()])


def _comparable(tests: list[Condition | None]) -> list[Any]:
    if any(isinstance(test, Grouped) for test in tests):
        return [test.feature for test in tests if test is not None]
    return tests


@dataclass
class _Node:
    """A node that can still change; ``origin`` is the node of the tree whose split it has."""

    origin: int
    condition: Condition | None
    label: int
    children: list[int]


@dataclass
class _Frame:
    """Work in progress at a node."""

    node: int
    rows: Rows
    parts: list[Rows] = field(default_factory=list)
    next: int = 0
    leaf: float = 0.0
    subtree: float = 0.0
    counted: tuple[Weight, Weight] = (0, 0)


def prune_by_estimates(
    tree: Tree, cases: Cases, confidence: float
) -> tuple[list[Any], list[Condition | None]]:
    """The lines of the table, and the splits of the pruned tree, depth first."""
    return _Estimates(tree, cases, confidence).run()


class _Estimates:
    def __init__(self, tree: Tree, cases: Cases, confidence: float) -> None:
        self.tree, self.cases, self.confidence = tree, cases, confidence
        self.lines: list[Line] = []
        self.nodes = [
            _Node(
                node,
                tree.condition(node),
                int(tree.label[node]),
                [int(tree.first_child[node]) + b for b in range(int(tree.n_children[node]))],
            )
            for node in range(tree.n_nodes)
        ]

    def run(self) -> tuple[list[Line], list[Condition | None]]:
        frames = [self._begin(0, self.cases.everyone)]
        while frames:
            frame = frames[-1]
            node = self.nodes[frame.node]
            while frame.next < len(frame.parts) and not frame.parts[frame.next]:
                frame.next += 1
            if frame.next < len(frame.parts):
                frame.next += 1
                child = node.children[frame.next - 1]
                frames.append(self._begin(child, frame.parts[frame.next - 1]))
                continue
            errors = self._settled(frame)
            if errors is None:
                continue
            frames.pop()
            if frames:
                frames[-1].subtree += errors
        return self.lines, self._tests()

    def _tests(self) -> list[Condition | None]:
        tests: list[Condition | None] = []
        pending = [0]
        while pending:
            node = self.nodes[pending.pop()]
            tests.append(node.condition)
            pending.extend(reversed(node.children))
        return _comparable(tests)

    def _begin(self, index: int, rows: Rows) -> _Frame:
        frame = _Frame(index, rows)
        self._restart(frame)
        return frame

    def _restart(self, frame: _Frame) -> None:
        node = self.nodes[frame.node]
        counts = self.cases.counts(frame.rows)
        node.label = _heaviest(counts, node.label)
        frame.counted = (sum(counts), sum(counts) - counts[node.label])
        frame.leaf = self._expected(counts, node.label)
        frame.subtree, frame.next = 0.0, 0
        frame.parts = self._parts(node, frame.rows) if node.condition else []

    def _settled(self, frame: _Frame) -> float | None:
        """The errors expected of a node once it is decided; None if its largest branch has taken
        its place and is to be judged in turn."""
        node = self.nodes[frame.node]
        if node.condition is None:
            return frame.leaf
        largest = self._largest(node, frame)
        branch = inf if largest < 0 else self._below(node.children[largest], frame.rows)
        figures = (*frame.counted, frame.leaf, frame.subtree, branch)
        if frame.leaf <= branch + SLACK and frame.leaf <= frame.subtree + SLACK:
            self.lines.append((frame.node, figures, "a leaf"))
            node.condition, node.children = None, []
            return frame.leaf
        if branch <= frame.subtree + SLACK:
            self.lines.append((frame.node, figures, "its largest branch"))
            taken = self.nodes[node.children[largest]]
            node.origin, node.condition = taken.origin, taken.condition
            node.label, node.children = taken.label, taken.children
            self._restart(frame)
            return None
        self.lines.append((frame.node, figures, "keep"))
        return frame.subtree

    def _largest(self, node: _Node, frame: _Frame) -> int:
        """The branch with the largest known weight, the last of equals."""
        known, _ = self._routed(node, frame.rows)
        weights = [total(weight for _, weight in part) for part in known]
        most = max(weights, default=0)
        return max((b for b, weight in enumerate(weights) if weight == most and most), default=-1)

    def _below(self, index: int, rows: Rows) -> float:
        """The errors expected if rows go down a subtree as it stands."""
        errors, pending = 0.0, [(index, rows)]
        while pending:
            at, here = pending.pop()
            node = self.nodes[at]
            if node.condition is None:
                counts = self.cases.counts(here)
                errors += self._expected(counts, _heaviest(counts, node.label))
                continue
            parts = self._parts(node, here)
            pending.extend((c, part) for c, part in zip(node.children, parts, strict=True) if part)
        return errors

    def _routed(self, node: _Node, rows: Rows) -> tuple[list[Rows], Rows]:
        """The rows of each branch, and those that must be divided."""
        condition = node.condition
        assert condition is not None, "only splits have branches"
        parts: list[Rows] = [[] for _ in node.children]
        known, missing = self.cases.split_by_missing(rows, condition.feature)
        missing_child = int(self.tree.missing_child[node.origin])
        surrogates = self.tree.surrogates(node.origin)
        lost: Rows = []
        routed = [(row, weight, branch_of(condition, value)) for row, weight, value in known]
        for row, weight, branch in [*routed, *((row, weight, -1) for row, weight in missing)]:
            chosen = branch if branch >= 0 else decider(self.cases, surrogates, row)[1]
            chosen = chosen if chosen >= 0 else missing_child
            (parts[chosen] if chosen >= 0 else lost).append((row, weight))
        return parts, lost

    def _parts(self, node: _Node, rows: Rows) -> list[Rows]:
        parts, lost = self._routed(node, rows)
        if lost:
            share_out(parts, lost)
        return parts

    def _expected(self, counts: Counts, label: int) -> float:
        rows = float(sum(counts))
        wrong = rows - float(counts[label])
        return wrong + float(additional_errors(rows, wrong, self.confidence))


def _heaviest(counts: Counts, present: int) -> int:
    """The majority class; the present label stays on ties."""
    best = present
    for code, weight in enumerate(counts):
        if weight > counts[best]:
            best = code
    return best
