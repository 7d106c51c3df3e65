"""What the rows of a group are summed up to, and what follows from these sums by each criterion.

Groups of rows are summed up to tuples of exact numbers, which are added where groups are joined:

- classes: the weight of each class
- squared error: weight, sum of targets, sum of squared targets
- absolute error and Poisson deviance: the weight of each target, as medians and logarithms need it

Everything has two forms: exact, of one group, and in floats, of many groups side by side. Targets
are integers in parts of a unit, and only logarithms are rounded.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import fsum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import exact
from .exact import Counts, Value, Weight, total
from .impurity import Measure, measure_of, weighted_impurities

Floats = NDArray[np.float64]
Integers = NDArray[Any]
"""Integers: of 64 bits if their sum is small enough, otherwise of any length."""

SMALL = 1 << 53


@dataclass(frozen=True)
class Sums(ABC):
    """The sums of a criterion. Rows have codes: their class, or the position of their target.

    - ``is_relative``: whether scores are compared in proportion to the impurity of their node, as
      targets have a scale
    - ``has_order``: whether categories have an order whose cuts are tried as subsets
    - ``tries_every``: whether every subset of few categories is tried where that is not enough
    """

    criterion: str

    is_relative = True
    has_order = True
    tries_every = True

    # ---------------------------------------------------------------- of one group, exactly

    @abstractmethod
    def of(self, rows: Iterable[tuple[int, Weight]]) -> Counts:
        """The sums of rows, given by code and weight."""

    @abstractmethod
    def weight(self, counts: Counts) -> Weight:
        """The weight of a group."""

    @abstractmethod
    def impurity(self, counts: Counts) -> Value:
        """How mixed a group is."""

    @abstractmethod
    def prediction(self, counts: Counts) -> Value:
        """What is predicted for a group: the code of a class, or a number."""

    @abstractmethod
    def is_pure(self, counts: Counts) -> bool:
        """Whether all rows of a group have the same target."""

    @abstractmethod
    def rank(self, counts: Counts) -> Value:
        """The place of a category in the order whose cuts are tried."""

    def allows(self, counts: Counts) -> bool:  # noqa: ARG002
        """Whether a branch may be such a group."""
        return True

    def left(self, branches: Sequence[Counts], known: Weight, unit: int = 1) -> Value:  # noqa: ARG002
        """The mean impurity of branches, weighted by their fractions of the known weight.

        Weights are in parts of which so many make a ``unit``.
        """
        parts = [(Fraction(self.weight(b)) / known, self.impurity(b)) for b in branches if any(b)]
        return sum(exact.times(share, value) for share, value in parts)

    def quick_left(self, branches: Sequence[Counts], known: Weight, unit: int = 1) -> float:
        """The same as a float, to find the few splits that are worth being measured exactly."""
        return float(self.left(branches, known, unit))

    # ---------------------------------------------------------------- of many groups, in floats

    @abstractmethod
    def cells(self, codes: NDArray[np.intp], amounts: Integers) -> Integers:
        """The sums of single rows (sums x rows), given by code and weight."""

    @abstractmethod
    def weights(self, cells: Integers) -> Integers:
        """The weights of groups; the sums lie along the first axis."""

    def all_allow(self, cells: Integers) -> NDArray[np.bool_]:
        """Whether a branch may be each of the groups."""
        return np.ones(cells.shape[1:], dtype=np.bool_)

    @abstractmethod
    def shares_left(self, cells: Integers, whole: Integers) -> Floats:
        """The fraction of the weight that groups have of ``whole`` ones, times their impurity."""


@dataclass(frozen=True)
class ClassWeights(Sums):
    """The weight of each class."""

    n_classes: int = 2

    is_relative = False

    @cached_property
    def measure(self) -> Measure:
        """The measure of impurity of the criterion."""
        return measure_of(self.criterion)

    @property
    def has_order(self) -> bool:  # type: ignore[override]  # Breiman's theorem
        """With two classes and a gain, the best subset is cut off the order by their proportion."""
        return self.n_classes == 2 and not self.criterion.startswith("gain_ratio")

    def of(self, rows: Iterable[tuple[int, Weight]]) -> Counts:
        return by_code(rows, self.n_classes)

    def weight(self, counts: Counts) -> Weight:
        return sum(counts)

    def impurity(self, counts: Counts) -> Value:
        return exact.impurity(counts, self.criterion)

    def prediction(self, counts: Counts) -> Value:
        """The class of the greatest weight, the first of equals."""
        return max(range(len(counts)), key=lambda code: (counts[code], -code))

    def is_pure(self, counts: Counts) -> bool:
        return sum(count > 0 for count in counts) < 2

    def rank(self, counts: Counts) -> Value:
        return self.share(counts, 1)

    def share(self, counts: Counts, of_class: int) -> float:
        """The proportion of a class."""
        return float(counts[of_class] / sum(counts))

    def left(self, branches: Sequence[Counts], known: Weight, unit: int = 1) -> Value:
        """The sums of fractions are kept over one denominator and reduced once."""
        match self.measure:
            case "entropy":
                left = [float(sum(b) / unit) * exact.entropy(b) for b in branches]
                return fsum(left) / float(known / unit)
            case "gini":
                top: Weight = 0
                bottom: Weight = 1
                for branch in branches:
                    weight = sum(branch)
                    if weight:
                        mixed = weight * weight - sum([count * count for count in branch])
                        top, bottom = top * weight + mixed * bottom, bottom * weight
                return Fraction(top, bottom * known)
            case "error":
                return Fraction(sum(sum(branch) - max(branch) for branch in branches), known)

    def quick_left(self, branches: Sequence[Counts], known: Weight, unit: int = 1) -> float:
        left = 0.0
        match self.measure:
            case "entropy":
                left = sum([float(sum(b) / unit) * exact.entropy(b) for b in branches])
            case "gini":
                for branch in branches:
                    weight = sum(branch)
                    if weight:
                        mixed = weight * weight - sum([count * count for count in branch])
                        left += float(mixed / (weight * unit))
            case "error":
                left = float(sum([sum(branch) - max(branch) for branch in branches]) / unit)
        return left / float(known / unit)

    def cells(self, codes: NDArray[np.intp], amounts: Integers) -> Integers:
        return one_hot(codes, amounts, self.n_classes)

    def weights(self, cells: Integers) -> Integers:
        return np.asarray(cells.sum(axis=0))

    def shares_left(self, cells: Integers, whole: Integers) -> Floats:
        shares = floats(cells / self.weights(whole))
        return weighted_impurities(shares, self.criterion, axis=0)


def as_written(number: float) -> Weight:
    """A float as it is written: 0.1 is a tenth."""
    return int(number) if float(number).is_integer() else Fraction(repr(float(number)))


def by_code(rows: Iterable[tuple[int, Weight]], n_codes: int) -> Counts:
    """The weight of each code."""
    weights: list[list[Weight]] = [[] for _ in range(n_codes)]
    for code, weight in rows:
        weights[code].append(weight)
    return tuple(map(total, weights))


def one_hot(codes: NDArray[np.intp], amounts: Integers, n_codes: int) -> Integers:
    """The weight of each code in every row (codes x rows)."""
    return np.where(codes == np.arange(n_codes)[:, None], amounts, 0)


def reduced(number: Weight) -> Weight:
    """An integer where a fraction is one."""
    return number.numerator if number.denominator == 1 else number


def floats(values: Any) -> Floats:
    """Numbers of any length as an array."""
    return np.asarray(values, dtype=np.float64)
