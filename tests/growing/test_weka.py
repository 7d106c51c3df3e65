"""Weka's J48 with reduced-error pruning (-R -N 3), on real tables: size, leaves and errors.

J48 grows from two of three stratified folds and prunes bottom-up with the third. It differs from
Release 8 in how it decides ties, in that nothing is split without gain or collapsed, and in that
thresholds are values of the whole table, the third fold included.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from plaintree import DecisionTreeClassifier
from plaintree.pruning.prune import prune
from plaintree.tree.conventions import C45
from plaintree.tree.tree import Tree
from tests.support.reference_tables import class_codes, golden, load, names_in, needs_shared

J48 = replace(
    C45,
    threshold="midpoint",
    collapse=False,
    zero_gain=False,
    min_score=1e-6,
    tie_tolerance=1e-6,
)

# -------------------------------------------------------------------- folds as Weka makes them


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


def test_the_random_numbers_are_those_of_java() -> None:
    random = JavaRandom(42)
    assert [random.below(10) for _ in range(6)] == [0, 3, 8, 4, 0, 5]
    assert JavaRandom(0).below(2**31) == 1569741360


# -------------------------------------------------------------------- J48 -R


def j48_r(X: pd.DataFrame, y: np.ndarray, codes: np.ndarray) -> DecisionTreeClassifier:
    growing, pruning = held_out(stratified(range(len(y)), codes, 3), 3, 2)
    model = DecisionTreeClassifier(conventions=J48).fit(X.iloc[growing], y[growing])
    pruned = prune(model, "reduced_error", X.iloc[pruning], y[pruning])
    model.tree_ = at_values_of(X, pruned)
    return model


def at_values_of(X: pd.DataFrame, tree: Tree) -> Tree:
    """The tree with each threshold at the greatest value of its column that is not above it."""
    thresholds = tree.threshold.copy()
    for node in np.flatnonzero(~np.isnan(thresholds)):
        column = X.iloc[:, tree.attribute[node]]
        thresholds[node] = column[column <= thresholds[node]].max()
    return replace(tree, threshold=thresholds)


def n_wrong(model: DecisionTreeClassifier, X: pd.DataFrame, y: np.ndarray) -> int:
    return int(np.count_nonzero(model.predict(X) != y))


@needs_shared
@pytest.mark.parametrize("name", names_in("weka"))
def test_size_leaves_and_errors_of_the_whole_table(name: str) -> None:
    X, y = load(name)
    model, run = j48_r(X, y, class_codes(name)), golden("weka", name)["runs"]["J48_R"]
    found = (model.tree_.n_nodes, model.tree_.n_leaves, n_wrong(model, X, y))
    assert found == (run["size"], run["leaves"], run["train"]["incorrect"])


VALIDATED = [n for n in names_in("weka") if golden("weka", n)["runs"]["J48_R"].get("cv")]


@needs_shared
@pytest.mark.parametrize("name", VALIDATED)
def test_errors_in_ten_folds(name: str) -> None:
    X, y = load(name)
    codes, random = class_codes(name), JavaRandom(1)
    order, wrong = stratified(shuffled(range(len(y)), random), codes, 10), 0
    for fold in range(10):
        training, test = held_out(order, 10, fold)
        training = shuffled(training, random)
        model = j48_r(X.iloc[training], y[training], codes[training])
        wrong += n_wrong(model, X.iloc[test], y[test])
    assert wrong == golden("weka", name)["runs"]["J48_R"]["cv"]["incorrect"]
