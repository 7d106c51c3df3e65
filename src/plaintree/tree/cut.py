"""Changing a tree's structure: subtrees become leaves, sibling leaves that agree are merged.

Nodes that are left keep their order, so the new tree is also numbered level by level.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.checks import check_nodes

from .condition import NodeKind
from .prediction import leaf_labels
from .surrogates import surrogates_kept
from .tree import NODE_DTYPES, Tree

Mask = NDArray[np.bool_]

LEAF_VALUES: dict[str, Any] = {
    "kind": NodeKind.LEAF,
    "feature": -1,
    "threshold": np.nan,
    "first_child": -1,
    "n_children": 0,
    "missing_child": -1,
    "score": np.nan,
    "n_tied": 0,
}
"""What a node's arrays hold in a leaf."""


def cut(tree: Tree, nodes: int | Iterable[int]) -> Tree:
    """The tree with the subtree at a node, or at several nodes, replaced by a leaf.

    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> tree = pt.ID3Classifier().fit(X, y).tree_
    >>> print(cut(tree, tree.root.children[1].index))
    Play: 14 rows (No: 5, Yes: 9)
    ├─ Outlook = Overcast: Yes (4)
    ├─ Outlook = Rain: Yes (5; No: 2, Yes: 3)
    └─ Outlook = Sunny (5)
       ├─ Humidity = High: No (3)
       └─ Humidity = Normal: Yes (2)
    """
    return cut_nodes(tree, marked(tree, nodes))


def marked(tree: Tree, nodes: int | Iterable[int]) -> Mask:
    """The nodes of these numbers, as a mask; an error if there is no such node."""
    mask = np.zeros(tree.n_nodes, dtype=np.bool_)
    mask[[tree.node(index).index for index in check_nodes(nodes)]] = True
    return mask


def cut_nodes(tree: Tree, mask: Mask, labels: NDArray[np.int32] | None = None) -> Tree:
    """The tree with every marked node made a leaf; what was below is dropped.

    A new leaf predicts the majority class of its training rows, or the one in ``labels``.
    """
    cut = mask & (tree.n_children > 0)
    if not cut.any():
        return tree
    labels = leaf_labels(tree) if labels is None else labels
    kept = ~below(tree, cut)
    arrays = {name: getattr(tree, name)[kept] for name in NODE_DTYPES}
    leaf = cut[kept]
    for name, value in LEAF_VALUES.items():
        arrays[name][leaf] = value
    arrays["label"][leaf] = labels[kept][leaf]
    inner = arrays["n_children"] > 0
    number = np.cumsum(kept) - 1
    arrays["first_child"][inner] = number[arrays["first_child"][inner]]
    n_levels = np.where(leaf, 0, arrays["level_end"] - arrays["level_begin"])
    levels = _slices(tree.levels, arrays["level_begin"], n_levels)
    arrays["level_end"] = np.cumsum(n_levels)
    arrays["level_begin"] = arrays["level_end"] - n_levels
    prediction = tree.prediction[kept] if tree.prediction.size else tree.prediction
    arrays |= surrogates_kept(tree, kept, cut)
    weights = tree.class_weights[kept]
    return replace(tree, levels=levels, class_weights=weights, prediction=prediction, **arrays)


def _slices(flat: NDArray[Any], begins: NDArray[Any], sizes: NDArray[Any]) -> NDArray[Any]:
    """The slices of a flat array, joined."""
    shift = begins - (np.cumsum(sizes) - sizes)
    return np.asarray(flat[np.repeat(shift, sizes) + np.arange(sizes.sum())])


def below(tree: Tree, mask: Mask) -> Mask:
    """Which nodes have a marked node above them.

    All nodes look up at once, twice as far every time, so a deep tree takes few steps.
    """
    above = np.maximum(tree.parent, 0)
    found = mask[above]
    found[0] = False  # nothing is above the root
    while above.any():
        found |= found[above]
        above = above[above]
    return found


def merge_leaves(tree: Tree) -> Tree:
    """The tree with each subtree whose leaves predict one class, or one number, made a leaf.

    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_or_and()
    >>> tree = pt.ID3Classifier().fit(X, y).tree_
    >>> merge_leaves(tree).n_leaves <= tree.n_leaves
    True
    """
    unknown, mixed = -1, -2
    numeric = not tree.schema.classes
    numbers, places = np.unique(tree.prediction, return_inverse=True)
    own = places if numeric else tree.label
    answers = np.where(tree.n_children == 0, own, unknown).tolist()
    parent = tree.parent.tolist()
    for node in range(tree.n_nodes - 1, 0, -1):  # children before parents
        above = parent[node]
        if answers[above] == unknown:
            answers[above] = answers[node]
        elif answers[above] != answers[node]:
            answers[above] = mixed
    labels = np.array(answers, dtype=np.int32)
    merged = (labels >= 0) & (tree.n_children > 0)
    if not numeric or not merged.any():
        return cut_nodes(tree, merged, labels)
    prediction = np.where(merged, numbers[labels], tree.prediction)
    return cut_nodes(replace(tree, prediction=prediction), merged)
