"""A drawing as lines, boxes and text, which SVG, TikZ and matplotlib all draw.

Lengths are in pixels of 1/96 inch, x to the right and y downwards. The marks define position and
style completely.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from .palette import INK, REST, class_colour

FONT, SMALL = 12.0, 10.5
"""The two font sizes."""
SMALL_LINE = 14.0
"""The distance of lines of small text."""
MARGIN = 8.0
BOLD = 1.12
"""The width of bold letters relative to normal ones."""
BAR_PARTS = 12
"""With more classes, a bar has parts for the largest ones, and one for all others."""


@dataclass(frozen=True)
class Box:
    """A rectangle: its upper left corner and size. An empty fill or stroke means none."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    stroke: str = ""
    line: float = 1.0
    dashed: bool = False
    radius: float = 0.0


def class_bar(weights: Iterable[float], x: float, y: float, size: tuple[float, float]) -> list[Box]:
    """The classes of some rows as parts of a bar, side by side in their colours.

    >>> [box.width for box in class_bar([1] * 16, 0, 0, (160, 4))][-2:]
    [10.0, 50.0]
    """
    present = [(number, weight) for number, weight in enumerate(weights) if weight]
    total, boxes = sum(weight for _, weight in present), []
    shown, rest = present, 0.0
    if len(present) > BAR_PARTS:
        by_weight = sorted(present, key=lambda part: -part[1])
        shown = sorted(by_weight[: BAR_PARTS - 1])
        rest = sum(weight for _, weight in by_weight[BAR_PARTS - 1 :])
    parts = [(class_colour(number), weight) for number, weight in shown]
    for colour, weight in parts + [(REST, rest)] * bool(rest):
        width = size[0] * weight / total
        boxes.append(Box(x, y, width, size[1], colour))
        x += width
    return boxes


def bar_note(n_classes: int) -> str:
    """The note on bars if a node has rows of this number of classes."""
    if n_classes <= BAR_PARTS:
        return ""
    largest = f"the {BAR_PARTS - 1} largest"
    return f"Of more than {BAR_PARTS} classes, bars show {largest}, and the others in grey."


@dataclass(frozen=True)
class Words:
    """A line of text; ``y`` is its baseline.

    ``on_page``: the text is not in a box, so its background is that of the whole figure.
    """

    x: float
    y: float
    text: str
    size: float = SMALL
    bold: bool = False
    colour: str = INK
    anchor: Literal["middle", "start"] = "middle"
    on_page: bool = False


@dataclass(frozen=True)
class Line:
    """A line through some points."""

    points: tuple[tuple[float, float], ...]
    width: float
    colour: str


@dataclass(frozen=True)
class Drawn:
    """Marks that belong together, with a tooltip."""

    boxes: tuple[Box, ...]
    words: tuple[Words, ...]
    title: str = ""


@dataclass(frozen=True)
class Picture:
    """A whole drawing: lines at the bottom, then the nodes, then the legend."""

    width: float
    height: float
    lines: tuple[Line, ...]
    nodes: tuple[Drawn, ...]
    legend: Drawn
    title: str
