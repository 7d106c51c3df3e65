"""The core's finders: faster ways to the same split, which benchmarks and tests switch off."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

Finder = Literal["few_rows", "buckets", "keys", "counts", "lists", "few_targets", "target_lists"]
FINDERS: Final[tuple[Finder, ...]] = (
    "few_rows",
    "buckets",
    "keys",
    "counts",
    "lists",
    "few_targets",
    "target_lists",
)
"""In the order of the bits in src/core/search/finders.h; the general finder is always on."""

ALL_FINDERS: Final = (1 << len(FINDERS)) - 1


def all_finders_but(names: Iterable[Finder]) -> int:
    """Return the bits of every finder but these."""
    return ALL_FINDERS & ~sum(1 << FINDERS.index(name) for name in set(names))
