"""A tree under other names of its features and classes, for exports and plots."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from plaintree.data.renaming import renamed

from .tree import Tree, tree_of


def renamed_tree(model_or_tree: object, feature_names: Any = None, class_names: Any = None) -> Tree:
    """Return the tree of a fitted model, or the tree itself, under other names.

    Parameters
    ----------
    model_or_tree : estimator or Tree
        A fitted estimator with a ``tree_``, or a Tree.
    feature_names, class_names
        See :func:`plaintree.data.renaming.renamed`.

    Returns
    -------
    Tree
        The tree itself if there is nothing to rename.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.tree.naming import renamed_tree
    >>> model = pt.CARTClassifier().fit([[1.0], [2.0]], [0, 1])
    >>> print(renamed_tree(model, ["age"], ["no", "yes"]).root.feature)
    age
    """
    tree = tree_of(model_or_tree)
    schema = renamed(tree.schema, feature_names, class_names)
    return tree if schema is tree.schema else replace(tree, schema=schema)
