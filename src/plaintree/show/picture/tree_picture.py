"""A tree as a picture: the nodes shown, their sizes, and the marks of each.

1. The nodes down to some depth are shown. They are the first ones, since nodes are numbered level
   by level; those of the last level that have branches are *folded*: drawn as the leaf they would
   be, with the number of leaves below.
2. A node is a block: the text of the branch that leads to it, and below a box with its text and a
   bar of its classes. The more rows a leaf has, the thicker its bar is. The layout keeps blocks
   apart, so nothing overlaps. Many leaves below one node are the lines of a table: branch, class,
   rows.
3. The more rows take a branch, the wider it is.
4. If there is no space for text in every node (``sketch``), nodes are small marks, squeezed until
   they fit, and only splits of many rows have text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import inf

import numpy as np
from numpy.typing import NDArray

from plaintree.tree.tree import Tree
from plaintree.tree.walk import encoded_row, reached_shares

from ..folding import checked_depth, fold_note, hidden_leaves, leaves_below, shown_nodes
from .layout import Grid, Layout, layout_with_grids
from .legend import drawn_legend
from .marks import (
    BOLD,
    FONT,
    MARGIN,
    SMALL,
    SMALL_LINE,
    Box,
    Drawn,
    Line,
    Picture,
    Words,
)
from .node_paint import NodePaint
from .node_text import NodeText, NodeWriter, text_width
from .palette import ACCENT, EDGE, INK, PALE_INK, PAPER
from .style import Frame

PAD, HEAD_LINE = 6.0, 16.0
MIN_BAR, MAX_BAR = 4.0, 18.0
MIN_BOX = 36.0
GAP, LEVEL_GAP = 10.0, 28.0
MAX_ABREAST = 8
"""With more leaves below one node, they are a table of lines."""
STEM, CELL_GAP, MAX_CELL_BAR = 14.0, 6.0, 8.0
THINNEST, THICKEST = 0.8, 7.0
"""The widths of branches."""
MIN_LABELLED = 0.02
"""The minimum proportion of rows of a node with text in a sketch."""
MIN_WIDTH = 170.0
"""The minimum width of a picture, for the legend and a note."""


def tree_picture(tree: Tree, frame: Frame, *, sketch: bool = False) -> Picture:
    """Draw a tree.

    ``max_depth`` "auto" shows as many levels as fit the frame, at least one; None shows all.
    ``row`` is a row whose decision path is highlighted. A sketch has no text in nodes and is at
    most as wide as the frame.
    """
    path = None if frame.row is None else reached_shares(tree, encoded_row(tree, frame.row))
    subject = _Subject(tree, NodeWriter(tree, frame.style), frame, path, leaves_below(tree))
    depth = checked_depth(frame.max_depth)
    if depth != "auto":
        deepest = tree.depth if depth is None else min(depth, tree.depth)
        return _Artist(subject, deepest, sketch).picture()
    best = _Artist(subject, min(1, tree.depth), sketch)
    for deeper in range(2, tree.depth + 1):
        artist = _Artist(subject, deeper, sketch)
        if artist.layout.width > frame.most_width or artist.layout.height > frame.most_height:
            break
        best = artist
    return best.picture()


@dataclass(frozen=True, eq=False)
class _Subject:
    """A tree, its text, the fraction of a row at every node, and the leaves below."""

    tree: Tree
    writer: NodeWriter
    frame: Frame
    path: NDArray[np.float64] | None
    leaves_below: list[int]


@dataclass(frozen=True)
class _Table:
    """Leaves below one node as lines of a table, and the widths of its columns."""

    first: int
    grid: Grid
    branch: float
    head: float
    box: float


class _Artist:
    """Draws the nodes of a tree down to a depth."""

    def __init__(self, subject: _Subject, depth: int, sketch: bool) -> None:
        self.tree, self.writer, self.frame = subject.tree, subject.writer, subject.frame
        self.paint = NodePaint(self.tree, self.frame.style)
        self.path, self.depth, self.sketch = subject.path, depth, sketch
        self.n_shown = shown_nodes(self.tree, depth)
        self.hidden_leaves = hidden_leaves(self.tree, depth, subject.leaves_below)

    # ---------------------------------------------------------------- contents

    @cached_property
    def texts(self) -> list[NodeText]:
        folded = self.hidden_leaves
        return [self.writer.text(i, folded=bool(folded[i])) for i in range(self.n_shown)]

    @cached_property
    def tables(self) -> dict[int, _Table]:
        """The table of each leaf that is a line of one."""
        tables: dict[int, _Table] = {}
        branches = self.tree.n_children[: self.n_shown]
        ends = (branches == 0) | (np.array(self.hidden_leaves) > 0)
        for node in [] if self.sketch else np.flatnonzero(branches > MAX_ABREAST).tolist():
            first = int(self.tree.first_child[node])
            leaves = range(first, first + int(branches[node]))
            if leaves.stop <= self.n_shown and ends[first : leaves.stop].all():
                tables.update(dict.fromkeys(leaves, self._table(leaves)))
        return tables

    def _table(self, leaves: range) -> _Table:
        branch = max(text_width(self.texts[i].branch) for i in leaves) * SMALL * BOLD
        head = max(text_width(self.texts[i].head) for i in leaves) * FONT * BOLD
        rows = max(text_width(self._rows_text(i)) for i in leaves) * SMALL
        box = head + 2 * PAD + (rows + GAP if rows else 0.0)
        cell = STEM + branch + PAD + box + GAP
        height = HEAD_LINE + 4 + MAX_CELL_BAR + CELL_GAP
        return _Table(leaves.start, Grid(len(leaves), cell, height), branch, head, box)

    def _rows_text(self, node: int) -> str:
        """The rows in a line of a table, and the number of hidden leaves below it."""
        parts = (*self.texts[node].below_head, fold_note(self.hidden_leaves[node]))
        return " ".join(part for part in parts if part)

    # ---------------------------------------------------------------- layout

    @cached_property
    def bars(self) -> NDArray[np.float64]:
        """The height of the bar of every node."""
        if self.sketch:
            return np.zeros(self.n_shown)
        ends = self.tree.n_children[: self.n_shown] == 0
        most = np.full(self.n_shown, MAX_BAR)
        most[list(self.tables)] = MAX_CELL_BAR
        return np.where(ends, MIN_BAR + (most - MIN_BAR) * np.sqrt(self._proportions()), MIN_BAR)

    def _proportions(self) -> NDArray[np.float64]:
        """The proportion of all weight of every shown node."""
        weight = self.tree.weight[: self.n_shown]
        # Trees built by hand may have any weight below the root.
        maximum = weight.max()
        return weight / maximum if maximum > 0 else weight

    @cached_property
    def box_widths(self) -> NDArray[np.float64]:
        if self.sketch:
            return self._mark_sizes() * self._squeezed[1]
        return self._words_widths()

    def _mark_sizes(self) -> NDArray[np.float64]:
        return 4 + 10 * np.sqrt(self._proportions())

    def _words_widths(self) -> NDArray[np.float64]:
        """The widths of boxes that their text needs."""
        widest = [self._words_width(node) for node in range(self.n_shown)]
        widths = np.maximum(np.array(widest) + 2 * PAD, MIN_BOX)
        for node, table in self.tables.items():
            widths[node] = table.box
        return widths

    def _words_width(self, node: int) -> float:
        text = self.texts[node]
        widest = text_width(text.head) * FONT * BOLD
        small = (*text.below_head, fold_note(self.hidden_leaves[node]))
        return max(widest, *(text_width(line) * SMALL for line in small))

    @cached_property
    def box_heights(self) -> NDArray[np.float64]:
        if self.sketch:
            return self._mark_sizes()
        style = self.frame.style
        lines = HEAD_LINE + SMALL_LINE * (style.show_weights + style.has_note) + 4
        folds = [SMALL_LINE if hidden else 0.0 for hidden in self.hidden_leaves]
        heights: NDArray[np.float64] = lines + self.bars + np.array(folds)
        cells = list(self.tables)
        heights[cells] = HEAD_LINE + 4 + self.bars[cells]
        return heights

    @cached_property
    def branch_line(self) -> NDArray[np.float64]:
        """The height of the text above each box; the root has none."""
        height = 0.0 if self.sketch else SMALL_LINE
        heights = np.full(self.n_shown, height)
        heights[[0, *self.tables]] = 0.0
        return heights

    @cached_property
    def layout(self) -> Layout:
        if self.sketch:
            return self._squeezed[0]
        branches = [text_width(text.branch) * SMALL + 4 for text in self.texts]
        return self._tidy(np.maximum(self.box_widths, branches), GAP, LEVEL_GAP)

    @cached_property
    def _squeezed(self) -> tuple[Layout, float]:
        """The layout of a sketch that fits the frame, and the factor it was narrowed by."""
        n_gaps, marks = self.depth, self._mark_sizes()
        room = (self.frame.most_height - 10 * (n_gaps + 1)) / max(n_gaps, 1)
        layout = self._tidy(marks, 3.0, min(max(room, 4.0), LEVEL_GAP))
        narrower = min(1.0, self.frame.most_width / layout.width)
        width = layout.width * narrower
        return replace(layout, x=layout.x * narrower, width=width), narrower

    def _tidy(self, widths: NDArray[np.float64], gap: float, level_gap: float) -> Layout:
        return layout_with_grids(
            self.tree.parent[: self.n_shown],
            widths,
            self.box_heights + self.branch_line,
            {table.first: table.grid for table in self.tables.values()},
            gap=gap,
            level_gap=level_gap,
            slope=0.0 if self.sketch else 0.12,
        )

    # ---------------------------------------------------------------- drawing

    def picture(self) -> Picture:
        layout, words = self.layout, self.writer.schema
        width = max(layout.width, MIN_WIDTH)
        left = MARGIN + (width - layout.width) / 2
        top = MARGIN + (SMALL_LINE + 4 if self.sketch else 0.0)
        nodes = [self._node(i, left, top) for i in range(self.n_shown)]
        if self.sketch:
            nodes += self._labels(left, top)
        below = top + layout.height + 12
        legend, end = drawn_legend(self.tree.schema, self.paint.scale, below, width, self._note())
        n_splits = self.tree.size
        return Picture(
            width=width + 2 * MARGIN,
            height=end + MARGIN,
            lines=self._lines(left, top),
            nodes=tuple(nodes),
            legend=legend,
            title=f"Decision tree for {words.target}: {n_splits} split{'s' * (n_splits != 1)}, "
            f"{self.tree.n_leaves} leaves",
        )

    def _node(self, node: int, left: float, top: float) -> Drawn:
        x, y = float(self.layout.x[node]) + left, float(self.layout.y[node]) + top
        y += float(self.branch_line[node])
        width, height = float(self.box_widths[node]), float(self.box_heights[node])
        if node in self.tables:
            x = self._cell_left(node) + left + STEM + self.tables[node].branch + PAD + width / 2
        frame = self._frame_of(node, x, y)
        if self.sketch:
            return Drawn((frame,), ())
        words = self._line_words(node, frame) if node in self.tables else self._words(node, frame)
        bar, radius = float(self.bars[node]), frame.radius  # it stays clear of rounded corners
        size = width - 2 * radius, bar
        parts = self.paint.bar(node, frame.x + radius, y + height - bar, size)
        outline = replace(frame, fill="")
        title = self.writer.title(node) if self.frame.titles else ""
        return Drawn((frame, *parts, outline), tuple(words), title)

    def _words(self, node: int, box: Box) -> list[Words]:
        text, x, marked = self.texts[node], box.x + box.width / 2, self._is_marked(node)
        lines = [Words(x, box.y + 13, text.head, FONT, bold=True)]
        lines += [
            Words(x, box.y + 13 + SMALL_LINE * number, line)
            for number, line in enumerate(text.below_head, 1)
        ]
        if self.hidden_leaves[node]:
            base = box.y + box.height - float(self.bars[node]) - 5
            lines.append(Words(x, base, fold_note(self.hidden_leaves[node]), colour=PALE_INK))
        if text.branch:
            colour = ACCENT if marked else INK
            above = Words(x, box.y - 4, text.branch, bold=marked, colour=colour, on_page=True)
            lines.append(above)
        return lines

    def _line_words(self, node: int, box: Box) -> list[Words]:
        """The text of a line of a table, one column after the other."""
        text, marked, base = self.texts[node], self._is_marked(node), box.y + 13
        x, inside = box.x - PAD - self.tables[node].branch, box.x + PAD
        colour = ACCENT if marked else INK
        words = [
            Words(x, base, text.branch, bold=marked, colour=colour, anchor="start", on_page=True),
            Words(inside, base, text.head, FONT, bold=True, anchor="start"),
        ]
        rows = self._rows_text(node)
        if rows:
            words.append(Words(inside + self.tables[node].head + GAP, base, rows, anchor="start"))
        return words

    def _cell_left(self, node: int) -> float:
        return float(self.layout.x[node]) - self.tables[node].grid.cell_width / 2

    def _is_marked(self, node: int) -> bool:
        return self.path is not None and bool(self.path[node] > 0)

    def _frame_of(self, node: int, x: float, y: float) -> Box:
        """The box of a node."""
        tree, marked = self.tree, self._is_marked(node)
        width, height = float(self.box_widths[node]), float(self.box_heights[node])
        ends = not tree.n_children[node] or self.hidden_leaves[node] > 0
        fill = self.paint.fill(node, is_end=ends)
        if self.sketch:
            fill = self.paint.mark(node, is_end=ends, otherwise=PALE_INK)
        return Box(
            x - width / 2,
            y,
            width,
            height,
            fill,
            stroke=ACCENT if marked else "" if self.sketch else PALE_INK,
            line=2.5 if marked else 0.8,
            dashed=self.hidden_leaves[node] > 0 or bool(tree.weight[node] == 0),
            radius=0.0 if self.sketch else self.frame.style.radius,
        )

    def _lines(self, left: float, top: float) -> tuple[Line, ...]:
        """The branches: straight down to the end of the level, then across to the child."""
        proportions, parent, layout = self._proportions(), self.tree.parent, self.layout
        depths = self.tree.node_depths
        lines = []
        for node in range(1, self.n_shown):
            above = int(parent[node])
            level = int(depths[above])
            x, bottom = layout.x[above] + left, layout.tops[level] + layout.heights[level]
            start = layout.y[above] + self.branch_line[above] + self.box_heights[above]
            points = (
                (float(x), float(start) + top),
                (float(x), float(bottom) + top + 2),
                *self._branch_end(node, left, top),
            )
            thickness = THINNEST + (THICKEST - THINNEST) * float(proportions[node])
            marked = self._is_marked(node)
            thickness = max(thickness, 2.0) if marked else thickness
            lines.append(Line(points, thickness, ACCENT if marked else EDGE))
        return tuple(sorted(lines, key=lambda line: line.colour == ACCENT))

    def _branch_end(self, node: int, left: float, top: float) -> tuple[tuple[float, float], ...]:
        """The end of a branch: above its node, or along the stem of a table at its line."""
        y = float(self.layout.y[node]) + top
        if node not in self.tables:
            return ((float(self.layout.x[node]) + left, y),)
        x, head = self._cell_left(node) + left + 3, self.layout.y[self.tables[node].first]
        middle = y + HEAD_LINE / 2 + 1
        return (x, float(head) + top - CELL_GAP), (x, middle), (x + STEM - 6, middle)

    # ---------------------------------------------------------------- text around the nodes

    def _labels(self, left: float, top: float) -> list[Drawn]:
        """The splits of many rows in a sketch, each above its node if there is space."""
        layout, labels = self.layout, []
        gaps = np.diff(layout.tops) - layout.heights[:-1]
        if len(gaps) and gaps.min() < SMALL_LINE:
            return []
        free_from = [-inf] * (self.depth + 1)
        inner = self.tree.n_children[: self.n_shown] > 0
        for node in np.flatnonzero(inner & (self._proportions() >= MIN_LABELLED)).tolist():
            level, text = int(self.tree.node_depths[node]), self.writer.head(node)
            half = text_width(text) * SMALL / 2 + 3
            x = float(layout.x[node])
            beyond = node > 0 and (x - half < 0 or x + half > layout.width)
            if beyond or x - half < free_from[level] or layout.room_beside(node) < half:
                continue
            free_from[level] = x + half
            y = float(layout.y[node]) + top - 4
            paper = Box(x + left - half, y - 10, 2 * half, 13, PAPER)
            labels.append(Drawn((paper,), (Words(x + left, y, text),)))
        return labels

    def _note(self) -> str:
        hidden = self.tree.n_nodes - self.n_shown
        notes = [f"Not shown: {hidden} nodes below depth {self.depth}."] if hidden else []
        if self.sketch:
            notes.append(f"{self.n_shown} nodes: too many for text in each.")
        else:
            notes.append(self.paint.note(self.n_shown))
        return " ".join(notes).strip()
