"""A tree as nodes and edges with text and colours, for graph languages with their own layout."""

from __future__ import annotations

from dataclasses import dataclass

from plaintree.tree.tree import Tree

from ..folding import checked_depth, fold_note, hidden_leaves, leaves_below, shown_nodes
from .node_paint import NodePaint
from .node_text import NodeWriter
from .style import NodeStyle


@dataclass(frozen=True)
class GraphNode:
    """A node: its number, that of its parent (-1: none) and the text of the edge from there.

    - ``lines``: its text; ``fill``: its colour.
    - ``is_end``: whether it is drawn as a leaf; ``is_folded``: although it has branches.
    """

    number: int
    parent: int
    branch: str
    lines: tuple[str, ...]
    fill: str
    is_end: bool
    is_folded: bool


def graph_nodes(
    tree: Tree, max_depth: int | None = None, style: NodeStyle | None = None
) -> list[GraphNode]:
    """The nodes of a tree down to a depth, level by level."""
    checked_depth(max_depth, automatic=False)
    hidden, writer = hidden_leaves(tree, max_depth, leaves_below(tree)), NodeWriter(tree, style)
    paint, shown = NodePaint(tree, writer.style), range(shown_nodes(tree, max_depth))
    return [_graph_node(writer, paint, node, hidden[node]) for node in shown]


def _graph_node(writer: NodeWriter, paint: NodePaint, node: int, n_hidden: int) -> GraphNode:
    tree, text = writer.tree, writer.text(node, folded=n_hidden > 0)
    is_end = n_hidden > 0 or not tree.n_children[node]
    return GraphNode(
        number=node,
        parent=int(tree.parent[node]),
        branch=text.branch,
        lines=(text.head, *text.below_head, *([fold_note(n_hidden)] if n_hidden else [])),
        fill=paint.fill(node, is_end=is_end),
        is_end=is_end,
        is_folded=n_hidden > 0,
    )
