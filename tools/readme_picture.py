"""Draw the pictures of README.md: a tree, one explained prediction, the same tree as SQL; a strip.

    python tools/readme_picture.py [docs/pictures]

Writes readme_light.png and readme_dark.png. All text in them is output of plaintree, so draw them
again after a change of what `explain` or `export_sql` return. The strip has plots of the gallery.
All have two pixels for each pixel of the page.
"""

from __future__ import annotations

import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # files only, no window

import draw_gallery  # beside this file, as small_png is
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch
from small_png import shrink

import plaintree as pt

ROOT = Path(__file__).resolve().parents[1]
ROW = {"outlook": "sunny", "temperature": 75, "humidity": 90, "windy": True}
OPTIONS = {"immutable": ["outlook"]}
WIDTH, HEIGHT = 11.0, 3.4
DOTS_PER_INCH = 165
LINE = 50
"""Characters of a line of the explanation."""
STRIP = ("iris_tree", "hyper_rectangles", "error_curve")
STRIP_HEIGHT = 2 * 170


@dataclass(frozen=True)
class Theme:
    """Colours of the page, of the cards with text, and of the card behind the tree."""

    page: str
    ink: str
    accent: str
    card: str
    tree_card: str


THEMES = {
    "light": Theme("#ffffff", "#1f2328", "#b3005e", "#f6f8fa", "#f6f8fa"),
    "dark": Theme("#0d1117", "#e6edf3", "#ff7eb6", "#161b22", "#e6e9ed"),
}


def card(ax: Axes, fill: str) -> None:
    """A rounded panel as large as the axes."""
    ax.set_axis_off()
    ax.add_patch(
        FancyBboxPatch(
            (0.02, 0.02),
            0.96,
            0.96,
            boxstyle="round,pad=0,rounding_size=0.03",
            transform=ax.transAxes,
            facecolor=fill,
            edgecolor="none",
            zorder=-1,
        )
    )


def panel(ax: Axes, title: str, text: str, theme: Theme) -> None:
    """A card with a call as its title and what the call returns."""
    card(ax, theme.card)
    style = {"family": "monospace", "va": "top", "transform": ax.transAxes}
    ax.text(0.06, 0.93, title, size=10, weight="bold", color=theme.accent, **style)
    ax.text(0.06, 0.83, text, size=9, linespacing=1.35, color=theme.ink, **style)


def wrapped(line: str) -> str:
    """A line of the explanation as long as there is room; its continuation is indented as it is."""
    indent = line[: len(line) - len(line.lstrip())]
    return textwrap.fill(line, LINE, subsequent_indent=indent)


def draw(theme: Theme, file: Path) -> None:
    """Tree, explanation and SQL side by side."""
    X, y = pt.datasets.load_golf()
    model = pt.C45Classifier(missing="most_common").fit(X, y)
    explanation = str(model.explain(ROW, **OPTIONS))
    figure, axes = plt.subplots(
        1, 3, figsize=(WIDTH, HEIGHT), width_ratios=(0.92, 1.38, 1.15), facecolor=theme.page
    )
    figure.subplots_adjust(left=0, right=1, bottom=0, top=1, wspace=0)
    card(axes[0], theme.tree_card)
    pt.plot_tree(model, ax=axes[0].inset_axes((0.05, 0.05, 0.9, 0.9)), row=ROW)
    lines = [wrapped(line) for line in explanation.splitlines()]
    options = ", ".join(f"{name}={value}" for name, value in OPTIONS.items())
    panel(axes[1], f"model.explain(row, {options})", "\n".join(lines), theme)
    panel(axes[2], "pt.export_sql(model, verify=X)", pt.export_sql(model, verify=X), theme)
    figure.savefig(file, dpi=DOTS_PER_INCH, facecolor=theme.page)
    shrink(file)
    plt.close(figure)


def draw_strip(directory: Path) -> None:
    """Some plots of the gallery, all of one height."""
    for program in draw_gallery.PROGRAMS:
        if program.stem in STRIP:
            figure = draw_gallery.figure_of(program)
            dpi = STRIP_HEIGHT / figure.get_size_inches()[1]
            file = directory / f"{program.stem}.png"
            figure.savefig(file, dpi=dpi)
            shrink(file)
            plt.close(figure)


def main() -> None:
    """Draw the picture for light and for dark pages, and the strip."""
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures"
    for name, theme in THEMES.items():
        draw(theme, directory / f"readme_{name}.png")
    draw_strip(directory)


if __name__ == "__main__":
    main()
