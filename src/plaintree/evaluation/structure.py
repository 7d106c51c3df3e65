"""The first difference between the trees or rules of two models."""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose
from typing import Any

import numpy as np

from plaintree.data.schema import Label
from plaintree.data.words import plain, shown_schema
from plaintree.errors import ArgumentTypeError
from plaintree.rules.rule import Rule
from plaintree.rules.rule_list import RuleList
from plaintree.tree.tree import Tree


def structural_difference(a: Any, b: Any, tolerance: float) -> str | None:
    """The first difference between the trees or rules of two models; None if there is none."""
    if kind_of(a) != kind_of(b):
        return f"{kind_of(a)} against {kind_of(b)}"
    if kind_of(a) == "rules":
        return _of_rules(_rules(a), _rules(b), tolerance)
    mine, other = _trees(a), _trees(b)
    if len(mine) != len(other):
        return f"{len(mine)} trees against {len(other)}"
    for number, (tree, another) in enumerate(zip(mine, other, strict=True)):
        found = tree.difference(another, tolerance=tolerance)
        if found is not None:
            return found if len(mine) == 1 else f"tree {number}, {found}"
    votes = [np.asarray(getattr(model, "estimator_weights_", ())) for model in (a, b)]
    if not np.allclose(votes[0], votes[1], rtol=tolerance or 1e-12):
        return "the weights of the trees"
    if getattr(a, "voting", None) != getattr(b, "voting", None):
        return f"voting by {a.voting} against {b.voting}"
    return None


def kind_of(model: Any) -> str:
    """The kind of a model; trees of any estimator are compared as trees."""
    if isinstance(_rules(model), RuleList):
        return "rules"
    if isinstance(getattr(model, "tree_", model), Tree):
        return "a tree"
    if hasattr(model, "estimator_weights_"):
        return "weighted trees"
    if hasattr(model, "trees_"):
        return "a forest"
    raise ArgumentTypeError(
        "diff compares models only",
        got=f"an object of type {type(model).__name__}",
        hint="give trees, lists of rules, or fitted models; from_sklearn reads scikit-learn's.",
    )


def _trees(model: Any) -> Sequence[Tree]:
    single = getattr(model, "tree_", model)
    if isinstance(single, Tree):
        return (single,)
    trees: Sequence[Tree] = model.trees_
    return trees


def _rules(model: Any) -> Any:
    """The list of rules of a model that has one; any other model as it is."""
    return getattr(model, "rules_", model)


# -------------------------------------------------------------------- rules


def _of_rules(mine: RuleList, other: RuleList, tolerance: float) -> str | None:
    """Where two lists of rules differ first."""
    for number, (rule, another) in enumerate(zip(mine.rules, other.rules, strict=False), 1):
        found = _of_rule(rule, another, tolerance)
        if found is None and _fires(mine, rule) != _fires(other, another):
            found = "which only one of them ever uses"
        if found is not None:
            return f"rule {number}, {found}"
    if len(mine) != len(other):
        return f"{len(mine)} rules against {len(other)}"
    if not same_label(mine.default, other.default):
        return f"otherwise {plain(mine.default)} against {plain(other.default)}"
    same = _near(mine.default_weights, other.default_weights, tolerance)
    return None if same else "the class weights where no rule fires"


def _fires(listed: RuleList, rule: Rule) -> bool:
    return rule.accuracy is None or rule.accuracy >= listed.min_accuracy


def _of_rule(rule: Rule, another: Rule, tolerance: float) -> str | None:
    ends, other_ends = _ends(rule), _ends(another)
    if _conditions(rule) != _conditions(another):
        return f"{_words(rule)} against {_words(another)}"
    if not _near(ends, other_ends, tolerance):
        return f"{_words(rule)}: thresholds {ends} against {other_ends}"
    if not same_label(rule.label, another.label):
        return f"{plain(rule.label)} against {plain(another.label)}"
    if not _near(rule.class_weights, another.class_weights, tolerance):
        return f"class weights {rule.class_weights} against {another.class_weights}"
    return None


def _conditions(rule: Rule) -> list[tuple[Any, ...]]:
    """The conditions of a rule without the thresholds."""
    found = []
    for clause in rule.conditions:
        feature = rule.schema.features[clause.feature]
        ends = (clause.low is not None, clause.high is not None)
        labels = None if clause.allowed is None else [feature.categories[c] for c in clause.codes]
        found.append((feature.name, clause.is_missing, ends, labels))
    return found


def _ends(rule: Rule) -> tuple[float, ...]:
    both = [end for clause in rule.conditions for end in (clause.low, clause.high)]
    return tuple(end for end in both if end is not None)


def _words(rule: Rule) -> str:
    shown = shown_schema(rule.schema)
    return " AND ".join(clause.describe(shown) for clause in rule.conditions) or "no condition"


def _near(ours: Sequence[float], others: Sequence[float], tolerance: float) -> bool:
    pairs = zip(ours, others, strict=False)
    return len(ours) == len(others) and all(isclose(x, y, rel_tol=tolerance) for x, y in pairs)


def same_label(one: Label, other: Label) -> bool:
    """Labels are the same if they are equal, or read the same: 1 and "1"."""
    return one == other or str(one) == str(other)
