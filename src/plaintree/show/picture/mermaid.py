"""export_mermaid: a tree as a Mermaid flowchart, which many Markdown viewers draw."""

from __future__ import annotations

from collections.abc import Iterator

from plaintree.data.renaming import ClassNames, FeatureNames
from plaintree.tree.naming import renamed_tree

from .graph import GraphNode, graph_nodes
from .palette import INK, PALE_INK
from .style import Filled, NodeStyle

# Mermaid reads # as the start of a character number, and labels as Markdown and HTML, in which even
# "1. " starts a list.
_PLAIN = " .,:;!?()=+/≤≥≠×…"


def export_mermaid(
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
    """Write a tree as a Mermaid flowchart.

    Splits are in boxes, predicted classes in rounded ones. By default, Mermaid draws at most 50,000
    characters (about 400 nodes) and 500 edges: fold larger trees with ``max_depth``.

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
        The graph in Mermaid's language.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_and()
    >>> print(pt.export_mermaid(pt.ID3Classifier().fit(X, y), max_depth=1))
    flowchart TD
      n0["x1 ≤ 0.5<br>0: 3, 1: 1"]
      n1(["0<br>2 rows"])
      n2(["0<br>0: 1, 1: 1<br>… 2 leaves below"])
      n0 -->|"yes"| n1
      n0 -->|"no"| n2
      style n0 fill:#ffffff,stroke:#6b6b6b,color:#1b1b1b
      style n1 fill:#a6cee4,stroke:#6b6b6b,color:#1b1b1b
      style n2 fill:#c6dfee,stroke:#6b6b6b,color:#1b1b1b,stroke-dasharray:4 3
    """
    tree = renamed_tree(model_or_tree, feature_names, class_names)
    style = NodeStyle(
        filled, rounded, impurity, node_ids, proportion, precision, show_weights=show_weights
    )
    return "\n".join(_lines(graph_nodes(tree, max_depth, style), style))


def _lines(nodes: list[GraphNode], style: NodeStyle) -> Iterator[str]:
    yield "flowchart TD"
    for node in nodes:
        left, right = ("([", "])") if node.is_end else "()" if style.rounded else "[]"
        label = "<br>".join(map(_escaped, node.lines))
        yield f'  n{node.number}{left}"{label}"{right}'
    for node in nodes[1:]:
        yield f'  n{node.parent} -->|"{_escaped(node.branch)}"| n{node.number}'
    for node in nodes:
        dashed = ",stroke-dasharray:4 3" if node.is_folded else ""
        yield f"  style n{node.number} fill:{node.fill},stroke:{PALE_INK},color:{INK}{dashed}"


def _escaped(text: str) -> str:
    """Text in which every character with a meaning is written as its number."""
    written = "".join(c if c.isalnum() or c in _PLAIN else f"#{ord(c)};" for c in text)
    return written.replace(". ", "#46; ")
