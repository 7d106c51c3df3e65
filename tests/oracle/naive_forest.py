"""What a forest leaves to chance, written out in plain Python: its samples, and its columns.

Every random number of a forest is a hash of what it decides (``src/core/base/random.h``). Here is
the hash once more, what is drawn with it, and a judge of trees whose nodes draw their columns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from plaintree.tree.conventions import Conventions
from plaintree.tree.forest import Sampling
from plaintree.tree.tree import Tree
from tests.oracle.engine_check import (
    SLACKS,
    Place,
    Slack,
    check_counts,
    complaint,
    complaint_about_leaf,
    condition_at,
    judge,
    must_stop,
    places_below,
)
from tests.oracle.naive import make_node
from tests.oracle.naive_above import ROOT
from tests.oracle.naive_table import Table

WORD = 2**64
BLOCK = 2**16
"""Rows that are drawn together."""


def mix(a: int, b: int) -> int:
    """Two numbers made into one."""
    x = (a + 0x9E3779B97F4A7C15 * (b + 1)) % WORD
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % WORD
    return x ^ (x >> 31)


def below(number: int, n: int) -> int:
    """A whole number below n, from a hash."""
    return number * n // WORD


def times_drawn(sampling: Sampling, tree: int, n_rows: int) -> NDArray[np.int64]:
    """How often each row is in the sample of a tree."""
    times = [0] * n_rows
    key = mix(mix(sampling.seed, 1), tree)
    if sampling.how == "all":
        times = [1] * n_rows
    elif sampling.how == "with_replacement":
        draws = Counter(below(mix(key, i), n_rows) // BLOCK for i in range(sampling.n_draws))
        for block, n_draws in draws.items():
            first, own = block * BLOCK, mix(mix(key, WORD - 1), block)
            for j in range(n_draws):
                times[first + below(mix(own, j), min(BLOCK, n_rows - first))] += 1
    else:
        by_hash = sorted(range(n_rows), key=lambda row: mix(key, row))
        for row in by_hash[: sampling.n_draws]:
            times[row] = 1
    return np.array(times)


def shuffled(key: int, n: int) -> Iterator[int]:
    """The numbers from 0 to n - 1 in the random order of a key."""
    order = list(range(n))
    for taken in range(n):
        other = taken + below(mix(key, taken), n - taken)
        order[taken], order[other] = order[other], order[taken]
        yield order[taken]


# -------------------------------------------------------------------- columns drawn per node


@dataclass(frozen=True)
class Draws:
    """How a tree of a forest draws the columns of its nodes."""

    seed: int
    tree: int
    columns_per_node: int

    @property
    def root(self) -> int:
        """The key of the root; that of a child is its parent's, mixed with its branch."""
        return mix(mix(self.seed, 2), self.tree)

    def groups(self, key: int, n_columns: int, used: frozenset[int]) -> list[list[int]]:
        """The columns a node looks at first, then those it looks at one by one."""
        order = [column for column in shuffled(key, n_columns) if column not in used]
        n = self.columns_per_node
        return [order[:n], *([column] for column in order[n:])]


def check_drawn_tree(
    table: Table,
    rules: Conventions,
    tree: Tree,
    draws: Draws,
    *,
    exact: bool,
    most_rows: float = inf,
) -> None:
    """Raise AssertionError for the first node whose test is not the best of the columns drawn.

    Further columns may be looked at only where the first ones offer no test at all. Nodes with
    more than ``most_rows`` rows are followed, but not judged.
    """
    pending = [(Place(0, table.rows, ROOT, 0, 0), draws.root)]
    while pending:
        place, key = pending.pop()
        check_counts(table, rules, tree, place, exact=exact)
        test = condition_at(tree, place.index)
        if len(place.rows) <= most_rows:
            groups = draws.groups(key, len(table.columns), place.above.used)
            said = complaint_about_node(table, rules, tree, place, groups, exact=exact)
            assert said is None, f"node {place.index}, {test}: {said}"
        if test is not None:
            children = places_below(table, rules, tree, place, test, exact=exact)
            pending += [(child, mix(key, branch)) for branch, child in enumerate(children)]


def complaint_about_node(
    table: Table,
    rules: Conventions,
    tree: Tree,
    place: Place,
    groups: list[list[int]],
    *,
    exact: bool,
) -> str | None:
    """What is wrong with a node, given the groups of columns it may look at, one by one."""
    test = condition_at(tree, place.index)
    node = make_node(table, place.rows, place.depth, rules, place.parent_label)
    ends = (must_stop(table, place.rows, node, rules, slack.weight) for slack in SLACKS)
    if test is None and any(ends):
        return None
    for columns in groups:
        seen = only(table, columns)
        if test is not None and test.feature in columns:
            return beyond_rounding(
                lambda slack, seen=seen: complaint(seen, rules, tree, place, slack, exact=exact)
            )
        said = beyond_rounding(
            lambda slack, seen=seen: complaint_about_leaf(
                judge(seen, place.rows, place.above, rules, slack), rules
            )
        )
        if said is not None:
            return f"of the columns {columns}: {said}"
    return None if test is None else "its column was not drawn"


def only(table: Table, columns: list[int]) -> Table:
    """The table as a node sees it that drew these columns: the others have nothing to tell."""
    blank = [0.0] * len(table.y)
    return replace(table, columns=[c if i in columns else blank
                                   for i, c in enumerate(table.columns)])  # fmt: skip


def beyond_rounding(complain: Callable[[Slack], str | None]) -> str | None:
    """A complaint that stands however rounding decides what is too close to call."""
    said = complain(SLACKS[0])
    excused = said is not None and any(complain(slack) is None for slack in SLACKS[1:])
    return None if excused else said
