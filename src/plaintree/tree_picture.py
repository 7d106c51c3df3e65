"""A tree as a picture: which nodes are shown, how large they are, and what is drawn of each.

1. The nodes down to some depth are shown. They are the first ones, since nodes are numbered level
   by level; those of the last level that have branches are *folded*: drawn as the leaf they would
   be, with the number of leaves below.
2. A node is a block: the words of the branch that leads to it, and below them a box with its words
   and a bar of its classes. A leaf's bar is the thicker, the more rows it has. The layout keeps
   blocks apart, so nothing overlaps.
3. Branches are the wider, the more of all rows take them.
4. Where there is no room for words in every node (``sketch``), nodes are small marks, squeezed
   until they fit, and only the tests of many rows are written above theirs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .folding import Depth, checked_depth, fold_note, hidden_leaves, leaves_below, shown_nodes
from .layout import Layout, tidy_layout
from .node_text import NodeText, NodeWriter, answer_tint, fitted, legend_words, text_width
from .one_row import encoded_row, reached_shares
from .palette import ACCENT, EDGE, INK, PALE_INK, PAPER, class_colour
from .picture import BOLD, FONT, SMALL, Box, Drawn, Line, Picture, Words
from .tree import Tree

PAD, MARGIN = 6.0, 8.0
HEAD_LINE, SMALL_LINE = 16.0, 14.0
LEAST_BAR, MOST_BAR = 4.0, 18.0
LEAST_BOX = 36.0
GAP, LEVEL_GAP = 10.0, 28.0
THINNEST, THICKEST = 0.8, 7.0
"""Of branches."""
LEAST_LABELLED = 0.02
"""The share of rows from which on a node of a sketch may have words."""
LEGEND_CLASSES = 12
LEAST_WIDTH = 170.0
"""Of a whole picture, for the legend and a note to find room."""


@dataclass(frozen=True)
class Frame:
    """How much room there is, and what to draw: see :func:`tree_picture`."""

    max_depth: Depth = "auto"
    row: Any = None
    most_width: float = 1200.0
    most_height: float = 1400.0
    show_counts: bool = True
    titles: bool = False
    """Whether nodes carry a text that is seen on pointing at them."""


def tree_picture(tree: Tree, frame: Frame, *, sketch: bool = False) -> Picture:
    """Draw a tree.

    ``max_depth`` "auto" shows as many levels as the room has place for, at least one; None shows
    all. ``row`` is a row whose way through the tree is marked. A sketch has no words in nodes and
    is as wide as the room at most.
    """
    path = None if frame.row is None else reached_shares(tree, encoded_row(tree, frame.row))
    subject = _Subject(tree, NodeWriter(tree), frame, path, leaves_below(tree))
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
    """What is drawn: a tree, its words, the share of a row at every node, and the leaves below."""

    tree: Tree
    writer: NodeWriter
    frame: Frame
    path: NDArray[np.float64] | None
    leaves_below: list[int]


class _Artist:
    """Draws the nodes of a tree down to a depth."""

    def __init__(self, subject: _Subject, depth: int, sketch: bool) -> None:
        self.tree, self.writer, self.frame = subject.tree, subject.writer, subject.frame
        self.path, self.depth, self.sketch = subject.path, depth, sketch
        self.n_shown = shown_nodes(self.tree, depth)
        self.hidden_leaves = hidden_leaves(self.tree, depth, subject.leaves_below)

    # ---------------------------------------------------------------- what is shown

    @cached_property
    def texts(self) -> list[NodeText]:
        folded = self.hidden_leaves
        return [self.writer.text(i, folded=bool(folded[i])) for i in range(self.n_shown)]

    # ---------------------------------------------------------------- where it stands

    @cached_property
    def bars(self) -> NDArray[np.float64]:
        """How thick the bar of every node is."""
        if self.sketch:
            return np.zeros(self.n_shown)
        ends = self.tree.n_children[: self.n_shown] == 0
        shares = self._shares()
        return np.where(ends, LEAST_BAR + (MOST_BAR - LEAST_BAR) * np.sqrt(shares), LEAST_BAR)

    def _shares(self) -> NDArray[np.float64]:
        """The share of all weight that every shown node has."""
        return self.tree.weight[: self.n_shown] / max(float(self.tree.weight[0]), 1e-300)

    @cached_property
    def box_widths(self) -> NDArray[np.float64]:
        if self.sketch:
            return self._mark_sizes() * self._squeezed[1]
        return self._words_widths()

    def _mark_sizes(self) -> NDArray[np.float64]:
        return 4 + 10 * np.sqrt(self._shares())

    def _words_widths(self) -> NDArray[np.float64]:
        """How wide boxes must be for their words."""
        widest = [self._words_width(node) for node in range(self.n_shown)]
        return np.maximum(np.array(widest) + 2 * PAD, LEAST_BOX)

    def _words_width(self, node: int) -> float:
        text = self.texts[node]
        widest = text_width(text.head) * FONT * BOLD
        if self.frame.show_counts:
            widest = max(widest, text_width(text.counts) * SMALL)
        return max(widest, text_width(fold_note(self.hidden_leaves[node])) * SMALL)

    @cached_property
    def box_heights(self) -> NDArray[np.float64]:
        if self.sketch:
            return self._mark_sizes()
        lines = HEAD_LINE + SMALL_LINE * self.frame.show_counts + 4
        folds = [SMALL_LINE if hidden else 0.0 for hidden in self.hidden_leaves]
        heights: NDArray[np.float64] = lines + self.bars + np.array(folds)
        return heights

    @cached_property
    def branch_line(self) -> NDArray[np.float64]:
        """The height of the words above each box; the root has none."""
        height = 0.0 if self.sketch else SMALL_LINE
        return np.where(np.arange(self.n_shown) == 0, 0.0, height)

    @cached_property
    def layout(self) -> Layout:
        if self.sketch:
            return self._squeezed[0]
        branches = [text_width(text.branch) * SMALL + 4 for text in self.texts]
        return self._tidy(np.maximum(self.box_widths, branches), GAP, LEVEL_GAP)

    @cached_property
    def _squeezed(self) -> tuple[Layout, float]:
        """A sketch's layout, no wider than the room, and by how much it had to be narrowed."""
        n_gaps, marks = self.depth, self._mark_sizes()
        room = (self.frame.most_height - 10 * (n_gaps + 1)) / max(n_gaps, 1)
        layout = self._tidy(marks, 3.0, min(max(room, 4.0), LEVEL_GAP))
        narrower = min(1.0, self.frame.most_width / layout.width)
        width = layout.width * narrower
        return replace(layout, x=layout.x * narrower, width=width), narrower

    def _tidy(self, widths: NDArray[np.float64], gap: float, level_gap: float) -> Layout:
        return tidy_layout(
            self.tree.parent[: self.n_shown],
            widths,
            self.box_heights + self.branch_line,
            gap=gap,
            level_gap=level_gap,
            slope=0.0 if self.sketch else 0.12,
        )

    # ---------------------------------------------------------------- what is drawn

    def picture(self) -> Picture:
        layout, words = self.layout, self.writer.schema
        width = max(layout.width, LEAST_WIDTH)
        left = MARGIN + (width - layout.width) / 2
        top = MARGIN + (SMALL_LINE + 4 if self.sketch else 0.0)
        nodes = [self._node(i, left, top) for i in range(self.n_shown)]
        if self.sketch:
            nodes += self._labels(left, top)
        legend, height = self._legend(width, top + layout.height + 12)
        n_tests = self.tree.size
        return Picture(
            width=width + 2 * MARGIN,
            height=height + MARGIN,
            lines=self._lines(left, top),
            nodes=tuple(nodes),
            legend=legend,
            title=f"Decision tree for {words.target}: {n_tests} test{'s' * (n_tests != 1)}, "
            f"{self.tree.n_leaves} leaves",
        )

    def _node(self, node: int, left: float, top: float) -> Drawn:
        x, y = float(self.layout.x[node]) + left, float(self.layout.y[node]) + top
        y += float(self.branch_line[node])
        width, height = float(self.box_widths[node]), float(self.box_heights[node])
        frame, marked = self._frame_of(node, x, y), self._is_marked(node)
        if self.sketch:
            return Drawn((frame,), ())
        text, bar = self.texts[node], float(self.bars[node])
        lines = [Words(x, y + 13, text.head, FONT, bold=True)]
        if self.frame.show_counts:
            lines.append(Words(x, y + 13 + SMALL_LINE, text.counts))
        if self.hidden_leaves[node]:
            base = y + height - bar - 5
            lines.append(Words(x, base, fold_note(self.hidden_leaves[node]), colour=PALE_INK))
        if text.branch:
            colour = ACCENT if marked else INK
            lines.append(Words(x, y - 4, text.branch, bold=marked, colour=colour))
        bar_boxes = self._bar(node, x - width / 2, y + height - bar, width, bar)
        outline = Box(frame.x, frame.y, width, height, "", frame.stroke, frame.line, frame.dashed)
        title = self.writer.title(node) if self.frame.titles else ""
        return Drawn((frame, *bar_boxes, outline), tuple(lines), title)

    def _is_marked(self, node: int) -> bool:
        return self.path is not None and bool(self.path[node] > 0)

    def _frame_of(self, node: int, x: float, y: float) -> Box:
        """The box of a node: white, or in the pale colour of what a leaf answers."""
        tree, marked = self.tree, self._is_marked(node)
        width, height = float(self.box_widths[node]), float(self.box_heights[node])
        label, weight = int(tree.label[node]), float(tree.weight[node])
        ends = not tree.n_children[node] or self.hidden_leaves[node] > 0
        fill = answer_tint(tree, node) if ends else PAPER
        if self.sketch:
            fill = class_colour(label) if ends else PALE_INK
        return Box(
            x - width / 2,
            y,
            width,
            height,
            fill,
            stroke=ACCENT if marked else "" if self.sketch else PALE_INK,
            line=2.5 if marked else 0.8,
            dashed=self.hidden_leaves[node] > 0 or weight == 0,
        )

    def _bar(self, node: int, x: float, y: float, width: float, height: float) -> list[Box]:
        """The classes of a node's rows, side by side."""
        weights = self.tree.class_weights[node]
        total = float(weights.sum())
        boxes = []
        for number in np.flatnonzero(weights).tolist():
            part = width * float(weights[number]) / total
            boxes.append(Box(x, y, part, height, class_colour(number)))
            x += part
        return boxes

    def _lines(self, left: float, top: float) -> tuple[Line, ...]:
        """The branches: straight down to the end of the level, then across to the child."""
        shares, parent, layout = self._shares(), self.tree.parent, self.layout
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
                (float(layout.x[node]) + left, float(layout.y[node]) + top),
            )
            thickness = THINNEST + (THICKEST - THINNEST) * float(shares[node])
            marked = self._is_marked(node)
            thickness = max(thickness, 2.0) if marked else thickness
            lines.append(Line(points, thickness, ACCENT if marked else EDGE))
        return tuple(sorted(lines, key=lambda line: line.colour == ACCENT))

    # ---------------------------------------------------------------- words around the nodes

    def _labels(self, left: float, top: float) -> list[Drawn]:
        """Of a sketch, the tests of many rows, each above its node if there is room."""
        layout, labels = self.layout, []
        gaps = np.diff(layout.tops) - layout.heights[:-1]
        if len(gaps) and gaps.min() < SMALL_LINE:
            return []
        free_from = [-inf] * (self.depth + 1)
        inner = self.tree.n_children[: self.n_shown] > 0
        for node in np.flatnonzero(inner & (self._shares() >= LEAST_LABELLED)).tolist():
            level, text = int(self.tree.node_depths[node]), self.writer.head(node)
            half = text_width(text) * SMALL / 2 + 3
            x = float(layout.x[node])
            beyond = node > 0 and (x - half < 0 or x + half > layout.width)
            if beyond or x - half < free_from[level] or self._is_crowded(node, half):
                continue
            free_from[level] = x + half
            y = float(layout.y[node]) + top - 4
            paper = Box(x + left - half, y - 10, 2 * half, 13, PAPER)
            labels.append(Drawn((paper,), (Words(x + left, y, text),)))
        return labels

    def _is_crowded(self, node: int, reach: float) -> bool:
        """Whether a neighbour on the same level is nearer than that."""
        depths, x = self.tree.node_depths, self.layout.x
        return any(
            0 <= other < self.n_shown
            and depths[other] == depths[node]
            and abs(x[other] - x[node]) < reach
            for other in (node - 1, node + 1)
        )

    def _legend(self, width: float, top: float) -> tuple[Drawn, float]:
        """The classes with their colours and a note on what is not shown, and where they end."""
        names = legend_words(self.tree.schema)
        boxes, words, x, y = [], [], MARGIN, top
        shown = names if len(names) <= LEGEND_CLASSES else names[: LEGEND_CLASSES - 1]
        for number, name in enumerate(shown):
            needed = 16 + text_width(name) * SMALL + 12
            if x > MARGIN and x + needed > MARGIN + width:
                x, y = MARGIN, y + SMALL_LINE
            boxes.append(Box(x, y, 10, 10, class_colour(number)))
            words.append(Words(x + 14, y + 9, name, anchor="start"))
            x += needed
        if len(names) > len(shown):
            y += SMALL_LINE
            more = f"… {len(names) - len(shown)} more classes"
            words.append(Words(MARGIN, y + 9, more, anchor="start", colour=PALE_INK))
        for line in _broken(self._note(), width / SMALL):
            y += SMALL_LINE
            words.append(Words(MARGIN, y + 9, line, anchor="start", colour=PALE_INK))
        return Drawn(tuple(boxes), tuple(words)), y + SMALL_LINE

    def _note(self) -> str:
        hidden = self.tree.n_nodes - self.n_shown
        notes = [f"Not shown: {hidden} nodes below depth {self.depth}."] if hidden else []
        if self.sketch:
            notes.append(f"{self.n_shown} nodes: too many for words in each.")
        return " ".join(notes)


def _broken(text: str, width: float) -> list[str]:
    """A text on lines no wider than that."""
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}") <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(fitted(word, width))
    return lines
