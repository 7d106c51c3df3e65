"""Formatting of numbers: percentages, and thresholds with a given number of decimals."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np

from plaintree.data.timestamps import TEMPORAL
from plaintree.errors import ParameterError
from plaintree.tree.condition import NodeKind
from plaintree.tree.tree import Tree

MAX_DECIMALS = 15


def percent(fraction: float) -> str:
    """Format a fraction as a percentage; 0% and 100% are exact.

    >>> percent(0.357), percent(0.002), percent(0.999), percent(1.0)
    ('36%', '<1%', '>99%', '100%')
    """
    if 0 < fraction < 0.005:
        return "<1%"
    if 0.995 <= fraction < 1 - 1e-9:
        return ">99%"
    return f"{fraction:.0%}"


def check_count(name: str, value: Any, minimum: int, maximum: int) -> int:
    """Return a parameter that is an integer in a range, or raise ParameterError."""
    integer = isinstance(value, Integral) and not isinstance(value, bool)
    if integer and minimum <= value <= maximum:
        return int(value)
    raise ParameterError(
        f"{name} must be an integer from {minimum} to {maximum}", got=f"{name}={value!r}"
    )


def with_rounded_thresholds(tree: Tree, decimals: int | None) -> Tree:
    """Return the tree with rounded thresholds, to be shown; dates and categories stay exact."""
    if decimals is None:
        return tree
    plain = [a.kind == "numeric" and a.unit not in TEMPORAL for a in tree.schema.features]
    numbers = (tree.kind == NodeKind.THRESHOLD) & np.array([*plain, False])[tree.feature]
    rounded = np.where(numbers, np.round(tree.threshold, decimals), tree.threshold)
    return replace(tree, threshold=rounded)
