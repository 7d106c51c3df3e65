"""The facts of a report, as plain values."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.base import clone

from plaintree import __version__
from plaintree.data.column import Column
from plaintree.data.encode import encode
from plaintree.data.facts import ColumnFacts, column_facts
from plaintree.data.rows import Rows, take_rows
from plaintree.data.schema import Schema
from plaintree.data.table import Table, table_from
from plaintree.data.target import labels_from
from plaintree.errors import ArgumentTypeError
from plaintree.evaluation.cross_validation import CrossValidation, check_folds, cross_validate
from plaintree.evaluation.quality import GIVEN, TRAINING, Quality, out_of_bag_quality, quality_of
from plaintree.pruning.curves import overfitting_curve
from plaintree.rules.rule_list import RuleList
from plaintree.tree.conventions import Conventions
from plaintree.tree.predict import class_codes
from plaintree.tree.tree import Tree

from ..study.training import is_training_table

HELD_OUT = 0.3
"""The fraction of rows held out to measure the error rate against size."""
MIN_ROWS = 10
"""With fewer rows, none are held out."""


@dataclass(frozen=True, eq=False)
class Subject:
    """The model that a report is about.

    ``tree`` is the one to show: that of the model, that its rules were made from, or the first of
    an ensemble; None for an imported rule list.
    """

    model: Any
    form: Literal["tree", "rules", "trees"]
    schema: Schema
    tree: Tree | None
    n_trees: int
    rules: RuleList | None

    @classmethod
    def of(cls, model: Any) -> Subject:
        """The subject for a fitted model, a Tree or a RuleList."""
        rules = getattr(model, "rules_", model if isinstance(model, RuleList) else None)
        tree = getattr(model, "tree_", model if isinstance(model, Tree) else None)
        if rules is not None:
            return cls(model, "rules", rules.schema, tree, int(tree is not None), rules)
        if tree is not None:
            return cls(model, "tree", tree.schema, tree, 1, None)
        if hasattr(model, "trees_"):
            trees = model.trees_
            return cls(model, "trees", model.schema_, trees[0], len(trees), None)
        raise ArgumentTypeError(
            "the report needs a fitted model",
            got=f"an object of type {type(model).__name__}",
            hint="call fit first." if hasattr(model, "fit") else "pass a fitted model or a Tree.",
        )

    @property
    def conventions(self) -> Conventions | None:
        """The conventions that its trees were grown by, if known."""
        return self.tree.conventions if self.tree else None

    @property
    def can_be_refitted(self) -> bool:
        """Whether it is an estimator that was fitted, so it can be cloned and fitted again."""
        return hasattr(self.model, "training_")

    def parameters(self) -> dict[str, Any]:
        """The parameters of the estimator, by name."""
        if not self.can_be_refitted:
            return {}
        parameters: dict[str, Any] = self.model.get_params(deep=False)
        return {
            name: value for name, value in parameters.items() if name not in ("n_jobs", "verbose")
        }

    def importances(self) -> NDArray[np.float64] | None:
        """The impurity importance of each feature; None for rules."""
        if self.form == "rules" or self.tree is None:
            return None
        if self.form == "trees":
            return np.asarray(self.model.feature_importances_)
        return self.tree.importances()

    def predictions(self, X: Any, table: Table) -> list[Any]:
        """The predicted class of every row."""
        if not isinstance(self.model, Tree):
            return list(np.asarray(self.model.predict(X)).tolist())
        conventions = self.conventions
        unseen = conventions.unseen if conventions else "missing"
        codes = class_codes(
            self.model,
            encode(table, self.schema, unseen=unseen, used=self.model.used_columns),
        )
        return [self.schema.classes[code] for code in codes.tolist()]


@dataclass(frozen=True, eq=False)
class ErrorCurve:
    """The error rate against the size of a model, in units such as "trees".

    ``series`` are names of rows with the error rate at every size; ``chosen`` is the position of
    the minimum of the last one. ``about`` describes the measurement in a sentence.
    """

    unit: str
    sizes: tuple[int, ...]
    series: tuple[tuple[str, tuple[float, ...]], ...]
    about: str

    @property
    def chosen(self) -> int:
        """The position of the smallest size with the minimum error rate."""
        return int(np.argmin(self.series[-1][1]))


@dataclass(frozen=True, eq=False)
class Findings:
    """Everything that a report shows about a model and a table.

    ``is_training_table``: whether the model was fitted on exactly these rows; None if unknown.
    ``own`` is the quality of this model on these rows. ``validation`` (models with the same
    parameters) and ``out_of_bag`` exist for training rows only.
    """

    subject: Subject
    n_rows: int
    columns: tuple[ColumnFacts, ...]
    classes: tuple[tuple[str, int], ...]
    is_training_table: bool | None
    own: Quality
    out_of_bag: Quality | None
    validation: CrossValidation | None
    curve: ErrorCurve | None
    versions: Mapping[str, str]

    @property
    def headline(self) -> Quality | None:
        """The least biased quality: out of bag, in cross-validation, or on these rows.

        None for an ensemble on its training rows, where it has almost no errors.
        """
        if self.out_of_bag is not None and self.out_of_bag.n_rows:
            return self.out_of_bag
        if self.validation is not None:
            return self.validation.quality
        seen = self.subject.form == "trees" and self.is_training_table
        return None if seen else self.own


def find_out(model: Any, X: Any, y: Any, *, cv: int | None = 10, seed: int = 0) -> Findings:
    """Describe a table and predict it; for training rows, cross-validate and vary the size as well.

    Other rows are predicted by this model; nothing is grown from them.

    >>> import plaintree as pt
    >>> X, y = pt.datasets.load_golf()
    >>> found = find_out(pt.C45Classifier().fit(X, y), X, y, cv=2)
    >>> found.classes, found.own.n_errors, found.own.measured_on
    ((('no', 5), ('yes', 9)), 0, 'training rows')
    """
    subject = Subject.of(model)
    X = _with_rows(X)
    table = table_from(X)
    codes, labels = labels_from(y, table.n_rows)
    counts = np.bincount(codes, minlength=len(labels))
    named = ((str(label), n) for label, n in zip(labels, counts.tolist(), strict=True))
    actual = [labels[code] for code in codes]
    same = is_training_table(subject.model, table, actual)
    again = bool(same) and table.n_rows > 1
    if cv:
        check_folds(cv)
    validation = cross_validate(model, X, y, n_folds=cv, seed=seed) if cv and again else None
    return Findings(
        subject=subject,
        n_rows=table.n_rows,
        columns=tuple(_facts(column, subject) for column in table.columns),
        classes=tuple(named),
        is_training_table=same,
        own=_own(actual, subject.predictions(X, table), TRAINING if same else GIVEN),
        out_of_bag=_out_of_bag(model, actual) if same else None,
        validation=validation,
        curve=_curve(subject, X, y, codes, seed) if same else _curve_on(subject, X, y),
        versions=_versions(),
    )


def _with_rows(X: Any) -> Any:
    """A table that can be indexed by row: a dictionary of columns becomes a list of rows."""
    if not isinstance(X, Mapping):
        return X
    return [dict(zip(X, row, strict=True)) for row in zip(*X.values(), strict=True)]


def _facts(column: Column, subject: Subject) -> ColumnFacts:
    """The facts of a column, with its values only if the model uses it."""
    facts = column_facts(column)
    names = subject.schema.names
    used = {names[number] for number in subject.model.used_columns()}
    return facts if column.name in used or column.name not in names else facts.without_values


def _own(actual: Sequence[Any], predicted: Sequence[Any], measured_on: str) -> Quality:
    """Labels are compared as strings: an imported model may have "1" for 1."""
    return quality_of(list(map(str, actual)), list(map(str, predicted)), measured_on)


def _out_of_bag(model: Any, actual: Sequence[Any]) -> Quality | None:
    """The out-of-bag quality; None if there is none, or if the rows have another order.

    The hash of the training table does not depend on the order of rows, but bootstrap samples do.
    """
    if len(getattr(model, "oob_decision_function_", ())) != len(actual):
        return None
    found = out_of_bag_quality(model, np.asarray(actual))
    in_order = abs(found.accuracy - model.oob_score_) < 1e-9 or not found.n_rows
    return found if in_order else None


def _versions() -> dict[str, str]:
    return {
        "plaintree": __version__,
        "Python": platform.python_version(),
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
    }


# -------------------------------------------------------------------- error rate against size


def _curve(
    subject: Subject, X: Any, y: Any, codes: NDArray[np.int32], seed: int
) -> ErrorCurve | None:
    """The error rate against the number of trees, or of splits of a single tree.

    None if no rows can be held out, or if there is only one size.
    """
    errors = getattr(subject.model, "oob_error_curve_", None)
    if errors is not None:
        return ErrorCurve(
            unit="trees",
            sizes=tuple(range(1, len(errors) + 1)),
            series=(("out-of-bag rows", tuple(errors.tolist())),),
            about="Each tree predicts the training rows that are not in its sample.",
        )
    refitted = subject.can_be_refitted and subject.tree is not None
    if not refitted or len(codes) < MIN_ROWS:
        return None
    training, validation = _held_out(codes, seed)
    if not len(validation):
        return None
    parts = [take_rows(values, rows) for rows in (training, validation) for values in (X, y)]
    tried = _by_trees(subject, parts) if subject.form == "trees" else _by_size(subject, parts)
    if len(tried[1]) == 1:
        return None
    about = (
        f"Another model with the same parameters, grown from {len(training)} of the training rows "
        f"and measured on the other {len(validation)}."
    )
    return ErrorCurve(*tried, about=about)


def _curve_on(subject: Subject, X: Any, y: Any) -> ErrorCurve | None:
    """The error rate of the first trees of this model on rows that it was not fitted on."""
    if subject.form != "trees" or subject.n_trees < 2 or not hasattr(subject.model, "staged_score"):
        return None
    errors = tuple(1 - score for score in subject.model.staged_score(X, y))
    return ErrorCurve(
        unit="trees",
        sizes=tuple(range(1, len(errors) + 1)),
        series=((GIVEN, errors),),
        about="The first trees of this model predict the rows given.",
    )


def _held_out(codes: NDArray[np.int32], seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows to grow from, and held-out rows whose classes occur among the former."""
    numbered = Rows([np.arange(len(codes))], codes, None)
    training, validation = numbered.divided(HELD_OUT, seed)
    known = np.isin(validation.codes, training.codes)
    return training.columns[0], validation.columns[0][known]


Tried = tuple[str, tuple[int, ...], tuple[tuple[str, tuple[float, ...]], ...]]
NAMES = ("training rows", "held-out rows")


def _by_size(subject: Subject, parts: list[Any]) -> Tried:
    curve = overfitting_curve(subject.model, *parts)
    errors = (curve.training_errors, curve.validation_errors)
    series = tuple((name, tuple(e.tolist())) for name, e in zip(NAMES, errors, strict=True))
    return "internal nodes", tuple(curve.sizes.tolist()), series


def _by_trees(subject: Subject, parts: list[Any]) -> Tried:
    model = clone(subject.model).fit(*parts[:2])
    errors = [[1 - score for score in model.staged_score(*rows)] for rows in (parts[:2], parts[2:])]
    series = tuple((name, tuple(e)) for name, e in zip(NAMES, errors, strict=True))
    return "trees", tuple(range(1, len(errors[0]) + 1)), series
