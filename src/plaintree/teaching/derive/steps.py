"""What happened at each node of a tree, worked out anew from the training rows.

The rows go down the tree as it is. At every node the best test is found by these figures alone
and compared with the one that the tree makes; where they differ, the step says so, and the rows
follow the tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from plaintree.data.schema import Schema
from plaintree.stats.exact import Counts, Value, impurity
from plaintree.tree.condition import Condition, Multiway
from plaintree.tree.conventions import EPSILON, Conventions
from plaintree.tree.tree import Tree

from .cases import Cases, Rows
from .choice import Choice, choose, is_significant, same_score
from .offers import measured
from .thresholds import least_to_split
from .tried import Tried

Reason = Literal[
    "pure", "empty", "depth", "few", "unused", "refused", "insignificant", "folded", "stopped"
]
"""Why a node is a leaf: one class, no rows, too deep, too few rows, no attribute left, none that
qualifies, an insignificant split, branches that make no fewer errors, or for no reason seen here
(the tree has been pruned)."""

Verdict = Literal["same", "tie", "other", "none"]
"""How the tree's test compares: it is the one found; it scores the same; it scores less; nothing
was found that may be chosen."""


@dataclass(frozen=True, eq=False)
class Leaf:
    """Why a node has no test; ``errors`` below and here, where branches were folded."""

    reason: Reason
    errors: tuple[Value, Value] | None = None


@dataclass(frozen=True, eq=False)
class Step:
    """A node: its rows and class weights, what the columns offer, and what the tree does.

    - ``taken``: the test that the tree makes, measured; None in a leaf.
    - ``verdict``: how it compares with the test found here.
    - ``counts_differ``: whether the tree holds other class weights for the node.
    """

    node: int
    depth: int
    rows: Rows
    counts: Counts
    impurity: Value
    label: int
    choice: Choice | None
    condition: Condition | None
    taken: Tried | None
    verdict: Verdict
    leaf: Leaf | None
    counts_differ: bool


@dataclass(frozen=True, eq=False)
class Steps:
    """All nodes of a tree, by number, and the table they were worked out from."""

    tree: Tree
    cases: Cases
    by_node: dict[int, Step]

    @property
    def schema(self) -> Schema:
        """The tree's."""
        return self.tree.schema

    @property
    def rules(self) -> Conventions:
        """The conventions the tree was grown by."""
        return self.cases.rules

    @property
    def in_order(self) -> list[Step]:
        """The steps depth first, a node before its branches."""
        return [self.by_node[node.index] for node in self.tree.walk()]


def work_out(tree: Tree, cases: Cases, most_tried: int | None = None) -> Steps:
    """Send the rows down a tree and work out every node.

    Of the tests of a column at a node, the best so many are kept; None keeps all.
    """
    by_node: dict[int, Step] = {}
    pending: list[tuple[int, Rows, frozenset[int]]] = [(0, cases.everyone, frozenset())]
    while pending:
        node, rows, used = pending.pop()
        counts = cases.counts(rows)
        asked = _asked(tree, cases, node, counts)
        choice = choose(cases, rows, used, most_tried) if asked else None
        step = _step(tree, cases, (node, counts), (rows, used), choice)
        by_node[node] = step
        if step.condition is None:
            continue
        below = used_below(used, step.condition)
        first = int(tree.first_child[node])
        parts = cases.divided(rows, step.condition)
        n_children = int(tree.n_children[node])
        parts += [[] for _ in range(n_children - len(parts))]
        pending.extend((first + b, part, below) for b, part in enumerate(parts[:n_children]))
    return Steps(tree, cases, by_node)


def used_below(used: frozenset[int], condition: Condition) -> frozenset[int]:
    """The columns that may not be tested again below a test: a many-way one is made once."""
    return used | {condition.attribute} if isinstance(condition, Multiway) else used


def _asked(tree: Tree, cases: Cases, node: int, counts: Counts) -> bool:
    """Whether a node asks its columns: it has something to split, or the tree splits it."""
    stops = stop_reason(counts, int(tree.node_depths[node]), cases.rules) is not None
    return not stops or (any(counts) and bool(tree.n_children[node]))


def _step(
    tree: Tree,
    cases: Cases,
    here: tuple[int, Counts],
    there: tuple[Rows, frozenset[int]],
    choice: Choice | None,
) -> Step:
    (node, counts), (rows, used) = here, there
    depth = int(tree.node_depths[node])
    condition = tree.condition(node)
    why = stop_reason(counts, depth, cases.rules)
    taken = None if condition is None else _taken(cases, rows, condition, choice)
    leaf = None
    if condition is None:
        leaf = Leaf(why) if why else _leaf(cases, rows, used, depth, choice)
    return Step(
        node=node,
        depth=depth,
        rows=rows,
        counts=counts,
        impurity=impurity(counts, cases.rules.criterion),
        label=int(tree.label[node]),
        choice=choice,
        condition=condition,
        taken=taken,
        verdict="same" if taken is None else _verdict(cases, rows, taken, choice),
        leaf=leaf,
        counts_differ=_differ(tree, node, counts),
    )


def stop_reason(counts: Counts, depth: int, rules: Conventions) -> Reason | None:
    """Why a node is a leaf whatever its columns offer."""
    weight = sum(counts)
    if weight == 0:
        return "empty"
    if sum(count > 0 for count in counts) < 2:
        return "pure"
    if rules.max_depth is not None and depth >= rules.max_depth:
        return "depth"
    return "few" if weight < least_to_split(rules) else None


def _differ(tree: Tree, node: int, counts: Counts) -> bool:
    """Whether the tree holds other class weights than these."""
    pairs = zip(tree.class_weights[node].tolist(), map(float, counts), strict=True)
    return any(abs(held - counted) > 1e-6 * (1 + counted) for held, counted in pairs)


# -------------------------------------------------------------------- the tree's test


def _taken(cases: Cases, rows: Rows, condition: Condition, choice: Choice | None) -> Tried:
    """The tree's test with its figures: those already there, if it is one that was tried."""
    offer = choice.offer(condition.attribute) if choice else None
    if offer is not None and offer.best is not None and offer.best.condition == condition:
        return offer.best
    return measured(cases, rows, condition)


def _verdict(cases: Cases, rows: Rows, taken: Tried, choice: Choice | None) -> Verdict:
    if choice is None or choice.winner is None or choice.winner.best is None:
        return "none"
    best = choice.winner.best
    if taken.condition.attribute == best.condition.attribute and _alike(cases, rows, taken, best):
        return "same"
    tied = [o for o in choice.tied if o.attribute == taken.condition.attribute]
    score = tied[0].score if tied else taken.measures.score
    return "tie" if same_score(score, choice.winner.score, 1e-9) else "other"


def _alike(cases: Cases, rows: Rows, one: Tried, other: Tried) -> bool:
    """Whether two tests of a column part the rows alike, whatever they are called."""
    if one.condition == other.condition:
        return True
    first, second = (cases.divided(rows, test.condition) for test in (one, other))
    return [part for part in first if part] == [part for part in second if part]


# -------------------------------------------------------------------- leaves


def _leaf(
    cases: Cases,
    rows: Rows,
    used: frozenset[int],
    depth: int,
    choice: Choice | None,
) -> Leaf:
    if choice is None or choice.winner is None:
        return Leaf("refused" if choice and choice.offers else "unused")
    if not is_significant(choice, cases.rules):
        return Leaf("insignificant")
    if cases.rules.collapse:
        below, here = folded_errors(cases, rows, used, depth)
        if below >= here - EPSILON:
            return Leaf("folded", (below, here))
    return Leaf("stopped")


def folded_errors(
    cases: Cases, rows: Rows, used: frozenset[int], depth: int
) -> tuple[Value, Value]:
    """The training errors below a node, if growing went on by these figures, and of the node."""
    errors: list[Value] = []
    parents: list[int] = []
    pending = [(rows, used, depth, -1)]
    while pending:
        here, spent, level, parent = pending.pop()
        counts = cases.counts(here)
        number = len(errors)
        errors.append(sum(counts) - max(counts))
        parents.append(parent)
        if stop_reason(counts, level, cases.rules) is not None:
            continue
        choice = choose(cases, here, spent)
        if choice.winner is None or choice.winner.best is None:
            continue
        if not is_significant(choice, cases.rules):
            continue
        condition = choice.winner.best.condition
        below = used_below(spent, condition)
        parts = cases.divided(here, condition)
        pending.extend((part, below, level + 1, number) for part in parts if part)
    sums: dict[int, Value] = {}
    for number in range(len(errors) - 1, -1, -1):  # children stand behind their parents
        below_here = sums.get(number)
        if number == 0:
            break
        best = errors[number]
        if below_here is not None and below_here < best - EPSILON:
            best = below_here
        sums[parents[number]] = sums.get(parents[number], 0) + best
    return sums.get(0, errors[0]), errors[0]
