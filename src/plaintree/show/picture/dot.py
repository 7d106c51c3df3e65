"""export_dot: a tree in DOT, the language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator

from plaintree.data.renaming import ClassNames, FeatureNames
from plaintree.tree.naming import renamed_tree

from .graph import GraphNode, graph_nodes
from .palette import PALE_INK
from .style import Filled, NodeStyle


def export_dot(
    model_or_tree: object,
    *,
    max_depth: int | None = None,
    feature_names: FeatureNames = None,
    class_names: ClassNames = None,
    filled: Filled = "leaves",
    rounded: bool = False,
    impurity: bool = False,
    node_ids: bool = False,
    proportion: bool = False,
    precision: int | None = None,
    show_weights: bool = True,
) -> str:
    """Write a tree as a directed graph in DOT, for Graphviz.

    A node shows its split or its predicted class, and the training rows.

    Parameters
    ----------
    model_or_tree : estimator or Tree
        A fitted estimator with a ``tree_``, or a Tree.
    max_depth : int, default=None
        Branches below this depth are folded into one leaf that counts them. None shows
        the whole tree.
    feature_names : sequence of str, default=None
        Names of the features in column order. None shows the names of the training table.
    class_names : sequence of str or True, default=None
        Names of the classes in the order of ``classes_``. None and True show the labels.
    filled : bool or "leaves", default="leaves"
        Which nodes are painted in the colour of their predicted class, the stronger the purer
        they are: all, none, or only the leaves. scikit-learn's default is False.
    rounded : bool, default=False
        Whether boxes have rounded corners.
    impurity : bool, default=False
        Whether nodes show their impurity. scikit-learn's default is True.
    node_ids : bool, default=False
        Whether nodes show their number, as in ``tree_.node(number)``. Nodes are numbered level by
        level; scikit-learn numbers them depth first.
    proportion : bool, default=False
        Whether nodes show percentages of rows instead of their numbers.
    precision : int, default=None
        Decimals of thresholds and impurities. None shows thresholds with the digits they need.
    show_weights : bool, default=True
        Whether nodes show their training rows by class (weights, if rows are weighted).

    Returns
    -------
    str
        The graph in DOT.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_xor()
    >>> print(pt.export_dot(pt.ID3Classifier().fit(X, y), max_depth=1))
    digraph tree {
      node [shape=box, style=filled, fontname="Helvetica", fontsize=11, color="#6b6b6b"];
      edge [fontname="Helvetica", fontsize=10, color="#6b6b6b"];
      n0 [label="x1 ≤ 0.5\\n0: 2, 1: 2", fillcolor="#ffffff"];
      n1 [label="0\\n0: 1, 1: 1\\n… 2 leaves below", fillcolor="#c6dfee", style="filled,dashed"];
      n2 [label="0\\n0: 1, 1: 1\\n… 2 leaves below", fillcolor="#c6dfee", style="filled,dashed"];
      n0 -> n1 [label="yes"];
      n0 -> n2 [label="no"];
    }
    """
    tree = renamed_tree(model_or_tree, feature_names, class_names)
    style = NodeStyle(
        filled, rounded, impurity, node_ids, proportion, precision, show_weights=show_weights
    )
    return "\n".join(_lines(graph_nodes(tree, max_depth, style), style))


def _lines(nodes: list[GraphNode], style: NodeStyle) -> Iterator[str]:
    font = 'fontname="Helvetica"'
    yield "digraph tree {"
    shape = '"rounded,filled"' if style.rounded else "filled"
    yield f'  node [shape=box, style={shape}, {font}, fontsize=11, color="{PALE_INK}"];'
    yield f'  edge [{font}, fontsize=10, color="{PALE_INK}"];'
    for node in nodes:
        label = "\\n".join(map(_escaped, node.lines))
        folded = f', style="{"rounded," * style.rounded}filled,dashed"'
        dashed = folded if node.is_folded else ""
        yield f'  n{node.number} [label="{label}", fillcolor="{node.fill}"{dashed}];'
    for node in nodes[1:]:
        yield f'  n{node.parent} -> n{node.number} [label="{_escaped(node.branch)}"];'
    yield "}"


def _escaped(text: str) -> str:
    """Text inside quotation marks; a backslash would start an escape sequence of DOT, and an
    ampersand an entity of HTML."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
