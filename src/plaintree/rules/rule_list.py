"""An ordered list of rules: the first one that fires answers, and if none does, the default.

A condition on a missing value, or on a category that training did not have, is never satisfied.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from plaintree.data.encode import encode
from plaintree.data.renaming import renamed
from plaintree.data.row_forms import frame_of
from plaintree.data.schema import Label, Schema
from plaintree.data.table import table_from
from plaintree.data.target import label_array
from plaintree.data.words import line_width, plain, shown_schema, weight_text

from .rule import Rule

if TYPE_CHECKING:
    import polars

    from plaintree.show.explain.explanation import Explanation

DEFAULT = -1
"""The number of the rule that fired where none did."""


@dataclass(frozen=True)
class RuleList(Sequence[Rule]):
    """Rules in the order in which they are tried, and the class of rows for which none fires.

    - ``rules``: the first one whose conditions a row satisfies answers it.
    - ``default``: the class where none fires; ``default_weights``: the weight of every class among
      the training rows that no rule covers, in the schema's order.
    - ``dropped``: rules that were left out in the end because they did more harm than good.
    - ``min_accuracy``: a rule of lower estimated accuracy never fires.

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
    min_accuracy: float = 0.0

    def __len__(self) -> int:
        return len(self.rules)

    @overload
    def __getitem__(self, position: int) -> Rule: ...
    @overload
    def __getitem__(self, position: slice) -> tuple[Rule, ...]: ...
    def __getitem__(self, position: int | slice) -> Rule | tuple[Rule, ...]:
        return self.rules[position]

    def __repr__(self) -> str:
        return f"<RuleList of {len(self)} rules, otherwise {self.default!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        # What columns hold that no rule asks about is not written.
        schema, *others = (getattr(self, f.name) for f in fields(self))
        return type(self), (schema.with_values_of(self.shown_columns()), *others)

    # ---------------------------------------------------------------- answering

    def used_columns(self) -> frozenset[int]:
        """The numbers of the columns that some rule asks about; a row needs no others."""
        return _asked(self.rules)

    def shown_columns(self) -> frozenset[int]:
        """The numbers of the columns of all rules, with those that were dropped."""
        return _asked((*self.rules, *self.dropped))

    def fired(self, X: Any) -> NDArray[np.int64]:
        """The position of the rule that answers each row of a table; -1 is the default."""
        return self.fired_codes(encode(table_from(X), self.schema, used=self.used_columns))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row of a table."""
        return self.classes_of(self.fired(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The share of each class among the training rows that the answering rule covers.

        Where no rule fires, among those that no rule covers. The classes stand in the schema's
        order. A rule answers with its own class, even if another has a greater share.
        """
        return self.probabilities_of(self.fired(X))

    def fired_codes(self, columns: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
        """:meth:`fired` of columns encoded by the schema."""
        fired = np.full(len(columns[0]), DEFAULT, dtype=np.int64)
        waiting = np.arange(len(fired))
        for position, rule in enumerate(self.rules):
            if not self.can_fire(rule):
                continue
            rows = waiting
            for clause in rule.conditions:
                rows = rows[clause.matches(columns[clause.feature][rows])]
            fired[rows] = position
            waiting = waiting[fired[waiting] == DEFAULT]
        return fired

    def classes_of(self, fired: NDArray[np.int64]) -> NDArray[Any]:
        """The classes that rules answer, given by their positions (-1 the default)."""
        classes = label_array(self.schema.classes)
        labels = [*(rule.label for rule in self.rules), self.default]
        codes = np.array([self.schema.classes.index(label) for label in labels])
        return np.asarray(classes[codes[fired]])

    def probabilities_of(self, fired: NDArray[np.int64]) -> NDArray[np.float64]:
        """The class shares of rules, given by their positions (-1 the default)."""
        weights = np.array([*(rule.class_weights for rule in self.rules), self.default_weights])
        labels = [*(rule.label for rule in self.rules), self.default]
        for row, label in zip(weights, labels, strict=True):
            if not row.any():  # no training row to tell
                row[self.schema.classes.index(label)] = 1.0
        return np.asarray((weights / weights.sum(axis=1, keepdims=True))[fired])

    def can_fire(self, rule: Rule) -> bool:
        """Whether a rule's estimated accuracy is high enough for it ever to answer."""
        return rule.accuracy is None or rule.accuracy >= self.min_accuracy

    # ---------------------------------------------------------------- reading

    def renamed(self, feature_names: Any = None, class_names: Any = None) -> RuleList:
        """Return the list under other names; see :func:`plaintree.data.renaming.renamed`."""
        schema = renamed(self.schema, feature_names, class_names)
        if schema is self.schema:
            return self
        labels = dict(zip(self.schema.classes, schema.classes, strict=True))
        rules, dropped = (
            tuple(replace(rule, label=labels[rule.label], schema=schema) for rule in some)
            for some in (self.rules, self.dropped)
        )
        default = labels[self.default]
        return replace(self, schema=schema, rules=rules, dropped=dropped, default=default)

    def explain(self, row: Any, **options: Any) -> Explanation:
        """Which rule answers a row, and why; see :func:`plaintree.explain`.

        The row is a dict or series by column names, a list of values in column order, or a table
        of one row.

        >>> import plaintree as pt
        >>> X, y = pt.datasets.load_golf()
        >>> print(pt.C45RulesClassifier().fit(X, y).rules_.explain(X[:1]))
        Prediction: no (rule 1 of 4 is the first that fires)
        Conditions:
          outlook = sunny
          humidity > 75 (it is 85)
        Class probabilities (3 training rows that satisfy the rule):
          no   100%   (44% to 100%)
          yes    0%   (0% to 56%)
        (95% Wilson intervals. They are optimistic: the rules were fitted to these
            rows.)
        Estimated accuracy of the rule (pessimistic): 63.0%
        <BLANKLINE>
        No other rule fires.
        """
        from plaintree.show.explain.explain import explain

        return explain(self, row, **options)

    def describe(self, *, width: int | None = None) -> str:
        """The rules in order, one numbered IF ... THEN ... each, wrapped at a width.

        ``width`` is by default the terminal's, or 100 without one.
        """
        columns, shown = line_width(width), shown_schema(self.schema)
        lines: list[str] = []
        for number, rule in enumerate(self.rules, 1):
            lines += rule.lines(shown, columns, lead=f"{number}. ")
            if not self.can_fire(rule):
                lines[-1] += " never fires"
        support = weight_text(sum(self.default_weights))
        lines.append(f"OTHERWISE {plain(self.default)}   (support {support})")
        return "\n".join(lines)

    def rows(self) -> list[dict[str, Any]]:
        """Return the rules that can fire as rows of a table; the last row is the default."""
        shown, estimated = shown_schema(self.schema), "estimated_accuracy"
        rows = [
            {**rule.row(number, shown), estimated: rule.accuracy}
            for number, rule in enumerate(self.rules, 1)
            if self.can_fire(rule)
        ]
        support = sum(self.default_weights)
        own = self.default_weights[self.schema.classes.index(self.default)]
        default = {"rule": None, "if": "otherwise", "then": self.default, "support": support}
        confidence = own / support if support else 0.0
        return [*rows, {**default, "confidence": confidence, estimated: None}]

    def to_frame(self) -> polars.DataFrame:
        """Return the rules that can fire as a polars DataFrame; the last row is the default.

        Returns
        -------
        polars.DataFrame
            The columns rule, if, then, support, confidence and estimated_accuracy.

        Examples
        --------
        >>> import plaintree as pt
        >>> X, y = pt.datasets.load_golf()
        >>> pt.C45RulesClassifier().fit(X, y).rules_.to_frame()["then"].to_list()
        ['no', 'no', 'yes', 'yes', 'yes']
        """
        return frame_of(self.rows())

    def __str__(self) -> str:
        return self.describe()


def _asked(rules: Sequence[Rule]) -> frozenset[int]:
    return frozenset(clause.feature for rule in rules for clause in rule.conditions)
