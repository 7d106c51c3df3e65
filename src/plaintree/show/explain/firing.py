"""The rule of a list that fires for one row, and the other rules it satisfies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from plaintree.data.schema import Label, Schema
from plaintree.data.words import shown_schema
from plaintree.rules.rule import Rule

RULES_SHOWN = 5
"""In text, the first ones of the other rules. All of them are in the data."""

WhyNot = Literal["later", "inaccurate"]


@dataclass(frozen=True)
class OtherRule:
    """A rule whose conditions the row satisfies, but that does not predict.

    Attributes
    ----------
    position : int
        Its position in the list, counted from 0.
    rule : Rule
        The rule.
    reason : {"later", "inaccurate"}
        Whether it is later in the list than the rule that fires, or never fires because its
        estimated accuracy is below ``min_accuracy``.
    """

    position: int
    rule: Rule
    reason: WhyNot


@dataclass(frozen=True)
class Unknown:
    """A feature with conditions for which the row has no value.

    Attributes
    ----------
    feature : str
        Name of the feature.
    text : str
        Whether the value is missing, or was not seen in training.
    """

    feature: str
    text: str


@dataclass(frozen=True)
class Firing:
    """How a rule list comes to its prediction.

    Attributes
    ----------
    schema : Schema
        Schema of the rule list.
    n_rules : int
        Number of rules.
    position : int or None
        Position of the rule that fires, counted from 0; None if the default class is predicted.
    rule : Rule or None
        That rule, with its support, confidence, class weights and estimated accuracy.
    other_rules : tuple of OtherRule
        Other rules whose conditions the row satisfies, in the order of the list.
    unknown : tuple of Unknown
        Features of earlier rules whose value is missing or was not seen in training, so these
        rules cannot fire.
    default : str, int, float or bool
        The class if no rule fires.
    min_accuracy : float
        See :class:`plaintree.rules.RuleList`.
    """

    schema: Schema
    n_rules: int
    position: int | None
    rule: Rule | None
    other_rules: tuple[OtherRule, ...]
    unknown: tuple[Unknown, ...]
    default: Label
    min_accuracy: float

    # ---------------------------------------------------------------- text

    def reason(self) -> str:
        """Which rule fires, or why none does."""
        if self.position is not None:
            return f"rule {self.position + 1} of {self.n_rules} is the first that fires"
        none = f"none of the {self.n_rules} rules fires"
        few = {0: "there are no rules", 1: "the only rule does not fire"}
        return f"default: {few.get(self.n_rules, none)}"

    def unknown_lines(self) -> Iterator[str]:
        """Why rules could not fire that might have."""
        for unknown in self.unknown:
            yield f"({unknown.text}; rules with a condition on it do not fire.)"

    def rows(self, rows: str | None) -> str:
        """The training rows that the probabilities are from; None if there are none."""
        if self.rule is not None:
            return f"{rows or 'no training rows'} that satisfy the rule"
        return f"{rows} that no rule covers" if rows else "the rules cover all training rows"

    def standing_lines(self) -> Iterator[str]:
        """The accuracy of the rule, and the other rules that the row satisfies."""
        if self.rule is not None and self.rule.accuracy is not None:
            yield f"Estimated accuracy of the rule (pessimistic): {self.rule.accuracy:.1%}"
        later = [other for other in self.other_rules if other.reason == "later"]
        barred = [other for other in self.other_rules if other.reason == "inaccurate"]
        if self.position is not None and not self.other_rules:
            yield from ("", "No other rule fires.")
        if later:
            fire = "1 other rule fires" if len(later) == 1 else f"{len(later)} other rules fire"
            yield from ("", f"{fire}, later in the list:")
            yield from self._rule_lines(later)
        if barred:
            one = len(barred) == 1
            those = "1 rule is" if one else f"{len(barred)} rules are"
            never = f"never {'fires' if one else 'fire'} (estimated accuracy below"
            yield from ("", f"{those} satisfied but {never} {self.min_accuracy:.1%}):")
            yield from self._rule_lines(barred)

    def _rule_lines(self, others: list[OtherRule]) -> Iterator[str]:
        shown = shown_schema(self.schema)
        for other in others[:RULES_SHOWN]:
            yield from (
                f"  {line}" for line in other.rule.lines(shown, None, f"{other.position + 1}. ")
            )
        more = len(others) - RULES_SHOWN
        if more > 0:
            yield f"  and {more} more {'rule' if more == 1 else 'rules'}"

    # ---------------------------------------------------------------- data

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain dictionaries, lists, strings and numbers."""
        return {
            "n_rules": self.n_rules,
            "position": self.position,
            "rule": None if self.rule is None else rule_dict(self.rule),
            "other_rules": [
                {"position": other.position, "reason": other.reason, **rule_dict(other.rule)}
                for other in self.other_rules
            ],
            "unknown": [unknown.feature for unknown in self.unknown],
            "default": self.default,
            "min_accuracy": self.min_accuracy,
        }


def rule_dict(rule: Rule) -> dict[str, Any]:
    """Return a rule as plain strings and numbers; an estimated accuracy only if it has one."""
    return {
        "if": [clause.describe(rule.schema) for clause in rule.conditions],
        "then": rule.label,
        **rule.figures,
        **({} if rule.accuracy is None else {"estimated_accuracy": rule.accuracy}),
        "leaf": rule.leaf,
    }
