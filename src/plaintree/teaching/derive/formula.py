"""The formula of one number: its definition, the numbers filled in and the result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum, inf, isfinite, log, log2, nan, prod
from typing import Any

from plaintree.data.schema import Schema
from plaintree.stats.exact import Value, entropy, total

from .address import Address
from .document import (
    Absolute,
    Answer,
    Call,
    Entropy,
    Equation,
    Expression,
    Log,
    Number,
    Product,
    Quotient,
    Ratio,
    Square,
    Sum,
)
from .notation import Notation
from .parts import Parts
from .write_latex import TexNotation
from .write_text import TIE, TextNotation


@dataclass(frozen=True, eq=False)
class Formula:
    """The formula of one number of a tree, as :func:`plaintree.teaching.formula_of` gives it.

    Parameters
    ----------
    address : Address
        What the number is, and of which rows or split.
    definition : str
        The measure in a sentence.
    equation : Equation
        The name, the symbols, the numbers filled in, and the result. Each number and each symbol
        that is the result of another formula has the address of it.
    schema : Schema
        The schema of the tree.
    digits : int, default=4
        Digits after the decimal point.
    exact : bool, default=False
        Whether fractions are written as such, not rounded.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> model = pt.ID3Classifier().fit(X, y)
    >>> found = pt.teaching.formula_of(model, X, y, feature="Wind", measure="gain")
    >>> print(found)
    Gain(Wind) = H(S) - H(S | Wind) ≈ 0.9403 - 0.8922 ≈ 0.0481
    >>> [address.measure for address in found.addresses()]
    ['impurity', 'remainder']
    """

    address: Address
    definition: str
    equation: Equation
    schema: Schema
    digits: int = 4
    exact: bool = False

    @property
    def value(self) -> Value:
        """The number: an int, a Fraction, or a float where logarithms are rounded."""
        result = plainly(self.equation.parts[-1])
        assert isinstance(result, Number), "an equation ends with its result"
        return result.value

    @cached_property
    def note(self) -> str:
        """A sentence if the rounded numbers filled in do not give the rounded result, else ""."""
        filled = [plainly(part) for part in self.equation.parts[1:-1]]
        value = float(self.value)
        if self.exact or not filled or not isfinite(value) or _has_calls(filled[-1]):
            return ""
        rounded = round(evaluated(filled[-1], self.digits), self.digits)
        if abs(rounded - round(value, self.digits)) < 0.5 * 10**-self.digits:
            return ""
        text = self._text_notation.amount(rounded)
        return f"The numbers shown are rounded; from them alone the result would be {text}."

    def addresses(self) -> Iterator[Address]:
        """Yield the addresses of the numbers in the formula, each once, in their order."""
        found = (n.address for part in self.equation.parts for n in _addressed(plainly(part)))
        yield from dict.fromkeys(address for address in found if address is not None)

    # ---------------------------------------------------------------- writing

    def to_text(self) -> str:
        """Return the equation as one line of text."""
        return " ".join(self._text_notation.chain(self.equation)).replace(TIE, " ")

    def to_latex(self) -> str:
        """Return the equation as LaTeX for math mode, without delimiters."""
        return " ".join(TexNotation(self.digits, self.exact).chain(self.equation))

    def to_dict(self) -> dict[str, Any]:
        """Return the formula as a dictionary that JSON can hold.

        ``parts`` has the sides of the equation: the name, then symbols, numbers and result, each
        with the ``relation`` before it. A part has ``kind``, ``text`` and ``children``; numbers
        have a ``value``, and numbers and calls an ``address`` or None. Kinds are "number",
        "ratio" (top, bottom), "call", "sum" of "term" with a ``sign``, "product", "quotient" (top,
        bottom), "log" with a ``base``, "square", "absolute" and "parentheses".
        """
        notation, value = self._text_notation, float(self.value)
        write = Parts(notation, self.schema).part
        sides = [
            write(part) | {"relation": notation.relation(part) if i else None}
            for i, part in enumerate(self.equation.parts)
        ]
        return {
            "address": self.address.to_dict(self.schema),
            "definition": self.definition,
            "value": value if isfinite(value) else None,
            "unit": self.equation.unit or None,
            "note": self.note or None,
            "text": self.to_text(),
            "latex": self.to_latex(),
            "parts": sides,
        }

    @property
    def _text_notation(self) -> Notation:
        return TextNotation(self.digits, self.exact)

    def __str__(self) -> str:
        return self.to_text()


# -------------------------------------------------------------------- expressions


def plainly(expression: Expression) -> Expression:
    """An expression, whether or not a student is to find it."""
    is_answer = isinstance(expression, Answer) and not isinstance(expression.of, str)
    return expression.of if is_answer else expression  # type: ignore[return-value, union-attr]


def _children(expression: Expression) -> tuple[Expression, ...]:
    match expression:
        case Answer(of) | Log(of) | Absolute(of) | Square(of):
            return () if isinstance(of, str) else (of,)
        case Product(factors):
            return factors
        case Quotient(top, bottom):
            return (top, bottom)
        case Sum(terms):
            return tuple(term for _, term in terms)
        case Ratio(top, bottom, unit, addresses) if addresses:
            pairs = zip((top, bottom), addresses, strict=True)
            return tuple(Number(_in_units(weight, unit), at) for weight, at in pairs)
        case Entropy(weights, unit, addresses) if addresses:
            pairs = zip((total(weights), *weights), addresses, strict=True)
            return tuple(Number(_in_units(w, unit), at) for w, at in pairs if w)
        case _:
            return ()


def _in_units(weight: Value, unit: int) -> Value:
    return weight if unit == 1 else weight / unit


def _addressed(expression: Expression) -> Iterator[Number | Call]:
    """Every number and call with an address, in reading order."""
    if isinstance(expression, Number | Call) and expression.address is not None:
        yield expression
    for child in _children(expression):
        yield from _addressed(child)


def numbers_with_addresses(formula: Formula) -> Iterator[Number]:
    """Every number of a formula that is the result of another one."""
    for part in formula.equation.parts:
        yield from (n for n in _addressed(plainly(part)) if isinstance(n, Number))


def _has_calls(expression: Expression) -> bool:
    return isinstance(expression, Call) or any(map(_has_calls, _children(expression)))


def evaluated(expression: Expression, digits: int | None = None) -> float:
    """The value of an expression without calls; with ``digits``, from rounded numbers."""

    def values(*inside: Expression) -> list[float]:
        return [evaluated(one, digits) for one in inside]

    match expression:
        case Number(value):
            found = float(value) if digits is None else round(float(value), digits)
        case Ratio(top, bottom):
            found = float(top / bottom)
        case Entropy(weights):
            found = entropy(weights)
        case Log(of, natural):
            found = (log if natural else log2)(*values(of))
        case Absolute(of):
            found = abs(*values(of))
        case Square(of):
            found = prod(values(of, of))
        case Product(factors):
            found = prod(values(*factors))
        case Quotient(top, bottom):
            above, below = values(top, bottom)
            found = above / below if below else inf
        case Sum(terms):
            signs = [1 if sign == "+" else -1 for sign, _ in terms]
            found = _signed_sum(signs, values(*(term for _, term in terms)))
        case _:
            found = nan
    return found


def _signed_sum(signs: list[int], values: list[float]) -> float:
    """The sum of values with signs."""
    return fsum(sign * value for sign, value in zip(signs, values, strict=True))


def with_symbols(expression: Expression, symbols: Any) -> Expression:
    """An expression with names instead of the numbers that have one: ``symbols(address)``."""

    def named(inside: Expression) -> Expression:
        match inside:
            case Number(_, address) if address is not None:
                call = symbols(address)
                return inside if call is None else call
            case Product(factors):
                return Product(tuple(map(named, factors)))
            case Quotient(top, bottom):
                return Quotient(named(top), named(bottom))
            case Sum(terms):
                return Sum(tuple((sign, named(term)) for sign, term in terms))
            case Log(of) | Absolute(of) | Square(of):
                return replace(inside, of=named(of))
            case _:
                return inside

    return named(expression)
