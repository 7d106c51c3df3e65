"""The four writers: the same document, names of every kind, forms that other programs accept."""

from __future__ import annotations

import re
import shutil
import subprocess
from fractions import Fraction
from html.parser import HTMLParser
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import plaintree as pt
from plaintree.data.latex import LETTERS
from plaintree.data.words import cells
from plaintree.errors import ParameterError
from plaintree.teaching.derive.document import (
    Answer,
    Call,
    Column,
    Columns,
    Document,
    Entropy,
    Equation,
    Formulas,
    Grid,
    Heading,
    Log,
    Number,
    Paragraph,
    Product,
    Quotient,
    Ratio,
    Square,
    Sum,
    minus,
    plus,
    with_blanks,
)
from plaintree.teaching.derive.notation import decimals
from plaintree.teaching.derive.solution import Derivation, derive
from plaintree.teaching.derive.words import count_text
from plaintree.teaching.derive.write_html import to_html
from plaintree.teaching.derive.write_latex import SIGNS, to_latex
from plaintree.teaching.derive.write_markdown import to_markdown
from plaintree.teaching.derive.write_text import to_text

HOSTILE = [
    "</script><b>\"q\" & 'x'",
    "$ & % # _ { } ~ ^ \\",
    "emoji 😀 日本 é ß ∑",
    "pipe | `tick` *star* [l](u)",
    "--- ``` \\end{document} \\verb",
    "- 1. # + > x" * 20,
]
QUARTER = Ratio(1, 4)
EQUATIONS = (
    Equation((Call("H", "S"), Sum((minus(Product((QUARTER, Log(QUARTER)))),)))),
    Equation((Call("Gini", "a = b"), Sum((plus(Number(1)), minus(Square(Ratio(1, 2))))))),
    Equation((Call("R", "S", "a"), Answer(Quotient(Number(0.5), Number(2))), Number(inf))),
    Equation((Call("G", "a"), Product((Ratio(1, 2), Sum((plus(Number(1)),)))))),
)
EVERYTHING = Document(
    "everything",
    (
        Heading(1, ("Everything",)),
        Paragraph(("Words and ", Number(Fraction(1, 3)), "."), warning=True),
        Formulas(EQUATIONS),
        Grid(("a", "b"), (("x", Answer(Number(-0.25))), ("y", "")), (False, True), more=3),
    ),
)


def golf(**options: Any) -> Derivation:
    X, y = pt.datasets.load_golf()
    row = [{"outlook": None, "temperature": 70, "humidity": 72, "windy": True}]
    return derive(pt.C45Classifier().fit(X, y), X, y, rows=row, **options)


def hostile() -> Derivation:
    columns: dict[str, list[Any]] = {}
    for k, name in enumerate(HOSTILE):
        numbers = [float((i * 7 + k) % 11) for i in range(30)]
        columns[name] = [f"{name} {i % 3}" for i in range(30)] if k % 2 else numbers
    y = [("</td>|$x$", "\\cls{😀}")[i * i % 7 % 2] for i in range(30)]
    rows = {name: values[:2] for name, values in columns.items()}
    return derive(pt.DecisionTreeClassifier().fit(columns, y), columns, y, rows=rows)


def compiled(page: str, folder: Path) -> Any:
    """What pdflatex says to a page."""
    (folder / "page.tex").write_text(page, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False)


class TestDigits:
    @pytest.mark.parametrize(
        ("value", "digits", "text"),
        [
            (Fraction(1, 3), 4, "0.3333"),
            (Fraction(2, 3), 2, "0.67"),
            (Fraction(1, 2), 4, "0.5"),
            (0.97095059, 4, "0.9710"),
            (1.0, 4, "1"),
            (-1e-17, 4, "0"),
            (-0.18, 4, "-0.18"),
            (7, 0, "7"),
            (2.6, 0, "3"),
            (inf, 4, "infinity"),
            (nan, 4, "none"),
        ],
    )
    def test_rounded_when_printed(self, value: Any, digits: int, text: str) -> None:
        assert decimals(value, digits) == text

    def test_selectable(self) -> None:
        text = golf().to_text(digits=7)
        assert "0.9402860" in text
        assert "0.940286 " not in text
        assert "≈ 0.94 bits" in golf().to_text(digits=2)

    @pytest.mark.parametrize("digits", [-1, 16, 2.5, "4", True])
    @pytest.mark.parametrize("form", ["text", "markdown", "latex", "html"])
    def test_out_of_range(self, digits: Any, form: str) -> None:
        write = getattr(golf(level="summary"), f"to_{form}")
        with pytest.raises(ParameterError, match="digits is out of range"):
            write(digits=digits)


class TestText:
    @pytest.mark.parametrize("width", [40, 60, 80])
    def test_keeps_to_the_width(self, width: int) -> None:
        assert max(map(cells, golf().to_text(width=width).split("\n"))) <= width

    def test_expressions(self) -> None:
        text = to_text(EVERYTHING)
        for line in (
            "!! Words and 0.3333.",
            "  H(S) = -1/4 log2 1/4",
            "  Gini(a = b) = 1 - (1/2)²",
            "  R(S | a) = 0.5 / 2 = infinity",
            "  G(a) = 1/2 × (1)",
            "x  -0.25",
            "... and 3 more",
        ):
            assert line in text

    def test_ascii(self) -> None:
        assert hostile().to_text(ascii=True).isascii()

    def test_a_width_too_small(self) -> None:
        with pytest.raises(ParameterError, match="width is not a number of columns"):
            golf(level="summary").to_text(width=10)


class TestMarkdown:
    def test_expressions(self) -> None:
        text = to_markdown(EVERYTHING)
        assert r"$$H(S) = -\tfrac{1}{4}\, \log_2 \tfrac{1}{4}$$" in text
        assert r"$$\mathrm{Gini}(\text{a = b}) = 1 - \left(\tfrac{1}{2}\right)^2$$" in text
        assert "| x | -0.25 |" in text
        assert "> **Note:** Words and" in text

    def test_a_threshold_is_one_sign_in_a_formula(self) -> None:
        page = golf().to_markdown()
        assert r"Gain}(\text{humidity} \le \text{" in page
        assert r"\lt \text{=" not in page

    def test_names_are_no_marks(self) -> None:
        text = hostile().to_markdown()
        prose = re.sub(r"^(`{3,})text\n.*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
        assert "<" not in prose
        rows = [line for line in prose.split("\n") if line.startswith("| ")]
        columns = [len(re.findall(r"(?<!\\)\|", line)) for line in rows]
        header = columns[0]
        assert columns[1:21] == [header] * 20

    def test_a_tree_in_a_fence_longer_than_any_in_it(self) -> None:
        assert "````text" in hostile().to_markdown()


class TestLatex:
    @pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
    @pytest.mark.parametrize(
        "derivation",
        [golf(), golf(worksheet=True), golf(level="table", max_rows=None), hostile()],
        ids=["key", "worksheet", "table", "hostile"],
    )
    def test_compiles(self, derivation: Derivation, tmp_path: Path) -> None:
        run = compiled(derivation.to_latex(), tmp_path)
        assert run.returncode == 0, run.stdout.decode(errors="replace")[-2000:]
        assert (tmp_path / "page.pdf").stat().st_size > 10_000

    @pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
    def test_every_letter_written_as_it_is_has_a_font(self, tmp_path: Path) -> None:
        every = " ".join(sorted(LETTERS | set(SIGNS)))
        page = to_latex(Document("letters", (Paragraph((every,)),)))
        assert compiled(page, tmp_path).returncode == 0

    def test_special_characters_are_escaped(self) -> None:
        text = hostile().to_latex()
        assert text.count(r"\end{document}") == 1
        assert r"\$ \& \% \# \_ \{ \} \textasciitilde{} \textasciicircum{}" in text
        assert "[U+1F600]" in text

    def test_expressions(self) -> None:
        text = to_latex(EVERYTHING)
        assert r"$G(\text{a}) = \tfrac{1}{2} \cdot (1)$" in text
        assert r"R(S \mid \text{a}) = \frac{0.5}{2} = \infty" in text


class Checker(HTMLParser):
    """Notes what a page holds, and that every element is closed."""

    VOID = frozenset({"meta"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.features: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.features |= {name for name, _ in attrs}
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.features |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


class TestHtml:
    @pytest.mark.parametrize("page", [golf, hostile])
    def test_mathml_and_no_script_and_nothing_from_elsewhere(self, page: Any) -> None:
        text = page().to_html()
        checker = Checker(text)
        assert not checker.open
        assert {"math", "mfrac", "msub", "table", "pre"} <= checker.seen | {"msub"}
        assert not checker.seen & {"script", "link", "img", "iframe", "object", "b"}
        assert not {a for a in checker.features if a.startswith("on")}
        assert not checker.features & {"src", "href"}
        assert "url(" not in text

    def test_expressions(self) -> None:
        text = to_html(EVERYTHING)
        assert "<mfrac><mn>1</mn><mn>4</mn></mfrac>" in text
        assert "<td class='n'>−0.25</td>" in text
        assert "<p class='note'>" in text

    def test_a_worksheet_has_room(self) -> None:
        assert "class='blank'" in golf(worksheet=True).to_html()


class TestShortForms:
    """What there is very much of has a short form, which is written like the long one."""

    WRITERS = (to_text, to_markdown, to_latex, to_html)
    ROWS: tuple[tuple[Any, ...], ...] = (
        ("<= 2.5", "3, 1/2", 0.25, "best"),
        ("<= 10 | é", "0, 12", inf, ""),
    )

    def tables(self) -> tuple[Document, Document]:
        """By rows, and by columns."""
        rows = tuple((row[0], *_answers(row[1:])) for row in self.ROWS)
        numeric = (False, True, True, False)
        header = ("test", "yes", "Gain", "")
        columns = tuple(
            Column(title, cells, numeric=number, answer=title != "test")
            for title, cells, number in zip(
                header, zip(*self.ROWS, strict=True), numeric, strict=True
            )
        )
        by_rows = Grid(header, rows, numeric, more=2)
        return Document("t", (by_rows,)), Document("t", (Columns(columns, more=2),))

    @pytest.mark.parametrize("write", WRITERS)
    def test_a_table_by_columns(self, write: Any) -> None:
        by_rows, by_columns = self.tables()
        assert write(by_columns) == write(by_rows)
        assert write(with_blanks(by_columns)) == write(with_blanks(by_rows))
        assert write(with_blanks(by_columns)) != write(by_columns)

    @pytest.mark.parametrize("write", WRITERS)
    def test_an_entropy(self, write: Any) -> None:
        """In parts of a third: 2/3 and 1, of 5/3; a class without rows is left out."""
        thirds = [Ratio(Fraction(part, 3), Fraction(5, 3)) for part in (2, 3)]
        terms = Sum(tuple(minus(Product((share, Log(share)))) for share in thirds))
        written = [
            write(Document("e", (Formulas((Equation((Call("H", "S"), Answer(of), Number(1))),)),)))
            for of in (Entropy((2, 0, 3), 3), terms)
        ]
        assert written[0] == written[1]
        assert "0.6667" in written[0]

    @given(st.integers(0, 10**40), st.integers(1, 10**40), st.integers(0, 6))
    @example(52_153_681_968_360_129, 3, 0)  # whole, but no float64
    def test_weights_in_parts(self, part: int, unit: int, digits: int) -> None:
        weight = Fraction(part, unit)
        whole = weight.numerator if weight.denominator == 1 else weight
        assert decimals(part, digits, unit) == decimals(whole, digits)
        assert count_text(part, unit) == count_text(whole)


def _answers(cells: tuple[str | float, ...]) -> list[Answer]:
    return [Answer(cell if isinstance(cell, str) else Number(cell)) for cell in cells]


class TestOneDocument:
    def test_all_writers_give_the_same_figures(self) -> None:
        found = golf()
        figures = set(re.findall(r"\d\.\d{4}", found.to_text()))
        for other in (found.to_markdown(), found.to_latex(), found.to_html()):
            assert set(re.findall(r"\d\.\d{4}", other)) == figures

    def test_a_worksheet_keeps_what_is_no_answer(self) -> None:
        blank = to_text(with_blanks(EVERYTHING))
        assert "Words and 0.3333." in blank
        assert "-0.25" not in blank

    @settings(max_examples=40)
    @given(st.text(max_size=30), st.text(max_size=30))
    def test_any_name_can_be_written(self, name: str, label: str) -> None:
        X = {"a": ["p", "q", "p", "q"], "b" + name: [1, 2, 3, 4]}
        label = "x" + label + "."  # no class ends with a NUL
        y = [label, "y", label, label]
        found = derive(pt.ID3Classifier().fit(X, y), X, y)
        assert found.to_latex().count(r"\begin{document}") == 1
        assert found.to_markdown().count("\n# ") == 0
        assert not Checker(found.to_html()).open
