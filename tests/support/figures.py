"""What tests of pictures share: matplotlib without a window, and figures closed after each test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

import pytest

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
matplotlib.use("Agg")

from matplotlib import pyplot as plt  # noqa: E402  # after the choice of where to draw
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.text import Text  # noqa: E402

HOSTILE = "_a $x$ \\frac 🎾 数 \x00" + "y" * 300


@pytest.fixture(autouse=True)
def figures_are_closed() -> Iterator[None]:
    """Too many open figures are a warning, and so an error."""
    yield
    plt.close("all")


def painted(ax: Axes) -> Axes:
    """The axes after a real drawing, in which matplotlib reads every text."""
    ax.get_figure(root=True).canvas.draw()
    return ax


def overlapping(texts: Iterable[Text]) -> list[tuple[str, str]]:
    """Pairs of painted texts that run into each other."""
    drawn = [(t.get_text(), t.get_window_extent().extents) for t in texts if t.get_text()]
    return [
        (one, other)
        for (one, (left, low, right, high)), (other, (x0, y0, x1, y1)) in combinations(drawn, 2)
        if left < x1 and x0 < right and low < y1 and y0 < high
    ]


def legend_texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]
