"""Pruning by description length: size(tree) + size(misclassifications), in bits.

Both codings spend one bit per node: internal or leaf. With c classes, k of n rows misclassified:

quinlan_rivest (Quinlan and Rivest 1989)
    A leaf: log2 c for its class, and its exceptions: log2(b + 1) for their number, at most
    b = floor((n + 1)(c - 1) / c); log2 C(n, k) for which rows; with more than two classes
    k log2(c - 1) for their classes. A split: log2 of the number of features left (a feature
    with a branch per category is used up below); then for a threshold half of log2 of the number
    of values (at most the rows in the node, or the ordered categories), for one category against
    the rest log2 of their number, for g groups of m categories m log2 g - log2 g!.
sliq (Mehta, Agrawal and Rissanen 1995; SLIQ 1996, full pruning)
    A leaf: one unit per exception. A split: 1 for a threshold; for categories log2 of the number
    of splits on that feature in the tree.

Rows count with their weight; factorials of fractions are gamma functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from scipy.special import gammaln

from plaintree.checks import check_choice
from plaintree.tree.condition import NodeKind
from plaintree.tree.prediction import node_risks
from plaintree.tree.task import needs_classes
from plaintree.tree.tree import Tree, tree_of

from .task import Floats, Task, cheaper_as_leaves

Coding = Literal["quinlan_rivest", "sliq"]


@dataclass(frozen=True)
class DescriptionLength:
    """The description length of a tree, in bits.

    Attributes
    ----------
    tree : float
        The bits of the tree.
    exceptions : float
        The bits of the training rows that it misclassifies.
    """

    tree: float
    exceptions: float

    @property
    def total(self) -> float:
        """The sum of both, which pruning minimises."""
        return self.tree + self.exceptions


def description_length(
    model_or_tree: Any, *, coding: Coding = "quinlan_rivest"
) -> DescriptionLength:
    """Compute the description length of a tree and its exceptions.

    Parameters
    ----------
    model_or_tree : Tree or fitted estimator of a single tree
        The tree.
    coding : {"quinlan_rivest", "sliq"}, default="quinlan_rivest"
        How the tree is encoded.

    Returns
    -------
    DescriptionLength
        The bits of the tree, and of the training rows that it misclassifies.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> bits = description_length(pt.ID3Classifier().fit(X, y))
    >>> round(bits.tree, 2), round(bits.exceptions, 2)
    (18.17, 6.75)
    """
    tree = tree_of(model_or_tree)
    needs_classes(tree, "description_length")
    leaf = tree.n_children == 0
    nodes, exceptions = node_bits(tree, coding)
    return DescriptionLength(
        tree=float(np.where(leaf, nodes.as_leaf, nodes.as_test).sum()),
        exceptions=float(exceptions[leaf].sum()),
    )


def mdl(task: Task, *, coding: Coding = "quinlan_rivest") -> Tree:
    """Cut what takes no fewer bits than a leaf with its exceptions."""
    nodes, exceptions = node_bits(task.tree, coding)
    return task.cut(cheaper_as_leaves(task.tree, nodes.as_leaf + exceptions, nodes.as_test)[0])


@dataclass(frozen=True, eq=False)
class NodeBits:
    """What every node takes as a leaf, without its exceptions, and as a test."""

    as_leaf: Floats
    as_test: Floats


def node_bits(tree: Tree, coding: Coding) -> tuple[NodeBits, Floats]:
    """The bits of every node, and of its exceptions if it is a leaf."""
    check_choice("coding", coding, get_args(Coding))
    if coding == "sliq":
        one = np.ones(tree.n_nodes)
        return NodeBits(one, one + _sliq_tests(tree)), node_risks(tree)
    n_classes = len(tree.schema.classes)
    nodes = NodeBits(
        as_leaf=np.full(tree.n_nodes, 1 + np.log2(n_classes)),
        as_test=1 + np.log2(_attributes_left(tree)) + _quinlan_rivest_tests(tree),
    )
    return nodes, _exceptions(tree.weight, node_risks(tree), n_classes)


def _exceptions(rows: Floats, wrong: Floats, n_classes: int) -> Floats:
    at_most = np.floor((rows + 1) * (n_classes - 1) / n_classes)
    ways = gammaln(rows + 1) - gammaln(wrong + 1) - gammaln(rows - wrong + 1)
    which_class = wrong * np.log2(max(n_classes - 1, 1))
    return np.asarray(np.log2(at_most + 1) + ways / np.log(2) + which_class)


def _attributes_left(tree: Tree) -> Floats:
    """The number of features a node may split on: those without a many-way split above."""
    many, parent = (tree.kind == NodeKind.MULTIWAY).tolist(), tree.parent.tolist()
    used = [0] * tree.n_nodes
    for node in range(1, tree.n_nodes):
        used[node] = used[parent[node]] + many[parent[node]]
    return np.maximum(len(tree.schema.features) - np.array(used, dtype=np.float64), 1.0)


def _quinlan_rivest_tests(tree: Tree) -> Floats:
    domain = _domain(tree)
    values = np.where(domain > 0, domain, np.maximum(tree.n_rows, 1))
    groups = _group_counts(tree)
    dividing = domain * np.log2(groups) - gammaln(groups + 1) / np.log(2)
    threshold, equals = tree.kind == NodeKind.THRESHOLD, tree.kind == NodeKind.EQUALS
    bits = [np.log2(values) / 2, np.log2(values), dividing]
    return np.select([threshold, equals, groups > 1], bits, 0.0)


def _group_counts(tree: Tree) -> Floats:
    """Into how many groups a node divides categories that it names; 1 for other splits."""
    groups = np.ones(tree.n_nodes)
    several = (tree.kind == NodeKind.SUBSET) | (tree.kind == NodeKind.GROUPED)
    for node in np.flatnonzero(several).tolist():
        condition = tree.condition(node)
        groups[node] = condition.n_branches if condition else 1
    return groups


def _sliq_tests(tree: Tree) -> Floats:
    categorical = (tree.n_children > 0) & (tree.kind != NodeKind.THRESHOLD)
    n_tests = np.bincount(tree.feature[categorical], minlength=len(tree.schema.features))
    of_attribute = np.append(n_tests, 1)[tree.feature]  # the last is read by leaves
    bits = np.log2(np.maximum(of_attribute, 1))
    return np.select([categorical, tree.n_children > 0], [bits, np.ones_like(bits)], 0.0)


def _domain(tree: Tree) -> Floats:
    """The number of categories of the feature split on; 0 for numbers and in leaves."""
    sizes = [len(attribute.categories) for attribute in tree.schema.features]
    of_attribute = np.array([*sizes, 0], dtype=np.float64)  # the last is read by leaves
    return np.asarray(of_attribute[tree.feature], dtype=np.float64)
