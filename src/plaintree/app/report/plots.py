"""Plots of predicted numbers as SVG: predicted against actual, and residuals by leaf."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from plaintree.data.words import number_text
from plaintree.evaluation.quality import NumericQuality
from plaintree.show.picture.marks import Box, Drawn, Line, Picture, Words
from plaintree.show.picture.palette import ACCENT, CLASS_COLOURS, EDGE, INK, PALE_INK, PAPER, mixed
from plaintree.show.picture.svg import svg_of

from .chart import GRID, round_step

MAX_POINTS = 2000
"""Points of a plot; of more rows so many are shown, evenly spaced."""
SIDE, WIDTH, LEFT, RIGHT, TOP, BOTTOM = 420.0, 640.0, 62.0, 20.0, 14.0, 52.0
LABELS, LINE = 210.0, 22.0
"""The width of the labels of leaves, and the height of a leaf."""
POINT = 5.0
BLUE = CLASS_COLOURS[0]
PALE = mixed(BLUE, PAPER, 0.55)


@dataclass(frozen=True, eq=False)
class LeafResiduals:
    """A leaf as text, and the residuals of its rows."""

    label: str
    residuals: NDArray[np.float64]


@dataclass(frozen=True)
class _Scale:
    """Numbers from ``low`` to ``high``, on the page from ``start`` to ``end``."""

    low: float
    high: float
    start: float
    end: float

    @classmethod
    def of(cls, values: NDArray[np.float64], start: float, end: float) -> _Scale:
        """The scale of some values, from one round number to another."""
        low, high = float(values.min()), float(values.max())
        step = round_step(max(high - low, 1e-9 * max(abs(low), abs(high)), 1e-300))
        return cls(np.floor(low / step) * step, np.ceil(high / step) * step, start, end)

    def at(self, value: float) -> float:
        """The position of a number."""
        whole = self.high - self.low
        return self.start + (self.end - self.start) * ((value - self.low) / whole if whole else 0.5)

    @property
    def ticks(self) -> list[float]:
        """Round numbers from end to end."""
        if self.high == self.low:
            return [self.low]
        step = round_step(self.high - self.low)
        first, last = round(self.low / step), round(self.high / step)
        return [float(f"{step * i:.10g}") for i in range(first, last + 1)]


def scatter_svg(quality: NumericQuality) -> str:
    """Predicted against actual numbers, with the line on which they are equal.

    >>> from plaintree.evaluation.quality import numeric_quality_of
    >>> scatter_svg(numeric_quality_of([1, 2, 3], [1, 2, 4], "rows given")).startswith("<svg")
    True
    """
    rows = np.unique(np.linspace(0, quality.n_rows - 1, min(MAX_POINTS, quality.n_rows)).round())
    chosen = rows.astype(int)
    both = np.concatenate([quality.actual, quality.predicted])
    x = _Scale.of(both, LEFT, LEFT + SIDE - RIGHT)
    y = _Scale.of(both, TOP + SIDE - RIGHT, TOP)
    lines = [Line(((LEFT, y.at(t)), (x.end, y.at(t))), 1, GRID) for t in y.ticks]
    lines += [Line(((x.at(t), y.start), (x.at(t), y.start + 5)), 1, EDGE) for t in x.ticks]
    lines.append(Line(((x.start, y.start), (x.end, y.start)), 1, EDGE))
    ends = (x.low, x.high)
    lines.append(Line(tuple((x.at(end), y.at(end)) for end in ends), 1.4, ACCENT))
    words = [
        Words(LEFT - 26, y.at(t) + 4, number_text(t), colour=PALE_INK, on_page=True)
        for t in y.ticks
    ]
    words += [
        Words(x.at(t), y.start + 19, number_text(t), colour=PALE_INK, on_page=True) for t in x.ticks
    ]
    words.append(Words((x.start + x.end) / 2, y.start + 40, "actual", colour=INK, on_page=True))
    words.append(Words(LEFT + 6, TOP + 12, "predicted", colour=INK, anchor="start", on_page=True))
    pairs = zip(quality.actual[chosen].tolist(), quality.predicted[chosen].tolist(), strict=True)
    points = tuple(
        Box(x.at(a) - POINT / 2, y.at(p) - POINT / 2, POINT, POINT, PALE, BLUE, 0.8, radius=2.5)
        for a, p in pairs
    )
    legend = Drawn(points, tuple(words))
    title = "Predicted against actual numbers"
    return svg_of(Picture(LEFT + SIDE, TOP + SIDE + BOTTOM, tuple(lines), (), legend, title))


def residuals_svg(leaves: Sequence[LeafResiduals]) -> str:
    """The residuals of each leaf as a box plot: minimum, quartiles and maximum.

    >>> residuals_svg([LeafResiduals("node 1: 12", np.array([-2.0, 0.0, 2.0]))]).count("node 1: 12")
    1
    """
    everything = np.concatenate([[0.0], *(leaf.residuals for leaf in leaves)])
    x = _Scale.of(everything, LABELS, WIDTH - RIGHT)
    foot = TOP + LINE * len(leaves)
    lines = [Line(((x.at(t), TOP), (x.at(t), foot)), 1, GRID) for t in x.ticks]
    lines.append(Line(((x.at(0), TOP), (x.at(0), foot)), 1.4, EDGE))
    words = [
        Words(x.at(t), foot + 19, number_text(t), colour=PALE_INK, on_page=True) for t in x.ticks
    ]
    words.append(Words((x.start + x.end) / 2, foot + 40, "residual", colour=INK, on_page=True))
    boxes: list[Box] = []
    for number, leaf in enumerate(leaves):
        middle = TOP + LINE * (number + 0.5)
        n_rows = f"{len(leaf.residuals):,} row{'s' * (len(leaf.residuals) != 1)}"
        label = f"{leaf.label} ({n_rows})"
        words.append(Words(0, middle + 4, label, colour=INK, anchor="start", on_page=True))
        least, low, median, high, most = (
            x.at(q) for q in np.quantile(leaf.residuals, [0, 0.25, 0.5, 0.75, 1]).tolist()
        )
        lines.append(Line(((least, middle), (most, middle)), 1.2, BLUE))
        boxes.append(Box(low, middle - 6, max(high - low, 1), 12, PALE, BLUE, 0.8))
        boxes.append(Box(median - 1, middle - 7, 2, 14, INK))
    legend = Drawn(tuple(boxes), tuple(words))
    title = "Residuals by leaf"
    return svg_of(Picture(WIDTH, foot + BOTTOM, tuple(lines), (), legend, title))
