"""The layout of the project: pages name files that exist, rooms and tests have the right names."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))

import inside_picture  # the tools are not a package
from core_layers import LAYERS

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "plaintree"
ROOMS = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))
PAGES = ["CONTRIBUTING.md", "docs/design.md", "docs/inside.md", "docs/model_file.md"]
TOP = ("src", "tests", "tools", "docs", "examples", "benchmarks")


def paths_in(text: str) -> set[str]:
    """The files and directories that a page names, from the root of the project.

    Paths from the root are found anywhere, those below a room (``tree/walk.py``) anywhere as well,
    and directories of a room only in backticks, because app/cli is also a way to write "or".
    """
    from_root = re.findall(rf"(?<![\w/.])(?:{'|'.join(TOP)})/[\w/.]*\w", text)
    rooms = "|".join(ROOMS)
    modules = re.findall(rf"(?<![\w/.])(?:{rooms})/[\w/]+\.py\b", text)
    directories = re.findall(rf"`((?:{rooms})/[\w/]+)`", text)
    return {*from_root, *(f"src/plaintree/{path}" for path in (*modules, *directories))}


def test_paths_are_found_in_text_code_and_lists() -> None:
    text = "`tree/walk.py`, src/core/base. [x](docs/design.md) see `show/plot`, and/or `x/y.py`"
    assert paths_in(text) == {
        "src/plaintree/tree/walk.py",
        "src/core/base",
        "docs/design.md",
        "src/plaintree/show/plot",
    }


@pytest.mark.parametrize("page", PAGES)
def test_every_file_that_a_page_names_is_there(page: str) -> None:
    named = paths_in((ROOT / page).read_text("utf-8"))
    absent = sorted(path for path in named if not (ROOT / path).exists())
    assert absent == []


def test_the_maps_show_the_layers_that_are_checked() -> None:
    """The same blocks stand in two pages; the contract and tools/core_layers.py are the source."""
    core = LAYERS.split("\n")[1:-1]
    package = [" | ".join(layer) for layer in inside_picture.layers()[:-1]]
    for page in PAGES[:2]:
        blocks = re.findall(r"^```\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.DOTALL | re.M)
        maps = [[re.split(r"  +", line)[0] for line in block.splitlines()] for block in blocks]
        assert core in maps
        assert [*package, "checks | progress | threads", "errors | lazy | memory"] in maps


def test_the_picture_of_the_rooms_is_up_to_date() -> None:
    drawn = inside_picture.svg_of(inside_picture.picture()) + "\n"
    stored = (ROOT / "docs" / "inside.svg").read_text("utf-8")
    assert stored == drawn, "run python tools/inside_picture.py"
    assert set(ROOMS) == set(re.findall(r'font-weight="bold">(\w+)<', stored))


def test_tests_import_nothing_from_test_files() -> None:
    found = [
        (path.name, node.module)
        for path in (ROOT / "tests").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and re.search(r"\btest_\w+$", node.module or "")
    ]
    assert found == []


def test_studies_name_no_flags() -> None:
    """Errors and warnings of a study name parameters; the command line writes its options."""
    studies = (PACKAGE / "app" / "study").glob("*.py")
    flagged = [p.name for p in studies if re.search(r"(?<![\w`# -])--[a-z]", p.read_text("utf-8"))]
    assert flagged == []
