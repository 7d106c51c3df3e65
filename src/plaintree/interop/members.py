"""Trees or rules of a model, for exports: one tree, trees that vote, or a list of rules.

Exports to formats of other programs read a model through :func:`members_of` alone, and
the prediction of each node from :func:`predicted_classes` and :func:`predicted_values`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from plaintree.data.schema import Label, Schema
from plaintree.tree.condition import Condition
from plaintree.tree.conventions import Conventions
from plaintree.tree.prediction import rule_of, votes_of
from plaintree.tree.tree import Tree, tree_of

if TYPE_CHECKING:  # rule lists lie further out
    from plaintree.rules.rule_list import RuleList

Voting = Literal["alone", "hard", "weighted", "soft"]
LabelType = Literal["text", "integer", "real", "boolean"]

SAME_COST = 1e-12
"""Expected costs of a row that differ by no more count as equal."""
EXACT_INTEGER = 2**53
"""Integers up to here are exact as doubles."""


@dataclass(frozen=True, eq=False)
class Members:
    """Trees that predict together.

    - ``voting``: "alone" for a single tree; "hard" for one vote per tree; "weighted" for votes with
      ``weights``; "soft" for the average of the trees' values: class probabilities, or numbers.
    - ``used``: the numbers of the columns that the trees split on; the schema has no values of
      others, because they do not leave the model.
    """

    schema: Schema
    trees: Sequence[Tree]
    voting: Voting
    weights: tuple[float, ...] = ()
    used: frozenset[int] = frozenset()

    @classmethod
    def of(cls, trees: Sequence[Tree], voting: Voting, weights: tuple[float, ...] = ()) -> Members:
        """Trees of one schema."""
        used = frozenset[int]().union(*(tree.used_columns() for tree in trees))
        return cls(trees[0].schema.with_values_of(used), trees, voting, weights, used)

    def used_columns(self) -> frozenset[int]:
        """As of a tree or a list of rules."""
        return self.used

    @cached_property
    def conventions(self) -> Conventions | None:
        """The conventions of the trees, which are the same for all."""
        return self.trees[0].conventions

    @property
    def stops(self) -> bool:
        """Whether a row with an unseen category is predicted by the node that splits on it."""
        return self.conventions is not None and self.conventions.unseen == "stop"


def members_of(model: object) -> Members | RuleList:
    """Return the trees or the rules with which a fitted model, Tree or RuleList predicts."""
    rules: Any = getattr(model, "rules_", model)
    if hasattr(rules, "default_weights"):
        listed: RuleList = rules
        return replace(listed, schema=listed.schema.with_values_of(listed.shown_columns()))
    voters: Any = getattr(model, "trees_", None)
    trees: Sequence[Tree] = (tree_of(model),) if voters is None else voters
    if voters is None:
        return Members.of(trees, "alone")
    weights = getattr(model, "estimator_weights_", None)
    if weights is not None:
        return Members.of(trees, "weighted", tuple(map(float, weights)))
    voting: Voting = getattr(model, "voting", "hard") if trees[0].schema.classes else "soft"
    return Members.of(trees, voting)


def splits_to(tree: Tree, node: int, branch: int) -> list[tuple[Condition, int]]:
    """The conditions that may send a row to a branch of a node, in the order they are tried.

    The first is that of the node, the others are of its surrogates. Each comes with its own number
    of the branch: the two branches of a reversed surrogate are swapped.
    """
    condition = tree.condition(node)
    assert condition is not None, "a leaf has no branches"
    return [
        (condition, branch),
        *(
            (other.condition, 1 - branch if other.reversed and branch in (0, 1) else branch)
            for other in tree.surrogates(node)
        ),
    ]


def division_weights(tree: Tree) -> NDArray[np.float64]:
    """The weights of nodes, in proportion to which rows are divided over branches; priors count."""
    return votes_of(tree)[1] if tree.schema.classes else tree.weight


def decisive_costs(tree: Tree) -> NDArray[np.float64] | None:
    """Costs (actual x predicted) by which the class of a divided row is decided, if there are any.

    The first class of the least expected cost is predicted, as far as rounding can tell.
    """
    return rule_of(tree).decisive if tree.schema.classes else None


def label_type(labels: Sequence[Label]) -> LabelType:
    """Return the common type of labels; "text" for mixed ones and numbers that would be rounded."""
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
