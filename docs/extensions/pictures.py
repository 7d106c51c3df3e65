"""Draws the gallery, and shows pictures in two versions: for light and for dark pages.

A line ``{{picture NAME: description}}`` of a page shows NAME of examples/gallery.
"""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
DRAWN = ROOT / "build" / "gallery"
TOOL = ROOT / "tools" / "draw_gallery.py"
MARK = re.compile(r"^\{\{picture (\w+): (.*?)\}\}$", re.M)


def draw_gallery(_app: Any) -> None:
    """Draw all pictures; the programs are run in a process of their own."""
    subprocess.run([sys.executable, TOOL, DRAWN], check=True, stdout=subprocess.DEVNULL)


def width_of(file: Path) -> int:
    """The width of a PNG file in pixels, from its header."""
    return int(struct.unpack(">I", file.read_bytes()[16:20])[0])


def both(mark: re.Match[str]) -> str:
    """The two versions of a picture, at half their size for screens with small pixels."""
    name, description = mark.groups()
    return "\n".join(
        f"```{{image}} ../build/gallery/{name}_{theme}.png\n:alt: {description}\n"
        f":class: only-{theme} picture\n"
        f":width: {width_of(DRAWN / f'{name}_{theme}.png') // 2}px\n```\n"
        for theme in ("light", "dark")
    )


def fill_pages(_app: Any, _page: str, source: list[str]) -> None:
    """Put the pictures where a page has marks."""
    source[0] = MARK.sub(both, source[0])


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx when it starts."""
    app.connect("builder-inited", draw_gallery)
    app.connect("source-read", fill_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
