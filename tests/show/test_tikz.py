"""A tree as TikZ: balanced, escaped, and accepted by LaTeX where there is one."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from plaintree.data.latex import latex_text
from plaintree.data.schema import Feature, Schema
from plaintree.show.picture.tikz import export_tikz
from plaintree.tree.tree import Tree
from tests.support.trees import build, tennis

NASTY = r"a_b \c{} $x$ #1 50% ~^&<>|\"' --"
FOREIGN = "Ж🎾 Ħħ"
DOCUMENT = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{textcomp}
\usepackage{tikz}
\begin{document}
%s
\end{document}
"""


def nasty() -> Tree:
    attribute = Feature(NASTY, "categorical", "text", (NASTY, "[b]", "end"))
    schema = Schema((attribute,), (NASTY, "no"), NASTY)
    return build(schema, (NASTY, {NASTY: [1, 2], "[b]": [3, 0], "end": [0, 0]}))


def foreign() -> Tree:
    """A tree of short words that no drawing cuts off, with letters that T1 fonts have not."""
    schema = Schema((Feature(FOREIGN, "categorical", "text", ("λ", "łé")),), ("א", "no"), "y")
    return build(schema, (FOREIGN, {"λ": [1, 2], "łé": [3, 0]}))


EVERY_TREE = pytest.mark.parametrize(
    "tree", [tennis(), nasty(), foreign()], ids=["tennis", "nasty", "foreign"]
)


def needs(engine: str, *files: str) -> pytest.MarkDecorator:
    """Skipped where an engine of LaTeX or one of its files is not installed."""
    lacking = [name for name in (engine, "kpsewhich") if not shutil.which(name)]
    if not lacking:
        found = [subprocess.run(["kpsewhich", f], capture_output=True, check=False) for f in files]
        lacking = [f for f, run in zip(files, found, strict=True) if run.returncode]
    return pytest.mark.skipif(bool(lacking), reason=f"{', '.join(lacking)} is not installed")


def has_font(family: str) -> bool:
    if not shutil.which("fc-list"):
        return False
    listed = subprocess.run(["fc-list", family, "family"], capture_output=True, check=True)
    return bool(listed.stdout.strip())


def log_of(engine: str, document: str, folder: Path) -> str:
    """What an engine of LaTeX notes down about a document that it makes a page of."""
    (folder / "tree.tex").write_text(document, encoding="utf-8")
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "tree.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-500:]
    return (folder / "tree.log").read_text("utf-8", errors="replace")


def test_the_drawing_is_an_environment_with_the_words_of_the_tree() -> None:
    lines = export_tikz(tennis()).splitlines()
    assert lines[0] == r"\begin{tikzpicture}[x=1cm, y=-1cm]"
    assert lines[-1] == r"\end{tikzpicture}"
    written = [re.search(r"\{([^{}]*)\};$", line) for line in lines if line.startswith(r"\node")]
    assert [match and match[1] for match in written][:3] == ["outlook", "No: 5, Yes: 9", "Yes"]


def test_every_colour_is_defined_before_it_is_used() -> None:
    code = export_tikz(tennis(), row={"outlook": "Rain", "humidity": 1, "wind": "Weak"})
    defined = set(re.findall(r"\\definecolor\{(tree\w+)\}", code))
    assert set(re.findall(r"tree[0-9a-f]{6}", code)) == defined


def test_a_standalone_document_is_whole() -> None:
    code = export_tikz(tennis(), standalone=True)
    assert code.startswith(r"\documentclass[border=2pt]{standalone}")
    assert code.endswith("\\end{tikzpicture}\n\\end{document}\n")
    assert "setsansfont" not in code


def test_letters_that_are_not_latin_say_what_they_need() -> None:
    assert export_tikz(foreign()).startswith("% Letters that are not Latin are printed by lualatex")
    whole = export_tikz(foreign(), standalone=True)
    preamble, _, drawing = whole.partition(r"\begin{document}")
    assert r"\setsansfont{DejaVu Sans}" in preamble
    assert r"\tracinglostchars=3" in preamble, "a letter without a glyph must not vanish"
    numbers = [r"\shortstack{04\\16}", r"\shortstack{01F\\3BE}", r"\shortstack{03\\BB}"]
    assert all(rf"\scalebox{{.5}}{{{number}}}\kern.1em " in drawing for number in numbers)
    assert r"{\ifdefined\Umathchar Ж🎾\else \scalebox" in drawing


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("a_b", r"a\_b"),
        ("50 %", r"50 \%"),
        ("{x}", r"\{x\}"),
        ("a\\b", r"a\textbackslash{}b"),
        ("x ≤ 3", r"x $\leq$ 3"),
        ("--", "{-}{-}"),
        ("é", "é"),
        ("a Ж🎾b", r"a \ifdefined\Umathchar Ж🎾\else [U+0416][U+1F3BE]\fi{}b"),
        ("Ħ", r"\ifdefined\Umathchar Ħ\else [U+0126]\fi{}"),  # Latin, but T1 fonts lack it
        ("\n", r"\ifdefined\Umathchar [U+000A]\else [U+000A]\fi{}"),
        ("ł ß – € Ș", "ł ß – € Ș"),
    ],
)
def test_text_is_written_as_it_is(text: str, latex: str) -> None:
    assert latex_text(text) == latex


@needs("pdflatex", "tikz.sty")
@EVERY_TREE
def test_pdflatex_takes_it(tree: Tree, tmp_path: Path) -> None:
    log = log_of("pdflatex", DOCUMENT % export_tikz(tree), tmp_path)
    assert "Missing character" not in log


@needs("pdflatex", "tikz.sty", "standalone.cls", "iftex.sty")
@EVERY_TREE
def test_pdflatex_takes_a_standalone_document(tree: Tree, tmp_path: Path) -> None:
    log = log_of("pdflatex", export_tikz(tree, standalone=True), tmp_path)
    assert "Missing character" not in log


@needs("lualatex", "tikz.sty")
def test_lualatex_is_given_the_letters_themselves(tmp_path: Path) -> None:
    """It has none of them in the fonts that pdflatex uses, and says so."""
    log = log_of("lualatex", DOCUMENT % export_tikz(foreign()), tmp_path)
    assert set(re.findall(r"There is no (.) \(U\+", log)) >= set("Ж🎾Ħħλא")


@needs("lualatex", "tikz.sty", "standalone.cls", "fontspec.sty", "luaotfload.sty", "luatex85.sty")
@pytest.mark.skipif(not has_font("DejaVu Sans"), reason="DejaVu Sans is not installed")
def test_lualatex_prints_letters_of_a_standalone_document(tmp_path: Path) -> None:
    schema = Schema((Feature("Жаλ", "numeric"),), ("א", "ł"))
    tree = build(schema, ("Жаλ <=", 1, [1, 0], [0, 1]))
    for one in (tennis(), tree):
        log = log_of("lualatex", export_tikz(one, standalone=True), tmp_path)
        assert "Missing character" not in log
