"""Impurities of class weights: two forms of one measure, and no criterion that is not known."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from plaintree.errors import ParameterError
from plaintree.stats import exact
from plaintree.stats.impurity import (
    MEASURES,
    entropy,
    impurities,
    weighted_entropies,
    weighted_impurities,
)
from plaintree.stats.sums import ClassWeights
from plaintree.tree.conventions import CART, CHOICES, OF_TARGETS

WEIGHTS = np.random.default_rng(0).integers(0, 30, (40, 9)).astype(np.float64)


def test_every_criterion_of_the_conventions_has_a_measure() -> None:
    assert set(MEASURES) == set(CHOICES["criterion"]) - OF_TARGETS


@pytest.mark.parametrize("criterion", MEASURES)
def test_all_forms_agree_with_exact_fractions(criterion: str) -> None:
    slow = [float(exact.impurity(tuple(map(int, row)), criterion)) for row in WEIGHTS]
    total = WEIGHTS.sum(axis=1)
    np.testing.assert_allclose(impurities(WEIGHTS, criterion), slow, rtol=1e-12)
    np.testing.assert_allclose(weighted_impurities(WEIGHTS, criterion), slow * total, rtol=1e-12)
    turned = weighted_impurities(WEIGHTS.T.copy(), criterion, axis=0)
    np.testing.assert_allclose(turned, slow * total, rtol=1e-12)


@pytest.mark.parametrize("criterion", MEASURES)
def test_groups_without_weight_are_pure(criterion: str) -> None:
    nothing = np.zeros((2, 3))
    assert impurities(nothing, criterion).tolist() == [0.0, 0.0]
    assert weighted_impurities(nothing, criterion).tolist() == [0.0, 0.0]


def test_the_entropy_of_one_distribution() -> None:
    found = [entropy(row) for row in WEIGHTS]
    np.testing.assert_allclose(found, impurities(WEIGHTS, "gain_ratio"), rtol=1e-12)
    np.testing.assert_allclose(weighted_entropies(WEIGHTS), found * WEIGHTS.sum(axis=1), rtol=1e-12)
    assert entropy(np.zeros(3)) == 0.0


@pytest.mark.parametrize("unknown", ["entropy", "Gini", None, CART])
def test_an_unknown_criterion_is_an_error(unknown: Any) -> None:
    counts = (Fraction(1, 2), 3)
    for measured in (
        lambda: impurities(WEIGHTS, unknown),
        lambda: weighted_impurities(WEIGHTS, unknown),
        lambda: exact.impurity(counts, unknown),
        lambda: exact.Scale.of(ClassWeights(unknown), counts, 0),
    ):
        with pytest.raises(ParameterError, match="criterion has a value that is not allowed"):
            measured()
