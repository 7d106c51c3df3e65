"""Cuts of a column that tell classes apart (Fayyad and Irani 1993).

Steps, for one column:

1. Sort the values; neighbouring values whose rows are all of one and the same class form a *block*.
   The best cut never lies inside a block, so only the ends of blocks are looked at.
2. Of a stretch of blocks take the cut after which the classes' entropy is least, the lowest one on
   ties. Keep it if it pays: the bits it saves must exceed those that describing it takes (the
   principle of minimum description length, MDL).
3. Do the same with both parts, until no cut pays. Stretches wait on a stack; nothing recurses.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from plaintree.errors import not_allowed

from .impurity import weighted_entropies
from .midpoints import midpoints

Stop = Literal["mdl", "pure"]


Numbers = NDArray[np.float64]


TIE = 1e-12
"""A cut must be better by more than this (bits per row) to win over a lower one: sums round."""


def cut_points(
    values: NDArray[Any],
    codes: NDArray[Any],
    weights: NDArray[Any] | None = None,
    n_classes: int | None = None,
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
    width = int(np.max(codes[known])) + 1 if n_classes is None else n_classes
    first, last, totals = _blocks(numbers[known], codes[known], counted[known], width)
    ends = _chosen_ends(totals, stop)
    return midpoints(last[ends], first[ends + 1])


def _check_stop(stop: Any) -> None:
    if stop not in get_args(Stop):
        raise not_allowed("stop", stop, get_args(Stop))


def _blocks(
    values: Numbers, codes: NDArray[Any], weights: Numbers, n_classes: int
) -> tuple[Numbers, Numbers, Numbers]:
    """The first and the last value of every block, and class weights summed up to its end."""
    order = np.lexsort((codes, values))
    values, codes, weights = values[order], codes[order], weights[order]
    # Runs are rows of equal value and class; a value of several classes has several runs.
    begins = np.flatnonzero(np.r_[True, (np.diff(codes) != 0) | (values[1:] != values[:-1])])
    run_value, run_class = values[begins], codes[begins]
    run_weight = np.add.reduceat(weights, begins)
    same_value = run_value[1:] == run_value[:-1]
    mixed = np.r_[False, same_value] | np.r_[same_value, False]
    same_class = (run_class[1:] == run_class[:-1]) & ~mixed[1:] & ~mixed[:-1]
    opens = np.r_[True, ~(same_value | same_class)]
    block = np.cumsum(opens) - 1
    totals = np.zeros((block[-1] + 1, n_classes))
    np.add.at(totals, (block, run_class), run_weight)
    closes = np.r_[opens[1:], True]
    return run_value[opens], run_value[closes], np.cumsum(totals, axis=0)


def _chosen_ends(totals: Numbers, stop: Stop) -> NDArray[np.int64]:
    """The blocks behind which a cut is made, in order."""
    chosen: list[int] = []
    waiting = [(0, len(totals))]
    while waiting:
        begin, end = waiting.pop()
        cut = _best_cut(totals, begin, end, stop)
        if cut is not None:
            chosen.append(cut)
            waiting += [(begin, cut + 1), (cut + 1, end)]
    return np.array(sorted(chosen), dtype=np.int64)


def _best_cut(totals: Numbers, begin: int, end: int, stop: Stop) -> int | None:
    """The block of a stretch behind which to cut, or None if no cut is worth it."""
    if end - begin < 2:
        return None
    before = totals[begin - 1] if begin else np.zeros(totals.shape[1])
    whole = totals[end - 1] - before
    low = totals[begin : end - 1] - before
    high = whole - low
    weight, bits = whole.sum(), float(_bits(whole))
    left = _bits(low) + _bits(high)
    best = int(np.argmax(left <= left.min() + TIE * weight))
    saved = bits - float(left[best])
    if stop == "pure":
        return begin + best if saved > TIE * weight else None
    parts = (whole, low[best], high[best])
    shown = [float(_bits(part)) / part.sum() * np.count_nonzero(part) for part in parts]
    n_classes = np.count_nonzero(whole)
    partitions = n_classes * np.log2(3) + np.log1p(-2 * 3.0**-n_classes) / np.log(2)  # 3^k - 2
    described = partitions - (shown[0] - shown[1] - shown[2])
    cost = np.log2(max(weight - 1, 1.0)) + described
    return begin + best if saved > cost + TIE * weight else None


def _bits(class_weights: Numbers) -> Numbers:
    """Weight times class entropy, along the last axis."""
    parts = np.maximum(class_weights, 0.0)  # differences of sums can fall below zero by rounding
    return weighted_entropies(parts)
