"""How many features each node samples to choose its split from."""

from __future__ import annotations

from math import log2, sqrt
from typing import Any, Literal

import numpy as np

from plaintree.checks import check_number
from plaintree.errors import not_allowed

MaxFeatures = Literal["sqrt", "log2"] | int | float | None


def features_of(max_features: Any, n_columns: int, *other: str) -> int:
    """The number of columns that a node samples, of so many. ``other`` words are for the message.

    >>> features_of("sqrt", 20), features_of(0.5, 20), features_of(None, 20)
    (4, 10, 20)
    """
    if max_features is None:
        return n_columns
    if isinstance(max_features, str):
        if max_features not in ("sqrt", "log2"):
            raise not_allowed("max_features", max_features, ("sqrt", "log2", *other, None, 3, 0.5))
        root = sqrt(n_columns) if max_features == "sqrt" else log2(n_columns)
        return max(1, int(root))
    if isinstance(max_features, float | np.floating):
        fraction = check_number("max_features", max_features, 0, 1, above=True)
        return max(1, int(fraction * n_columns + 1e-9))
    return int(check_number("max_features", max_features, 1, n_columns))


def sampled_per_node(max_features: int, n_columns: int) -> int:
    """The same number for the core: 0 where every node looks at all columns."""
    return 0 if max_features >= n_columns else max_features
