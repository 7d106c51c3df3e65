"""A model as a program: trees and rules as the tables of :mod:`.tables`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.rules.rule import Clause, Rule
from plaintree.tree.condition import (
    DIVIDES,
    STOPS,
    Condition,
    Grouped,
    NodeKind,
    Surrogate,
    Threshold,
)
from plaintree.tree.conventions import Conventions
from plaintree.tree.prediction import predicted_classes, predicted_values
from plaintree.tree.tree import Tree
from plaintree.tree.walk import divides, stops_at_unseen

from ..members import Members, decisive_costs, division_weights, members_of
from .tables import JUMP, LEAF, NodeTest, NodeTestKind, Program, ProgramInput

UNDECIDED = 2
"""The child of what the test of a node with surrogates has no branch for."""


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
    costs = decisive_costs(members.trees[0])
    program.costs = [] if costs is None else costs.ravel().tolist()
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
    tests = _tests_of(tree)
    first = np.where(tree.n_children > 0, tree.first_child + start, -1)
    may_end = (tree.n_children == 0) | (tree.missing_child == STOPS) | stops_at_unseen(tree)
    if some_divide:
        below, weights = np.zeros(tree.n_nodes), division_weights(tree)
        np.add.at(below, tree.parent[1:], weights[1:])
        may_end |= (tree.missing_child == DIVIDES) & (below <= 0)
        program.node_weight += weights.tolist()
        program.node_children += tree.n_children.tolist()
        program.pending = max(program.pending, _most_pending(tree))
    predictions = np.full(tree.n_nodes, -1)
    labels, values = predicted_classes(tree).tolist(), predicted_values(tree)
    for node in np.flatnonzero(may_end).tolist():
        predictions[node] = program.prediction_number(labels[node], values[node].tolist())
    program.node_test += [LEAF if test is None else program.test_number(test) for test in tests]
    program.node_next += first.tolist()
    program.node_prediction += predictions.tolist()
    for node in np.flatnonzero(tree.n_children).tolist() if tree.has_surrogates else ():
        test, surrogates = tests[node], tree.surrogates(node)
        if test is not None and surrogates:
            asking = replace(test, missing=UNDECIDED)
            if not stops_at_unseen(tree):
                asking = replace(asking, unseen=UNDECIDED)
            _add_surrogates(program, start + node, asking, test, surrogates)


def _tests_of(tree: Tree) -> list[NodeTest | None]:
    """Return the test of every node; None of a leaf."""
    tests: list[NodeTest | None] = []
    stops = stops_at_unseen(tree)
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
            tests.append(None)
            continue
        same = NodeTestKind(NodeKind.SUBSET if kind == NodeKind.EQUALS else kind)
        # NaN, of tests without a threshold, would not be equal to itself.
        cut = threshold if same == NodeTestKind.THRESHOLD else 0.0
        unseen = STOPS if stops else missing
        tests.append(NodeTest(same, attribute, cut, missing, unseen, tuple(levels[first:last])))
    return tests


def _add_surrogates(
    program: Program,
    node: int,
    asking: NodeTest,
    test: NodeTest,
    surrogates: Sequence[Surrogate],
) -> None:
    """Write the surrogates of a node behind the tree, and change the node to lead to them.

    The node and each surrogate lead to two jumps to the node's children, and to the next surrogate.
    Behind the last one the node is repeated, and decides as if it had no surrogates.
    """
    first, prediction = program.node_next[node], program.node_prediction[node]
    program.node_test[node] = program.test_number(asking)
    program.node_next[node] = len(program.node_test)
    swapped = False
    for surrogate in surrogates:
        _add_jumps(program, first, swapped)
        number = program.test_number(_test_of_surrogate(surrogate.condition))
        program.add_node(number, len(program.node_test) + 1)
        swapped = surrogate.reversed
    _add_jumps(program, first, swapped)
    last = program.add_node(program.test_number(test), first, prediction)
    if program.divides:
        added = last + 1 - len(program.node_weight)
        program.node_weight += [0.0] * added
        program.node_children += [0] * (added - 1) + [program.node_children[node]]


def _add_jumps(program: Program, first: int, swapped: bool) -> None:
    """Jumps to the two children of a node."""
    for child in (1, 0) if swapped else (0, 1):
        program.add_node(JUMP, first + child)


def _test_of_surrogate(condition: Condition) -> NodeTest:
    column, ways = condition.feature, (UNDECIDED, UNDECIDED)
    if isinstance(condition, Grouped):
        return NodeTest(NodeTestKind.GROUPED, column, 0.0, *ways, condition.groups)
    assert isinstance(condition, Threshold), "a surrogate has a threshold or groups"
    return NodeTest(NodeTestKind.THRESHOLD, column, condition.threshold, *ways)


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
        return [(NodeTest(NodeTestKind.MISSING, column, 0.0, 0, 0), 0)]
    if clause.allowed is not None:
        return [(NodeTest(NodeTestKind.SUBSET, column, 0.0, 1, 1, clause.codes), 0)]
    tests = []
    if clause.low is not None:
        tests.append((NodeTest(NodeTestKind.THRESHOLD, column, clause.low, 0, 0), 1))
    if clause.high is not None:
        tests.append((NodeTest(NodeTestKind.THRESHOLD, column, clause.high, 1, 1), 0))
    return tests


def rule_probabilities(label: int, weights: Sequence[float]) -> list[float]:
    """Return the class probabilities of a rule, as a rule list computes them."""
    row = np.array(weights, dtype=np.float64)
    if not row.any():
        row[label] = 1.0
    return [float(probability) for probability in row / row.sum()]
