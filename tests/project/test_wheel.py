"""The package as it is installed: the page of the studio is in it, though git ignores it."""

from __future__ import annotations

import os
import shutil
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

STATIC = "plaintree/app/studio/static"
FILES = ("report.js", "report.css", "index.html")
PYTHON_ONLY = {"wheel.cmake": "false", "wheel.py-api": "py3"}
"""Without the core, which takes minutes to compile."""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python files of the checkout with a page, whether it was built or not."""
    place = tmp_path_factory.mktemp("checkout")
    for name in ("pyproject.toml", "README.md", "LICENSE", ".gitignore", "CMakeLists.txt"):
        shutil.copy(ROOT / name, place)
    source = place / "src" / "plaintree"
    source.mkdir(parents=True)
    for name in ("__init__.py", "__init__.pyi"):
        shutil.copy(ROOT / "src" / "plaintree" / name, source)
    page = place / "src" / STATIC
    page.mkdir(parents=True)
    for name in FILES:
        (page / name).write_text(name)
    return place


@pytest.fixture
def inside(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(checkout)


@pytest.mark.usefixtures("inside")
def test_wheel_has_the_page(tmp_path: Path) -> None:
    backend = pytest.importorskip("scikit_build_core.build", reason="no scikit-build-core")
    wheel = backend.build_wheel(os.fspath(tmp_path), PYTHON_ONLY)
    with zipfile.ZipFile(tmp_path / wheel) as archive:
        names = set(archive.namelist())
    assert {f"{STATIC}/{name}" for name in FILES} <= names


@pytest.mark.usefixtures("inside")
def test_source_distribution_has_the_page(tmp_path: Path) -> None:
    backend = pytest.importorskip("scikit_build_core.build", reason="no scikit-build-core")
    made = backend.build_sdist(os.fspath(tmp_path))
    with tarfile.open(tmp_path / made) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {f"src/{STATIC}/{name}" for name in FILES} <= names
