"""Metrics and confusion matrices as text in a terminal."""

from __future__ import annotations

from string import ascii_lowercase
from typing import TYPE_CHECKING

import numpy as np
from rich.table import Table
from rich.text import Text

from plaintree.data.words import plain
from plaintree.evaluation.metrics import MAIN
from plaintree.evaluation.quality import AnyQuality, Quality

from .show import Page, grid_of

if TYPE_CHECKING:
    from plaintree.evaluation.cross_validation import CrossValidation

    from ..study.files import FileStudy
    from ..study.grow import Study
    from ..study.rules import RuleStudy

CONFUSIONS_SHOWN = 10
NOT_STRATIFIED = "The folds are not stratified: a class has fewer rows than there are folds."


def show_quality(page: Page, study: Study | FileStudy | RuleStudy) -> None:
    """Metrics on training rows and in cross-validation; each names its rows."""
    training, validation = study.training, study.validation
    metrics, main = training.metrics, MAIN[training.task]
    if isinstance(training, Quality):
        page.print(f"Training error: {errors_text(training.n_errors, training.n_rows)}")
    elif validation is not None:
        page.print(f"Training {main.name}: {main.text(training.values[main.key])}")
    if validation is not None:
        _show_validation(page, validation)
        return
    for metric in metrics:
        page.print(f"Training {metric.name}: {metric.text(training.values[metric.key])}")
    page.print(baseline_text(training))


def errors_text(n: int, of: int) -> str:
    """Errors as a count and a percentage."""
    return f"{n} of {of} ({100 * n / of:.1f}%)"


def baseline_text(quality: AnyQuality, rows: str = "") -> str:
    """The main metric of always predicting the majority class, or the mean."""
    where, main = f" on {rows}" if rows else "", MAIN[quality.task]
    always = quality.baseline_prediction
    found = f"Baseline {main.name}{where} (always {always}): {main.text(quality.baseline)}"
    if not isinstance(quality, Quality) or quality.costs is None:
        return found
    label, cost = quality.cheapest
    return f"{found}\nBaseline mean cost{where} (always {plain(label)}): {cost:.3f}"


def show_confusion(page: Page, quality: Quality) -> None:
    """The confusion matrix and its rows; for many classes the most frequent errors."""
    page.heading(f"Confusion matrix, {quality.measured_on} (rows: actual, columns: predicted)")
    names = [plain(c) for c in quality.classes]
    letters = [f"{letter})" for letter in ascii_lowercase[: len(names)]]
    fitting = (names, letters) if len(names) <= page.columns else ()  # laying out takes long
    for headings in fitting:  # letters are narrower, up to 26 of them
        matrix = _matrix(quality, names, headings)
        if page.measure(matrix, options=page.options.update(width=10_000)).maximum <= page.columns:
            page.print(matrix)
            return
    _show_confusions(page, quality, names)


def _show_validation(page: Page, validation: CrossValidation) -> None:
    sign = "+-" if page.ascii else "±"
    main, *others = validation.quality.metrics
    page.print(
        f"CV {main.name}: {main.text(validation.mean)} {sign} {main.text(validation.deviation)} "
        f"({validation.n_folds} folds)"
    )
    for metric in others:
        page.print(f"CV {metric.name}: {metric.text(validation.mean_of(metric.key))}")
    page.print(baseline_text(validation.quality))
    if not isinstance(validation.quality, Quality):
        return
    if not validation.stratified:
        page.print(NOT_STRATIFIED)
    show_confusion(page, validation.quality)


def _matrix(quality: Quality, names: list[str], headings: list[str]) -> Table:
    lettered = headings != names and len(headings) == len(names)
    matrix = grid_of("", *(headings if lettered else names))
    for column in matrix.columns[1:]:
        column.justify = "right"
    for position, counts in enumerate(quality.confusion.tolist()):
        name = f"{headings[position]} {names[position]}" if lettered else names[position]
        matrix.add_row(Text(name, style="bold"), *map(str, counts))
    return matrix


def _show_confusions(page: Page, quality: Quality, names: list[str]) -> None:
    """The most frequent errors, where the matrix has too many columns."""
    confused = quality.confusion.copy()
    np.fill_diagonal(confused, 0)
    actual, predicted = np.nonzero(confused)  # by rows, which a stable sort keeps among equals
    order = np.argsort(-confused[actual, predicted], kind="stable")
    listing = grid_of("actual", "predicted", "rows")
    for i, j in zip(
        *(cells[order[:CONFUSIONS_SHOWN]] for cells in (actual, predicted)), strict=True
    ):
        listing.add_row(names[i], names[j], str(confused[i, j]))
    page.print(listing)
    left_out = len(order) - CONFUSIONS_SHOWN
    if left_out > 0:
        page.print(f"... and {left_out} more pairs of classes. Print all with --json.")
