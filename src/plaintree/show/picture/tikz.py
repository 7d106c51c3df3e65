"""export_tikz: a tree as TikZ for LaTeX, the same drawing as the SVG.

Letters of most Latin scripts and a few symbols are printed by every LaTeX program. All others are
printed by lualatex and xelatex, with a font that has them; pdflatex prints their numbers instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from plaintree.data.latex import _ANY_LETTER, latex_text
from plaintree.data.renaming import ClassNames, FeatureNames
from plaintree.tree.naming import renamed_tree

from ..folding import Depth
from .marks import FONT, Box, Line, Picture, Words
from .style import Filled, Frame, NodeStyle
from .tree_picture import tree_picture

CENTIMETRE = 96 / 2.54
PREAMBLE = r"""\documentclass[border=2pt]{standalone}
\usepackage{iftex}
\iftutex
\usepackage{fontspec}
%s\else
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{textcomp}
\fi
\usepackage{tikz}
\begin{document}
"""
WIDE_FONT = r"""\IfFontExistsTF{DejaVu Sans}{\setsansfont{DejaVu Sans}}{}
\tracinglostchars=3 % a letter that the font lacks is an error
"""
HINT = r"""% Letters that are not Latin are printed by lualatex and xelatex, with a font
% that has them (\usepackage{fontspec}\setsansfont{...}); pdflatex prints their numbers,
% as 04 above 16 in the place of U+0416.
"""


def export_tikz(
    model_or_tree: object,
    *,
    max_depth: Depth = None,
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
    standalone: bool = False,
) -> str:
    r"""Draw a tree as a ``tikzpicture`` for LaTeX.

    The document needs ``\usepackage{tikz}``, and ``\usepackage[T1]{fontenc}`` for quotation marks.
    Letters that are not Latin need lualatex or xelatex, and a font that has them
    (``\usepackage{fontspec}\setsansfont{...}``); pdflatex prints their numbers instead, as 04 above
    16 in the place of U+0416.

    Parameters
    ----------
    model_or_tree : estimator or Tree
        A fitted estimator with a ``tree_``, or a Tree.
    max_depth : int, "auto" or None, default=None
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
    standalone : bool, default=False
        Whether to write a whole document, of which pdflatex, lualatex or xelatex make a page of
        the tree's size. Letters that are not Latin are set in DejaVu Sans, if it is installed; one
        that the font lacks is an error, never left out.

    Returns
    -------
    str
        The picture as LaTeX source.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> print(pt.export_tikz(pt.ID3Classifier().fit(X, y)).splitlines()[0])
    \begin{tikzpicture}[x=1cm, y=-1cm]
    """
    tree = renamed_tree(model_or_tree, feature_names, class_names)
    style = NodeStyle(
        filled, rounded, impurity, node_ids, proportion, precision, show_weights=show_weights
    )
    frame = Frame(max_depth, row, most_width=700, style=style)
    drawing = "\n".join(_lines_of(tree_picture(tree, frame)))
    foreign = _ANY_LETTER in drawing
    if not standalone:
        return HINT + drawing if foreign else drawing
    return PREAMBLE % (WIDE_FONT if foreign else "") + drawing + "\n\\end{document}\n"


def _lines_of(picture: Picture) -> Iterator[str]:
    drawn = (*picture.nodes, picture.legend)
    yield r"\begin{tikzpicture}[x=1cm, y=-1cm]"
    colours = {
        *(line.colour for line in picture.lines),
        *(box.fill for one in drawn for box in one.boxes),
        *(box.stroke for one in drawn for box in one.boxes),
        *(words.colour for one in drawn for words in one.words),
    }
    for colour in sorted(colours - {""}):
        yield rf"\definecolor{{{_colour(colour)}}}{{HTML}}{{{colour[1:].upper()}}}"
    yield from map(_line, picture.lines)
    for one in drawn:
        yield from map(_box, one.boxes)
        yield from map(_words, one.words)
    yield r"\end{tikzpicture}"


def _colour(colour: str) -> str:
    return f"tree{colour[1:]}"


def _line(line: Line) -> str:
    points = " -- ".join(_point(x, y) for x, y in line.points)
    width = f"line width={line.width * 0.75:.2f}pt"
    return rf"\draw[{_colour(line.colour)}, {width}, line cap=round, line join=round] {points};"


def _box(box: Box) -> str:
    options = [f"fill={_colour(box.fill)}"] if box.fill else []
    if box.stroke:
        options += [f"draw={_colour(box.stroke)}", f"line width={box.line * 0.75:.2f}pt"]
        options += ["dashed"] if box.dashed else []
    if box.radius:
        options.append(f"rounded corners={box.radius * 0.75:.2f}pt")
    corners = f"{_point(box.x, box.y)} rectangle {_point(box.x + box.width, box.y + box.height)}"
    return rf"\path[{', '.join(options)}] {corners};"


def _words(words: Words) -> str:
    anchor = "base" if words.anchor == "middle" else "base west"
    size = r"\small" if words.size >= FONT else r"\footnotesize"
    font = rf"font={size}\sffamily" + (r"\bfseries" if words.bold else "")
    options = f"anchor={anchor}, inner sep=0pt, {font}, text={_colour(words.colour)}"
    text = latex_text(words.text, number=_stacked_number)
    return rf"\node[{options}] at {_point(words.x, words.y)} {{{text}}};"


def _point(x: float, y: float) -> str:
    return f"({x / CENTIMETRE:.3f}, {y / CENTIMETRE:.3f})"


def _stacked_number(letter: str) -> str:
    r"""The number of a letter in the space of the letter: two lines of half the size."""
    digits = f"{ord(letter):04X}"
    digits = digits.zfill(len(digits) + len(digits) % 2)
    half = len(digits) // 2
    return rf"\scalebox{{.5}}{{\shortstack{{{digits[:half]}\\{digits[half:]}}}}}\kern.1em "
