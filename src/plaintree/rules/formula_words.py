"""The styles of a formula: plain text, Unicode or LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from plaintree.data.latex import latex_text
from plaintree.data.schema import Schema
from plaintree.data.words import plain, wrapped

Style = Literal["text", "unicode", "latex"]


@dataclass(frozen=True)
class Words:
    """The operators of a style. Clauses are described with a schema whose names are numbers (see
    :func:`numbered`), so operators can be replaced without touching names.
    """

    both: str
    either: str
    signs: dict[str, str]
    word: Callable[[str], str]
    value: Callable[[str], str]

    def clause(self, described: str, names: Sequence[str]) -> str:
        """A clause described by numbers, with their names put in."""
        parts = re.split(r" (<=|>|<|!=|=|not in|in) ", described)
        parts[1::2] = [f" {self.signs.get(sign, sign)} " for sign in parts[1::2]]
        parts[::2] = [self._named(part, names) for part in parts[::2]]
        return "".join(parts)

    def _named(self, part: str, names: Sequence[str]) -> str:
        """One side of an operator: a name, names in braces, or a number."""
        if not _NUMBERED.search(part):
            return self.value(part)
        for sign in ("{", "}", " is missing"):
            part = part.replace(sign, self.signs.get(sign, sign))
        return _NUMBERED.sub(lambda found: self.word(names[int(found[1])]), part)

    def term(self, clauses: Sequence[str], one_of_many: bool) -> str:
        joined = f" {self.both} ".join(clauses)
        return f"({joined})" if one_of_many else joined

    def lines(self, terms: Sequence[Sequence[str]], width: int) -> Iterable[str]:
        """A term per line, long ones wrapped."""
        for number, clauses in enumerate(terms):
            words = self.term(clauses, len(terms) > 1).split(" ")
            lead = [self.either] if number else []
            yield from wrapped([*lead, *words], width, rest="      ")


_NUMBERED = re.compile("\x00(\\d+)\x01")


def numbered(schema: Schema) -> tuple[Schema, list[str]]:
    """The schema with a number for every name and category, and the names."""
    names: list[str] = []

    def number(name: object) -> str:
        names.append(plain(name))
        return f"\x00{len(names) - 1}\x01"

    features = tuple(
        replace(a, name=number(a.name), categories=tuple(map(number, a.categories)))
        for a in schema.features
    )
    return replace(schema, features=features), names


_PLAIN = "\"'-"
"""A few characters need no escaping, and are easier to read without it."""


def _latex_text(text: str) -> str:
    r"""Upright text. Letters that pdflatex has no font for become numbers there, and only there.

    >>> print(_latex_text("x_1"))
    \text{x\_1}
    >>> print(_latex_text("α angle"))
    \text{\ifdefined\Umathchar α\else [U+03B1]\fi{} angle}
    """
    return rf"\text{{{latex_text(text, unescaped=_PLAIN)}}}"


def _latex_value(value: str) -> str:
    number = re.fullmatch(r"(-?[\d.]+)(?:e([+-]\d+))?", value)
    if number is None:
        return {"inf": r"\infty", "-inf": r"-\infty"}.get(value) or _latex_text(value)
    return rf"{number[1]} \cdot 10^{{{int(number[2])}}}" if number[2] else value


STYLES = {
    "text": Words("AND", "OR", {}, str, str),
    "unicode": Words(
        both="∧",
        either="∨",
        signs={"<=": "≤", "!=": "≠", "in": "∈", "not in": "∉"},
        word=str,
        value=str,
    ),
    "latex": Words(
        both=r"\land",
        either=r"\lor",
        signs={
            "<=": r"\le",
            "!=": r"\ne",
            "in": r"\in",
            "not in": r"\notin",
            "{": r"\{",
            "}": r"\}",
            " is missing": r" \text{ is missing}",
        },
        word=_latex_text,
        value=_latex_value,
    ),
}
