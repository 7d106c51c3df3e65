"""The distance from a row's value of one feature to a condition, and the nearest value there.

Distances are fractions, so those of several features can be added up:

- numbers: the difference divided by a scale: the one given, or the range of the tree's thresholds
  and the row's own value;
- ordered categories and intervals: the number of steps divided by the maximum;
- other categories, and values filled in for missing ones: 1.

New values are ones that the column could hold: integers if training had integers, days if it had
dates.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import floor, inf, isfinite, log10, nextafter

from plaintree.data.schema import Feature
from plaintree.data.timestamps import DAY
from plaintree.data.words import format_number
from plaintree.rules.rule import Clause

_STEPS = {"integer": 1.0, "date": float(DAY), "datetime": 1.0, "time": 1.0, "duration": 1.0}
"""Encoded values of a unit are multiples of this; other numbers may have any value."""


@dataclass(frozen=True)
class FeatureDistance:
    """One feature of one row: its encoded value, its scale, and whether it is immutable."""

    feature: Feature
    own: float
    scale: float
    immutable: bool = False

    @classmethod
    def for_row(
        cls, feature: Feature, own: float, thresholds: Iterable[float], *, immutable: bool = False
    ) -> FeatureDistance:
        """The feature of a row; its scale is the range of the thresholds and the value itself."""
        if feature.categories:
            return cls(feature, own, len(feature.categories) - 1.0, immutable)
        known = [number for number in (*thresholds, own) if isfinite(number)]
        return cls(feature, own, max(known) - min(known) if known else 0.0, immutable)

    @property
    def is_missing(self) -> bool:
        """Whether the value is missing, or was not seen in training."""
        return self.feature.is_missing(self.own)

    def is_met(self, clause: Clause) -> bool:
        """Whether the row's own value satisfies the clause."""
        if clause.is_missing or self.is_missing:
            return clause.is_missing and self.is_missing and not clause.asks_for_value
        return self._holds(clause, self.own)

    def distance(self, clause: Clause) -> float | None:
        """The distance to the clause: 0 if it is met, None if no value can meet it."""
        if self.is_met(clause):
            return 0.0
        value = self.nearest(clause)
        if value is None:
            return None
        if self.is_missing or not isfinite(self.own) or self._is_unordered:
            return 1.0
        if clause.allowed is None and not self._step:
            # To the end of the interval, not to the readable number next to it.
            end = clause.low if self._is_below(clause) else clause.high
            value = value if end is None else end
        gone = abs(value - self.own)
        if not self.scale > 0:
            return float(gone > 0)
        return gone / self.scale if isfinite(gone / self.scale) else 1.0

    def nearest(self, clause: Clause) -> float | None:
        """The nearest value that the clause allows and the column can hold, or None."""
        if self.is_met(clause):
            return self.own
        if self.immutable or clause.is_missing:
            return None
        if self.feature.is_categorical:
            return self._nearest_category(clause)
        value = self._lowest(clause) if self._is_below(clause) else self._highest(clause)
        if value is None and self.is_missing:
            value = self._lowest(clause)
        return value if value is not None and self._holds(clause, value) else None

    # ---------------------------------------------------------------- values

    def _is_below(self, clause: Clause) -> bool:
        return clause.low is not None and self.own <= clause.low

    @property
    def _is_unordered(self) -> bool:
        return self.feature.is_categorical and not self.feature.cuts

    @property
    def _step(self) -> float:
        return 1.0 if self.feature.kind == "ordered" else _STEPS.get(self.feature.unit, 0.0)

    def _holds(self, clause: Clause, value: float) -> bool:
        if clause.allowed is not None:
            place = int(value) - clause.offset
            return place >= 0 and bool(clause.allowed >> place & 1)
        last = len(self.feature.categories) - 1
        if self.feature.kind == "ordered" and not 0 <= value <= last:
            return False
        return (clause.low is None or value > clause.low) and (
            clause.high is None or value <= clause.high
        )

    def _nearest_category(self, clause: Clause) -> float | None:
        codes = clause.codes
        if not codes:
            return None
        if self._is_unordered or self.is_missing:
            return float(codes[0])
        return float(min(codes, key=lambda code: (abs(code - self.own), code)))

    def _highest(self, clause: Clause) -> float | None:
        """The highest value of an interval, or a readable number slightly below it."""
        high = clause.high
        if high is None or not isfinite(high):
            return None
        if self._step:
            return floor(high / self._step) * self._step
        if float(format_number(high)) == high:
            return high
        number = -number_above(-high, self._room(high) - high)
        return number if clause.low is None or number > clause.low else high

    def _room(self, end: float) -> float:
        """How far from the end of an interval a readable number may be."""
        # Filled in for a missing value, a number has no scale but its own size.
        return (self.scale if self.scale > 0 else abs(end)) / 100

    def _lowest(self, clause: Clause) -> float | None:
        """The lowest value of an interval, or a readable number slightly above it."""
        if clause.low is None or not isfinite(clause.low):
            return None
        if not self._step:
            high = inf if clause.high is None else clause.high
            return number_above(clause.low, min(high, clause.low + self._room(clause.low)))
        step_up = (floor(clause.low / self._step) + 1) * self._step
        return max(step_up, nextafter(clause.low, inf))


def number_above(low: float, maximum: float) -> float:
    """A number above ``low`` and up to ``maximum``, with few digits if possible.

    >>> number_above(2.45, 2.46), number_above(0.8, 0.809), number_above(17.5, 18.25)
    (2.46, 0.801, 18.0)
    """
    room = maximum - low
    if 0 < room < inf:
        digits = -floor(log10(room))
        for places in range(digits - 1, digits + 2):
            power = 10.0**places if places < 300 else inf
            if abs(low) * power > 1e15:  # no digits are left to round to
                break
            number = round((floor(low * power) + 1) / power, places)
            if low < number <= maximum:
                return number
    return nextafter(low, inf)
