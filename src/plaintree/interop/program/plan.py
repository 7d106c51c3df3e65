"""Models as plain tables, which every language writes in the same way.

1. Every column becomes a number: a number itself, the code of a category, the number of an
   interval. Missing is NaN; an unseen category is -2, but missing if categories are ordered.
2. A node is a leaf, or has a *test* that leads to one of its children, or jumps to another node.
   Equal tests of several nodes are stored once.
3. A tree is its root. If the value of a test is missing and has no child, the row is divided over
   the children by their weights.
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

import numpy as np
from numpy.typing import NDArray

from plaintree.data.schema import UNSEEN, Feature, Label, Schema
from plaintree.rules.rule import Clause, Rule
from plaintree.tree.condition import NodeKind
from plaintree.tree.conventions import Conventions
from plaintree.tree.prediction import predicted_classes, predicted_values
from plaintree.tree.tree import Tree
from plaintree.tree.walk import divides

from ..members import EXACT_INTEGER, Members, members_of

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

    ``missing`` is the child that takes missing values; -1 divides the row. ``levels`` are the
    codes of a subset, sorted, or the child of every code (-1: as missing) of a grouped test.
    """

    kind: NodeTestKind
    column: int
    threshold: float
    missing: int
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
    - ``unseen_stops``: a row with an unseen category ends at the node.
    - ``refuses_missing``, ``refuses_unseen``: such rows are not predicted.
    - ``pending``: the maximum number of parts of a divided row at a time.
    """

    schema: Schema
    features: tuple[ProgramInput, ...]
    voting: Literal["alone", "class", "probabilities"] = "alone"
    unseen_stops: bool = False
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


def program_of(model: object) -> Program:
    """The plan of a fitted model, a Tree or a RuleList.

    >>> import plaintree as pt
    >>> from plaintree.interop.program.plan import program_of
    >>> X, y = pt.datasets.load_tennis()
    >>> program = program_of(pt.ID3Classifier().fit(X, y))
    >>> len(program.tests), len(program.node_test), program.prediction_classes
    (3, 8, [1, 0])
    """
    members = members_of(model)
    features = tuple(map(ProgramInput.of, members.schema.features))
    if not isinstance(members, Members):
        program = Program(members.schema, features)
        _set_refusals(program, getattr(getattr(model, "tree_", None), "conventions", None))
        _add_rules(program, members)
        return program
    voting = {"alone": "alone", "soft": "probabilities"}.get(members.voting, "class")
    program = Program(members.schema, features, voting)  # type: ignore[arg-type]
    conventions = members.conventions
    _set_refusals(program, conventions)
    program.unseen_stops = conventions is not None and conventions.unseen == "stop"
    program.votes = list(members.weights) or [1.0] * len(members.trees)
    trees = list(members.trees)
    some_divide = any(map(divides, trees))
    for tree in trees:
        _add_tree(program, tree, some_divide)
    return program


def _set_refusals(program: Program, conventions: Conventions | None) -> None:
    program.refuses_missing = conventions is not None and conventions.missing == "error"
    program.refuses_unseen = conventions is not None and conventions.unseen == "error"


# -------------------------------------------------------------------- trees


def _add_tree(program: Program, tree: Tree, some_divide: bool) -> None:
    start = len(program.node_test)
    program.roots.append(start)
    tests = _tests_of(program, tree)
    first = np.where(tree.n_children > 0, tree.first_child + start, -1)
    may_end = (tree.n_children == 0) | program.unseen_stops
    if some_divide:
        below = np.zeros(tree.n_nodes)
        np.add.at(below, tree.parent[1:], tree.weight[1:])
        may_end |= (tree.missing_child < 0) & (below <= 0)
        program.node_weight += tree.weight.tolist()
        program.node_children += tree.n_children.tolist()
        program.pending = max(program.pending, _most_pending(tree))
    predictions = np.full(tree.n_nodes, -1)
    labels, values = predicted_classes(tree).tolist(), predicted_values(tree)
    for node in np.flatnonzero(may_end).tolist():
        predictions[node] = program.prediction_number(labels[node], values[node].tolist())
    program.node_test += tests
    program.node_next += first.tolist()
    program.node_prediction += predictions.tolist()


def _tests_of(program: Program, tree: Tree) -> list[int]:
    """Return the test of every node, by number."""
    numbers = []
    levels, begin, end = tree.levels.tolist(), tree.level_begin.tolist(), tree.level_end.tolist()
    columns = zip(
        tree.kind.tolist(),
        tree.feature.tolist(),
        tree.threshold.tolist(),
        tree.missing_child.tolist(),
        begin,
        end,
        strict=True,
    )
    for kind, attribute, threshold, missing, first, last in columns:
        if kind == NodeKind.LEAF:
            numbers.append(LEAF)
            continue
        same = NodeTestKind(NodeKind.SUBSET if kind == NodeKind.EQUALS else kind)
        # NaN, of tests without a threshold, would not be equal to itself.
        cut = threshold if same == NodeTestKind.THRESHOLD else 0.0
        test = NodeTest(same, attribute, cut, missing, tuple(levels[first:last]))
        numbers.append(program.test_number(test))
    return numbers


def _most_pending(tree: Tree) -> int:
    """Maximum number of parts of a divided row: along a path, all children of each node."""
    waiting: NDArray[np.int64] = np.ones(tree.n_nodes, dtype=np.int64)
    parents, counts = tree.parent.tolist(), tree.n_children.tolist()
    for node, parent in enumerate(parents):
        above = 1 if parent < 0 else int(waiting[parent])
        waiting[node] = above + max(counts[node] - 1, 0)
    return int(waiting.max())


# -------------------------------------------------------------------- rules


def _add_rules(program: Program, listed: Any) -> None:
    """The rules of a list that can fire, tried in their order, and the default."""
    program.roots.append(0)
    program.votes = [1.0]
    to_next: list[int] = []  # jumps of the rule before to this one
    for rule in rules_that_fire(listed):
        for jump in to_next:
            program.node_next[jump] = len(program.node_test)
        to_next = _add_rule(program, rule)
    for jump in to_next:
        program.node_next[jump] = len(program.node_test)
    label = program.classes.index(listed.default)
    probabilities = rule_probabilities(label, listed.default_weights)
    program.add_node(LEAF, -1, program.prediction_number(label, probabilities))


def rules_that_fire(listed: Any) -> list[Rule]:
    """Return the rules of a list that some row can satisfy and that may predict."""
    return [
        rule
        for rule in listed.rules
        if (rule.accuracy is None or rule.accuracy >= listed.min_accuracy)
        and all(_can_be_met(clause) for clause in rule.conditions)
    ]


def _can_be_met(clause: Clause) -> bool:
    if clause.is_missing and clause.asks_for_value:
        return False
    return clause.allowed is None or clause.allowed != 0


def _add_rule(program: Program, rule: Rule) -> list[int]:
    """Write the tests of a rule, then its prediction, and the jumps if it does not fire."""
    failing = []
    for clause in rule.conditions:
        for test, met in _tests_of_clause(clause):
            node = program.add_node(program.test_number(test), len(program.node_test) + 1)
            jumps = [program.add_node(JUMP, node + 3) for _ in range(2)]
            failing.append(jumps[1 - met])
    label = program.classes.index(rule.label)
    probabilities = rule_probabilities(label, rule.class_weights)
    program.add_node(LEAF, -1, program.prediction_number(label, probabilities))
    return failing


def _tests_of_clause(clause: Clause) -> list[tuple[NodeTest, int]]:
    """Return the binary tests of a clause, each with the child of rows that satisfy it."""
    column = clause.feature
    if clause.is_missing:
        return [(NodeTest(NodeTestKind.MISSING, column, 0.0, 0), 0)]
    if clause.allowed is not None:
        return [(NodeTest(NodeTestKind.SUBSET, column, 0.0, 1, clause.codes), 0)]
    tests = []
    if clause.low is not None:
        tests.append((NodeTest(NodeTestKind.THRESHOLD, column, clause.low, 0), 1))
    if clause.high is not None:
        tests.append((NodeTest(NodeTestKind.THRESHOLD, column, clause.high, 1), 0))
    return tests


def rule_probabilities(label: int, weights: Sequence[float]) -> list[float]:
    """Return the class probabilities of a rule, as a rule list computes them."""
    row = np.array(weights, dtype=np.float64)
    if not row.any():
        row[label] = 1.0
    return [float(probability) for probability in row / row.sum()]
