"""The classes or numbers that the nodes of a tree predict, and how sure they are.

A row that ends in one node is predicted the label of that node, whatever its class weights are. For
a row divided over several nodes the class probabilities of the nodes are added up, and the class of
the greatest sum is predicted, or of the least expected cost (of tied classes the first).
Probabilities are those of the training rows, where priors count and costs do not, so the label need
not be the most probable class: trees with costs, imported trees, relabelled leaves.

A node of a numeric target predicts the mean or the median of its training targets; its impurity is
their :class:`Spread`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt
from sys import float_info
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from plaintree.checks import check_choice, check_number
from plaintree.data.schema import Schema
from plaintree.data.words import number_text
from plaintree.errors import ParameterError
from plaintree.stats.losses import ERROR, OF_CRITERION, Loss

from .conventions import criterion_of
from .decision import MAJORITY, DecisionRule
from .tree import Tree

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
Ties = Literal["first", "random"]
LARGEST = float_info.max


def majority_classes(class_weights: NDArray[Any]) -> Codes:
    """The first class of the greatest weight in each row of a matrix (nodes x classes)."""
    return MAJORITY.classes(class_weights)


def rule_of(tree: Tree) -> DecisionRule:
    """How a tree of classes predicts: by majority, or by priors and costs."""
    return DecisionRule.of(tree.conventions, tree.schema.classes, tree.class_weights[0])


def labels_of(
    parent: NDArray[Any],
    class_weights: NDArray[Any],
    given: Sequence[int | None] = (),
    rule: DecisionRule = MAJORITY,
) -> Codes:
    """The label of each node of a tree by a rule, or without rows its parent's label.

    ``parent`` holds the parent of each node, parents before their children; ``given`` holds the
    labels that are known already (None: not known).
    """
    labels = rule.labels(class_weights)
    without_rows = np.logical_not((class_weights > 0).any(axis=1))
    without_rows[0] = False  # a root has no parent
    known = {node: label for node, label in enumerate(given) if label is not None}
    for node in sorted({*known, *np.flatnonzero(without_rows).tolist()}):
        labels[node] = known[node] if node in known else labels[parent[node]]
    return labels


def predicted_classes(tree: Tree) -> Codes:
    """The class that each node predicts: its label."""
    return tree.label.astype(np.int64)


def class_probabilities(tree: Tree) -> Floats:
    """The class probabilities of each node, nodes x classes; without rows, 1 for the label."""
    votes, total = votes_of(tree)
    empty = tree.weight <= 0
    probabilities = votes / np.where(empty, 1.0, total)[:, None]
    probabilities[empty] = 0.0
    probabilities[empty, tree.label[empty]] = 1.0
    return np.asarray(probabilities)


def votes_of(tree: Tree) -> tuple[Floats, Floats]:
    """The class weights of each node as they count in probabilities, and their sums."""
    rule = rule_of(tree)
    if rule.ratios is None:
        return tree.class_weights, tree.weight
    votes = rule.votes(tree.class_weights)
    return votes, np.asarray(votes.sum(axis=1))


def answer_text(tree: Tree, node: int, shown: Schema) -> str:
    """The class or the number that a node predicts, in the printable names of a schema."""
    if shown.classes:
        return str(shown.classes[tree.label[node]])
    return number_text(float(tree.prediction[node]))


def predicted_values(tree: Tree) -> Floats:
    """What is averaged over nodes and trees: class probabilities, or the number as one column."""
    return class_probabilities(tree) if tree.schema.classes else tree.prediction[:, None]


def node_predictions(tree: Tree, labels: NDArray[Any] | None = None) -> NDArray[Any]:
    """The prediction of each node as targets are encoded: its label, or that given; or a number."""
    if tree.schema.classes:
        return tree.label if labels is None else labels
    return tree.prediction


def loss_of(tree: Tree) -> Loss:
    """The loss that predictions of a tree are judged by, on encoded targets."""
    if tree.schema.classes:
        rule = rule_of(tree)
        if rule.ratios is None and rule.costs is None:
            return ERROR
        return Loss(rule.row_costs, "mean cost", "mean cost")
    return OF_CRITERION[criterion_of(tree.conventions, tree.schema)]


def node_risks(tree: Tree) -> Floats:
    """The risk of each node as a leaf: the loss of its prediction on its training rows, by weight.

    For classes the weight of the rows that are not of the majority class, or the least expected
    cost; for numbers the sum of squares, of absolute deviations, or half of the Poisson deviance,
    as the criterion has it.
    """
    if tree.schema.classes:
        rule = rule_of(tree)
        if rule.ratios is None and rule.costs is None:
            return np.asarray(tree.weight - tree.class_weights.max(axis=1)).clip(min=0.0)
        return rule.risks(tree.class_weights)
    return np.asarray(tree.weight * tree.impurity)


def impurity_masses(tree: Tree) -> Floats:
    """The impurity of each node times its weight, as rows count in scores."""
    altered = rule_of(tree).altered(tree.class_weights[0]) if tree.schema.classes else None
    weight = tree.weight if altered is None else tree.class_weights @ altered
    return np.asarray(weight * tree.impurity)


def leaf_labels(tree: Tree, ties: Ties = "first", random: Any = None) -> NDArray[np.int32]:
    """The label of every node if it is made a leaf: the class that its training rows predict.

    Leaves keep their label, and so do nodes without rows. Of tied classes the first is taken, or
    with ``ties="random"`` one that ``random`` (a RandomState) draws.
    """
    check_choice("ties", ties, get_args(Ties))
    if not tree.schema.classes:
        return tree.label.copy()
    weights = tree.class_weights
    fixed = (tree.n_children == 0) | (tree.weight <= 0)
    rule = rule_of(tree)
    labels = np.where(fixed, tree.label, rule.labels(weights)).astype(np.int32)
    if ties == "random":
        tied = rule.is_cheapest(weights)
        for node in np.flatnonzero(~fixed & (tied.sum(axis=1) > 1)).tolist():
            labels[node] = random.choice(np.flatnonzero(tied[node]))
    return labels


# -------------------------------------------------------------------- numeric targets


@dataclass(frozen=True)
class Spread:
    """How far training targets are from the number that their node predicts.

    Attributes
    ----------
    centre : {"mean", "median"}
        The prediction of the node.
    name : {"sd", "mean deviation", "half deviance"}
        The measure, which depends on the criterion of the tree: the standard deviation of squared
        error, the mean absolute deviation from the median of absolute error, or half the mean
        Poisson deviance.
    value : float
        Its value.
    distance : float
        The spread in units of the target: the value itself; for a half deviance, which has no such
        unit, the standard deviation of a Poisson distribution with the mean of the node.
    """

    centre: Literal["mean", "median"]
    name: Literal["sd", "mean deviation", "half deviance"]
    value: float
    distance: float

    def __str__(self) -> str:
        return f"{self.name} {number_text(self.value)}"


def spread_of(tree: Tree, node: int) -> Spread:
    """The spread of the training targets of a node, by the criterion of the tree.

    >>> import plaintree as pt
    >>> tree = pt.CARTRegressor(max_depth=0).fit([[1], [2]], [4.0, 8.0]).tree_
    >>> print(spread_of(tree, 0), spread_of(tree, 0).centre)
    sd 2 mean
    """
    impurity = max(float(tree.impurity[node]), 0.0)
    criterion = criterion_of(tree.conventions, tree.schema)
    if criterion == "absolute_error":
        return Spread("median", "mean deviation", impurity, impurity)
    if criterion == "poisson":
        mean = max(float(tree.prediction[node]), 0.0)
        return Spread("mean", "half deviance", impurity, sqrt(mean))
    return Spread("mean", "sd", sqrt(impurity), sqrt(impurity))


@dataclass(frozen=True)
class NumberRange:
    """The numbers above one number, below another, or between the two; the ends are not in it.

    Attributes
    ----------
    above : float or None
        The lower end; None if there is none.
    below : float or None
        The upper end; None if there is none.

    Examples
    --------
    >>> from plaintree.tree import NumberRange
    >>> print(NumberRange.checked(20, 30), NumberRange.checked(20, None))
    between 20 and 30 above 20
    """

    above: float | None
    below: float | None

    @classmethod
    def checked(cls, above: Any, below: Any) -> NumberRange:
        """The range of two parameters, at least one of them a number."""
        low, high = (
            None if end is None else check_number(name, end, -LARGEST, LARGEST)
            for name, end in (("above", above), ("below", below))
        )
        if low is None and high is None:
            raise ParameterError(
                "a range of predictions needs an end",
                got="none",
                hint="pass above=30 or below=30, for example.",
            )
        if low is not None and high is not None and not low < high:
            raise ParameterError(
                "no number is above the one and below the other",
                got=f"above={above!r}, below={below!r}",
                hint="above must be the smaller of the two.",
            )
        return cls(low, high)

    def holds(self, numbers: NDArray[Any]) -> NDArray[np.bool_]:
        """Which numbers are in the range."""
        low = -inf if self.above is None else self.above
        high = inf if self.below is None else self.below
        return np.asarray((numbers > low) & (numbers < high))

    def __str__(self) -> str:
        if self.above is not None and self.below is not None:
            return f"between {number_text(self.above)} and {number_text(self.below)}"
        if self.above is None:
            return f"below {number_text(self.below or 0.0)}"
        return f"above {number_text(self.above)}"
