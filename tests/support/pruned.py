"""The pruned tree of a model or a tree, for tests that are about trees."""

from __future__ import annotations

from typing import Any

from plaintree.pruning.methods import prune
from plaintree.pruning.names import MethodName
from plaintree.tree.tree import Tree, tree_of


def pruned_tree(model_or_tree: Any, method: MethodName, *table: Any, **options: Any) -> Tree:
    return tree_of(prune(model_or_tree, method, *table, **options))
