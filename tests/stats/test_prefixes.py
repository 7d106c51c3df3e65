"""Impurities of the first rows, against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plaintree.stats.losses import OF_CRITERION
from plaintree.stats.prefixes import prefix_impurities

ROWS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), min_size=1, max_size=12)


def least_loss(numbers: np.ndarray, weights: np.ndarray, criterion: str) -> float:
    """Of the mean, or of any of the numbers, one of which is a median."""
    if not weights.any():
        return 0.0
    mean = np.average(numbers, weights=weights)
    tried = numbers if criterion == "absolute_error" else [mean]
    return min(float(weights @ OF_CRITERION[criterion].of(np.float64(m), numbers)) for m in tried)


@pytest.mark.parametrize("criterion", OF_CRITERION)
@given(rows=ROWS, step=st.sampled_from([1.0, 0.1, 2.0**40]))
def test_the_least_loss_of_a_single_prediction(
    criterion: str, rows: list[tuple[int, int]], step: float
) -> None:
    numbers, weights = np.array(rows, dtype=float).T
    numbers = numbers * step
    found = prefix_impurities(numbers, weights, criterion)
    for n in range(1, len(rows) + 1):
        if criterion == "poisson" and weights[:n].any() and not weights[:n] @ numbers[:n]:
            assert found[n - 1] == np.inf
            continue
        expected = least_loss(numbers[:n], weights[:n], criterion)
        assert found[n - 1] == pytest.approx(expected, rel=1e-9, abs=1e-9 * step**2)
