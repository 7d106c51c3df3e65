"""Tidying the groups of categories in a pruned tree, as C4.5 does after pruning.

A split into groups sets categories aside that had no rows at its node, as a last group with a
branch of its own. Where pruning or the splits above make sure that such a category never gets
there, it is taken out of that group, and a branch that nothing can take any more is dropped.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from plaintree.tree.condition import Equals, Grouped, Multiway, NodeKind, Subset
from plaintree.tree.tree import ARRAY_DTYPES, Tree

Possible = dict[int, frozenset[int]]
"""For each feature that is split on above, the categories that a row at a node can still have."""


def drop_impossible_groups(tree: Tree) -> Tree:
    """The tree with categories taken out of the last groups of splits that they cannot reach."""
    if not (tree.kind == NodeKind.GROUPED).any():
        return tree
    levels = tree.levels.copy()
    dropped = np.zeros(tree.n_nodes, dtype=np.bool_)
    shorter = np.zeros(tree.n_nodes, dtype=np.int32)
    possible: dict[int, Possible] = {0: {}}
    for node in range(tree.n_nodes):  # parents stand before their children
        here = possible.pop(node, {})
        condition = tree.condition(node)
        if condition is None:
            continue
        first, attribute = int(tree.first_child[node]), condition.feature
        if isinstance(condition, Grouped):
            last = condition.n_branches - 1
            aside = frozenset(condition.categories_of(last))
            gone = aside - here.get(attribute, aside)
            levels[tree.level_begin[node] + np.array(sorted(gone), dtype=np.int64)] = -1
            if gone == aside and not tree.n_children[first + last]:
                dropped[first + last] = True
                shorter[node] = 1
        for branch, codes in enumerate(_categories_of_branches(condition, tree)):
            known = here.get(attribute)
            allowed = codes if known is None else codes & known
            possible[first + branch] = {**here, attribute: allowed}
        for branch in range(int(tree.n_children[node])):
            possible.setdefault(first + branch, here)
    if not dropped.any() and np.array_equal(levels, tree.levels):
        return tree
    return _without(tree, levels, dropped, shorter)


def _categories_of_branches(condition: object, tree: Tree) -> list[frozenset[int]]:
    """The categories that can take each branch; none for thresholds."""
    if isinstance(condition, Grouped):
        return [frozenset(condition.categories_of(b)) for b in range(condition.n_branches)]
    if isinstance(condition, Multiway):
        return [frozenset((code,)) for code in range(condition.n_categories)]
    if isinstance(condition, Equals | Subset):
        named = (condition.category,) if isinstance(condition, Equals) else condition.categories
        domain = len(tree.schema.features[condition.feature].categories)
        return [frozenset(named), frozenset(range(domain)) - frozenset(named)]
    return []


def _without(tree: Tree, levels: np.ndarray, dropped: np.ndarray, shorter: np.ndarray) -> Tree:
    """The tree with other levels and without some last branches, still numbered level by level."""
    kept = ~dropped
    number = np.cumsum(kept) - 1
    by_node = [name for name in ARRAY_DTYPES if name != "levels" and getattr(tree, name).size]
    arrays = {name: getattr(tree, name)[kept] for name in by_node}
    first = arrays["first_child"]
    arrays["first_child"] = np.where(first >= 0, number[np.maximum(first, 0)], -1)
    branches = tree.n_children - shorter
    behind = (shorter > 0) & (tree.missing_child >= branches)
    arrays["n_children"] = branches[kept]
    arrays["missing_child"] = (tree.missing_child - behind)[kept]
    return replace(tree, levels=levels, **arrays)
