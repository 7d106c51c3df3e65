"""Formatting for all languages: numbers in blocks, names in comments and identifiers.

Nothing of a table's names goes into a comment or an identifier as it is: only letters, digits and
a few harmless signs do. Names as data are quoted by each language's own rules.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping
from math import inf
from string import Template

from ..members import unique_name

WIDTH = 100


def with_parts(source: str, parts: Mapping[str, str]) -> Template:
    """The fixed part of a source with the parts that differ by the target in their places.

    Parts may have places of their own, which are filled with the others.
    """
    return Template(Template(source).safe_substitute(parts))


def number_text(value: float, infinity: str = "inf") -> str:
    """Return the shortest string that reads back as the same double.

    >>> number_text(0.1), number_text(float("-inf"), "Infinity")
    ('0.1', '-Infinity')
    """
    if value in (inf, -inf):
        return infinity if value > 0 else f"-{infinity}"
    return repr(float(value))


def block(numbers: Iterable[object], separator: str = " ") -> str:
    """Numbers on lines of some twenty each.

    Compilers and interpreters accept a string of a million numbers, but not always a list.
    """
    tokens = list(map(str, numbers))
    lines = (separator.join(tokens[i : i + 20]) for i in range(0, len(tokens), 20))
    return (separator.rstrip() + "\n").join(lines)


def comment_text(name: object, most: int = 60) -> str:
    """A name that can do no harm in a comment of any language."""
    text = re.sub(r"[^A-Za-z0-9 _.,()<=-]", "_", str(name))
    return text if len(text) <= most else f"{text[:most]}..."


def identifier(name: object, taken: set[str], reserved: Container[str] = ()) -> str:
    """A name in ASCII letters, digits and underscores that is not taken; it is from now on."""
    text = re.sub(r"[^A-Za-z0-9]+", "_", str(name)).strip("_")[:40]
    if not text or text[0].isdigit():
        text = f"column_{text}".rstrip("_")
    return unique_name(f"{text}_" if text in reserved else text, taken)
