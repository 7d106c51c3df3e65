"""export_svg: a tree as SVG, for notebooks, web pages and reports.

There is no script, style sheet or link in it, and every name is escaped. Text that is too long for
a node is shortened there and is shown in full in the tooltip.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from plaintree.data.renaming import ClassNames, FeatureNames
from plaintree.tree.naming import renamed_tree

from ..folding import Depth
from .marks import Box, Drawn, Line, Picture, Words
from .palette import PAPER
from .style import Filled, Frame, NodeStyle
from .tree_picture import tree_picture

FONTS = "Helvetica, Arial, 'DejaVu Sans', sans-serif"


def export_svg(
    model_or_tree: object,
    *,
    max_depth: Depth = "auto",
    row: Any = None,
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
    """Draw a tree as SVG.

    A node shows its split, the training rows by class, and a bar of the classes in their colours
    (of many classes, the largest ones). For a numeric target, a leaf shows its number, its rows and
    their spread, and the bar has both on a common scale; the greater the number, the darker. The
    more rows they have, the wider branches and the thicker the bars of leaves are.

    Parameters
    ----------
    model_or_tree : estimator or Tree
        A fitted estimator with a ``tree_``, or a Tree.
    max_depth : int, "auto" or None, default="auto"
        Branches below this depth are folded into one leaf that counts them. "auto" shows the
        levels that fit a page, None the whole tree.
    row : dict, sequence or table of one row, default=None
        A row whose decision path is highlighted. The keys of a dict are the names shown.
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
        The picture as an ``<svg>`` element.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> svg = pt.export_svg(pt.ID3Classifier().fit(X, y), row=X[0])
    >>> svg[:4], svg.count(">Outlook<"), svg.count("leaves below")
    ('<svg', 1, 0)
    """
    tree = renamed_tree(model_or_tree, feature_names, class_names)
    style = NodeStyle(
        filled, rounded, impurity, node_ids, proportion, precision, show_weights=show_weights
    )
    return svg_of(tree_picture(tree, Frame(max_depth, row, style=style, titles=True)))


def notebook_html(model_or_tree: object) -> str:
    """The drawing for a notebook cell: it scrolls if the cell is too narrow."""
    return f'<div style="overflow-x: auto">{export_svg(model_or_tree)}</div>'


def svg_of(picture: Picture) -> str:
    """A picture as SVG."""
    size = f'width="{_number(picture.width)}" height="{_number(picture.height)}"'
    area = f'viewBox="0 0 {_number(picture.width)} {_number(picture.height)}"'
    title = _escaped(picture.title)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {area} role="img" '
        f'aria-label="{title}" font-family="{FONTS}">',
        f"<title>{title}</title>",
        f'<rect width="100%" height="100%" fill="{PAPER}"/>',
        '<g fill="none" stroke-linecap="round" stroke-linejoin="round">',
        *map(_line, picture.lines),
        "</g>",
        *(part for drawn in (*picture.nodes, picture.legend) for part in _drawn(drawn)),
        "</svg>",
    ]
    return "\n".join(parts)


def _drawn(drawn: Drawn) -> Iterator[str]:
    yield "<g>"
    if drawn.title:
        yield f"<title>{_escaped(drawn.title)}</title>"
    yield from map(_box, drawn.boxes)
    yield from map(_words, drawn.words)
    yield "</g>"


def _line(line: Line) -> str:
    points = " ".join(f"{_number(x)},{_number(y)}" for x, y in line.points)
    width = _number(line.width)
    return f'<polyline points="{points}" stroke="{line.colour}" stroke-width="{width}"/>'


def _box(box: Box) -> str:
    paint = f'fill="{box.fill or "none"}"'
    if box.stroke:
        paint += f' stroke="{box.stroke}" stroke-width="{_number(box.line)}"'
        paint += ' stroke-dasharray="4 3"' if box.dashed else ""
    place = f'x="{_number(box.x)}" y="{_number(box.y)}"'
    paint += f' rx="{_number(box.radius)}"' if box.radius else ""
    return f'<rect {place} width="{_number(box.width)}" height="{_number(box.height)}" {paint}/>'


def _words(words: Words) -> str:
    place = f'x="{_number(words.x)}" y="{_number(words.y)}" font-size="{_number(words.size)}"'
    place += f' fill="{words.colour}" text-anchor="{words.anchor}"'
    place += ' font-weight="bold"' if words.bold else ""
    return f"<text {place}>{_escaped(words.text)}</text>"


def _escaped(text: str) -> str:
    """Text escaped for SVG and HTML; names have no control characters any more."""
    return escape(text, quote=True)


def _number(value: float) -> str:
    """A length to a tenth of a pixel."""
    return f"{value:.1f}".removesuffix(".0")
