"""The pages use the terms of the field: words that only this project used do not come back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "benchmarks" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]

INSTEAD = {
    r"gaps?": "missing value",
    r"(?:the|an|its|no) answers?(?= of| is|,|\.)|answered": "prediction; predicted",
    r"class shares?": "class probabilities",
    r"whole numbers?": "integer",
    r"truth values?": "boolean",
    r"commonest": "most frequent",
    r"heaviest|heavier class": "majority class",
    r"anew": "again",
    r"told apart": "distinguished",
    r"folders?": "directory",
    r"flatters?(?! than)": "is optimistic",
    r"proofs?|proved?": "verification; verified",
    r"to purity": "fully grown",
    r"so that": "so",
    r", too\b(?! )": "also",
    r"out of (?:its|the) bag": "out of bag",
}


def prose(page: Path) -> str:
    """The text of a page, without code and what programs print."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.M)
    return re.sub(r"`[^`]*`", "``", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_uses_the_terms_of_the_field(page: Path) -> None:
    found = [
        f"{match[0]!r}: write {better!r}"
        for word, better in INSTEAD.items()
        for match in re.finditer(rf"(?<![\w-])(?:{word})(?![\w-])", prose(page), re.I)
    ]
    assert found == []


def test_words_are_found_in_prose_only(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("A `gap` here.\n\n```\na gap\n```\n\nTwo gaps.\n", "utf-8")
    assert re.findall(r"\bgaps?\b", prose(page)) == ["gaps"]
