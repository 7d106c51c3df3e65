"""A derivation as Markdown, with formulas in TeX notation between dollar signs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

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
    Number,
    Paragraph,
    Space,
    Table,
)
from .notation import check_digits, decimals
from .write_latex import TexNotation

TREE_WIDTH = 100
MARKS = frozenset("\\`*_{}[]#|~$")
ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
IN_TEX = {
    "\\": r"\backslash ",
    "<": r"\lt ",
    ">": r"\gt ",
    "|": r"\vert ",
    "~": r"\sim ",
    "^": r"\hat{ }",
    "-": "-",
}
"""Characters of names inside a formula that Markdown or its renderers would trip over."""


def markdown(text: str) -> str:
    """Words as Markdown: nothing in them is taken for a mark."""
    return "".join(ENTITIES.get(c, f"\\{c}" if c in MARKS else c) for c in text)


@dataclass(frozen=True)
class MarkdownNotation(TexNotation):
    """As TeX, with words escaped for Markdown outside formulas."""

    def words(self, text: str) -> str:
        return markdown(text)

    def text(self, words: str) -> str:
        low, between, high = words.partition(" <= ")
        if between:
            return rf"{self.text(low)} \le {self.text(high)}"
        pieces, plain = [], ""
        for character in words:
            if character in IN_TEX and character != "-":
                pieces.append(rf"\text{{{plain}}}" if plain else "")
                pieces.append(IN_TEX[character])
                plain = ""
            else:
                plain += f"\\{character}" if character in "{}$&%#_" else character
        pieces.append(rf"\text{{{plain}}}" if plain or not pieces else "")
        return "".join(pieces)

    def unit(self, unit: str) -> str:
        return rf"\ \text{{{unit}}}"

    def blank(self, width: int) -> str:
        return rf"\underline{{\hspace{{{width / 2:g}em}}}}"

    def inline(self, expression: Expression) -> str:
        if isinstance(expression, Blank):
            return r"\_" * expression.width
        if isinstance(expression, Answer) and isinstance(expression.of, Number):
            return decimals(expression.of.value, self.digits)
        return super().inline(expression)


def to_markdown(document: Document, *, digits: int = 4) -> str:
    """The document as Markdown."""
    page = _Page(MarkdownNotation(check_digits(digits)))
    lines: list[str] = []
    for block in document.blocks:
        lines.extend(["", *page.block(block)] if lines else page.block(block))
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class _Page:
    notation: MarkdownNotation

    def block(self, block: Block) -> Iterator[str]:
        match block:
            case Heading(level, parts):
                yield f"{'#' * level} {self.notation.running(parts)}"
            case Paragraph(parts, warning):
                text = self.notation.running(parts)
                yield f"> **Note:** {text}" if warning else _no_list(text)
            case Formulas(equations):
                for position, equation in enumerate(equations):
                    if position:
                        yield ""
                    yield f"$${' '.join(self.notation.chain(equation))}$$"
            case Grid() | Columns():
                yield from self._table(block)
            case Listing(items):
                yield from (f"- {_no_list(self.notation.running(item))}" for item in items)
            case Drawing(tree):
                text = export_text(tree, width=TREE_WIDTH)
                fence = "`" * max(3, _longest_run(text) + 1)
                yield f"{fence}text"
                yield from text.split("\n")
                yield fence
            case Space(lines):
                yield from ["&nbsp;", ""] * lines

    def _table(self, table: Table) -> Iterator[str]:
        yield f"| {' | '.join(map(markdown, table.header))} |"
        yield f"|{'|'.join('---:' if numeric else '---' for numeric in table.numeric)}|"
        for row in self.notation.rows(table):
            yield f"| {' | '.join(row)} |"
        if table.more:
            yield ""
            yield f"… and {table.more} more"


def _no_list(text: str) -> str:
    """Text that begins with a name which would make it an item of a list."""
    return re.sub(r"^([-+]|\d+[.)])(?=\s)", lambda mark: mark[0][:-1] + "\\" + mark[0][-1], text)


def _longest_run(text: str) -> int:
    """The longest run of backticks."""
    longest = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    return longest
