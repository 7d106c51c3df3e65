"""Cuts of a column that tell classes apart (Fayyad and Irani 1993).

Steps, for one column:

1. Sort the values; neighbouring values whose rows are all of one and the same class form a *block*.
   The best cut never lies inside a block, so only the ends of blocks are looked at.
2. Of a stretch of blocks take the cut after which the classes' entropy is least, the lowest one on
   ties. Keep it if it pays: the bits it saves must exceed those that describing it takes (the
   principle of minimum description length, MDL).
3. Do the same with both parts, until no cut pays.

Speed: all stretches of a generation are scored at once, and a class costs time only in the blocks
that hold it. From block to block only the classes of that block change their part of the entropy;
the changes are added up as integers (multiples of 1 / GRAIN), so that rounding never adds up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from plaintree.errors import not_allowed

from .midpoints import midpoints

Stop = Literal["mdl", "pure"]
Numbers = NDArray[np.float64]
Positions = NDArray[np.int64]

TIE = 1e-12
"""A cut must be better by more than this (bits per row) to win over a lower one: sums round."""

GRAIN = 2.0**55
"""Entropies are added up in integers of this many parts of a bit: exact, and below 2**63."""


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
    ends = _chosen_ends(runs, len(first), stop)
    return midpoints(last[ends], first[ends + 1])


def _check_stop(stop: Any) -> None:
    if stop not in get_args(Stop):
        raise not_allowed("stop", stop, get_args(Stop))


@dataclass(frozen=True)
class _Runs:
    """The classes of blocks: one run for each class in each block, by class, then by block."""

    block: Positions
    code: NDArray[Any]
    before: Numbers
    """Weight of the class in all blocks before this one."""
    upto: Numbers
    """Weight of the class in all blocks up to this one."""
    by_block: Positions
    """The positions of the runs in the order of their blocks."""

    def within(self, kept: NDArray[np.bool_]) -> _Runs:
        """The runs of some blocks, which are numbered from 0 again."""
        mine = kept[self.block]
        ordered = self.by_block[mine[self.by_block]]
        return _Runs(
            (np.cumsum(kept) - 1)[self.block[mine]],
            self.code[mine],
            self.before[mine],
            self.upto[mine],
            (np.cumsum(mine) - 1)[ordered],
        )


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
    return value[opens], value[closes], _runs(np.cumsum(opens) - 1, code, weight)


def _runs(block: Positions, code: NDArray[Any], weight: Numbers) -> _Runs:
    """The runs of classes with weights in blocks; a class may occur several times in a block."""
    by_class = np.argsort(code, kind="stable")
    block, code, weight = block[by_class], code[by_class], weight[by_class]
    begins = np.flatnonzero(_changes(code) | _changes(block))
    block, code, weight = block[begins], code[begins], np.add.reduceat(weight, begins)
    class_begins = np.flatnonzero(_changes(code))
    upto, before = np.empty_like(weight), np.zeros_like(weight)
    for begin, end in zip(class_begins, [*class_begins[1:], len(code)], strict=True):
        np.cumsum(weight[begin:end], out=upto[begin:end])
        before[begin + 1 : end] = upto[begin : end - 1]
    return _Runs(block, code, before, upto, np.argsort(block, kind="stable"))


def _chosen_ends(runs: _Runs, n_blocks: int, stop: Stop) -> Positions:
    """The blocks behind which a cut is made, in order."""
    chosen: list[Positions] = [np.empty(0, dtype=np.int64)]
    blocks, begins = np.arange(n_blocks), np.zeros(1, dtype=np.int64)
    if n_blocks < 2:
        return chosen[0]
    while len(blocks):
        best, pays = _best_cuts(runs, len(blocks), begins, stop)
        chosen.append(blocks[best[pays]])
        # The parts of the stretches that were cut; a single block cannot be cut again.
        sizes = np.diff(np.r_[begins, len(blocks)])
        low = best + 1 - begins
        parts = np.column_stack((low, sizes - low)).ravel()
        goes_on = np.repeat(pays, 2) & (parts > 1)
        kept = np.repeat(goes_on, parts)
        runs, blocks = runs.within(kept), blocks[kept]
        begins = np.r_[0, np.cumsum(parts[goes_on])][:-1]
    return np.sort(np.concatenate(chosen))


def _best_cuts(
    runs: _Runs, n_blocks: int, begins: Positions, stop: Stop
) -> tuple[Positions, NDArray[np.bool_]]:
    """The block behind which each stretch is best cut, and whether that pays.

    A stretch goes from the block at which it begins to the next one's; it has two blocks or more.
    """
    stretch = np.repeat(np.arange(len(begins)), np.diff(np.r_[begins, n_blocks]))
    opens = _changes(runs.code) | _changes(stretch[runs.block])
    first = np.flatnonzero(opens)  # the first run of each class in each stretch
    owner = stretch[runs.block[first]]
    sizes = np.diff(np.r_[first, len(opens)])
    whole = runs.upto[first + sizes - 1] - runs.before[first]
    weight = np.bincount(owner, whole)
    low = runs.upto - np.repeat(runs.before[first], sizes)
    shares = np.repeat(whole / weight[owner], sizes)
    low_shares = np.minimum(low / np.repeat(weight[owner], sizes), shares)
    after = _scores(runs, begins, opens, low_shares, shares)
    least = np.minimum.reduceat(after, begins)
    near = np.flatnonzero(after <= least[stretch] + TIE)
    best = near[np.searchsorted(near, begins)]
    saved = -np.bincount(owner, _x_log_x(whole / weight[owner])) - after[best]
    if stop == "pure":
        return best, saved > TIE
    n_low = np.add.reduceat((runs.block <= best[stretch[runs.block]]).astype(np.int64), first)
    below = np.where(n_low > 0, low[first + n_low - 1], 0.0)
    return best, saved > _costs(owner, whole, below) / weight + TIE


def _scores(
    runs: _Runs,
    begins: Positions,
    opens: NDArray[np.bool_],
    low_shares: Numbers,
    shares: Numbers,
) -> Numbers:
    """Bits per row after a cut behind each block; infinite behind the last block of a stretch.

    The shares are those of a run's class in the weight of the stretch: below a cut behind the
    run's block, and in all.
    """
    n_blocks = int(runs.block.max()) + 1
    stretch = np.repeat(np.arange(len(begins)), np.diff(np.r_[begins, n_blocks]))
    below = _in_grains(low_shares)
    parts = _in_grains(_x_log_x(low_shares) + _x_log_x(shares - low_shares))
    below_before, parts_before = np.r_[0, below[:-1]], np.r_[0, parts[:-1]]
    below_before[opens], parts_before[opens] = 0, _in_grains(_x_log_x(shares[opens]))
    ends = np.flatnonzero(_changes(runs.block[runs.by_block])[1:])
    ends = np.r_[ends, len(opens) - 1]  # the last run of each block

    def summed(changes: Positions) -> Positions:
        upto = np.cumsum(changes[runs.by_block])[ends]  # wraps around, and back in differences
        return np.asarray(upto - np.r_[0, upto[begins[1:] - 1]][stretch])

    start = np.zeros(len(begins), dtype=np.int64)
    np.add.at(start, stretch[runs.block[opens]], parts_before[opens])
    weight_below = np.minimum(summed(below - below_before) / GRAIN, 1.0)
    classes = (summed(parts - parts_before) + start[stretch]) / GRAIN
    after = _x_log_x(weight_below) + _x_log_x(1.0 - weight_below) - classes
    after[np.r_[begins[1:], len(stretch)] - 1] = np.inf
    return np.asarray(after)


def _costs(owner: Positions, whole: Numbers, below: Numbers) -> Numbers:
    """Bits that describing a cut of each stretch takes, given class weights in all and below."""
    above = np.maximum(whole - below, 0.0)
    shown = [_shown(owner, part) for part in (whole, below, above)]
    n_classes = np.bincount(owner, whole > 0)
    partitions = n_classes * np.log2(3) + np.log1p(-2 * 3.0**-n_classes) / np.log(2)  # 3^k - 2
    described = partitions - (shown[0] - shown[1] - shown[2])
    return np.asarray(np.log2(np.maximum(np.bincount(owner, whole) - 1, 1.0)) + described)


def _shown(owner: Positions, class_weights: Numbers) -> Numbers:
    """Entropy times number of classes, for each owner of class weights."""
    shares = class_weights / np.bincount(owner, class_weights)[owner]
    entropies = -np.bincount(owner, _x_log_x(shares))
    return np.asarray(entropies * np.bincount(owner, class_weights > 0), dtype=np.float64)


def _changes(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Where a value differs from the one before it; true for the first."""
    return np.asarray(np.r_[True, values[1:] != values[:-1]])


def _in_grains(bits: Numbers) -> Positions:
    return np.rint(bits * GRAIN).astype(np.int64)


def _x_log_x(shares: Numbers) -> Numbers:
    """x log2 x of shares, 0 for 0; several times as fast as a masked logarithm."""
    return np.asarray(shares * np.log2(np.maximum(shares, np.finfo(np.float64).tiny)))
