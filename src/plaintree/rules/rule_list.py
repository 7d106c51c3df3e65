"""Ordered rule lists: the first rule that fires predicts, or else the default class or number.

A condition on a missing value, or on a category not seen in training, is never satisfied.
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
from plaintree.data.words import line_width, prediction_text, shown_schema, weight_text
from plaintree.tree.task import needs_classes

from .rule import Rule

if TYPE_CHECKING:
    import polars

    from plaintree.show.explain.explanation import Explanation

DEFAULT = -1
"""The position that stands for no rule."""


@dataclass(frozen=True)
class RuleList(Sequence[Rule]):
    """An ordered sequence of rules with a default class, or a default number.

    Attributes
    ----------
    schema : Schema
        The features and classes.
    rules : tuple of Rule
        The rules in order. The first one whose conditions a row satisfies predicts its class, or
        its number.
    default : str, int, float or bool
        The class if no rule fires, or the number.
    default_weights : tuple of float
        The weight of every class among the training rows that no rule covers, in the order of
        ``classes_``. For a numeric target, the weight of these rows as the only entry.
    dropped : tuple of Rule
        Rules that were left out because they cause more errors than they avoid.
    min_accuracy : float
        A rule with a lower estimated accuracy never fires.

    Examples
    --------
    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_golf()
    >>> rules = pt.C45RulesClassifier().fit(X, y).rules_
    >>> len(rules), rules.default, rules.predict(X[:3]).tolist(), rules.fired(X[:3]).tolist()
    (4, 'yes', ['no', 'no', 'yes'], [0, 0, 2])

    The rules of a regression tree, with a default for rows that no rule covers:

    >>> tree = pt.CARTRegressor(max_depth=1).fit([[1], [2], [8], [9]], [10, 14, 30, 32]).tree_
    >>> kept = tuple(pt.rules_of(tree)[:1])
    >>> listed = pt.rules.RuleList(tree.schema, kept, default=31.0, default_weights=(2.0,))
    >>> listed.predict([[3], [7]]).tolist()
    [12.0, 31.0]
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
        # Categories of columns without a condition are not written.
        schema, *others = (getattr(self, f.name) for f in fields(self))
        return type(self), (schema.with_values_of(self.shown_columns()), *others)

    # ---------------------------------------------------------------- prediction

    def used_columns(self) -> frozenset[int]:
        """Return the numbers of the columns with conditions; a row needs no others."""
        return _asked(self.rules)

    def shown_columns(self) -> frozenset[int]:
        """Return the numbers of the columns of all rules, dropped ones included."""
        return _asked((*self.rules, *self.dropped))

    def fired(self, X: Any) -> NDArray[np.int64]:
        """Return the position of the rule that fires for each row; -1 for the default.

        Parameters
        ----------
        X : table
            Rows with the columns of the training table.

        Returns
        -------
        ndarray of int
            One entry per row.
        """
        return self.fired_codes(encode(table_from(X), self.schema, used=self.used_columns))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class, or the number, of each row.

        Parameters
        ----------
        X : table
            Rows with the columns of the training table.

        Returns
        -------
        ndarray
            One label or number per row.
        """
        return self.classes_of(self.fired(X))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Predict the class probabilities of each row.

        They are the class proportions among the training rows that the rule that fires covers; if
        none fires, among those that no rule covers. A rule predicts its own class, even if another
        one has a higher probability.

        Parameters
        ----------
        X : table
            Rows with the columns of the training table.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            The classes are in the order of ``classes_``.

        Raises
        ------
        ParameterError
            If the rules predict numbers.
        """
        needs_classes(self.schema, "predict_proba")
        return self.probabilities_of(self.fired(X))

    def fired_codes(self, columns: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
        """Return :meth:`fired` for columns encoded by the schema."""
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
        """Return the classes or numbers of rules, given by their positions (-1: the default)."""
        labels = [*(rule.label for rule in self.rules), self.default]
        if not self.schema.classes:
            return np.array(labels, dtype=np.float64)[fired]
        classes = label_array(self.schema.classes)
        codes = np.array([self.schema.classes.index(label) for label in labels])
        return np.asarray(classes[codes[fired]])

    def probabilities_of(self, fired: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the class probabilities of rules, given by their positions (-1: the default)."""
        weights = np.array([*(rule.class_weights for rule in self.rules), self.default_weights])
        labels = [*(rule.label for rule in self.rules), self.default]
        for row, label in zip(weights, labels, strict=True):
            if not row.any():  # without training rows
                row[self.schema.classes.index(label)] = 1.0
        return np.asarray((weights / weights.sum(axis=1, keepdims=True))[fired])

    def can_fire(self, rule: Rule) -> bool:
        """Return whether a rule's estimated accuracy is high enough for it to fire."""
        return rule.accuracy is None or rule.accuracy >= self.min_accuracy

    # ---------------------------------------------------------------- reading

    def renamed(self, feature_names: Any = None, class_names: Any = None) -> RuleList:
        """Return the list under other names; see :func:`plaintree.data.renaming.renamed`."""
        schema = renamed(self.schema, feature_names, class_names)
        if schema is self.schema:
            return self
        labels = dict(zip(self.schema.classes, schema.classes, strict=True))
        rules, dropped = (
            tuple(
                replace(rule, label=labels.get(rule.label, rule.label), schema=schema)
                for rule in some
            )
            for some in (self.rules, self.dropped)
        )
        default = labels.get(self.default, self.default)
        return replace(self, schema=schema, rules=rules, dropped=dropped, default=default)

    def explain(self, row: Any, **options: Any) -> Explanation:
        """Explain the prediction for one row.

        Parameters
        ----------
        row : dict, Series, sequence or table of one row
            Values by column names, a list of values in column order, or a table of one row.
        **options
            Options of :func:`plaintree.explain`.

        Returns
        -------
        Explanation
            The rule that fires, and the others that the row satisfies.

        Examples
        --------
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
        """Return the rules in order as text, one numbered IF ... THEN ... each.

        Parameters
        ----------
        width : int, default=None
            Columns to wrap at, at least 40. None uses the width of the terminal, or 100 without
            one.

        Returns
        -------
        str
            The rules and the default class.
        """
        columns, shown = line_width(width), shown_schema(self.schema)
        lines: list[str] = []
        for number, rule in enumerate(self.rules, 1):
            lines += rule.lines(shown, columns, lead=f"{number}. ")
            if not self.can_fire(rule):
                lines[-1] += " never fires"
        support = weight_text(sum(self.default_weights))
        default = prediction_text(self.schema, self.default)
        lines.append(f"OTHERWISE {default}   (support {support})")
        return "\n".join(lines)

    def rows(self) -> list[dict[str, Any]]:
        """Return the rules that can fire as rows of a table; the last row is the default."""
        shown = shown_schema(self.schema)
        rows = [
            {**rule.row(number, shown), **self._estimated(rule.accuracy)}
            for number, rule in enumerate(self.rules, 1)
            if self.can_fire(rule)
        ]
        support = sum(self.default_weights)
        default = {"rule": None, "if": "otherwise", "then": self.default, "support": support}
        if not self.schema.classes:
            unknown = {rule.spread.name: None for rule in self.rules if rule.spread is not None}
            return [*rows, {**default, **unknown}]
        own = self.default_weights[self.schema.classes.index(self.default)]
        default["confidence"] = own / support if support else 0.0
        return [*rows, {**default, **self._estimated(None)}]

    def _estimated(self, accuracy: float | None) -> dict[str, float | None]:
        """The estimated accuracy as a column of a table; numbers have none."""
        return {"estimated_accuracy": accuracy} if self.schema.classes else {}

    def to_frame(self) -> polars.DataFrame:
        """Return the rules that can fire as a polars DataFrame; the last row is the default.

        Returns
        -------
        polars.DataFrame
            The columns rule, if, then, support, confidence and estimated_accuracy; for numbers
            rule, if, then, support and the spread.

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
