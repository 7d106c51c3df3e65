"""Which rule of a list answers one row, and which others fire, as data and in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from plaintree.data.schema import Label, Schema
from plaintree.data.words import plain, shown_schema
from plaintree.rules.rule import Rule

RULES_SHOWN = 5
"""In text; the first ones of those that fire and lose. All of them are in the data."""

Loss = Literal["later", "inaccurate"]


@dataclass(frozen=True)
class Loser:
    """A rule whose conditions the row satisfies, but that does not answer.

    - ``position``: its place in the list, counted from 0;
    - ``reason``: it stands "later" than the rule that answers, or its estimated accuracy is below
      the least one that the list asks for ("inaccurate"), so that it never fires.
    """

    position: int
    rule: Rule
    reason: Loss


@dataclass(frozen=True)
class Unknown:
    """An attribute that rules ask for and the row has no value of; ``text`` says why."""

    feature: str
    text: str


@dataclass(frozen=True)
class Firing:
    """How a list of rules comes to its answer.

    - ``position``: of the rule that answers, counted from 0; None where the default does;
    - ``rule``: that rule, with its support, confidence, class weights and estimated accuracy;
    - ``losers``: the other rules whose conditions the row satisfies, in the order of the list;
    - ``unknown``: attributes that rules before the answer ask for, and whose value is missing or
      unknown to training, so that these rules cannot fire;
    - ``n_rules``: all of them; ``default``: the class where none fires; ``least_accuracy``: see
      :class:`plaintree.rules.RuleList`.
    """

    schema: Schema
    n_rules: int
    position: int | None
    rule: Rule | None
    losers: tuple[Loser, ...]
    unknown: tuple[Unknown, ...]
    default: Label
    least_accuracy: float

    # ---------------------------------------------------------------- words

    def headline(self, answer: Label, *, conditions: bool) -> str:
        """The answer, and who gives it; the rule's conditions follow, if it has some."""
        if self.position is not None:
            which = f"rule {self.position + 1} of {self.n_rules} is the first that fires"
            return f"The answer is {plain(answer)}: {which}{', because' if conditions else '.'}"
        none = f"none of the {self.n_rules} rules fires"
        few = {0: "there are no rules", 1: "the only rule does not fire"}
        return f"The answer is {plain(answer)} by default: {few.get(self.n_rules, none)}."

    def unknown_lines(self) -> Iterator[str]:
        """Why rules could not fire that might have."""
        for unknown in self.unknown:
            yield f"({unknown.text}: rules that ask for it do not fire.)"

    def rows(self, rows: str | None) -> str:
        """The words before the class shares of so many training rows, if there are some."""
        if self.rule is not None:
            return f"Of {rows} that satisfy it:" if rows else "No training rows satisfy it:"
        if rows:
            return f"Of {rows} that no rule covers:"
        return "The rules cover all training rows, so that none tells of the default:"

    def standing_lines(self) -> Iterator[str]:
        """What the rule is worth, and the others that the row satisfies."""
        if self.rule is not None and self.rule.accuracy is not None:
            yield f"The rule's estimated accuracy, a pessimistic one, is {self.rule.accuracy:.1%}."
        later = [loser for loser in self.losers if loser.reason == "later"]
        barred = [loser for loser in self.losers if loser.reason == "inaccurate"]
        if self.position is not None and not self.losers:
            yield from ("", "No other rule fires.")
        if later:
            fire = "1 rule fires" if len(later) == 1 else f"{len(later)} rules fire"
            yield from ("", f"{fire} as well, but later in the list:")
            yield from self._rule_lines(later)
        if barred:
            those = "1 rule" if len(barred) == 1 else f"{len(barred)} rules"
            least = f"{self.least_accuracy:.1%}"
            yield from ("", f"{those} would fire, but for an estimated accuracy below {least}:")
            yield from self._rule_lines(barred)

    def _rule_lines(self, losers: list[Loser]) -> Iterator[str]:
        shown = shown_schema(self.schema)
        for loser in losers[:RULES_SHOWN]:
            yield from (
                f"  {line}" for line in loser.rule.lines(shown, None, f"{loser.position + 1}. ")
            )
        more = len(losers) - RULES_SHOWN
        if more > 0:
            yield f"  and {more} {'rule' if more == 1 else 'rules'} more"

    # ---------------------------------------------------------------- data

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain dictionaries, lists, texts and numbers."""
        return {
            "n_rules": self.n_rules,
            "position": self.position,
            "rule": None if self.rule is None else rule_dict(self.rule),
            "losers": [
                {"position": loser.position, "reason": loser.reason, **rule_dict(loser.rule)}
                for loser in self.losers
            ],
            "unknown": [unknown.feature for unknown in self.unknown],
            "default": self.default,
            "least_accuracy": self.least_accuracy,
        }


def rule_dict(rule: Rule) -> dict[str, Any]:
    """A rule as plain texts and numbers; an estimated accuracy only where there is one."""
    return {
        "if": [clause.describe(rule.schema) for clause in rule.conditions],
        "then": rule.label,
        "support": rule.weight,
        "confidence": rule.confidence,
        **({} if rule.accuracy is None else {"estimated_accuracy": rule.accuracy}),
        "leaf": rule.leaf,
    }
