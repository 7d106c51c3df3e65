"""The error against the size of a model, as an SVG chart."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan, log10

import numpy as np

from plaintree.data.words import number_text
from plaintree.show.picture.marks import Box, Drawn, Line, Picture, Words
from plaintree.show.picture.palette import ACCENT, CLASS_COLOURS, EDGE, INK, PALE_INK
from plaintree.show.picture.svg import svg_of

from .findings import ErrorCurve

WIDTH, HEIGHT = 640.0, 300.0
LEFT, RIGHT, TOP, BOTTOM = 62.0, 20.0, 34.0, 52.0
GRID = "#e4e4e4"
COLOURS = (CLASS_COLOURS[0], CLASS_COLOURS[5])
"""The colours of training rows and of held-out rows."""
MAX_TICKS = 6
MAX_MARKS = 40
"""A curve with more points has only its minimum marked."""


def curve_svg(curve: ErrorCurve) -> str:
    """The curve as SVG.

    >>> curve = ErrorCurve("trees", (1, 2), (("training rows", (0.2, 0.1)),), "")
    >>> curve_svg(curve).count("<polyline")
    9
    """
    return svg_of(_Chart(curve).picture())


class _Chart:
    def __init__(self, curve: ErrorCurve) -> None:
        self.curve = curve
        self.first, self.last = curve.sizes[0], max(curve.sizes[-1], curve.sizes[0] + 1)
        largest = max(float(np.nanmax(errors)) for _, errors in curve.series)
        self.step = round_step(max(largest, 0.01 if curve.rates else 1e-12))
        self.most = self.step * max(1, -(-largest // self.step))

    def picture(self) -> Picture:
        lines = [*self._grid(), *self._axes()]
        words = [*self._labels(), *self._legend()]
        boxes: list[Box] = []
        for (_, errors), colour in zip(self.curve.series, self._colours(), strict=True):
            pairs = zip(self.curve.sizes, errors, strict=True)
            known = [(size, error) for size, error in pairs if not isnan(error)]
            points = tuple((self._x(size), self._y(error)) for size, error in known)
            lines.append(Line(points if len(points) > 1 else points * 2, 2.2, colour))
            if len(points) <= MAX_MARKS:
                boxes += [Box(x - 2.5, y - 2.5, 5, 5, colour) for x, y in points]
        boxes += self._key()
        boxes.append(self._chosen_mark())
        title = f"{self.curve.error} against number of {self.curve.unit}"
        title = title[0].upper() + title[1:]
        legend = Drawn(tuple(boxes), tuple(words))
        return Picture(WIDTH, HEIGHT, tuple(lines), (), legend, title)

    def _colours(self) -> tuple[str, ...]:
        return COLOURS if len(self.curve.series) > 1 else COLOURS[-1:]

    def _x(self, size: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (size - self.first) / (self.last - self.first)

    def _y(self, error: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * error / self.most

    # ---------------------------------------------------------------- frame

    def _grid(self) -> Iterator[Line]:
        for error in self._error_ticks():
            y = self._y(error)
            yield Line(((LEFT, y), (WIDTH - RIGHT, y)), 1, GRID)

    def _axes(self) -> Iterator[Line]:
        foot = HEIGHT - BOTTOM
        yield Line(((LEFT, foot), (WIDTH - RIGHT, foot)), 1, EDGE)
        for size in self._size_ticks():
            x = self._x(size)
            yield Line(((x, foot), (x, foot + 5)), 1, EDGE)

    def _error_ticks(self) -> list[float]:
        return [self.step * i for i in range(round(self.most / self.step) + 1)]

    def _size_ticks(self) -> list[int]:
        span = self.last - self.first
        step = max(1, round(round_step(span)))
        inside = range(-(-self.first // step) * step, self.last + 1, step)
        return list(inside)

    def _labels(self) -> Iterator[Words]:
        for error in self._error_ticks():
            yield Words(LEFT - 24, self._y(error) + 4, self._tick_text(error), colour=PALE_INK)
        for size in self._size_ticks():
            yield Words(self._x(size), HEIGHT - BOTTOM + 19, str(size), colour=PALE_INK)
        yield Words((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, self.curve.unit, colour=INK)

    def _tick_text(self, error: float) -> str:
        if not self.curve.rates:
            return number_text(float(f"{error:.6g}"))
        return f"{100 * error:.{0 if self.step >= 0.01 else 1}f}%"

    # ---------------------------------------------------------------- legend

    def _legend_places(self) -> list[float]:
        return [LEFT + 170 * i for i in range(len(self.curve.series) + 1)]

    def _key(self) -> Iterator[Box]:
        for x, colour in zip(self._legend_places(), self._colours(), strict=False):
            yield Box(x, 11, 16, 4, colour)
        yield Box(self._legend_places()[-1] + 4, 9, 8, 8, "", ACCENT, 2)

    def _legend(self) -> Iterator[Words]:
        curve = self.curve
        size = curve.sizes[curve.chosen]
        minimum = f"minimum: {size} {curve.unit.removesuffix('s') if size == 1 else curve.unit}"
        names = [*(name for name, _ in curve.series), minimum]
        for x, name in zip(self._legend_places(), names, strict=True):
            yield Words(x + 22, 17, name, colour=INK, anchor="start")

    def _chosen_mark(self) -> Box:
        curve = self.curve
        x = self._x(curve.sizes[curve.chosen])
        y = self._y(curve.series[-1][1][curve.chosen])
        return Box(x - 5, y - 5, 10, 10, "", ACCENT, 2)


def round_step(span: float) -> float:
    """The step between ticks: 1, 2 or 5 times a power of ten."""
    power = 10.0 ** int(log10(span / MAX_TICKS) // 1)
    return next(power * m for m in (1, 2, 5, 10) if span <= power * m * MAX_TICKS)
