"""The rules of a tree, as they are or simplified, with support and confidence."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from math import isfinite
from typing import Any

from plaintree.data.words import prediction_text, shown_schema
from plaintree.errors import TreeError
from plaintree.evaluation.evaluate import normal_deviation
from plaintree.evaluation.quality import TRAINING
from plaintree.rules import simplify_rules
from plaintree.rules.extract import leaf_rules
from plaintree.rules.rule import Clause, Rule
from plaintree.stats.intervals import wilson
from plaintree.tree.tree import Tree

from ..messages.views import RuleFacts, Rules, RulesRequest
from .library import path_of
from .names import number
from .replay import Work

CONFIDENCE = 0.95
OPTIONS = {"simplified": "course", "c45rules": "c4.5rules"}
"""The methods of ``simplify_rules`` by the forms of the request."""


def rules(work: Work, request: RulesRequest) -> Rules:
    """The rules of a tree, one per leaf, or those that it is simplified to."""
    tree = work.tree(request.member)
    if request.form == "leaves":
        listed: Sequence[Rule] = leaf_rules(tree)
        return _reply(tree, listed, "")
    if not work.single:
        raise TreeError(
            "rules are simplified from a single tree, not from one of an ensemble",
            got=request.form,
            hint="show the leaves of the tree.",
        )
    method: Any = OPTIONS[request.form]
    training = work.training
    found = work.kept_for_tree(
        ("rules", method), partial(simplify_rules, tree, training.X, training.y, method=method)
    )
    return _reply(
        tree,
        [rule for rule in found.rules if found.can_fire(rule)],
        prediction_text(found.schema, found.default),
    )


def _reply(tree: Tree, listed: Sequence[Rule], default: str) -> Rules:
    shown = shown_schema(tree.schema)
    total = float(tree.weight[0])
    deviation = normal_deviation(CONFIDENCE)
    described = cache(partial(Clause.describe, schema=shown))  # leaves share most of their clauses
    return Rules(
        rules=[
            _facts(tree, rule, [*map(described, rule.conditions)], total, deviation)
            for rule in listed
        ],
        default=default,
        measured_on=TRAINING,
    )


def _facts(
    tree: Tree, rule: Rule, conditions: list[str], total: float, deviation: float
) -> RuleFacts:
    low, high = _interval(rule, deviation)
    classes = tree.schema.classes
    return RuleFacts(
        conditions=conditions,
        label=classes.index(rule.label) if classes else -1,
        prediction=prediction_text(tree.schema, rule.label),
        n_rows=rule.weight,
        support=rule.weight / total if total else None,
        confidence=number(rule.confidence),
        low=low,
        high=high,
        leaf=list(path_of(tree, rule.leaf)),
    )


def _interval(rule: Rule, deviation: float) -> tuple[float | None, float | None]:
    """Wilson's interval of the confidence; for a number, one spread on either side."""
    if rule.spread is not None:
        value = float(rule.label)
        return number(value - rule.spread.distance), number(value + rule.spread.distance)
    if not rule.weight > 0 or not isfinite(rule.confidence):
        return None, None
    return wilson(rule.confidence, rule.weight, deviation)
