"""Axes to draw on, and names that matplotlib shows as they are."""

from __future__ import annotations

import sys

import pytest

from plaintree.data.schema import Feature
from plaintree.errors import ArgumentTypeError, PlaintreeError
from plaintree.show.plot.canvas import axes_for, class_legend, drawable, mark_values, name_text
from tests.support.figures import HOSTILE, figures_are_closed, legend_texts, painted, plt

__all__ = ["figures_are_closed"]


def test_axes_are_the_ones_given_or_new_ones() -> None:
    _, ax = plt.subplots()
    assert axes_for(ax) is ax
    ax.plot([1, 2])
    assert axes_for(None) is not ax


def test_what_are_no_axes_is_refused() -> None:
    with pytest.raises(ArgumentTypeError, match=r"ax must be a matplotlib Axes.*type Figure"):
        axes_for(plt.figure())


def test_without_matplotlib_a_hint_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(PlaintreeError, match=r"needs matplotlib.*plaintree\[plot\]"):
        axes_for(None)


def test_dollars_are_dollars_and_unknown_letters_squares() -> None:
    ax = axes_for(None)
    ax.set_title(name_text("$x$ and $y$"))
    assert painted(ax).get_title() == r"\$x\$ and \$y\$"
    assert drawable("é 数") == "é □"


def test_hostile_names_are_drawn_without_a_warning() -> None:
    ax = axes_for(None)
    ax.set_xlabel(name_text(HOSTILE))
    class_legend(ax, [HOSTILE, "b"], [0, 1])
    painted(ax)
    assert legend_texts(ax)[0].startswith(" _a ")


def test_a_legend_of_many_classes_counts_the_rest() -> None:
    ax = axes_for(None)
    class_legend(ax, [f"c{i}" for i in range(40)], list(range(40)))
    assert legend_texts(ax)[-2:] == ["c11", "… 28 more"]


def test_ticks_are_values_as_people_write_them() -> None:
    ax = axes_for(None)
    mark_values(ax.yaxis, Feature("a", "categorical", "text", ("red", "green")))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["red", "green"]
    ax.set_xlim(0, 366 * 86_400e6)
    mark_values(ax.xaxis, Feature("when", "numeric", "date"))
    assert {label.get_text()[:4] for label in painted(ax).get_xticklabels()} <= {
        "1969",
        "1970",
        "1971",
    }


def test_many_categories_are_thinned_out() -> None:
    ax = axes_for(None)
    mark_values(ax.xaxis, Feature("a", "categorical", "text", tuple(f"c{i}" for i in range(90))))
    assert len(ax.get_xticks()) == 23


def test_whole_numbers_have_whole_ticks() -> None:
    ax = axes_for(None)
    ax.set_xlim(0, 1)
    mark_values(ax.xaxis, Feature("a", "numeric", "integer"))
    assert all(float(tick).is_integer() for tick in ax.get_xticks())
