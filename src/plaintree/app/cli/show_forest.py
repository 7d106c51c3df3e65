"""A random forest as text in a terminal."""

from __future__ import annotations

from collections.abc import Callable
from math import isnan

from rich.text import Text

from plaintree.data.words import plain
from plaintree.estimators.registry import TaskName
from plaintree.evaluation.metrics import ERRORS, METRICS, shown_errors
from plaintree.evaluation.quality import Quality

from ..study.forest import ForestStudy
from .show import Page, count, grid_of
from .show_quality import baseline_text, errors_text, show_confusion

FEATURES_SHOWN = 20
PERMUTATION: dict[TaskName, str] = {
    "classification": "OOB accuracy lost when the feature is shuffled",
    "regression": "increase of the OOB mean squared error when the feature is shuffled, as a "
    "fraction of the variance of the target",
}
"""What permuting a feature changes."""
SIZES_SHOWN = (1, 10, 30, 100, 300, 1000, 3000)


def show_forest(page: Page, study: ForestStudy) -> None:
    """The forest, its out-of-bag metrics and its importances."""
    model = study.model
    n_features = len(study.importances)
    voting = "" if study.task == "regression" else f", {model.voting} voting"
    page.heading(
        f"Random forest ({count(len(model.trees_), 'tree')}, max_features {model.max_features_} of "
        f"{n_features}{voting})"
    )
    _show_tuning(page, study)
    _show_error(page, study)
    size = model.trees_.nbytes
    memory = f"{size / 1e6:,.1f} MB" if size >= 1e6 else f"{size / 1e3:,.0f} kB"
    page.print(f"Size: {model.trees_.n_nodes:,} nodes in total, {memory}")
    if isinstance(study.out_of_bag, Quality) and study.out_of_bag.n_rows:
        show_confusion(page, study.out_of_bag)
    _show_importances(page, study)


def _show_tuning(page: Page, study: ForestStudy) -> None:
    if study.tuning is None:
        return
    metric = ERRORS[study.task]
    grid = grid_of("max_features", f"OOB {metric.name}", "")
    for column in grid.columns[:2]:
        column.justify = "right"
    errors = shown_errors(study.task, study.tuning.error).tolist()
    tried = zip(study.tuning.max_features.tolist(), errors, strict=True)
    for wanted, error in tried:
        best = wanted == study.tuning.best
        cells = (str(wanted), metric.text(error), "chosen" if best else "")
        grid.add_row(*(Text(cell, style="bold" if best else "") for cell in cells))
    page.print(grid)
    page.print()


def _show_error(page: Page, study: ForestStudy) -> None:
    found, metric = study.out_of_bag, ERRORS[study.task]
    if not found.n_rows:
        page.print(f"OOB {metric.name}: unknown (every row is in the sample of every tree)")
        return
    rows = "" if found.n_rows == study.table.n_rows else f", {study.table.n_rows} rows in total"
    if isinstance(found, Quality):
        page.print(f"OOB error: {errors_text(found.n_errors, found.n_rows)}{rows}")
    else:
        page.print(f"OOB rows: {found.n_rows}{rows}")
    for part in METRICS[study.task]:
        page.print(f"OOB {part.name}: {part.text(found.values[part.key])}")
    page.print(baseline_text(found))
    curve = shown_errors(study.task, study.model.oob_error_curve_).tolist()
    shown = [n for n in SIZES_SHOWN if n < len(curve) and not isnan(curve[n - 1])]
    if shown:
        steps = ", ".join(f"{n}: {metric.text(curve[n - 1])}" for n in shown)
        page.print(f"OOB {metric.name} by number of trees: {steps}")


def _permutation_text(study: ForestStudy) -> Callable[[float], str]:
    """The format of permutation importances: percentages of rows, or fractions of the variance."""
    if study.table.spread is None:
        return lambda lost: f"{100 * lost:.2f}%"
    variance = study.table.spread["sd"] ** 2 or 1.0
    return lambda increase: f"{increase / variance:.3f}"


def _show_importances(page: Page, study: ForestStudy) -> None:
    sign = "+-" if page.ascii else "±"
    text_of = _permutation_text(study)
    page.heading("Feature importances")
    grid = grid_of("feature", "permutation", "impurity")
    for column in grid.columns[1:]:
        column.justify = "right"
    for part in study.importances[:FEATURES_SHOWN]:
        lost = text_of(part.permutation)
        if not isnan(part.standard_error):
            lost += f" {sign} {text_of(part.standard_error)}"
        grid.add_row(plain(part.feature), lost, f"{100 * part.impurity:.1f}%")
    page.print(grid)
    left_out = len(study.importances) - FEATURES_SHOWN
    if left_out > 0:
        page.print(f"... and {left_out} more features. Print all with --json.")
    page.print(
        f"permutation: {PERMUTATION[study.task]}, with the standard error of "
        "the mean over trees; impurity: fraction of the total impurity decrease"
    )
