"""The elements of a page: escaped text, tables, bars, and the style sheet.

A page is self-contained: it loads nothing, and its policy forbids that and any script, except for
those of a living report (living.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from plaintree.data.words import plain
from plaintree.show.picture.palette import CLASS_COLOURS, INK, PALE_INK, PAPER, mixed

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

BLUE, ORANGE = CLASS_COLOURS[0], CLASS_COLOURS[5]
RULE = "#d8d8d8"
SHORT = 12
"""Tables with at most this many rows are printed on one page."""
LONG = 30
"""Longer strings may be broken into lines."""

STYLE = f"""
:root {{ color-scheme: light; }}
* {{ box-sizing: border-box; }}
body {{ font: 16px/1.5 system-ui, "DejaVu Sans", sans-serif; color: {INK}; background: {PAPER};
  max-width: 62rem; margin: 2rem auto 4rem; padding: 0 1rem; overflow-wrap: break-word; }}
h1 {{ font-size: 1.7rem; line-height: 1.25; margin: 0 0 .3rem; }}
h2 {{ font-size: 1.25rem; margin: 2.6rem 0 .8rem; padding-top: .9rem;
  border-top: 1px solid {RULE}; }}
h3 {{ font-size: 1rem; margin: 1.4rem 0 .4rem; }}
p {{ margin: .5rem 0; max-width: 46rem; }}
nav {{ margin: 1rem 0; font-size: .9rem; }}
nav a {{ margin-right: 1.1rem; white-space: nowrap; }}
a {{ color: {BLUE}; }}
.note {{ color: {PALE_INK}; font-size: .9rem; }}
.figures {{ display: flex; flex-wrap: wrap; gap: .8rem; margin: 1.2rem 0; padding: 0; }}
.figures div {{ border: 1px solid {RULE}; border-radius: 6px; padding: .5rem .9rem;
  min-width: 8.5rem; }}
.figures dd {{ margin: 0; font-size: 1.35rem; font-weight: 600; }}
.figures dt {{ color: {PALE_INK}; font-size: .85rem; }}
.wide {{ overflow-x: auto; max-width: 100%; }}
table {{ border-collapse: collapse; margin: .6rem 0; font-size: .93rem;
  font-variant-numeric: tabular-nums; }}
th, td {{ padding: .22rem .8rem .22rem 0; text-align: left; vertical-align: top;
  overflow-wrap: break-word; min-width: 2rem; }}
.any {{ overflow-wrap: anywhere; white-space: normal; }}
th {{ border-bottom: 2px solid {PALE_INK}; }}
td, tbody th {{ border-bottom: 1px solid {RULE}; }}
tbody th {{ font-weight: 600; }}
.n {{ text-align: right; white-space: nowrap; overflow-wrap: normal; }}
.matrix td, .matrix th {{ padding: .25rem .7rem; }}
.matrix .any {{ display: inline-block; width: 12rem; }}
.bar {{ display: block; height: .8rem; margin-top: .35rem; border-radius: 2px;
  background: {BLUE}; }}
.bars td:last-child {{ width: 16rem; min-width: 8rem; }}
svg {{ display: block; }}
.chart svg, .tree svg {{ max-width: 100%; height: auto; }}
@page {{ margin: 15mm; }}
@media print {{
  body {{ font-size: 10pt; margin: 0; max-width: none; padding: 0; }}
  nav, #studio, #plaintree-back {{ display: none; }}
  .figures div {{ min-width: 0; }}
  .wide {{ overflow: visible; }}
  svg {{ max-width: 100%; height: auto; max-height: 235mm; }}
  h2, h3, p:has(+ .wide), p:has(+ p + .wide), p:has(+ .chart), p:has(+ p + .chart),
  p:has(+ .tree), p:has(+ p + .tree) {{
    break-after: avoid; }}
  p, figure, .figures, tr, svg, .short {{ break-inside: avoid; }}
  thead {{ display: table-header-group; }}
  td, th, .bar {{ print-color-adjust: exact; -webkit-print-color-adjust: exact; }}
}}
"""


def words(value: object) -> str:
    """A name, label or sentence, escaped for HTML.

    >>> words("<script>")
    '&lt;script&gt;'
    """
    text = str(value)
    return escape(text if text.isprintable() else plain(text), quote=True)


def name(value: object) -> str:
    """A name or label of a table, quoted where it would be ambiguous."""
    return breakable(plain(value))


def breakable(text: str) -> str:
    """Text of a cell; long text may be broken anywhere, to leave space for other columns."""
    return f'<span class="any">{words(text)}</span>' if len(text) > LONG else words(text)


def table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    numeric: Sequence[bool],
    *,
    kind: str = "",
) -> str:
    """A table of cells in HTML; the first cell of a row is its heading.

    A short table stays on one page when it is printed.
    """
    kinds = [' class="n"' if right else "" for right in numeric]
    head = "".join(
        f'<th scope="col"{k}>{words(h)}</th>' for k, h in zip(kinds, header, strict=True)
    )
    body = []
    for first, *rest in rows:
        cells = "".join(f"<td{k}>{c}</td>" for k, c in zip(kinds[1:], rest, strict=True))
        body.append(f'<tr><th scope="row"{kinds[0]}>{first}</th>{cells}</tr>')
    kinds_of_table = [kind] * bool(kind) + ["short"] * (len(body) <= SHORT)
    of_kind = f' class="{" ".join(kinds_of_table)}"' if kinds_of_table else ""
    return (
        f'<div class="wide"><table{of_kind}><thead><tr>{head}</tr></thead>\n<tbody>'
        + "\n".join(body)
        + "</tbody></table></div>"
    )


def bar(fraction: float) -> str:
    """A bar whose length is a fraction of the column."""
    return f'<span class="bar" style="width: {100 * fraction:.1f}%"></span>'


def figures(pairs: Iterable[tuple[str, str]]) -> str:
    """The most important numbers, each with its name."""
    shown = "".join(
        f"<div><dd>{words(number)}</dd><dt>{words(what)}</dt></div>" for what, number in pairs
    )
    return f'<dl class="figures">{shown}</dl>'


def paragraph(text: str, *, note: bool = False) -> str:
    """A paragraph; a note is smaller."""
    return f'<p class="note">{words(text)}</p>' if note else f"<p>{words(text)}</p>"


def tinted(text: str, colour: str, fraction: float) -> str:
    """A cell of a matrix, darker for a larger fraction; the text stays legible on it."""
    shade = mixed(colour, PAPER, 1 - 0.55 * fraction)
    return f'<td class="n" style="background: {shade}">{text}</td>'


def left_out(n: int, what: str) -> Iterator[str]:
    """The number of items that are not shown, if there are any."""
    if n > 0:
        yield paragraph(f"... and {n:,} more {noun(n, what)}.", note=True)


def count(n: int, what: str) -> str:
    """A number and what it counts."""
    return f"{n:,} {noun(n, what)}"


def noun(n: int, what: str) -> str:
    """A noun in the singular or plural."""
    return what if n == 1 else {"class": "classes", "leaf": "leaves"}.get(what, f"{what}s")
