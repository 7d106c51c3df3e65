"""Decision regions as boxes along a few features; nothing is drawn here.

Glossary: a *cell* is a leaf in the space of the shown features, with all others fixed: one or more
*spans* (from, to) per shown feature. On an axis of categories, category i takes the span from
i - 1/2 to i + 1/2. The cells of a tree do not overlap, and cover the space of known values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import floor, inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.encode import encode
from plaintree.data.one_row import one_row
from plaintree.data.schema import Feature, Schema
from plaintree.errors import ColumnError, ParameterError, nearest
from plaintree.rules.rule import Clause, joined
from plaintree.tree.condition import NodeKind
from plaintree.tree.predict import predicting_nodes
from plaintree.tree.tree import Tree

Span = tuple[float, float]
WIDEST = 1e300
"""The limit of axes; beyond it their lengths would overflow."""


@dataclass(frozen=True)
class Cell:
    """A leaf and its spans of every shown feature, in their order."""

    leaf: int
    spans: tuple[tuple[Span, ...], ...]

    def boxes(self) -> Iterator[tuple[Span, ...]]:
        """The cell as boxes, each with one span per feature."""
        return product(*self.spans)


@dataclass(frozen=True)
class Scale:
    """An axis: its feature, and the values from ``low`` to ``high`` that are shown."""

    feature: Feature
    low: float
    high: float

    def spans(self, clause: Clause | None) -> tuple[Span, ...]:
        """The spans of the axis that a clause allows."""
        if clause is None:
            return ((self.low, self.high),)
        if clause.is_missing:
            return ()
        if clause.allowed is not None:
            return tuple(_runs(clause.codes))
        low = -inf if clause.low is None else self._place(clause.low)
        high = inf if clause.high is None else self._place(clause.high)
        low, high = max(low, self.low), min(high, self.high)
        return ((low, high),) if low < high else ()

    def _place(self, threshold: float) -> float:
        """The position of a threshold: between two categories if these are ordered."""
        return floor(threshold) + 0.5 if self.feature.categories else threshold


def _runs(codes: Sequence[int]) -> Iterator[Span]:
    """Neighbouring categories as one span."""
    begin = 0
    for end in range(1, len(codes) + 1):
        if end == len(codes) or codes[end] != codes[end - 1] + 1:
            yield codes[begin] - 0.5, codes[end - 1] + 0.5
            begin = end


def cells_of(tree: Tree, scales: Mapping[int, Scale], fixed: Mapping[int, float]) -> list[Cell]:
    """The cells of a tree along some features (by column number), with all others fixed."""
    cells = []
    pending: list[tuple[int, tuple[Clause, ...]]] = [(0, ())]
    while pending:
        node, clauses = pending.pop()
        condition = tree.condition(node)
        if condition is None:
            asked = {clause.feature: clause for clause in clauses}
            spans = tuple(scale.spans(asked.get(number)) for number, scale in scales.items())
            if all(spans):
                cells.append(Cell(node, spans))
            continue
        first = int(tree.first_child[node])
        if condition.feature not in scales:
            pending.append((first + _branch_of_fixed(tree, node, fixed), clauses))
            continue
        for branch in range(condition.n_branches):
            clause = Clause.of(condition, branch, tree.schema)
            pending.append((first + branch, joined(clauses, clause)))
    return cells


def _branch_of_fixed(tree: Tree, node: int, fixed: Mapping[int, float]) -> int:
    """The branch that the value of a fixed feature takes."""
    condition = tree.condition(node)
    assert condition is not None, "only inner nodes have branches"
    name = tree.schema.names[condition.feature]
    if condition.feature not in fixed:
        raise ParameterError(
            f"the tree also splits on {name!r}, which is not shown",
            hint=f"pass its value as fixed={{{name!r}: ...}}, or pass X for a typical one.",
        )
    branch = int(condition.route(np.array([fixed[condition.feature]]))[0])
    if branch < 0:
        branch = int(tree.missing_child[node])
    if branch < 0:
        raise ParameterError(
            f"rows in which {name!r} is missing are divided over all branches and have no region",
            hint="fix the feature at a value that was seen in training.",
        )
    return branch


# -------------------------------------------------------------------- shown and fixed features


def shown_columns(tree: Tree, features: Sequence[str] | str | None) -> list[int]:
    """The column numbers of one to three features: those named, or the most important ones."""
    schema = tree.schema
    if features is None:
        tested = sorted(set(tree.feature[tree.n_children > 0].tolist())) or [0]
        if len(tested) <= 3:
            return tested
        important = np.argsort(-tree.importances(), kind="stable")[:2]
        return sorted(important.tolist())
    names = [features] if isinstance(features, str) else list(features)
    for name in names:
        if name not in schema.names:
            raise ColumnError(
                "features has a name that is not a feature of the tree",
                got=repr(name),
                hint=nearest(name, schema.names) or "use the names of the tree's schema.",
            )
    if not 1 <= len(names) <= 3 or len(set(names)) < len(names):
        raise ParameterError(
            "features must be one to three different names",
            got=f"features={features!r}",
        )
    return [schema.position(name) for name in names]


def fixed_values(
    tree: Tree, shown: Sequence[int], fixed: Mapping[str, Any] | None, columns: Any
) -> dict[int, float]:
    """The encoded values of features that are not shown: as given, or typical ones of the rows."""
    schema, values = tree.schema, {}
    for number, feature in enumerate(schema.features):
        if columns is not None and number not in shown:
            values[number] = _typical(columns[number], feature)
    for name, value in (fixed or {}).items():
        if name not in schema.names:
            raise ColumnError(
                "fixed has a name that is not a feature of the tree",
                got=repr(name),
                hint=nearest(name, schema.names) or "use the names of the tree's schema.",
            )
        number = schema.position(name)
        if number in shown:
            raise ParameterError(
                "a feature is both shown and fixed", got=repr(name), hint="leave out one."
            )
        values[number] = _encoded_value(tree, name, value)
    return values


def in_slice(
    tree: Tree, fixed: Mapping[int, float], columns: Sequence[NDArray[Any]]
) -> NDArray[np.bool_]:
    """Whether each row reaches the leaf whose region it would be drawn on.

    That is the leaf it reaches with the fixed values in place of its own.
    """
    moved = [
        np.full_like(column, fixed[number]) if number in fixed else column
        for number, column in enumerate(columns)
    ]
    return np.asarray(predicting_nodes(tree, columns) == predicting_nodes(tree, moved))


def _encoded_value(tree: Tree, name: str, value: Any) -> float:
    only_this = Schema((tree.schema.features[tree.schema.position(name)],), ())
    return float(encode(one_row({name: value}), only_this)[0][0])


def _typical(column: Any, feature: Feature) -> float:
    """The most frequent category of a column, or the lower median of its numbers."""
    known = column[~feature.missing(column)]
    if feature.is_categorical:
        return float(np.bincount(known).argmax()) if known.size else -1.0
    known = np.sort(known)
    return float(known[(len(known) - 1) // 2]) if known.size else float("nan")


def scale_of(tree: Tree, number: int, column: Any) -> Scale:
    """The axis of a feature: all its categories, or the numbers in the rows and thresholds."""
    feature = tree.schema.features[number]
    if feature.categories or feature.is_categorical:
        return Scale(feature, -0.5, max(len(feature.categories), 1) - 0.5)
    nodes = (tree.feature == number) & (tree.kind == NodeKind.THRESHOLD)
    values: list[float] = tree.threshold[nodes].tolist()
    if column is not None:
        finite = column[np.isfinite(column)]
        values += [float(finite.min()), float(finite.max())] if finite.size else []
    # An axis must be able to span all of them, with a margin.
    known = [min(max(v, -WIDEST), WIDEST) for v in values if np.isfinite(v)] or [0.0]
    low, high = min(known), max(known)
    margin = (0.08 if column is not None else 0.25) * (high - low) or max(abs(low) * 0.1, 0.5)
    return Scale(feature, low - margin, high + margin)
