"""A derivation as a LaTeX document that pdflatex compiles with nothing but the base packages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from plaintree.data.latex import LETTERS, latex_text
from plaintree.show.text import export_text

from .document import (
    Answer,
    Blank,
    Block,
    Columns,
    Document,
    Drawing,
    Expression,
    Formulas,
    Grid,
    Heading,
    Listing,
    Paragraph,
    Space,
    Table,
)
from .notation import Notation, check_digits

TREE_WIDTH = 90
BREAKING_ROWS = 35
"""Longer tables are broken over pages, shorter ones shrunk to the width of the page."""

PREAMBLE = r"""\documentclass[11pt]{article}
\usepackage[utf8]{inputenc}
\usepackage[T1]{fontenc}
\usepackage{lmodern,textcomp,amsmath,longtable,graphicx}
\usepackage[a4paper,margin=25mm]{geometry}
\setlength{\parindent}{0pt}
\setlength{\parskip}{6pt plus 2pt}
\emergencystretch=3em
\newcommand{\blank}[1]{\underline{\hspace{#1em}}}
\newcommand{\fitting}[1]{\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{#1}}
\begin{document}
"""


def tex(text: str) -> str:
    """Words as LaTeX: every character is printed as it is, or its number where no font has it."""
    return "".join(map(_tex_character, text))


def _tex_character(character: str) -> str:
    if character in SIGNS:
        return SIGNS[character]
    if character in LETTERS:
        return latex_text(character)
    return rf"\mbox{{[U+{ord(character):04X}]}}"


SIGNS = {"≈": r"$\approx$", "−": r"$-$"}


@dataclass(frozen=True)
class TexNotation(Notation):
    """Formulas in TeX; words in them are upright."""

    about = r"\approx"

    def words(self, text: str) -> str:
        return tex(text)

    def figure(self, text: str) -> str:
        return {"infinity": r"\infty", "none": r"\text{none}"}.get(text, text)

    def share(self, top: str, bottom: str) -> str:
        return rf"\tfrac{{{top}}}{{{bottom}}}"

    def quotient(self, top: str, bottom: str) -> str:
        return rf"\frac{{{top}}}{{{bottom}}}"

    def call(self, name: str, of: str, given: str) -> str:
        function = name if len(name) == 1 else rf"\mathrm{{{name}}}"
        condition = rf" \mid {self.text(given)}" if given else ""
        inside = of if of == "S" else self.text(of)
        return rf"{function}({inside}{condition})"

    def text(self, words: str) -> str:
        """Upright words inside a formula."""
        return rf"\text{{{self.words(words)}}}"

    def log(self, of: str, *, natural: bool = False) -> str:
        return rf"\ln {of}" if natural else rf"\log_2 {of}"

    def absolute(self, of: str) -> str:
        return rf"\left|{of}\right|"

    def square(self, of: str) -> str:
        return rf"{of}^2"

    def product(self, factors: Sequence[str]) -> str:
        written = factors[0]
        for factor in factors[1:]:
            written += (
                rf"\, {factor}" if factor.startswith((r"\log", r"\ln")) else rf" \cdot {factor}"
            )
        return written

    def parentheses(self, inside: str) -> str:
        return rf"\left({inside}\right)" if r"\tfrac" in inside else f"({inside})"

    def blank(self, width: int) -> str:
        return rf"\blank{{{width / 2:g}}}"

    def signed(self, sign: str, term: str, *, first: bool) -> str:
        if first:
            return term if sign == "+" else f"-{term}"
        return f" {sign} {term}"

    def unit(self, unit: str) -> str:
        return rf"\ \text{{{self.words(unit)}}}"

    def inline(self, expression: Expression) -> str:
        if isinstance(expression, Answer) and isinstance(expression.of, str):
            return self.words(expression.of)
        if isinstance(expression, Blank):
            return self.blank(expression.width)
        return f"${self.expression(expression)}$"


def to_latex(document: Document, *, digits: int = 4) -> str:
    """The document as a whole LaTeX file."""
    page = _Page(TexNotation(check_digits(digits)))
    body = "\n".join(line for block in document.blocks for line in (*page.block(block), ""))
    return f"{PREAMBLE}\n{body}\n\\end{{document}}\n"


@dataclass(frozen=True)
class _Page:
    notation: TexNotation

    def block(self, block: Block) -> Iterator[str]:
        match block:
            case Heading(level, parts):
                name = {1: "section*", 2: "subsection*"}.get(level, "subsubsection*")
                yield rf"\{name}{{{self.notation.running(parts)}}}"
            case Paragraph(parts, warning):
                text = self.notation.running(parts)
                yield rf"\textbf{{Note:}} {text}" if warning else text
                yield r"\par"
            case Formulas(equations):
                for equation in equations:
                    chain = " ".join(self.notation.chain(equation))
                    yield rf"\hangindent=3em\hangafter=1\hspace*{{1em}}${chain}$\par"
            case Grid() | Columns():
                yield from self._table(block)
            case Listing(items):
                yield r"\begin{itemize}\setlength{\itemsep}{0pt}"
                yield from (rf"\item {self.notation.running(item)}" for item in items)
                yield r"\end{itemize}"
            case Drawing(tree):
                lines = export_text(tree, width=TREE_WIDTH, ascii=True).split("\n")
                yield r"{\footnotesize\ttfamily\raggedright"
                yield from (rf"\mbox{{{_spaced(line)}}}\\" for line in lines[:-1])
                yield rf"\mbox{{{_spaced(lines[-1])}}}\par}}"
            case Space(lines_left):
                yield rf"\vspace*{{{lines_left}\baselineskip}}"

    def _table(self, table: Table) -> Iterator[str]:
        columns = "".join("r" if numeric else "l" for numeric in table.numeric)
        rows = self.notation.rows(table)
        long = len(rows) > BREAKING_ROWS
        kind = "longtable" if long else "tabular"
        yield r"{\small\centering" if not long else r"{\small"
        yield (r"\fitting{" if not long else "") + rf"\begin{{{kind}}}{{{columns}}}"
        yield rf"{' & '.join(map(tex, table.header))} \\[2pt] \hline\rule{{0pt}}{{2.6ex}}%"
        if long:
            yield r"\endhead"
        for row in rows:
            yield rf"{' & '.join(row)} \\"
        yield rf"\end{{{kind}}}" + ("" if long else "}")
        yield rf"\par\raggedright \dots\ and {table.more} more\par}}" if table.more else r"\par}"


def _spaced(line: str) -> str:
    return tex(line).replace(" ", "~")
