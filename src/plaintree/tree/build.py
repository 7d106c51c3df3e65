"""Building a tree from descriptions of its nodes: numbered level by level and validated.

Nodes in another form (another program's arrays, its printed lines, a tree to be changed) become one
:class:`NodeDescription` each, and :func:`build_tree` makes a tree of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.schema import Schema
from plaintree.errors import TreeError
from plaintree.stats.impurity import gains, impurities

from .condition import Condition, Equals, Grouped, Multiway, NodeKind, Subset, Surrogate, Threshold
from .conventions import CHOICES, RATIOS, Conventions, criterion_of
from .decision import DecisionRule
from .prediction import labels_of
from .surrogates import surrogate_arrays
from .tree import NODE_DTYPES, Tree

Floats = NDArray[np.float64]

PLAIN_GAINS = frozenset(CHOICES["criterion"]) - RATIOS
"""Criteria whose score is the impurity that a test removes, and nothing else."""

MOST_ROWS = 2**53
"""Up to here every integer is a double."""


@dataclass(frozen=True)
class NodeDescription:
    """What is known about a node; what is None is computed from the other nodes.

    Parameters
    ----------
    condition : Condition or None, default=None
        The condition; None in a leaf.
    children : tuple of int, default=()
        The positions of the children in the list of all descriptions, in the order of the
        condition's branches, and behind them, if there is one, the child for missing values.
    class_weights : tuple of float or None, default=None
        The weight of every class; None is the sum of the children's.
    prediction : float or None, default=None
        The number predicted, where the target is numeric; None is the mean of the children's.
    weight : float or None, default=None
        The weight of the rows, where the target is numeric; None is the sum of the children's, or
        the number of rows of a leaf.
    label : int or None, default=None
        The class predicted; None is the majority class, or without rows the parent's label.
    missing_child : int, default=-1
        Which child takes missing values; -1 divides them over all, -2 predicts them by the node.
    n_rows : int or None, default=None
        The number of rows; None is the weight, rounded.
    impurity : float or None, default=None
        The impurity; None is that of the class weights by the criterion of the conventions, or
        Gini.
    score : float or None, default=None
        The score of the split; None is the decrease of impurity, if the criterion is that.
    n_tied : int, default=0
        The number of other features with the same score.
    surrogates : tuple of Surrogate, default=()
        The surrogate splits, in the order in which they are tried.
    """

    condition: Condition | None = None
    children: tuple[int, ...] = ()
    class_weights: tuple[float, ...] | None = None
    label: int | None = None
    missing_child: int = -1
    n_rows: int | None = None
    impurity: float | None = None
    score: float | None = None
    n_tied: int = 0
    prediction: float | None = None
    weight: float | None = None
    surrogates: tuple[Surrogate, ...] = ()


def build_tree(
    schema: Schema,
    nodes: Sequence[NodeDescription],
    *,
    conventions: Conventions | None = None,
    edits: tuple[dict[str, Any], ...] = (),
) -> Tree:
    """Build a tree from descriptions of its nodes.

    Parameters
    ----------
    schema : Schema
        The features and the classes.
    nodes : sequence of NodeDescription
        The nodes in any order, the root first.
    conventions : Conventions or None, default=None
        The conventions that the tree was grown by.
    edits : tuple of dict, default=()
        Records of changes by hand.

    Returns
    -------
    Tree
        The tree, validated.

    Raises
    ------
    TreeError
        If the nodes do not describe a tree.

    Examples
    --------
    >>> from plaintree.tree.condition import Threshold
    >>> from plaintree.data.schema import Feature, Schema
    >>> schema = Schema((Feature("size", "numeric"),), ("small", "large"))
    >>> test = NodeDescription(Threshold(0, 2.5), children=(1, 2))
    >>> few, many = (NodeDescription(class_weights=w) for w in ((3, 0), (1, 4)))
    >>> print(build_tree(schema, [test, few, many]))
    class: 8 rows (small: 4, large: 4)
    ├─ size <= 2.5: small (3)
    └─ size > 2.5: large (5; small: 1, large: 4)
    """
    if not nodes:
        raise TreeError("there are no nodes to make a tree of", hint="describe a root at least.")
    order = _level_by_level(nodes)
    ordered = [nodes[place] for place in order]
    first_child, n_children = _children(ordered)
    parents = np.full(len(ordered), -1)
    inner = np.flatnonzero(n_children)
    parents[1:] = np.repeat(inner, n_children[inner])
    weights = _class_weights(ordered, parents, len(schema.classes))
    criterion = criterion_of(conventions, schema)
    if schema.classes:
        _refuse_predictions(ordered)
        known = _Numbers(weights.sum(axis=1), impurities(weights, criterion), np.empty(0))
        rule = DecisionRule.of(conventions, schema.classes, weights[0])
        label = labels_of(parents, weights, [node.label for node in ordered], rule)
    else:
        known = _numbers_of(ordered, first_child, criterion)
        label = np.zeros(len(ordered), dtype=np.int64)
    arrays: dict[str, NDArray[Any]] = {
        "first_child": first_child,
        "n_children": n_children,
        "missing_child": np.array([node.missing_child for node in ordered]),
        "n_tied": np.array([node.n_tied for node in ordered]),
        "weight": known.weight,
        "label": label,
    }
    arrays |= _conditions(ordered)
    arrays |= _figures(ordered, parents, known, criterion)
    typed = {name: arrays[name] for name in NODE_DTYPES}
    return Tree(
        schema=schema,
        levels=arrays["levels"].astype(np.int32),
        class_weights=weights,
        prediction=known.prediction,
        conventions=conventions,
        edits=edits,
        **surrogate_arrays([node.surrogates for node in ordered]),
        **typed,
    )


def described_nodes(tree: Tree) -> list[NodeDescription]:
    """The descriptions of a tree's nodes, in their order: ``build_tree`` makes the same tree."""
    first, count = tree.first_child.tolist(), tree.n_children.tolist()
    numeric = not tree.schema.classes
    return [
        NodeDescription(
            condition=tree.condition(i),
            children=tuple(range(first[i], first[i] + count[i])),
            class_weights=tuple(tree.class_weights[i].tolist()),
            label=int(tree.label[i]),
            missing_child=int(tree.missing_child[i]),
            n_rows=int(tree.n_rows[i]),
            impurity=float(tree.impurity[i]),
            score=float(tree.score[i]),
            n_tied=int(tree.n_tied[i]),
            prediction=float(tree.prediction[i]) if numeric else None,
            weight=float(tree.weight[i]) if numeric else None,
            surrogates=tree.surrogates(i),
        )
        for i in range(tree.n_nodes)
    ]


# -------------------------------------------------------------------- structure


def _level_by_level(nodes: Sequence[NodeDescription]) -> list[int]:
    """The places of the nodes in the order of their numbers."""
    order, met = [0], {0}
    for place in order:  # grows while it is gone through
        for child in nodes[place].children:
            if not 0 <= child < len(nodes):
                raise TreeError(
                    "a described node has a child that is not described",
                    got=f"child {child} of node {place} among {len(nodes)} nodes",
                )
            if child in met:
                raise TreeError(
                    "a described node is the child of more than one node, or of itself",
                    got=f"node {child}, met again below node {place}",
                )
            met.add(child)
            order.append(child)
    if len(order) < len(nodes):
        lost = next(place for place in range(len(nodes)) if place not in met)
        raise TreeError("a described node is the child of no node", got=f"node {lost}")
    return order


def _children(ordered: Sequence[NodeDescription]) -> tuple[NDArray[Any], NDArray[Any]]:
    count = np.array([len(node.children) for node in ordered])
    after = 1 + np.cumsum(count) - count
    return np.where(count > 0, after, -1), count


def _conditions(ordered: Sequence[NodeDescription]) -> dict[str, NDArray[Any]]:
    """The arrays of the conditions."""
    rows: list[tuple[int, int, float, int]] = []
    levels: list[int] = []
    for node in ordered:
        kind, threshold, tested = _arrays_of(node.condition)
        attribute = -1 if node.condition is None else node.condition.feature
        rows.append((kind, attribute, threshold, len(tested)))
        levels.extend(tested)
    kinds, attributes, thresholds, sizes = map(np.array, zip(*rows, strict=True))
    ends = np.cumsum(sizes)
    return {
        "kind": kinds,
        "feature": attributes,
        "threshold": thresholds,
        "level_begin": ends - sizes,
        "level_end": ends,
        "levels": np.array(levels, dtype=np.int32),
    }


def _arrays_of(condition: Condition | None) -> tuple[NodeKind, float, tuple[int, ...]]:
    """A condition as its kind, its threshold and its categories."""
    match condition:
        case None:
            return NodeKind.LEAF, np.nan, ()
        case Threshold():
            return NodeKind.THRESHOLD, condition.threshold, ()
        case Multiway():
            return NodeKind.MULTIWAY, np.nan, ()
        case Equals():
            return NodeKind.EQUALS, np.nan, (condition.category,)
        case Subset():
            return NodeKind.SUBSET, np.nan, tuple(sorted(condition.categories))
        case Grouped():
            return NodeKind.GROUPED, np.nan, condition.groups
    raise TreeError("a described node makes an unknown test", got=repr(condition))


# -------------------------------------------------------------------- numbers


def _class_weights(
    ordered: Sequence[NodeDescription], parents: NDArray[Any], n_classes: int
) -> Floats:
    weights = np.zeros((len(ordered), n_classes))
    for number in range(len(ordered) - 1, -1, -1):  # children before parents
        given = ordered[number].class_weights
        if given is not None:
            if len(given) != n_classes:
                raise TreeError(
                    "a described node does not have one weight per class",
                    got=f"{len(given)} weights for {n_classes} classes",
                )
            weights[number] = given
        above = parents[number]
        if above >= 0 and ordered[above].class_weights is None:
            weights[above] += weights[number]
    return weights


@dataclass(frozen=True, eq=False)
class _Numbers:
    """Weights, impurities and predictions (of a numeric target) of the nodes."""

    weight: Floats
    impurity: Floats
    prediction: Floats


def _refuse_predictions(ordered: Sequence[NodeDescription]) -> None:
    if any(node.prediction is not None or node.weight is not None for node in ordered):
        raise TreeError(
            "a described node has a prediction or a weight, and the target has classes",
            hint="give class_weights and label instead.",
        )


def _numbers_of(
    ordered: Sequence[NodeDescription], first_child: NDArray[Any], criterion: str
) -> _Numbers:
    """The numbers of a numeric target: as described, or pooled from the children."""
    weight, impurity, prediction = (np.zeros(len(ordered)) for _ in range(3))
    for number in range(len(ordered) - 1, -1, -1):  # children before parents
        node, first = ordered[number], int(first_child[number])
        below = slice(first, first + len(node.children))
        shares = weight[below] if node.children else np.empty(0)
        total = float(shares.sum())
        weight[number] = total if node.children else node.n_rows or 0
        if node.weight is not None:
            weight[number] = node.weight
        if node.prediction is None and not total > 0:
            raise TreeError(
                "a described node of a numeric target has no prediction",
                got=f"a node with {len(node.children)} children, of weight {total:g} together",
                hint="give prediction= to every leaf.",
            )
        mean = float(shares @ prediction[below]) / total if total > 0 else 0.0
        prediction[number] = mean if node.prediction is None else node.prediction
        if node.impurity is not None:
            impurity[number] = node.impurity
        elif total > 0 and criterion == "squared_error":
            between = (prediction[below] - mean) ** 2
            impurity[number] = shares @ (impurity[below] + between) / total
        elif node.children:
            raise TreeError(
                "the impurity of a described node does not follow from its children",
                got=f"criterion {criterion!r}, weight {total:g}",
                hint="give impurity= to the node.",
            )
    return _Numbers(weight, impurity, prediction)


def _figures(
    ordered: Sequence[NodeDescription],
    parents: NDArray[Any],
    numbers: _Numbers,
    criterion: str,
) -> dict[str, NDArray[Any]]:
    """Rows, impurities and scores: as described, or worked out."""
    impurity = _given_or([n.impurity for n in ordered], numbers.impurity)
    inner = np.array([node.condition is not None for node in ordered])
    gain = gains(parents, numbers.weight, impurity)
    known = inner if criterion in PLAIN_GAINS else np.zeros_like(inner)
    n_rows = _given_or([n.n_rows for n in ordered], np.rint(numbers.weight))
    if not (np.abs(n_rows) <= MOST_ROWS).all():
        raise TreeError(
            "a described node has more rows, or more weight, than can be counted",
            got=f"{n_rows[np.argmax(~(np.abs(n_rows) <= MOST_ROWS))]}",
        )
    return {
        "n_rows": n_rows,
        "impurity": impurity,
        "score": _given_or([n.score for n in ordered], np.where(known, gain, np.nan)),
    }


def _given_or(given: Sequence[float | None], worked_out: Floats) -> Floats:
    known = np.array([value is not None for value in given])
    return np.where(known, np.array(given, dtype=np.float64), worked_out)
