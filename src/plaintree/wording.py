"""Words that everything which prints a tree shares: names, weights, and lines of a width."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from numbers import Integral
from shutil import get_terminal_size
from unicodedata import combining, east_asian_width

from .condition import format_number
from .errors import KindError, ParameterError
from .schema import Schema
from .tree import Tree

LEAST_WIDTH = 40
"""The fewest columns a tree is written in."""


def plain(value: object) -> str:
    """A name or label as one line of printable text; quoted where it would be misread."""
    text = str(value)
    if not text.isprintable():
        text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    if not text or text != text.strip() or any(c in text for c in ",{}"):
        return f'"{text}"'
    return text


def shown_schema(schema: Schema, *, ascii: bool = False) -> Schema:
    """The schema with every name and label made :func:`plain`, for conditions to describe with."""

    def shown(value: object) -> str:
        return plain(value).encode("ascii", "backslashreplace").decode() if ascii else plain(value)

    attributes = tuple(
        replace(a, name=shown(a.name), categories=tuple(map(shown, a.categories)))
        for a in schema.attributes
    )
    return Schema(attributes, tuple(map(shown, schema.classes)), shown(schema.target))


def weight_text(weight: float) -> str:
    """A weight as a person writes it: 12, 12.5, 3.33; two digits of one below 0.1."""
    if float(weight).is_integer() or abs(weight) >= 1e6:
        return format_number(weight)
    if abs(weight) < 0.1:
        return f"{weight:.2g}"
    return f"{weight:.2f}".rstrip("0").rstrip(".")


def tree_of(model_or_tree: object) -> Tree:
    """The tree itself, or the ``tree_`` of a fitted model."""
    tree = getattr(model_or_tree, "tree_", model_or_tree)
    if isinstance(tree, Tree):
        return tree
    if hasattr(model_or_tree, "trees_"):
        raise KindError(
            "this model answers by many trees, and one is to be read",
            got=f"an object of type {type(model_or_tree).__name__}",
            hint="take one of them: trees_[0], or --tree 0 on the command line.",
        )
    unfitted = hasattr(model_or_tree, "fit")
    raise KindError(
        "there is no tree to read",
        got=f"an object of type {type(model_or_tree).__name__} without a tree_",
        hint="call fit first." if unfitted else "pass a fitted model or a Tree.",
    )


def line_width(width: int | None) -> int:
    """The columns to write in: as asked for, or the terminal's, or 100 where there is none."""
    if width is None:
        return max(LEAST_WIDTH, get_terminal_size(fallback=(100, 24)).columns)
    if isinstance(width, bool) or not isinstance(width, Integral) or width < LEAST_WIDTH:
        raise ParameterError(
            "width is not a number of columns a tree fits in",
            got=f"width={width!r}",
            hint=f"use a whole number from {LEAST_WIDTH}, or leave it out for the terminal's.",
        )
    return int(width)


def cells(text: str) -> int:
    """The columns a text takes in a terminal: East Asian characters take two."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def wrapped(words: Iterable[str], width: int, lead: str = "", rest: str = "") -> Iterator[str]:
    """Words on as many lines as they need: the first begins with ``lead``, the others with
    ``rest``. An empty word is one more space, left out where a line ends. A word wider than a
    line is not broken.
    """
    line, used, fresh = lead, cells(lead), True
    for word in words:
        if not fresh and used + 1 + cells(word) > width:
            yield line.rstrip()
            line, used, fresh = rest, cells(rest), True
        if fresh and not word:
            continue
        line += word if fresh else f" {word}"
        used += cells(word) + (0 if fresh else 1)
        fresh = False
    yield line.rstrip()
