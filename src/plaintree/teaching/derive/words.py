"""Text that the parts of a derivation share: counts of rows and classes, paths, plurals."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from plaintree.data.schema import Schema
from plaintree.data.words import weight_text
from plaintree.rules.rule import Clause, joined
from plaintree.stats.exact import Counts, Weight
from plaintree.tree.tree import Tree

from .cases import Rows

ROWS_LISTED = 20
READABLE = 1000
"""Fractions with a greater denominator are written as decimals."""


def count_text(weight: Weight, unit: int = 1) -> str:
    """A weight as text: 5, or 12/5 where it is a fraction that can be read.

    It may be counted in parts, of which so many make a unit.

    >>> count_text(5), count_text(24, 10)
    ('5', '12/5')
    """
    if unit == 1 and type(weight) is int:
        return str(weight)
    top, bottom = weight.numerator, weight.denominator * unit
    common = gcd(top, bottom)
    if bottom == common:
        return str(top // bottom)
    if bottom > READABLE * common:
        return weight_text(top / bottom)
    return f"{top // common}/{bottom // common}"


def rows_text(n: int) -> str:
    """So many rows."""
    return f"{n} row" if n == 1 else f"{n} rows"


def classes_text(counts: Counts, schema: Schema, unit: int = 1) -> str:
    """The classes with their weights, which may be in parts of a unit: No: 5, Yes: 9."""
    pairs = zip(schema.classes, counts, strict=True)
    return ", ".join(f"{label}: {count_text(count, unit)}" for label, count in pairs if count)


def numbers_text(rows: Rows, weights: Sequence[Weight]) -> str:
    """The numbers of rows, counted from 1; with the weight where it is not the row's own."""
    listed = [
        f"{row + 1}" if weight == weights[row] else f"{row + 1} (weight {count_text(weight)})"
        for row, weight in rows[:ROWS_LISTED]
    ]
    left = len(rows) - len(listed)
    return ", ".join(listed) + (f" and {left} more" if left else "")


def path_text(tree: Tree, node: int, schema: Schema) -> str:
    """The path to a node as text: every attribute on it once; empty for the root."""
    return Paths(tree, schema).text(node)


class Paths:
    """The paths to the nodes of a tree as text; common parts are formatted once."""

    def __init__(self, tree: Tree, schema: Schema) -> None:
        self.tree, self.schema = tree, schema
        self._known: dict[int, tuple[Clause, ...]] = {0: ()}

    def text(self, node: int) -> str:
        """The path to a node: every attribute on it once; empty for the root."""
        return ", ".join(clause.describe(self.schema) for clause in self._clauses(node))

    def _clauses(self, node: int) -> tuple[Clause, ...]:
        unknown, above = [], node
        while above not in self._known:
            unknown.append(above)
            above = int(self.tree.parent[above])
        clauses = self._known[above]
        for below in reversed(unknown):
            condition = self.tree.condition(above)
            assert condition is not None, "a parent has a split"
            branch = below - int(self.tree.first_child[above])
            clauses = joined(clauses, Clause.of(condition, branch, self.tree.schema))
            self._known[below], above = clauses, below
        return clauses


def listed(names: Sequence[str], most: int = 12) -> str:
    """Names one after the other; of very many the first, and how many more."""
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest
