"""Changing a tree by hand: another answer, one more test, the counts of another table.

Every change makes a new, validated tree and adds a record to its ``edits``: what was changed,
where, from what to what, and the content hashes of the tree before and after, so that a model file
says what was not learnt. Cutting is the work of :mod:`plaintree.tree.cut`.
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
from plaintree.stats.impurity import gains, impurities

from .build import PLAIN_GAINS, NodeDescription, build_tree, described_nodes
from .condition import Condition
from .condition_text import condition_from
from .conventions import criterion_of
from .cut import cut
from .difference import _path_in_words
from .prediction import labels_of
from .task import needs_classes
from .tree import Tree
from .walk import rows_from, walk_rows

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
    return recorded(tree, after, "cut", nodes=made, at=[_path_in_words(tree, n) for n in made])


# -------------------------------------------------------------------- another answer


def relabel(tree: Tree, node: int, label: Label) -> Tree:
    """The tree with another label in a leaf, which is what the leaf predicts.

    The class weights stay those of the training rows, and so do probabilities and the confidence
    of rules.

    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> tree = pt.ID3Classifier(max_depth=1).fit(X, y).tree_
    >>> changed = relabel(tree, 2, "No")
    >>> print(changed)
    Play: 14 rows (No 5, Yes 9)
    ├─ Outlook = Overcast: Yes (4)
    ├─ Outlook = Rain: No (5: No 2, Yes 3)
    └─ Outlook = Sunny: No (5: No 3, Yes 2)
    >>> changed.edits[0]["from"], changed.edits[0]["to"]
    ('Yes', 'No')
    """
    leaf = _leaf(tree, node, "be given another answer")
    before: Label
    if tree.schema.classes:
        before, code = tree.node(leaf).label, _class_code(tree, label)
        answer, after = (
            tree.schema.classes[code],
            replace(tree, label=_with(tree.label, leaf, code)),
        )
    else:
        before, answer = float(tree.prediction[leaf]), _number(label)
        after = replace(tree, prediction=_with(tree.prediction, leaf, answer))
    return recorded(
        tree,
        after,
        "relabel",
        node=leaf,
        at=_path_in_words(tree, leaf),
        **{"from": before, "to": answer},
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
            "a node is not given by its number",
            got=f"node={node!r}",
            hint="give a whole number, such as node.index.",
        )
    if not tree.node(int(node)).is_leaf:
        raise TreeError(
            f"only a leaf can {what}",
            got=f"node {node}, which tests {tree.node(int(node)).feature!r}",
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


# -------------------------------------------------------------------- one more test


def graft(
    tree: Tree,
    node: int,
    condition: Condition | str,
    *,
    labels: Sequence[Label] | None = None,
    missing: int | None = None,
) -> Tree:
    """The tree with a test in the place of a leaf.

    The new leaves have no rows yet: they answer as the leaf did, or as ``labels`` says, until
    ``tree.refit(X, y)`` counts rows into them.

    Parameters
    ----------
    tree, node
        The tree, and the number of the leaf.
    condition
        A condition, or one in words: ``"humidity <= 75"``, ``"outlook = Sunny"``,
        ``"outlook in {Sunny, Rain}"``, or ``"outlook"`` for a branch per category.
    labels
        What the new leaves answer, one class per branch.
    missing
        The branch that takes missing values; None divides them over all branches.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> tree = pt.ID3Classifier(max_depth=1).fit(X, y).tree_
    >>> print(graft(tree, 2, "Wind", labels=["No", "Yes"]).refit(X, y))
    Play: 14 rows (No 5, Yes 9)
    ├─ Outlook = Overcast: Yes (4)
    ├─ Outlook = Rain (5)
    │  ├─ Wind = Strong: No (2)
    │  └─ Wind = Weak: Yes (3)
    └─ Outlook = Sunny: No (5: No 3, Yes 2)
    """
    leaf = _leaf(tree, node, "be given a test")
    if isinstance(condition, str):
        condition = condition_from(tree.schema, condition)
    if not isinstance(condition, Condition):
        raise ArgumentTypeError(
            "a test is neither a condition nor one in words",
            got=f"an object of type {type(condition).__name__}",
            hint='give words such as "humidity <= 75".',
        )
    answers = _answers_of(tree, leaf, condition, labels)
    branch = -1 if missing is None else missing
    nodes = described_nodes(tree)
    children = tuple(range(len(nodes), len(nodes) + condition.n_branches))
    nodes[leaf] = replace(
        nodes[leaf], condition=condition, children=children, missing_child=branch, score=np.nan
    )
    nodes += [_empty_leaf(tree, answer) for answer in answers]
    after = build_tree(tree.schema, nodes, conventions=tree.conventions)
    return recorded(
        tree,
        after,
        "graft",
        node=leaf,
        at=_path_in_words(tree, leaf),
        test=[condition.describe(tree.schema, i) for i in range(condition.n_branches)],
        answers=answers,
    )


def _empty_leaf(tree: Tree, answer: Label) -> NodeDescription:
    """A leaf without rows that predicts a class or a number."""
    classes = tree.schema.classes
    if classes:
        return NodeDescription(class_weights=(0.0,) * len(classes), label=_class_code(tree, answer))
    return NodeDescription(prediction=_number(answer), weight=0.0, n_rows=0, impurity=0.0)


def _answers_of(
    tree: Tree, leaf: int, condition: Condition, labels: Sequence[Label] | None
) -> list[Label]:
    classes = tree.schema.classes
    if labels is None:
        kept = tree.node(leaf).label if classes else float(tree.prediction[leaf])
        return [kept] * condition.n_branches
    if isinstance(labels, str) or len(labels) != condition.n_branches:
        raise ParameterError(
            "labels is not one class per branch",
            got=f"labels={labels!r} for {condition.n_branches} branches",
            hint="give a list, in the order of the branches.",
        )
    return [classes[_class_code(tree, a)] if classes else _number(a) for a in labels]


# -------------------------------------------------------------------- other counts


def refit(tree: Tree, X: Any, y: Any, sample_weight: Any = None) -> Tree:
    """The tree with the same tests, its counts and answers taken from the rows of a table.

    Rows with missing values are counted as new rows are sent: to the child for them, or divided
    over the branches in proportion to the known rows of this table. Nodes that no row reaches
    answer as the node above. Scores are kept where nothing has changed, and otherwise worked out
    where the criterion is a plain gain.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> tree = pt.ID3Classifier(max_depth=1).fit(X, y).tree_
    >>> print(refit(tree, X.head(6), y.head(6)))
    Play: 6 rows (No 3, Yes 3)
    ├─ Outlook = Overcast: Yes (1)
    ├─ Outlook = Rain: Yes (3: No 1, Yes 2)
    └─ Outlook = Sunny: No (2)
    """
    needs_classes(tree.schema, "refit")
    rows = rows_from(tree, X, y, sample_weight)
    counts = np.zeros(tree.n_nodes, dtype=np.int64)
    weights = np.zeros_like(tree.class_weights)
    counted = rows[rows.known_weights > 0]
    for at in walk_rows(tree, counted.columns, counted.known_weights, by_table=True):
        counts[at.node] = len(at.rows)
        weights[at.node] = np.bincount(counted.codes[at.rows], at.weights, weights.shape[1])
    totals = weights.sum(axis=1)
    close = np.isclose(weights, tree.class_weights, rtol=1e-12, atol=0)
    same = np.asarray(close.all(axis=1))
    impurity = np.where(same, tree.impurity, impurities(weights, _criterion(tree)))
    after = replace(
        tree,
        n_rows=counts,
        weight=totals,
        class_weights=weights,
        label=labels_of(tree.parent, weights).astype(np.int32),
        impurity=impurity,
        score=_scores(tree, same, gains(tree.parent, totals, impurity)),
        n_tied=np.where(same, tree.n_tied, 0),
    )
    return recorded(tree, after, "refit", rows=len(rows.codes))


def _scores(tree: Tree, same: NDArray[np.bool_], gain: Floats) -> Floats:
    """The scores of before where a node and its children are the same, otherwise the gains."""
    unchanged = same.copy()
    np.logical_and.at(unchanged, tree.parent[1:], same[1:])
    worked_out = gain if _criterion(tree) in PLAIN_GAINS else np.full(tree.n_nodes, np.nan)
    return np.where(unchanged | (tree.n_children == 0), tree.score, worked_out)


def _criterion(tree: Tree) -> str:
    return criterion_of(tree.conventions, tree.schema)
