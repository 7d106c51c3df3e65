"""Validation of limits: numbers within bounds, and minimum numbers of rows."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

from plaintree.errors import ParameterError

_FEWEST_ROWS = {"min_samples_split": 2, "min_samples_leaf": 1}


def check_samples(name: str, value: Any) -> None:
    """Raise an error unless a minimum number of rows is an int, or a fraction, as in scikit-learn.

    All rows may be needed for a split, but not for a leaf.
    """
    fewest = _FEWEST_ROWS[name]
    if isinstance(value, Integral) and not isinstance(value, bool):
        valid = int(value) >= fewest
    else:
        is_float = isinstance(value, Real) and not isinstance(value, Integral)
        valid = is_float and 0 < float(value) <= 1 and (float(value) < 1 or fewest == 2)
    if not valid:
        end = "]" if fewest == 2 else ")"
        raise ParameterError(
            f"{name} must be an int >= {fewest} or a float in (0, 1{end}", got=f"{name}={value!r}"
        )


def rows_of(name: str, value: float, n_rows: int) -> int:
    """Return a minimum number of rows, given as a number or as a fraction of so many rows."""
    if isinstance(value, Integral):
        return int(value)
    return max(_FEWEST_ROWS[name], math.ceil(value * n_rows))


def check_range(
    name: str, value: float | None, *, least: float, most: float = float("inf")
) -> None:
    """Raise an error unless a number is None or within bounds."""
    if value is None:
        return
    number = isinstance(value, Real) and not isinstance(value, bool)
    if number and least <= value <= most:
        return
    upwards = "upwards" if most == math.inf else f"to {most:.10g}"
    bounds = "" if least == -math.inf else f" from {least:g} {upwards}"
    raise ParameterError(
        f"{name} is out of range", got=f"{name}={value!r}", hint=f"use a number{bounds}."
    )
