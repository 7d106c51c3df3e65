"""Rule lists in model files: writing, reading and validation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from plaintree.data.schema import Schema
from plaintree.errors import ModelFileError
from plaintree.rules.rule import Clause, Rule
from plaintree.rules.rule_list import RuleList
from plaintree.tree.task import needs_classes

from .values import (
    as_any_number,
    as_flag,
    as_list,
    as_number,
    as_object,
    as_whole,
    refuse,
    written_number,
)

MOST_BITS = 2**31
"""Maximum bits in the sets of categories of all rules: a set takes a bit per category from its
first to its last, however few it has in between."""
_LIST_KEYS = ("rules", "default", "default_weights", "dropped", "least_accuracy")
_RULE_KEYS = ("conditions", "class", "weight", "confidence", "class_weights", "leaf")


# -------------------------------------------------------------------- out


def written_rules(rules: RuleList) -> dict[str, Any]:
    """The rules as plain values; classes are positions in the schema's list."""
    needs_classes(rules.schema, "the model file of a rule list", ModelFileError)
    position = {label: code for code, label in enumerate(rules.schema.classes)}
    return {
        "rules": [_written_rule(rule, position) for rule in rules.rules],
        "default": position[rules.default],
        "default_weights": list(map(float, rules.default_weights)),
        "dropped": [_written_rule(rule, position) for rule in rules.dropped],
        "least_accuracy": written_number(float(rules.min_accuracy)),
    }


def _written_rule(rule: Rule, position: dict[Any, int]) -> dict[str, Any]:
    written: dict[str, Any] = {
        "conditions": [_written_clause(clause) for clause in rule.conditions],
        "class": position[rule.label],
        "weight": float(rule.weight),
        "confidence": float(rule.confidence),
        "class_weights": list(map(float, rule.class_weights)),
        "leaf": int(rule.leaf),
    }
    if rule.accuracy is not None:
        written["accuracy"] = float(rule.accuracy)
    if rule.number is not None:
        written["number"] = int(rule.number)
    return written


def _written_clause(clause: Clause) -> dict[str, Any]:
    written: dict[str, Any] = {"attribute": int(clause.feature)}
    if clause.low is not None:
        written["above"] = written_number(float(clause.low))
    if clause.high is not None:
        written["at_most"] = written_number(float(clause.high))
    if clause.allowed is not None:
        written["categories"] = list(clause.codes)
    if clause.is_missing:
        written["is_missing"] = True
    return written


# -------------------------------------------------------------------- in


def as_rules(value: Any, schema: Schema) -> RuleList:
    """The inverse of :func:`written_rules`."""
    data = as_object(value, "the rules", _LIST_KEYS)
    given = as_list(data["rules"], "the rules, rules")
    dropped = as_list(data["dropped"], "the rules, dropped")
    default = as_whole(data["default"], "the rules, default", 0, len(schema.classes) - 1)
    least = as_any_number(data["least_accuracy"], "the rules, least_accuracy")
    if math.isnan(least):
        refuse("the rules, least_accuracy", "a number", None)
    _check_sets(given + dropped)
    return RuleList(
        schema=schema,
        rules=tuple(_rule(rule, schema, f"rule {i}") for i, rule in enumerate(given)),
        default=schema.classes[default],
        default_weights=_weights(data["default_weights"], schema, "the rules, default_weights"),
        dropped=tuple(_rule(rule, schema, f"dropped rule {i}") for i, rule in enumerate(dropped)),
        min_accuracy=least,
    )


def _check_sets(rules: list[Any]) -> None:
    """Refuse sets of categories that would take far more memory than they do in the file."""
    n_bits = 0
    for rule in rules:
        data = as_object(rule, "a rule", _RULE_KEYS, ("accuracy", "number"))
        for clause in as_list(data["conditions"], "a rule, conditions"):
            codes = clause.get("categories") if isinstance(clause, dict) else None
            if codes and isinstance(codes, list):
                first, last = (as_whole(codes[i], "a rule, categories") for i in (0, -1))
                n_bits += max(last - first, 0)
    if n_bits > MOST_BITS:
        refuse("the size of the rules' sets of categories", f"at most {MOST_BITS} bits", n_bits)


def _rule(value: Any, schema: Schema, where: str) -> Rule:
    data = as_object(value, where, _RULE_KEYS, ("accuracy", "number"))
    clauses = as_list(data["conditions"], f"{where}, conditions")
    conditions = tuple(_clause(clause, schema, f"{where}, a condition") for clause in clauses)
    if len({clause.feature for clause in conditions}) < len(conditions):
        refuse(f"{where}, conditions", "about a feature once each", data["conditions"])
    label = as_whole(data["class"], f"{where}, class", 0, len(schema.classes) - 1)
    accuracy, number = data.get("accuracy"), data.get("number")
    return Rule(
        conditions=conditions,
        label=schema.classes[label],
        weight=as_number(data["weight"], f"{where}, weight"),
        confidence=as_number(data["confidence"], f"{where}, confidence"),
        class_weights=_weights(data["class_weights"], schema, f"{where}, class_weights"),
        leaf=as_whole(data["leaf"], f"{where}, leaf", -1, 2**31 - 1),
        schema=schema,
        accuracy=None if accuracy is None else as_number(accuracy, f"{where}, accuracy"),
        number=None if number is None else as_whole(number, f"{where}, number", 0, 2**31 - 1),
    )


def _weights(value: Any, schema: Schema, where: str) -> tuple[float, ...]:
    given = as_list(value, where, len(schema.classes))
    return tuple(as_number(weight, where) for weight in given)


def _clause(value: Any, schema: Schema, where: str) -> Clause:
    data = as_object(value, where, ("attribute",), ("above", "at_most", "categories", "is_missing"))
    attribute = as_whole(data["attribute"], f"{where}, feature", 0, len(schema.features) - 1)
    categorical = schema.features[attribute].is_categorical
    ends = {
        key: as_any_number(data[key], f"{where}, {key}")
        for key in data
        if key in ("above", "at_most")
    }
    if any(map(math.isnan, ends.values())) or (ends and categorical):
        refuse(where, "an interval of numbers", None)
    if "categories" in data and not categorical:
        refuse(where, "about a number (its feature is numeric)", None)
    missing = as_flag(data.get("is_missing", False), f"{where}, is_missing")
    if not (ends or "categories" in data or missing):
        refuse(where, "a condition with a bound or a set", None)
    low, high = ends.get("above"), ends.get("at_most")
    if "categories" not in data:
        return Clause(attribute, low, high, is_missing=missing)
    n_categories = len(schema.features[attribute].categories)
    codes = [
        as_whole(code, f"{where}, categories", 0, n_categories - 1)
        for code in as_list(data["categories"], f"{where}, categories")
    ]
    if codes != sorted(set(codes)):
        refuse(f"{where}, categories", "a list of different codes in order", None)
    offset = codes[0] if codes else 0
    return Clause(
        attribute,
        allowed=_with_bits([code - offset for code in codes]),
        offset=offset,
        n_categories=n_categories,
        is_missing=missing,
    )


def _with_bits(places: list[int]) -> int:
    """The number that has ones at these places, which are in order."""
    bits = np.zeros(places[-1] + 1 if places else 0, dtype=np.uint8)
    bits[places] = 1
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")
