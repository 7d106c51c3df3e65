"""Words: user-visible strings and pages use the terms of the field, not private ones.

Docstrings, messages and help texts are read from the sources, so every string that can be printed
is checked, and pages are read as they are. Code on pages is part of the text: it shows our output.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "plaintree"

PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "benchmarks/README.md",
    "docs/**/*.md",
)
"""Pages that are checked, as patterns from the root."""

BANNED = {
    r"gaps?|gappy": "missing value",
    r"commonest": "most frequent",
    r"whole numbers?": "integer",
    r"anew": "again",
    r"told": "reported, shown",
    r"told apart|tells? apart": "distinguished",
    r"answers? (?:a|the|every|each|its) rows?": "predicts a row",
    r"answered (?:rightly|alike|otherwise|by)": "predicted",
    r"answers? otherwise|right answers?": "predicts differently, correct predictions",
    r"class shares?|shares? of (?:a|the|every|each) class(?:es)?": "class probability",
    r"truth values?": "boolean",
    r"heaviest|heavier": "majority, larger",
    r"out of (?:its|the) bag": "out of bag",
    r"flatters?(?! than)": "is optimistic",
    r"lessons?": "training data",
    r"in words": "as text",
    r"cut (?:apart|in two)": "separated, split",
    r"frozen (?:column|feature|attribute)s?": "immutable feature",
    r"from elsewhere": "imported",
    r"moments?": "timestamp",
    r"folders?": "directory",
    r"a text(?! column)|texts": "string",
    r"on its way|the way of a row": "decision path",
    r"proofs?|proved?|proves|provable": "verification",
    r"rows? made for": "generated row",
    r"a mistake in plaintree": "a bug",
    r"to purity": "until leaves are pure",
    r"nobody|whoever": "(name who, or leave it out)",
    r"answer(?:s|ed|ing)?": "prediction, predicts; label (of a leaf)",
    r"(?<!there )(?:is|are) no (?!better|worse|lower|higher|longer|more|limit)": "is not a",
    r", too(?! )": "also",
    r"so that": "so",
    r"tests for (?:a|an|all|equality)|group tests?|tests above": "splits, conditions",
    r"tree's attributes|attributes? tested|tests? (?:an|of that) attribute": "feature",
}
"""Phrases and what to write instead; each is searched as whole words, in any case."""

ALLOWED: set[tuple[str, str]] = {
    ("src/plaintree/app/report/markup.py", "gap"),  # a property of CSS
    ("src/plaintree/show/picture/layout.py", "gap"),  # a distance of nodes, as in CSS
    # What a student fills in, in the worksheets.
    ("src/plaintree/teaching/derive/document.py", "answer"),
    ("src/plaintree/teaching/derive/document.py", "answers"),
    ("src/plaintree/interop/verification/runners/postgres.py", "answered"),  # a name in SQL
}
"""Legitimate uses: a file, and the phrase as it is found in it, with the reason."""

PHRASES = re.compile(rf"\b(?:{'|'.join(BANNED)})\b", re.IGNORECASE)


def found_in(path: Path, texts: Iterator[tuple[int, str]]) -> list[str]:
    """The banned phrases of a file, with their lines and what to write instead."""
    name = path.relative_to(ROOT).as_posix()
    return [
        f"{name}:{line}: {match.group()!r}; write: {instead(match.group())}"
        for line, text in texts
        for match in PHRASES.finditer(text)
        if (name, match.group().lower()) not in ALLOWED
    ]


def instead(phrase: str) -> str:
    """What to write instead of a phrase."""
    return next(b for a, b in BANNED.items() if re.fullmatch(a, phrase, re.IGNORECASE))


def strings_of(source: str) -> Iterator[tuple[int, str]]:
    """The lines of all string constants that have a space, with their numbers.

    Strings without one are names and keys, and a docstring's examples are code.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            for number, line in enumerate(node.value.splitlines()):
                if not line.lstrip().startswith((">>>", "...")):
                    yield node.lineno + number, line


def modules() -> list[Path]:
    """All modules of the package."""
    return sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_strings_use_the_terms_of_the_field(path: Path) -> None:
    assert found_in(path, strings_of(path.read_text("utf-8"))) == []


def test_pages_use_the_terms_of_the_field() -> None:
    pages = [page for pattern in PAGES for page in sorted(ROOT.glob(pattern))]
    for page in pages:
        assert found_in(page, enumerate(page.read_text("utf-8").splitlines(), 1)) == []


def test_phrases_are_found_in_messages_and_docstrings_but_not_in_names_and_examples() -> None:
    source = '''
def tried(gaps):
    """Fill the gaps.

    >>> the_gaps = "a gap"
    """
    raise ValueError(f"row {gaps} has a Gap", "gaps")
'''
    path = PACKAGE / "data" / "x.py"
    assert [line.split(": ")[1] for line in found_in(path, strings_of(source))] == [
        "'gaps'; write",
        "'Gap'; write",
    ]


@pytest.mark.parametrize("phrase", ["whole number", "Truth values", "told apart", "folder"])
def test_a_phrase_has_something_to_write_instead(phrase: str) -> None:
    assert PHRASES.fullmatch(phrase)
    assert instead(phrase)


def test_allowed_uses_are_still_there() -> None:
    for name, phrase in ALLOWED:
        assert phrase in (ROOT / name).read_text("utf-8").lower()
