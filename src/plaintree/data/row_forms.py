"""A few rows by column names, written as a Markdown table or made into a polars DataFrame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars

ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
MARKS = frozenset("\\`*_{}[]()#+!|~$^")


def as_markdown(text: str) -> str:
    """Words as Markdown on one line: nothing in them is taken for a mark.

    >>> as_markdown("x_1 <= 5 | y")
    'x\\\\_1 &lt;= 5 \\\\| y'
    """
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return "".join(ENTITIES.get(c, f"\\{c}" if c in MARKS else c) for c in line)


def markdown_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows of the same columns as a table; fractions with two digits, integers unchanged.

    >>> print(markdown_table([{"if": "x > 1", "support": 3.0, "confidence": 0.666}]))
    | if | support | confidence |
    |---|---:|---:|
    | x &gt; 1 | 3 | 0.67 |
    """
    header = list(rows[0])
    numeric = [all(_is_number(row[name]) or row[name] is None for row in rows) for name in header]
    lines = [
        f"| {' | '.join(map(as_markdown, header))} |",
        f"|{'|'.join('---:' if right else '---' for right in numeric)}|",
    ]
    lines += [f"| {' | '.join(map(_cell, row.values()))} |" for row in rows]
    return "\n".join(lines)


def frame_of(rows: Sequence[Mapping[str, Any]]) -> polars.DataFrame:
    """Rows of the same columns as a polars DataFrame."""
    import polars

    return polars.DataFrame([dict(row) for row in rows], infer_schema_length=None, strict=False)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if not _is_number(value) or isinstance(value, int):
        return as_markdown(str(value))
    return str(int(value)) if float(value).is_integer() else f"{value:.2f}"
