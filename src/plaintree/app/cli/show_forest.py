"""A forest written for people in a terminal."""

from __future__ import annotations

from math import isnan

from rich.text import Text

from plaintree.data.words import plain

from ..study.forest import ForestStudy
from .show import Page, balanced_text, baseline_text, errors_text, grid_of, show_confusion

ATTRIBUTES_SHOWN = 20
TREES_TOLD = (1, 10, 30, 100, 300, 1000, 3000)


def show_forest(page: Page, study: ForestStudy) -> None:
    """What was grown, how good it is, and which columns it depends on."""
    model = study.model
    n_columns = len(study.importances)
    page.heading(
        f"The forest ({len(model.trees_)} trees, {model.max_features_} of {n_columns} "
        f"{'columns' if n_columns != 1 else 'column'} drawn at each node, {model.voting} voting)"
    )
    _show_tuning(page, study)
    _show_error(page, study)
    size = model.trees_.nbytes
    memory = f"{size / 1e6:,.1f} MB" if size >= 1e6 else f"{size / 1e3:,.0f} kB"
    page.print(f"Size: {model.trees_.n_nodes:,} nodes in all, {memory}")
    if study.out_of_bag.n_rows:
        show_confusion(page, study.out_of_bag)
    _show_importances(page, study)


def _show_tuning(page: Page, study: ForestStudy) -> None:
    if study.tuning is None:
        return
    grid = grid_of("columns per node", "out-of-bag error", "")
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
        page.print("Out-of-bag error: not known, every row is in the sample of every tree")
        return
    rows = "" if found.n_rows == study.table.n_rows else f" of {study.table.n_rows} rows"
    page.print(f"Out-of-bag error: {errors_text(found.n_errors, found.n_rows)}{rows}")
    page.print(f"Accuracy on {found.measured_on}: {100 * found.accuracy:.1f}%")
    page.print(f"Balanced accuracy on {balanced_text(found)}")
    page.print(baseline_text(found))
    curve = study.model.oob_error_curve_.tolist()
    told = [n for n in TREES_TOLD if n < len(curve) and not isnan(curve[n - 1])]
    if told:
        steps = ", ".join(f"{n}: {100 * curve[n - 1]:.1f}%" for n in told)
        page.print(f"With fewer trees: {steps}")


def _show_importances(page: Page, study: ForestStudy) -> None:
    sign = "+-" if page.ascii else "±"
    page.heading("What the forest depends on")
    grid = grid_of("feature", "permutation", "impurity")
    for column in grid.columns[1:]:
        column.justify = "right"
    for part in study.importances[:ATTRIBUTES_SHOWN]:
        lost = f"{100 * part.permutation:.2f}%"
        if not isnan(part.standard_error):
            lost += f" {sign} {100 * part.standard_error:.2f}%"
        grid.add_row(plain(part.feature), lost, f"{100 * part.impurity:.1f}%")
    page.print(grid)
    left_out = len(study.importances) - ATTRIBUTES_SHOWN
    if left_out > 0:
        page.print(f"... and {left_out} more (all of them with --json)")
    page.print(
        "(permutation: right answers lost out of bag when the column is shuffled, with the"
        " standard error of the mean over trees; impurity: its share of what tests remove)"
    )
