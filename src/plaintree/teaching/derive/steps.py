"""Each node of a tree, computed again from the training rows.

The rows go down the tree as it is. At every node the best split is found and compared with that of
the tree. If they differ, the step reports it, and the rows follow the tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import log2
from typing import Literal, NamedTuple

from plaintree.data.schema import Schema
from plaintree.stats.exact import Counts, Value
from plaintree.tree.condition import STOPS, Condition, Grouped, Threshold
from plaintree.tree.conventions import EPSILON, Conventions
from plaintree.tree.tree import Tree

from .cases import Cases, Rows, share_out, weights_of
from .choice import Choice, choose, same_score
from .held import held
from .offers import measured
from .stops import Here, Leaf, growing_stop, stop_reason, used_below
from .surrogates import Sending, send, sending_of
from .tried import Offer, Tried

Verdict = Literal["same", "tie", "other", "none"]
"""How the tree's split compares: it is the one found; it scores the same; another is preferred;
nothing was found that may be chosen."""

Difference = Literal[
    "split", "tie", "surrogates", "surrogate_tie", "beyond", "stopped", "label", "counts"
]
"""How a node differs from what growing gives: another split; another of equal splits; other
surrogates of the split; others that agree equally; a split where growing stops; a leaf where
growing continues; a label that is not the majority class (of numbers: the mean or median); other
sums than those of the rows here."""

TIES: frozenset[Difference] = frozenset({"tie", "surrogate_tie"})
"""Differences that growing may well make."""


MISROUTED = "rows with missing values are not routed by these conventions"


@dataclass(frozen=True, eq=False)
class Step:
    """A node: its rows and their sums, what the columns offer, and what the tree does.

    - ``label``: what the tree predicts: the code of a class, or a number.
    - ``expected``: what the rows give, those of the node above if there are none.
    - ``label_differs``: whether the label is another one, and not for rounding.
    - ``taken``: the split that the tree makes, measured; None in a leaf, and where no row has a
      value to measure.
    - ``objection``: why growing may not choose that split, if it is so; empty if it may.
    - ``verdict``: how it compares with the split found here.
    - ``sending``: the surrogates of that split, by these conventions; None where it has none.
    - ``surrogates``: how those of the tree compare with them.
    - ``leaf``: why the node is a leaf; ``beyond``: why growing stops where the tree goes on.
    - ``counts_differ``: whether the tree holds other sums for the node.
    """

    node: int
    depth: int
    rows: Rows
    counts: Counts
    impurity: Value
    label: Value
    expected: Value
    label_differs: bool
    choice: Choice | None
    condition: Condition | None
    taken: Tried | None
    objection: str
    verdict: Verdict
    sending: Sending | None
    surrogates: Literal["same", "tie", "other"]
    leaf: Leaf | None
    beyond: Leaf | None
    counts_differ: bool

    @property
    def differences(self) -> tuple[Difference, ...]:
        """How the node differs from what growing makes of its rows."""
        found: dict[Difference, bool] = {
            "split": self.verdict == "other",
            "tie": self.verdict == "tie",
            "surrogates": self.surrogates == "other",
            "surrogate_tie": self.surrogates == "tie",
            "beyond": self.beyond is not None,
            "stopped": self.leaf is not None and self.leaf.reason == "stopped",
            "label": self.leaf is not None and self.label_differs,
            "counts": self.counts_differ,
        }
        return tuple(kind for kind, there in found.items() if there)

    @property
    def split(self) -> Condition | None:
        """The split of the tree, written like the candidates if it is one of them."""
        return self.condition if self.taken is None else self.taken.condition


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
    """Send the rows down a tree and compute every node.

    Of the splits of a column at a node, the best so many are kept; None keeps all.
    """
    by_node: dict[int, Step] = {}
    pending: list[Arrived] = [Arrived(0, cases.everyone, frozenset(), ())]
    while pending:
        here = pending.pop()
        counts = cases.counts(here.rows)
        asked = _asked(tree, cases, here, counts)
        choice = choose(cases, here.rows, here.used, most_tried) if asked else None
        step = _step(tree, cases, here, counts, choice)
        by_node[here.node] = step
        if step.condition is None:
            continue
        below = used_below(here.used, step.condition)
        nearest = counts if any(counts) else here.above
        parts = children_rows(tree, cases, here, step.condition)
        first = int(tree.first_child[here.node])
        pending.extend(Arrived(first + b, p, below, nearest) for b, p in enumerate(parts))
    if cases.rules.collapse:
        _note_folded(tree, by_node)
    return Steps(tree, cases, by_node)


class Arrived(NamedTuple):
    """A node with its rows, the columns used up above it, and the sums of the nearest node above
    it that has rows."""

    node: int
    rows: Rows
    used: frozenset[int]
    above: Counts


def arrived_at(tree: Tree, cases: Cases, path: Sequence[int]) -> Arrived:
    """The rows of one node, sent down the path to it only."""
    here = Arrived(0, cases.everyone, frozenset(), ())
    for branch in path:
        condition = tree.condition(here.node)
        assert condition is not None, "a leaf has no branches"
        counts = cases.counts(here.rows)
        rows = children_rows(tree, cases, here, condition)[branch]
        below = used_below(here.used, condition)
        first = int(tree.first_child[here.node])
        here = Arrived(first + branch, rows, below, counts if any(counts) else here.above)
    return here


def children_rows(tree: Tree, cases: Cases, here: Arrived, condition: Condition) -> list[Rows]:
    """The rows of every child. Rows with missing values go where the surrogates of the tree or the
    conventions of growing send them; if neither does, they go as new rows do, or stay."""
    n_children, missing = int(tree.n_children[here.node]), int(tree.missing_child[here.node])
    own_child = n_children > condition.n_branches
    parts, lost = cases.routed(here.rows, condition, fill=not own_child)
    parts += [[] for _ in range(n_children - len(parts))]
    lost = send(cases, tree.surrogates(here.node), lost, parts)
    if missing >= 0:
        parts[missing].extend(lost)
    if missing >= 0 or missing == STOPS:
        return parts
    weights = weights_of(parts)
    if lost and not any(weights):
        first = int(tree.first_child[here.node])
        held = tree.weight[first : first + n_children].tolist()
        weights = [Fraction(weight).limit_denominator(10**6) for weight in held]
    share_out(parts, lost, weights)
    return parts


def _asked(tree: Tree, cases: Cases, here: Arrived, counts: Counts) -> bool:
    """Whether the columns of a node are compared: it can be split, or the tree splits it."""
    node = here.node
    stops = stop_reason(cases, here.rows, counts, int(tree.node_depths[node])) is not None
    return not stops or (any(counts) and bool(tree.n_children[node]))


def _step(tree: Tree, cases: Cases, here: Arrived, counts: Counts, choice: Choice | None) -> Step:
    node, rows = here.node, here.rows
    depth = int(tree.node_depths[node])
    condition = tree.condition(node)
    taken = None if condition is None else _taken(cases, rows, condition, choice)
    found = Here(rows, counts, here.used)
    stop = growing_stop(cases, found, depth, choice, grow_on=condition is None)
    objection = "" if taken is None else _objection(cases, taken, choice, here.used)
    if (
        taken is not None
        and not objection
        and _routes_otherwise(tree, cases, here, taken.condition)
    ):
        objection = MISROUTED
    verdict: Verdict = "same"
    if condition is not None:
        verdict = _verdict(cases, rows, None if objection else taken, choice)
    sending = _sending(cases, rows, condition)
    compared = sending if verdict in ("same", "tie") else None
    nearest, found_in = counts if any(counts) else here.above or counts, held(tree, cases.sums)
    return Step(
        node=node,
        depth=depth,
        rows=rows,
        counts=counts,
        impurity=cases.sums.impurity(counts),
        label=found_in.label(node),
        expected=cases.sums.prediction(nearest),
        label_differs=found_in.label_differs(node, nearest),
        choice=choice,
        condition=condition,
        taken=taken,
        objection=objection,
        verdict=verdict,
        sending=sending,
        surrogates="same" if compared is None else _compared(tree, node, compared),
        leaf=None if condition is not None else stop or _unsplit(tree, choice),
        beyond=None if condition is None else stop,
        counts_differ=found_in.sums_differ(node, counts),
    )


def _unsplit(tree: Tree, choice: Choice | None) -> Leaf:
    """A leaf that could be split: the tree has as many leaves as it may, or it was pruned."""
    most = tree.conventions.max_leaf_nodes if tree.conventions else None
    winner = choice.winner if choice else None
    n_branches = winner.best.condition.n_branches if winner and winner.best else 2
    full = most is not None and tree.n_leaves + n_branches - 1 > most
    return Leaf("leaves" if full else "stopped")


def _routes_otherwise(tree: Tree, cases: Cases, here: Arrived, condition: Condition) -> bool:
    """Whether the tree sends rows with missing values elsewhere than growing does."""
    by_surrogates = cases.rules.missing == "surrogate"  # which are compared by themselves
    if by_surrogates or not cases.split_by_missing(here.rows, condition.feature)[1]:
        return False
    mine, grown = children_rows(tree, cases, here, condition), cases.divided(here.rows, condition)
    return [part for part in mine if part] != [part for part in grown if part]


# -------------------------------------------------------------------- the tree's split


def _taken(cases: Cases, rows: Rows, condition: Condition, choice: Choice | None) -> Tried | None:
    """The split of the tree with its measures: those already there, if it was a candidate."""
    offer = choice.offer(condition.feature) if choice else None
    if offer is not None and offer.best is not None:
        grouped = _is_grouped_in_two(cases, condition)
        if offer.best.condition == condition or (
            grouped and _divide_alike(cases, rows, condition, offer.best.condition)
        ):
            return offer.best
    return penalised(cases, rows, measured(cases, rows, condition), offer)


def penalised(cases: Cases, rows: Rows, found: Tried | None, offer: Offer | None) -> Tried | None:
    """A measured split with the penalty for the number of thresholds, if the conventions ask for
    it."""
    fined = cases.rules.threshold_penalty and found and isinstance(found.condition, Threshold)
    if found is None or offer is None or not fined or not offer.n_allowed:
        return found
    return replace(found, penalty=log2(offer.n_allowed) / float(sum(weight for _, weight in rows)))


def _objection(cases: Cases, taken: Tried, choice: Choice | None, used: frozenset[int]) -> str:
    """Why growing may not choose a split, whatever it scores; empty if it may."""
    condition = taken.condition
    if condition.feature in used:
        return "the attribute was split on above"
    offer = choice.offer(condition.feature) if choice else None
    if offer is None:
        return ""
    if offer.refused and (offer.best is None or offer.best.condition == condition):
        return offer.refused
    if not taken.allowed:
        return "too few rows in a branch"
    grouped = _is_grouped_in_two(cases, condition)
    if offer.best is not None and not grouped and type(offer.best.condition) is not type(condition):
        return "it is not a split that these conventions try"
    return ""


def _verdict(cases: Cases, rows: Rows, taken: Tried | None, choice: Choice | None) -> Verdict:
    """How a split compares with the one found; None is one that may not be chosen."""
    if choice is None or choice.winner is None or choice.winner.best is None:
        return "none"
    if taken is None:
        return "other"
    if _alike(cases, rows, taken, choice.winner.best):
        return "same"
    tied = any(o.best is not None and _alike(cases, rows, taken, o.best) for o in choice.tied)
    near = 1e-9 * cases.yardstick(rows)
    same = tied or same_score(taken.measures.score, choice.winner.score, near)
    return "tie" if same else "other"


def _alike(cases: Cases, rows: Rows, one: Tried, other: Tried) -> bool:
    """Whether two splits are of one column and divide the rows alike, whatever their names."""
    if one.condition == other.condition:
        return True
    if one.condition.feature != other.condition.feature:
        return False
    return _divide_alike(cases, rows, one.condition, other.condition)


def _divide_alike(cases: Cases, rows: Rows, one: Condition, other: Condition) -> bool:
    """Whether two splits of a column divide the rows alike."""
    first, second = (cases.divided(rows, condition) for condition in (one, other))
    return [part for part in first if part] == [part for part in second if part]


def _is_grouped_in_two(cases: Cases, condition: Condition) -> bool:
    """Whether a tree writes a subset of categories as two groups, since it has surrogates: rows of
    a category that is in neither go by these."""
    is_so = isinstance(condition, Grouped) and condition.n_branches == 2
    return is_so and cases.rules.missing == "surrogate"


# -------------------------------------------------------------------- surrogates


def _sending(cases: Cases, rows: Rows, condition: Condition | None) -> Sending | None:
    """The surrogates of a split by the conventions; None if it has none."""
    if condition is None or cases.rules.missing != "surrogate" or condition.n_branches != 2:
        return None
    return sending_of(cases, rows, condition)


def _compared(tree: Tree, node: int, sending: Sending) -> Literal["same", "tie", "other"]:
    """How the surrogates of a tree compare with those found here."""
    return sending.compare(tree.surrogates(node), int(tree.missing_child[node]))


# -------------------------------------------------------------------- leaves


def _note_folded(tree: Tree, by_node: dict[int, Step]) -> None:
    """Note the nodes whose branches, as they are in the tree, make no fewer errors."""
    errors: dict[int, Value] = {}
    for node in range(tree.n_nodes - 1, -1, -1):  # children stand behind their parents
        step = by_node[node]
        own: Value = sum(step.counts) - max(step.counts)
        if step.condition is not None and step.rows:
            first = int(tree.first_child[node])
            below: Value = sum(errors[first + b] for b in range(int(tree.n_children[node])))
            if step.beyond is None and below >= own - EPSILON:
                by_node[node] = replace(step, beyond=Leaf("folded", (below, own)))
            own = min(own, below)
        errors[node] = own
