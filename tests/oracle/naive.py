"""A naive, exhaustive grower in plain Python: the oracle the fast engine is held against.

``naive_choice`` finds the test of a node by trying everything; here is what comes around it:
when a node is a leaf, which rows go to which child, the collapsing of useless nodes, and
predicting.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import fsum, nan

from plaintree.tree.conventions import Conventions
from tests.oracle.naive_above import ROOT, Above
from tests.oracle.naive_choice import Test, choose, minimum_to_split
from tests.oracle.naive_table import (
    EPSILON,
    Rows,
    Table,
    class_weights,
    count_rows,
    fill_gaps,
    impurity,
    is_missing,
    make_table,
    most_common,
    split_by_gap,
)

__all__ = ["NaiveNode", "collapse", "grow", "make_table", "predict", "predict_shares"]


@dataclass
class NaiveNode:
    """A node; ``missing_child`` -1 divides missing values over all children."""

    class_weights: list[float]
    weight: float
    n_rows: int
    label: int
    impurity: float
    depth: int
    kind: str = "leaf"
    feature: int = -1
    threshold: float = nan
    categories: tuple[int, ...] = ()
    score: float = nan
    n_tied: int = 0
    missing_child: int = -1
    test: Test | None = None
    children: list[NaiveNode] = field(default_factory=list)

    def walk(self) -> Iterator[NaiveNode]:
        """All nodes, a node before its children."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.children))

    @property
    def n_nodes(self) -> int:
        return sum(1 for _ in self.walk())


def make_node(
    table: Table, rows: Rows, depth: int, rules: Conventions, parent_label: int
) -> NaiveNode:
    """A leaf over the rows; an empty one answers like its parent."""
    weights = class_weights(table, rows)
    label = weights.index(max(weights)) if rows else parent_label
    total = fsum(w for _, w in rows)
    return NaiveNode(weights, total, len(rows), label, impurity(weights, rules.criterion), depth)


def stops(table: Table, rows: Rows, node: NaiveNode, rules: Conventions) -> bool:
    """Whether a node is a leaf whatever its columns offer."""
    pure = sum(w > 0 for w in node.class_weights) <= 1
    deep = rules.max_depth is not None and node.depth >= rules.max_depth
    enough = minimum_to_split(table, rules).is_reached(node.weight, count_rows(table, rows))
    return pure or deep or not enough


def descend(table: Table, rows: Rows, test: Test, rules: Conventions) -> list[Rows]:
    """The rows of every child; under "branch" the gaps are one more child if there are any."""
    known, gaps = fill_gaps(table, rows, test.feature, rules.missing)
    branches: list[Rows] = [[] for _ in range(test.n_branches)]
    for row, weight, value in known:
        branches[test.branch(value)].append((row, weight))
    if gaps and rules.missing == "fractional":
        total = fsum(w for _, w, _ in known)
        shares = [fsum(w for _, w in branch) / total for branch in branches]
        for branch, share in zip(branches, shares, strict=True):
            if share > 0:
                branch.extend((row, weight * share) for row, weight in gaps)
    elif gaps and rules.missing == "branch":
        branches.append(gaps)
    return branches


def missing_child(table: Table, rows: Rows, test: Test, rules: Conventions) -> int:
    """The child that takes missing values at prediction."""
    known, gaps = split_by_gap(table, rows, test.feature)
    if rules.missing.startswith("most_common"):
        return test.branch(most_common(table, test.feature, known))
    if rules.missing != "branch":
        return -1
    if gaps:
        return test.n_branches
    weights = [fsum(w for _, w in branch) for branch in descend(table, rows, test, rules)]
    return weights.index(max(weights))


def grow(table: Table, rules: Conventions) -> NaiveNode:
    """The tree, with its useless nodes collapsed if the conventions say so."""
    root = make_node(table, table.rows, 0, rules, parent_label=0)
    pending: list[tuple[NaiveNode, Rows, Above]] = [(root, table.rows, ROOT)]
    while pending:
        node, rows, above = pending.pop()
        if stops(table, rows, node, rules):
            continue
        best, n_tied = choose(table, rows, above, rules)
        if best is None:
            continue
        test = best.test
        node.test, node.kind, node.feature = test, test.kind, test.feature
        node.threshold, node.categories = test.threshold, test.categories
        node.score, node.n_tied = best.score, n_tied
        node.missing_child = missing_child(table, rows, test, rules)
        parts = descend(table, rows, test, rules)
        for part, below in zip(parts, above.below(table, rules, test, parts), strict=True):
            child = make_node(table, part, node.depth + 1, rules, node.label)
            node.children.append(child)
            pending.append((child, part, below))
    if rules.collapse:
        collapse(root)
    return root


def collapse(root: NaiveNode) -> None:
    """Bottom-up: a node whose leaves make no fewer training errors becomes a leaf."""
    errors: dict[int, float] = {}
    for node in reversed(list(root.walk())):
        own = node.weight - node.class_weights[node.label] if node.n_rows else 0.0
        below = fsum(errors[id(child)] for child in node.children)
        if node.children and below < own - EPSILON:
            errors[id(node)] = below
            continue
        errors[id(node)] = own
        node.children, node.test, node.kind, node.feature = [], None, "leaf", -1
        node.threshold, node.categories, node.score, node.n_tied = nan, (), nan, 0
        node.missing_child = -1


def predict_shares(table: Table, root: NaiveNode, values: Sequence[float]) -> list[float]:
    """The share of every class for one row (the table says which columns are categorical)."""
    shares = [0.0] * len(root.class_weights)
    pending = [(root, 1.0)]
    while pending:
        node, share = pending.pop()
        if node.test is not None:
            value = values[node.test.feature]
            if not is_missing(table, node.test.feature, value):
                pending.append((node.children[node.test.branch(value)], share))
            elif node.missing_child >= 0:
                pending.append((node.children[node.missing_child], share))
            else:
                total = fsum(child.weight for child in node.children)
                pending.extend((c, share * c.weight / total) for c in node.children if c.weight)
        elif node.weight > 0:
            shares = [
                s + share * w / node.weight for s, w in zip(shares, node.class_weights, strict=True)
            ]
        else:
            shares[node.label] += share
    return shares


def predict(table: Table, root: NaiveNode) -> list[int]:
    """The class of every row of a table: the greatest share, ties to the first."""
    answers = []
    for row in range(len(table.y)):
        shares = predict_shares(table, root, [column[row] for column in table.columns])
        answers.append(shares.index(max(shares)))
    return answers
