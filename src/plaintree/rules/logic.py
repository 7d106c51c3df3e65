"""Are rules complete and mutually exclusive? Answered exactly, with a row that shows the contrary.

Boxes, cells and islands are those of regions.py. Rules that lie apart on some attribute are dealt
with apart. Those of a tree always do (its first test parts them), so that they are told apart as
fast as the tree was grown; others are compared pair by pair to see whether they overlap, and to
see whether they leave a gap, the space is cut along their sides. There is no recursion, and no
sampling.
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
"""Several rules, or something that has them: a list of rules, a tree, a fitted model."""

# -------------------------------------------------------------------- what rules are asked


def check_partition(
    rules: Rules, schema: Schema | None = None, *, missing: bool = False
) -> dict[str, Any] | None:
    """A row that no rule matches, or that two rules match; None if every row matches exactly one.

    The answer is exact. No row, with gaps or without, may match two rules; every row without gaps
    must match one. With ``missing=True`` rows with gaps must match one as well, where the gaps are
    in attributes of which some rule asks whether they are missing.

    ``rules`` are several rules, a list of rules (whose default is none of them), or a model or
    tree, which stands for its rules. A row is a dictionary of attribute names and values; None is
    a missing value. The schema is that of the rules, if none is given.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.rules.logic import check_partition
    >>> X, y = pt.datasets.load_tennis()
    >>> model = pt.ID3Classifier().fit(X, y)
    >>> check_partition(model) is None
    True
    >>> rules = pt.rules_of(model.tree_)
    >>> check_partition(rules[1:])
    {'Outlook': 'Overcast', 'Temperature': 'Cool', 'Humidity': 'High', 'Wind': 'Strong'}
    """
    gap = find_gap(rules, schema, missing=missing)
    return find_overlap(rules, schema) if gap is None else gap


def is_complete(rules: Rules, schema: Schema | None = None, *, missing: bool = False) -> bool:
    """Whether at least one rule matches every complete row (with ``missing``: rows with gaps, too).

    >>> import plaintree as pt
    >>> from plaintree.rules.logic import is_complete
    >>> X, y = pt.datasets.load_golf()
    >>> rules = pt.rules_of(pt.C45Classifier().fit(X, y).tree_)
    >>> is_complete(rules), is_complete(rules[:-1])
    (True, False)
    """
    return find_gap(rules, schema, missing=missing) is None


def are_exclusive(rules: Rules, schema: Schema | None = None) -> bool:
    """Whether no row at all, with or without gaps, matches two rules.

    >>> import plaintree as pt
    >>> from plaintree.rules.logic import are_exclusive
    >>> X, y = pt.datasets.load_golf()
    >>> rules = pt.rules_of(pt.C45Classifier().fit(X, y).tree_)
    >>> are_exclusive(rules), are_exclusive([*rules, rules[0]])
    (True, False)
    """
    return find_overlap(rules, schema) is None


def find_gap(
    rules: Rules, schema: Schema | None = None, *, missing: bool = False
) -> dict[str, Any] | None:
    """A row that no rule matches, or None (see :func:`check_partition`)."""
    given = _rules_in(rules)
    space = _space_of(given, schema)
    cell = space.everything if missing else space.complete_rows
    boxes = [space.box(rule.conditions) for rule in given]
    gap = space.uncovered((box for box in boxes if box is not None), cell)
    return None if gap is None else space.row(gap)


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
            "no rules do not say which attributes there are", hint="give a schema, too."
        )
    known = rules[0].schema if schema is None else schema
    return Space(known, [rule.conditions for rule in rules])


def _met_twice(space: Space, boxes: list[Box]) -> Box | None:
    """What two boxes have in common, if any have."""
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
