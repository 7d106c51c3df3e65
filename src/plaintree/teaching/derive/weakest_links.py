"""What pruning looks at, and the weakest links of a tree: the order of cost-complexity pruning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from plaintree.data.rows import Rows
from plaintree.stats.exact import Value, Weight, times
from plaintree.stats.sums import ClassWeights
from plaintree.tree.tree import Tree

from .number_terms import OF_NUMBERS
from .steps import Steps


@dataclass(frozen=True, eq=False)
class Pruner:
    """A grown tree with its steps, and the options of pruning."""

    steps: Steps
    options: Mapping[str, Any]
    held_out: Rows | None
    final: Tree

    @property
    def tree(self) -> Tree:
        return self.steps.tree

    def children(self, node: int) -> range:
        first = int(self.tree.first_child[node])
        return range(first, first + int(self.tree.n_children[node]))

    @property
    def inner(self) -> list[int]:
        """The inner nodes from below."""
        return [node for node in range(self.tree.n_nodes - 1, -1, -1) if self.children(node)]

    def weight(self, node: int) -> Weight:
        """The weight of the training rows of a node."""
        return self.steps.cases.sums.weight(self.steps.by_node[node].counts)

    def risk(self, node: int, risk: str) -> Value:
        """The risk of a node as a leaf: its errors, or its weight times its impurity. Numbers are
        not right or wrong, so theirs is always the latter."""
        if risk == "error" and isinstance(self.steps.cases.sums, ClassWeights):
            return self.errors(node)
        return times(self.weight(node), self.steps.by_node[node].impurity)

    def risk_words(self, risk: str) -> str:
        """What the risk of a node is."""
        criterion = self.steps.rules.criterion
        if criterion in OF_NUMBERS:
            return f"The risk of a node is its {OF_NUMBERS[criterion].total}."
        words = "weight of its errors" if risk == "error" else "weight times its impurity"
        return f"The risk of a node is the {words}."

    def errors(self, node: int) -> Weight:
        """The training rows of a node that are not of its majority class."""
        counts = self.steps.by_node[node].counts
        return sum(counts) - max(counts)

    def label(self, node: int) -> int:
        """The label of a node as a leaf."""
        counts = self.steps.by_node[node].counts
        heaviest = max(range(len(counts)), key=lambda code: (counts[code], -code))
        return heaviest if any(counts) and self.children(node) else int(self.tree.label[node])


def subtree(pruner: Pruner, node: int) -> set[int]:
    """A node and all nodes below it."""
    found, pending = set(), [node]
    while pending:
        one = pending.pop()
        found.add(one)
        pending.extend(pruner.children(one))
    return found


Link = tuple[int, Value, tuple[Value, ...], int]
"""A node, its alpha, risk as a leaf and as a subtree and leaves, and how many nodes went."""


def weakest_links(pruner: Pruner, risk: str) -> Iterator[Link]:
    """The nodes in the order in which they are pruned as alpha grows."""
    tree, alive = pruner.tree, set(pruner.inner)
    whole = pruner.weight(0)
    as_leaf: list[Value] = [pruner.risk(node, risk) for node in range(tree.n_nodes)]
    parent, n_nodes = tree.parent.tolist(), tree.n_nodes
    below = list(as_leaf)  # the risk of the subtree as it stands, and its leaves
    leaves = [1] * n_nodes
    for node in pruner.inner:
        below[node] = sum(below[child] for child in pruner.children(node))
        leaves[node] = sum(leaves[child] for child in pruner.children(node))
    while alive:
        weakest = min(alive, key=lambda n: (_link(as_leaf[n], below[n], leaves[n]), n))
        link = _link(as_leaf[weakest], below[weakest], leaves[weakest])
        figures = (_part(as_leaf[weakest], whole), _part(below[weakest], whole), leaves[weakest])
        gone = alive & subtree(pruner, weakest)
        yield weakest, _part(max(link, 0), whole), figures, len(gone)
        alive -= gone
        saved, worse, node = leaves[weakest] - 1, as_leaf[weakest] - below[weakest], weakest
        while node >= 0:
            below[node] += worse
            leaves[node] -= saved
            node = parent[node]


def _link(as_leaf: Value, below: Value, leaves: int) -> Value:
    worse = as_leaf - below
    if isinstance(worse, float):
        return worse / (leaves - 1) if leaves > 1 else 0.0
    return Fraction(worse) / (leaves - 1) if leaves > 1 else 0


def _part(value: Value, whole: Weight) -> Value:
    return value / float(whole) if isinstance(value, float) else Fraction(value) / whole


def alpha_of_size(links: list[Link], cut_so_far: int) -> float:
    """The alpha at which so many internal nodes have gone."""
    alpha, gone = 0.0, 0
    for _, link, _, n_nodes in links:
        if gone >= cut_so_far:
            break
        gone += n_nodes
        alpha = float(link)
    return alpha
