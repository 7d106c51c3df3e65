"""A derivation as one HTML page: formulas in MathML, no script, no other files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from plaintree.show.text import export_text

from .document import (
    Answer,
    Blank,
    Block,
    Columns,
    Document,
    Drawing,
    Equation,
    Expression,
    Formulas,
    Grid,
    Heading,
    Listing,
    Number,
    Paragraph,
    Space,
    Table,
)
from .notation import Notation, check_digits, decimals

TREE_WIDTH = 100

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff;
  max-width: 56rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem;
  border-top: 1px solid #ccc; padding-top: 1rem; } h3 { font-size: 1.05rem; }
table { border-collapse: collapse; margin: .8rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: .15rem .7rem; text-align: left; overflow-wrap: break-word; }
th { border-bottom: 2px solid #555; } td { border-bottom: 1px solid #ddd; }
.n { text-align: right; } .wide { overflow-x: auto; }
.f { margin: .2rem 0 .2rem 1.5rem; padding: .2rem 0; overflow-x: auto; overflow-y: hidden; }
math { font-size: 1.08em; }
pre { background: #f5f5f2; padding: .7rem 1rem; overflow-x: auto; line-height: 1.3; }
.note { border-left: 4px solid #b34700; background: #fff4e8; padding: .4rem .8rem; }
.blank { display: inline-block; border-bottom: 1px solid #333; height: 1.1em; }
@media print { body { margin: 0; max-width: none; font-size: 11pt; }
  h2, h3 { break-after: avoid; } table, pre, .f { break-inside: avoid; } }
"""


def html(text: str) -> str:
    """Words as HTML."""
    return escape(text, quote=True)


@dataclass(frozen=True)
class MathNotation(Notation):
    """Formulas in presentation MathML."""

    def words(self, text: str) -> str:
        return f"<mtext>{html(text)}</mtext>"

    def figure(self, text: str) -> str:
        if text in ("infinity", "none"):
            return "<mo>&#8734;</mo>" if text == "infinity" else "<mtext>none</mtext>"
        sign, number = ("<mo>&#8722;</mo>", text[1:]) if text.startswith("-") else ("", text)
        return f"{sign}<mn>{html(number)}</mn>"

    def share(self, top: str, bottom: str) -> str:
        return f"<mfrac><mn>{html(top)}</mn><mn>{html(bottom)}</mn></mfrac>"

    def quotient(self, top: str, bottom: str) -> str:
        return f"<mfrac><mrow>{top}</mrow><mrow>{bottom}</mrow></mfrac>"

    def call(self, name: str, of: str, given: str) -> str:
        bar = f"<mo>|</mo>{self.words(given)}" if given else ""
        inside = "<mi>S</mi>" if of == "S" else self.words(of)
        return f"<mi>{html(name)}</mi><mo>(</mo>{inside}{bar}<mo>)</mo>"

    def log(self, of: str, *, natural: bool = False) -> str:
        name = "<mi>ln</mi>" if natural else "<msub><mi>log</mi><mn>2</mn></msub>"
        return f"{name}<mspace width='.2em'/>{of}"

    def absolute(self, of: str) -> str:
        return f"<mo>|</mo>{of}<mo>|</mo>"

    def square(self, of: str) -> str:
        return f"<msup><mrow>{of}</mrow><mn>2</mn></msup>"

    def product(self, factors: Sequence[str]) -> str:
        text = factors[0]
        for factor in factors[1:]:
            logarithm = factor.startswith(("<msub><mi>log", "<mi>ln"))
            text += f"<mspace width='.2em'/>{factor}" if logarithm else f"<mo>&#183;</mo>{factor}"
        return text

    def parentheses(self, inside: str) -> str:
        return f"<mo>(</mo>{inside}<mo>)</mo>"

    def blank(self, width: int) -> str:
        return f"<mspace width='{width / 2:g}em' style='border-bottom: 1px solid'/>"

    def signed(self, sign: str, term: str, *, first: bool) -> str:
        mark = "<mo>+</mo>" if sign == "+" else "<mo>&#8722;</mo>"
        return term if first and sign == "+" else f"{mark}{term}"

    def unit(self, unit: str) -> str:
        return f"<mtext>&#160;{html(unit)}</mtext>"

    def relation(self, part: Expression) -> str:
        return f"<mo>{'&#8776;' if super().relation(part) == self.about else '='}</mo>"

    def math(self, equation: Equation) -> str:
        """An equation as an element of its own."""
        inside = "".join(f"<mrow>{piece}</mrow>" for piece in self.chain(equation))
        return f"<math displaystyle='true'><mrow>{inside}</mrow></math>"

    def running(self, parts: Sequence[str | Expression]) -> str:
        return "".join(html(p) if isinstance(p, str) else self.inline(p) for p in parts)

    def inline(self, expression: Expression) -> str:
        if isinstance(expression, Blank):
            return f"<span class='blank' style='width: {expression.width / 2:g}em'></span>"
        if isinstance(expression, Answer):
            return self.running((expression.of,))
        if isinstance(expression, Number):
            return html(decimals(expression.value, self.digits).replace("-", "−"))
        return f"<math>{self.expression(expression)}</math>"


def to_html(document: Document, *, digits: int = 4) -> str:
    """The document as a whole page."""
    page = _Page(MathNotation(check_digits(digits)))
    body = "\n".join(line for block in document.blocks for line in page.block(block))
    return (
        "<!DOCTYPE html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>\n"
        f"<title>{html(document.title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


@dataclass(frozen=True)
class _Page:
    notation: MathNotation

    def block(self, block: Block) -> Iterator[str]:
        match block:
            case Heading(level, parts):
                yield f"<h{level}>{self.notation.running(parts)}</h{level}>"
            case Paragraph(parts, warning):
                kind = " class='note'" if warning else ""
                yield f"<p{kind}>{self.notation.running(parts)}</p>"
            case Formulas(equations):
                for equation in equations:
                    yield f"<div class='f'>{self.notation.math(equation)}</div>"
            case Grid() | Columns():
                yield from self._table(block)
            case Listing(items):
                yield "<ul>"
                yield from (f"<li>{self.notation.running(item)}</li>" for item in items)
                yield "</ul>"
            case Drawing(tree):
                yield f"<pre>{html(export_text(tree, width=TREE_WIDTH))}</pre>"
            case Space(lines):
                yield f"<div style='height: {lines * 1.5:g}em'></div>"

    def _table(self, table: Table) -> Iterator[str]:
        kinds = [" class='n'" if numeric else "" for numeric in table.numeric]
        yield "<div class='wide'><table>"
        head = "".join(f"<th{k}>{html(c)}</th>" for k, c in zip(kinds, table.header, strict=True))
        yield f"<thead><tr>{head}</tr></thead><tbody>"
        for row in self.notation.rows(table):
            cells = [f"<td{k}>{cell}</td>" for k, cell in zip(kinds, row, strict=True)]
            yield f"<tr>{''.join(cells)}</tr>"
        yield "</tbody></table></div>"
        if table.more:
            yield f"<p>&#8230; and {table.more} more</p>"
