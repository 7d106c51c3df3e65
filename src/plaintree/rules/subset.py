"""The choice of a class's rules by the length of a description, as C4.5rules makes it.

The rules of a class, and the training rows that they get wrong, can be written down in some
number of bits; the best subset of the rules needs fewest. Up to ten rules every subset is tried;
with more of them, subsets are improved step by step from eleven random beginnings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.schema import Schema
from plaintree.stats.impurity import entropy, x_log_x

from .cover import Words, count, unpacked
from .rule import Clause

MOST_RULES_FOR_ALL_SUBSETS = 10
N_CLIMBS = 11
IMPOSSIBLE_BITS = 1e6
_TINY = 1e-6
_WORDS_AT_ONCE = 4096  # all 1,024 subsets of 10 rules, this many words each, take 32 MB

# -------------------------------------------------------------------- bits of rules


class RuleCode:
    """How many bits it takes to write a rule down, by the values in the training table.

    ``sets`` are the attributes tested by sets of categories: a condition on one of them says of
    each category whether it is in the set, also if one is.
    """

    def __init__(
        self,
        schema: Schema,
        columns: Sequence[NDArray[Any]],
        sets: frozenset[int] = frozenset(),
    ) -> None:
        self.sets = sets
        self.branch_bits = [
            _branch_bits(column, len(attribute.categories) if attribute.is_categorical else 0)
            for attribute, column in zip(schema.attributes, columns, strict=True)
        ]
        self.attribute_bits = entropy(np.array(self.branch_bits))

    def rule_bits(self, clauses: Sequence[Clause]) -> float:
        """The bits of a rule: of its clauses, less what their order could tell."""
        n = len(clauses)
        each = sum(self.attribute_bits + self._clause_bits(clause) for clause in clauses)
        return each + float(np.log2(n)) - float(log2_factorials(n)[n])

    def _clause_bits(self, clause: Clause) -> float:
        listed = clause.attribute in self.sets or (clause.allowed or 0).bit_count() != 1
        if clause.allowed is not None and listed:
            return float(clause.n_categories)
        return self.branch_bits[clause.attribute]


def _branch_bits(column: NDArray[Any], n_categories: int) -> float:
    """The bits to say which outcome of a test of this column is meant."""
    if n_categories:
        # Shares of all rows, missing values included: they need not add up to one.
        frequencies = np.bincount(column[column >= 0], minlength=n_categories) / len(column)
        return float(-x_log_x(frequencies[frequencies > 0]).sum())
    n_distinct = len(np.unique(column))  # missing values count as one
    return 1 + float(np.log2(n_distinct)) / 2 if n_distinct > 1 else 0.0


def log2_factorials(most: int) -> NDArray[np.float64]:
    """The logarithms of 0!, 1!, ... most!."""
    return np.concatenate([[0.0], np.cumsum(np.log2(np.arange(1, most + 1)))])


# -------------------------------------------------------------------- bits of exceptions


def exception_bits(
    n_rows: int, covered: NDArray[Any], false_positives: NDArray[Any], false_negatives: NDArray[Any]
) -> NDArray[np.float64]:
    """The bits to say which of the covered rows, and which of the others, are exceptions."""
    mean = (false_positives + false_negatives) / 2
    many = covered > n_rows / 2
    inside = _selection_bits(covered, false_positives, np.where(many, mean, false_positives))
    outside = _selection_bits(
        n_rows - covered, false_negatives, np.where(many, false_negatives, mean)
    )
    return np.asarray(np.log2(n_rows) + inside + outside)


def _selection_bits(
    n: NDArray[Any], chosen: NDArray[Any], expected: NDArray[Any]
) -> NDArray[np.float64]:
    """The bits to say which of n rows are chosen if a number of them is expected."""
    none, every = expected <= _TINY, expected >= n - _TINY
    share = np.where(none | every, 0.5, expected / np.maximum(n, 1))
    bits = -chosen * np.log2(share) - (n - chosen) * np.log2(1 - share)
    bits = np.where(every, np.where(chosen == n, 0.0, IMPOSSIBLE_BITS), bits)
    return np.where(none, np.where(chosen == 0, 0.0, IMPOSSIBLE_BITS), bits)


# -------------------------------------------------------------------- the search


@dataclass(frozen=True)
class ClassRules:
    """The candidate rules of one class: the rows each covers, its bits, and the rows of the class.

    ``covers`` has a row of words per rule; a rule that never fires covers nothing.
    """

    covers: Words
    rule_bits: NDArray[np.float64]
    positive: Words
    n_rows: int

    @property
    def n_rules(self) -> int:
        """How many there are to choose from."""
        return len(self.rule_bits)

    @cached_property
    def n_positive(self) -> int:
        """How many rows are of the class."""
        return int(count(self.positive))

    @cached_property
    def is_positive(self) -> NDArray[np.bool_]:
        """Whether a row is of the class."""
        return unpacked(self.positive, self.n_rows)

    @cached_property
    def _factorials(self) -> NDArray[np.float64]:
        return log2_factorials(self.n_rules)

    @cached_property
    def _rows(self) -> list[NDArray[np.int64]]:
        return [np.flatnonzero(unpacked(cover, self.n_rows)) for cover in self.covers]

    def rows_of(self, rule: int) -> NDArray[np.int64]:
        """The rows that a rule covers."""
        return self._rows[rule]

    @cached_property
    def _rules_by_row(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The rules that cover each row, row by row, and where each row's rules begin."""
        rows = np.concatenate(self._rows)
        rules = np.repeat(np.arange(self.n_rules, dtype=np.int32), [*map(len, self._rows)])
        begins = np.cumsum([0, *np.bincount(rows, minlength=self.n_rows)])
        return rules[np.argsort(rows, kind="stable")], begins

    def n_shared(self, rows: NDArray[np.int64], groups: NDArray[Any]) -> NDArray[np.int64]:
        """How many rows of group 0 and of group 1 each rule covers: all, and those of the class."""
        rules, begins = self._rules_by_row
        sizes = begins[rows + 1] - begins[rows]
        kind = 2 * groups + self.is_positive[rows]
        places = np.arange(sizes.sum()) + np.repeat(begins[rows] - np.cumsum(sizes) + sizes, sizes)
        keys = np.repeat(kind * self.n_rules, sizes) + rules[places]
        counted = np.bincount(keys, minlength=4 * self.n_rules).reshape(2, 2, self.n_rules)
        counted[:, 0] += counted[:, 1]
        return counted

    def total_bits(
        self,
        n_chosen: NDArray[Any],
        chosen_bits: NDArray[Any],
        covered: NDArray[Any],
        hits: NDArray[Any],
    ) -> NDArray[np.float64]:
        """The whole description of a subset: half the bits of its rules, and of the exceptions.

        Of the ``covered`` rows ``hits`` are of the class.
        """
        rules = chosen_bits - self._factorials[n_chosen]
        missed = self.n_positive - hits
        exceptions = exception_bits(self.n_rows, covered, covered - hits, missed)
        return np.asarray(0.5 * rules + exceptions)


def best_subset(rules: ClassRules, draw: Callable[[], float]) -> NDArray[np.bool_]:
    """The rules whose description is shortest; ``draw`` gives random numbers from 0 to below 1."""
    if rules.n_rules <= MOST_RULES_FOR_ALL_SUBSETS:
        return _best_of_all(rules)
    best, least = np.zeros(rules.n_rules, dtype=np.bool_), np.inf
    for climb in range(N_CLIMBS):
        probability = climb / (N_CLIMBS - 1)
        start = np.array([draw() < probability for _ in range(rules.n_rules)])
        for chosen, bits in _climb(rules, start):
            if bits < least:
                best, least = chosen.copy(), bits
    return best


def _best_of_all(rules: ClassRules) -> NDArray[np.bool_]:
    """Every subset is tried, the empty one first; the first rule varies fastest."""
    n = rules.n_rules
    members = (np.arange(1 << n)[:, None] >> np.arange(n)) & 1
    covered, hits = np.zeros((2, 1 << n), dtype=np.int64)
    for begin in range(0, rules.covers.shape[1], _WORDS_AT_ONCE):
        part = slice(begin, begin + _WORDS_AT_ONCE)
        unions = np.zeros((1, len(rules.positive[part])), dtype=np.uint64)
        for rule in range(n):
            unions = np.concatenate([unions, unions | rules.covers[rule, part]])
        covered += count(unions)
        hits += count(unions & rules.positive[part])
    bits = rules.total_bits(members.sum(axis=1), members @ rules.rule_bits, covered, hits)
    return np.asarray(members[int(np.argmin(bits))] == 1)


def _climb(
    rules: ClassRules, start: NDArray[np.bool_]
) -> Iterator[tuple[NDArray[np.bool_], float]]:
    """A subset and its bits, then with the one rule added or dropped that saves most, and so on."""
    chosen, counts = start.copy(), CoverCounts(rules, start)
    covered, hits = counts.union
    known = rules.total_bits(chosen.sum(), rules.rule_bits[chosen].sum(), covered, hits)
    while True:
        yield chosen, float(known)
        sign = np.where(chosen, -1, 1)
        changing, of_class = np.where(chosen, counts.alone, counts.free)
        now_covered, now_hits = covered + sign * changing, hits + sign * of_class
        bits = rules.total_bits(
            chosen.sum() + sign,
            rules.rule_bits[chosen].sum() + sign * rules.rule_bits,
            now_covered,
            now_hits,
        )
        best = int(np.argmin(bits))
        if not bits[best] < known:
            return
        counts.change(best, int(sign[best]))
        chosen[best] = not chosen[best]
        known, covered, hits = bits[best], now_covered[best], now_hits[best]


class CoverCounts:
    """For every rule, how many of its rows no chosen rule covers, and how many just one does.

    ``free`` and ``alone`` have two lines: all rows, and those of the class. A rule that is added
    or dropped changes the counts of the rules that share rows with it, and only these rows are
    looked at.
    """

    def __init__(self, rules: ClassRules, chosen: NDArray[np.bool_]) -> None:
        self._rules = rules
        self._n_covering = np.zeros(rules.n_rows, dtype=np.int32)
        for rule in np.flatnonzero(chosen).tolist():
            self._n_covering[rules.rows_of(rule)] += 1
        few = np.flatnonzero(self._n_covering < 2)
        self.free, self.alone = rules.n_shared(few, self._n_covering[few])

    @property
    def union(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """How many rows the chosen rules cover, and how many of these are of the class."""
        some = self._n_covering > 0
        hits = some & self._rules.is_positive
        return np.asarray(np.count_nonzero(some)), np.asarray(np.count_nonzero(hits))

    def change(self, rule: int, sign: int) -> None:
        """Add a rule (``sign`` is 1) or drop it (-1)."""
        rows = self._rules.rows_of(rule)
        others = self._n_covering[rows] - (sign < 0)  # chosen rules that cover a row besides it
        self._n_covering[rows] += sign
        few = others < 2
        lost, taken = sign * self._rules.n_shared(rows[few], others[few])
        self.free -= lost
        self.alone += lost - taken


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
        """The next number, from 0 to below 1."""
        here = self._next
        word = (self._words[here] + self._words[(here + 28) % 31]) & 0xFFFFFFFF
        self._words[here] = word
        self._next = (here + 1) % 31
        return (word >> 1) / 2147483648.0
