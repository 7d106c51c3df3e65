"""The adjusted p-value of a split, in the plainest form: what src/core/stats/selection.h equals."""

from __future__ import annotations

from math import exp, gamma, log, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from plaintree.tree.condition import NodeKind

DRAWS, ENOUGH, SEED = 1999, 50, 0x5E1EC7


def adjusted_p(branches: list[list[float]], kind: str, n_values: int, n_open: int) -> float:
    table = np.floor(np.array(branches) + 0.5).astype(np.int64)
    extra = len(table) > 2
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    alone = split_p(table)
    if alone >= 1 or alone <= 0:
        return alone
    column = min(1.0, max(alone, column_p(alone, table, NodeKind[kind.upper()], n_values, extra)))
    return float(-np.expm1(max(1, n_open) * np.log1p(-column))) if column < 1 else 1.0


def split_p(table: NDArray[np.int64]) -> float:
    """Of the split by itself."""
    from scipy.stats import chi2

    if min(table.shape, default=0) < 2:
        return 1.0
    if table.shape == (2, 2):
        return fisher(table, 0)
    by_branch, by_class, n = table.sum(axis=1), table.sum(axis=0), table.sum()
    if by_branch.min() * by_class.min() / n >= 5:
        return float(chi2.sf(pearson(table), degrees(table)))
    if len(table) > 2:
        return random_tables_p(table)
    return min(1.0, table.shape[1] * min(fisher(table, j) for j in range(table.shape[1])))


def column_p(p: float, table: NDArray[np.int64], kind: NodeKind, k: int, extra: bool) -> float:
    """Of the best split of a column."""
    from scipy.stats import chi2

    n, d = int(table.sum()), degrees(table)
    level = float(chi2.isf(p, d))
    d_apart = max(d, (k - 1 + extra) * (table.shape[1] - 1))
    if kind == NodeKind.THRESHOLD:
        candidates = min(k or n, n) - 1
        return p if k == 2 else min(candidates * p, best_threshold_p(p, table))
    if kind == NodeKind.EQUALS:
        return k * p if k > 2 else p
    if kind == NodeKind.SUBSET:
        division = chi2.sf(level, d_apart) if extra else best_division_p(level, d_apart, k)
        return float(min((2.0 ** (k - 1) - 1) * p, division))
    return float(chi2.sf(level, d_apart)) if kind == NodeKind.GROUPED else p


def best_threshold_p(p: float, table: NDArray[np.int64]) -> float:
    """Of the best of all thresholds, one after every row."""
    from scipy.stats import chi2

    n, by_class = int(table.sum()), table.sum(axis=0)
    each_class = len(by_class) == 2 or by_class.min() < 10
    if len(table) > 2 or not each_class or n > 2000 or p < 1e-10:
        return crossing_p(float(chi2.isf(p, degrees(table))), degrees(table), n)
    if len(by_class) == 2:
        return paths_p(p, int(by_class[0]), n)
    return sum(paths_p(p / len(by_class), int(marked), n) for marked in by_class)


def paths_p(p: float, marked: int, n: int) -> float:
    """The proportion of orders of the rows in which some threshold has Fisher's p or less."""
    from scipy.stats import hypergeom

    counts = np.arange(marked + 1)
    staying, left = np.zeros(marked + 1), 0.0
    staying[0] = 1
    for side in range(1, n):
        up = staying * (marked - counts) / (n - side + 1)
        staying = staying - up
        staying[1:] += up[:-1]
        chances = hypergeom.pmf(counts, n, marked, side)
        no_likelier = chances[None, :] <= chances[:, None] * (1 + 1e-9)
        outside = no_likelier @ chances <= p * (1 + 1e-9)
        left += staying[outside].sum()
        staying[outside] = 0
    return left


def crossing_p(level: float, d: int, n: int) -> float:
    """Siegmund's nu, over the logarithm of the odds of the branches."""
    from scipy.stats import norm

    if n < 3 or level <= d + 2:
        return 1.0
    density = (level / 2) ** (d / 2) * exp(-level / 2) / gamma(d / 2)
    width = log(2 * n - 1) / 64
    odds = np.exp((np.arange(64) + 0.5) * width)
    half = np.sqrt(level * (1 + odds) ** 2 / (odds * n)) / 2
    nu = (norm.cdf(half) - 0.5) / half / (half * norm.cdf(half) + norm.pdf(half))
    return float(density * 2 * width * nu.sum())


def best_division_p(level: float, d: int, k: int) -> float:
    """Of the best way to divide k categories in two."""
    from scipy.stats import chi2, norm

    z = (np.arange(64) + 0.5) * 10 / 64 - 5
    part = 2 / pi + 1 / k + z * sqrt(0.114 / k)
    reached = np.where(part > 0, chi2.sf(level / np.clip(part, 1e-9, 1), d), 0)
    return float(np.average(reached, weights=norm.pdf(z)))


def fisher(table: NDArray[np.int64], j: int) -> float:
    """Class j against the others."""
    from scipy.stats import fisher_exact

    others = table.sum(axis=1) - table[:, j]
    return float(fisher_exact(np.stack([table[:, j], others])).pvalue)


def degrees(table: NDArray[np.int64]) -> int:
    return (table.shape[0] - 1) * (table.shape[1] - 1)


def pearson(table: NDArray[np.int64]) -> float:
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return float(((table - expected) ** 2 / expected).sum())


def random_tables_p(table: NDArray[np.int64]) -> float:
    seen = pearson(table) * (1 - 1e-12)
    classes = np.repeat(np.arange(table.shape[1]), table.sum(axis=0)).tolist()
    branch = np.repeat(np.arange(table.shape[0]), table.sum(axis=1))
    exceeding = 0
    for draw in range(1, DRAWS + 1):
        key = mix(SEED, draw)
        for at in range(len(classes)):
            other = at + (mix(key, at) * (len(classes) - at) >> 64)
            classes[at], classes[other] = classes[other], classes[at]
        drawn = np.zeros_like(table)
        np.add.at(drawn, (branch, classes), 1)
        exceeding += pearson(drawn) >= seen
        if exceeding == ENOUGH:
            return ENOUGH / draw
    return (exceeding + 1) / (DRAWS + 1)


def mix(a: int, b: int) -> int:
    whole = 2**64 - 1
    x = (a + 0x9E3779B97F4A7C15 * (b + 1)) & whole
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & whole
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & whole
    return x ^ (x >> 31)
