"""Shares of classes, how sure they are (Wilson's intervals), and how both are written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isfinite, isnan
from typing import Any

from plaintree.data.schema import Label, Schema
from plaintree.data.words import cells, plain
from plaintree.stats.intervals import wilson

from ..numbers import percent

CLASSES_SHOWN = 5
"""In text; the heaviest ones. All of them are in the data."""


@dataclass(frozen=True)
class ClassShare:
    """The share of a class, and the ends of the Wilson interval around it; NaN without one."""

    label: Label
    share: float
    low: float
    high: float


def class_shares(
    schema: Schema,
    weights: Sequence[float],
    label: int,
    deviation: float,
    rows_per_weight: float = 1.0,
) -> tuple[ClassShare, ...]:
    """The shares of class weights; without any, nothing but the label is known."""
    weight = sum(weights)
    if weight <= 0:
        return tuple(
            ClassShare(name, float(code == label), 0.0, 1.0)
            for code, name in enumerate(schema.classes)
        )
    n = weight * rows_per_weight
    shares = [own / weight for own in weights]
    pairs = zip(schema.classes, shares, strict=True)
    return tuple(ClassShare(name, p, *wilson(p, n, deviation)) for name, p in pairs)


def share_lines(shares: Sequence[ClassShare]) -> Iterator[str]:
    """The greatest shares, a line for each, and how many more there are."""
    shown = sorted(shares, key=lambda share: -share.share)[:CLASSES_SHOWN]
    longest = max(cells(plain(share.label)) for share in shown)
    for share in shown:
        name = plain(share.label)
        room = " " * (longest - cells(name))
        ends = "" if isnan(share.low) else f"   ({percent(share.low)} to {percent(share.high)})"
        yield f"  {name}{room} {percent(share.share):>5}{ends}"
    more = len(shares) - CLASSES_SHOWN
    if more > 0:
        yield f"  and {more} {'class' if more == 1 else 'classes'} more"


def share_dicts(shares: Sequence[ClassShare]) -> list[dict[str, Any]]:
    """The shares as plain dictionaries."""
    return [
        {"class": s.label, "share": s.share, "low": as_json(s.low), "high": as_json(s.high)}
        for s in shares
    ]


def as_json(value: Any) -> Any:
    """A value as JSON has it: dates, spans and infinite numbers are text, NaN is nothing."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float) and isnan(value):
        return None
    return value if isinstance(value, float) and isfinite(value) else str(value)
