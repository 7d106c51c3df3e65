"""A comparison of learners as text in a terminal."""

from __future__ import annotations

from rich.text import Text

from plaintree.evaluation.metrics import METRICS, Metric

from ..study.compare import Comparison, Result, Size
from .show import Page, grid_of
from .show_quality import NOT_STRATIFIED, baseline_text


def show_comparison(page: Page, comparison: Comparison) -> None:
    """One line per learner: mean and standard deviation over the folds."""
    validation = comparison.results[0].validation
    page.heading(
        f"{validation.n_folds}-fold cross-validation, mean {_sign(page)} standard deviation "
        "over the folds"
    )
    metrics = METRICS[validation.task]
    grid = grid_of("learner", *(f"CV {metric.name}" for metric in metrics), "size")
    if validation.task == "regression":
        for column in grid.columns[1 : len(metrics) + 1]:
            column.justify = "right"
    for result in comparison.results:
        style = "bold" if result is comparison.best else ""
        grid.add_row(*(Text(cell, style=style) for cell in _cells(page, result)))
    page.print(grid)
    page.print()
    page.print(baseline_text(validation.quality))
    page.print(f"Folds: the same for all learners (random_state {comparison.random_state})")
    if validation.task == "classification" and not validation.stratified:
        page.print(NOT_STRATIFIED)


def _cells(page: Page, result: Result) -> tuple[str, ...]:
    found = result.validation
    measured = (
        _mean(page, metric, found.mean_of(metric.key), found.deviation_of(metric.key))
        for metric in METRICS[found.task]
    )
    return result.name, *measured, _size(page, result.size)


def _mean(page: Page, metric: Metric, mean: float, deviation: float) -> str:
    """A mean and a standard deviation; percentages of all rows are aligned."""
    widths = (6, 5) if metric.form == "fraction" else (0, 0)
    both = (metric.text(v).rjust(w) for v, w in zip((mean, deviation), widths, strict=True))
    return f" {_sign(page)} ".join(both)


def _size(page: Page, size: Size) -> str:
    varies = f" {_sign(page)} {size.deviation:.1f}" if size.deviation else ""
    return f"{size.mean:.{1 if varies else 0}f}{varies} {size.unit}"


def _sign(page: Page) -> str:
    return "+-" if page.ascii else "±"
