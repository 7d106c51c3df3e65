"""Comparison of two models: their trees or rules, and their predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isclose
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_regressor

from plaintree.checks import check_number
from plaintree.data.column import Column
from plaintree.data.encode import encode
from plaintree.data.schema import Feature, Label, Schema
from plaintree.data.table import Table, table_from
from plaintree.data.timestamps import TEMPORAL
from plaintree.data.words import format_number, format_value, plain, shown_schema
from plaintree.errors import ArgumentTypeError, row_name
from plaintree.rules.rule import Rule
from plaintree.rules.rule_list import RuleList
from plaintree.tree.predict import class_codes, class_shares, predicted_numbers
from plaintree.tree.tree import Tree

SAME_PROBABILITY = 1e-9
"""Class probabilities this near to each other are equal but for rounding."""

VALUES_SHOWN = 30
"""Values of a row in the text; :meth:`ModelDifference.to_dict` has all of them."""


@dataclass(frozen=True)
class RowDifference:
    """A row that two models predict differently.

    Parameters
    ----------
    row : int
        The position of the row in the table, counted from 0; printed rows are counted from 1.
    values : dict
        The values of the row by the names of their columns; None where one is missing.
    first : label
        The prediction of the first model.
    second : label
        The prediction of the second model.
    """

    row: int
    values: dict[str, Any]
    first: Label
    second: Label


@dataclass(frozen=True)
class ModelDifference:
    """The differences between two models, as :func:`plaintree.evaluation.diff` finds them.

    Parameters
    ----------
    structure : str or None
        The first difference between their trees or rules; None if there is none.
    n_rows : int, default=0
        The number of rows that both models predicted.
    n_predictions : int, default=0
        The number of rows with different predicted classes.
    n_probabilities : int, default=0
        The number of rows with different class probabilities.
    max_difference : float, default=0.0
        The largest difference between two probabilities of the same class.
    rows : tuple of RowDifference, default=()
        The first few rows with different predicted classes.
    parts : {"trees", "rules"}, default="trees"
        What the models consist of.
    """

    structure: str | None
    n_rows: int = 0
    n_predictions: int = 0
    n_probabilities: int = 0
    max_difference: float = 0.0
    rows: tuple[RowDifference, ...] = ()
    parts: Literal["trees", "rules"] = "trees"

    @property
    def equal(self) -> bool:
        """Whether there is no difference at all."""
        return self.structure is None and self.n_predictions == 0 and self.n_probabilities == 0

    def to_text(self) -> str:
        """The differences as a few lines of text."""
        lines = [f"{self.parts.capitalize()}: {self.structure or 'the same'}."]
        if self.n_rows:
            lines.append(f"Predictions: {_of(self.n_predictions, self.n_rows)} differ.")
            lines += [
                f"  {row_name(r.row)}: {r.first} against {r.second} ({_shown_values(r)})"
                for r in self.rows
            ]
            left_out = self.n_predictions - len(self.rows)
            lines += [f"  ... {left_out} more"] if left_out else []
            differing = self.n_probabilities
            most = f", by at most {format_number(self.max_difference)}" if differing else ""
            lines.append(f"Class probabilities: {_of(differing, self.n_rows)} differ{most}.")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The differences as plain dictionaries, lists and numbers; ``index`` counts from 0."""
        return {
            "equal": self.equal,
            "structure": self.structure,
            "n_rows": self.n_rows,
            "n_predictions": self.n_predictions,
            "n_probabilities": self.n_probabilities,
            "max_difference": self.max_difference,
            "rows": [
                {"index": r.row, "values": r.values, "first": r.first, "second": r.second}
                for r in self.rows
            ],
        }

    def __str__(self) -> str:
        return self.to_text()


def _of(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} rows"


def _shown_values(difference: RowDifference) -> str:
    """The values of a row, the first of them if there are many."""
    shown = [f"{plain(name)} {value}" for name, value in difference.values.items()]
    n_more = len(shown) - VALUES_SHOWN
    return ", ".join([*shown[:VALUES_SHOWN], *([f"and {n_more} more"] if n_more > 0 else [])])


def diff(
    a: Any, b: Any, X: Any = None, *, n_examples: int = 5, tolerance: float = 0.0
) -> ModelDifference:
    """Compare two models: their trees or rules and, with a table, their predictions.

    Parameters
    ----------
    a : Tree, RuleList or fitted estimator
        The first model.
    b : Tree, RuleList or fitted estimator
        The second model.
    X : table, default=None
        Rows that both models can predict. Without a table, only trees or rules are compared.
    n_examples : int, default=5
        The maximum number of rows with different predictions that are listed.
    tolerance : float, default=0.0
        The largest relative difference of thresholds and class weights that counts as equal.

    Returns
    -------
    ModelDifference
        The first difference of the structure, and the numbers of rows that are predicted
        differently.

    Raises
    ------
    ArgumentTypeError
        If ``a`` or ``b`` is not a model.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.evaluation.compare import diff
    >>> X, y = pt.datasets.load_tennis()
    >>> grown = pt.ID3Classifier().fit(X, y).tree_
    >>> print(diff(grown, grown.cut(3), X, n_examples=1))
    Trees: at Outlook = Sunny: Humidity against leaf No.
    Predictions: 2 of 14 rows differ.
      row 9: Yes against No (Outlook Sunny, Temperature Cool, Humidity Normal, Wind Weak)
      ... 1 more
    Class probabilities: 5 of 14 rows differ, by at most 0.6.
    """
    most = int(check_number("n_examples", n_examples, 0, float("inf")))
    check_number("tolerance", tolerance, 0, 1)
    structure = _structure(a, b, tolerance)
    parts: Literal["trees", "rules"] = "rules" if {_kind(a), _kind(b)} == {"rules"} else "trees"
    if X is None:
        return ModelDifference(structure, parts=parts)
    table = table_from(X)
    first, second = _Predictions.of(a, X), _Predictions.of(b, X)
    apart = _max_differences(first, second)
    pairs = zip(first.labels, second.labels, strict=True)
    others = np.flatnonzero([not _same(one, other) for one, other in pairs])
    return ModelDifference(
        structure,
        n_rows=table.n_rows,
        n_predictions=len(others),
        n_probabilities=int(np.count_nonzero(apart > SAME_PROBABILITY)),
        max_difference=float(apart.max()) if apart.size else 0.0,
        rows=tuple(
            RowDifference(row, _values(table, row), first.labels[row], second.labels[row])
            for row in others[:most].tolist()
        ),
        parts=parts,
    )


# -------------------------------------------------------------------- structure


def _structure(a: Any, b: Any, tolerance: float) -> str | None:
    if _kind(a) != _kind(b):
        return f"{_kind(a)} against {_kind(b)}"
    if _kind(a) == "rules":
        return _of_rules(_rules(a), _rules(b), tolerance)
    mine, other = _trees(a), _trees(b)
    if len(mine) != len(other):
        return f"{len(mine)} trees against {len(other)}"
    for number, (tree, another) in enumerate(zip(mine, other, strict=True)):
        found = tree.difference(another, tolerance=tolerance)
        if found is not None:
            return found if len(mine) == 1 else f"tree {number}, {found}"
    votes = [np.asarray(getattr(model, "estimator_weights_", ())) for model in (a, b)]
    if not np.allclose(votes[0], votes[1], rtol=tolerance or 1e-12):
        return "the weights of the trees"
    if getattr(a, "voting", None) != getattr(b, "voting", None):
        return f"voting by {a.voting} against {b.voting}"
    return None


def _kind(model: Any) -> str:
    """The kind of a model; trees of any estimator are compared as trees."""
    if isinstance(_rules(model), RuleList):
        return "rules"
    if isinstance(getattr(model, "tree_", model), Tree):
        return "a tree"
    if hasattr(model, "estimator_weights_"):
        return "weighted trees"
    if hasattr(model, "trees_"):
        return "a forest"
    raise ArgumentTypeError(
        "diff compares models only",
        got=f"an object of type {type(model).__name__}",
        hint="give trees, lists of rules, or fitted models; from_sklearn reads scikit-learn's.",
    )


def _trees(model: Any) -> Sequence[Tree]:
    single = getattr(model, "tree_", model)
    if isinstance(single, Tree):
        return (single,)
    trees: Sequence[Tree] = model.trees_
    return trees


def _rules(model: Any) -> Any:
    """The list of rules of a model that has one; any other model as it is."""
    return getattr(model, "rules_", model)


# -------------------------------------------------------------------- rules


def _of_rules(mine: RuleList, other: RuleList, tolerance: float) -> str | None:
    """Where two lists of rules differ first."""
    for number, (rule, another) in enumerate(zip(mine.rules, other.rules, strict=False), 1):
        found = _of_rule(rule, another, tolerance)
        if found is None and _fires(mine, rule) != _fires(other, another):
            found = "which only one of them ever uses"
        if found is not None:
            return f"rule {number}, {found}"
    if len(mine) != len(other):
        return f"{len(mine)} rules against {len(other)}"
    if not _same(mine.default, other.default):
        return f"otherwise {plain(mine.default)} against {plain(other.default)}"
    same = _near(mine.default_weights, other.default_weights, tolerance)
    return None if same else "the class weights where no rule fires"


def _fires(listed: RuleList, rule: Rule) -> bool:
    return rule.accuracy is None or rule.accuracy >= listed.min_accuracy


def _of_rule(rule: Rule, another: Rule, tolerance: float) -> str | None:
    ends, other_ends = _ends(rule), _ends(another)
    if _conditions(rule) != _conditions(another):
        return f"{_words(rule)} against {_words(another)}"
    if not _near(ends, other_ends, tolerance):
        return f"{_words(rule)}: thresholds {ends} against {other_ends}"
    if not _same(rule.label, another.label):
        return f"{plain(rule.label)} against {plain(another.label)}"
    if not _near(rule.class_weights, another.class_weights, tolerance):
        return f"class weights {rule.class_weights} against {another.class_weights}"
    return None


def _conditions(rule: Rule) -> list[tuple[Any, ...]]:
    """The conditions of a rule without the thresholds."""
    found = []
    for clause in rule.conditions:
        feature = rule.schema.features[clause.feature]
        ends = (clause.low is not None, clause.high is not None)
        labels = None if clause.allowed is None else [feature.categories[c] for c in clause.codes]
        found.append((feature.name, clause.is_missing, ends, labels))
    return found


def _ends(rule: Rule) -> tuple[float, ...]:
    both = [end for clause in rule.conditions for end in (clause.low, clause.high)]
    return tuple(end for end in both if end is not None)


def _words(rule: Rule) -> str:
    shown = shown_schema(rule.schema)
    return " AND ".join(clause.describe(shown) for clause in rule.conditions) or "no condition"


def _near(ours: Sequence[float], others: Sequence[float], tolerance: float) -> bool:
    pairs = zip(ours, others, strict=False)
    return len(ours) == len(others) and all(isclose(x, y, rel_tol=tolerance) for x, y in pairs)


# -------------------------------------------------------------------- predictions


@dataclass(frozen=True, eq=False)
class _Predictions:
    """The predicted label of each row, and the probabilities of the classes by their names."""

    labels: list[Label]
    classes: list[str]
    probabilities: NDArray[np.float64]

    @classmethod
    def of(cls, model: Any, X: Any) -> _Predictions:
        if isinstance(model, Tree):
            columns = encode(
                table_from(X), model.schema, unseen=_unseen(model), used=model.used_columns
            )
            schema: Schema = model.schema
            if not schema.classes:
                return cls.of_numbers(predicted_numbers(model, columns))
            codes = class_codes(model, columns)
            labels = [schema.classes[code] for code in codes.tolist()]
            return cls(labels, list(map(str, schema.classes)), class_shares(model, columns))
        listed = isinstance(model, RuleList)
        if not listed and is_regressor(model):
            return cls.of_numbers(model.predict(X))
        labels = np.asarray(model.predict(X)).tolist()
        classes = list(model.schema.classes) if listed else np.asarray(model.classes_).tolist()
        return cls(labels, list(map(str, classes)), np.asarray(model.predict_proba(X)))

    @classmethod
    def of_numbers(cls, numbers: NDArray[np.float64]) -> _Predictions:
        """The predictions of a numeric target, which have no probabilities."""
        return cls(numbers.tolist(), [], np.empty((len(numbers), 0)))

    def probability_of(self, name: str) -> NDArray[np.float64]:
        """The probability of a class for each row; 0 for a class that the model does not have."""
        if name not in self.classes:
            return np.zeros(len(self.probabilities))
        return np.asarray(self.probabilities[:, self.classes.index(name)])


def _unseen(tree: Tree) -> str:
    return tree.conventions.unseen if tree.conventions else "missing"


def _same(one: Label, other: Label) -> bool:
    """Labels are the same if they are equal, or read the same: 1 and "1"."""
    return one == other or str(one) == str(other)


def _max_differences(first: _Predictions, second: _Predictions) -> NDArray[np.float64]:
    """The largest difference between two probabilities of the same class, for each row."""
    classes = dict.fromkeys([*first.classes, *second.classes])
    if not classes:
        return np.zeros(len(first.labels))
    apart = [np.abs(first.probability_of(name) - second.probability_of(name)) for name in classes]
    return np.asarray(np.max(apart, axis=0))


def _values(table: Table, row: int) -> dict[str, Any]:
    """A row's values by name; None where one is missing."""
    return {column.name: _value(column, column.values[row].item()) for column in table.columns}


def _value(column: Column, value: float) -> Any:
    feature = Feature(column.name, column.kind, column.unit)
    if feature.is_missing(value):
        return None
    if column.labels:
        return column.labels[int(value)]
    if column.unit in TEMPORAL:
        return format_value(feature, value)
    return int(value) if value.is_integer() else value
