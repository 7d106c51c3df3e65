"""The sums of numeric targets: squared error, absolute error, Poisson deviance.

Targets are integers in parts of a unit, so sums, means and medians are exact. Only logarithms are
rounded. Where many groups are computed side by side in floats, targets are taken from near their
mean or median first.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import fsum, lcm, log1p

import numpy as np
from numpy.typing import NDArray

from .exact import Counts, Value, Weight, total
from .sums import SMALL, Floats, Integers, Sums, as_written, by_code, floats, one_hot, reduced

READABLE = 15
"""Targets of more significant digits are the binary fractions that they are."""


@dataclass(frozen=True)
class NumberSums(Sums):
    """Sums of a numeric target: its distinct values, ascending, in parts of a unit."""

    targets: tuple[int, ...]
    unit: int

    def number(self, code: int) -> Weight:
        """A target as it was given."""
        return reduced(Fraction(self.targets[code], self.unit))

    @cached_property
    def integers(self) -> Integers:
        """The targets as an array."""
        most = max(map(abs, self.targets))
        return np.array(self.targets, dtype=np.int64 if most < SMALL else object)

    def rank(self, counts: Counts) -> Value:
        return self.prediction(counts)

    @abstractmethod
    def deviation(self, counts: Counts) -> Value:
        """Weight times impurity of a group, in parts of the unit of its weights."""


@dataclass(frozen=True)
class Moments(NumberSums):
    """Squared error: the weight, sum and sum of squares of the targets; the impurity is their
    variance."""

    def of(self, rows: Iterable[tuple[int, Weight]]) -> Counts:
        entries = [(weight, self.targets[code]) for code, weight in rows]
        sums = [weight * y for weight, y in entries]
        squares = [weight * y * y for weight, y in entries]
        return total([weight for weight, _ in entries]), total(sums), total(squares)

    def weight(self, counts: Counts) -> Weight:
        return counts[0]

    def deviation(self, counts: Counts) -> Value:
        """The sum of squared deviations from the mean."""
        weight, sums, squares = counts
        if not weight:
            return 0
        return reduced((squares - Fraction(sums * sums) / weight) / self.unit**2)

    def impurity(self, counts: Counts) -> Value:
        return reduced(Fraction(self.deviation(counts)) / counts[0]) if counts[0] else 0

    def prediction(self, counts: Counts) -> Value:
        """The mean."""
        return reduced(Fraction(counts[1]) / (counts[0] * self.unit))

    def is_pure(self, counts: Counts) -> bool:
        return self.deviation(counts) == 0

    def in_units(self, counts: Counts, unit: int) -> tuple[Weight, Weight, Weight]:
        """Weight, sum and sum of squares as they are, of weights in parts of a unit."""
        divisors = (unit, unit * self.unit, unit * self.unit**2)
        weight, sums, squares = (Fraction(c) / d for c, d in zip(counts, divisors, strict=True))
        return reduced(weight), reduced(sums), reduced(squares)

    def cells(self, codes: NDArray[np.intp], amounts: Integers) -> Integers:
        """Each row's part of the sums; numbers of any length where 64 bits might not hold them."""
        targets = self.integers[codes]
        most = max(map(abs, self.targets)) ** 2 * int(amounts.sum())
        if most >= SMALL:
            targets, amounts = targets.astype(object), amounts.astype(object)
        return np.stack([amounts, amounts * targets, amounts * targets * targets])

    def weights(self, cells: Integers) -> Integers:
        return np.asarray(cells[0])

    def shares_left(self, cells: Integers, whole: Integers) -> Floats:
        """Targets are taken from near their mean, so large ones leave nothing to rounding."""
        centre = whole[1] // whole[0]
        weight, sums, squares = cells
        about = squares - 2 * centre * sums + centre * centre * weight
        size, part = whole[0], float(Fraction(1, self.unit))
        share = floats(weight / size)
        excess = floats((sums - centre * weight) / size) * part
        of_mean = np.divide(excess * excess, share, out=np.zeros_like(share), where=share > 0)
        return np.asarray((floats(about / size) * part * part - of_mean).clip(min=0.0))


@dataclass(frozen=True)
class TargetWeights(NumberSums):
    """The weight of each target."""

    def of(self, rows: Iterable[tuple[int, Weight]]) -> Counts:
        return by_code(rows, len(self.targets))

    def weight(self, counts: Counts) -> Weight:
        return total(counts)

    def is_pure(self, counts: Counts) -> bool:
        return sum(count > 0 for count in counts) < 2

    def cells(self, codes: NDArray[np.intp], amounts: Integers) -> Integers:
        return one_hot(codes, amounts, len(self.targets))

    def weights(self, cells: Integers) -> Integers:
        return np.asarray(cells.sum(axis=0))

    def present(self, counts: Counts, unit: int = 1) -> list[tuple[Weight, Weight]]:
        """The targets of a group, ascending, each with its weight."""
        return [
            (self.number(code), reduced(Fraction(weight) / unit))
            for code, weight in enumerate(counts)
            if weight
        ]


@dataclass(frozen=True)
class AbsoluteDeviations(TargetWeights):
    """Absolute error: the impurity is the mean absolute deviation from the median."""

    tries_every = False

    def medians(self, counts: Counts, slack: float = 0) -> tuple[int, int]:
        """The codes of the lower and the upper median; they differ where half of the weight ends
        between two targets, exactly or up to a fraction of it."""
        weight, lower = self.weight(counts), -1
        below: Weight = 0
        near = slack * weight if slack else 0
        for code, own in enumerate(counts):
            below += own
            if lower < 0 and own and 2 * below >= weight - near:
                lower = code
            if own and 2 * below > weight + near:
                break
        return lower, code

    def deviation(self, counts: Counts) -> Value:
        """The sum of absolute deviations, the same from each median."""
        median = self.targets[self.medians(counts)[0]]
        apart = [w * abs(y - median) for w, y in zip(counts, self.targets, strict=True) if w]
        return reduced(Fraction(total(apart)) / self.unit)

    def impurity(self, counts: Counts) -> Value:
        weight = self.weight(counts)
        return reduced(Fraction(self.deviation(counts)) / weight) if weight else 0

    def prediction(self, counts: Counts) -> Value:
        """The median: the mean of the two middle targets if there are two."""
        lower, upper = (self.targets[code] for code in self.medians(counts))
        return reduced(Fraction(lower + upper, 2 * self.unit))

    def shares_left(self, cells: Integers, whole: Integers) -> Floats:
        shares = floats(cells / self.weights(whole))
        below = shares.cumsum(axis=0)
        median = self.integers[(2 * below >= below[-1]).argmax(axis=0)]
        apart = floats(np.abs(self.integers[:, None] - median)) * float(Fraction(1, self.unit))
        return np.asarray((shares * apart).sum(axis=0))


@dataclass(frozen=True)
class Deviances(TargetWeights):
    """Poisson deviance: the impurity is half its mean, the mean of y ln(y / mean).

    A prediction of 0 has an infinite deviance from every other target, so no branch may have it.
    """

    def allows(self, counts: Counts) -> bool:
        """Not only zeros, but no rows at all."""
        return not any(counts) or self.sum(counts) > 0

    def all_allow(self, cells: Integers) -> NDArray[np.bool_]:
        positive = (cells[self.integers > 0] > 0).any(axis=0)
        return np.asarray(positive | ~(cells > 0).any(axis=0), dtype=np.bool_)

    def sum(self, counts: Counts) -> Weight:
        """The sum of the targets, in parts of the unit of their weights."""
        parts = [w * y for w, y in zip(counts, self.targets, strict=True) if w]
        return reduced(Fraction(total(parts)) / self.unit)

    def prediction(self, counts: Counts) -> Value:
        """The mean."""
        return reduced(Fraction(self.sum(counts)) / self.weight(counts))

    def impurity(self, counts: Counts) -> Value:
        """The terms are those of single targets less their difference from the mean, which adds up
        to nothing: none is below zero, so small deviances of large targets do not cancel."""
        if self.is_pure(counts):
            return 0.0
        mean, weight = Fraction(self.prediction(counts)), self.weight(counts)
        return fsum(
            float(Fraction(own) / weight * mean) * half_deviance(float(number / mean - 1))
            for number, own in self.present(counts)
        )

    def deviation(self, counts: Counts) -> Value:
        return float(self.weight(counts)) * self.impurity(counts)

    def shares_left(self, cells: Integers, whole: Integers) -> Floats:
        shares = floats(cells / self.weights(whole))
        targets = floats(self.integers)[:, None] * float(Fraction(1, self.unit))
        share = shares.sum(axis=0)
        mean = np.divide((shares * targets).sum(axis=0), share, out=share * 0, where=share > 0)
        above = np.divide(targets - mean, mean, out=targets + 0 * mean, where=mean > 0)
        return np.asarray((shares * mean * _half_deviances(above)).sum(axis=0))


# -------------------------------------------------------------------- making them

_OF_NUMBERS: dict[str, type[NumberSums]] = {
    "squared_error": Moments,
    "absolute_error": AbsoluteDeviations,
    "poisson": Deviances,
}


def sums_of_numbers(criterion: str, targets: Sequence[float]) -> tuple[NumberSums, list[int]]:
    """The sums of a numeric target, and the code of each row.

    A number is taken as it is written, unless it has so many digits that it cannot be read.

    >>> sums, codes = sums_of_numbers("squared_error", [0.5, 2.0, 0.5])
    >>> sums.targets, sums.unit, codes
    ((1, 4), 2, [0, 1, 0])
    """
    distinct = sorted(set(targets))
    exactly = [as_written(n) if float(f"{n:.{READABLE}g}") == n else Fraction(n) for n in distinct]
    unit = lcm(*[number.denominator for number in exactly])
    code = {number: position for position, number in enumerate(distinct)}
    integers = tuple([int(number * unit) for number in exactly])
    return _OF_NUMBERS[criterion](criterion, integers, unit), [code[y] for y in targets]


def half_deviance(x: float) -> float:
    """(1 + x) ln(1 + x) - x: half the Poisson deviance of a target that exceeds its expectation by
    this fraction of it, over the expectation. A series near zero, where both terms are equal.

    >>> half_deviance(0.0), half_deviance(-1.0), round(half_deviance(1.0), 4)
    (0.0, 1.0, 0.3863)
    """
    if x <= -1:
        return 1.0
    if abs(x) > 1e-3:
        return (1 + x) * log1p(x) - x
    return x * x * (1 / 2 - x * (1 / 6 - x * (1 / 12 - x * (1 / 20 - x / 30))))


def _half_deviances(x: Floats) -> Floats:
    inside = np.maximum(x, -1 + 1e-9)
    series = x * x * (1 / 2 - x * (1 / 6 - x * (1 / 12 - x * (1 / 20 - x / 30))))
    plain = np.where(x <= -1, 1.0, (1 + inside) * np.log1p(inside) - inside)
    return np.where(np.abs(x) > 1e-3, plain, series)
