"""XML written element by element: nothing recurses, and every name survives or is refused."""

from __future__ import annotations

import re

from plaintree.errors import ExportError

_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 does not allow, not even escaped."""
_ESCAPES = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "\t": "&#9;",
    "\n": "&#10;",
    "\r": "&#13;",
}
_TABLE = str.maketrans(_ESCAPES)
_DEEPEST_INDENT = 30
"""Elements further inside are not indented more, or the text would grow with the depth squared."""


def escaped(text: str) -> str:
    """Escape a string for an attribute or an element, so reading returns the same string."""
    wrong = _FORBIDDEN.search(text)
    if wrong:
        raise ExportError(
            "a name or label has a character that XML does not allow",
            got=f"{wrong.group()!r} in {text!r}",
            hint="rename the column, category or class before fitting.",
        )
    return text.translate(_TABLE)


class Markup:
    """A growing XML document."""

    def __init__(self) -> None:
        self._lines = ['<?xml version="1.0" encoding="UTF-8"?>']
        self._open: list[str] = []

    def start(self, element: str, **attributes: object) -> None:
        """Open an element; attributes that are None are left out."""
        self._lines.append(f"{self._indent()}<{element}{_attributes(attributes)}>")
        self._open.append(element)

    def end(self) -> None:
        """Close the element that was opened last."""
        element = self._open.pop()
        self._lines.append(f"{self._indent()}</{element}>")

    def empty(self, element: str, **attributes: object) -> None:
        """An element without content."""
        self._lines.append(f"{self._indent()}<{element}{_attributes(attributes)}/>")

    def text(self, element: str, content: str, **attributes: object) -> None:
        """Write an element with text."""
        opening = f"{self._indent()}<{element}{_attributes(attributes)}>"
        self._lines.append(f"{opening}{escaped(content)}</{element}>")

    def __str__(self) -> str:
        return "\n".join(self._lines) + "\n"

    def _indent(self) -> str:
        return " " * min(len(self._open), _DEEPEST_INDENT)


def _attributes(attributes: dict[str, object]) -> str:
    return "".join(
        f' {name}="{escaped(str(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
