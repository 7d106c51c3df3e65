"""Which training rows satisfy the clauses of rules, as bits packed into words.

A set of rows is an array of 64-bit words; rules are intersected and counted by a few operations
on words: a table of 10,000 rows is 157 words. Every row counts once, whatever its weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree import _core

from .rule import Clause

Words = NDArray[np.uint64]


def packed(rows: NDArray[np.bool_]) -> Words:
    """Booleans along the last axis as bits; the last word is padded with zeros."""
    n_words = -(-rows.shape[-1] // 64)
    octets = np.zeros((*rows.shape[:-1], 8 * n_words), dtype=np.uint8)
    filled = np.packbits(rows, axis=-1, bitorder="little")  # as the core numbers rows
    octets[..., : filled.shape[-1]] = filled
    return octets.view(np.uint64)


def unpacked(words: Words, n_rows: int) -> NDArray[np.bool_]:
    """The inverse of :func:`packed`."""
    bits = np.unpackbits(words.view(np.uint8), axis=-1, count=n_rows, bitorder="little")
    return bits.view(np.bool_)


def count(words: Words) -> NDArray[np.int64]:
    """The number of rows in each set."""
    return np.asarray(np.bitwise_count(words).sum(axis=-1, dtype=np.int64))


class TrainingRows:
    """Encoded rows and their classes, and the sets of rows that satisfy clauses."""

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
        """The rows that satisfy a clause; cached, because many rules share their clauses."""
        known = self._satisfying.get(clause)
        if known is None:
            known = packed(clause.matches(self.columns[clause.feature]))
            self._satisfying[clause] = known
        return known

    def covered(self, clauses: Sequence[Clause]) -> Words:
        """The rows that satisfy all of some clauses."""
        rows = self.everything
        for clause in clauses:
            rows = rows & self.satisfying(clause)
        return rows

    def satisfying_each(self, clauses: Sequence[Clause]) -> Words:
        """The rows that satisfy each of some clauses, a line of words per clause."""
        sets = np.empty((len(clauses), len(self.everything)), dtype=np.uint64)
        for line, clause in zip(sets, clauses, strict=True):
            line[:] = packed(clause.matches(self.columns[clause.feature]))
            self._satisfying[clause] = line
        return sets

    def shortened_counts(
        self,
        satisfying: Words,
        clauses: NDArray[np.int32],
        begins: NDArray[np.int64],
        labels: NDArray[np.int32],
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The numbers of rows that rules cover: with all clauses, and without each of them.

        The clauses of a rule are lines of ``satisfying``. ``begins`` has their first positions, and
        the number of all clauses at the end. A rule of k clauses has 1 + k counts, of all rows and
        of the rows of its class.
        """
        return _core.shortened_counts(clauses, begins, labels, satisfying, self.of_class)
