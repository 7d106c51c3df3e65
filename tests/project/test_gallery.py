"""The gallery: its programs can be pasted and run, and their plots are of a legible size."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from tests.support.figures import figures_are_closed

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))

import draw_gallery  # the tools are not a package

__all__ = ["figures_are_closed"]

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("program", draw_gallery.PROGRAMS, ids=lambda program: program.stem)
def test_a_program_draws_a_plot(program: Path, tmp_path: Path) -> None:
    """Each is run alone, so it has all its imports."""
    figure = draw_gallery.figure_of(program)
    figure.savefig(tmp_path / "picture.png")
    width, height = figure.get_size_inches()
    assert 2 < width < 12
    assert 1 < height < 12


def test_programs_import_from_public_modules_only() -> None:
    imported = [
        module
        for program in draw_gallery.PROGRAMS
        for module in re.findall(r"(?:from|import) (plaintree\S*)", program.read_text("utf-8"))
    ]
    assert "plaintree" in imported
    assert [module for module in imported if module.count(".") > 1] == []


def test_the_gallery_shows_every_program_with_its_plot() -> None:
    page = (ROOT / "docs" / "gallery.md").read_text("utf-8")
    pictures = re.findall(r"^\{\{picture (\w+): .+\}\}$", page, re.M)
    programs = re.findall(r"^```\{literalinclude\} \.\./examples/gallery/(\w+)\.py$", page, re.M)
    assert pictures == programs
    assert sorted(programs) == [program.stem for program in draw_gallery.PROGRAMS]
