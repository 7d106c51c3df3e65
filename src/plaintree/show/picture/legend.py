"""The legend of a drawing: the colours of the classes, or the scale of the numbers."""

from __future__ import annotations

from plaintree.data.schema import Schema
from plaintree.data.words import number_text, shown_schema

from .marks import MARGIN, SMALL, SMALL_LINE, Box, Drawn, Words
from .node_text import LONGEST_HEAD, broken, fitted, text_width
from .palette import PALE_INK, class_colour, value_colour
from .scale import ValueScale

LEGEND_CLASSES = 12
SCALE_WIDTH, SCALE_STEPS = 60.0, 12
"""The width of the scale of numbers, and its number of colours."""


def legend_words(schema: Schema, longest: float = LONGEST_HEAD) -> list[str]:
    """The names of the classes in the legend."""
    return [fitted(str(label), longest) for label in shown_schema(schema).classes]


def drawn_legend(
    schema: Schema, scale: ValueScale | None, top: float, width: float, note: str
) -> tuple[Drawn, float]:
    """The classes or numbers with their colours, a note below them, and the lower end of both."""
    boxes, words, y, more = (
        _classes(schema, top, width) if scale is None else _numbers(schema, scale, top)
    )
    for line in [*more, *broken(note, width / SMALL)]:
        y += SMALL_LINE
        words.append(Words(MARGIN, y + 9, line, anchor="start", colour=PALE_INK, on_page=True))
    return Drawn(tuple(boxes), tuple(words)), y + SMALL_LINE


def _classes(
    schema: Schema, top: float, width: float
) -> tuple[list[Box], list[Words], float, list[str]]:
    """Boxes and words of the classes, the last line, and how many classes are left out."""
    names = legend_words(schema)
    boxes, words, x, y = [], [], MARGIN, top
    shown = names if len(names) <= LEGEND_CLASSES else names[: LEGEND_CLASSES - 1]
    for number, name in enumerate(shown):
        needed = 16 + text_width(name) * SMALL + 12
        if x > MARGIN and x + needed > MARGIN + width:
            x, y = MARGIN, y + SMALL_LINE
        boxes.append(Box(x, y, 10, 10, class_colour(number)))
        words.append(Words(x + 14, y + 9, name, anchor="start", on_page=True))
        x += needed
    more = len(names) - len(shown)
    return boxes, words, y, [f"… {more} more classes"] * bool(more)


def _numbers(
    schema: Schema, scale: ValueScale, top: float
) -> tuple[list[Box], list[Words], float, list[str]]:
    """The same of numbers: the name of the target, and the scale between its ends."""
    target = fitted(shown_schema(schema).target, LONGEST_HEAD)
    low = f"{target}: {number_text(scale.low)}"
    start, step = MARGIN + text_width(low) * SMALL + 4, SCALE_WIDTH / SCALE_STEPS
    boxes = [
        Box(start + place * step, top, step, 10, value_colour(place / (SCALE_STEPS - 1)))
        for place in range(SCALE_STEPS)
    ]
    end = start + SCALE_WIDTH + 4
    words = [
        Words(MARGIN, top + 9, low, anchor="start", on_page=True),
        Words(end, top + 9, number_text(scale.high), anchor="start", on_page=True),
    ]
    return boxes, words, top, []
