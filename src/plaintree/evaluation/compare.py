"""Comparison of two models: their trees or rules, and their predictions."""

from __future__ import annotations

from dataclasses import dataclass
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
from plaintree.data.words import format_number, format_value, plain
from plaintree.errors import row_name
from plaintree.estimators.registry import TaskName
from plaintree.rules.rule_list import RuleList
from plaintree.tree.predict import class_codes, class_shares, predicted_numbers
from plaintree.tree.tree import Tree

from .metrics import task_of
from .structure import kind_of, same_label, structural_difference

SAME_PROBABILITY = 1e-9
"""Class probabilities this near to each other are equal but for rounding; numbers, relatively."""

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
        The number of rows with different predicted classes or numbers.
    n_probabilities : int, default=0
        The number of rows with different class probabilities.
    max_difference : float, default=0.0
        The largest difference between two probabilities of the same class, or between two
        predicted numbers.
    rows : tuple of RowDifference, default=()
        The first few rows with different predictions.
    parts : {"trees", "rules"}, default="trees"
        What the models consist of.
    task : {"classification", "regression"}, default="classification"
        Whether the models predict classes or numbers, which have no probabilities.
    """

    structure: str | None
    n_rows: int = 0
    n_predictions: int = 0
    n_probabilities: int = 0
    max_difference: float = 0.0
    rows: tuple[RowDifference, ...] = ()
    parts: Literal["trees", "rules"] = "trees"
    task: TaskName = "classification"

    @property
    def equal(self) -> bool:
        """Whether there is no difference at all."""
        return self.structure is None and self.n_predictions == 0 and self.n_probabilities == 0

    def to_text(self) -> str:
        """The differences as a few lines of text."""
        lines = [f"{self.parts.capitalize()}: {self.structure or 'the same'}."]
        if self.n_rows:
            apart = f", by at most {format_number(self.max_difference)}"
            numbers = self.task == "regression" and self.n_predictions
            by = apart if numbers else ""
            lines.append(f"Predictions: {_of(self.n_predictions, self.n_rows)} differ{by}.")
            lines += [
                f"  {row_name(r.row)}: {_label(r.first, self.task)} against "
                f"{_label(r.second, self.task)} "
                f"({_shown_values(r)})"
                for r in self.rows
            ]
            left_out = self.n_predictions - len(self.rows)
            lines += [f"  ... {left_out} more"] if left_out else []
            differing = self.n_probabilities
            most = apart if differing else ""
            if self.task == "classification":
                lines.append(f"Class probabilities: {_of(differing, self.n_rows)} differ{most}.")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The differences as plain dictionaries, lists and numbers; ``index`` counts from 0."""
        return {
            "equal": self.equal,
            "task": self.task,
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


def _label(label: Label, task: TaskName) -> str:
    """A class as it is, a predicted number rounded."""
    return format_number(float(label)) if task == "regression" else str(label)


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
    structure = structural_difference(a, b, tolerance)
    parts: Literal["trees", "rules"] = "rules" if {kind_of(a), kind_of(b)} == {"rules"} else "trees"
    if X is None:
        return ModelDifference(structure, parts=parts)
    table = table_from(X)
    first, second = _Predictions.of(a, X), _Predictions.of(b, X)
    others, numbers, n_probabilities = _differing(first, second), _are_numbers(first, second), 0
    if numbers:
        apart = np.abs(np.subtract(first.labels, second.labels))
    else:
        apart = _max_differences(first, second)
        n_probabilities = int(np.count_nonzero(apart > SAME_PROBABILITY))
    return ModelDifference(
        structure,
        n_rows=table.n_rows,
        n_predictions=len(others),
        n_probabilities=n_probabilities,
        max_difference=float(apart.max()) if apart.size else 0.0,
        rows=tuple(
            RowDifference(row, _values(table, row), first.labels[row], second.labels[row])
            for row in others[:most].tolist()
        ),
        parts=parts,
        task="regression" if numbers else "classification",
    )


def rows_predicted_differently(a: Any, b: Any, X: Any) -> NDArray[np.int64]:
    """Find the rows of a table for which two models predict another class or number.

    :func:`diff` counts these rows and lists the values of a few; this finds all of them.

    Parameters
    ----------
    a : Tree, RuleList or fitted estimator
        The first model.
    b : Tree, RuleList or fitted estimator
        The second model.
    X : table
        Rows that both models can predict.

    Returns
    -------
    ndarray of int64
        The positions of the rows in the table, counted from 0.

    Examples
    --------
    >>> import plaintree as pt
    >>> from plaintree.evaluation import rows_predicted_differently
    >>> X, y = pt.datasets.load_tennis()
    >>> grown = pt.ID3Classifier().fit(X, y).tree_
    >>> rows_predicted_differently(grown, grown.cut(3), X).tolist()
    [8, 10]
    """
    return _differing(_Predictions.of(a, X), _Predictions.of(b, X)).astype(np.int64)


def _differing(first: _Predictions, second: _Predictions) -> NDArray[np.intp]:
    """The positions of the rows with other predictions; numbers may differ by rounding."""
    if _are_numbers(first, second):
        apart = np.abs(np.subtract(first.labels, second.labels))
        return np.flatnonzero(apart > SAME_PROBABILITY * np.abs(first.labels))
    pairs = zip(first.labels, second.labels, strict=True)
    return np.flatnonzero([not same_label(one, other) for one, other in pairs])


def _are_numbers(first: _Predictions, second: _Predictions) -> bool:
    return (first.task, second.task) == ("regression", "regression")


# -------------------------------------------------------------------- predictions


@dataclass(frozen=True, eq=False)
class _Predictions:
    """The predicted label of each row, and the probabilities of the classes by their names."""

    labels: list[Label]
    classes: list[str]
    probabilities: NDArray[np.float64]

    @property
    def task(self) -> TaskName:
        """Whether the predictions are classes or numbers."""
        return task_of(self.classes)

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
