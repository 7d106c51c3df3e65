"""plot_tree: a tree by matplotlib. Words are drawn as outlines, so that they scale with the boxes.

All boxes are one collection, all branches another, and the letters a third, so that thousands of
nodes are drawn in a second or two.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from plaintree.tree.tree import tree_of

from ..folding import Depth, checked_depth, shown_nodes
from ..picture.marks import FONT, MARGIN, Box, Line, Picture, Words
from ..picture.tree_picture import Frame, tree_picture
from .canvas import axes_for, drawable, figure_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.path import Path

INCH = 96.0
LARGEST = (12.0, 14.0)
"""A new figure's greatest size in inches, and if the caller says how deep it goes:"""
LARGEST_ASKED_FOR = (24.0, 18.0)
FAIR_LETTERS, LEAST_LETTERS = 7.5, 6.0
"""Levels are folded so that letters have so many pixels; below the least there are no words."""
MOST_ENLARGED = 1.5


def plot_tree(
    model_or_tree: object,
    *,
    ax: Axes | None = None,
    max_depth: Depth = "auto",
    row: Any = None,
    show_counts: bool = True,
) -> Axes:
    """Draw a tree.

    A node shows its test, the training rows by class, and a bar of the classes in their colours.
    Branches are the wider, and leaves' bars the thicker, the more rows they have. More than eight
    leaves below one node are a table, a line for each. If the whole tree is asked for and its
    words would be too small to read, nodes are marks instead, as large as their share of the rows,
    and only those with room around them have words.

    Parameters
    ----------
    model_or_tree
        A fitted model (anything with a ``tree_``) or a Tree.
    ax
        Where to draw; a new figure of the size that is needed if None.
    max_depth
        Branches below this depth are folded into one leaf that counts them; "auto" shows what is
        legible, None the whole tree.
    row
        A row (a dict, a list, a table of one row) whose way through the tree is marked.
    show_counts
        Whether nodes show how many rows they have.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import plaintree as pt
    >>> from plaintree.show.plot.tree import plot_tree
    >>> X, y = pt.datasets.load_tennis()
    >>> ax = plot_tree(pt.ID3Classifier().fit(X, y), row=X[0])
    """
    tree = tree_of(model_or_tree)
    width, height = _room(ax, max_depth)
    zoom = FONT / FAIR_LETTERS
    frame = Frame(max_depth, row, width * zoom, height * zoom, show_counts)
    depth = checked_depth(max_depth)
    picture, scale = None, 0.0
    # That there are far too many nodes for words shows without laying them out.
    if depth == "auto" or shown_nodes(tree, depth) < width / LEAST_LETTERS:
        picture = tree_picture(tree, frame)
        scale = min(width / picture.width, height / picture.height)
    if picture is None or FONT * scale < LEAST_LETTERS:
        room = replace(frame, most_width=width - 2 * MARGIN, most_height=height - 5 * MARGIN)
        picture = tree_picture(tree, room, sketch=True)
        scale = min(width / picture.width, height / picture.height)
    scale = min(scale, 1.0 if ax is None else MOST_ENLARGED)
    axes = axes_for(ax) if ax is not None else _new_axes(picture, scale)
    _draw(axes, picture, scale)
    return axes


def _room(ax: Axes | None, max_depth: Depth) -> tuple[float, float]:
    """The pixels (of 1/96 inch) that there are to draw on."""
    if ax is None:
        width, height = LARGEST if max_depth == "auto" else LARGEST_ASKED_FOR
        return width * INCH, height * INCH
    axes = axes_for(ax)
    extent = axes.get_window_extent()
    pixel = INCH / figure_of(axes).dpi
    return extent.width * pixel, extent.height * pixel


def _new_axes(picture: Picture, scale: float) -> Axes:
    size = picture.width * scale / INCH, picture.height * scale / INCH
    ax = axes_for(None, size)
    figure_of(ax).set_layout_engine("none")
    ax.set_position((0.0, 0.0, 1.0, 1.0))
    return ax


def _draw(ax: Axes, picture: Picture, scale: float) -> None:
    ax.set_axis_off()
    ax.set_xlim(0, picture.width)
    ax.set_ylim(picture.height, 0)
    ax.set_aspect("equal")
    drawn = (*picture.nodes, picture.legend)
    point = scale * 72 / INCH  # widths of lines are in points, whatever the scale of the axes
    _add_lines(ax, picture.lines, point)
    _add_boxes(ax, [box for one in drawn for box in one.boxes], point)
    _add_words(ax, [words for one in drawn for words in one.words])


def _add_lines(ax: Axes, lines: Sequence[Line], point: float) -> None:
    from matplotlib.collections import LineCollection

    collection = LineCollection(
        [np.array(line.points) for line in lines],
        linewidths=[line.width * point for line in lines],
        colors=[line.colour for line in lines],
        capstyle="round",
        joinstyle="round",
        zorder=1,
    )
    ax.add_collection(collection, autolim=False)


def _add_boxes(ax: Axes, boxes: Sequence[Box], point: float) -> None:
    from matplotlib.collections import PolyCollection

    corners = [
        [
            (box.x, box.y),
            (box.x + box.width, box.y),
            (box.x + box.width, box.y + box.height),
            (box.x, box.y + box.height),
        ]
        for box in boxes
    ]
    collection = PolyCollection(
        corners,
        facecolors=[box.fill or "none" for box in boxes],
        edgecolors=[box.stroke or "none" for box in boxes],
        linewidths=[box.line * point if box.stroke else 0.0 for box in boxes],
        linestyles=["--" if box.dashed else "-" for box in boxes],
        zorder=2,
    )
    ax.add_collection(collection, autolim=False)


def _add_words(ax: Axes, words: Iterable[Words]) -> None:
    from matplotlib.collections import PathCollection

    outlines: dict[str, list[Path]] = {}
    for one in words:
        outlines.setdefault(one.colour, []).append(_outline(one))
    for colour, paths in outlines.items():
        collection = PathCollection(paths, facecolors=colour, edgecolors="none", zorder=3)
        ax.add_collection(collection, autolim=False)


def _outline(words: Words) -> Path:
    """The letters of a text as a path; y grows downwards."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.path import Path
    from matplotlib.textpath import text_to_path

    font = FontProperties(weight="bold" if words.bold else "normal", size=words.size)
    text = drawable(words.text)
    # A name must never be read as a formula, whatever dollar signs are in it.
    vertices, codes = text_to_path.get_text_path(font, text, ismath=False)
    points = np.asarray(vertices, dtype=float).reshape(-1, 2)
    # text_to_path gives letters at its own size.
    points = points * (words.size / text_to_path.FONT_SCALE)
    width = 0.0
    if words.anchor == "middle":
        width = text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]
    return Path(
        np.column_stack([points[:, 0] + words.x - width / 2, words.y - points[:, 1]]), codes
    )
