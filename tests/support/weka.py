"""Weka's J48 with reduced-error pruning (-R -N 3): its folds, its options, its thresholds.

J48 grows from two of three stratified folds and prunes bottom-up with the third. It differs from
Release 8 in how it decides ties, in that nothing is split without gain or collapsed, and in that
thresholds are values of the whole table, the third fold included.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pandas as pd

from plaintree import DecisionTreeClassifier
from plaintree.tree.conventions import C45
from plaintree.tree.tree import Tree
from tests.support.pruned import pruned_tree

J48 = replace(
    C45,
    threshold="midpoint",
    collapse=False,
    zero_gain=False,
    min_score=1e-6,
    tie_tolerance=1e-6,
)


class JavaRandom:
    """The numbers of java.util.Random."""

    def __init__(self, seed: int) -> None:
        self._state = seed ^ 0x5DEECE66D

    def _bits(self) -> int:
        self._state = (self._state * 0x5DEECE66D + 0xB) % 2**48
        return self._state >> 17

    def below(self, n: int) -> int:
        """A number from 0 to below n."""
        if n & -n == n:  # a power of two
            return n * self._bits() >> 31
        bits = self._bits()
        while bits - bits % n + n - 1 >= 2**31:
            bits = self._bits()
        return bits % n


def shuffled(rows: Iterable[int], random: JavaRandom) -> list[int]:
    order = list(rows)
    for last in range(len(order) - 1, 0, -1):
        other = random.below(last + 1)
        order[last], order[other] = order[other], order[last]
    return order


def stratified(rows: Iterable[int], codes: np.ndarray, n_folds: int) -> list[int]:
    """Rows sorted by class, by changing places, and then dealt out."""
    order, place = list(rows), 1
    while place < len(order):
        label = codes[order[place - 1]]
        for other in range(place, len(order)):
            if codes[order[other]] == label:
                order[place], order[other] = order[other], order[place]
                place += 1
        place += 1
    return [row for first in range(n_folds) for row in order[first::n_folds]]


def held_out(order: list[int], n_folds: int, fold: int) -> tuple[list[int], list[int]]:
    """The other rows, and those of one fold."""
    size, more = divmod(len(order), n_folds)
    begin = fold * size + min(fold, more)
    end = begin + size + (fold < more)
    return order[:begin] + order[end:], order[begin:end]


def j48_r(X: pd.DataFrame, y: np.ndarray, codes: np.ndarray) -> DecisionTreeClassifier:
    growing, pruning = held_out(stratified(range(len(y)), codes, 3), 3, 2)
    model = DecisionTreeClassifier(conventions=J48).fit(X.iloc[growing], y[growing])
    pruned = pruned_tree(model, "reduced_error", X.iloc[pruning], y[pruning])
    model.tree_ = at_values_of(X, pruned)
    return model


def at_values_of(X: pd.DataFrame, tree: Tree) -> Tree:
    """The tree with each threshold at the greatest value of its column that is not above it."""
    thresholds = tree.threshold.copy()
    for node in np.flatnonzero(~np.isnan(thresholds)):
        column = X.iloc[:, tree.feature[node]]
        thresholds[node] = column[column <= thresholds[node]].max()
    return replace(tree, threshold=thresholds)
