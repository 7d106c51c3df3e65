"""An ordered list of rules: the first one that fires answers, and if none does, the default.

A condition on a missing value, or on a category that training did not have, is never satisfied.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .condition import format_value
from .encode import encode
from .one_row import one_row
from .rules import Rule
from .schema import Attribute, Label, Schema
from .table import table_from
from .wording import line_width, plain, shown_schema, weight_text

DEFAULT = -1
"""The number of the rule that fired where none did."""


@dataclass(frozen=True)
class RuleList:
    """Rules in the order in which they are tried, and the class of rows for which none fires.

    - ``rules``: the first one whose conditions a row satisfies answers it.
    - ``default``: the class where none fires; ``default_weights``: the weight of every class among
      the training rows that no rule covers, in the schema's order.
    - ``dropped``: rules that were left out in the end because they did more harm than good.
    - ``least_accuracy``: a rule of lower estimated accuracy never fires.

    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_golf()
    >>> rules = pt.C45RulesClassifier().fit(X, y).rules_
    >>> len(rules), rules.default, rules.predict(X[:3]).tolist(), rules.fired(X[:3]).tolist()
    (4, 'yes', ['no', 'no', 'yes'], [0, 0, 2])
    """

    schema: Schema
    rules: tuple[Rule, ...]
    default: Label
    default_weights: tuple[float, ...]
    dropped: tuple[Rule, ...] = ()
    least_accuracy: float = 0.0

    def __len__(self) -> int:
        return len(self.rules)

    def __getitem__(self, position: int) -> Rule:
        return self.rules[position]

    def __repr__(self) -> str:
        return f"<RuleList of {len(self)} rules, otherwise {self.default!r}>"

    # ---------------------------------------------------------------- answering

    def fired(self, X: Any) -> NDArray[np.int64]:
        """The position of the rule that answers each row of a table; -1 is the default."""
        return self.fired_codes(encode(table_from(X), self.schema))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row of a table."""
        return self.answers(self.fired(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The share of each class among the training rows that the answering rule covers.

        Where no rule fires, among those that no rule covers. The classes stand in the schema's
        order. A rule answers with its own class, even if another has a greater share.
        """
        return self.shares(self.fired(X))

    def fired_codes(self, columns: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
        """:meth:`fired` of columns encoded by the schema."""
        fired = np.full(len(columns[0]), DEFAULT, dtype=np.int64)
        waiting = np.arange(len(fired))
        for position, rule in enumerate(self.rules):
            if not self._can_fire(rule):
                continue
            rows = waiting
            for clause in rule.conditions:
                rows = rows[clause.matches(columns[clause.attribute][rows])]
            fired[rows] = position
            waiting = waiting[fired[waiting] == DEFAULT]
        return fired

    def answers(self, fired: NDArray[np.int64]) -> NDArray[Any]:
        """The classes that rules answer, given by their positions (-1 the default)."""
        classes = np.array(self.schema.classes)
        labels = [*(rule.label for rule in self.rules), self.default]
        codes = np.array([self.schema.classes.index(label) for label in labels])
        return np.asarray(classes[codes[fired]])

    def shares(self, fired: NDArray[np.int64]) -> NDArray[np.float64]:
        """The class shares of rules, given by their positions (-1 the default)."""
        weights = np.array([*(rule.class_weights for rule in self.rules), self.default_weights])
        labels = [*(rule.label for rule in self.rules), self.default]
        for row, label in zip(weights, labels, strict=True):
            if not row.any():  # no training row to tell
                row[self.schema.classes.index(label)] = 1.0
        return np.asarray((weights / weights.sum(axis=1, keepdims=True))[fired])

    def _can_fire(self, rule: Rule) -> bool:
        return rule.accuracy is None or rule.accuracy >= self.least_accuracy

    # ---------------------------------------------------------------- reading

    def explain(self, row: Any) -> str:
        """Which rule answers a row, and the values that make it fire, in words.

        The row is a dict or series by column names, a list of values in column order, or a table
        of one row.

        >>> import plaintree as pt
        >>> X, y = pt.datasets.load_golf()
        >>> print(pt.C45RulesClassifier().fit(X, y).rules_.explain(X[:1]))
        Rule 1 of 4 is the first that fires: no, because
          outlook = sunny
          humidity > 75 (it is 85)
        """
        columns = encode(one_row(row), self.schema)
        position = int(self.fired_codes(columns)[0])
        shown, n = shown_schema(self.schema), len(self)
        if position == DEFAULT:
            none = f"None of the {n} rules fires" if n != 1 else "The only rule does not fire"
            return f"{none if n else 'There are no rules'}: {plain(self.default)} by default."
        rule = self.rules[position]
        lines = [
            f"Rule {position + 1} of {n} is the first that fires: {plain(rule.label)}, because"
        ]
        for clause in rule.conditions:
            value = _value_text(shown.attributes[clause.attribute], columns[clause.attribute][0])
            told = len(clause.codes) == 1 or clause.is_missing  # the condition names the value
            lines.append(f"  {clause.describe(shown)}" + ("" if told else f" (it is {value})"))
        return "\n".join(lines)

    def describe(self, *, width: int | None = None) -> str:
        """The rules in order, one numbered IF ... THEN ... each, wrapped at a width.

        ``width`` is by default the terminal's, or 100 without one.
        """
        columns, shown = line_width(width), shown_schema(self.schema)
        lines: list[str] = []
        for number, rule in enumerate(self.rules, 1):
            lines += rule.lines(shown, columns, lead=f"{number}. ")
            if not self._can_fire(rule):
                lines[-1] += " never fires"
        support = weight_text(sum(self.default_weights))
        lines.append(f"OTHERWISE {plain(self.default)}   (support {support})")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.describe()


def _value_text(attribute: Attribute, value: Any) -> str:
    """A known value of an encoded column as a person writes it."""
    if attribute.is_categorical:
        return str(attribute.categories[int(value)])
    return format_value(attribute, float(value))
