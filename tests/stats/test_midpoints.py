"""Midpoints between neighbouring values: the thresholds of the core, guards included."""

from math import inf, nextafter

import pytest

from plaintree.estimators.trees import CARTClassifier
from plaintree.stats.midpoints import midpoints

LARGEST, SMALLEST = 1.7976931348623157e308, 5e-324
PAIRS = [
    (1.0, 2.0),
    (0.1, 0.3),
    (-3.0, 7.5),
    (1.0, nextafter(1.0, 2.0)),
    (nextafter(1.0, 0.0), 1.0),
    (0.9 * LARGEST, LARGEST),
    (-LARGEST, LARGEST),
    (0.0, SMALLEST),
    (SMALLEST, 2 * SMALLEST),
    (-SMALLEST, 0.0),
]


@pytest.mark.parametrize(("low", "high"), PAIRS)
def test_the_threshold_of_the_core(low: float, high: float) -> None:
    tree = CARTClassifier().fit([[low], [high]], ["a", "b"]).tree_
    assert tree.threshold[0] == midpoints(low, high)


def test_every_midpoint_separates_the_values() -> None:
    low, high = zip(*PAIRS, strict=True)
    middle = midpoints(low, high)
    assert all(below <= m < above for below, m, above in zip(low, middle, high, strict=True))


@pytest.mark.parametrize(("low", "high"), [(-inf, 1.0), (-inf, inf), (1.0, inf)])
def test_beside_an_infinite_value_the_lower_one_is_taken(low: float, high: float) -> None:
    assert midpoints(low, high) == low
