"""How a drawn tree looks: the options that all drawings and graph languages share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from plaintree.errors import not_allowed
from plaintree.stats.impurity import measure_of
from plaintree.tree.tree import Tree

from ..folding import Depth
from ..numbers import MAX_DECIMALS, check_count

Filled = bool | Literal["leaves"]
RADIUS = 4.0
"""The radius of rounded corners."""
DIGITS = 3
"""The decimals of an impurity, unless a precision is given."""


@dataclass(frozen=True)
class NodeStyle:
    """What nodes show and how they are painted; see :func:`plaintree.plot_tree`."""

    filled: Filled = "leaves"
    rounded: bool = False
    impurity: bool = False
    node_ids: bool = False
    proportion: bool = False
    precision: int | None = None
    show_weights: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.filled, bool) and self.filled != "leaves":
            raise not_allowed("filled", self.filled, (True, False, "leaves"))
        if self.precision is not None:
            check_count("precision", self.precision, 0, MAX_DECIMALS)

    @property
    def radius(self) -> float:
        """The radius of the corners of boxes."""
        return RADIUS if self.rounded else 0.0

    @property
    def has_note(self) -> bool:
        """Whether nodes have a line for their number and impurity."""
        return self.impurity or self.node_ids

    def note(self, tree: Tree, node: int) -> str:
        """The number and the impurity of a node, if they are shown."""
        parts = [f"node {node}"] if self.node_ids else []
        if self.impurity:
            conventions = tree.conventions
            name = measure_of(conventions.criterion) if conventions else "impurity"
            digits = DIGITS if self.precision is None else self.precision
            parts.append(f"{name} = {tree.impurity[node]:.{digits}f}")
        return ", ".join(parts)


@dataclass(frozen=True)
class Frame:
    """The space for a drawing and what to draw there; see :func:`plaintree.export_svg`."""

    max_depth: Depth = "auto"
    row: Any = None
    most_width: float = 1200.0
    most_height: float = 1400.0
    style: NodeStyle = field(default_factory=NodeStyle)
    titles: bool = False
    """Whether nodes have a tooltip."""
