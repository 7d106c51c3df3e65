"""Rule lists as RuleSetModel elements: the first rule that fires predicts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plaintree.rules.rule import Rule

from .fields import Fields, label_text
from .markup import Markup
from .predicates import Joined, clause_predicates, write_predicate

if TYPE_CHECKING:
    from plaintree.rules.rule_list import RuleList


def write_rule_set(out: Markup, fields: Fields, rules: RuleList) -> None:
    """Open a RuleSetModel element and write all but its end."""
    out.start("RuleSetModel", modelName="plaintree", functionName="classification")
    fields.write_schema(out, rules)
    fields.write_output(out, probabilities=False)
    default = sum(rules.default_weights)
    confidence = rules.default_weights[rules.schema.classes.index(rules.default)]
    out.start(
        "RuleSet",
        defaultScore=label_text(rules.default, fields.target_type),
        defaultConfidence=repr(confidence / default if default else 1.0),
    )
    out.empty("RuleSelectionMethod", criterion="firstHit")
    for number, rule in enumerate(rules.rules, 1):
        if rule.accuracy is None or rule.accuracy >= rules.min_accuracy:
            _write_rule(out, fields, rule, number)
    out.end()


def _write_rule(out: Markup, fields: Fields, rule: Rule, number: int) -> None:
    position = rule.schema.classes.index(rule.label)
    out.start(
        "SimpleRule",
        id=number,
        score=label_text(rule.label, fields.target_type),
        recordCount=repr(rule.weight),
        nbCorrect=repr(rule.class_weights[position]),
        confidence=repr(rule.confidence),
        weight=repr(rule.confidence if rule.accuracy is None else rule.accuracy),
    )
    asked = [
        predicate
        for clause in rule.conditions
        for predicate in clause_predicates(
            clause, fields.tested[clause.feature], fields.schema.features[clause.feature]
        )
    ]
    if not asked:
        out.empty("True")
    else:
        write_predicate(out, asked[0] if len(asked) == 1 else Joined("and", tuple(asked)))
    for label, weight in zip(fields.classes, rule.class_weights, strict=True):
        out.empty("ScoreDistribution", value=label, recordCount=repr(weight))
    out.end()
