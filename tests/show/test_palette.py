"""The colours of drawings: distinct, and still so for people who confuse red and green."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest

from plaintree.show.picture.palette import (
    ACCENT,
    CLASS_COLOURS,
    class_colour,
    mixed,
    tint,
    value_colour,
    value_tint,
)

# What a colour (linear red, green, blue) looks like without red- or green-sensing cones
# (Viénot, Brettel and Mollon 1999).
WITHOUT_RED = np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]])
WITHOUT_GREEN = np.array([[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]])


def seen(colour: str, eyes: np.ndarray) -> np.ndarray:
    shades = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.clip(eyes @ shades**2.2, 0, 1) ** (1 / 2.2)


@pytest.mark.parametrize("eyes", [np.eye(3), WITHOUT_RED, WITHOUT_GREEN])
def test_the_first_eight_classes_can_be_told_apart(eyes: np.ndarray) -> None:
    for one, other in combinations(CLASS_COLOURS, 2):
        assert np.linalg.norm(seen(one, eyes) - seen(other, eyes)) > 0.1, (one, other)


def test_twenty_four_classes_have_a_colour_each_and_none_is_the_accent() -> None:
    colours = {class_colour(number) for number in range(24)}
    assert len(colours) == 24
    assert ACCENT not in colours
    assert class_colour(24) == class_colour(0)


def test_colours_mix() -> None:
    assert mixed("#ff0000", "#0000ff", 0.0) == "#ff0000"
    assert mixed("#ff0000", "#0000ff", 1.0) == "#0000ff"


def test_a_purer_leaf_has_a_stronger_background() -> None:
    impure, pure = (int(tint(0, purity)[1:3], 16) for purity in (0.5, 1.0))
    assert pure < impure < 255


@pytest.mark.parametrize("colours", [value_colour, value_tint])
def test_greater_numbers_are_darker(colours: Callable[[float], str]) -> None:
    shades = [sum(int(colours(f)[i : i + 2], 16) for i in (1, 3, 5)) for f in np.linspace(0, 1, 9)]
    assert shades == sorted(shades, reverse=True)
    assert len(set(shades)) == 9
