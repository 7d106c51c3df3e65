"""Exact checks whether rules are complete and mutually exclusive, with a counterexample if not.

Boxes, cells and islands are those of regions.py. Rules that are separated along some feature are
handled separately. Rules of a tree always are, by its first split, so checking them is as fast as
growing the tree. Other rules are compared pair by pair for overlaps; to find rows that no rule
covers, the space is split along their sides. There is no recursion and no sampling.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from plaintree.data.schema import Schema
from plaintree.errors import ArgumentTypeError, ParameterError

from .extract import rules_of
from .regions import Box, Space
from .rule import Rule

Rules = Sequence[Rule] | Any
"""Rules, or a model that has them: a rule list, a tree, a fitted estimator."""

# -------------------------------------------------------------------- checks


def check_partition(
    rules: Rules, schema: Schema | None = None, *, missing: bool = False
) -> dict[str, Any] | None:
    """Find a row that no rule matches, or that two rules match.

    The check is exact. No row, with or without missing values, may match two rules. Every row
    without missing values must match one.

    Parameters
    ----------
    rules : sequence of Rule, estimator, Tree or RuleList
        The rules, or a model that has them. The default class of a RuleList is not a rule.
    schema : Schema, default=None
        The features to consider. None takes the schema of the rules.
    missing : bool, default=False
        Whether rows with missing values must match a rule as well, in the features for which some
        rule has the condition "is missing".

    Returns
    -------
    dict or None
        A counterexample by feature names, in which None is a missing value. None if every row
        matches exactly one rule.

    Raises
    ------
    ArgumentTypeError
        If there are no rules in the object.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_tennis()
    >>> model = pt.ID3Classifier().fit(X, y)
    >>> pt.rules.check_partition(model) is None
    True
    >>> pt.rules.check_partition(pt.rules_of(model)[1:])
    {'Outlook': 'Overcast', 'Temperature': 'Cool', 'Humidity': 'High', 'Wind': 'Strong'}
    """
    row = find_uncovered(rules, schema, missing=missing)
    return find_overlap(rules, schema) if row is None else row


def is_complete(rules: Rules, schema: Schema | None = None, *, missing: bool = False) -> bool:
    """Check whether every row without missing values matches at least one rule.

    Parameters
    ----------
    rules : sequence of Rule, estimator, Tree or RuleList
        The rules, or a model that has them. The default class of a RuleList is not a rule.
    schema : Schema, default=None
        The features to consider. None takes the schema of the rules.
    missing : bool, default=False
        Whether rows with missing values must match a rule as well, in the features for which some
        rule has the condition "is missing".

    Returns
    -------
    bool
        Whether the rules are complete. :func:`check_partition` returns a counterexample.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_golf()
    >>> rules = pt.rules_of(pt.C45Classifier().fit(X, y))
    >>> pt.rules.is_complete(rules), pt.rules.is_complete(rules[:-1])
    (True, False)
    """
    return find_uncovered(rules, schema, missing=missing) is None


def are_exclusive(rules: Rules, schema: Schema | None = None) -> bool:
    """Check whether no row, with or without missing values, matches two rules.

    Parameters
    ----------
    rules : sequence of Rule, estimator, Tree or RuleList
        The rules, or a model that has them. The default class of a RuleList is not a rule.
    schema : Schema, default=None
        The features to consider. None takes the schema of the rules.

    Returns
    -------
    bool
        Whether the rules are mutually exclusive.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_golf()
    >>> rules = pt.rules_of(pt.C45Classifier().fit(X, y))
    >>> pt.rules.are_exclusive(rules), pt.rules.are_exclusive([*rules, rules[0]])
    (True, False)
    """
    return find_overlap(rules, schema) is None


def find_uncovered(
    rules: Rules, schema: Schema | None = None, *, missing: bool = False
) -> dict[str, Any] | None:
    """A row that no rule matches, or None (see :func:`check_partition`)."""
    given = _rules_in(rules)
    space = _space_of(given, schema)
    cell = space.everything if missing else space.complete_rows
    boxes = [space.box(rule.conditions) for rule in given]
    part = space.uncovered((box for box in boxes if box is not None), cell)
    return None if part is None else space.row(part)


def find_overlap(rules: Rules, schema: Schema | None = None) -> dict[str, Any] | None:
    """A row that two rules match, or None."""
    given = _rules_in(rules)
    space = _space_of(given, schema)
    boxes = [space.box(rule.conditions) for rule in given]
    both = _met_twice(space, [box for box in boxes if box is not None])
    return None if both is None else space.row(space.everything | both)


def _rules_in(rules: Rules) -> Sequence[Rule]:
    """The rules themselves, or those of a model."""
    if not isinstance(rules, Sequence):
        return rules_of(rules)
    if not all(isinstance(rule, Rule) for rule in rules):
        raise ArgumentTypeError(
            "there are no rules to check",
            got=f"an object of type {type(rules).__name__}",
            hint="pass rules (as rules_of returns), a RuleList, a fitted estimator or a Tree.",
        )
    return rules


def _space_of(rules: Sequence[Rule], schema: Schema | None) -> Space:
    if schema is None and not rules:
        raise ParameterError(
            "an empty list of rules has no schema", hint="pass the schema as well."
        )
    known = rules[0].schema if schema is None else schema
    return Space(known, [rule.conditions for rule in rules])


def _met_twice(space: Space, boxes: list[Box]) -> Box | None:
    """The intersection of two of the boxes; None if all are disjoint."""
    pending = [boxes]
    while pending:
        group = pending.pop()
        islands = space.apart(group)
        if islands:
            pending.extend(inside for _, inside in islands[1] if len(inside) > 1)
            continue
        for one, other in combinations(group, 2):
            both = space.common(one, other)
            if both is not None:
                return both
    return None
