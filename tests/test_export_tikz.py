"""A tree as TikZ: balanced, escaped, and accepted by pdflatex where there is one."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from plaintree.export.tikz import export_tikz, latex_text
from plaintree.schema import Attribute, Schema
from plaintree.tree import Tree
from trees import build, tennis

NASTY = r"a_b \c{} $x$ #1 50% ~^&<>|\"' -- Ħħł é Ж 🎾"
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
    attribute = Attribute(NASTY, "categorical", "text", (NASTY, "[b]", "end"))
    schema = Schema((attribute,), (NASTY, "no"), NASTY)
    return build(schema, (NASTY, {NASTY: [1, 2], "[b]": [3, 0], "end": [0, 0]}))


def has_tikz() -> bool:
    if not shutil.which("pdflatex") or not shutil.which("kpsewhich"):
        return False
    found = subprocess.run(["kpsewhich", "tikz.sty"], capture_output=True, check=False)
    return found.returncode == 0


def test_the_drawing_is_an_environment_with_the_words_of_the_tree() -> None:
    lines = export_tikz(tennis()).splitlines()
    assert lines[0] == r"\begin{tikzpicture}[x=1cm, y=-1cm]"
    assert lines[-1] == r"\end{tikzpicture}"
    written = [re.search(r"\{([^{}]*)\};$", line) for line in lines if line.startswith(r"\node")]
    assert [match and match[1] for match in written][:3] == ["outlook", "No 5, Yes 9", "Yes"]


def test_every_colour_is_defined_before_it_is_used() -> None:
    code = export_tikz(tennis(), row={"outlook": "Rain", "humidity": 1, "wind": "Weak"})
    defined = set(re.findall(r"\\definecolor\{(tree\w+)\}", code))
    assert set(re.findall(r"tree[0-9a-f]{6}", code)) == defined


def test_a_standalone_document_is_whole() -> None:
    code = export_tikz(tennis(), standalone=True)
    assert code.startswith(r"\documentclass[border=2pt]{standalone}")
    assert code.endswith("\\end{tikzpicture}\n\\end{document}\n")


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
        ("Ж🎾", "??"),
        ("ĦħĿŉſ", "?????"),  # Latin, but T1 fonts lack them
        ("ł ß – € Ș", "ł ß – € Ș"),
    ],
)
def test_text_is_written_as_it_is(text: str, latex: str) -> None:
    assert latex_text(text) == latex


@pytest.mark.skipif(not has_tikz(), reason="pdflatex with TikZ is not installed")
@pytest.mark.parametrize("tree", [tennis(), nasty()], ids=["tennis", "nasty"])
def test_pdflatex_takes_it(tree: Tree, tmp_path: Path) -> None:
    (tmp_path / "tree.tex").write_text(DOCUMENT % export_tikz(tree), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "tree.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-500:]
    assert "Missing character" not in (tmp_path / "tree.log").read_text(errors="replace")
