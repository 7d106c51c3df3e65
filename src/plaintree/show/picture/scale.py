"""The common scale of the numbers that a tree predicts, and bars on it."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isnan

from plaintree.tree.tree import Tree

from .marks import Box
from .palette import INK, PAPER, REST, value_colour

TICK = 2.5
"""The width of the mark at a prediction."""


@dataclass(frozen=True)
class ValueScale:
    """The range of the numbers that the nodes of a tree predict."""

    low: float
    high: float

    @classmethod
    def of(cls, tree: Tree) -> ValueScale:
        """The scale of a tree of a numeric target."""
        return cls(float(tree.prediction.min()), float(tree.prediction.max()))

    def fraction(self, number: float) -> float:
        """Where a number lies on the scale: from 0 to 1, numbers beyond its ends at the ends.

        >>> ValueScale(10, 30).fraction(15), ValueScale(10, 30).fraction(99)
        (0.25, 1.0)
        """
        if not self.high > self.low:
            return 0.5
        # Halves, so the difference of huge numbers is not infinite.
        part = (number / 2 - self.low / 2) / (self.high / 2 - self.low / 2)
        return min(max(part, 0.0), 1.0)

    def colour(self, number: float) -> str:
        """The colour of a number."""
        return value_colour(self.fraction(number))

    def bar(
        self, number: float, distance: float, x: float, y: float, size: tuple[float, float]
    ) -> list[Box]:
        """The scale as a bar: the spread around a number in its colour, and a mark at the number.

        >>> track, spread, _, mark = ValueScale(10, 30).bar(20, 5, 0, 0, (100, 4))
        >>> (spread.x, spread.width), (mark.x, mark.width)
        ((25.0, 50.0), (48.75, 2.5))
        """
        width, height = size
        distance = inf if isnan(distance) else distance  # of numbers whose squares overflow
        begin, end = (width * self.fraction(number + d) for d in (-distance, distance))
        middle = min(max(width * self.fraction(number) - TICK / 2, 0.0), width - TICK)
        left, right = max(middle - 1, 0.0), min(middle + TICK + 1, width)
        return [
            Box(x, y, width, height, REST),
            Box(x + begin, y, end - begin, height, self.colour(number)),
            Box(x + left, y, right - left, height, PAPER),  # keeps the mark visible on dark colours
            Box(x + middle, y, TICK, height, INK),
        ]
