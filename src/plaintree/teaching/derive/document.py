"""The document of a derivation: blocks of text, formulas, tables and trees, in no notation.

A writer turns it into text, Markdown, LaTeX or HTML. Numbers are exact until a writer rounds
them. What a student is to find is in an :class:`Answer`; a worksheet has blanks there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from plaintree.stats.exact import Counts, Value, Weight
from plaintree.tree.tree import Tree

from .address import Address

# -------------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class Number:
    """A number, rounded when it is written; ``address`` if another formula has it as its result."""

    value: Value
    address: Address | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Ratio:
    """A fraction as it was counted, not reduced: 5/14.

    Both weights may be counted in parts, of which so many make a ``unit``, and have addresses.
    """

    top: Weight
    bottom: Weight
    unit: int = 1
    addresses: tuple[Address | None, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Entropy:
    """The entropy of some weights with their fractions filled in: -9/14 log2 9/14 - 5/14 log2 5/14.

    There are very many of these, so they are one thing and not a sum of products. ``addresses``
    are those of the whole weight and of each weight.
    """

    weights: Counts
    unit: int = 1
    addresses: tuple[Address | None, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A measure of something: H(S), H(S | Outlook), Gain(Outlook).

    ``secret`` says that the last of these words are to be found out themselves.
    """

    name: str
    of: str
    given: str = ""
    secret: bool = False
    address: Address | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Log:
    """The logarithm to base 2, or the natural one."""

    of: Expression
    natural: bool = False


@dataclass(frozen=True, slots=True)
class Absolute:
    """An absolute value."""

    of: Expression


@dataclass(frozen=True, slots=True)
class Square:
    """Something squared."""

    of: Expression


@dataclass(frozen=True, slots=True)
class Product:
    """Factors, one after the other."""

    factors: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Quotient:
    """A quotient of two expressions."""

    top: Expression
    bottom: Expression


@dataclass(frozen=True, slots=True)
class Sum:
    """Terms with their signs; in parentheses inside a product."""

    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """Something for a student to find: text or an expression."""

    of: Expression | str


@dataclass(frozen=True, slots=True)
class Blank:
    """A blank, so many letters wide."""

    width: int = 8


Expression = (
    Number
    | Ratio
    | Entropy
    | Call
    | Log
    | Absolute
    | Square
    | Product
    | Quotient
    | Sum
    | Answer
    | Blank
)
Part = str | Expression
Term = tuple[Literal["+", "-"], Expression]


def plus(expression: Expression) -> Term:
    """A term to be added."""
    return "+", expression


def minus(expression: Expression) -> Term:
    """A term to be subtracted."""
    return "-", expression


@dataclass(frozen=True, slots=True)
class Equation:
    """Expressions that are equal: what is wanted, the numbers filled in, the result."""

    parts: tuple[Expression, ...]
    unit: str = ""


# -------------------------------------------------------------------- blocks


@dataclass(frozen=True)
class Heading:
    """A title; level 1 is the document's own."""

    level: int
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Paragraph:
    """Words and expressions; ``warning`` if it must not be overlooked."""

    parts: tuple[Part, ...]
    warning: bool = False


@dataclass(frozen=True)
class Formulas:
    """Equations, one below the other; a worksheet has others in their place, if there are some."""

    equations: tuple[Equation, ...]
    on_worksheets: tuple[Equation, ...] = ()


@dataclass(frozen=True)
class Grid:
    """A table; columns of numbers stand on the right. ``more`` rows are left out."""

    header: tuple[str, ...]
    rows: tuple[tuple[Part, ...], ...]
    numeric: tuple[bool, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: words, and numbers that are rounded when they are written.

    Those that are an ``answer`` are to be found out; in a worksheet they are ``blank``.
    """

    title: str
    cells: Sequence[str | Value]
    numeric: bool = True
    answer: bool = True
    blank: bool = False


@dataclass(frozen=True)
class Columns:
    """A table column by column, since it is one of very many. ``more`` rows are left out."""

    columns: tuple[Column, ...]
    more: int = 0

    @property
    def header(self) -> tuple[str, ...]:
        """The columns' titles."""
        return tuple([column.title for column in self.columns])

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Whether each stands on the right."""
        return tuple([column.numeric for column in self.columns])


@dataclass(frozen=True)
class Listing:
    """Items, each a line or more."""

    items: tuple[tuple[Part, ...], ...]


@dataclass(frozen=True, eq=False)
class Drawing:
    """A tree, written as text."""

    tree: Tree


@dataclass(frozen=True)
class Space:
    """Empty lines to write on."""

    lines: int


Table = Grid | Columns
Block = Heading | Paragraph | Formulas | Table | Listing | Drawing | Space


@dataclass(frozen=True, eq=False)
class Document:
    """Blocks in order; they can be read again and again."""

    title: str
    blocks: Iterable[Block]


@dataclass(frozen=True, eq=False)
class Composed:
    """Blocks that are made whenever they are read: a long document never stands in memory."""

    compose: Callable[[], Iterator[Block]]

    def __iter__(self) -> Iterator[Block]:
        return self.compose()


# -------------------------------------------------------------------- worksheets

WORDS_BLANK = 40
"""The width of every blank for text, in letters: it does not depend on the result."""
SHEET_LINES = 12
"""Empty lines for every drawing and every list of answers."""


def with_blanks(document: Document) -> Document:
    """The document with every answer left blank."""
    return replace(document, blocks=Composed(partial(map, _blank_block, document.blocks)))


def _blank_block(block: Block) -> Block:
    match block:
        case Heading() | Paragraph():
            return replace(block, parts=_blank_parts(block.parts))
        case Formulas():
            equations = block.on_worksheets or block.equations
            return Formulas(tuple(map(_blank_equation, equations)))
        case Grid():
            return replace(block, rows=tuple(map(_blank_cells, block.rows)))
        case Columns(columns):
            blank = (replace(column, blank=column.answer) for column in columns)
            return replace(block, columns=tuple(blank))
        case Listing(items) if items and all(isinstance(p, Answer) for i in items for p in i):
            return Space(SHEET_LINES)  # their number would tell how many branches or leaves
        case Listing():
            return Listing(tuple(map(_blank_parts, block.items)))
        case Drawing():
            return Space(SHEET_LINES)
        case Space():
            return block


def _blank_equation(equation: Equation) -> Equation:
    """Room for a formula and for its value; where no formula is needed, that is not betrayed."""
    wanted, *found = map(_blank, equation.parts)
    room = (Blank(24),) if len(found) == 1 else ()
    return replace(equation, parts=(wanted, *room, *found))


def _blank_parts(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Answers that follow each other leave one blank, which fits on a line."""
    blanked: list[Part] = []
    for part in parts:
        new = _blank(part) if isinstance(part, Answer) else part
        last = blanked[-1] if blanked else None
        if isinstance(new, Blank) and isinstance(last, Blank):
            blanked[-1] = Blank(WORDS_BLANK)
        else:
            blanked.append(new)
    return tuple(blanked)


def _blank_cells(cells: Sequence[Part]) -> tuple[Part, ...]:
    """Cells of a table have blanks of one width, which betray nothing."""
    return tuple(Blank() if isinstance(cell, Answer) else cell for cell in cells)


def _blank(expression: Expression) -> Expression:
    if isinstance(expression, Call) and expression.secret:
        unknown = "......"
        if expression.given:
            return replace(expression, given=unknown)
        return replace(expression, of=unknown)
    if not isinstance(expression, Answer):
        return expression
    if isinstance(expression.of, str):
        return Blank(WORDS_BLANK)
    return Blank(8 if isinstance(expression.of, Number | Ratio) else 24)


# -------------------------------------------------------------------- reading


def numbers_in(expression: Expression) -> Iterator[Number]:
    """Every number that an expression shows rounded."""
    pending: list[Expression] = [expression]
    while pending:
        found = pending.pop()
        if type(found) is Number:
            yield found
            continue
        match found:
            case Answer(of) | Log(of) | Absolute(of) | Square(of):
                pending.extend([] if isinstance(of, str) else [of])
            case Product(factors):
                pending.extend(factors)
            case Quotient(top, bottom):
                pending.extend((top, bottom))
            case Sum(terms):
                pending.extend(term for _, term in terms)
            case _:
                pass


def in_answers(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Parts that are to be found out."""
    return tuple(Answer(part) if not isinstance(part, Answer) else part for part in parts)
