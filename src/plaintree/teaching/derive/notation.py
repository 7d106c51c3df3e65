"""What all writers share: digits, and expressions put together from a notation's pieces.

A :class:`Notation` writes a fraction, a power or a product; the walk through an expression is here,
once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isfinite, isinf, isnan
from numbers import Integral

from plaintree.errors import ParameterError
from plaintree.stats.exact import SAME, Counts, Value, Weight, total

from .document import (
    Absolute,
    Answer,
    Blank,
    Call,
    Column,
    Columns,
    Entropy,
    Equation,
    Expression,
    Log,
    Number,
    Part,
    Product,
    Quotient,
    Ratio,
    Square,
    Sum,
    Table,
    Term,
    numbers_in,
)


def check_digits(digits: object) -> int:
    """A number of digits behind the point, or ParameterError."""
    whole = isinstance(digits, Integral) and not isinstance(digits, bool)
    if not whole or digits not in range(16):
        raise ParameterError(
            "digits is out of range",
            got=f"digits={digits!r}",
            hint="use an integer from 0 to 15.",
        )
    return int(digits)  # type: ignore[call-overload, no-any-return]


def is_exact(value: Value, digits: int) -> bool:
    """Whether so many digits behind the point say all there is of a number."""
    if isinstance(value, int):
        return True
    if isinstance(value, float):
        return not isinf(value) and abs(value - round(value, digits)) < SAME
    return bool(value.numerator * 10**digits % value.denominator == 0)


def decimals(value: Value, digits: int, unit: int = 1) -> str:
    """A number in figures: all digits asked for if it is rounded, no needless zeros if not.

    A weight may be counted in parts, of which so many make a unit.
    """
    if isinstance(value, float):
        return _float_decimals(value, digits)
    if unit == 1 and type(value) is int:
        return str(value)
    top, bottom = value.numerator, value.denominator * unit
    whole, rest = divmod(top, bottom)
    if rest == 0:
        return str(whole)
    text = f"{top / bottom:.{digits}f}"
    if digits and text[-1] == "0" and top * 10**digits % bottom == 0:
        text = _without_zeros(text)
    return text if text[0] != "-" else _signed(text)


@lru_cache(maxsize=1 << 14)
def _float_decimals(value: float, digits: int) -> str:
    """Most numbers occur again soon: in a table, in a formula, in a comparison."""
    if not isfinite(value):
        return "none" if isnan(value) else "infinity" if value > 0 else "-infinity"
    text = f"{value:.{digits}f}"
    if digits and text[-1] == "0" and is_exact(value, digits):
        text = _without_zeros(text)
    return text if text[0] != "-" else _signed(text)


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".")


def _signed(text: str) -> str:
    """A number with its sign, which zero goes without."""
    return text[1:] if float(text) == 0 else text


def needs_parentheses(factor: Expression) -> bool:
    """Whether a factor of a product is in parentheses."""
    below_zero = type(factor) is Number and factor.value < 0
    return isinstance(factor, Sum | Entropy) or below_zero


def base_needs_parentheses(of: Expression) -> bool:
    """Whether what is squared is in parentheses."""
    return type(of) is not Number or of.value < 0


def with_its_sign(term: Term) -> Term:
    """A term whose number is not below zero: that is left to its sign."""
    sign, of = term
    if type(of) is not Number or of.value >= 0 or isnan(of.value):
        return term
    return "-" if sign == "+" else "+", Number(-of.value, of.address)


@dataclass(frozen=True)
class Notation(ABC):
    """A way of writing expressions, with so many digits behind the point."""

    digits: int = 4
    exact: bool = False
    """Whether fractions are written as such, not rounded."""

    flat = False
    """Whether quotients are written on a line, so sums in them need parentheses."""
    equals = "="
    about = "≈"
    plus = "+"
    minus = "-"

    # ---------------------------------------------------------------- the pieces

    @abstractmethod
    def words(self, text: str) -> str:
        """Text inside a formula or in a paragraph."""

    @abstractmethod
    def figure(self, text: str) -> str:
        """A number in figures."""

    @abstractmethod
    def share(self, top: str, bottom: str) -> str:
        """A counted fraction."""

    @abstractmethod
    def quotient(self, top: str, bottom: str) -> str:
        """A division."""

    @abstractmethod
    def call(self, name: str, of: str, given: str) -> str:
        """A measure of something, given something (or nothing)."""

    @abstractmethod
    def log(self, of: str, *, natural: bool = False) -> str:
        """A logarithm to base 2, or the natural one."""

    @abstractmethod
    def absolute(self, of: str) -> str:
        """An absolute value."""

    @abstractmethod
    def square(self, of: str) -> str:
        """A square; of more than a number, this is in parentheses."""

    @abstractmethod
    def product(self, factors: Sequence[str]) -> str:
        """Factors."""

    @abstractmethod
    def parentheses(self, inside: str) -> str:
        """An expression that belongs together."""

    @abstractmethod
    def blank(self, width: int) -> str:
        """Room to write in."""

    @abstractmethod
    def signed(self, sign: str, term: str, *, first: bool) -> str:
        """A term of a sum with its sign; the first goes without a plus."""

    # ---------------------------------------------------------------- put together

    def expression(self, expression: Expression) -> str:
        """An expression in this notation."""
        if type(expression) is Answer:
            of = expression.of
            return self.words(of) if isinstance(of, str) else self.expression(of)
        if type(expression) is Number:
            return self.amount(expression.value)
        if type(expression) is Ratio:
            return self._ratio(expression.top, expression.bottom, expression.unit)
        if type(expression) is Entropy:
            return self._entropy(expression.weights, expression.unit)
        return self._compound(expression)

    def amount(self, value: Value) -> str:
        """A number in figures, or as a fraction."""
        if not self.exact or not isinstance(value, Fraction) or value.denominator == 1:
            return self.figure(decimals(value, self.digits))
        written = self.share(str(abs(value.numerator)), str(value.denominator))
        return f"{self.minus}{written}" if value < 0 else written

    def _is_exact(self, value: Value) -> bool:
        """Whether a number is written without rounding."""
        return is_exact(value, self.digits) or (self.exact and isinstance(value, Fraction))

    def _ratio(self, top: Weight, bottom: Weight, unit: int) -> str:
        return self.share(self.counted(top, unit), self.counted(bottom, unit))

    def counted(self, weight: Weight, unit: int) -> str:
        """A weight in parts of a unit, in figures."""
        return decimals(weight, self.digits, unit)

    def _entropy(self, weights: Counts, unit: int) -> str:
        digits, whole = self.digits, decimals(total(weights), self.digits, unit)
        terms: list[str] = []
        for weight in weights:
            if weight:
                share = self.share(decimals(weight, digits, unit), whole)
                term = self.product((share, self.log(share)))
                terms.append(self.signed("-", term, first=not terms))
        return "".join(terms)

    def _compound(self, expression: Expression) -> str:
        """The same for those that there are fewer of."""
        match expression:
            case Log(of, natural):
                text = self.log(self.expression(of), natural=natural)
            case Absolute(of):
                text = self.absolute(self.expression(of))
            case Product(factors):
                text = self.product([self._factor(factor) for factor in factors])
            case Sum(terms):
                text = self._sum(terms)
            case Call(name, of, given):
                text = self.call(name, of, given)
            case Square(of):
                text = self.square(self._base(of))
            case Quotient(top, bottom):
                text = self.quotient(self._over_or_under(top), self._over_or_under(bottom))
            case Blank(width):
                text = self.blank(width)
            case _:
                text = self.expression(expression)
        return text

    def _sum(self, terms: Sequence[Term]) -> str:
        signed = [
            self.signed(sign, self.expression(term), first=position == 0)
            for position, (sign, term) in enumerate(map(with_its_sign, terms))
        ]
        return "".join(signed)

    def _base(self, of: Expression) -> str:
        """What is squared."""
        text = self.expression(of)
        return self.parentheses(text) if base_needs_parentheses(of) else text

    def _over_or_under(self, expression: Expression) -> str:
        """A side of a quotient, which stands by itself unless all is on a line."""
        sums = self.flat and isinstance(expression, Sum)
        return self._factor(expression) if sums else self.expression(expression)

    def _factor(self, factor: Expression) -> str:
        text = self.expression(factor)
        return self.parentheses(text) if needs_parentheses(factor) else text

    def relation(self, part: Expression) -> str:
        """Equal, or about equal where the part shows a rounded number."""
        of = part.of if type(part) is Answer else part
        if type(of) is Number:
            exact = self._is_exact(of.value) or isinf(of.value)
            return self.equals if exact else self.about
        if type(of) is Entropy:  # weights are shown as they were counted
            return self.equals
        values = [number.value for number in numbers_in(part)]
        if any(map(isinf, values)):
            return self.equals
        exact = all(map(self._is_exact, values))
        return self.equals if exact else self.about

    def chain(self, equation: Equation) -> list[str]:
        """An equation in pieces: what is wanted, then a relation and an expression each."""
        first, *others = equation.parts
        pieces = [self.expression(first)]
        pieces += [f"{self.relation(part)} {self.expression(part)}" for part in others]
        if equation.unit and not isinstance(equation.parts[-1], Blank):
            pieces[-1] += self.unit(equation.unit)
        return pieces

    def unit(self, unit: str) -> str:
        """A unit behind a number."""
        return f" {self.words(unit)}"

    def running(self, parts: Sequence[Part]) -> str:
        """Words and expressions as running text."""
        written = [
            self.words(part) if isinstance(part, str) else self.inline(part) for part in parts
        ]
        return "".join(written)

    def inline(self, expression: Expression) -> str:
        """An expression inside running text."""
        return self.expression(expression)

    # ---------------------------------------------------------------- tables

    def columns(self, table: Table) -> list[list[str]]:
        """The cells of a table below its header, by columns."""
        if isinstance(table, Columns):
            return list(map(self._column, table.columns))
        rows = [list(map(self.cell, row)) for row in table.rows]
        return [list(column) for column in zip(*rows, strict=True)] or [[] for _ in table.header]

    def rows(self, table: Table) -> list[tuple[str, ...]]:
        """The same by rows."""
        return list(zip(*self.columns(table), strict=True))

    def _column(self, column: Column) -> list[str]:
        if column.blank:
            return [self.cell(Blank())] * len(column.cells)
        word, number = self.cell, self.number
        return [word(of) if isinstance(of, str) else number(of) for of in column.cells]

    def cell(self, part: Part) -> str:
        """A cell of a table."""
        return self.running((part,))

    def number(self, value: Value) -> str:
        """A number that is a cell of a table."""
        return self.cell(Answer(Number(value)))
