"""tools/refresh_docs.py: the output of examples is written again, and nothing else is changed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))

import refresh_docs  # the tools are not a package

Refresh = Callable[[str], tuple[str, list[str]]]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def refreshed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Refresh:
    """A function that refreshes a page and returns its new text and the reports."""
    monkeypatch.setattr(refresh_docs, "ROOT", tmp_path)

    def refresh(text: str) -> tuple[str, list[str]]:
        page = tmp_path / "page.md"
        page.write_text(text, "utf-8")
        reports = refresh_docs.refresh(page)
        return page.read_text("utf-8"), reports

    return refresh


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (">>> 1 + 1\n3\n", ">>> 1 + 1\n2\n"),
        (">>> 1 + 1\n3\n4\n>>> 2\n2\n", ">>> 1 + 1\n2\n>>> 2\n2\n"),
        (">>> print('a', '', 'b', sep='\\n')\nold\n", None),
        (">>> if True:\n...     print('yes')\nno\n", ">>> if True:\n...     print('yes')\nyes\n"),
        (">>> x = 1\nold\n", ">>> x = 1\n"),
        (">>> x = 1\n>>> x\n", ">>> x = 1\n>>> x\n1\n"),
    ],
    ids=["value", "fewer lines", "empty lines", "block", "nothing printed", "nothing expected"],
)
def test_output_that_differs_is_replaced(refreshed: Refresh, old: str, new: str | None) -> None:
    wanted = new or ">>> print('a', '', 'b', sep='\\n')\na\n<BLANKLINE>\nb\n"
    page = "# Page\n\n```python\n{}\n```\n\nText.\n"
    assert refreshed(page.format(old)) == (page.format(wanted), [])


def test_an_error_that_an_example_shows_is_shown_again(refreshed: Refresh) -> None:
    head = "```python\n>>> int('x')\nTraceback (most recent call last):\n    ...\n"
    text, reports = refreshed(f"{head}ValueError: old\n\n```\n")
    message = "ValueError: invalid literal for int() with base 10: 'x'"
    assert (text, reports) == (f"{head}{message}\n\n```\n", [])


def test_output_that_matches_by_ellipsis_is_left(refreshed: Refresh) -> None:
    page = "```python\n>>> print('a b c')  # doctest: +ELLIPSIS\na ... c\n\n```\n"
    assert refreshed(page) == (page, [])


def test_an_example_that_fails_is_reported_and_left(refreshed: Refresh) -> None:
    page = "```python\n>>> nothing\n1\n>>> 1\n2\n\n```\n"
    reports = ["page.md:2: NameError: name 'nothing' is not defined"]
    assert refreshed(page) == (page, reports)


def test_a_program_without_prompts_has_its_first_output_below(refreshed: Refresh) -> None:
    page = "```python\nx = 1\nprint(x + 1)\nprint(5)\n```\n\nPrints:\n\n```text\n{}```\n"
    assert refreshed(page.format("old\n")) == (page.format("2\n"), [])


def test_the_readme_shows_what_its_program_prints() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    assert refresh_docs.OUTPUT.search(text)
    assert refresh_docs.with_first_outputs(text) == text, "run python tools/refresh_docs.py"


def test_docstrings_of_a_module_are_refreshed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = (
        'def half(x):\n    """Half of it.\n\n    >>> half(4)\n    {}\n    """\n    return x / 2\n'
    )
    module = tmp_path / "to_refresh.py"
    module.write_text(source.format("3"), "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(refresh_docs, "ROOT", tmp_path)
    monkeypatch.setattr(refresh_docs, "SOURCES", tmp_path)
    assert refresh_docs.refresh(module) == []
    assert module.read_text("utf-8") == source.format("2.0")
