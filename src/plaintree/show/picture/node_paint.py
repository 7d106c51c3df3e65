"""The colours and bars of drawn nodes: of classes by purity, of numbers on a common scale."""

from __future__ import annotations

import numpy as np

from plaintree.tree.prediction import spread_of
from plaintree.tree.tree import Tree

from .marks import Box, bar_note, class_bar
from .palette import PAPER, class_colour, tint, value_tint
from .scale import ValueScale
from .style import NodeStyle


class NodePaint:
    """Paints the nodes of a tree; ``scale`` is that of its numbers, None for classes."""

    def __init__(self, tree: Tree, style: NodeStyle) -> None:
        self.tree, self.style = tree, style
        self.scale = None if tree.schema.classes else ValueScale.of(tree)

    def fill(self, node: int, *, is_end: bool) -> str:
        """The background of a node: of a class the stronger the purer, of a number the greater."""
        if not self._is_filled(is_end):
            return PAPER
        tree = self.tree
        if self.scale is not None:
            return value_tint(self.scale.fraction(float(tree.prediction[node])))
        label, weight = int(tree.label[node]), float(tree.weight[node])
        return tint(label, float(tree.class_weights[node, label]) / weight if weight else 0.0)

    def mark(self, node: int, *, is_end: bool, otherwise: str) -> str:
        """The colour of a node without text: that of its class or number, if it is filled."""
        if not is_end and self.style.filled is not True:
            return otherwise
        if self.scale is not None:
            return self.scale.colour(float(self.tree.prediction[node]))
        return class_colour(int(self.tree.label[node]))

    def _is_filled(self, is_end: bool) -> bool:
        return self.style.filled is True or (is_end and self.style.filled == "leaves")

    def bar(self, node: int, x: float, y: float, size: tuple[float, float]) -> list[Box]:
        """The classes of a node as a bar, or its number and spread on the scale."""
        tree = self.tree
        if self.scale is None:
            return class_bar(tree.class_weights[node].tolist(), x, y, size)
        distance = spread_of(tree, node).distance
        return self.scale.bar(float(tree.prediction[node]), distance, x, y, size)

    def note(self, n_shown: int) -> str:
        """The note on the bars of the first nodes."""
        if self.scale is None:
            by_class = self.tree.class_weights[:n_shown]
            return bar_note(int(np.count_nonzero(by_class, axis=1).max()))
        name = str(spread_of(self.tree, 0).name)
        name = "sd of a Poisson distribution" if name == "half deviance" else name
        return f"Bars: one {name} on either side of the prediction, on this scale."
