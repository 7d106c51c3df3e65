"""A random forest as text in a terminal."""

from __future__ import annotations

from math import isnan

from rich.text import Text

from plaintree.data.words import plain

from ..study.forest import ForestStudy
from .show import Page, baseline_text, count, errors_text, grid_of, show_confusion

FEATURES_SHOWN = 20
SIZES_SHOWN = (1, 10, 30, 100, 300, 1000, 3000)


def show_forest(page: Page, study: ForestStudy) -> None:
    """The forest, its out-of-bag metrics and its importances."""
    model = study.model
    n_features = len(study.importances)
    page.heading(
        f"Random forest ({count(len(model.trees_), 'tree')}, max_features {model.max_features_} of "
        f"{n_features}, {model.voting} voting)"
    )
    _show_tuning(page, study)
    _show_error(page, study)
    size = model.trees_.nbytes
    memory = f"{size / 1e6:,.1f} MB" if size >= 1e6 else f"{size / 1e3:,.0f} kB"
    page.print(f"Size: {model.trees_.n_nodes:,} nodes in total, {memory}")
    if study.out_of_bag.n_rows:
        show_confusion(page, study.out_of_bag)
    _show_importances(page, study)


def _show_tuning(page: Page, study: ForestStudy) -> None:
    if study.tuning is None:
        return
    grid = grid_of("max_features", "OOB error", "")
    for column in grid.columns[:2]:
        column.justify = "right"
    tried = zip(study.tuning.max_features.tolist(), study.tuning.error.tolist(), strict=True)
    for wanted, error in tried:
        best = wanted == study.tuning.best
        cells = (str(wanted), f"{100 * error:.1f}%", "chosen" if best else "")
        grid.add_row(*(Text(cell, style="bold" if best else "") for cell in cells))
    page.print(grid)
    page.print()


def _show_error(page: Page, study: ForestStudy) -> None:
    found = study.out_of_bag
    if not found.n_rows:
        page.print("OOB error: unknown (every row is in the sample of every tree)")
        return
    rows = "" if found.n_rows == study.table.n_rows else f", {study.table.n_rows} rows in total"
    page.print(f"OOB error: {errors_text(found.n_errors, found.n_rows)}{rows}")
    page.print(f"OOB accuracy: {100 * found.accuracy:.1f}%")
    page.print(f"OOB balanced accuracy: {100 * found.balanced_accuracy:.1f}%")
    page.print(baseline_text(found))
    curve = study.model.oob_error_curve_.tolist()
    shown = [n for n in SIZES_SHOWN if n < len(curve) and not isnan(curve[n - 1])]
    if shown:
        steps = ", ".join(f"{n}: {100 * curve[n - 1]:.1f}%" for n in shown)
        page.print(f"OOB error by number of trees: {steps}")


def _show_importances(page: Page, study: ForestStudy) -> None:
    sign = "+-" if page.ascii else "±"
    page.heading("Feature importances")
    grid = grid_of("feature", "permutation", "impurity")
    for column in grid.columns[1:]:
        column.justify = "right"
    for part in study.importances[:FEATURES_SHOWN]:
        lost = f"{100 * part.permutation:.2f}%"
        if not isnan(part.standard_error):
            lost += f" {sign} {100 * part.standard_error:.2f}%"
        grid.add_row(plain(part.feature), lost, f"{100 * part.impurity:.1f}%")
    page.print(grid)
    left_out = len(study.importances) - FEATURES_SHOWN
    if left_out > 0:
        page.print(f"... and {left_out} more features. Print all with --json.")
    page.print(
        "permutation: OOB accuracy lost when the feature is shuffled, with the standard error of "
        "the mean over trees; impurity: fraction of the total impurity decrease"
    )
