"""Small random tables with a numeric target."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.oracle.naive import make_table
from tests.oracle.naive_table import Table
from tests.support.random_tables import FINE_PRINT, Case, from_a_seed, random_case

OFFSETS = {
    "squared_error": [0, 0, -3, 2.0**40],
    "absolute_error": [0, 0, -3, 2.0**40],
    "poisson": [0, 0, 1, 2.0**20],
}
STEPS = [1, 1, 0.25, 2.0**-20]


@dataclass(frozen=True)
class TargetCase(Case):
    """A small table whose ``y`` has numbers."""

    @property
    def naive(self) -> Table:
        return make_table(self.columns, self.n_categories, self.y, 1, self.weights)

    @property
    def dtype(self) -> type:
        return np.float64

    def moved(self, by: float) -> TargetCase:
        """The same rows with a number added to every target."""
        return replace(self, y=[y + by for y in self.y])

    def stretched(self, *, one_more_class: bool = False) -> TargetCase:
        """The same rows in columns that the engine stores otherwise, with 260 rows of one target.

        See Case.stretched.
        """
        case = super().stretched(one_more_class=one_more_class)
        y = self.y + [max(self.y) + 1] * (len(case.y) - len(self.y))
        return TargetCase(case.columns, case.n_categories, y, 0, case.weights)

    @property
    def repeated(self) -> TargetCase:
        """Every row as often as its weight, which is a whole number, says."""
        rows = [i for i, w in enumerate(self.weights or ()) for _ in range(int(w))]
        return replace(self.reordered(rows), weights=None)


def target_cases(criterion: str, *subject: str, gaps: bool = True) -> st.SearchStrategy[TargetCase]:
    def drawn(random: Random) -> TargetCase:
        case = random_case(random, gaps=gaps)
        offset, step = random.choice(OFFSETS[criterion]), random.choice(STEPS)
        many = random.choice([2, 6, 100])
        y = [offset + step * random.randrange(many) for _ in case.y]
        if not any(y):  # which a Poisson deviance does not allow
            y[0] = step
        return TargetCase(case.columns, case.n_categories, y, 0, case.weights)

    return from_a_seed(drawn, criterion, *subject)


FOR_TARGETS = FINE_PRINT | {
    "significance": [None],
    "threshold_choice": ["criterion"],
    "threshold_penalty": [False],
    "average_gain": [False],
    "numeric_branch_fraction": [0.0],
    "tie_tolerance": [1e-12, 1e-12, 0.05],
}


def target_fine_print(*subject: str) -> st.SearchStrategy[dict[str, Any]]:
    def drawn(random: Random) -> dict[str, Any]:
        chosen = {k: random.choice(v) for k, v in FOR_TARGETS.items()}
        if chosen["min_samples_branch"] is not None:  # which is not about every branch
            chosen |= {"min_samples_leaf": 1, "min_weight_fraction_leaf": 0.0}
        return chosen

    return from_a_seed(drawn, *subject)
