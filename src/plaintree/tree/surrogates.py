"""Surrogate splits as arrays of a tree: from splits to arrays, back, and their validation.

The surrogates of a node stand one after the other in flat arrays, in the order in which they are
tried, and nodes have theirs in the order of their numbers. Trees without surrogates have empty
arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from plaintree.errors import TreeError

from .condition import Condition, Grouped, NodeKind, Surrogate, Threshold

if TYPE_CHECKING:
    from .tree import Tree

Arrays = dict[str, NDArray[Any]]

SURROGATE_DTYPES: dict[str, type[np.generic]] = {
    "surrogate_begin": np.int64,
    "surrogate_end": np.int64,
    "surrogate_kind": np.int8,
    "surrogate_feature": np.int32,
    "surrogate_threshold": np.float64,
    "surrogate_reversed": np.int8,
    "surrogate_level_begin": np.int64,
    "surrogate_level_end": np.int64,
    "surrogate_agreement": np.float64,
    "surrogate_adjusted": np.float64,
    "surrogate_levels": np.int32,
}
"""The arrays of surrogates: two with an entry per node, then those of each surrogate, and the
branches of their category codes."""
OF_NODES = ("surrogate_begin", "surrogate_end")
OF_SURROGATES = tuple(list(SURROGATE_DTYPES)[2:-1])


def no_surrogates() -> Arrays:
    """The arrays of a tree without surrogates."""
    return {name: np.empty(0, dtype=dtype) for name, dtype in SURROGATE_DTYPES.items()}


def surrogates_at(tree: Tree, node: int) -> tuple[Surrogate, ...]:
    """The surrogates of a node, in the order in which they are tried."""
    if not tree.surrogate_end.size:
        return ()
    places = range(int(tree.surrogate_begin[node]), int(tree.surrogate_end[node]))
    return tuple(_surrogate(tree, place) for place in places)


def _surrogate(tree: Tree, place: int) -> Surrogate:
    feature = int(tree.surrogate_feature[place])
    condition: Condition
    if tree.surrogate_kind[place] == NodeKind.THRESHOLD:
        condition = Threshold(feature, float(tree.surrogate_threshold[place]))
    else:
        levels = slice(tree.surrogate_level_begin[place], tree.surrogate_level_end[place])
        condition = Grouped(feature, tuple(tree.surrogate_levels[levels].tolist()))
    return Surrogate(
        condition,
        bool(tree.surrogate_reversed[place]),
        float(tree.surrogate_agreement[place]),
        float(tree.surrogate_adjusted[place]),
    )


def surrogate_arrays(of_nodes: Sequence[Sequence[Surrogate]]) -> Arrays:
    """The arrays of the surrogates of all nodes."""
    flat = [surrogate for surrogates in of_nodes for surrogate in surrogates]
    if not flat:
        return no_surrogates()
    codes = [s.condition.groups if isinstance(s.condition, Grouped) else () for s in flat]
    begins, ends = _slices([len(surrogates) for surrogates in of_nodes])
    level_begins, level_ends = _slices([len(groups) for groups in codes])
    kinds = [NodeKind.GROUPED if groups else NodeKind.THRESHOLD for groups in codes]
    thresholds = [
        s.condition.threshold if isinstance(s.condition, Threshold) else np.nan for s in flat
    ]
    values: dict[str, Any] = {
        "surrogate_begin": begins,
        "surrogate_end": ends,
        "surrogate_kind": kinds,
        "surrogate_feature": [s.condition.feature for s in flat],
        "surrogate_threshold": thresholds,
        "surrogate_reversed": [s.reversed for s in flat],
        "surrogate_level_begin": level_begins,
        "surrogate_level_end": level_ends,
        "surrogate_agreement": [s.agreement for s in flat],
        "surrogate_adjusted": [s.adjusted for s in flat],
        "surrogate_levels": [branch for groups in codes for branch in groups],
    }
    return {name: np.array(values[name], dtype=dtype) for name, dtype in SURROGATE_DTYPES.items()}


def _slices(sizes: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    ends = np.cumsum(np.array(sizes, dtype=np.int64))
    return ends - np.array(sizes, dtype=np.int64), ends


def surrogates_kept(tree: Tree, kept: NDArray[np.bool_], leaf: NDArray[np.bool_]) -> Arrays:
    """The arrays of the nodes that are kept, without the surrogates of those that become leaves."""
    if not tree.surrogate_end.size:
        return {}
    stay = kept & ~leaf
    nodes = [tree.surrogates(node) if stay[node] else () for node in np.flatnonzero(kept).tolist()]
    return surrogate_arrays(nodes)


# -------------------------------------------------------------------- validation


def check_surrogates(tree: Tree) -> None:
    """Raise TreeError, naming the node and the fault, unless the surrogates fit the tree."""
    if all(getattr(tree, name).shape == (0,) for name in SURROGATE_DTYPES):
        return
    _check_shapes(tree)
    n_levels, n = tree.surrogate_levels.size, tree.surrogate_kind.size
    _check_slices("surrogate_begin", tree.surrogate_begin, tree.surrogate_end, n)
    begins, ends = tree.surrogate_level_begin, tree.surrogate_level_end
    _check_slices("surrogate_level_begin", begins, ends, n_levels)
    node = np.repeat(np.arange(tree.n_nodes), tree.surrogate_end - tree.surrogate_begin)
    _check_splits(tree, node)
    _check_categories(tree, node)


def _check_shapes(tree: Tree) -> None:
    n = tree.surrogate_kind.size
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(OF_NODES, (tree.n_nodes,))
    shapes |= dict.fromkeys(OF_SURROGATES, (n,))
    shapes |= {"surrogate_levels": (tree.surrogate_levels.size,)}
    for name, shape in shapes.items():
        array = getattr(tree, name)
        if array.shape != shape:
            raise TreeError(
                f"the array {name} does not fit the number of nodes or surrogates",
                got=f"shape {array.shape} instead of {shape}",
            )


def _check_slices(name: str, begin: NDArray[Any], end: NDArray[Any], size: int) -> None:
    """Slices follow each other from 0 to the end of their array."""
    follow = begin.size and begin[0] == 0 and end[-1] == size and (begin[1:] == end[:-1]).all()
    if not follow or (end < begin).any():
        raise TreeError(
            f"the slices of {name} do not follow each other",
            got=f"from {begin[:5].tolist()} to {end[:5].tolist()} ... of {size}",
            hint="surrogates stand in the order of their nodes, and their levels likewise.",
        )


def _check_splits(tree: Tree, node: NDArray[Any]) -> None:
    kind, feature = tree.surrogate_kind, tree.surrogate_feature
    features = tree.schema.features
    _refuse(tree.n_children[node] != 2, node, "does not have two branches")
    _refuse((feature < 0) | (feature >= len(features)), node, "has an unknown feature", feature)
    _refuse(feature == tree.feature[node], node, "splits on the feature of its node", feature)
    is_cut = kind == NodeKind.THRESHOLD
    _refuse(~is_cut & (kind != NodeKind.GROUPED), node, "has an unknown kind", kind)
    categorical = np.array([f.is_categorical for f in features])[feature]
    _refuse(is_cut == categorical, node, "has a condition that its feature does not allow", kind)
    threshold = tree.surrogate_threshold
    _refuse(np.isnan(threshold) == is_cut, node, "needs a threshold or categories", threshold)
    flag = tree.surrogate_reversed
    _refuse((flag < 0) | (flag > is_cut), node, "is reversed without a threshold", flag)
    agreement, adjusted = tree.surrogate_agreement, tree.surrogate_adjusted
    _refuse(
        ~((agreement >= 0) & (agreement <= 1)), node, "has an agreement not in 0 to 1", agreement
    )
    _refuse(
        ~(adjusted <= 1) | np.isinf(adjusted), node, "has an adjusted agreement over 1", adjusted
    )


def _check_categories(tree: Tree, node: NDArray[Any]) -> None:
    sizes = tree.surrogate_level_end - tree.surrogate_level_begin
    features = tree.schema.features
    domain = np.array([len(f.categories) for f in features])[tree.surrogate_feature]
    wanted = np.where(tree.surrogate_kind == NodeKind.GROUPED, domain, 0)
    _refuse(sizes != wanted, node, "does not have a branch for every category", sizes)
    levels = tree.surrogate_levels
    owner = np.repeat(node, sizes)
    _refuse((levels < -1) | (levels > 1), owner, "sends a category to no branch", levels)
    grouped = np.flatnonzero(sizes)
    for branch in (0, 1):
        n = (
            np.add.reduceat(levels == branch, tree.surrogate_level_begin[grouped])
            if grouped.size
            else grouped
        )
        _refuse(n < 1, node[grouped], "sends all categories to one branch", n)


def _refuse(
    faulty: NDArray[Any], node: NDArray[Any], fault: str, seen: NDArray[Any] | None = None
) -> None:
    if faulty.any():
        place = int(np.argmax(faulty))
        got = "" if seen is None else f", {seen[place]!s}"
        raise TreeError(f"a surrogate of node {node[place]} {fault}", got=f"surrogate {place}{got}")
