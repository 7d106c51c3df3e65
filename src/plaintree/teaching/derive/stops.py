"""Why growing stops at a node, by the rows that are there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from plaintree.stats.exact import Counts, Value
from plaintree.tree.condition import Condition, Multiway
from plaintree.tree.conventions import EPSILON

from .cases import Cases, Rows
from .choice import Choice, choose, is_significant
from .surrogates import grown_branches

Reason = Literal[
    "pure",
    "empty",
    "depth",
    "few",
    "unused",
    "refused",
    "insignificant",
    "folded",
    "leaves",
    "stopped",
]
"""Why a node is a leaf: one class or target, no rows, too deep, too few rows, no attribute left,
none that qualifies, an insignificant split, branches that make no fewer errors, or for no reason
seen here (the tree has been cut or pruned)."""


@dataclass(frozen=True, eq=False)
class Leaf:
    """Why a node has no split; ``errors`` below and here, where branches were folded."""

    reason: Reason
    errors: tuple[Value, Value] | None = None


class Here(NamedTuple):
    """The rows of a node with their sums, and the columns used up above it."""

    rows: Rows
    counts: Counts
    used: frozenset[int]


def growing_stop(
    cases: Cases, here: Here, depth: int, choice: Choice | None, *, grow_on: bool
) -> Leaf | None:
    """Why growing stops at a node; None if it goes on.

    With ``grow_on``, growing continues to find whether branches are collapsed.
    """
    why = stop_reason(cases, here.rows, here.counts, depth)
    if why is not None:
        return Leaf(why)
    if choice is None or choice.winner is None:
        return Leaf("refused" if choice and choice.offers else "unused")
    if not is_significant(choice, cases.rules):
        return Leaf("insignificant")
    if cases.rules.collapse and grow_on:
        below, own = folded_errors(cases, here.rows, here.used, depth)
        if below >= own - EPSILON:
            return Leaf("folded", (below, own))
    return None


def stop_reason(cases: Cases, rows: Rows, counts: Counts, depth: int) -> Reason | None:
    """Why a node is a leaf whatever its columns offer."""
    max_depth = cases.rules.max_depth
    if not any(counts):
        return "empty"
    if cases.sums.is_pure(counts):
        return "pure"
    if max_depth is not None and depth >= max_depth:
        return "depth"
    return None if cases.is_enough_to_split(rows) else "few"


def used_below(used: frozenset[int], condition: Condition) -> frozenset[int]:
    """The columns that may not be split on again below a split: a multiway one is made once."""
    return used | {condition.feature} if isinstance(condition, Multiway) else used


def folded_errors(
    cases: Cases, rows: Rows, used: frozenset[int], depth: int
) -> tuple[Value, Value]:
    """The training errors below a node, if growing continued, and of the node."""
    errors: list[Value] = []
    parents: list[int] = []
    pending = [(rows, used, depth, -1)]
    while pending:
        here, spent, level, parent = pending.pop()
        counts = cases.counts(here)
        number = len(errors)
        errors.append(sum(counts) - max(counts))
        parents.append(parent)
        if stop_reason(cases, here, counts, level) is not None:
            continue
        choice = choose(cases, here, spent)
        if choice.winner is None or choice.winner.best is None:
            continue
        if not is_significant(choice, cases.rules):
            continue
        condition = choice.winner.best.condition
        below = used_below(spent, condition)
        parts = grown_branches(cases, here, condition)
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
