"""Metrics of a model on a table as text in a terminal."""

from __future__ import annotations

from math import nan

from plaintree.data.words import number_text, plain
from plaintree.evaluation.evaluate import Evaluation, ProbabilityMetrics
from plaintree.evaluation.metrics import METRICS
from plaintree.evaluation.numeric import NumericEvaluation

from ..study.evaluate import EvaluationStudy
from .show import Page, grid_of
from .show_quality import baseline_text, errors_text, show_confusion

CLASSES_SHOWN = 30


def show_evaluation(page: Page, study: EvaluationStudy) -> None:
    """All metrics, the most important ones first."""
    found = study.evaluation
    page.print(f"{found.quality.measured_on}: {study.model}, target: {plain(study.target)}")
    page.print()
    if isinstance(found, NumericEvaluation):
        _show_numbers(page, study, found)
    else:
        _show_labels(page, found)


def _show_numbers(page: Page, study: EvaluationStudy, found: NumericEvaluation) -> None:
    """The metrics of predicted numbers, and the rows with the largest errors."""
    quality = found.quality
    page.print(f"Rows: {quality.n_rows:,}")
    for metric in METRICS["regression"]:
        low, high = map(metric.text, found.intervals.get(metric.key, (nan, nan)))
        interval = ""
        if metric.key in found.intervals and quality.n_rows > 1:
            interval = f" ({100 * found.confidence:g}% interval: {low} to {high})"
        page.print(f"{metric.name}: {metric.text(quality.values[metric.key])}{interval}")
    page.print(baseline_text(quality))
    page.print(f"Median absolute error: {number_text(found.median_absolute_error)}")
    page.print(f"Mean residual (actual - predicted): {number_text(found.mean_residual)}")
    page.heading("Largest errors")
    grid = grid_of("row", "actual", "predicted", "residual")
    for column in grid.columns:
        column.justify = "right"
    for part in study.largest:
        values = map(number_text, (part.actual, part.predicted, part.residual))
        grid.add_row(f"{part.row + 1:,}", *values)
    page.print(grid)


def _show_labels(page: Page, found: Evaluation) -> None:
    """The metrics of predicted classes and of their probabilities."""
    quality = found.quality
    low, high = (f"{100 * end:.1f}%" for end in found.interval)
    page.print(f"Rows: {quality.n_rows:,}")
    page.print(f"Errors: {errors_text(quality.n_errors, quality.n_rows)}")
    page.print(
        f"Accuracy: {100 * quality.accuracy:.1f}% "
        f"({100 * found.confidence:g}% interval: {low} to {high})"
    )
    page.print(baseline_text(quality))
    page.print(f"Balanced accuracy: {100 * quality.balanced_accuracy:.1f}%")
    if found.probabilities is not None:
        _show_probabilities(page, found.probabilities, len(quality.classes))
    _show_classes(page, found)
    show_confusion(page, quality)
    if found.probabilities is not None:
        _show_calibration(page, found.probabilities)


def _show_probabilities(page: Page, found: ProbabilityMetrics, n_classes: int) -> None:
    kind = " (mean of one class against the rest)" if n_classes > 2 else ""
    auc = "undefined (only one class occurs)" if found.auc is None else f"{found.auc:.3f}{kind}"
    page.print(f"AUC: {auc}")
    page.print(f"Brier score: {found.brier:.3f}")
    page.print(f"Log loss: {found.log_loss:.3f}")
    page.print(f"Expected calibration error: {100 * found.calibration_error:.1f}%")


def _show_classes(page: Page, found: Evaluation) -> None:
    page.heading("Metrics by class")
    grid = grid_of("class", "precision", "recall", "F1", "support")
    for column in grid.columns[1:]:
        column.justify = "right"
    for metrics in found.by_class[:CLASSES_SHOWN]:
        values = (metrics.precision, metrics.recall, metrics.f1)
        shown = ("-" if value is None else f"{100 * value:.1f}%" for value in values)
        grid.add_row(plain(metrics.label), *shown, f"{metrics.support:,}")
    page.print(grid)
    left_out = len(found.by_class) - CLASSES_SHOWN
    if left_out > 0:
        page.print(f"... and {left_out} more classes. Print all with --json.")


def _show_calibration(page: Page, found: ProbabilityMetrics) -> None:
    page.heading("Calibration (probability of the predicted class)")
    grid = grid_of("probability", "rows", "mean probability", "accuracy")
    for column in grid.columns[1:]:
        column.justify = "right"
    for part in found.calibration:
        grid.add_row(
            f"{part.low:.1f} to {part.high:.1f}",
            f"{part.n_rows:,}",
            f"{100 * part.mean_probability:.1f}%",
            f"{100 * part.accuracy:.1f}%",
        )
    page.print(grid)
