"""Escaping of text for LaTeX."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "-": "{-}",  # two of them would become a dash
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≠": r"$\neq$",
    "×": r"$\times$",
    "…": r"\dots{}",
}


_ANY_LETTER = r"\ifdefined\Umathchar"
"""Whether the engine takes any letter: lualatex and xelatex do, and have this command."""


_WITHOUT_GLYPH = "\u00adĦħĸĿŀŉŦŧſ"


LETTERS = frozenset(map(chr, (*range(0x20, 0x7F), *range(0xA1, 0x180)))).union(
    "≤≥≠×…–—‘’“”„‚‹›€•†‡‰™ȘșȚț"
) - frozenset(_WITHOUT_GLYPH)
"""The characters that pdflatex prints with T1 fonts, or that are written as commands."""


def number_of_letter(letter: str) -> str:
    """The number of a letter, in full."""
    return f"[U+{ord(letter):04X}]"


def latex_text(
    text: str, unescaped: str = "", number: Callable[[str], str] = number_of_letter
) -> str:
    r"""Escape text for LaTeX; pdflatex prints the codes of characters that it has no font for.

    Signs in ``unescaped`` are written as they are; ``number`` writes the number of a letter.

    >>> print(latex_text("50 % of x_1 ≤ 3"))
    50 \% of x\_1 $\leq$ 3
    >>> print(latex_text("α angle"))
    \ifdefined\Umathchar α\else [U+03B1]\fi{} angle
    """
    parts = []
    for known, run in groupby(text, key=LETTERS.__contains__):
        letters = list(run)
        if known:
            parts += [c if c in unescaped else _SPECIAL.get(c, c) for c in letters]
            continue
        numbers = [number(c) for c in letters]
        shown = [c if c.isprintable() else n for c, n in zip(letters, numbers, strict=True)]
        parts.append(rf"{_ANY_LETTER} {''.join(shown)}\else {''.join(numbers)}\fi{{}}")
    return "".join(parts)
