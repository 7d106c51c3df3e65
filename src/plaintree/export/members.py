"""What a model answers with, for exports: one tree, trees that vote, or a list of rules.

Exports to formats of other programs read a model through :func:`members_of` alone, and know what
each node answers from :func:`node_answers` and :func:`node_shares`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..convention import Conventions
from ..schema import Label, Schema
from ..tree import Tree
from ..wording import tree_of

if TYPE_CHECKING:  # rule lists lie further out
    from ..rulelist import RuleList

Voting = Literal["alone", "majority", "weighted", "probability"]
LabelType = Literal["text", "integer", "real", "boolean"]

EXACT_INTEGER = 2**53
"""Whole numbers up to here are doubles without rounding."""


@dataclass(frozen=True, eq=False)
class Members:
    """Trees that answer together.

    - ``voting``: a single tree answers "alone"; by "majority" each tree has a vote, "weighted" the
      votes count by ``weights``; by "probability" the trees' class shares are averaged.
    """

    schema: Schema
    trees: Sequence[Tree]
    voting: Voting
    weights: tuple[float, ...] = ()

    @cached_property
    def conventions(self) -> Conventions | None:
        """How the trees treat missing and unseen values; all treat them alike."""
        return self.trees[0].conventions

    @property
    def stops(self) -> bool:
        """Whether a row with an unseen category is answered by the node that tests it."""
        return self.conventions is not None and self.conventions.unseen == "stop"


def members_of(model: object) -> Members | RuleList:
    """The trees or the rules that a fitted model, a Tree or a RuleList answers with."""
    rules: Any = getattr(model, "rules_", model)
    if hasattr(rules, "default_weights"):
        listed: RuleList = rules
        return listed
    voters: Any = getattr(model, "trees_", None)
    if voters is None:
        tree = tree_of(model)
        return Members(tree.schema, (tree,), "alone")
    trees: Sequence[Tree] = voters
    weights = getattr(model, "tree_weights_", None)
    if weights is not None:
        return Members(trees[0].schema, trees, "weighted", tuple(map(float, weights)))
    voting: Voting = getattr(model, "voting", "majority")
    return Members(trees[0].schema, trees, voting)


def node_answers(tree: Tree) -> NDArray[np.int64]:
    """The class that each node answers: the heaviest, of equals the first or the label."""
    weights, nodes = tree.class_weights, np.arange(tree.n_nodes)
    heaviest = weights.argmax(axis=1)
    label = tree.label.astype(np.int64)
    label_wins = tree.conventions is None or tree.conventions.tied_answer == "label"
    tied = label_wins & (weights[nodes, label] == weights[nodes, heaviest])
    return np.where((tree.weight <= 0) | tied, label, heaviest)


def node_shares(tree: Tree) -> NDArray[np.float64]:
    """The share of each class at each node, nodes x classes."""
    empty = tree.weight <= 0
    shares = tree.class_weights / np.where(empty, 1.0, tree.weight)[:, None]
    shares[empty] = 0.0
    shares[empty, tree.label[empty]] = 1.0
    return np.asarray(shares)


def divides(tree: Tree) -> bool:
    """Whether some node divides rows without a value over its branches."""
    return bool((tree.missing_child[tree.n_children > 0] < 0).any())


def label_type(labels: Sequence[Label]) -> LabelType:
    """What all labels are; anything mixed is text, and so are numbers that would be rounded."""
    if labels and all(isinstance(label, bool) for label in labels):
        return "boolean"
    if not labels or any(isinstance(label, bool | str) for label in labels):
        return "text"
    numbers = [label for label in labels if not isinstance(label, str)]
    if any(abs(number) > EXACT_INTEGER for number in numbers):
        return "text"
    return "integer" if all(isinstance(number, int) for number in numbers) else "real"


def unique_name(wanted: str, taken: set[str]) -> str:
    """The name, with underscores where it is taken; it is taken from now on."""
    name = wanted
    while name in taken:
        name += "_"
    taken.add(name)
    return name
