"""What tests of pictures share: matplotlib without a window, and figures closed after each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
matplotlib.use("Agg")

from matplotlib import pyplot as plt  # noqa: E402  # after the choice of where to draw
from matplotlib.axes import Axes  # noqa: E402

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


def legend_texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]
