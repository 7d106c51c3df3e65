"""The facts of a report, as plain values."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn.base import clone

from plaintree import __version__
from plaintree.data.column import Column
from plaintree.data.facts import ColumnFacts, column_facts
from plaintree.data.rows import Rows, take_rows
from plaintree.data.table import Table, table_from
from plaintree.data.target import NumericTarget, Target, numbers_from, target_from
from plaintree.evaluation.cross_validation import CrossValidation, check_folds, cross_validate
from plaintree.evaluation.metrics import ERRORS, Costs, Metric, costs_of, shown_errors
from plaintree.evaluation.quality import (
    GIVEN,
    TRAINING,
    AnyQuality,
    Quality,
    any_quality_of,
    out_of_bag_quality,
    quality_of,
)
from plaintree.pruning.curves import overfitting_curve

from ..study.cross_validated import Validated
from ..study.inspect import spread_of
from ..study.training import is_training_table
from .held_out import HeldOut
from .subject import Subject

HELD_OUT = 0.3
"""The fraction of rows held out to measure the error rate against size."""
MIN_ROWS = 10
"""With fewer rows, none are held out."""


@dataclass(frozen=True, eq=False)
class ErrorCurve:
    """The error against the size of a model, in units such as "trees".

    ``series`` are names of rows with the error at every size; ``chosen`` is the position of the
    minimum of the last one. ``about`` describes the measurement in a sentence, and ``error`` names
    the error: a rate, unless ``rates`` is False.
    """

    unit: str
    sizes: tuple[int, ...]
    series: tuple[tuple[str, tuple[float, ...]], ...]
    about: str
    error: str = "error rate"
    rates: bool = True

    @property
    def chosen(self) -> int:
        """The position of the smallest size with the minimum error."""
        return int(np.nanargmin(self.series[-1][1]))


@dataclass(frozen=True, eq=False)
class Findings:
    """Everything that a report shows about a model and a table.

    ``is_training_table``: whether the model was fitted on exactly these rows; None if unknown.
    ``own`` is the quality of this model on these rows. ``validation`` (models with the same
    parameters) and ``out_of_bag`` exist for training rows only. A numeric target has a ``spread``
    (mean, standard deviation, quartiles) in place of classes, and if there is one tree, ``leaves``
    are the nodes that predict the rows. ``seed`` is that of the folds, and ``held_out`` are the
    predictions of their models, if they were kept.
    """

    subject: Subject
    n_rows: int
    columns: tuple[ColumnFacts, ...]
    classes: tuple[tuple[str, int], ...]
    is_training_table: bool | None
    own: AnyQuality
    out_of_bag: AnyQuality | None
    validation: CrossValidation | None
    curve: ErrorCurve | None
    versions: Mapping[str, str]
    table: Table
    target: Target | NumericTarget
    spread: Mapping[str, float] | None = None
    leaves: NDArray[np.int64] | None = None
    seed: int = 0
    held_out: HeldOut | None = None

    @property
    def validated(self) -> Validated:
        """The learner that is grown in the folds: with the pruning of the tree, if it can be."""
        return _validated(self.subject)

    @property
    def headline(self) -> AnyQuality | None:
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
    numbers = subject.task == "regression"
    target = (numbers_from if numbers else target_from)(y, table.n_rows)
    actual = np.asarray(target)
    same = is_training_table(subject.model, table, actual.tolist())
    again = bool(same) and table.n_rows > 1
    if cv:
        check_folds(cv)
    held_out = HeldOut.of(table, target) if cv and again else None
    validation = None
    if held_out is not None:
        validation = _cross_validated(subject, X, y, held_out, n_folds=cv or 0, seed=seed)
    return Findings(
        subject=subject,
        n_rows=table.n_rows,
        columns=tuple(_facts(column, subject) for column in table.columns),
        classes=_counted(target),
        is_training_table=same,
        own=_own(
            target,
            subject.predictions(X, table),
            TRAINING if same else GIVEN,
            costs_of(subject.model),
        ),
        out_of_bag=_out_of_bag(model, actual) if same else None,
        validation=validation,
        curve=_curve(subject, X, y, target, seed) if same else _curve_on(subject, X, y),
        versions=_versions(),
        table=table,
        target=target,
        spread=spread_of(actual) if numbers else None,
        leaves=subject.leaves(table) if numbers and subject.form == "tree" else None,
        seed=seed,
        held_out=held_out,
    )


def _cross_validated(
    subject: Subject, X: Any, y: Any, held_out: HeldOut, *, n_folds: int, seed: int
) -> CrossValidation:
    """The folds of the learner; their name says how it differs from this model."""
    validated = _validated(subject)
    folds = cross_validate(
        validated.learner, X, y, n_folds=n_folds, seed=seed, on_test=held_out.keep
    )
    quality: Any = folds.quality
    name = f"{quality.measured_on}{validated.remark}"
    return replace(folds, quality=replace(quality, measured_on=name))


def _validated(subject: Subject) -> Validated:
    single = subject.form != "trees"
    return Validated.of(subject.model, subject.tree if single else None)


def _counted(target: Target | NumericTarget) -> tuple[tuple[str, int], ...]:
    """The classes with their numbers of rows; a numeric target has none."""
    if not target.classes:
        return ()
    counts = np.bincount(target.encoded, minlength=len(target.classes)).tolist()
    return tuple((str(label), n) for label, n in zip(target.classes, counts, strict=True))


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


def _own(
    target: Target | NumericTarget,
    predicted: Sequence[Any],
    measured_on: str,
    costs: Costs | None,
) -> AnyQuality:
    """Labels are compared as strings: an imported model may have "1" for 1."""
    if not target.classes:
        return any_quality_of(target, predicted, measured_on)
    actual = [str(target.classes[code]) for code in target.encoded.tolist()]
    return quality_of(actual, list(map(str, predicted)), measured_on, costs)


def _out_of_bag(model: Any, actual: NDArray[Any]) -> AnyQuality | None:
    """The out-of-bag quality; None if there is none, or if the rows have another order.

    The hash of the training table does not depend on the order of rows, but bootstrap samples do.
    """
    kept = getattr(model, "oob_decision_function_", getattr(model, "oob_prediction_", ()))
    if len(kept) != len(actual):
        return None
    found = out_of_bag_quality(model, actual)
    if isinstance(found, Quality):
        measured, known = found.accuracy, model.oob_score_
    else:
        measured, known = found.rmse, float(np.sqrt(model.oob_error_curve_[-1]))
    in_order = np.isclose(measured, known, rtol=1e-9, atol=1e-9) or not found.n_rows
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
    subject: Subject, X: Any, y: Any, target: Target | NumericTarget, seed: int
) -> ErrorCurve | None:
    """The error against the number of trees, or of splits of a single tree.

    None if no rows can be held out, or if there is only one size.
    """
    errors = getattr(subject.model, "oob_error_curve_", None)
    if errors is not None:
        return ErrorCurve(
            unit="trees",
            sizes=tuple(range(1, len(errors) + 1)),
            series=(("out-of-bag rows", tuple(shown_errors(subject.task, errors).tolist())),),
            about="Each tree predicts the training rows that are not in its sample.",
            **_named_error(subject),
        )
    refitted = subject.can_be_refitted and subject.tree is not None
    if not refitted or len(target) < MIN_ROWS:
        return None
    training, validation = _held_out(target, seed)
    if not len(validation):
        return None
    parts = [take_rows(values, rows) for rows in (training, validation) for values in (X, y)]
    tried = _by_trees(subject, parts) if subject.form == "trees" else _by_size(subject, parts)
    if len(tried.sizes) == 1:
        return None
    about = (
        f"Another model with the same parameters, grown from {len(training)} of the training rows "
        f"and measured on the other {len(validation)}."
    )
    return replace(tried, about=about)


def _curve_on(subject: Subject, X: Any, y: Any) -> ErrorCurve | None:
    """The error of the first trees of this model on rows that it was not fitted on."""
    if subject.form != "trees" or subject.n_trees < 2 or not hasattr(subject.model, "staged_score"):
        return None
    return _by_stages(
        subject,
        ((GIVEN, subject.model, X, y),),
        "The first trees of this model predict the rows given.",
    )


def _named_error(subject: Subject) -> dict[str, Any]:
    """The error of curves by number of trees, and whether it is a rate."""
    metric = ERRORS[subject.task]
    rates = metric.form == "fraction"
    return {"error": f"{metric.name} rate" if rates else metric.name, "rates": rates}


def _held_out(target: Target | NumericTarget, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows to grow from, and held-out rows whose classes occur among the former."""
    numbered = Rows([np.arange(len(target))], target.encoded, None)
    training, validation = numbered.divided(HELD_OUT, seed)
    rows = validation.columns[0]
    if target.classes:
        rows = rows[np.isin(validation.codes, training.codes)]
    return training.columns[0], rows


NAMES = ("training rows", "held-out rows")
MOST_SIZES = 60
"""Sizes of a tree on the curve: as many as its picture can show."""


def _by_size(subject: Subject, parts: list[Any]) -> ErrorCurve:
    curve = overfitting_curve(subject.model, *parts, max_trees=MOST_SIZES)
    errors = (curve.training_errors, curve.validation_errors)
    series = tuple((name, tuple(e.tolist())) for name, e in zip(NAMES, errors, strict=True))
    sizes, rates = tuple(curve.sizes.tolist()), subject.task == "classification"
    return ErrorCurve("internal nodes", sizes, series, "", curve.error_name, rates)


def _by_trees(subject: Subject, parts: list[Any]) -> ErrorCurve:
    model = clone(subject.model).fit(*parts[:2])
    both = ((NAMES[0], model, *parts[:2]), (NAMES[1], model, *parts[2:]))
    return _by_stages(subject, both, "")


def _by_stages(
    subject: Subject, measured: Sequence[tuple[str, Any, Any, Any]], about: str
) -> ErrorCurve:
    """The error of the first trees of models on some rows, which have a name."""
    metric = ERRORS[subject.task]
    series = tuple(
        (name, tuple(_stages(metric, model, X, np.asarray(y)))) for name, model, X, y in measured
    )
    sizes = tuple(range(1, len(series[0][1]) + 1))
    return ErrorCurve("trees", sizes, series, about, **_named_error(subject))


def _stages(metric: Metric, model: Any, X: Any, y: NDArray[Any]) -> Iterator[float]:
    if metric.form == "fraction":  # the score is the accuracy
        return (1 - score for score in model.staged_score(X, y))
    return (metric.of(y, predicted) for predicted in model.staged_predict(X))
