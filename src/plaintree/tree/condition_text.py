"""Parsing of conditions from text, in the form in which trees are printed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from plaintree.data.schema import Feature, Schema
from plaintree.errors import ParameterError, nearest

from .condition import Condition, Equals, Multiway, Subset, Threshold

_OPERATOR = re.compile(r" (<=|=|in) (.*)")


def condition_from(schema: Schema, words: str) -> Condition:
    """Parse a condition from text, in the form in which trees are printed.

    >>> from plaintree.data.schema import Feature, Schema
    >>> schema = Schema((Feature("humidity", "numeric"),), ("No", "Yes"))
    >>> condition_from(schema, "humidity <= 75")
    Threshold(feature=0, threshold=75.0)
    """
    text = words.strip()
    if text in schema.names:
        feature = schema.features[schema.position(text)]
        if feature.is_categorical:
            return Multiway(schema.position(text), len(feature.categories))
        raise _not_a_condition(words, f"{text} is numeric, so give a threshold: {text} <= 1.")
    for name in sorted(schema.names, key=len, reverse=True):
        found = _OPERATOR.fullmatch(text, len(name)) if text.startswith(name) else None
        if found:
            column = schema.position(name)
            return _condition_of(column, schema.features[column], found[1], found[2].strip())
    known = f"the features are {', '.join(schema.names[:10])}."
    raise _not_a_condition(
        words, nearest(re.split(r" (?:<=|=|in) ", text)[0], schema.names) or known
    )


def _condition_of(column: int, feature: Feature, operator: str, value: str) -> Condition:
    words = f"{feature.name} {operator} {value}"
    labels = list(map(str, feature.categories))
    if feature.is_categorical != (operator != "<="):
        kind = "categories" if feature.is_categorical else "numbers"
        hint = "use = or in." if feature.is_categorical else "use <=."
        raise _not_a_condition(words, f"{feature.name} has {kind}: {hint}")
    if operator == "<=" and value in labels:  # an ordered category: after its position
        return Threshold(column, labels.index(value) + 0.5)
    if operator == "<=":
        try:
            return Threshold(column, float(value))
        except ValueError:
            raise _not_a_condition(words, "a threshold must be a number.") from None
    inside = value.removeprefix("{").removesuffix("}")
    values = (value,) if operator == "=" else split_values(inside, labels)
    for label in values:
        if label not in labels:
            known = f"the categories are {', '.join(labels[:10])}."
            raise _not_a_condition(words, nearest(label, labels) or known)
    codes = tuple(sorted({labels.index(label) for label in values}))
    return Equals(column, codes[0]) if operator == "=" else Subset(column, codes)


def _not_a_condition(words: str, hint: str) -> ParameterError:
    return ParameterError(
        "the text is not a condition on a feature of the tree", got=repr(words), hint=hint
    )


def split_values(text: str, known: Sequence[str]) -> tuple[str, ...]:
    """Values with commas between; a known value may have a comma inside.

    >>> split_values("a,b, or c,d", ["a", "b, or c"])
    ('a', 'b, or c', 'd')
    """
    values, at = [], 0
    longest_first = sorted(known, key=len, reverse=True)
    while at <= len(text):
        fitting = (v for v in longest_first if text.startswith(v, at))
        whole = next((v for v in fitting if text[at + len(v) : at + len(v) + 1] in ("", ",")), None)
        value = text[at:].split(",", 1)[0] if whole is None else whole
        values.append(value.strip())
        at += len(value) + 1
    return tuple(values)
