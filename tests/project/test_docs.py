"""The documentation: its examples and commands run, and its links lead somewhere."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

import plaintree as pt
from tests.support.command_line import GOLF, plaintree
from tests.support.dataset_files import split_rows, write_files
from tests.support.figures import figures_are_closed

__all__ = ["figures_are_closed"]

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
WITH_EXAMPLES = [page for page in PAGES if ">>>" in page.read_text("utf-8")]
LINKED_FROM = [*PAGES, *sorted(ROOT.glob("*.md"))]
SLOW = {"docs/howto/calibration.md", "docs/howto/command_line.md"}
PICTURES = sorted((DOCS / "pictures").glob("*.png"))


def name_of(page: Path) -> str:
    """A page's path as tests are listed by."""
    return page.relative_to(ROOT).as_posix()


def each(pages: list[Path]) -> list[Any]:
    """The pages as cases of a test that runs them."""
    names = {name_of(page): page for page in pages}
    return [
        pytest.param(page, marks=pytest.mark.slow if name in SLOW else (), id=name)
        for name, page in names.items()
    ]


@pytest.mark.parametrize("page", each(WITH_EXAMPLES))
def test_the_examples_of_a_page_do_what_they_say(page: Path) -> None:
    outcome = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_the_pages_that_teach_have_examples() -> None:
    shown = {name_of(page) for page in WITH_EXAMPLES}
    assert {"docs/start.md", "docs/tutorial.md", "docs/howto/calibration.md"} <= shown


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_python_on_a_page_is_an_example_that_runs(page: Path) -> None:
    """A block marked as Python without a prompt would be shown, and never tried."""
    for block in re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.M):
        assert block.startswith(">>> ")
        assert block.endswith("\n\n"), "an empty line must stand before the closing fence"


def commands(page: Path) -> list[str]:
    """The lines of a page's blocks that run the program."""
    blocks = re.findall(r"^```[^\n]*\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.M)
    return re.findall(r"^(?:.*\| )?(plaintree .*)$", "".join(blocks), re.M)


@pytest.mark.parametrize("page", each([page for page in LINKED_FROM if commands(page)]))
def test_the_commands_of_a_page_work(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    for name in ("golf.csv", "days.csv", "other.csv"):
        shutil.copy(GOLF, tmp_path / name)
    write_files(split_rows(pt.read_table(GOLF), 2), tmp_path / "data", ".parquet")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("plaintree.app.studio.launch.serve", lambda *_: None)  # it would not end
    table = Path(GOLF).read_text("utf-8")
    for command in commands(page):
        words = shlex.split(command, comments=True)
        stdin = table if "-" in words else None
        if "<" in words:
            stdin = Path(words[-1]).read_text("utf-8")
            words = words[: words.index("<")]
        outcome = plaintree(*words[1:], stdin=stdin)
        assert outcome.code == 0, f"{command}\n{outcome.err}"


@pytest.mark.parametrize("page", LINKED_FROM, ids=name_of)
def test_links_to_files_lead_to_files(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.M)
    targets = re.findall(r"\]\(([^)#\s]+)", text)
    broken = [t for t in targets if "://" not in t and not (page.parent / t).exists()]
    assert broken == []


def test_stored_pictures_are_few_and_small() -> None:
    assert PICTURES
    assert sum(picture.stat().st_size for picture in PICTURES) < 600_000
