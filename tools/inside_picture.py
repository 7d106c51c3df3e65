"""Draw the rooms of the package, layer by layer, for docs/inside.md.

    python tools/inside_picture.py [docs/inside.svg]

The layers are those that import-linter checks (pyproject.toml), so the picture cannot name a room
that is not there or leave one out; only the line of text in each box is written here.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

from plaintree.show.picture.marks import Box, Drawn, Line, Picture, Words
from plaintree.show.picture.svg import svg_of

ROOT = Path(__file__).resolve().parents[1]
ROOMS = {
    "app": "the programs: command line, report, studies",
    "evaluation": "cross-validation, comparison",
    "interop": "model files, exports, imports",
    "teaching": "worked solutions",
    "estimators": "the scikit-learn API: fit, predict, fitted attributes",
    "show": "text, pictures, plots, explanations",
    "growing": "rows to a tree",
    "pruning": "tree to a smaller tree",
    "rules": "tree to rules",
    "tree": "the finished tree: conditions, arrays, predictions",
    "datasets": "bundled tables",
    "data": "any table to a schema and codes",
    "stats": "arithmetic on counts and weights",
}
CORE = ("C++ core", "src/core", "grow, search, predict,", "prune, forests")
LISTS = {"dask", "spark"}
"""Modules that only list estimators for other frames; they are not drawn."""
CALLS_CORE = {"growing", "tree"}
WIDTH, LEFT, ROW, GAP, CORE_WIDTH = 900.0, 70.0, 50.0, 12.0, 190.0
INK, OUTSIDE, TREE, CORE_FILL, HELPERS = "#1b1b1b", "#f2f2ee", "#cfe6f5", "#fbe3c0", "#ffffff"


def layers() -> list[list[str]]:
    """Read the layers of rooms, outermost first; the helper modules are one more."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    listed = config["tool"]["importlinter"]["contracts"][0]["layers"]
    names = [layer.split(" | ") for layer in listed]
    rooms = [layer for layer in names if layer[0] in ROOMS]
    others = [name for layer in names if layer[0] not in ROOMS for name in layer]
    return [*rooms, [name for name in others if name not in LISTS]]


def box(name: str, text: str, area: tuple[float, float, float], fill: str) -> Drawn:
    """Draw a room: its name, and below it a line of text; area is left, top and width."""
    x, y, width = area
    middle = x + width / 2
    words = (
        Words(middle, y + 21, name, 14.0, bold=True, colour=INK),
        Words(middle, y + 39, text, 11.5, colour=INK),
    )
    return Drawn((Box(x, y, width, ROW, fill, INK),), words)


def arrow(x: float, top: float, bottom: float) -> list[Line]:
    """Draw a line that points downwards."""
    head = ((x - 5, bottom - 8), (x, bottom), (x + 5, bottom - 8))
    return [Line(((x, top), (x, bottom)), 1.5, INK), Line(head, 1.5, INK)]


def core(top: float, bottom: float) -> Drawn:
    """Draw the core, beside the rooms that call it most."""
    left, title, *lines = WIDTH - GAP - CORE_WIDTH, *CORE
    middle = left + CORE_WIDTH / 2
    words = [Words(middle, top + 34, title, 14.0, bold=True, colour=INK)]
    for i, line in enumerate(lines):
        words.append(Words(middle, top + 54 + 16 * i, line, 11.5, colour=INK))
    area = Box(left, top, CORE_WIDTH, bottom - top, CORE_FILL, INK)
    return Drawn((area,), tuple(words))


def picture() -> Picture:
    """Lay out the layers from the top down, the helper modules last."""
    drawn: list[Drawn] = []
    *rooms, helpers = layers()
    y, beside_core = GAP, []
    for layer in rooms:
        width = WIDTH - LEFT - GAP
        if CALLS_CORE & set(layer):
            width -= CORE_WIDTH + GAP
            beside_core += [y, y + ROW]
        each = (width - GAP * (len(layer) - 1)) / len(layer)
        for i, name in enumerate(layer):
            fill = TREE if name == "tree" else OUTSIDE
            drawn.append(box(name, ROOMS[name], (LEFT + i * (each + GAP), y, each), fill))
        y += ROW + GAP
    drawn.append(core(min(beside_core), max(beside_core)))
    all_width = (LEFT, y, WIDTH - LEFT - GAP)
    drawn.append(box("helper modules", ", ".join(helpers), all_width, HELPERS))
    bottom = y + ROW
    legend = Drawn((), (Words(LEFT / 2, GAP + 12, "imports", 11.5, colour=INK),))
    down = tuple(arrow(LEFT / 2, GAP + 22, bottom))
    return Picture(WIDTH, bottom + GAP, down, tuple(drawn), legend, "The rooms of plaintree")


if __name__ == "__main__":
    target = Path(*sys.argv[1:]) if sys.argv[1:] else ROOT / "docs" / "inside.svg"
    target.write_text(svg_of(picture()) + "\n", "utf-8")
