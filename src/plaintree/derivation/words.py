"""Words that the parts of a derivation share: rows and classes counted, paths, plurals."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ..rules import Clause, joined
from ..schema import Schema
from ..tree import Tree
from ..wording import weight_text
from .cases import Rows
from .exact import Counts, Weight

ROWS_LISTED = 20


def count_text(weight: Weight) -> str:
    """A weight in words: 5, or 12/5 where it is a fraction that can be read."""
    if isinstance(weight, Fraction) and weight.denominator != 1:
        if weight.denominator > 1000:
            return weight_text(float(weight))
        return f"{weight.numerator}/{weight.denominator}"
    return str(int(weight))


def rows_text(n: int) -> str:
    """So many rows."""
    return f"{n} row" if n == 1 else f"{n} rows"


def classes_text(counts: Counts, schema: Schema) -> str:
    """The classes with their weights: No 5, Yes 9."""
    present = [(label, count) for label, count in zip(schema.classes, counts, strict=True) if count]
    numbers = any(str(label)[-1:].isdigit() for label in schema.classes)
    between = ": " if numbers else " "
    return ", ".join(f"{label}{between}{count_text(count)}" for label, count in present)


def numbers_text(rows: Rows, weights: Sequence[Weight]) -> str:
    """The numbers of rows, counted from 1; with the weight where it is not the row's own."""
    listed = [
        f"{row + 1}" if weight == weights[row] else f"{row + 1} (weight {count_text(weight)})"
        for row, weight in rows[:ROWS_LISTED]
    ]
    left = len(rows) - len(listed)
    return ", ".join(listed) + (f" and {left} more" if left else "")


def path_text(tree: Tree, node: int, schema: Schema) -> str:
    """The way to a node in words: every attribute on it once; empty for the root."""
    above: list[Clause] = []
    while node:
        parent = int(tree.parent[node])
        condition = tree.condition(parent)
        assert condition is not None, "a parent makes a test"
        above.append(Clause.of(condition, node - int(tree.first_child[parent]), tree.schema))
        node = parent
    clauses: tuple[Clause, ...] = ()
    for clause in reversed(above):
        clauses = joined(clauses, clause)
    return ", ".join(clause.describe(schema) for clause in clauses)


def listed(names: Sequence[str], most: int = 12) -> str:
    """Names one after the other; of very many the first, and how many more."""
    rest = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest
