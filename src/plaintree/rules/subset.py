"""Selection of the rules of a class by minimum description length, as in C4.5rules.

The rules of a class, and the training rows that they misclassify, can be encoded in some number of
bits; the best subset of the rules needs the fewest. Up to ten rules every subset is tried; of more
rules, subsets are improved step by step from eleven random starts. The core computes the
description length and searches (src/core/rules).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree import _core
from plaintree.data.schema import Schema
from plaintree.stats.impurity import entropy, x_log_x

from .cover import Words
from .rule import Clause

MAX_RULES_FOR_ALL_SUBSETS = 10
N_CLIMBS = 11

# -------------------------------------------------------------------- bits of rules


class RuleCode:
    """The number of bits that encode a rule, by the values in the training table.

    ``sets`` are the features with splits on sets of categories: a condition on one of them has a
    bit for each category, even for a single category.
    """

    def __init__(
        self,
        schema: Schema,
        columns: Sequence[NDArray[Any]],
        sets: frozenset[int] = frozenset(),
    ) -> None:
        self.sets = sets
        self.branch_bits = [
            _branch_bits(column, len(feature.categories) if feature.is_categorical else 0)
            for feature, column in zip(schema.features, columns, strict=True)
        ]
        self.feature_bits = entropy(np.array(self.branch_bits))

    def rule_bits(self, clauses: Sequence[Clause]) -> float:
        """The bits of a rule: those of its clauses, less the information in their order."""
        n = len(clauses)
        each = sum(self.feature_bits + self._clause_bits(clause) for clause in clauses)
        return each + float(np.log2(n)) - log2_factorial(n)

    def _clause_bits(self, clause: Clause) -> float:
        listed = clause.feature in self.sets or (clause.allowed or 0).bit_count() != 1
        if clause.allowed is not None and listed:
            return float(clause.n_categories)
        return self.branch_bits[clause.feature]


def _branch_bits(column: NDArray[Any], n_categories: int) -> float:
    """The bits that encode an outcome of a split on this column."""
    if n_categories:
        # Proportions of all rows, missing values included: they need not add up to one.
        frequencies = np.bincount(column[column >= 0], minlength=n_categories) / len(column)
        return float(-x_log_x(frequencies[frequencies > 0]).sum())
    n_distinct = len(np.unique(column))  # missing values count as one
    return 1 + float(np.log2(n_distinct)) / 2 if n_distinct > 1 else 0.0


def log2_factorial(n: int) -> float:
    """The logarithm of n!."""
    return float(np.log2(np.arange(1, n + 1)).cumsum()[-1]) if n else 0.0


# -------------------------------------------------------------------- the search


@dataclass(frozen=True)
class ClassRules:
    """The candidate rules of one class: the rows each covers, its bits, and the rows of the class.

    ``covers`` has a line of words per rule; a rule that never fires covers nothing.
    """

    covers: Words
    rule_bits: NDArray[np.float64]
    positive: Words
    n_rows: int


def best_subset(rules: ClassRules, draw: Callable[[], float]) -> NDArray[np.bool_]:
    """The rules whose description is shortest; ``draw`` returns random numbers in [0, 1)."""
    n_rules, starts = len(rules.rule_bits), None
    if n_rules > MAX_RULES_FOR_ALL_SUBSETS:
        probabilities = np.arange(N_CLIMBS)[:, None] / (N_CLIMBS - 1)
        drawn = np.array([draw() for _ in range(N_CLIMBS * n_rules)])
        starts = (drawn.reshape(N_CLIMBS, n_rules) < probabilities).view(np.uint8)
    chosen = _core.best_subset(rules.covers, rules.positive, rules.n_rows, rules.rule_bits, starts)
    return chosen.view(np.bool_)


# -------------------------------------------------------------------- random numbers


class CLibraryRandom:
    """The numbers of ``random()`` in the C library that C4.5rules was run with.

    Additive feedback: each word is the sum of those 3 and 31 before it; the first 310 are skipped.

    >>> round(CLibraryRandom(1)() * 2**31)
    1804289383
    """

    def __init__(self, seed: int) -> None:
        words = [seed or 1]
        for _ in range(30):
            words.append(16807 * words[-1] % 2147483647)
        self._words = words
        self._next = 3
        for _ in range(310):
            self()

    def __call__(self) -> float:
        """The next number, in [0, 1)."""
        here = self._next
        word = (self._words[here] + self._words[(here + 28) % 31]) & 0xFFFFFFFF
        self._words[here] = word
        self._next = (here + 1) % 31
        return (word >> 1) / 2147483648.0
