"""Class probabilities with their Wilson intervals, as data and as text."""

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
"""In text, the most probable ones. All of them are in the data."""


@dataclass(frozen=True)
class ClassProbability:
    """The probability of a class, with the ends of its Wilson interval.

    Attributes
    ----------
    label : str, int, float or bool
        The class.
    probability : float
        Its predicted probability.
    low : float
        Lower end of the interval; NaN if there is no interval.
    high : float
        Upper end of the interval; NaN if there is no interval.
    """

    label: Label
    probability: float
    low: float
    high: float


def class_probabilities(
    schema: Schema,
    weights: Sequence[float],
    label: int,
    deviation: float,
    rows_per_weight: float = 1.0,
) -> tuple[ClassProbability, ...]:
    """The probabilities of class weights; without any weight, only the label is known."""
    weight = sum(weights)
    if weight <= 0:
        return tuple(
            ClassProbability(name, float(code == label), 0.0, 1.0)
            for code, name in enumerate(schema.classes)
        )
    n = weight * rows_per_weight
    pairs = zip(schema.classes, (own / weight for own in weights), strict=True)
    return tuple(ClassProbability(name, p, *wilson(p, n, deviation)) for name, p in pairs)


def probability_lines(probabilities: Sequence[ClassProbability]) -> Iterator[str]:
    """The most probable classes, a line for each, and how many more there are."""
    shown = sorted(probabilities, key=lambda p: -p.probability)[:CLASSES_SHOWN]
    longest = max(cells(plain(p.label)) for p in shown)
    for p in shown:
        name = plain(p.label)
        room = " " * (longest - cells(name))
        ends = "" if isnan(p.low) else f"   ({percent(p.low)} to {percent(p.high)})"
        yield f"  {name}{room} {percent(p.probability):>5}{ends}"
    more = len(probabilities) - CLASSES_SHOWN
    if more > 0:
        yield f"  and {more} more {'class' if more == 1 else 'classes'}"


def probability_dicts(probabilities: Sequence[ClassProbability]) -> list[dict[str, Any]]:
    """The probabilities as plain dictionaries."""
    return [
        {
            "class": p.label,
            "probability": p.probability,
            "low": as_json(p.low),
            "high": as_json(p.high),
        }
        for p in probabilities
    ]


def as_json(value: Any) -> Any:
    """A value as JSON has it: dates, durations and infinite numbers are strings, NaN is null."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float) and isnan(value):
        return None
    return value if isinstance(value, float) and isfinite(value) else str(value)
