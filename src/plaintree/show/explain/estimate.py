"""The number that a leaf or a forest predicts, with the interval of its training targets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from plaintree.data.words import number_text, weight_text
from plaintree.tree.prediction import Spread


@dataclass(frozen=True)
class Estimate:
    """A predicted number, and how far the training targets of its leaf are from it.

    Attributes
    ----------
    value : float
        The prediction.
    spread : Spread or None
        The spread of the training targets in the leaf, named by the criterion of the tree; None if
        the prediction is not that of a single leaf.
    """

    value: float
    spread: Spread | None = None

    @property
    def interval(self) -> tuple[float, float] | None:
        """One spread below and above the prediction; None without a spread.

        The spread is the standard deviation, the mean absolute deviation from the median, or, for
        the Poisson criterion, the standard deviation of a Poisson distribution with this mean.
        """
        if self.spread is None:
            return None
        return self.value - self.spread.distance, self.value + self.spread.distance

    def short(self, weight: float) -> str:
        """The prediction, the spread and the training rows in a few words."""
        spread = f" ({self.spread}, support {weight_text(weight)})" if self.spread else ""
        return f"{number_text(self.value)}{spread}"

    def lines(self, source: str, model: str) -> Iterator[str]:
        """The interval, the training rows that it comes from, and what it is not."""
        if self.spread is None or self.interval is None:
            return
        if not self.spread.distance > 0:
            yield f"Interval: none, because the spread is 0 ({source})"
            return
        low, high = map(number_text, self.interval)
        distance, measure = number_text(self.spread.distance), str(self.spread.name)
        if measure == "half deviance":
            measure, source = "sd of a Poisson distribution", f"{self.spread}, {source}"
        around = f"{self.spread.centre} {number_text(self.value)}, one {measure} ({distance})"
        yield f"Interval: {low} to {high} ({around} on either side; {source})"
        yield f"(It describes these rows and is optimistic for others: the {model} fitted to them.)"

    def to_dict(self) -> dict[str, Any]:
        """Return the prediction and the interval as plain numbers."""
        low, high = self.interval or (None, None)
        return {
            "value": self.value,
            "spread": None
            if self.spread is None
            else {"name": self.spread.name, "value": self.spread.value},
            "low": low,
            "high": high,
        }
