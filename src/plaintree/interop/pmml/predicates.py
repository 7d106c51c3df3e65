"""Branches and clauses as PMML predicates.

A predicate is true, false, or, for a missing value, unknown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from plaintree.data.schema import Feature
from plaintree.errors import TreeError
from plaintree.rules.rule import Clause
from plaintree.tree.condition import Condition, Equals, Grouped, Multiway, Subset, Threshold

from .fields import Field
from .markup import Markup

_PLAIN = re.compile(r"[A-Za-z0-9_.+-]+")
"""Labels that arrays have without quotes; scorers read others in different ways."""
_ARRAY_TYPES = {"string": "string", "integer": "int", "double": "real"}


@dataclass(frozen=True)
class Test:
    """A comparison of a field with a value, or a question whether it is missing."""

    field: str
    operator: str
    value: str | None = None


@dataclass(frozen=True)
class OneOf:
    """Whether a field has one of several values, or with ``negated`` none of them."""

    field: Field
    values: tuple[str, ...]
    negated: bool = False


@dataclass(frozen=True)
class Joined:
    """Predicates joined by "and" or "or", or by "surrogate": the first that is not unknown."""

    operator: str
    parts: tuple[Predicate, ...]


@dataclass(frozen=True)
class Constant:
    """A predicate that is always true or always false."""

    value: bool


Predicate = Test | OneOf | Joined | Constant


def branch_predicate(
    condition: Condition, branch: int, field: Field, attribute: Feature, *, closed: bool
) -> Predicate:
    """A branch of a condition.

    With ``closed`` a value that is not a category of the feature satisfies no branch; otherwise it
    may satisfy "is not in". Such values are mostly turned into missing ones before.
    """
    if branch == condition.n_branches:
        return Test(field.name, "isMissing")
    if isinstance(condition, Threshold):
        if attribute.kind == "ordered":
            return _codes(field, _ordered_codes(condition.threshold, branch, len(field.categories)))
        operator = ("lessOrEqual", "greaterThan")[branch]
        return Test(field.name, operator, repr(condition.threshold))
    if isinstance(condition, Multiway):
        return _codes(field, (branch,))
    if isinstance(condition, Grouped):
        return _codes(field, condition.categories_of(branch))
    if isinstance(condition, Equals):
        inside: tuple[int, ...] = (condition.category,)
    elif isinstance(condition, Subset):
        inside = condition.categories
    else:
        raise TreeError("PMML has no such condition", got=type(condition).__name__)
    if branch == 1 and closed:
        return _codes(field, [c for c in range(len(field.categories)) if c not in set(inside)])
    return _codes(field, inside, negated=branch == 1)


def with_codes(predicate: Predicate, field: Field, codes: Sequence[int]) -> Predicate:
    """Extend a predicate by further categories."""
    return Joined("or", (predicate, _codes(field, codes))) if codes else predicate


def known_only(predicate: Predicate, field: Field) -> Predicate:
    """The predicate, false where the value is missing."""
    return Joined("and", (Test(field.name, "isNotMissing"), predicate))


def or_missing(predicate: Predicate, field: Field) -> Predicate:
    """The predicate, true where the value is missing."""
    return Joined("or", (Test(field.name, "isMissing"), predicate))


def by_surrogates(
    splits: Sequence[tuple[Condition, int]],
    fields: Sequence[Field],
    features: Sequence[Feature],
    last: bool,
    *,
    as_is: bool,
) -> Predicate:
    """The branch by the first of some conditions that decides a row; ``last`` if none does.

    Each condition comes with its own branch. A category without a branch makes no predicate
    unknown; nor does an unseen one with ``as_is``, except that the first condition is false then.
    """
    predicate: Predicate = Constant(last)
    for place, (condition, branch) in reversed(list(enumerate(splits))):
        field, feature = fields[condition.feature], features[condition.feature]
        unseen = as_is and feature.is_categorical and not feature.cuts
        own = branch_predicate(condition, branch, field, feature, closed=unseen)
        stray = condition.categories_of(-1) if isinstance(condition, Grouped) else ()
        if stray or (unseen and place > 0):
            undecided = _codes(field, stray)
            if unseen and place > 0:
                decided = set(range(len(field.categories))) - set(stray)
                undecided = _codes(field, sorted(decided), negated=True)
            on = Joined("and", (or_missing(undecided, field), predicate))
            predicate = Joined("or", (known_only(own, field), on))
        elif isinstance(predicate, Joined) and predicate.operator == "surrogate":
            predicate = Joined("surrogate", (own, *predicate.parts))
        else:
            predicate = Joined("surrogate", (own, predicate))
    return predicate


def clause_predicates(clause: Clause, field: Field, attribute: Feature) -> list[Predicate]:
    """Return the predicates of a clause of a rule; all must be true."""
    asked: list[Predicate] = [Test(field.name, "isMissing")] if clause.is_missing else []
    if clause.allowed is not None:
        asked.append(_codes(field, clause.codes))
    for threshold, branch in ((clause.low, 1), (clause.high, 0)):
        if threshold is not None:
            condition = Threshold(clause.feature, threshold)
            asked.append(branch_predicate(condition, branch, field, attribute, closed=True))
    return asked


def _ordered_codes(threshold: float, branch: int, n: int) -> list[int]:
    return [code for code in range(n) if (code > threshold) == (branch == 1)]


def _codes(field: Field, codes: Sequence[int], *, negated: bool = False) -> Predicate:
    """Whether the field is one of some categories, given by their codes."""
    return OneOf(field, tuple(field.categories[code] for code in codes), negated)


# -------------------------------------------------------------------- writing


def write_predicate(out: Markup, predicate: Predicate) -> None:
    """Write a predicate, with a stack instead of recursion."""
    waiting: list[Predicate | None] = [predicate]
    while waiting:
        part = waiting.pop()
        if part is None:
            out.end()
        elif isinstance(part, Test):
            out.empty("SimplePredicate", field=part.field, operator=part.operator, value=part.value)
        elif isinstance(part, Constant):
            out.empty(str(part.value))
        elif isinstance(part, Joined):
            out.start("CompoundPredicate", booleanOperator=part.operator)
            waiting += [None, *reversed(part.parts)]
        else:
            waiting += _write_set(out, part)


def _write_set(out: Markup, part: OneOf) -> list[Predicate]:
    """Write a set of values, or give the comparisons to write in its stead."""
    name, values = part.field.name, part.values
    comparison = "notEqual" if part.negated else "equal"
    if not values:  # no value satisfies both, and a missing one leaves it unknown
        first = part.field.categories[0]
        return [Joined("and", (Test(name, "equal", first), Test(name, "notEqual", first)))]
    if len(values) == 1:
        return [Test(name, comparison, values[0])]
    type_ = _ARRAY_TYPES.get(part.field.type_)
    if type_ is None or not all(map(_PLAIN.fullmatch, values)):
        tests = tuple(Test(name, comparison, value) for value in values)
        return [Joined("and" if part.negated else "or", tests)]
    operator = "isNotIn" if part.negated else "isIn"
    out.start("SimpleSetPredicate", field=name, booleanOperator=operator)
    out.text("Array", " ".join(values), type=type_, n=len(values))
    out.end()
    return []
