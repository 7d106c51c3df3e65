"""Models as plain tables, which every language writes in the same way.

1. Every column becomes a number: a number itself, the code of a category, the number of an
   interval. Missing is NaN; an unseen category is -2, but missing if categories are ordered.
2. A node is a leaf, or has a *test* that leads to one of its children, or jumps to another node.
   Equal tests of several nodes are stored once.
3. A tree is its root. If the value of a test is missing and has no child, the row ends at the node
   or is divided over the children by their weights. A surrogate split is a node of its own, which
   takes what the test before it has no child for.
4. A *prediction* is a list of values: the probability of every class, or of a numeric target one
   number. With classes it has the label as well. Equal ones are stored once.
5. Trees vote. A tree of a numeric target always adds its values, even if it is the only one.

A rule list is such a program as well: a clause is one or two tests with a jump to the next clause,
and another one to the next rule.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from math import isnan
from typing import Any, Literal

from plaintree.data.schema import UNSEEN, Feature, Label, Schema
from plaintree.tree.condition import NodeKind

from ..members import EXACT_INTEGER

LEAF, JUMP = -1, -2
"""Values of ``node_test`` of nodes without a test."""


class NodeTestKind(IntEnum):
    """Kinds of tests; the first are the kinds of a tree's nodes."""

    THRESHOLD = NodeKind.THRESHOLD
    MULTIWAY = NodeKind.MULTIWAY
    SUBSET = NodeKind.SUBSET
    GROUPED = NodeKind.GROUPED
    MISSING = 6


@dataclass(frozen=True)
class NodeTest:
    """A test: its kind, its column, and the values that it compares with.

    ``missing`` is the child that takes missing values; DIVIDES divides the row, STOPS ends it.
    ``unseen`` is the same of unseen categories. ``levels`` are the codes of a subset, sorted, or
    the child of every code (-1: as missing) of a grouped test.
    """

    kind: NodeTestKind
    column: int
    threshold: float
    missing: int
    unseen: int
    levels: tuple[int, ...] = ()


Input = Literal["number", "category", "interval"]


@dataclass(frozen=True)
class ProgramInput:
    """Conversion of the values of a column.

    Categories are found by their string, by their number, or as booleans, as in the model; others
    are unseen. A number is a double, or an int where
    a double would round it.
    """

    feature: Feature
    strings: dict[str, int] = field(default_factory=dict)
    numbers: dict[float, int] = field(default_factory=dict)
    booleans: tuple[int, int] = (UNSEEN, UNSEEN)

    @property
    def name(self) -> str:
        return self.feature.name

    @property
    def input(self) -> Input:
        if self.feature.cuts:
            return "interval"
        return "number" if self.feature.kind == "numeric" else "category"

    @property
    def is_ordered(self) -> bool:
        return self.feature.kind == "ordered"

    @property
    def has_large(self) -> bool:
        """Whether doubles would confuse some category with another integer."""
        numbers = (*self.feature.categories, *self.numbers)
        return any(isinstance(n, int) and abs(n) >= EXACT_INTEGER for n in numbers)

    @classmethod
    def of(cls, attribute: Feature) -> ProgramInput:
        """Return the conversion of a feature."""
        if attribute.cuts or attribute.kind == "numeric":
            return cls(attribute)
        labels = attribute.categories
        strings = {str(label): code for code, label in enumerate(labels)}
        exact = {_unrounded(v): code for code, v in enumerate(labels) if not isinstance(v, str)}
        written = {number: code for text, code in strings.items() for number in _written(text)}
        booleans = tuple(exact.get(float(b), strings.get(str(b), UNSEEN)) for b in (False, True))
        return cls(attribute, strings, {**written, **exact}, (booleans[0], booleans[1]))


def _unrounded(number: float) -> float:
    """A number as a double, or as it is where that would round it."""
    try:
        double = float(number)
    except OverflowError:
        return number
    return double if double == number else number


def _written(text: str) -> list[float]:
    """Return the number that a model would write as this string, if there is one."""
    try:
        number = int(text) if text.removeprefix("-").isdecimal() else float(text)
    except ValueError:
        return []
    if isinstance(number, float) and (number.is_integer() or isnan(number)):
        return []  # integers are written without a point
    return [_unrounded(number)] if text == str(number) else []


@dataclass(eq=False)
class Program:
    """A model as tables; the nodes of all trees are concatenated.

    - ``node_test``: the number of a test, or LEAF, or JUMP.
    - ``node_next``: the first child, or the target of a jump; children are adjacent.
    - ``node_prediction``: the number of the prediction, -1 where no row ends.
    - ``node_weight``: of every node, by which rows are divided; empty if none ever is.
    - ``node_children``: how many; empty as well.
    - ``roots``, ``votes``: the first node and the weight of every tree.
    - ``voting``: "alone", "class" (each tree votes for a class) or "probabilities".
    - ``costs``: of predicting each class by actual class, concatenated: a divided row is predicted
      the class of the least expected cost. Empty: that of the greatest probability.
    - ``refuses_missing``, ``refuses_unseen``: such rows are not predicted.
    - ``pending``: the maximum number of parts of a divided row at a time.
    """

    schema: Schema
    features: tuple[ProgramInput, ...]
    voting: Literal["alone", "class", "probabilities"] = "alone"
    refuses_missing: bool = False
    refuses_unseen: bool = False
    tests: dict[NodeTest, int] = field(default_factory=dict)
    predictions: dict[tuple[Any, ...], int] = field(default_factory=dict)
    node_test: list[int] = field(default_factory=list)
    node_next: list[int] = field(default_factory=list)
    node_prediction: list[int] = field(default_factory=list)
    node_weight: list[float] = field(default_factory=list)
    node_children: list[int] = field(default_factory=list)
    roots: list[int] = field(default_factory=list)
    votes: list[float] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)
    pending: int = 1

    @property
    def classes(self) -> tuple[Label, ...]:
        return self.schema.classes

    @property
    def n_values(self) -> int:
        """How many values a prediction has: one for every class, or one number."""
        return len(self.classes) or 1

    @property
    def divides(self) -> bool:
        """Whether rows are ever divided."""
        return bool(self.node_weight)

    @property
    def prediction_classes(self) -> list[int]:
        """The class of every prediction."""
        return [prediction[0] for prediction in self.predictions]

    @property
    def prediction_values(self) -> list[float]:
        """The values of every prediction, concatenated."""
        return [value for prediction in self.predictions for value in prediction[1:]]

    @property
    def total_votes(self) -> float:
        """The sum of the votes, in the order of the trees."""
        total = 0.0
        for vote in self.votes:
            total += vote
        return total

    def test_number(self, test: NodeTest) -> int:
        return self.tests.setdefault(test, len(self.tests))

    def prediction_number(self, label: int, values: Sequence[float]) -> int:
        return self.predictions.setdefault((label, *values), len(self.predictions))

    def add_node(self, test: int, following: int, prediction: int = -1) -> int:
        """One more node; its number."""
        self.node_test.append(test)
        self.node_next.append(following)
        self.node_prediction.append(prediction)
        return len(self.node_test) - 1
