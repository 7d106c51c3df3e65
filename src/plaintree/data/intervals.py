"""Discretisation of numeric features before a tree is grown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from plaintree.stats.mdl_cuts import cut_points

from .encode import interval_codes
from .schema import Feature, Schema
from .words import format_value


def interval_labels(attribute: Feature, cuts: ArrayLike) -> tuple[str, ...]:
    """Format the intervals between cut points, such as ``(-inf, 2.45]`` and ``(2.45, inf)``."""
    numbers = np.asarray(cuts, dtype=np.float64).tolist()
    ends: list[str] = []
    seen: set[str] = set()
    for number in numbers:
        end = format_value(attribute, number)
        if end in seen:  # six digits do not distinguish them
            ends = [repr(number) for number in numbers]
            break
        seen.add(end)
        ends.append(end)
    lows, highs = ["-inf", *ends], [f"{end}]" for end in ends] + ["inf)"]
    return tuple(f"({low}, {high}" for low, high in zip(lows, highs, strict=True))


def in_intervals(
    schema: Schema, columns: Sequence[NDArray[Any]], codes: NDArray[Any], weights: Any = None
) -> tuple[Schema, list[NDArray[Any]]]:
    """Discretise every numeric feature of a schema and its encoded columns.

    A column without a useful cut point becomes one interval, which cannot be split.
    """
    attributes, encoded = [], []
    for attribute, values in zip(schema.features, columns, strict=True):
        if attribute.kind != "numeric":
            attributes.append(attribute)
            encoded.append(values)
            continue
        # Without a cut point, everything lies below infinity.
        cuts = cut_points(values, codes, weights).tolist() or [np.inf]
        labels = interval_labels(attribute, cuts)
        attributes.append(
            replace(attribute, kind="categorical", categories=labels, cuts=tuple(cuts))
        )
        encoded.append(interval_codes(values, cuts))
    return replace(schema, features=tuple(attributes)), encoded
