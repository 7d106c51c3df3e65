"""Changes of a tree by hand: relabel a leaf, graft a split.

Every change makes a new, validated tree and adds a record to its ``edits``: what was changed,
where, from what to what, and the content hashes of the tree before and after. So a model file shows
what was not learnt. Cutting is in :mod:`plaintree.tree.cut`, refitting in
:mod:`plaintree.tree.refitting`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.checks import check_number
from plaintree.data.schema import Label
from plaintree.errors import ArgumentTypeError, ParameterError, TreeError, nearest

from .build import NodeDescription, build_tree, described_nodes
from .condition import Condition
from .condition_text import condition_from
from .cut import cut
from .difference import path_text
from .tree import Tree

Floats = NDArray[np.float64]


# -------------------------------------------------------------------- the audit trail


def recorded(before: Tree, after: Tree, edit: str, **what: Any) -> Tree:
    """The changed tree, with one record more than the tree before."""
    hashes = {"before": before.content_hash(), "after": after.content_hash()}
    return replace(after, edits=(*before.edits, {"edit": edit, **what, **hashes}))


def cut_by_hand(tree: Tree, nodes: int | Iterable[int]) -> Tree:
    """:func:`plaintree.tree.cut.cut`, with a record of it."""
    wanted = list(nodes) if isinstance(nodes, Iterable) else [nodes]
    after = cut(tree, wanted)
    if after is tree:
        return tree
    made = [int(node) for node in wanted if tree.n_children[node]]
    return recorded(tree, after, "cut", nodes=made, at=[path_text(tree, n) for n in made])


# -------------------------------------------------------------------- relabel


def relabel(tree: Tree, node: int, label: Label) -> Tree:
    """Change the label of a leaf: the class, or the number, that it predicts.

    The class weights of the training rows stay, so probabilities and the confidence of rules are
    unchanged. The change is recorded in ``edits``.

    Parameters
    ----------
    tree : Tree
        The tree; it is not changed.
    node : int
        The index of the leaf, such as ``node.index``.
    label : class label or float
        One of the classes of the tree, or a finite number if its target is numeric.

    Returns
    -------
    Tree
        The new tree.

    Raises
    ------
    TreeError
        If there is no such node, or it is not a leaf.
    ParameterError
        If the tree has no such class.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> tree = pt.ID3Classifier(max_depth=1).fit(X, y).tree_
    >>> changed = relabel(tree, 2, "No")
    >>> print(changed)
    Play: 14 rows (No: 5, Yes: 9)
    ├─ Outlook = Overcast: Yes (4)
    ├─ Outlook = Rain: No (5; No: 2, Yes: 3)
    └─ Outlook = Sunny: No (5; No: 3, Yes: 2)
    >>> changed.edits[0]["from"], changed.edits[0]["to"]
    ('Yes', 'No')
    """
    leaf = _leaf(tree, node, "be relabelled")
    before: Label
    if tree.schema.classes:
        before, code = tree.node(leaf).label, _class_code(tree, label)
        given = tree.schema.classes[code]
        after = replace(tree, label=_with(tree.label, leaf, code))
    else:
        before, given = float(tree.prediction[leaf]), _number(label)
        after = replace(tree, prediction=_with(tree.prediction, leaf, given))
    return recorded(
        tree,
        after,
        "relabel",
        node=leaf,
        at=path_text(tree, leaf),
        **{"from": before, "to": given},
    )


def _with(array: NDArray[Any], node: int, value: Any) -> NDArray[Any]:
    changed = array.copy()
    changed[node] = value
    return changed


def _number(label: Any) -> float:
    return check_number("label", label, -sys.float_info.max, sys.float_info.max)


def _leaf(tree: Tree, node: int, what: str) -> int:
    if isinstance(node, bool) or not isinstance(node, int | np.integer):
        raise ArgumentTypeError(
            "node must be the index of a node",
            got=f"node={node!r}",
            hint="pass an integer, such as node.index.",
        )
    if not tree.node(int(node)).is_leaf:
        raise TreeError(
            f"only a leaf can {what}",
            got=f"node {node}, which splits on {tree.node(int(node)).feature!r}",
            hint=f"make it a leaf first: tree.cut({node}).",
        )
    return int(node)


def _class_code(tree: Tree, label: Label) -> int:
    if label not in tree.schema.classes:
        raise ParameterError(
            "the tree has no such class",
            got=f"label={label!r}",
            hint=nearest(label, tree.schema.classes)
            or f"the classes are {', '.join(map(repr, tree.schema.classes[:10]))}.",
        )
    return tree.schema.classes.index(label)


# -------------------------------------------------------------------- graft


def graft(
    tree: Tree,
    node: int,
    condition: Condition | str,
    *,
    labels: Sequence[Label] | None = None,
    missing: int | None = None,
) -> Tree:
    """Replace a leaf by a split.

    The new leaves have no rows until ``tree.refit(X, y)`` counts them. The change is recorded in
    ``edits``.

    Parameters
    ----------
    tree : Tree
        The tree; it is not changed.
    node : int
        The index of the leaf, such as ``node.index``.
    condition : Condition or str
        The condition of the split, or its text: ``"humidity <= 75"``, ``"outlook = Sunny"``,
        ``"outlook in {Sunny, Rain}"``, or ``"outlook"`` for one branch per category.
    labels : sequence of class labels or floats, default=None
        The labels, or numbers, of the new leaves, one per branch. None keeps that of the old leaf.
    missing : int, default=None
        The branch of missing values. None divides them over all branches.

    Returns
    -------
    Tree
        The new tree.

    Raises
    ------
    TreeError
        If there is no such node, it is not a leaf, or the tree cannot have the condition.
    ParameterError
        If the text is not a condition, or ``labels`` is not one class or number per branch.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> tree = pt.ID3Classifier(max_depth=1).fit(X, y).tree_
    >>> print(graft(tree, 2, "Wind", labels=["No", "Yes"]).refit(X, y))
    Play: 14 rows (No: 5, Yes: 9)
    ├─ Outlook = Overcast: Yes (4)
    ├─ Outlook = Rain (5)
    │  ├─ Wind = Strong: No (2)
    │  └─ Wind = Weak: Yes (3)
    └─ Outlook = Sunny: No (5; No: 3, Yes: 2)
    """
    leaf = _leaf(tree, node, "be replaced by a split")
    if isinstance(condition, str):
        condition = condition_from(tree.schema, condition)
    if not isinstance(condition, Condition):
        raise ArgumentTypeError(
            "condition must be a Condition or a string",
            got=f"an object of type {type(condition).__name__}",
            hint='pass text such as "humidity <= 75".',
        )
    predicted = _labels_of(tree, leaf, condition, labels)
    branch = -1 if missing is None else missing
    nodes = described_nodes(tree)
    children = tuple(range(len(nodes), len(nodes) + condition.n_branches))
    nodes[leaf] = replace(
        nodes[leaf], condition=condition, children=children, missing_child=branch, score=np.nan
    )
    nodes += [_empty_leaf(tree, label) for label in predicted]
    after = build_tree(tree.schema, nodes, conventions=tree.conventions)
    return recorded(
        tree,
        after,
        "graft",
        node=leaf,
        at=path_text(tree, leaf),
        branches=[condition.describe(tree.schema, i) for i in range(condition.n_branches)],
        labels=predicted,
    )


def _empty_leaf(tree: Tree, label: Label) -> NodeDescription:
    """A leaf without rows that predicts a class or a number."""
    classes = tree.schema.classes
    if classes:
        return NodeDescription(class_weights=(0.0,) * len(classes), label=_class_code(tree, label))
    return NodeDescription(prediction=_number(label), weight=0.0, n_rows=0, impurity=0.0)


def _labels_of(
    tree: Tree, leaf: int, condition: Condition, labels: Sequence[Label] | None
) -> list[Label]:
    classes = tree.schema.classes
    if labels is None:
        kept = tree.node(leaf).label if classes else float(tree.prediction[leaf])
        return [kept] * condition.n_branches
    if isinstance(labels, str) or len(labels) != condition.n_branches:
        kind = "class" if classes else "number"
        raise ParameterError(
            f"labels must be one {kind} per branch",
            got=f"labels={labels!r} for {condition.n_branches} branches",
            hint="pass a list, in the order of the branches.",
        )
    return [classes[_class_code(tree, a)] if classes else _number(a) for a in labels]
