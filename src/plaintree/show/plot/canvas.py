"""Helpers of all plots: axes to draw on, and names that matplotlib cannot misread.

matplotlib is loaded when something is drawn, and not before.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from plaintree.data.schema import Feature
from plaintree.data.timestamps import TEMPORAL
from plaintree.data.words import format_value, plain
from plaintree.errors import ArgumentTypeError, PlaintreeError

from ..picture.node_text import fitted, text_width
from ..picture.palette import EDGE, INK, PALE_INK, class_colour

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

LONGEST_NAME = 16.0
MARKERS = "os^DvPX*"
"""The marks of the classes' points, in addition to their colours."""
SEQUENTIAL = "viridis"
"""The colours of numbers, from small to large; as legible for the colour-blind and in grey."""
NO_GLYPH = "□"
LONGEST_TICK = 9.0
MAX_TICKS, MAX_TICKS_IN_SPACE = 25, 6
LINE = 11.0
"""The minimum distance of lines of text, in points."""
ROOM_BELOW = 30.0
"""The maximum width of all tick labels of an x axis together, in units of their letters."""


def axes_for(ax: Any, size: tuple[float, float] = (6.0, 4.0), **options: Any) -> Axes:
    """The axes given, the current ones if they are empty, or those of a new figure (in inches)."""
    pyplot = _pyplot()
    from matplotlib.axes import Axes

    if ax is None:
        waiting = None if options else current_axes()
        if waiting is not None:
            return waiting
        made: Axes = pyplot.figure(figsize=size, layout="constrained").add_subplot(**options)
        return made
    if isinstance(ax, Axes):
        return ax
    raise ArgumentTypeError(
        "ax must be a matplotlib Axes",
        got=f"an object of type {type(ax).__name__}",
        hint="pass one of plt.subplots(), or None.",
    )


def current_axes() -> Axes | None:
    """The current axes of pyplot if the caller has made them and drawn nothing there.

    ``plt.figure(figsize=...)`` before a plot chooses the size of the figure, as with scikit-learn.
    """
    pyplot = _pyplot()
    if not pyplot.get_fignums():
        return None
    figure = pyplot.gcf()
    ax: Axes = figure.gca() if figure.axes else figure.add_subplot()
    return None if ax.has_data() or ax.name == "3d" else ax


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise PlaintreeError(
            "drawing needs matplotlib, which is not installed",
            hint="pip install 'plaintree[plot]'; export_svg draws trees without it.",
        ) from error
    return pyplot


def name_text(value: object, longest: float = LONGEST_NAME) -> str:
    """A name or label for matplotlib: shortened, and never read as a formula.

    >>> name_text("price in $")
    'price in \\\\$'
    """
    text = drawable(fitted(plain(value), longest)).replace("$", r"\$")
    # A legend leaves out names that begin with an underscore.
    return f" {text}" if text.startswith("_") else text


def drawable(text: str) -> str:
    """The text with a square for every character that the font does not have."""
    if text.isascii():
        return text
    return "".join(c if c.isascii() or _has_glyph(c) else NO_GLYPH for c in text)


@cache
def _has_glyph(character: str) -> bool:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    font = get_font(findfont(FontProperties()))
    return bool(font.get_char_index(ord(character)))


def ink() -> str:
    """The colour of text and lines on the figure itself, whose style may be a dark one."""
    from matplotlib import rcParams, rcParamsDefault

    colour = rcParams["text.color"]
    return INK if colour == rcParamsDefault["text.color"] else str(colour)


def tidy(ax: Axes, *, grid: bool = True) -> None:
    """Remove the frame at the right and on top, and add a pale grid."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(PALE_INK)
    if grid:
        ax.grid(color=EDGE, alpha=0.3, linewidth=0.6)
        ax.set_axisbelow(True)


def mark_values(axis: Axis, feature: Feature) -> None:
    """Set legible ticks at the values of a feature."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    flat, in_space = getattr(axis, "axis_name", "x") == "x", axis.axes.name == "3d"
    labels = [name_text(category, LONGEST_TICK) for category in feature.categories]
    if labels:
        shown = range(0, len(labels), tick_step(axis, len(labels)))
        axis.set_ticks(shown, [labels[i] for i in shown])
        # In space, turned labels would run into the name of the axis.
        if flat and not in_space and sum(text_width(labels[i]) for i in shown) > ROOM_BELOW:
            axis.set_tick_params(rotation=90)
        if in_space:
            axis.labelpad = 1.5 * max(map(text_width, labels))
    elif feature.unit in TEMPORAL:
        axis.set_major_locator(MaxNLocator(3 if flat else 8))
        axis.set_major_formatter(FuncFormatter(lambda value, _: format_value(feature, value)))
    elif feature.unit == "integer":
        axis.set_major_locator(MaxNLocator("auto", integer=True))


def tick_step(axis: Axis, n: int) -> int:
    """The step between labels at which there is space on an axis for each of them."""
    if axis.axes.name == "3d":
        return -(-n // MAX_TICKS_IN_SPACE)
    inches = axis.axes.get_window_extent().transformed(
        figure_of(axis.axes).dpi_scale_trans.inverted()
    )
    length = inches.width if getattr(axis, "axis_name", "x") == "x" else inches.height
    return -(-n // min(MAX_TICKS, max(2, int(72 * length / LINE))))


def figure_of(ax: Axes) -> Figure:
    """The top-level figure of axes."""
    figure = ax.get_figure(root=True)
    assert figure is not None, "axes belong to a figure"
    return figure


def class_legend(
    ax: Axes,
    classes: Sequence[object],
    shown: Sequence[int],
    *,
    also: Sequence[Artist] = (),
    **options: Any,
) -> None:
    """Add a legend of some classes, each with its mark and colour, and of other artists."""
    from matplotlib.lines import Line2D

    handles: list[Artist] = [
        Line2D([], [], linestyle="", marker=MARKERS[c % len(MARKERS)], color=class_colour(c))
        for c in shown[:12]
    ]
    names = [name_text(classes[c]) for c in shown[:12]]
    if len(shown) > 12:
        handles.append(Line2D([], [], linestyle=""))
        names.append(f"… {len(shown) - 12} more")
    handles += also
    names += [str(artist.get_label()) for artist in also]
    ax.legend(handles, names, frameon=False, fontsize="small", **options)
