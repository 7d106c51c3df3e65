"""Random tables of hundreds of rows: floats, rounded numbers, integers, categories, copies."""

from __future__ import annotations

from random import Random

import numpy as np

from tests.support.random_tables import Case
from tests.support.random_targets import TargetCase


def larger_case(
    random: Random,
    *,
    numeric: bool,
    columns: list[list[float]] | None = None,
    y: list[float] | None = None,
) -> Case:
    """A table whose target depends on its columns; or one of given columns and targets."""
    if columns is not None and y is not None:
        return TargetCase(columns, [0] * len(columns), y, 0, None)
    n_rows, draw = random.choice([300, 1000]), np.random.default_rng(random.getrandbits(32))
    values, sizes = [], []
    for _ in range(random.randint(1, 6)):
        kind = random.choice(["float", "rounded", "integer", "category", "copy"])
        if kind == "copy" and values:
            again = random.randrange(len(values))
            values.append(values[again].copy())
            sizes.append(sizes[again])
            continue
        sizes.append(random.choice([2, 5, 20]) if kind == "category" else 0)
        column = draw.normal(size=n_rows)
        if kind == "rounded":
            column = np.round(column, 1)
        if kind in ("integer", "category"):
            column = draw.integers(0, sizes[-1] or random.choice([3, 50, 1000]), n_rows) * 1.0
        if random.random() < 0.4:
            column[draw.random(n_rows) < 0.1] = -1 if sizes[-1] else np.nan
        values.append(column)
    signal = sum(np.nan_to_num(v) * random.uniform(-1, 1) for v in values)
    signal = signal + draw.normal(size=n_rows) * random.choice([0.1, 1, 10])
    weights = random.choice(
        [None, draw.integers(0, 4, n_rows) * 1.0, draw.uniform(0.05, 3, n_rows)]
    )
    if weights is not None:
        weights[0] = 1
    listed = [[int(v) for v in c] if n else c.tolist() for c, n in zip(values, sizes, strict=True)]
    given = None if weights is None else weights.tolist()
    if numeric:
        targets = np.abs(np.round(signal, random.choice([0, 2, 12])))
        targets[0] += 1
        return TargetCase(listed, sizes, targets.tolist(), 0, given)
    n_classes = random.choice([2, 2, 3, 7, 12])
    ends = np.quantile(signal, np.linspace(0, 1, n_classes + 1)[1:-1])
    return Case(listed, sizes, np.searchsorted(ends, signal).tolist(), n_classes, given)
