"""The colours of all drawings, distinguishable for people with colour vision deficiencies.

Classes have the colours of Okabe and Ito (2008), the darkest and most different ones first. There
are eight; further classes have lighter and darker shades of them. Numbers have one hue, from light
to dark.
"""

from __future__ import annotations

INK = "#1b1b1b"
"""Text and outlines."""
PALE_INK = "#6b6b6b"
"""Notes and axes."""
PAPER = "#ffffff"
EDGE = "#a9a9a9"
"""Branches and frames."""
REST = "#d9d9d9"
"""The part of a bar for all classes that have no part of their own."""
ACCENT = "#d4006a"
"""The highlight: the decision path of a row, the chosen tree. No class has it."""

CLASS_COLOURS = (
    "#0072b2",  # blue
    "#e69f00",  # orange
    "#009e73",  # green
    "#cc79a7",  # purple
    "#56b4e9",  # sky
    "#d55e00",  # vermilion
    "#f0e442",  # yellow
    "#404040",  # nearly black
)
_SHADES = ((PAPER, 0.0), (PAPER, 0.45), ("#000000", 0.4))


def class_colour(number: int) -> str:
    """The colour of the class of that number, as #rrggbb.

    >>> class_colour(0), class_colour(8)
    ('#0072b2', '#73b1d5')
    """
    cycle, position = divmod(number, len(CLASS_COLOURS))
    return mixed(CLASS_COLOURS[position], *_SHADES[cycle % len(_SHADES)])


def mixed(colour: str, other: str, fraction: float) -> str:
    """A colour mixed with a fraction of another one.

    >>> mixed("#000000", "#ffffff", 0.5)
    '#808080'
    """
    pairs = zip(_parts(colour), _parts(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * fraction):02x}" for a, b in pairs)


def tint(number: int, purity: float) -> str:
    """The background for a predicted class: the paler, the lower its proportion of the rows."""
    return mixed(class_colour(number), PAPER, 0.9 - 0.25 * min(max(purity, 0.0), 1.0))


def value_colour(fraction: float) -> str:
    """The colour of a number at a fraction of its scale, from light to dark.

    >>> value_colour(0.0), value_colour(1.0)
    ('#7cb8da', '#00395a')
    """
    return mixed("#7cb8da", "#00395a", fraction)


def value_tint(fraction: float) -> str:
    """The background for a predicted number: the greater it is, the stronger."""
    return mixed(CLASS_COLOURS[0], PAPER, 0.92 - 0.5 * fraction)


def _parts(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)
