"""plot_tree: a tree drawn with matplotlib. Text is drawn as outlines that scale with the boxes.

All boxes are one collection, all branches another, and the letters a third. Thousands of nodes are
drawn in a second or two.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plaintree.checks import check_number
from plaintree.data.renaming import ClassNames, FeatureNames
from plaintree.tree.naming import renamed_tree
from plaintree.tree.tree import Tree

from ..folding import Depth, checked_depth, shown_nodes
from ..picture.marks import FONT, MARGIN, Box, Line, Picture, Words
from ..picture.palette import INK
from ..picture.style import Filled, Frame, NodeStyle
from ..picture.tree_picture import tree_picture
from .canvas import axes_for, current_axes, drawable, figure_of, ink

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.path import Path

INCH, POINT = 96.0, 72.0
"""Pixels and points of an inch."""
MAX_SIZE, MAX_SIZE_OF_DEPTH = (12.0, 14.0), (24.0, 18.0)
"""The maximum size of a new figure in inches; the second one if a depth is given."""
FAIR_LETTERS, MIN_LETTERS = 7.5, 6.0
"""Levels are folded until letters have this number of pixels; below the minimum, nodes have no
text."""
MAX_ENLARGED = 1.5


def plot_tree(
    model_or_tree: object,
    *,
    max_depth: Depth = "auto",
    row: Any = None,
    feature_names: FeatureNames = None,
    class_names: ClassNames = None,
    filled: Filled = "leaves",
    rounded: bool = False,
    impurity: bool = False,
    node_ids: bool = False,
    proportion: bool = False,
    precision: int | None = None,
    show_weights: bool = True,
    fontsize: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a tree with matplotlib.

    A node shows its split, the training rows by class, and a bar of the classes in their colours.
    For a numeric target, a leaf shows its number, its rows and their spread, and the bar has both
    on a common scale; the greater the number, the darker. The more rows they have, the wider
    branches and the thicker the bars of leaves are. More than eight leaves below one node are a
    table, a line for each. If the whole tree is drawn and its text would be too small to read,
    nodes are marks instead, as large as their proportion of the rows, and only those with space
    around them have text.

    Parameters
    ----------
    model_or_tree : estimator or Tree
        A fitted estimator with a ``tree_``, or a Tree.
    max_depth : int, "auto" or None, default="auto"
        Branches below this depth are folded into one leaf that counts them. "auto" shows the
        levels that are legible, None the whole tree.
    row : dict, sequence or table of one row, default=None
        A row whose decision path is highlighted. The keys of a dict are the names shown.
    feature_names : sequence of str, default=None
        Names of the features in column order. None shows the names of the training table.
    class_names : sequence of str or True, default=None
        Names of the classes in the order of ``classes_``. None and True show the labels.
    filled : bool or "leaves", default="leaves"
        Which nodes are painted in the colour of their predicted class, the stronger the purer
        they are: all, none, or only the leaves. scikit-learn's default is False.
    rounded : bool, default=False
        Whether boxes have rounded corners.
    impurity : bool, default=False
        Whether nodes show their impurity. scikit-learn's default is True.
    node_ids : bool, default=False
        Whether nodes show their number, as in ``tree_.node(number)``. Nodes are numbered level by
        level; scikit-learn numbers them depth first.
    proportion : bool, default=False
        Whether nodes show percentages of rows instead of their numbers.
    precision : int, default=None
        Decimals of thresholds and impurities. None shows thresholds with the digits they need.
    show_weights : bool, default=True
        Whether nodes show their training rows by class (weights, if rows are weighted).
    fontsize : float, default=None
        Size of the text in points. A new figure is as large as it needs to be; in given axes the
        text shrinks if it does not fit. None chooses the size that fits.
    ax : matplotlib.axes.Axes, default=None
        Axes to draw on. None draws on the current axes if they are empty, otherwise on a new
        figure of the size that is needed.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the tree. scikit-learn returns a list of annotations instead.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> ax = pt.plot_tree(pt.ID3Classifier().fit(X, y), row=X[0], filled=True)
    """
    tree = renamed_tree(model_or_tree, feature_names, class_names)
    style = NodeStyle(
        filled, rounded, impurity, node_ids, proportion, precision, show_weights=show_weights
    )
    given = current_axes() if ax is None else axes_for(ax)
    letters = _checked_letters(fontsize)
    picture, scale = _fitted_picture(tree, Frame(max_depth, row, style=style), given, letters)
    axes = _new_axes(picture, scale) if given is None else given
    _draw(axes, picture, scale)
    return axes


def _checked_letters(fontsize: Any) -> float | None:
    """The size of letters in pixels; None if it is to be chosen."""
    if fontsize is None:
        return None
    return check_number("fontsize", fontsize, 0, 1000, above=True) * INCH / POINT


def _fitted_picture(
    tree: Tree, frame: Frame, ax: Axes | None, letters: float | None
) -> tuple[Picture, float]:
    """A tree drawn for some axes, or for a new figure, and the scale that fits them."""
    depth = checked_depth(frame.max_depth)
    width, height = _room(ax, depth)
    zoom = FONT / (letters or FAIR_LETTERS)
    frame = replace(frame, most_width=width * zoom, most_height=height * zoom)
    largest = letters / FONT if letters else 1.0 if ax is None else MAX_ENLARGED
    picture, scale = None, 0.0
    # Far too many nodes for text need not be laid out first.
    if depth == "auto" or shown_nodes(tree, depth) < width / MIN_LETTERS:
        picture = tree_picture(tree, frame)
        fitting = min(width / picture.width, height / picture.height)
        scale = largest if letters and ax is None else min(fitting, largest)
    if picture is None or FONT * scale < min(MIN_LETTERS, letters or MIN_LETTERS):
        room = replace(frame, most_width=width - 2 * MARGIN, most_height=height - 5 * MARGIN)
        picture = tree_picture(tree, room, sketch=True)
        scale = min(width / picture.width, height / picture.height, largest)
    return picture, scale


def _room(ax: Axes | None, max_depth: Depth) -> tuple[float, float]:
    """The pixels (of 1/96 inch) of the axes, or of a new figure."""
    if ax is None:
        width, height = MAX_SIZE if max_depth == "auto" else MAX_SIZE_OF_DEPTH
        return width * INCH, height * INCH
    extent = ax.get_window_extent()
    pixel = INCH / figure_of(ax).dpi
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
    point = scale * POINT / INCH  # widths of lines are in points, whatever the scale of the axes
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

    corners = [_corners(box) for box in boxes]
    collection = PolyCollection(
        corners,
        facecolors=[box.fill or "none" for box in boxes],
        edgecolors=[box.stroke or "none" for box in boxes],
        linewidths=[box.line * point if box.stroke else 0.0 for box in boxes],
        linestyles=["--" if box.dashed else "-" for box in boxes],
        zorder=2,
    )
    ax.add_collection(collection, autolim=False)


def _corners(box: Box) -> NDArray[np.float64]:
    """The outline of a box, with arcs of a few points at rounded corners."""
    turns = np.linspace(0.0, np.pi / 2, 6 if box.radius else 1)
    arc = box.radius * (1 - np.column_stack([np.cos(turns), np.sin(turns)]))
    corner, size = np.array([box.x, box.y]), np.array([box.width, box.height])
    left_top, right_bottom = corner + arc, corner + size - arc
    right_top = corner + size * (1, 0) + arc[::-1] * (-1, 1)
    left_bottom = corner + size * (0, 1) + arc[::-1] * (1, -1)
    return np.concatenate([left_top, right_top, right_bottom, left_bottom])


def _add_words(ax: Axes, words: Iterable[Words]) -> None:
    from matplotlib.collections import PathCollection

    outlines: dict[str, list[Path]] = {}
    for one in words:
        colour = ink() if one.on_page and one.colour == INK else one.colour
        outlines.setdefault(colour, []).append(_outline(one))
    for colour, paths in outlines.items():
        collection = PathCollection(paths, facecolors=colour, edgecolors="none", zorder=3)
        ax.add_collection(collection, autolim=False)


def _outline(words: Words) -> Path:
    """The letters of a string as a path, with y downwards."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.path import Path
    from matplotlib.textpath import text_to_path

    font = FontProperties(weight="bold" if words.bold else "normal", size=words.size)
    text = drawable(words.text)
    # Dollar signs in a name must not be read as a formula.
    vertices, codes = text_to_path.get_text_path(font, text, ismath=False)
    points = np.asarray(vertices, dtype=float).reshape(-1, 2)
    # text_to_path returns letters at its own size.
    points = points * (words.size / text_to_path.FONT_SCALE)
    width = 0.0
    if words.anchor == "middle":
        width = text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]
    return Path(
        np.column_stack([points[:, 0] + words.x - width / 2, words.y - points[:, 1]]), codes
    )
