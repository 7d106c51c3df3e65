"""A comparison of learners as text in a terminal."""

from __future__ import annotations

from rich.text import Text

from ..study.compare import Comparison, Result, Size
from .show import NOT_STRATIFIED, Page, baseline_text, grid_of


def show_comparison(page: Page, comparison: Comparison) -> None:
    """One line per learner: mean and standard deviation over the folds."""
    validation = comparison.results[0].validation
    page.heading(
        f"{validation.n_folds}-fold cross-validation, mean {_sign(page)} standard deviation "
        "over the folds"
    )
    grid = grid_of("learner", "CV accuracy", "CV balanced accuracy", "size")
    for result in comparison.results:
        style = "bold" if result is comparison.best else ""
        grid.add_row(*(Text(cell, style=style) for cell in _cells(page, result)))
    page.print(grid)
    page.print()
    page.print(baseline_text(validation.quality))
    page.print(f"Folds: the same for all learners (random_state {comparison.random_state})")
    if not validation.stratified:
        page.print(NOT_STRATIFIED)


def _cells(page: Page, result: Result) -> tuple[str, ...]:
    return (
        result.name,
        _percent(page, result.validation.mean, result.validation.deviation),
        _percent(page, result.validation.balanced_mean, result.balanced_deviation),
        _size(page, result.size),
    )


def _percent(page: Page, mean: float, deviation: float) -> str:
    return f"{100 * mean:5.1f}% {_sign(page)} {100 * deviation:4.1f}%"


def _size(page: Page, size: Size) -> str:
    varies = f" {_sign(page)} {size.deviation:.1f}" if size.deviation else ""
    return f"{size.mean:.{1 if varies else 0}f}{varies} {size.unit}"


def _sign(page: Page) -> str:
    return "+-" if page.ascii else "±"
