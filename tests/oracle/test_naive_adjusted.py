"""The core's adjusted p-value is that of the plain form, and that of all orders of the rows."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import fisher_exact

from plaintree import _core
from plaintree.tree.condition import NodeKind
from tests.oracle.naive_adjusted import adjusted_p, best_division_p


@pytest.mark.parametrize("kind", ["threshold", "multiway", "equals", "subset", "grouped"])
def test_the_core_equals_the_plain_form(kind: str) -> None:
    random = np.random.default_rng(len(kind))
    for most in [2, 6, 30, 300] * 8:
        n_classes = int(random.integers(2, 5))
        n_branches = int(random.integers(2, 4)) if kind in ("multiway", "grouped") else 2
        table = random.integers(0, most + 1, (n_branches, n_classes)).astype(float)
        if kind == "threshold":
            n_values = int(random.choice([0, 2, 3, 8, 1000]))
        else:
            n_values = int(random.integers(n_branches, 7))
        n_features = int(random.integers(1, 20))
        number = int(NodeKind[kind.upper()])
        cells = table.ravel().tolist()
        got = _core.adjusted_p(cells, n_classes, number, n_values, n_features)
        plain = adjusted_p(table.tolist(), kind, n_values, n_features)
        assert got == pytest.approx(plain, rel=1e-7, abs=1e-12), (table, n_values)


@pytest.mark.parametrize(("n", "marked"), [(8, 4), (9, 4), (10, 3), (11, 2)])
def test_two_classes_and_all_thresholds_have_the_exact_permutation_p(n: int, marked: int) -> None:
    """The proportion of all orders of the rows that have a threshold with Fisher's p or less."""

    def fisher(seen: int, side: int) -> float:
        table = [[seen, side - seen], [marked - seen, n - side - marked + seen]]
        return float(fisher_exact(table).pvalue)

    def best(order: tuple[int, ...]) -> float:
        return min(fisher(sum(i < side for i in order), side) for side in range(1, n))

    orders = np.array([best(order) for order in combinations(range(n), marked)])
    for order in list(combinations(range(n), marked))[::7]:
        for side in (2, n // 2):
            seen = sum(i < side for i in order)
            cells = [seen, side - seen, marked - seen, n - side - marked + seen]
            exact = np.mean(orders <= fisher(seen, side) * (1 + 1e-7))
            got = _core.adjusted_p(list(map(float, cells)), 2, int(NodeKind.THRESHOLD), 0, 1)
            assert got == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("balance", [(0.5, 0.5), (0.9, 0.1)])
@pytest.mark.parametrize("n_categories", [4, 10, 30])
def test_the_best_division_of_categories_keeps_its_level(
    n_categories: int, balance: tuple[float, float]
) -> None:
    """On noise, the chosen division has p <= 0.05 in at most that part of the tables."""
    random = np.random.default_rng(n_categories)
    found = 0
    for _ in range(400):
        classes = random.choice(2, 300, p=balance)
        table = np.zeros((n_categories, 2))
        np.add.at(table, (random.integers(0, n_categories, 300), classes), 1)
        table = table[table.sum(axis=1) > 0]
        table = table[np.argsort(table[:, 0] / table.sum(axis=1))]
        first = table.cumsum(axis=0)[:-1]
        splits = np.stack([first, table.sum(axis=0) - first], axis=1)
        gain = (splits**2 / splits.sum(axis=2, keepdims=True)).sum(axis=(1, 2))
        cells = splits[gain.argmax()].ravel().tolist()
        found += _core.adjusted_p(cells, 2, int(NodeKind.SUBSET), n_categories, 1) <= 0.05
    assert found <= 30  # 20 are expected; more than 30 with a probability of 0.01


@pytest.mark.parametrize("n_categories", [5, 30])
def test_divisions_hold_a_part_of_all_categories_apart(n_categories: int) -> None:
    """Equally frequent categories of many rows: the differences of the classes are normal."""
    random = np.random.default_rng(0)
    drawn = np.sort(random.standard_normal((20_000, n_categories)), axis=1)
    drawn -= drawn.mean(axis=1, keepdims=True)
    low = np.arange(1, n_categories) / n_categories
    first = drawn.cumsum(axis=1)[:, :-1] / n_categories
    best = (first**2 / (low * (1 - low)) * n_categories).max(axis=1)
    for level in np.quantile(best, [0.9, 0.95, 0.99]):
        seen = np.mean(best >= level)
        assert seen <= best_division_p(level, n_categories - 1, n_categories) * 1.1 <= 2 * seen
