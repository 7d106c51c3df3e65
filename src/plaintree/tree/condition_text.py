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
        attribute = schema.features[schema.position(text)]
        if attribute.is_categorical:
            return Multiway(schema.position(text), len(attribute.categories))
        raise _no_test(words, f"a number is tested with a threshold: {text} <= 1.")
    for name in sorted(schema.names, key=len, reverse=True):
        found = _OPERATOR.fullmatch(text, len(name)) if text.startswith(name) else None
        if found:
            column = schema.position(name)
            return _condition_of(column, schema.features[column], found[1], found[2].strip())
    known = f"the attributes are {', '.join(schema.names[:10])}."
    raise _no_test(words, nearest(re.split(r" (?:<=|=|in) ", text)[0], schema.names) or known)


def _condition_of(column: int, attribute: Feature, operator: str, value: str) -> Condition:
    words = f"{attribute.name} {operator} {value}"
    labels = list(map(str, attribute.categories))
    if attribute.is_categorical != (operator != "<="):
        kind = "categories" if attribute.is_categorical else "numbers"
        hint = "use = or in." if attribute.is_categorical else "use <=."
        raise _no_test(words, f"{attribute.name} has {kind}: {hint}")
    if operator == "<=" and value in labels:  # of an order: behind its position
        return Threshold(column, labels.index(value) + 0.5)
    if operator == "<=":
        try:
            return Threshold(column, float(value))
        except ValueError:
            raise _no_test(words, "a threshold is a number.") from None
    inside = value.removeprefix("{").removesuffix("}")
    values = (value,) if operator == "=" else split_values(inside, labels)
    for label in values:
        if label not in labels:
            known = f"the categories are {', '.join(labels[:10])}."
            raise _no_test(words, nearest(label, labels) or known)
    codes = tuple(sorted({labels.index(label) for label in values}))
    return Equals(column, codes[0]) if operator == "=" else Subset(column, codes)


def _no_test(words: str, hint: str) -> ParameterError:
    return ParameterError(
        "the words are no test of the tree's attributes", got=repr(words), hint=hint
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
