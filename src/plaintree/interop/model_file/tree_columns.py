"""Trees as columns of numbers, for the packed form of model files.

The nodes of several trees are concatenated. A column has one array of the trees, for
the nodes of its *scope* only: all nodes, inner nodes, leaves, or nodes with a threshold. Elsewhere
the array has the same value in every tree, or follows from the rest (derived.py). ``trees`` columns
have one entry per tree, and ``levels`` columns one per category code. Trees with surrogate splits
have columns of their own (surrogate_columns.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.errors import ModelFileError
from plaintree.tree.condition import NodeKind
from plaintree.tree.surrogates import SURROGATE_DTYPES
from plaintree.tree.tree import ARRAY_DTYPES, NODE_DTYPES, Tree

from . import surrogate_columns
from .column import TreeColumn
from .derived import IMPURITIES, Shape, add_up, gini_gains, usual_labels, weights_of
from .earlier_names import field_of

SCOPES = ("trees", "nodes", "inner", "leaves", "thresholds", "levels", *surrogate_columns.SCOPES)
ELSEWHERE = {
    "attribute": -1,
    "threshold": np.nan,
    "missing_child": -1,
    "score": np.nan,
    "n_tied": 0,
}
"""Values at the nodes outside a column's scope."""
OWN_DTYPES = {name: dtype for name, dtype in ARRAY_DTYPES.items() if name not in SURROGATE_DTYPES}
"""The arrays of a tree without those of surrogates, and their types."""
MOST_SHARING = 64
"""Average number of nodes that may share category codes."""
NEEDED = (
    *("n_nodes", "n_levels", "kind", "attribute"),
    *("threshold", "n_children", "missing_child", "n_rows"),
)
STORED = {
    "n_nodes": ("trees",),
    "n_levels": ("trees",),
    "kind": ("nodes",),
    "attribute": ("inner",),
    "threshold": ("thresholds",),
    "n_children": ("inner",),
    "missing_child": ("inner",),
    "level_sizes": ("inner",),
    "level_begin": ("nodes",),
    "level_end": ("nodes",),
    "levels": ("levels",),
    "n_rows": ("nodes", "leaves"),
    "class_weights": ("nodes", "leaves"),
    "weight": ("nodes",),
    "impurity": ("nodes",),
    "impurity_by": ("trees",),
    "score": ("nodes", "inner"),
    "label": ("nodes",),
    "n_tied": ("nodes", "inner"),
    "prediction": ("nodes",),
    **surrogate_columns.STORED,
}
"""The columns that there may be, with their scopes."""
OF_CLASSES = ("class_weights",)
OF_NUMBERS = ("weight", "impurity", "score", "prediction")
"""Columns of a numeric target, all of which are stored for every node."""


# -------------------------------------------------------------------- trees to columns


def columns_of(trees: Sequence[Tree]) -> list[TreeColumn]:
    """The columns of valid trees of one schema."""
    arrays = {name: np.concatenate([getattr(t, name) for t in trees]) for name in OWN_DTYPES}
    sizes = np.array([tree.n_nodes for tree in trees], dtype=np.int64)
    shape = Shape.of(sizes, arrays["n_children"].astype(np.int64))
    assert shape is not None, "a valid tree has a shape"
    inner = shape.inner
    cuts = np.flatnonzero(arrays["kind"] == NodeKind.THRESHOLD)
    n_levels = np.array([len(tree.levels) for tree in trees], dtype=np.int64)
    return [
        TreeColumn("n_nodes", "trees", sizes),
        TreeColumn("n_levels", "trees", n_levels),
        TreeColumn("kind", "nodes", arrays["kind"]),
        TreeColumn("attribute", "inner", arrays["feature"][inner]),
        TreeColumn("threshold", "thresholds", arrays["threshold"][cuts]),
        TreeColumn("n_children", "inner", arrays["n_children"][inner]),
        TreeColumn("missing_child", "inner", arrays["missing_child"][inner]),
        *_level_columns(arrays, shape, n_levels),
        *_count_columns(arrays, shape),
        *_figure_columns(arrays, shape),
        *surrogate_columns.written(trees),
    ]


def _level_columns(
    arrays: Mapping[str, NDArray[Any]], shape: Shape, n_levels: NDArray[np.int64]
) -> Iterator[TreeColumn]:
    begin, end, levels = arrays["level_begin"], arrays["level_end"], arrays["levels"]
    if len(levels):
        yield TreeColumn("levels", "levels", levels)
    sizes = end - begin
    if _same(_level_ends(sizes, shape, n_levels), end):
        if len(levels):
            yield TreeColumn("level_sizes", "inner", sizes[shape.inner])
    else:
        _check_sharing(sizes, len(levels))
        yield TreeColumn("level_begin", "nodes", begin)
        yield TreeColumn("level_end", "nodes", end)


def _level_ends(
    sizes: NDArray[np.int64], shape: Shape, n_levels: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Where each node's levels end in those of its tree, if nodes have theirs in their order."""
    before = np.repeat(np.cumsum(n_levels) - n_levels, shape.sizes)
    return np.asarray(np.cumsum(sizes) - before)


def _check_sharing(sizes: NDArray[np.int64], n_levels: int) -> None:
    """Refuse nodes that share category codes too often, which would take too long."""
    if np.maximum(sizes, 0).sum(dtype=np.float64) > MOST_SHARING * n_levels:
        raise damaged("nodes have far more category codes than there are")


def _count_columns(arrays: Mapping[str, NDArray[Any]], shape: Shape) -> Iterator[TreeColumn]:
    """Numbers of rows and class weights: of the leaves if the others are sums, otherwise all."""
    weights, n_rows = arrays["class_weights"], arrays["n_rows"]
    given = np.column_stack([n_rows, weights])
    whole = bool((np.floor(given) == given).all() and given.max() < 2**31)
    leaves = np.flatnonzero(shape.n_children == 0)
    if whole and shape.parents_by_level is not None:
        summed = given.copy()
        add_up(shape, summed)
        if _same(summed, given):
            yield TreeColumn("n_rows", "leaves", n_rows[leaves])
            if weights.size:
                yield TreeColumn("class_weights", "leaves", weights[leaves].T.astype(np.int64))
            return
    yield TreeColumn("n_rows", "nodes", n_rows)
    stored = weights.T.astype(np.int64) if whole else weights.T
    if weights.size:
        yield TreeColumn("class_weights", "nodes", stored)


def _figure_columns(arrays: Mapping[str, NDArray[Any]], shape: Shape) -> Iterator[TreeColumn]:
    """Columns that are stored only if they do not follow from the class weights."""
    if arrays["prediction"].size:
        for name in OF_NUMBERS:
            yield TreeColumn(name, "nodes", arrays[name])
    else:
        yield from _class_columns(arrays, shape)
    n_tied, leaf = arrays["n_tied"], shape.n_children == 0
    if n_tied[leaf].any():
        yield TreeColumn("n_tied", "nodes", n_tied)
    elif n_tied.any():
        yield TreeColumn("n_tied", "inner", n_tied[shape.inner])


def _class_columns(arrays: Mapping[str, NDArray[Any]], shape: Shape) -> Iterator[TreeColumn]:
    weights, inner = arrays["class_weights"], shape.inner
    weight, label = weights_of(weights), arrays["label"]
    if not _same(weight, arrays["weight"]):
        weight = arrays["weight"]
        yield TreeColumn("weight", "nodes", weight)
    if not _same(usual_labels(shape, weights, weight), label):
        yield TreeColumn("label", "nodes", label)
    for number, rule in enumerate(IMPURITIES):
        if _same(rule(weights, weight), arrays["impurity"]):
            yield TreeColumn("impurity_by", "trees", np.full(len(shape.sizes), number))
            break
    else:
        yield TreeColumn("impurity", "nodes", arrays["impurity"])
    score = arrays["score"]
    if not np.isnan(score[shape.n_children == 0]).all():
        yield TreeColumn("score", "nodes", score)
    else:
        gains = gini_gains(shape, weights, weight)
        if gains is None or not _same(gains, score[inner]):
            yield TreeColumn("score", "inner", score[inner])


def _same(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Whether two arrays of one type are the same to the last bit."""
    if a.dtype == np.float64:
        a, b = np.ascontiguousarray(a).view(np.int64), np.ascontiguousarray(b).view(np.int64)
    return bool(np.array_equal(a, b))


# -------------------------------------------------------------------- columns to trees


def arrays_from(columns: Sequence[TreeColumn], n_classes: int) -> list[dict[str, NDArray[Any]]]:
    """The arrays of every tree, as far as the columns fit together; not yet a valid tree each."""
    reader = _Reader.of(columns, n_classes)
    arrays = {"kind": reader.values("kind", "nodes")}
    for name, elsewhere in ELSEWHERE.items():
        array = np.full(reader.n_nodes, elsewhere, dtype=NODE_DTYPES[field_of(name)])
        scope = reader.scope_of(name)
        if scope is not None:
            array[reader.places(scope)] = reader.values(name, scope)
        arrays[field_of(name)] = array
    shape = reader.shape
    arrays |= reader.counts()
    arrays |= _figures(reader, arrays, shape)
    arrays |= reader.level_slices()
    starts = np.repeat(np.cumsum(shape.sizes) - shape.sizes, shape.sizes)
    arrays["n_children"] = shape.n_children
    arrays["first_child"] = np.where(shape.n_children > 0, shape.first_child - starts, -1)
    trees = _cut_apart(arrays, shape.sizes, reader.n_levels)
    try:
        surrogates = surrogate_columns.read(reader.stored, shape.sizes)
    except ValueError as error:
        raise damaged(str(error)) from None
    return [tree | more for tree, more in zip(trees, surrogates, strict=True)]


def _figures(
    reader: _Reader, arrays: Mapping[str, NDArray[Any]], shape: Shape
) -> dict[str, NDArray[Any]]:
    """Weights, labels, impurities and scores: as stored, or else as they follow."""
    if not reader.n_classes:
        return {name: reader.values(name, "nodes") for name in OF_NUMBERS} | {
            "label": np.zeros(reader.n_nodes, dtype=np.int32)
        }
    weights = arrays["class_weights"]

    def stored(name: str) -> NDArray[Any] | None:
        return reader.values(name, "nodes") if reader.scope_of(name) else None

    weight, label, impurity = stored("weight"), stored("label"), stored("impurity")
    weight = weights_of(weights) if weight is None else weight
    label = usual_labels(shape, weights, weight) if label is None else label
    if impurity is None:
        impurity = IMPURITIES[reader.rule("impurity_by", len(IMPURITIES))](weights, weight)
    score = arrays["score"]
    if not reader.scope_of("score"):
        gains = gini_gains(shape, weights, weight)
        if gains is None:
            raise damaged("scores are missing, and do not follow from the rest")
        score[shape.inner] = gains
    figures = {"weight": weight, "label": label, "impurity": impurity, "score": score}
    return figures | {"prediction": np.empty(0)}


def _cut_apart(
    arrays: Mapping[str, NDArray[Any]], sizes: NDArray[np.int64], n_levels: NDArray[np.int64]
) -> Iterator[dict[str, NDArray[Any]]]:
    """The arrays of each tree, as read-only views."""
    typed = {name: arrays[name].astype(dtype, copy=False) for name, dtype in OWN_DTYPES.items()}
    for array in typed.values():
        array.flags.writeable = False
    ends, level_ends = np.cumsum(sizes).tolist(), np.cumsum(n_levels).tolist()
    start = level_start = 0
    for end, level_end in zip(ends, level_ends, strict=True):
        tree = {name: array[start:end] for name, array in typed.items() if name != "levels"}
        yield tree | {"levels": typed["levels"][level_start:level_end]}
        start, level_start = end, level_end


def damaged(what: str) -> ModelFileError:
    """The error for trees that are stored wrongly."""
    return ModelFileError(
        f"the trees of the file do not fit together: {what}",
        hint="the file was changed or damaged after it was written.",
    )


@dataclass(frozen=True, eq=False)
class _Reader:
    """Columns by name, and the shape of the trees."""

    stored: Mapping[str, TreeColumn]
    n_classes: int
    shape: Shape
    n_levels: NDArray[np.int64]

    @classmethod
    def of(cls, columns: Sequence[TreeColumn], n_classes: int) -> _Reader:
        stored = {column.name: column for column in columns}
        if len(stored) < len(columns):
            raise damaged("a column is there twice")
        for name, column in stored.items():
            if name not in STORED or column.scope not in STORED[name]:
                raise damaged(f"there is no column {name[:60]!r} of {column.scope[:60]!r}")
        of_task, of_others = (
            (OF_CLASSES, OF_NUMBERS[-1:]) if n_classes else (OF_NUMBERS, OF_CLASSES)
        )
        for name in (*NEEDED, *of_task):
            if name not in stored:
                raise damaged(f"the column {name!r} is missing")
        if any(name in stored for name in of_others):
            raise damaged("there are columns of another kind of target")
        sizes, n_levels = (stored[n].values.astype(np.int64) for n in ("n_nodes", "n_levels"))
        kind = stored["kind"].values
        n_nodes = len(kind)
        if not len(sizes) or len(n_levels) != len(sizes) or sizes.min() < 1 or n_levels.min() < 0:
            raise damaged("there are no trees, or trees without nodes")
        if sizes.max() > n_nodes or sizes.sum() != n_nodes:
            raise damaged("the numbers of nodes do not add up")
        inner = np.flatnonzero(kind)
        given = stored["n_children"].values
        if len(given) != len(inner) or (len(given) and not 1 <= given.min() <= given.max()):
            raise damaged("inner nodes without children")
        n_children = np.zeros(n_nodes, dtype=np.int64)
        n_children[inner] = _typed("n_children", given, np.dtype(np.int32))
        shape = Shape.of(sizes, n_children)
        if shape is None:
            raise damaged("the numbers of children do not make trees")
        return cls(stored, n_classes, shape, n_levels)

    @property
    def n_nodes(self) -> int:
        return len(self.shape.n_children)

    def scope_of(self, name: str) -> str | None:
        """The scope of a column, or None if it is not stored."""
        return self.stored[name].scope if name in self.stored else None

    def places(self, scope: str) -> NDArray[np.intp] | slice:
        """The nodes of a scope."""
        match scope:
            case "inner":
                return self.shape.inner
            case "leaves":
                return self.leaves
            case "thresholds":
                return self.cuts
        return slice(None)

    @cached_property
    def leaves(self) -> NDArray[np.intp]:
        return np.flatnonzero(self.shape.n_children == 0)

    @cached_property
    def cuts(self) -> NDArray[np.intp]:
        kind = self.stored["kind"].values
        if (kind <= NodeKind.THRESHOLD).all():
            return self.shape.inner
        return np.flatnonzero(kind == NodeKind.THRESHOLD)

    def values(self, name: str, scope: str) -> NDArray[Any]:
        """The entries of a column, in the type that a tree has for them."""
        entries = self.stored[name].values
        dtype = np.dtype(OWN_DTYPES.get(field_of(name), np.int64))
        where = self.places(scope)
        wanted = self.n_nodes if isinstance(where, slice) else len(where)
        if entries.shape[-1] != wanted:
            raise damaged(f"the column {name!r} has {entries.shape[-1]} entries, not {wanted}")
        return _typed(name, entries, dtype)

    def rule(self, name: str, n_rules: int) -> int:
        """The number of the rule by which something follows, one for all trees."""
        entries = self.stored[name].values if name in self.stored else np.empty(0, np.uint8)
        if len(entries) != len(self.n_levels) or not (entries == entries[0]).all():
            raise damaged(f"the column {name!r} does not name one rule")
        if not 0 <= entries[0] < n_rules:
            raise damaged(f"the column {name!r} names no rule")
        return int(entries[0])

    def counts(self) -> dict[str, NDArray[Any]]:
        """Numbers of rows and class weights of all nodes."""
        scope = self.scope_of("n_rows")
        assert scope is not None, "the reader has it"
        n_rows = self.values("n_rows", scope)
        if self.n_classes:
            if scope != self.scope_of("class_weights"):
                raise damaged("there are no class weights")
            if self.stored["class_weights"].values.shape[0] != self.n_classes:
                raise damaged("there are class weights of more or fewer classes")
            weights = self.values("class_weights", scope)
        else:
            weights = np.empty((0, len(n_rows)))
        if scope == "nodes":
            return {"class_weights": np.ascontiguousarray(weights.T), "n_rows": n_rows}
        if self.shape.parents_by_level is None:
            raise damaged("trees so deep have the counts of all their nodes")
        sums = np.zeros((self.n_nodes, self.n_classes + 1))
        leaves = self.places("leaves")
        sums[leaves] = np.vstack([n_rows, weights]).T
        add_up(self.shape, sums)
        if not sums.max() < 2**53:
            raise damaged("there are more rows than can be counted")
        return {
            "class_weights": np.ascontiguousarray(sums[:, 1:]),
            "n_rows": sums[:, 0].astype(np.int64),
        }

    def level_slices(self) -> dict[str, NDArray[Any]]:
        """The levels of all trees, and where each node's begin and end in those of its tree."""
        levels = self.stored["levels"].values if "levels" in self.stored else np.empty(0, np.int32)
        if self.n_levels.max() > len(levels) or self.n_levels.sum() != len(levels):
            raise damaged("the numbers of category codes do not add up")
        levels = _typed("levels", levels, np.dtype(np.int32))
        if "level_begin" in self.stored and "level_end" in self.stored:
            begin, end = (self.values(name, "nodes") for name in ("level_begin", "level_end"))
            _check_sharing(end - begin, len(levels))
            return {"levels": levels, "level_begin": begin, "level_end": end}
        sizes = np.zeros(self.n_nodes, dtype=np.int64)
        if "level_sizes" in self.stored:
            sizes[self.shape.inner] = self.values("level_sizes", "inner")
        if sizes.min() < 0 or sizes.max() > len(levels):
            raise damaged("nodes have more category codes than there are")
        end = _level_ends(sizes, self.shape, self.n_levels)
        return {"levels": levels, "level_begin": end - sizes, "level_end": end}


def _typed(name: str, entries: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Entries in the type that a tree has for them; an error if that would change any."""
    if dtype.kind == "f":
        return entries.astype(dtype)
    bounds = np.iinfo(dtype)
    if entries.dtype.kind == "f" or (
        entries.size and not bounds.min <= int(entries.min()) <= int(entries.max()) <= bounds.max
    ):
        raise damaged(f"the column {name!r} has entries that do not fit")
    return entries.astype(dtype)
