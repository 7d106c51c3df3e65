"""A derivation as plain text for a terminal, wrapped at a width."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from plaintree.data.words import cells, line_width, wrapped
from plaintree.show.text import export_text
from plaintree.stats.exact import Value

from .document import (
    Answer,
    Block,
    Columns,
    Document,
    Drawing,
    Formulas,
    Grid,
    Heading,
    Listing,
    Number,
    Paragraph,
    Part,
    Space,
    Table,
)
from .notation import Notation, check_digits, decimals

MOST_NEEDED = 24
"""Words longer than this are broken where room is short."""
GAP = "  "
TIE = "\u00a0"
"""A space at which no line is broken; names cannot hold one."""
ASCII = str.maketrans({"≈": "~", "×": "*", "−": "-", "…": "...", "≤": "<=", "²": "^2", "–": "-"})


@dataclass(frozen=True)
class TextNotation(Notation):
    """Formulas on a line: H(S) ≈ -9/14 log2 9/14 - 5/14 log2 5/14."""

    flat = True

    def words(self, text: str) -> str:
        return text

    def figure(self, text: str) -> str:
        return text

    def share(self, top: str, bottom: str) -> str:
        return f"{top}/{bottom}"

    def quotient(self, top: str, bottom: str) -> str:
        return f"{top}{TIE}/{TIE}{bottom}"

    def call(self, name: str, of: str, given: str) -> str:
        return f"{name}({of} | {given})" if given else f"{name}({of})"

    def log(self, of: str, *, natural: bool = False) -> str:
        return f"{'ln' if natural else 'log2'}{TIE}{of}"

    def absolute(self, of: str) -> str:
        return f"|{of}|".replace(" ", TIE)

    def square(self, of: str) -> str:
        return f"{of}²"

    def product(self, factors: Sequence[str]) -> str:
        text = factors[0]
        for factor in factors[1:]:
            text += (
                f"{TIE}{factor}" if factor.startswith(("log2", "ln")) else f"{TIE}×{TIE}{factor}"
            )
        return text

    def parentheses(self, inside: str) -> str:
        return f"({inside})"

    def blank(self, width: int) -> str:
        return "_" * width

    def signed(self, sign: str, term: str, *, first: bool) -> str:
        if first:
            return term if sign == "+" else f"-{term}"
        return f" {sign}{TIE}{term}"

    def cell(self, part: Part) -> str:
        """Words and numbers, of which there are most, without a detour."""
        of = part.of if type(part) is Answer else part
        if isinstance(of, str):
            return of
        return self.number(of.value) if type(of) is Number else self.running((part,))

    def number(self, value: Value) -> str:
        return decimals(value, self.digits)


def to_text(
    document: Document, *, digits: int = 4, width: int | None = 80, ascii: bool = False
) -> str:
    """The document as text of a width."""
    page = _Page(TextNotation(check_digits(digits)), line_width(width), ascii)
    lines: list[str] = []
    for block in document.blocks:
        if lines and not (isinstance(block, Space) and block.lines == 0):
            lines.append("")
        lines.extend(page.block(block))
    text = "\n".join(line.rstrip() for line in lines).replace(TIE, " ") + "\n"
    if ascii:
        text = text.translate(ASCII).encode("ascii", "backslashreplace").decode()
    return text


@dataclass(frozen=True)
class _Page:
    notation: TextNotation
    width: int
    ascii: bool

    def block(self, block: Block) -> Iterator[str]:
        match block:
            case Heading(level, parts):
                yield from self._heading(level, parts)
            case Paragraph(parts, warning):
                lead = "!! " if warning else ""
                yield from self._wrapped(self.notation.running(parts), lead, " " * len(lead))
            case Formulas(equations):
                for equation in equations:
                    yield from self._equation(self.notation.chain(equation))
            case Grid() | Columns():
                yield from self._table(block)
            case Listing(items):
                for item in items:
                    yield from self._wrapped(self.notation.running(item), "- ", "  ")
            case Drawing(tree):
                yield from export_text(tree, width=self.width, ascii=self.ascii).split("\n")
            case Space(lines):
                yield from [""] * lines

    def _wrapped(self, text: str, lead: str = "", rest: str = "") -> Iterator[str]:
        if _cells(text) == len(text):
            return _cut_at_spaces(text, self.width, lead, rest)
        return wrapped(text.split(" "), self.width, lead, rest)

    def _heading(self, level: int, parts: Sequence[Part]) -> Iterator[str]:
        lines = list(self._wrapped(self.notation.running(parts)))
        yield from lines
        yield "=-~"[level - 1] * max(map(cells, lines))

    def _equation(self, pieces: Sequence[str]) -> Iterator[str]:
        """On one line, or with what follows an equals sign on lines of its own."""
        line = f"  {' '.join(pieces)}"
        if _cells(line) <= self.width:
            yield line
            return
        first, *others = pieces
        if others and _cells(first) + _cells(others[0]) + 3 <= self.width:
            first, others = f"{first} {others[0]}", others[1:]
        for position, piece in enumerate([first, *others]):
            lead = "  " if position == 0 else "    "
            yield from self._wrapped(piece, lead, "      ")

    # ---------------------------------------------------------------- tables

    def _table(self, table: Table) -> Iterator[str]:
        written = zip(table.header, self.notation.columns(table), strict=True)
        columns = [[title, *cells] for title, cells in written]
        natural = [max(1, *map(_measure(column), column)) for column in columns]
        if sum(natural) + len(GAP) * (len(natural) - 1) <= self.width:
            yield from _whole_lines(columns, natural, table.numeric)
        else:
            yield from self._folded_table(table, list(zip(*columns, strict=True)), natural)
        if table.more:
            yield f"... and {table.more} more"

    def _folded_table(
        self, table: Table, texts: Sequence[Sequence[str]], natural: Sequence[int]
    ) -> Iterator[str]:
        """A table too wide for the page: words are folded, and what is still too wide stands
        below; the first column stands before every part."""
        needed = _needed(table, texts)
        for position, columns in enumerate(self._parts(needed)):
            if position:
                yield ""
            widths = self._widths([natural[c] for c in columns], [needed[c] for c in columns])
            kept = [[row[c] for c in columns] for row in texts]
            yield from _lines(kept, widths, [table.numeric[c] for c in columns])

    def _parts(self, needed: Sequence[int]) -> list[list[int]]:
        """The columns of each part."""
        parts, current, used = [], [0], needed[0]
        for column in range(1, len(needed)):
            if used + len(GAP) + needed[column] > self.width and len(current) > 1:
                parts.append(current)
                current, used = [0], needed[0]
            current.append(column)
            used += len(GAP) + needed[column]
        return [*parts, current]

    def _widths(self, natural: Sequence[int], needed: Sequence[int]) -> list[int]:
        """The columns' widths: those with most to spare give way until the table fits."""
        widths = list(natural)
        room = self.width - len(GAP) * (len(widths) - 1)
        while sum(widths) > room:
            spare = [w - n for w, n in zip(widths, needed, strict=True)]
            if max(spare) <= 0:
                break
            widths[spare.index(max(spare))] -= 1
        return widths


def _cut_at_spaces(text: str, width: int, lead: str, rest: str) -> Iterator[str]:
    """Lines like those of :func:`wrapped`, of letters that are all one column wide."""
    begin, text = lead, text.lstrip(" ")
    while len(begin) + len(text) > width:
        room = width - len(begin)
        cut = text.rfind(" ", 0, room + 1)
        cut = text.find(" ", room) if cut < 0 else cut
        if cut < 0:
            break
        yield f"{begin}{text[:cut]}".rstrip()
        begin, text = rest, text[cut:].lstrip(" ")
    yield f"{begin}{text}".rstrip()


def _needed(table: Table, texts: Sequence[Sequence[str]]) -> list[int]:
    """The minimum width of every column: numbers stay in one piece, text can be wrapped."""
    widths = []
    for c, title in enumerate(table.header):
        column = [row[c] for row in texts[1:]]
        whole = column if table.numeric[c] else [w for text in column for w in text.split(" ")]
        widest = max(map(cells, (*whole, *title.split(" "))), default=1)
        widths.append(min(max(widest, 1), MOST_NEEDED))
    return widths


def _whole_lines(
    columns: Sequence[Sequence[str]], widths: Sequence[int], numeric: Sequence[bool]
) -> Iterator[str]:
    """The lines of a table that fits: the header, a rule, the rows."""
    padded = map(_padded, columns, widths, numeric)
    header, *rows = map(GAP.join, zip(*padded, strict=True))
    return chain((header, _rule(widths)), rows)


def _padded(texts: Sequence[str], width: int, numeric: bool) -> list[str]:
    """A column with every cell as wide as the column."""
    if _measure(texts) is len:
        return [text.rjust(width) if numeric else text.ljust(width) for text in texts]
    return [_in_room(text, width, numeric) for text in texts]


def _in_room(text: str, width: int, numeric: bool) -> str:
    room = " " * (width - _cells(text))
    return room + text if numeric else text + room


def _measure(texts: Sequence[str]) -> Callable[[str], int]:
    """A function that returns how many columns each of some strings takes."""
    return len if "".join(texts).isascii() else _cells


def _rule(widths: Sequence[int]) -> str:
    return GAP.join(["-" * width for width in widths])


def _lines(
    texts: Sequence[Sequence[str]], widths: Sequence[int], numeric: Sequence[bool]
) -> Iterator[str]:
    """The same with folded cells."""
    for number, row in enumerate(texts):
        folded = [_folded(text, w) for text, w in zip(row, widths, strict=True)]
        for line in range(max(map(len, folded))):
            pieces = []
            for lines, w, right in zip(folded, widths, numeric, strict=True):
                pieces.append(_in_room(lines[line] if line < len(lines) else "", w, right))
            yield GAP.join(pieces)
        if number == 0:
            yield _rule(widths)


def _cells(text: str) -> int:
    """The columns that a string takes; fast for formulas and numbers, the most frequent case."""
    if text.isascii() or text.replace("≈", "").replace("×", "").replace(TIE, "").isascii():
        return len(text)
    return cells(text)


def _folded(text: str, width: int) -> list[str]:
    """A cell's lines; words that are too long are broken."""
    if _cells(text) <= width:
        return [text]
    words = []
    for word in text.split(" "):
        piece = ""
        for letter in word:
            if cells(piece + letter) > width:
                words.append(piece)
                piece = ""
            piece += letter
        words.append(piece)
    return list(wrapped(words, width))
