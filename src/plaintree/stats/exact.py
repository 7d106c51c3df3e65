"""Sums kept exactly, and what is measured from them: impurities, gains and ratios.

Weights are integers, or fractions where rows are divided or weighted, so sums never round.
Gini and error are fractions themselves. Entropies are irrational: their logarithms are taken as
floats at the very end, from exact proportions. What a group of rows is summed up to, and how
impure it is, is in sums.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import fsum, inf, isnan, lcm, log2, nan
from typing import TYPE_CHECKING, NamedTuple

from .impurity import measure_of

if TYPE_CHECKING:
    from .sums import Sums

Weight = int | Fraction
Value = int | Fraction | float
Counts = tuple[Weight, ...]
"""What a group of rows is summed up to: the weight of every class, in the schema's order, or sums
of a numeric target (see sums.py)."""

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
    match measure_of(criterion):
        case "entropy":
            return entropy(counts)
        case "gini":
            return gini(counts)
        case "error":
            return error_rate(counts)


def added(rows: Sequence[Counts]) -> Counts:
    """The sums of several groups together."""
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
    - ``split_info``: of the branches' sizes, and of missing values where they count as a branch
      (0 unless the criterion needs it).
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
    depends on the unit. ``share`` is the known part of both as a float, ``part`` exactly.
    Differences between scores are compared with the ``yardstick``: 1, or for a numeric target the
    impurity of the known rows, so neither its offset nor its scale decides what is a tie.
    """

    sums: Sums
    criterion: str
    before: Value
    known: Weight
    missing: Weight
    share: float
    part: Weight
    yardstick: float
    unit: int = 1

    @property
    def everyone(self) -> Weight:
        """The weight of all rows of the node."""
        return self.known + self.missing

    @classmethod
    def of(cls, sums: Sums, known: Counts, missing: Weight, unit: int = 1) -> Scale:
        """For known rows of these sums, and a weight of rows left out."""
        weight, before = sums.weight(known), sums.impurity(known)
        share = float(weight / unit) / float((weight + missing) / unit)
        part: Weight = Fraction(weight) / (weight + missing) if missing else 1
        yardstick = yardstick_of(sums, before)
        return cls(sums, sums.criterion, before, weight, missing, share, part, yardstick, unit)


def yardstick_of(sums: Sums, impurity: Value) -> float:
    """What differences between the scores of a node of some impurity are compared with."""
    return (float(impurity) or 1.0) if sums.is_relative else 1.0


def quick_gain(branches: Sequence[Counts], scale: Scale) -> float:
    """The gain of a split as a float, to find the few that are worth being measured exactly."""
    left = scale.sums.quick_left(branches, scale.known, scale.unit)
    return scale.share * (float(scale.before) - left)


def quick_score(gain: float, branches: Sequence[Counts], scale: Scale) -> float:
    """The score that goes with a quick gain; minus infinity where there is none."""
    score = gain
    if scale.criterion == "gain_ratio":
        split_info = split_information(branches, scale)
        score = gain / split_info if split_info > 0 else -inf
    elif scale.criterion == "gain_ratio_conditional":
        ratio = _conditional_ratio(gain, scale.share * float(scale.before) - gain)
        score = -inf if isnan(ratio) else ratio
    return score


def measure(branches: Sequence[Counts], scale: Scale, penalty: float = 0.0) -> Measures:
    """The gain and score of a split that makes these branches."""
    criterion, share = scale.criterion, scale.part
    after = scale.sums.left(branches, scale.known, scale.unit)
    gain = scale.before - after
    if scale.missing:
        gain = times(share, gain)
    if penalty:
        gain = gain - penalty
    score, split_info = gain, 0.0
    if criterion == "gain_ratio":
        split_info = split_information(branches, scale)
        score = float(gain) / split_info if split_info > 0 else nan
    elif criterion == "gain_ratio_conditional":
        score = _conditional_ratio(gain, times(share, after))
    return Measures(share, scale.before, after, penalty, gain, split_info, score)


def outcomes(branches: Sequence[Counts], scale: Scale) -> Counts:
    """The weights of the branches, and of missing values, if any, which count as one."""
    weights = tuple(map(scale.sums.weight, branches))
    return (*weights, scale.missing) if scale.missing else weights


def split_information(branches: Sequence[Counts], scale: Scale) -> float:
    """The entropy of the outcomes' weights, times the fraction of all weight that they have.

    That is less than 1 where C4.5 sets categories aside: their branch does not count as an outcome.
    """
    sizes = outcomes(branches, scale)
    counted, everyone = sum(sizes), scale.everyone
    found = entropy(sizes)
    return found if counted == everyone else float(Fraction(counted) / everyone) * found


def _conditional_ratio(gain: Value, remaining: Value) -> float:
    if remaining > SAME:
        return float(gain) / float(remaining)
    return inf if gain > 0 else nan


def times(weight: Weight, value: Value) -> Value:
    """A product of a weight and a measure: exact unless the measure is a float."""
    return float(weight) * value if isinstance(value, float) else weight * value
