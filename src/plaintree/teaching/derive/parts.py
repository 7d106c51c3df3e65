"""Expressions as trees of plain data, for pages that write formulas themselves."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

from plaintree.data.schema import Schema
from plaintree.stats.exact import Weight, total

from .address import Address
from .document import (
    Absolute,
    Answer,
    Blank,
    Call,
    Entropy,
    Expression,
    Log,
    Number,
    Product,
    Quotient,
    Ratio,
    Square,
    Sum,
    Term,
)
from .notation import Notation, base_needs_parentheses, needs_parentheses, with_its_sign
from .write_text import TIE

Data = dict[str, Any]
KINDS: dict[type, str] = {
    Ratio: "ratio",
    Entropy: "sum",
    Sum: "sum",
    Log: "log",
    Product: "product",
    Quotient: "quotient",
    Square: "square",
    Absolute: "absolute",
}
"""The ``kind`` of compound expressions."""


@dataclass(frozen=True)
class Parts:
    """Writes expressions as dictionaries: ``kind``, ``text``, ``children`` and more by kind."""

    notation: Notation
    schema: Schema

    def part(self, expression: Expression) -> Data:
        """An expression with everything in it."""
        match expression:
            case Answer(of) if not isinstance(of, str):
                data = self.part(of)
            case Number(value, address):
                data = self._number(self.text(expression), float(value), address)
            case Call(name, of, given):
                data = self._leaf("call", expression)
                data |= {"name": name, "of": of, "given": given or None}
                data["address"] = self._address(expression.address)
            case Answer() | Blank():
                data = self._leaf("text", expression)
            case _:
                text = {"text": self.text(expression), "children": self._children(expression)}
                data = {"kind": KINDS[type(expression)], **text}
                if isinstance(expression, Log):
                    data["base"] = "e" if expression.natural else "2"
        return data

    def _children(self, expression: Expression) -> list[Data]:
        """What a compound expression is made of."""
        children: list[Data] = []
        match expression:
            case Ratio():
                children = self._sides(expression)
            case Entropy():
                children = self._entropy(expression)
            case Sum(terms):
                children = [self._term(term) for term in terms]
            case Product(factors):
                children = [self._factor(factor) for factor in factors]
            case Quotient(top, bottom):
                children = [self.part(top), self.part(bottom)]
            case Square(of):
                wrapped = base_needs_parentheses(of)
                children = [self._wrapped(of) if wrapped else self.part(of)]
            case Log(of) | Absolute(of):
                children = [self.part(of)]
            case _:
                pass
        return children

    def text(self, expression: Expression) -> str:
        """An expression as text."""
        return self.notation.expression(expression).replace(TIE, " ")

    def _leaf(self, kind: str, expression: Expression) -> Data:
        return {"kind": kind, "text": self.text(expression), "children": []}

    def _number(self, text: str, value: float, address: Address | None) -> Data:
        return {
            "kind": "number",
            "text": text,
            "value": _plain(value),
            "children": [],
            "address": self._address(address),
        }

    def _address(self, address: Address | None) -> Data | None:
        return None if address is None else address.to_dict(self.schema)

    def _term(self, term: Term) -> Data:
        sign, of = with_its_sign(term)
        inside = self.part(of)
        if isinstance(term[1], Number):  # the value of its address, also where the sign has moved
            inside["value"] = _plain(float(term[1].value))
        return {"kind": "term", "sign": sign, "text": self.text(of), "children": [inside]}

    def _factor(self, factor: Expression) -> Data:
        return self._wrapped(factor) if needs_parentheses(factor) else self.part(factor)

    def _wrapped(self, inside: Expression) -> Data:
        text = self.notation.parentheses(self.text(inside))
        return {"kind": "parentheses", "text": text, "children": [self.part(inside)]}

    # ---------------------------------------------------------------- counted fractions

    def _sides(self, ratio: Ratio) -> list[Data]:
        """The two weights of a fraction as numbers."""
        addresses = ratio.addresses or (None, None)
        sides = zip((ratio.top, ratio.bottom), addresses, strict=True)
        return [self._weight(weight, ratio.unit, address) for weight, address in sides]

    def _weight(self, weight: Weight, unit: int, address: Address | None) -> Data:
        text = self.notation.counted(weight, unit)
        return self._number(text, float(weight / unit), address)

    def _entropy(self, entropy: Entropy) -> list[Data]:
        """The terms of an entropy: each a fraction times its logarithm."""
        weights, unit = entropy.weights, entropy.unit
        addresses = entropy.addresses or (None,) * (len(weights) + 1)
        whole = total(weights)
        terms = []
        for weight, address in zip(weights, addresses[1:], strict=True):
            if weight:
                ratio = Ratio(weight, whole, unit, (address, addresses[0]))
                terms.append(self._term(("-", Product((ratio, Log(ratio))))))
        return terms


def _plain(value: float) -> float | None:
    """A number as JSON holds it; None where there is none."""
    return value if isfinite(value) else None
