"""Cut points of a column that separate the classes (Fayyad and Irani 1993).

Steps, for one column:

1. Sort the values; neighbouring values whose rows are all of one and the same class form a *block*.
   The best cut never lies inside a block, so only the ends of blocks are looked at.
2. Of a stretch of blocks take the cut after which the classes' entropy is least, the lowest one on
   ties. Keep it if it pays: the bits it saves must exceed those that describing it takes (the
   principle of minimum description length, MDL).
3. Do the same with both parts, until no cut pays.

The blocks are found here, the cuts in the core (src/core/search/mdl_cuts.cpp).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from plaintree import _core
from plaintree.errors import not_allowed

from .midpoints import midpoints

Stop = Literal["mdl", "pure"]
Numbers = NDArray[np.float64]
Positions = NDArray[np.int64]


def cut_points(
    values: NDArray[Any],
    codes: NDArray[Any],
    weights: NDArray[Any] | None = None,
    *,
    stop: Stop = "mdl",
) -> Numbers:
    """The ascending cuts of a numeric column (NaN is missing) with class codes; possibly none.

    The first interval holds the values up to the first cut, and so on. A cut is the midpoint of
    two neighbouring values. With ``stop="pure"`` a stretch is cut until it is of one class, or
    nothing is gained.

    Examples
    --------
    >>> import numpy as np
    >>> temperature = np.array([40, 48, 60, 72, 80, 90])
    >>> play = np.array([0, 0, 1, 1, 1, 0])
    >>> cut_points(temperature, play, stop="pure").tolist()
    [54.0, 85.0]
    >>> cut_points(temperature, play).tolist()  # six rows do not pay for a cut
    []
    """
    _check_stop(stop)
    numbers = np.asarray(values, dtype=np.float64)
    counted = np.ones(len(numbers)) if weights is None else np.asarray(weights, dtype=np.float64)
    known = ~np.isnan(numbers) & (counted > 0)
    if not known.any():
        return np.empty(0)
    first, last, runs = _blocks(numbers[known], np.asarray(codes)[known], counted[known])
    ends = _core.chosen_cuts(
        runs.begins, runs.codes, runs.weights, runs.n_classes, mdl=stop == "mdl"
    )
    return midpoints(last[ends], first[ends + 1])


def _check_stop(stop: Any) -> None:
    if stop not in get_args(Stop):
        raise not_allowed("stop", stop, get_args(Stop))


@dataclass(frozen=True)
class _Runs:
    """The classes of blocks: block after block, one run for each class in it."""

    begins: Positions
    """Where the runs of each block begin, and the number of runs."""
    codes: NDArray[np.int32]
    weights: Numbers
    n_classes: int


def _blocks(
    values: Numbers, codes: NDArray[Any], weights: Numbers
) -> tuple[Numbers, Numbers, _Runs]:
    """The first and the last value of every block, and the classes of the blocks."""
    order = np.lexsort((codes, values))
    values, codes, weights = values[order], codes[order], weights[order]
    # Rows of equal value and class; a value of several classes has several of these groups.
    begins = np.flatnonzero(_changes(values) | _changes(codes))
    value, code = values[begins], codes[begins]
    weight = np.add.reduceat(weights, begins)
    same_value = value[1:] == value[:-1]
    mixed = np.r_[False, same_value] | np.r_[same_value, False]
    same_class = (code[1:] == code[:-1]) & ~mixed[1:] & ~mixed[:-1]
    opens = np.r_[True, ~(same_value | same_class)]
    closes = np.r_[opens[1:], True]
    begins = np.flatnonzero(opens | np.r_[False, same_value])  # runs: a block's classes
    labels, dense = np.unique(code[begins], return_inverse=True)
    block_begins = np.r_[np.flatnonzero(opens[begins]), len(begins)]
    weight = np.add.reduceat(weight, begins)
    runs = _Runs(block_begins, dense.astype(np.int32), weight, len(labels))
    return value[opens], value[closes], runs


def _changes(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Where a value differs from the one before it; true for the first."""
    return np.asarray(np.r_[True, values[1:] != values[:-1]])
