"""Which training rows satisfy the clauses of rules, as bits packed into words.

A set of rows is an array of 64-bit words; rules are intersected and counted by a few operations
on words, so that a table of 10,000 rows is 160 numbers. Rows count once each, whatever they weigh.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .rule import Clause

Words = NDArray[np.uint64]


def packed(rows: NDArray[np.bool_]) -> Words:
    """Truth values along the last axis as bits; the last word is filled up with zeros."""
    n_words = -(-rows.shape[-1] // 64)
    octets = np.zeros((*rows.shape[:-1], 8 * n_words), dtype=np.uint8)
    filled = np.packbits(rows, axis=-1)
    octets[..., : filled.shape[-1]] = filled
    return octets.view(np.uint64)


def unpacked(words: Words, n_rows: int) -> NDArray[np.bool_]:
    """The inverse of :func:`packed`."""
    bits = np.unpackbits(words.view(np.uint8), axis=-1, count=n_rows)
    return bits.view(np.bool_)


def count(words: Words) -> NDArray[np.int64]:
    """The number of rows in each set."""
    return np.asarray(np.bitwise_count(words).sum(axis=-1, dtype=np.int64))


class TrainingRows:
    """Encoded rows and their classes, asked which of them satisfy clauses."""

    def __init__(
        self, columns: Sequence[NDArray[Any]], classes: NDArray[np.int32], n_classes: int
    ) -> None:
        self.columns = columns
        self.classes = classes
        self.n_rows = len(classes)
        self.class_counts = np.bincount(classes, minlength=n_classes)
        self.everything = packed(np.ones(self.n_rows, dtype=np.bool_))
        self.of_class = packed(classes == np.arange(n_classes)[:, None])
        self._satisfying: dict[Clause, Words] = {}

    def satisfying(self, clause: Clause) -> Words:
        """The rows that satisfy a clause; found once, as many rules share their clauses."""
        known = self._satisfying.get(clause)
        if known is None:
            known = packed(clause.matches(self.columns[clause.attribute]))
            self._satisfying[clause] = known
        return known

    def covered(self, clauses: Sequence[Clause]) -> Words:
        """The rows that satisfy all of some clauses."""
        rows = self.everything
        for clause in clauses:
            rows = rows & self.satisfying(clause)
        return rows

    def covered_without_each(self, clauses: Sequence[Clause]) -> Words:
        """The rows that satisfy all clauses, and then all but the first, all but the second ..."""
        each = np.stack([self.everything, *map(self.satisfying, clauses), self.everything])
        before = np.bitwise_and.accumulate(each, axis=0)
        behind = np.bitwise_and.accumulate(each[::-1], axis=0)[::-1]
        return np.concatenate([before[-1:], before[:-2] & behind[2:]])
