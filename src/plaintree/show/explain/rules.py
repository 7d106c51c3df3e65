"""Explanations for rule lists: the rule that fires, and the others that the row satisfies."""

from __future__ import annotations

from plaintree.data.encode import encode
from plaintree.data.table import Table
from plaintree.rules.rule import Clause, Rule
from plaintree.rules.rule_list import DEFAULT, RuleList

from .estimate import Estimate
from .explanation import Explanation
from .firing import Firing, OtherRule, Unknown
from .parts import Path, Step
from .probabilities import ClassProbability, class_probabilities
from .values import RowValues


def explain_rules(
    listed: RuleList, table: Table, confidence: float, deviation: float
) -> Explanation:
    """The explanation of the prediction of a rule list for one row."""
    schema = listed.schema
    row = RowValues(schema, table, encode(table, schema, used=listed.used_columns))
    fired = int(listed.fired_codes(row.columns)[0])
    rule = None if fired == DEFAULT else listed[fired]
    prediction = listed.default if rule is None else rule.label
    weights = listed.default_weights if rule is None else rule.class_weights
    weight = sum(weights) if rule is None else rule.weight
    probabilities: tuple[ClassProbability, ...] = ()
    estimate = None
    if schema.classes:
        label = schema.classes.index(prediction)
        probabilities = class_probabilities(schema, weights, label, deviation)
    else:
        estimate = Estimate(float(prediction), None if rule is None else rule.spread)
    path = Path(
        fraction=1.0,
        steps=() if rule is None else tuple(_step(row, clause) for clause in rule.conditions),
        node=None if rule is None else rule.leaf,
        weight=weight,
        probabilities=probabilities,
        estimate=estimate,
    )
    return Explanation(
        prediction=prediction,
        probabilities=probabilities,
        paths=(path,),
        counterfactual=None,
        confidence=confidence,
        estimate=estimate,
        firing=Firing(
            schema=schema,
            n_rules=len(listed),
            position=None if rule is None else fired,
            rule=rule,
            other_rules=tuple(_other_rules(listed, row, fired)),
            unknown=tuple(_unknown(row, listed.rules if rule is None else listed.rules[:fired])),
            default=listed.default,
            min_accuracy=listed.min_accuracy,
        ),
    )


def _step(row: RowValues, clause: Clause) -> Step:
    """A condition of the rule, and the row's value where the condition does not name it."""
    number = clause.feature
    in_intervals = bool(row.schema.features[number].cuts)
    is_named = clause.is_missing or (len(clause.codes) == 1 and not in_intervals)
    return Step(
        node=None,
        feature=row.schema.names[number],
        value=row.value(number),
        condition=clause.describe(row.shown),
        remark="" if is_named else f"it is {row.text(number)}",
        reason="missing" if clause.is_missing else "value",
        fraction=1.0,
    )


def _other_rules(listed: RuleList, row: RowValues, fired: int) -> list[OtherRule]:
    """The rules that the row satisfies, except the one that fires."""
    satisfied = [
        (position, rule)
        for position, rule in enumerate(listed.rules)
        if position != fired and rule.matches(row.columns)[0]
    ]
    return [
        OtherRule(position, rule, "later" if listed.can_fire(rule) else "inaccurate")
        for position, rule in satisfied
    ]


def _unknown(row: RowValues, tried: tuple[Rule, ...]) -> list[Unknown]:
    """The features of the rules without a value in the row, in column order."""
    asked = {c.feature for rule in tried for c in rule.conditions if c.asks_for_value}
    without = [number for number in sorted(asked) if row.is_missing(number)]
    return [Unknown(row.schema.names[number], _why(row, number)) for number in without]


def _why(row: RowValues, number: int) -> str:
    name = row.shown.names[number]
    if row.raw(number) is None:
        return f"{name} is missing"
    return f"{name} is {row.text(number)}, not seen in training"
