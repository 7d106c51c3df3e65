"""Draw the picture of README.md: a tree, one explained prediction, and the same tree as SQL.

    python tools/readme_picture.py [docs/pictures]

Writes readme_light.png and readme_dark.png. All text in them is output of plaintree, so draw them
again after a change of what `explain` or `export_sql` return.
"""

from __future__ import annotations

import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # files only, no window

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

import plaintree as pt

ROOT = Path(__file__).resolve().parents[1]
ROW = {"outlook": "sunny", "temperature": 75, "humidity": 90, "windy": True}
IMMUTABLE = ["outlook"]
DOTS_PER_INCH = 110
LINE = 66


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
    ax.text(0.06, 0.92, title, size=10.5, weight="bold", color=theme.accent, **style)
    ax.text(0.06, 0.82, text, size=9, linespacing=1.35, color=theme.ink, **style)


def draw(theme: Theme, file: Path) -> None:
    """Tree, explanation and SQL side by side."""
    X, y = pt.datasets.load_golf()
    model = pt.C45Classifier(missing="most_common").fit(X, y)
    explanation = str(model.explain(ROW, immutable=IMMUTABLE))
    figure, axes = plt.subplots(
        1, 3, figsize=(13.5, 3.7), width_ratios=(1.0, 1.42, 1.05), facecolor=theme.page
    )
    figure.subplots_adjust(left=0, right=1, bottom=0, top=1, wspace=0)
    card(axes[0], theme.tree_card)
    pt.plot_tree(model, ax=axes[0].inset_axes((0.05, 0.05, 0.9, 0.9)), row=ROW)
    lines = [textwrap.fill(line, LINE) for line in explanation.splitlines()]
    panel(axes[1], "model.explain(row)", "\n".join(lines), theme)
    panel(axes[2], "pt.export_sql(model, verify=X)", pt.export_sql(model, verify=X), theme)
    figure.savefig(file, dpi=DOTS_PER_INCH, facecolor=theme.page)
    plt.close(figure)


def main() -> None:
    """Draw the picture for light and for dark pages."""
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "pictures"
    for name, theme in THEMES.items():
        draw(theme, directory / f"readme_{name}.png")


if __name__ == "__main__":
    main()
