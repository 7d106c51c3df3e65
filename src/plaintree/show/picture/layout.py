"""The layout of a drawn tree, for any number of branches and node sizes.

Glossary. All nodes of a depth are on one *level*. A node is centred above its children, subtrees of
the same shape are drawn alike, and subtrees are as close together as the widths of the nodes allow.
The left and right *contour* of a subtree are its outermost nodes on each level. If the contour of a
subtree continues in another subtree, a *thread* links the two, so a contour is followed in steps of
constant time.

The algorithm (Walker 1990, made linear by Buchheim, Jünger and Leipert 2002, here with widths and
without recursion), in three passes over the nodes, which are numbered level by level:

1. From the last node to the first, so children come before parents: put the subtrees of the node's
   children side by side. Each is pushed right until it is clear of the contours of those before it;
   smaller ones in between are spread out evenly. Positions are kept relative to the parent
   (``shift``), so moving a subtree is one addition.
2. From the first to the last: add up the shifts to positions.
3. Levels: each is as tall as its tallest node. The space below it is the larger, the farther its
   branches reach, so none of them is too flat.

Many leaves of one node may be in a *grid* instead of side by side: all of them together are one
node in the three passes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil, inf, sqrt

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Layout:
    """The centre (``x``) and the upper edge (``y``, downwards) of every node, and the whole size.

    ``tops`` and ``heights`` are those of the levels. Nothing is left of or above 0.
    """

    x: Floats
    y: Floats
    tops: Floats
    heights: Floats
    width: float
    height: float

    def room_beside(self, node: int) -> float:
        """The distance to the centre of the nearest node of the same level, or infinity."""
        beside = [n for n in (node - 1, node + 1) if 0 <= n < len(self.x)]
        same = [n for n in beside if self.y[n] == self.y[node]]
        return min((abs(float(self.x[n] - self.x[node])) for n in same), default=inf)


@dataclass(frozen=True)
class Grid:
    """Cells of one size in columns, each filled from the top.

    >>> grid = Grid(20, 180.0, 30.0)
    >>> grid.n_columns, grid.n_lines, grid.width, grid.height
    (2, 10, 360.0, 300.0)
    >>> grid.corner(10)
    (180.0, 0.0)
    """

    n: int
    cell_width: float
    cell_height: float

    @property
    def n_lines(self) -> int:
        """The number that makes the grid about as tall as it is wide, but not only a few."""
        tallest = max(sqrt(self.n * self.cell_width / self.cell_height), FEW_CELLS)
        return ceil(self.n / ceil(self.n / tallest))

    @property
    def n_columns(self) -> int:
        return ceil(self.n / self.n_lines)

    @property
    def width(self) -> float:
        return self.n_columns * self.cell_width

    @property
    def height(self) -> float:
        return self.n_lines * self.cell_height

    def corner(self, number: int) -> tuple[float, float]:
        """The left upper corner of a cell, from that of the grid."""
        column, line = divmod(number, self.n_lines)
        return column * self.cell_width, line * self.cell_height


FEW_CELLS = 10


def layout_with_grids(
    parent: Ints, widths: Floats, heights: Floats, grids: Mapping[int, Grid], **room: float
) -> Layout:
    """As :func:`tidy_layout`, with the leaves of some nodes in grids.

    ``grids`` are by the first child; the others follow it. Their ``x`` and ``y`` are the centre and
    the upper edge of their cells.
    """
    inside = np.zeros(len(parent), dtype=np.bool_)
    widths, heights = widths.copy(), heights.copy()
    for first, grid in grids.items():
        inside[first + 1 : first + grid.n] = True
        widths[first], heights[first] = grid.width, grid.height
    kept = np.flatnonzero(~inside)
    numbers = (np.cumsum(~inside) - 1).astype(np.int32)
    parents = np.where(parent[kept] < 0, -1, numbers[parent[kept]]).astype(np.int32)
    layout = tidy_layout(parents, widths[kept], heights[kept], **room)
    x, y = layout.x[numbers], layout.y[numbers]
    for first, grid in grids.items():
        left, top = float(x[first]) - grid.width / 2, float(y[first])
        corners = np.array([grid.corner(i) for i in range(grid.n)])
        x[first : first + grid.n] = left + corners[:, 0] + grid.cell_width / 2
        y[first : first + grid.n] = top + corners[:, 1]
    return replace(layout, x=x, y=y)


def tidy_layout(
    parent: Ints,
    widths: Floats,
    heights: Floats,
    *,
    gap: float = 1.0,
    level_gap: float = 1.0,
    slope: float = 0.0,
) -> Layout:
    """Lay out the nodes of a tree that are numbered level by level, the root first.

    Parameters
    ----------
    parent
        The parent of every node, -1 for the root.
    widths, heights
        The nodes' sizes, in any unit.
    gap, level_gap
        The minimum distance of two nodes of a level, and of two levels.
    slope
        The minimum slope of a branch, as long as this takes no more than three times ``level_gap``.

    Examples
    --------
    >>> import numpy as np
    >>> from plaintree.show.picture.layout import tidy_layout
    >>> layout = tidy_layout(np.array([-1, 0, 0, 0]), np.full(4, 2.0), np.ones(4))
    >>> layout.x.tolist(), layout.y.tolist()
    ([4.0, 1.0, 4.0, 7.0], [0.0, 2.0, 2.0, 2.0])
    """
    x = _Forest(parent, widths.tolist(), gap).positions()
    depth = _depths(parent)
    level_heights = np.zeros(int(depth.max()) + 1)
    np.maximum.at(level_heights, depth, heights)
    reach = np.zeros(len(level_heights))
    np.maximum.at(reach, depth[1:] - 1, np.abs(x[1:] - x[parent[1:]]))
    gaps = np.clip(slope * reach, level_gap, 3 * level_gap)
    tops = np.concatenate([[0.0], np.cumsum(level_heights + gaps)[:-1]])
    x -= (x - widths / 2).min()
    return Layout(
        x=x,
        y=tops[depth],
        tops=tops,
        heights=level_heights,
        width=float((x + widths / 2).max()),
        height=float(tops[-1] + level_heights[-1]),
    )


def _depths(parent: Ints) -> NDArray[np.int64]:
    depths = [0] * len(parent)
    for node, above in enumerate(parent.tolist()):
        if above >= 0:
            depths[node] = depths[above] + 1
    return np.array(depths, dtype=np.int64)


class _Forest:
    """The state of the first two passes: one entry per node in every list.

    - ``shift``: where a node stands relative to its parent's children's frame, and ``inner``: by
      how much all its descendants are moved beyond that.
    - ``thread``: the next node of the contour below a childless one; -1 if there is none.
    - ``ancestor``: for nodes on a right contour, the child (of the node at work) they belong to.
    - ``slope`` and ``step``: subtrees still to be spread out between two that were pushed apart.
    """

    def __init__(self, parent: Ints, widths: list[float], gap: float) -> None:
        n = len(widths)
        self.widths, self.gap, self.parent = widths, gap, parent.tolist()
        counts = np.bincount(parent[1:], minlength=n)
        self.n_children: list[int] = counts.tolist()
        self.first: list[int] = (np.cumsum(counts) - counts + 1).tolist()
        self.shift, self.inner = [0.0] * n, [0.0] * n
        self.slope, self.step = [0.0] * n, [0.0] * n
        self.thread = [-1] * n
        self.ancestor = list(range(n))

    def positions(self) -> Floats:
        """The middle of every node; the root's children's frame begins anywhere."""
        for node in range(len(self.widths) - 1, -1, -1):
            if self.n_children[node]:
                self._place_children(node)
        x, moved = self.shift[:], [0.0] * len(self.widths)
        for node in range(1, len(x)):  # parents stand before their children
            above = self.parent[node]
            moved[node] = moved[above] + self.inner[above]
            x[node] += moved[node]
        return np.array(x)

    def _place_children(self, node: int) -> None:
        """Put the subtrees below a node side by side, and the node in the middle above them.

        ``shift`` of a child is so far where its own children want it; from here on it is its
        place beside its siblings, and ``inner`` is the difference.
        """
        first, last = self.first[node], self.first[node] + self.n_children[node] - 1
        default = first
        for child in range(first, last + 1):
            wanted = self.shift[child]
            if child > first:
                self.shift[child] = self.shift[child - 1] + self._apart(child - 1, child)
                self.inner[child] = self.shift[child] - wanted
                default = self._push_right(child, first, default)
        self._spread(first, last)
        self.shift[node] = (self.shift[first] + self.shift[last]) / 2

    def _apart(self, left: int, right: int) -> float:
        return (self.widths[left] + self.widths[right]) / 2 + self.gap

    def _push_right(self, child: int, first: int, default: int) -> int:
        """Push a subtree right until it is clear of all those left of it, level by level.

        ``default`` is the sibling that right contours without an ancestor of their own belong to;
        the new one is returned.
        """
        outer_left, inner_left = first, child - 1
        inner_right, outer_right = child, child
        moves = [self.inner[node] for node in (first, child - 1, child, child)]
        while True:
            next_left, next_right = self._last_below(inner_left), self._first_below(inner_right)
            if next_left < 0 or next_right < 0:
                break
            inner_left, inner_right = next_left, next_right
            outer_left, outer_right = self._first_below(outer_left), self._last_below(outer_right)
            self.ancestor[outer_right] = child
            distance = self.shift[inner_left] + moves[1] - self.shift[inner_right] - moves[2]
            distance += self._apart(inner_left, inner_right)
            if distance > 0:
                owner = self.ancestor[inner_left]
                beside = first <= owner < child
                self._push(owner if beside else default, child, distance)
                moves[2] += distance
                moves[3] += distance
            for i, node in enumerate((outer_left, inner_left, inner_right, outer_right)):
                moves[i] += self.inner[node]
        if next_left >= 0 and self._last_below(outer_right) < 0:
            self.thread[outer_right] = next_left
            self.inner[outer_right] += moves[1] - moves[3]
        if next_right >= 0 and self._first_below(outer_left) < 0:
            self.thread[outer_left] = next_right
            self.inner[outer_left] += moves[2] - moves[0]
            default = child
        return default

    def _push(self, left: int, right: int, distance: float) -> None:
        """Move a subtree right, and note that those between it and the left one are to follow."""
        share = distance / (right - left)
        self.slope[right] -= share
        self.step[right] += distance
        self.slope[left] += share
        self.shift[right] += distance
        self.inner[right] += distance

    def _spread(self, first: int, last: int) -> None:
        """Move the subtrees in between by their shares of the pushes, in one sweep."""
        distance = slope = 0.0
        for child in range(last, first - 1, -1):
            self.shift[child] += distance
            self.inner[child] += distance
            slope += self.slope[child]
            distance += self.step[child] + slope

    def _first_below(self, node: int) -> int:
        return self.first[node] if self.n_children[node] else self.thread[node]

    def _last_below(self, node: int) -> int:
        n = self.n_children[node]
        return self.first[node] + n - 1 if n else self.thread[node]
