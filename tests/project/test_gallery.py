"""The gallery's pictures are drawn, and legible in size."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.figures import figures_are_closed

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples"))

import gallery  # the examples are not a package

__all__ = ["figures_are_closed"]


@pytest.mark.parametrize("draw", gallery.PICTURES, ids=lambda draw: draw.__name__)
def test_a_picture_is_drawn(draw: Callable[[], Any], tmp_path: Path) -> None:
    figure = draw()
    figure.savefig(tmp_path / "picture.png", dpi=gallery.DOTS_PER_INCH)
    width, height = figure.get_size_inches() * gallery.DOTS_PER_INCH
    assert 200 < width < 1200
    assert 100 < height < 1200
