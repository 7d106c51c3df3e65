"""How good a learner or a tree is, on the rows that are asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from plaintree.data.words import plain
from plaintree.errors import ParameterError
from plaintree.evaluation.cross_validation import CrossValidation, cross_validate
from plaintree.evaluation.evaluate import Evaluation, evaluate
from plaintree.evaluation.metrics import costs_of
from plaintree.evaluation.numeric import evaluate_numbers
from plaintree.evaluation.quality import OUT_OF_BAG, TRAINING, folds_name
from plaintree.progress import Progress

from ...study.cross_validated import WITHOUT_EDITS, Validated
from ..messages.views import ClassQuality, Metric, Quality, QualityRequest
from .editing import training_drop
from .held import quiet, read_target
from .learners import estimator_of
from .names import number
from .quality_curves import curves_of, curves_of_numbers
from .replay import Work
from .weak_leaves import weak_leaves

MOST_ROWS = 1_000
"""Rows listed for a cell of the confusion matrix."""
TREE, LEARNER, ENSEMBLE = "this tree", "the learner", "this ensemble"


@dataclass(frozen=True, eq=False)
class Predicted:
    """Rows with their targets, predictions and class probabilities; NaN where there are none.

    - ``measured_on``, ``of``: which rows, and what was measured.
    - ``folds``: the cross-validation, if it is one.
    - ``rows``: which rows of the table they are; None for all of them.
    """

    measured_on: str
    of: str
    actual: NDArray[Any]
    labels: NDArray[Any]
    probabilities: NDArray[np.float64]
    classes: tuple[Any, ...]
    folds: CrossValidation | None = None
    rows: NDArray[np.intp] | None = None


def quality(work: Work, request: QualityRequest, progress: Progress) -> Quality:
    """The metrics, the confusion matrix and the curves of some rows."""
    key = ("quality", request.rows, request.n_folds, request.test)
    make = partial(PREDICTIONS[request.rows], work, request, progress)
    found: Predicted = work.kept_for_tree(key, make)
    if not found.classes:
        return _of_numbers(work, request, found)
    return _of_classes(work, request, _at_threshold(found, request.threshold))


# -------------------------------------------------------------------- predictions


def model_on(work: Work, X: Any, y: Any, measured_on: str) -> Predicted:
    """The predictions of the document's model for some rows."""
    model, classes = work.model, work.tree().schema.classes
    with quiet():
        labels = np.asarray(model.predict(X))
        probabilities = model.predict_proba(X) if classes else np.empty((len(labels), 0))
    of = TREE if work.single else ENSEMBLE
    return Predicted(measured_on, of, np.asarray(y), labels, probabilities, classes)


def _training(work: Work, request: QualityRequest, progress: Progress) -> Predicted:
    del request, progress
    return model_on(work, work.training.X, work.training.y, TRAINING)


def _test(work: Work, request: QualityRequest, progress: Progress) -> Predicted:
    del progress
    training = work.training
    opened = work.held.test(request.test, training.opened.recipe)
    y = read_target(opened.column(training.target), training.task)
    X = opened.table.without([training.target, *training_drop(training)])
    return model_on(work, X, y, f"test table {opened.name}")


def _out_of_bag(work: Work, request: QualityRequest, progress: Progress) -> Predicted:
    del request, progress
    model, actual = work.model, np.asarray(work.training.y)
    if work.single or not hasattr(model, "oob_score_"):
        raise ParameterError(
            "only forests of bootstrap samples have out-of-bag rows",
            got=work.document.settings.learner,
            hint="measure by cross-validation.",
        )
    classes = model.schema_.classes
    if not classes:
        known = ~np.isnan(model.oob_prediction_)
        labels = model.oob_prediction_[known]
        empty = np.empty((len(labels), 0))
        return Predicted(OUT_OF_BAG, ENSEMBLE, actual[known], labels, empty, classes)
    probabilities = model.oob_decision_function_
    known = ~np.isnan(probabilities[:, 0])
    probabilities = probabilities[known]
    labels = model.classes_[probabilities.argmax(axis=1)]
    return Predicted(
        OUT_OF_BAG,
        ENSEMBLE,
        actual[known],
        labels,
        probabilities,
        classes,
        rows=np.flatnonzero(known),
    )


def _cross_validated(work: Work, request: QualityRequest, progress: Progress) -> Predicted:
    training, classes = work.training, tuple(work.training.y.classes)
    actual = np.asarray(training.y)
    labels = np.empty_like(actual)
    probabilities = np.zeros((len(actual), len(classes)))

    def keep(model: Any, rows: NDArray[np.intp]) -> None:
        with quiet():
            part = training.X.take(rows)
            labels[rows] = model.predict(part)
            if classes:
                places = np.array([classes.index(label) for label in model.classes_.tolist()])
                probabilities[np.ix_(rows, places)] = model.predict_proba(part)

    with quiet():
        validated = _validated(work)
        folds = cross_validate(
            validated.learner,
            training.X,
            training.y,
            n_folds=request.n_folds,
            on_test=keep,
            progress=progress,
        )
    name = folds_of_learner(folds.n_folds, validated.remark)
    return Predicted(name, LEARNER, actual, labels, probabilities, classes, folds)


def _validated(work: Work) -> Validated:
    """The document's learner as it is cross-validated; one of an open tree lacks its edits."""
    settings = work.document.settings
    learner = estimator_of(settings, work.training.task)
    if hasattr(learner, "oob_score"):
        learner.set_params(oob_score=False)
    if settings.start == "open":
        return Validated(learner, WITHOUT_EDITS)
    return Validated.of(learner, work.state.tree)


def folds_of_learner(n_folds: int, remark: str) -> str:
    """Cross-validation as text; ``remark`` says how the learner differs from the settings."""
    return f"{folds_name(n_folds)} of the learner with these settings{remark}"


PREDICTIONS: dict[str, Callable[[Work, QualityRequest, Progress], Predicted]] = {
    "cross_validation": _cross_validated,
    "training": _training,
    "test": _test,
    "oob": _out_of_bag,
}
"""The predictions by the rows of the request."""


# -------------------------------------------------------------------- metrics


def _at_threshold(found: Predicted, threshold: float | None) -> Predicted:
    """The predictions of two classes by the probability of the second one."""
    if threshold is None:
        return found
    if len(found.classes) != 2:
        raise ParameterError(
            "a threshold decides between two classes",
            got=f"threshold={threshold} of {len(found.classes)} classes",
            hint="leave it out.",
        )
    second = found.probabilities[:, 1] >= threshold
    classes = np.array(found.classes, dtype=found.labels.dtype)
    labels = classes[second.astype(np.intp)]
    return replace(found, labels=labels, folds=None)


def _of_classes(work: Work, request: QualityRequest, found: Predicted) -> Quality:
    measured = evaluate(
        found.actual.tolist(),
        found.labels.tolist(),
        found.probabilities,
        found.classes,
        found.measured_on,
        costs=costs_of(work.model if work.single else None),
    )
    of_rows = measured.quality
    return Quality(
        measured_on=found.measured_on,
        of=found.of,
        n_rows=of_rows.n_rows,
        metrics=_metrics_of_classes(measured, found.folds),
        classes=[plain(label) for label in of_rows.classes],
        confusion=of_rows.confusion.tolist(),
        confusion_rows=_rows_by_cell(found) if request.rows != "test" else [],
        by_class=[
            ClassQuality(
                label=plain(it.label),
                precision=number(it.precision),
                recall=number(it.recall),
                n_rows=float(it.support),
            )
            for it in measured.by_class
        ],
        curves=curves_of(found.actual, found.probabilities, found.classes),
        weak_leaves=weak_leaves(work, request) if work.single else [],
    )


def _rows_by_cell(found: Predicted) -> list[list[list[int]]]:
    """The rows of each cell of the confusion matrix."""
    rows = np.arange(len(found.actual)) if found.rows is None else found.rows
    actual = {label: found.actual == label for label in found.classes}
    predicted = {label: found.labels == label for label in found.classes}
    return [
        [rows[actual[a] & predicted[p]][:MOST_ROWS].tolist() for p in found.classes]
        for a in found.classes
    ]


def _metrics_of_classes(measured: Evaluation, folds: CrossValidation | None) -> list[Metric]:
    found = measured.quality
    baseline: dict[str, float] = {"accuracy": found.baseline}
    metrics = []
    for metric in found.metrics:
        value, text = _measured(metric, found.values[metric.key], folds)
        if metric.key == "accuracy" and folds is None:
            low, high = map(metric.text, measured.interval)
            text += f" ({low} to {high})"
        metrics.append(_metric(metric.key, metric.name, value, text, baseline.get(metric.key)))
    return [*metrics, *_of_probabilities(measured)]


def _measured(metric: Any, value: float, folds: CrossValidation | None) -> tuple[float, str]:
    """A metric and its text; in cross-validation the mean over the folds, as in all reports.

    Counts, curves and metrics of probabilities are of the predictions of all folds together.
    """
    if folds is None or metric.key not in folds.scores:
        return value, metric.text(value)
    mean, deviation = folds.mean_of(metric.key), folds.deviation_of(metric.key)
    over = f"mean of {folds.n_folds} folds, sd {metric.text(deviation)}"
    return mean, f"{metric.text(mean)} ({over})"


def _of_probabilities(measured: Evaluation) -> list[Metric]:
    found = measured.probabilities
    if found is None:
        return []
    pairs = (
        ("auc", "AUC", found.auc),
        ("brier", "Brier score", found.brier),
        ("log_loss", "log loss", found.log_loss),
        ("calibration_error", "calibration error", found.calibration_error),
    )
    return [
        _metric(key, title, value, "undefined" if value is None else f"{value:.3f}", None)
        for key, title, value in pairs
    ]


def _metric(key: str, title: str, value: float | None, text: str, baseline: float | None) -> Metric:
    return Metric(key=key, title=title, value=number(value), text=text, baseline=number(baseline))


def _of_numbers(work: Work, request: QualityRequest, found: Predicted) -> Quality:
    measured = evaluate_numbers(found.actual, found.labels, found.measured_on)
    of_rows = measured.quality
    metrics = []
    for metric in of_rows.metrics:
        value, baseline = of_rows.values[metric.key], of_rows.baseline_values[metric.key]
        value, text = _measured(metric, value, found.folds)
        metrics.append(_metric(metric.key, metric.name, value, text, baseline))
    return Quality(
        measured_on=found.measured_on,
        of=found.of,
        n_rows=of_rows.n_rows,
        metrics=metrics,
        classes=[],
        confusion=[],
        by_class=[],
        curves=curves_of_numbers(found.actual.astype(float), found.labels.astype(float)),
        weak_leaves=weak_leaves(work, request) if work.single else [],
    )
