"""plot_regions: the decision regions of a tree, as exact intervals, rectangles or boxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.encode import encode
from plaintree.data.schema import Schema
from plaintree.data.table import table_from
from plaintree.data.words import format_value
from plaintree.errors import ParameterError
from plaintree.tree.tree import Tree, tree_of
from plaintree.tree.walk import rows_from

from ..picture.palette import INK
from .canvas import axes_for, mark_values, name_text
from .cells import Cell, Scale, cells_of, fixed_values, in_slice, scale_of, shown_columns
from .region_paint import Paint, add_rectangles, paint_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_POINTS = 5000


def plot_regions(
    model_or_tree: object,
    X: Any = None,
    y: Any = None,
    *,
    features: Sequence[str] | str | None = None,
    fixed: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the decision regions of a tree in the space of one, two or three features.

    The regions are the exact boxes of the tree's leaves, in the colour of their predicted class,
    the stronger the purer the leaf is. Categories are side by side on their axis.

    For a numeric target, one feature shows the predictions as steps over the rows. Two and three
    features show them as colours, with a colour bar; rows have the colour of their own number.

    Parameters
    ----------
    model_or_tree : estimator or Tree
        A fitted estimator with a ``tree_``, or a Tree.
    X : table, default=None
        Rows to draw as points (of more than 5,000 rows, evenly chosen ones). Only rows of the slice
        are drawn: those that reach the leaf whose region they are on. Along categories, points are
        moved a little, so they do not hide each other.
    y : array-like, default=None
        The classes or numbers of the rows.
    features : str or sequence of str, default=None
        Names of one to three features to show. None shows those that the tree splits on, or the
        two most important ones.
    fixed : dict, default=None
        Values of features that are not shown but that the tree splits on. By default, the median
        or the most frequent category of X.
    ax : matplotlib.axes.Axes, default=None
        Axes to draw on. None draws on the current axes if they are empty, otherwise on a new
        figure. Three features need axes with ``projection="3d"``.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the regions.

    Raises
    ------
    ColumnError
        If ``features`` or ``fixed`` name a column that the tree does not have.
    ParameterError
        If the tree splits on a feature that is neither shown nor fixed.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_xor()
    >>> pt.plot_regions(pt.CARTClassifier().fit(X, y), X, y).get_xlabel()
    'x1'
    """
    tree = tree_of(model_or_tree)
    shown = shown_columns(tree, features)
    columns, target = _encoded(tree, X, y)
    others = fixed_values(tree, shown, fixed, columns)
    scales = {n: scale_of(tree, n, None if columns is None else columns[n]) for n in shown}
    cells = cells_of(tree, scales, others)
    paint = paint_of(tree, list(scales.values()), cells, target)
    height = paint.height if len(shown) == 1 else 4.2
    axes = axes_for(ax, (5.0, height), **_projection(shown))
    map_ = _Map(axes, list(scales.values()), paint)
    _DRAWERS[len(shown) - 1](map_, cells)
    tested = {n: v for n, v in others.items() if _is_tested(tree, n)}
    if columns is not None:
        inside = in_slice(tree, tested, columns)
        map_.add_points([columns[n] for n in shown], inside)
        _note_left_out(axes, int(np.count_nonzero(~inside)), len(inside))
    map_.label()
    _note_fixed(axes, tree.schema, tested)
    return axes


def _encoded(tree: Tree, X: Any, y: Any) -> tuple[list[NDArray[Any]] | None, Any]:
    """The columns of the rows and their encoded targets, if they are given."""
    if X is None:
        return None, None
    if y is None:
        return encode(table_from(X), tree.schema), None
    rows = rows_from(tree, X, y)
    return rows.columns, rows.target


def _projection(shown: Sequence[int]) -> dict[str, str]:
    return {"projection": "3d"} if len(shown) == 3 else {}


def _is_tested(tree: Tree, number: int) -> bool:
    return bool((tree.feature == number).any())


def _note_left_out(ax: Axes, n: int, of: int) -> None:
    """Write how many rows are in other slices, so they are not drawn."""
    if n:
        note = f"{of - n:,} of {of:,} rows are in this slice"
        where = {"transform": ax.transAxes, "fontsize": "x-small"}
        text: Any = ax.text2D if hasattr(ax, "text2D") else ax.text  # not a point of the space
        text(1.0, 1.01, note, ha="right", va="bottom", **where)


def _note_fixed(ax: Axes, schema: Schema, fixed: Mapping[int, float]) -> None:
    """Write the values of the fixed features."""
    parts = []
    for number, value in fixed.items():
        feature = schema.features[number]
        categorical = feature.is_categorical
        known = not feature.is_missing(value)
        word = str(feature.categories[int(value)]) if categorical and known else "missing"
        text = format_value(feature, value) if known and not categorical else word
        parts.append(f"{name_text(feature.name, 8.0)} = {name_text(text, 6.0)}")
    if parts:
        lines = [", ".join(parts[i : i + 3]) for i in range(0, min(len(parts), 6), 3)]
        more = f" … {len(parts) - 6} more" if len(parts) > 6 else ""
        ax.set_title("where " + "\n".join(lines) + more, fontsize="small", pad=16)


@dataclass(frozen=True)
class _Map:
    """The axes with what is drawn on them, and how that is painted."""

    ax: Axes
    scales: list[Scale]
    paint: Paint

    def draw_line(self, cells: Sequence[Cell]) -> None:
        """One feature: intervals, or steps of numbers."""
        line = [(box[0], cell.leaf) for cell in cells for box in cell.boxes()]
        self.paint.draw_line(self.ax, line)

    def draw_plane(self, cells: Sequence[Cell]) -> None:
        """Two features: rectangles."""
        boxes = [
            (*box[0], *box[1], self.paint.region(cell.leaf))
            for cell in cells
            for box in cell.boxes()
        ]
        add_rectangles(self.ax, boxes)

    def draw_space(self, cells: Sequence[Cell]) -> None:
        """Three features: transparent boxes, the walls towards the back stronger."""
        from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]

        if not hasattr(self.ax, "set_zlim"):
            raise ParameterError(
                "three features need axes of three dimensions",
                got="an Axes of two",
                hint='make it with plt.subplot(projection="3d"), or pass ax=None.',
            )
        faces, colours = [], []
        for cell in cells:
            for box in cell.boxes():
                faces += _faces(box)
                colours += [self.paint.wall(cell.leaf)] * 6
        walls = Poly3DCollection(faces, facecolors=colours, edgecolors=colours, linewidths=0.4)
        walls.set_alpha(0.12)
        self.ax.add_collection3d(walls)  # type: ignore[attr-defined]

    # ---------------------------------------------------------------- points and words

    def add_points(self, columns: Sequence[NDArray[Any]], inside: NDArray[np.bool_]) -> None:
        """Draw the rows of the slice without missing values."""
        places = [_places(s, c) for s, c in zip(self.scales, columns, strict=True)]
        known = np.flatnonzero(np.all([inside, *map(np.isfinite, places)], axis=0))
        step = max(1, -(-len(known) // MAX_POINTS))
        known = known[::step]
        for rows, style in self.paint.groups(known):
            at = [place[rows] for place in places]
            if len(at) == 1:
                at.append(self.paint.heights(rows))
            if len(at) == 3:
                style["depthshade"] = False
            scatter: Any = self.ax.scatter  # of three dimensions where there are three features
            scatter(
                *at,
                s=36 if len(known) <= 100 else 16 if len(known) <= 1000 else 7,
                edgecolors=INK,
                linewidths=0.5,
                zorder=3,
                **style,
            )

    def label(self) -> None:
        """Name the axes, their ticks and the colours."""
        setters: list[Any] = [self.ax.xaxis, self.ax.yaxis, getattr(self.ax, "zaxis", None)]
        limits = [self.ax.set_xlim, self.ax.set_ylim, getattr(self.ax, "set_zlim", None)]
        for scale, axis, limit in zip(self.scales, setters, limits, strict=False):
            assert limit is not None, "there is an axis for every feature"
            limit(scale.low, scale.high)
            axis.set_label_text(name_text(scale.feature.name))
            mark_values(axis, scale.feature)
        self.paint.add_legend(self.ax)


_DRAWERS = (_Map.draw_line, _Map.draw_plane, _Map.draw_space)


def _places(scale: Scale, column: NDArray[Any]) -> NDArray[np.float64]:
    """The positions of a column's values; categories are spread over their part of the axis."""
    if not scale.feature.categories:
        inside = np.clip(column, scale.low, scale.high)  # numbers too large for an axis
        return np.where(np.isfinite(column), inside, np.nan)
    codes = column.astype(np.float64)
    known = ~scale.feature.missing(column)
    spread = np.zeros(len(codes))
    for code in np.unique(codes[known]):
        rows = np.flatnonzero(codes == code)
        # The golden ratio's multiples spread out evenly, however many there are.
        steps = np.arange(len(rows)) * 0.6180339887 % 1.0
        spread[rows] = (steps - 0.5) * 0.7 if len(rows) > 1 else 0.0
    return np.where(known, codes + spread, np.nan)


def _faces(box: tuple[tuple[float, float], ...]) -> list[list[tuple[float, float, float]]]:
    """The six sides of a box."""
    (x0, x1), (y0, y1), (z0, z1) = box
    faces = []
    for z in (z0, z1):
        faces.append([(x0, y0, z), (x1, y0, z), (x1, y1, z), (x0, y1, z)])
    for y in (y0, y1):
        faces.append([(x0, y, z0), (x1, y, z0), (x1, y, z1), (x0, y, z1)])
    for x in (x0, x1):
        faces.append([(x, y0, z0), (x, y1, z0), (x, y1, z1), (x, y0, z1)])
    return faces
