"""How regions and rows are painted: by class, or by number on a scale of colours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from plaintree.tree.tree import Tree

from ..picture.palette import CLASS_COLOURS, INK, PAPER, class_colour, mixed
from .canvas import (
    LONGEST_TICK,
    MARKERS,
    SEQUENTIAL,
    class_legend,
    figure_of,
    ink,
    name_text,
    tick_step,
)
from .cells import Cell, Scale, Span

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TALLEST_STRIP = 7.0
Line = Sequence[tuple[Span, int]]
"""The spans of one feature, each with its leaf."""
Group = tuple[NDArray[np.intp], dict[str, Any]]
"""Rows to draw together, and how scatter draws them."""


class Paint(Protocol):
    """What plot_regions draws that depends on what the tree predicts."""

    @property
    def height(self) -> float:
        """The height of a new figure of one feature, in inches."""

    def region(self, leaf: int) -> str:
        """The colour of the region of a leaf."""

    def wall(self, leaf: int) -> str:
        """The colour of a box in space, which is drawn transparent."""

    def draw_line(self, ax: Axes, line: Line) -> None:
        """Draw the regions of one feature."""

    def heights(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """The heights of rows above the axis of one feature."""

    def groups(self, rows: NDArray[np.intp]) -> Iterator[Group]:
        """The rows in groups that are drawn alike."""

    def add_legend(self, ax: Axes) -> None:
        """Explain the colours."""


def paint_of(
    tree: Tree, scales: Sequence[Scale], cells: Sequence[Cell], target: NDArray[Any] | None
) -> Paint:
    """The paint of a tree's cells, and of rows whose encoded target may be known."""
    if tree.schema.classes:
        return ClassPaint(tree, len(scales), target)
    return NumberPaint(tree, scales, cells, target)


@dataclass(frozen=True, eq=False)
class ClassPaint:
    """Colours and marks of classes; regions are the stronger the purer their leaf is."""

    tree: Tree
    n_features: int
    codes: NDArray[Any] | None

    @property
    def height(self) -> float:
        """A strip has a line for each class."""
        return min(max(2.4, 1.0 + 0.2 * len(self.tree.schema.classes)), TALLEST_STRIP)

    def region(self, leaf: int) -> str:
        """The colour of the class, the paler the less pure the leaf is."""
        tree, label, weight = self.tree, int(self.tree.label[leaf]), float(self.tree.weight[leaf])
        purity = float(tree.class_weights[leaf, label]) / weight if weight else 0.0
        return mixed(class_colour(label), PAPER, 0.85 - 0.35 * purity)

    def wall(self, leaf: int) -> str:
        """The colour of the class."""
        return class_colour(int(self.tree.label[leaf]))

    def draw_line(self, ax: Axes, line: Line) -> None:
        """Intervals from bottom to top; points are on a line for each class."""
        add_rectangles(ax, [(*span, 0.0, 1.0, self.region(leaf)) for span, leaf in line])
        n_classes = len(self.tree.schema.classes)
        heights = (np.arange(n_classes) + 0.5) / n_classes
        if self.codes is not None:
            names = [name_text(c, LONGEST_TICK) for c in self.tree.schema.classes]
            step = tick_step(ax.yaxis, n_classes)
            ax.set_yticks(heights[::step], names[::step])
        else:
            ax.set_yticks([])
        ax.set_ylim(0, 1)

    def heights(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """The line of each row's class, or the middle."""
        if self.codes is None:
            return np.full(len(rows), 0.5)
        return np.asarray((self.codes[rows] + 0.5) / len(self.tree.schema.classes))

    def groups(self, rows: NDArray[np.intp]) -> Iterator[Group]:
        """Each class has its own mark."""
        if self.codes is None:
            yield rows, {"marker": MARKERS[0], "color": INK}
            return
        for code in np.unique(self.codes[rows]).tolist():
            style = {"marker": MARKERS[code % len(MARKERS)], "color": class_colour(code)}
            yield rows[self.codes[rows] == code], style

    def add_legend(self, ax: Axes) -> None:
        """Name the classes of leaves and rows."""
        tree = self.tree
        predicted: set[int] = set(tree.label[tree.n_children == 0].tolist())
        points: set[int] = set() if self.codes is None else set(self.codes.tolist())
        corner: dict[str, Any] = {"loc": "center left", "bbox_to_anchor": (1.02, 0.5)}
        if self.n_features == 3:  # the labels of the third axis stand at the right
            corner = {"loc": "upper left", "bbox_to_anchor": (-0.1, 1.05)}
        class_legend(ax, tree.schema.classes, sorted(predicted | points), **corner)


class NumberPaint:
    """Heights above one feature, and beyond it a scale of colours from small to large numbers."""

    height = 4.0

    def __init__(
        self,
        tree: Tree,
        scales: Sequence[Scale],
        cells: Sequence[Cell],
        numbers: NDArray[Any] | None,
    ) -> None:
        from matplotlib import colormaps
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        self.tree, self.scales, self.numbers = tree, scales, numbers
        predicted = tree.prediction[[cell.leaf for cell in cells]]
        known = predicted if numbers is None else np.concatenate([predicted, numbers])
        norm = Normalize(float(known.min()), float(known.max()))
        self.colours = ScalarMappable(norm, colormaps[SEQUENTIAL])

    def region(self, leaf: int) -> str:
        """The colour of the number that the leaf predicts."""
        from matplotlib.colors import to_hex

        return to_hex(tuple(self.colours.to_rgba(self.tree.prediction[[leaf]])[0]))

    wall = region

    def draw_line(self, ax: Axes, line: Line) -> None:
        """Steps: the prediction above each value."""
        steps = sorted(((*span, float(self.tree.prediction[leaf])) for span, leaf in line))
        apart = np.nan if self.scales[0].feature.categories else 0.0
        across = np.array([[low, high, high + apart] for low, high, _ in steps]).ravel()
        up = np.repeat([height for *_, height in steps], 3)
        ax.plot(across, up, color=ink(), linewidth=2, zorder=4, label="prediction")
        shown = up if self.numbers is None else np.concatenate([up, self.numbers])
        low, high = float(shown.min()), float(shown.max())
        margin = 0.06 * (high - low) or max(abs(low) * 0.1, 0.5)
        ax.set_ylim(low - margin, high + margin)
        ax.set_ylabel(name_text(self.tree.schema.target))

    def heights(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        """The target of each row."""
        assert self.numbers is not None, "rows without a target have no height"
        return np.asarray(self.numbers[rows], dtype=np.float64)

    def groups(self, rows: NDArray[np.intp]) -> Iterator[Group]:
        """All rows at once; beyond one feature their colour is the only sign of their target."""
        style: dict[str, Any] = {"marker": MARKERS[0]}
        if self.numbers is not None and len(self.scales) == 1:
            yield rows, {**style, "color": CLASS_COLOURS[0], "label": "rows"}
        elif self.numbers is not None:
            yield rows, {**style, "c": self.colours.to_rgba(self.numbers[rows])}
        elif len(self.scales) > 1:
            yield rows, {**style, "color": PAPER}

    def add_legend(self, ax: Axes) -> None:
        """A legend of the steps, or a bar of the colours."""
        if len(self.scales) == 1:
            ax.legend(frameon=False, fontsize="small")
            return
        # The labels of the third axis stand at the right.
        place: dict[str, Any] = {"shrink": 0.7, "pad": 0.15} if len(self.scales) == 3 else {}
        bar = figure_of(ax).colorbar(self.colours, ax=ax, **place)
        bar.set_label(name_text(self.tree.schema.target))


def add_rectangles(ax: Axes, boxes: Sequence[tuple[float, float, float, float, str]]) -> None:
    """Add rectangles: left, right, low, high and colour of each."""
    from matplotlib.collections import PolyCollection

    corners = [
        [(left, low), (right, low), (right, high), (left, high)]
        for left, right, low, high, _ in boxes
    ]
    colours = [colour for *_, colour in boxes]
    regions = PolyCollection(corners, facecolors=colours, edgecolors=PAPER, linewidths=0.8)
    ax.add_collection(regions, autolim=False)
