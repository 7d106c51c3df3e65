"""Class weights kept exactly, and what is measured from them: impurities, gains and ratios.

Weights are integers, or fractions where rows are divided or weighted, so sums never round.
Gini and error are fractions themselves. Entropies are irrational: their logarithms are taken as
floats at the very end, from exact proportions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import fsum, inf, isnan, lcm, log2, nan
from typing import NamedTuple

from .impurity import Measure, measure_of

Weight = int | Fraction
Value = int | Fraction | float
Counts = tuple[Weight, ...]
"""The weight of every class, in the schema's order."""

SAME = 1e-12
"""Scores nearer than this are equal but for the rounding of logarithms."""


@lru_cache(maxsize=1 << 16)
def entropy(counts: Counts) -> float:
    """The entropy of some weights in bits; nothing weighs nothing.

    >>> round(entropy((9, 5)), 4)
    0.9403
    """
    present = [count for count in counts if count > 0]
    if len(present) < 2:
        return 0.0
    total = sum(present)
    shares = [float(count / total) for count in present]
    return fsum(-share * log2(share) for share in shares)


def gini(counts: Sequence[Weight]) -> Fraction:
    """One minus the sum of the squared proportions.

    >>> gini((1, 5))
    Fraction(5, 18)
    """
    total = sum(counts)
    if total <= 0:
        return Fraction(0)
    return Fraction(total * total - sum(count * count for count in counts), total * total)


def error_rate(counts: Sequence[Weight]) -> Fraction:
    """The proportion that is not of the majority class.

    >>> error_rate((1, 5))
    Fraction(1, 6)
    """
    total = sum(counts)
    return 1 - Fraction(max(counts)) / total if total > 0 else Fraction(0)


def impurity(counts: Counts, criterion: str) -> Value:
    """How mixed some class weights are, by the measure a criterion goes by."""
    return _impurity(counts, measure_of(criterion))


def _impurity(counts: Counts, measure: Measure) -> Value:
    match measure:
        case "entropy":
            return entropy(counts)
        case "gini":
            return gini(counts)
        case "error":
            return error_rate(counts)


def added(rows: Sequence[Counts]) -> Counts:
    """The sum of several class weights."""
    return tuple(map(sum, zip(*rows, strict=True)))


def total(weights: Iterable[Weight]) -> Weight:
    """The sum of some weights. Fractions are added over one denominator and reduced once.

    >>> total([1, Fraction(1, 3), Fraction(1, 6)])
    Fraction(3, 2)
    """
    weights = list(weights)
    if set(map(type, weights)) <= {int}:
        return sum(weights)
    whole = 0
    parts: dict[int, int] = {}
    for weight in weights:
        if type(weight) is int:
            whole += weight
        else:
            parts[weight.denominator] = parts.get(weight.denominator, 0) + weight.numerator
    unit = lcm(*parts)
    return Fraction(
        whole * unit + sum([amount * (unit // part) for part, amount in parts.items()]), unit
    )


def times_units(weight: Weight | float, unit: int) -> Weight | float:
    """A limit of weights for amounts that are counted in parts of a unit."""
    return weight if unit == 1 or weight in (0, inf) else Fraction(weight) * unit


class Measures(NamedTuple):
    """Impurities, gain and score of a split.

    - ``share``: the part of the node's weight whose value is known (all, unless rows with missing
      values are divided over the branches).
    - ``before``, ``after``: the impurity of these rows, and what the branches leave of it.
    - ``penalty``: taken off the gain for the number of cuts it was chosen from.
    - ``gain``: share x (before - after) - penalty.
    - ``split_info``: the entropy of the branches' sizes, and of missing values where they count
      as a branch (0 unless the criterion needs it).
    - ``score``: by the criterion; NaN where it has none.
    """

    share: Weight
    before: Value
    after: Value
    penalty: float
    gain: Value
    split_info: float
    score: Value

    @property
    def remaining(self) -> Value:
        """The impurity left, missing values aside: what gain_ratio_conditional divides by."""
        return times(self.share, self.after)


@dataclass(frozen=True, slots=True)
class Scale:
    """What all splits on a column at a node are measured against.

    ``known`` and ``missing`` are weights, and like those of the branches measured against them they
    are counted in parts: so many make a ``unit``. Integers are quickly added; no measure
    depends on the unit. ``size`` and ``share`` are the known weight as a float, and its part of
    both; ``part`` is the same part exactly.
    """

    criterion: str
    measure: Measure
    before: Value
    known: Weight
    missing: Weight
    size: float
    share: float
    part: Weight
    unit: int = 1

    @classmethod
    def of(cls, criterion: str, known: Counts, missing: Weight, unit: int = 1) -> Scale:
        """For known rows of these class weights, and a weight of rows left out."""
        weight = sum(known)
        size = float(weight / unit)
        share = size / float((weight + missing) / unit)
        measure = measure_of(criterion)
        before = _impurity(known, measure)
        part: Weight = Fraction(weight) / (weight + missing) if missing else 1
        return cls(criterion, measure, before, weight, missing, size, share, part, unit)


def quick_gain(branches: Sequence[Counts], scale: Scale) -> float:
    """The gain of a split as a float, to find the few that are worth being measured exactly."""
    left = 0.0
    match scale.measure:
        case "entropy":
            left = sum([float(sum(branch) / scale.unit) * entropy(branch) for branch in branches])
        case "gini":
            for branch in branches:
                weight = sum(branch)
                if weight:
                    mixed = weight * weight - sum([count * count for count in branch])
                    left += float(mixed / (weight * scale.unit))
        case "error":
            left = float(sum([sum(branch) - max(branch) for branch in branches]) / scale.unit)
    return scale.share * (float(scale.before) - left / scale.size)


def quick_score(gain: float, branches: Sequence[Counts], scale: Scale) -> float:
    """The score that goes with a quick gain; minus infinity where there is none."""
    score = gain
    if scale.criterion == "gain_ratio":
        split_info = entropy(outcomes(branches, scale.missing))
        score = gain / split_info if split_info > 0 else -inf
    elif scale.criterion == "gain_ratio_conditional":
        ratio = _conditional_ratio(gain, scale.share * float(scale.before) - gain)
        score = -inf if isnan(ratio) else ratio
    return score


def measure(branches: Sequence[Counts], scale: Scale, penalty: float = 0.0) -> Measures:
    """The gain and score of a split that makes these branches."""
    criterion, share = scale.criterion, scale.part
    after = _mean_impurity(branches, scale)
    gain = scale.before - after
    if scale.missing or penalty:
        gain = times(share, gain) - penalty
    score, split_info = gain, 0.0
    if criterion == "gain_ratio":
        split_info = entropy(outcomes(branches, scale.missing))
        score = float(gain) / split_info if split_info > 0 else nan
    elif criterion == "gain_ratio_conditional":
        score = _conditional_ratio(gain, times(share, after))
    return Measures(share, scale.before, after, penalty, gain, split_info, score)


def outcomes(branches: Sequence[Counts], missing: Weight) -> Counts:
    """The weights of the branches, and of missing values, if any, which count as one."""
    weights = [sum(branch) for branch in branches]
    return (*weights, missing) if missing else tuple(weights)


def _mean_impurity(branches: Sequence[Counts], scale: Scale) -> Value:
    """The branches' impurities, weighted by their proportions of the known rows.

    The sums of fractions are kept over one denominator and reduced once.
    """
    match scale.measure:
        case "entropy":
            unit = scale.unit
            left = [float(sum(branch) / unit) * entropy(branch) for branch in branches]
            return fsum(left) / scale.size
        case "gini":
            top: Weight = 0
            bottom: Weight = 1
            for branch in branches:
                weight = sum(branch)
                if weight:
                    mixed = weight * weight - sum([count * count for count in branch])
                    top, bottom = top * weight + mixed * bottom, bottom * weight
            return Fraction(top, bottom * scale.known)
        case "error":
            return Fraction(sum(sum(branch) - max(branch) for branch in branches), scale.known)


def _conditional_ratio(gain: Value, remaining: Value) -> float:
    if remaining > SAME:
        return float(gain) / float(remaining)
    return inf if gain > 0 else nan


def times(weight: Weight, value: Value) -> Value:
    """A product of a weight and a measure: exact unless the measure is a float."""
    return float(weight) * value if isinstance(value, float) else weight * value
