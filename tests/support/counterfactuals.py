"""Counterfactuals by brute force: every change of a row that a tree of XY_SCHEMA distinguishes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from plaintree.tree.predict import row_predictions
from plaintree.tree.tree import Tree
from tests.support.trees import XY_SCHEMA


def coded(columns: list[np.ndarray]) -> list[np.ndarray]:
    """Random columns in the types that predicting wants."""
    return [c.astype(np.int32) if c.dtype.kind == "i" else c for c in columns]


def decoded(columns: list[np.ndarray], row: int = 0) -> dict[str, Any]:
    """A row of encoded columns of XY_SCHEMA as a caller has it."""
    values: dict[str, Any] = {}
    for attribute, column in zip(XY_SCHEMA.features, columns, strict=True):
        value = column[row]
        missing = np.isnan(value) or value < 0
        words = attribute.categories
        values[attribute.name] = None if missing else words[int(value)] if words else float(value)
    return values


def brute_force(
    tree: Tree,
    columns: list[np.ndarray],
    wanted: Callable[[np.ndarray], np.ndarray],
    frozen: tuple[int, ...] = (),
) -> tuple[int, float] | None:
    """The least number of changes and distance to a wanted prediction, of any change of a row.

    All rows that the tree tells apart are tried.
    """
    options = []
    for number, (attribute, column) in enumerate(zip(XY_SCHEMA.features, columns, strict=True)):
        own = float(column[0])
        choices = [(own, 0, 0.0)]
        cuts = np.unique(tree.threshold[tree.feature == number]).tolist()
        words = len(attribute.categories)
        if number in frozen:
            pass
        elif attribute.is_categorical:
            choices += [(code, 1, 1.0) for code in range(words) if code != own]
        elif words:
            steps = [(place, 1, abs(place - own) / (words - 1)) for place in range(words)]
            choices += [(p, n, 1.0 if np.isnan(own) else d) for p, n, d in steps if p != own]
        elif cuts:
            span = max([*cuts, own]) - min([*cuts, own]) or 1.0
            for cut in cuts:
                choices += [
                    (value, 1, 1.0 if np.isnan(own) else abs(cut - own) / span)
                    for value, differs in ((cut, own > cut), (cut + 1e-6, own <= cut))
                    if differs or np.isnan(own)
                ]
        options.append(choices)
    rows = list(product(*options))
    kinds = [np.int32 if a.is_categorical else np.float64 for a in XY_SCHEMA.features]
    tried = [np.array([r[i][0] for r in rows], dtype=kind) for i, kind in enumerate(kinds)]
    reached = wanted(row_predictions(tree, tried)).tolist()
    costs = [(sum(c[1] for c in r), sum(c[2] for c in r)) for r in rows]
    return min((c for c, is_wanted in zip(costs, reached, strict=True) if is_wanted), default=None)


def with_missing_children(tree: Tree, seed: int) -> Tree:
    """A copy in which every node sends missing values to one of its branches."""
    random = np.random.default_rng(seed)
    children = np.where(tree.n_children > 0, random.integers(0, 2, tree.n_nodes), -1)
    return replace(tree, missing_child=children.astype(np.int32))
