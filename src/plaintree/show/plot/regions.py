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
from plaintree.tree.task import needs_classes
from plaintree.tree.tree import Tree, tree_of
from plaintree.tree.walk import rows_from

from ..picture.palette import INK, PAPER, class_colour, mixed
from .canvas import LONGEST_TICK, MARKERS, axes_for, class_legend, mark_values, name_text, tick_step
from .cells import Cell, Scale, cells_of, fixed_values, in_slice, scale_of, shown_columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_POINTS = 5000
TALLEST_STRIP = 7.0


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

    Parameters
    ----------
    model_or_tree : estimator or Tree
        A fitted estimator with a ``tree_``, or a Tree.
    X : table, default=None
        Rows to draw as points (of more than 5,000 rows, evenly chosen ones). Only rows of the slice
        are drawn: those that reach the leaf whose region they are on. Along categories, points are
        moved a little, so they do not hide each other.
    y : array-like, default=None
        The classes of the rows.
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
    needs_classes(model_or_tree, "plot_regions")
    tree = tree_of(model_or_tree)
    shown = shown_columns(tree, features)
    columns, codes = _encoded(tree, X, y)
    others = fixed_values(tree, shown, fixed, columns)
    scales = {n: scale_of(tree, n, None if columns is None else columns[n]) for n in shown}
    cells = cells_of(tree, scales, others)
    axes = axes_for(ax, (5.0, _height(tree, shown)), **_projection(shown))
    map_ = _Map(axes, tree, list(scales.values()), codes)
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
    """The columns of the rows and their classes, if they are given."""
    if X is None:
        return None, None
    if y is None:
        return encode(table_from(X), tree.schema), None
    rows = rows_from(tree, X, y)
    return rows.columns, rows.codes


def _height(tree: Tree, shown: Sequence[int]) -> float:
    """The height of a new figure, in inches: a strip has a line for each class."""
    if len(shown) > 1:
        return 4.2
    return min(max(2.4, 1.0 + 0.2 * len(tree.schema.classes)), TALLEST_STRIP)


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
    """The axes with what is drawn on them; ``codes`` are the classes of the rows, if known."""

    ax: Axes
    tree: Tree
    scales: list[Scale]
    codes: NDArray[Any] | None

    @property
    def has_classes(self) -> bool:
        return self.codes is not None

    def colour(self, cell: Cell) -> str:
        """The colour of a cell: that of its class, the paler the less pure it is."""
        tree, leaf = self.tree, cell.leaf
        label, weight = int(tree.label[leaf]), float(tree.weight[leaf])
        purity = float(tree.class_weights[leaf, label]) / weight if weight else 0.0
        return mixed(class_colour(label), PAPER, 0.85 - 0.35 * purity)

    def draw_strip(self, cells: Sequence[Cell]) -> None:
        """One feature: intervals; points are on a line for each class."""
        spans = [(*box[0], 0.0, 1.0, cell) for cell in cells for box in cell.boxes()]
        self._add_rectangles(spans)
        n_classes = len(self.tree.schema.classes)
        heights = (np.arange(n_classes) + 0.5) / n_classes
        if self.has_classes:
            names = [name_text(c, LONGEST_TICK) for c in self.tree.schema.classes]
            step = tick_step(self.ax.yaxis, n_classes)
            self.ax.set_yticks(heights[::step], names[::step])
        else:
            self.ax.set_yticks([])
        self.ax.set_ylim(0, 1)

    def draw_plane(self, cells: Sequence[Cell]) -> None:
        """Two features: rectangles."""
        self._add_rectangles([(*box[0], *box[1], cell) for cell in cells for box in cell.boxes()])

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
                colours += [class_colour(int(self.tree.label[cell.leaf]))] * 6
        walls = Poly3DCollection(faces, facecolors=colours, edgecolors=colours, linewidths=0.4)
        walls.set_alpha(0.12)
        self.ax.add_collection3d(walls)  # type: ignore[attr-defined]

    def _add_rectangles(self, boxes: Sequence[tuple[float, float, float, float, Cell]]) -> None:
        from matplotlib.collections import PolyCollection

        corners = [
            [(left, low), (right, low), (right, high), (left, high)]
            for left, right, low, high, _ in boxes
        ]
        colours = [self.colour(cell) for *_, cell in boxes]
        regions = PolyCollection(corners, facecolors=colours, edgecolors=PAPER, linewidths=0.8)
        self.ax.add_collection(regions, autolim=False)

    # ---------------------------------------------------------------- points and words

    def add_points(self, columns: Sequence[NDArray[Any]], inside: NDArray[np.bool_]) -> None:
        """Draw the rows of the slice without missing values, each class with its own mark."""
        places = [_places(s, c) for s, c in zip(self.scales, columns, strict=True)]
        known = np.flatnonzero(np.all([inside, *map(np.isfinite, places)], axis=0))
        step = max(1, -(-len(known) // MAX_POINTS))
        known = known[::step]
        classes = np.zeros(len(places[0]), dtype=np.int64) if self.codes is None else self.codes
        n_classes = len(self.tree.schema.classes)
        for number in np.unique(classes[known]).tolist():
            rows = known[classes[known] == number]
            at = [place[rows] for place in places]
            if len(at) == 1:
                line = (number + 0.5) / n_classes if self.has_classes else 0.5
                at.append(np.full(len(rows), line))
            style: dict[str, Any] = {"depthshade": False} if len(at) == 3 else {}
            scatter: Any = self.ax.scatter  # of three dimensions where there are three features
            scatter(
                *at,
                s=36 if len(known) <= 100 else 16 if len(known) <= 1000 else 7,
                marker=MARKERS[number % len(MARKERS)],
                color=class_colour(number) if self.has_classes else INK,
                edgecolors=INK,
                linewidths=0.5,
                zorder=3,
                **style,
            )

    def label(self) -> None:
        """Name the axes, their ticks and the classes."""
        setters: list[Any] = [self.ax.xaxis, self.ax.yaxis, getattr(self.ax, "zaxis", None)]
        limits = [self.ax.set_xlim, self.ax.set_ylim, getattr(self.ax, "set_zlim", None)]
        for scale, axis, limit in zip(self.scales, setters, limits, strict=False):
            assert limit is not None, "there is an axis for every feature"
            limit(scale.low, scale.high)
            axis.set_label_text(name_text(scale.feature.name))
            mark_values(axis, scale.feature)
        predicted: set[int] = set(self.tree.label[self.tree.n_children == 0].tolist())
        points: set[int] = set() if self.codes is None else set(self.codes.tolist())
        shown = sorted(predicted | points)
        corner: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1.02, 0.5)}
        if len(self.scales) == 3:  # the labels of the third axis stand at the right
            corner = {"loc": "upper left", "bbox_to_anchor": (-0.1, 1.05)}
        class_legend(self.ax, self.tree.schema.classes, shown, **corner)


_DRAWERS = (_Map.draw_strip, _Map.draw_plane, _Map.draw_space)


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
