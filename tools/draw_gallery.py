"""Draw the pictures of the gallery: each program of examples/gallery, for light and dark pages.

    python tools/draw_gallery.py [build/gallery]

Writes NAME_light.png and NAME_dark.png, with two pixels for each pixel of the page.
"""

from __future__ import annotations

import runpy
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib

matplotlib.use("Agg")  # files only, no window

from matplotlib import pyplot as plt

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = sorted((ROOT / "examples" / "gallery").glob("*.py"))
DOTS_PER_INCH = 2 * 80
CARD = "#dde2e8"
"""The background on dark pages: a card in grey, because the words of a tree are dark."""
STYLES = {
    "light": {},
    "dark": {"figure.facecolor": CARD, "axes.facecolor": CARD, "savefig.facecolor": CARD},
}


def figure_of(program: Path) -> Figure:
    """The figure that a program draws."""
    plt.close("all")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "FigureCanvasAgg is non-interactive")
        runpy.run_path(str(program))
    return plt.gcf()


def main() -> None:
    """Draw all pictures into a directory."""
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "gallery"
    directory.mkdir(parents=True, exist_ok=True)
    for program in PROGRAMS:
        for theme, style in STYLES.items():
            file = directory / f"{program.stem}_{theme}.png"
            with plt.rc_context(style):
                figure_of(program).savefig(file, dpi=DOTS_PER_INCH)
            print(file)


if __name__ == "__main__":
    main()
