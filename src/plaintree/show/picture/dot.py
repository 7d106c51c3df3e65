"""A tree in DOT, the language of Graphviz, for those who lay out graphs with it."""

from __future__ import annotations

from collections.abc import Iterator

from plaintree.tree.tree import tree_of

from .graph import GraphNode, graph_nodes
from .palette import PALE_INK


def export_dot(model_or_tree: object, *, max_depth: int | None = None) -> str:
    """Write a tree as a directed graph in DOT.

    A node shows its test or its answer, and the training rows. Leaves are in the pale colour of
    their class.

    Parameters
    ----------
    model_or_tree
        A fitted model (anything with a ``tree_``) or a Tree.
    max_depth
        Branches below this depth are folded into one leaf that counts them.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.show.picture.dot import export_dot
    >>> X, y = pt.datasets.load_xor()
    >>> print(export_dot(pt.ID3Classifier().fit(X, y), max_depth=1))
    digraph tree {
      node [shape=box, style=filled, fontname="Helvetica", fontsize=11, color="#6b6b6b"];
      edge [fontname="Helvetica", fontsize=10, color="#6b6b6b"];
      n0 [label="x1 ≤ 0.5\\n0 ×2, 1 ×2", fillcolor="#ffffff"];
      n1 [label="0\\n0 ×1, 1 ×1\\n… 2 leaves below", fillcolor="#c6dfee", style="filled,dashed"];
      n2 [label="0\\n0 ×1, 1 ×1\\n… 2 leaves below", fillcolor="#c6dfee", style="filled,dashed"];
      n0 -> n1 [label="yes"];
      n0 -> n2 [label="no"];
    }
    """
    nodes = graph_nodes(tree_of(model_or_tree), max_depth)
    return "\n".join(_lines(nodes))


def _lines(nodes: list[GraphNode]) -> Iterator[str]:
    font = 'fontname="Helvetica"'
    yield "digraph tree {"
    yield f'  node [shape=box, style=filled, {font}, fontsize=11, color="{PALE_INK}"];'
    yield f'  edge [{font}, fontsize=10, color="{PALE_INK}"];'
    for node in nodes:
        label = "\\n".join(map(_escaped, node.lines))
        dashed = ', style="filled,dashed"' if node.is_folded else ""
        yield f'  n{node.number} [label="{label}", fillcolor="{node.fill}"{dashed}];'
    for node in nodes[1:]:
        yield f'  n{node.parent} -> n{node.number} [label="{_escaped(node.branch)}"];'
    yield "}"


def _escaped(text: str) -> str:
    """Text inside quotation marks; a backslash would begin one of DOT's own signs, and an
    ampersand a character of HTML."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
