"""A pruning study as text in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from plaintree.data.words import number_text, plain
from plaintree.evaluation.metrics import METRICS
from plaintree.evaluation.quality import Quality

from ..study.prune import BeforeAfter, PruneStudy
from .show import Page, grid_of
from .show_quality import baseline_text, errors_text
from .show_study import show_tree

TREES_SHOWN = 20
MARKS = {"min": "minimum", "one_se": "1 SE"}


def show_pruning(page: Page, study: PruneStudy) -> None:
    """The pruning path, the pruned tree, and the tree before and after."""
    _show_path(page, study)
    task = study.task
    given = [
        f"{name}={plain(task.options[name])}" for name in task.options if name != "random_state"
    ]
    page.heading(f"Pruned tree ({', '.join([task.growing.learner, task.method, *given])})")
    show_tree(page, study.pruned, show_conventions=True)
    page.print()
    _show_comparison(page, study)


def _show_path(page: Page, study: PruneStudy) -> None:
    path, sign = study.path, "+-" if page.ascii else "±"
    page.heading("Cost-complexity pruning path, from large to small trees")
    rates = study.task.growing.task == "classification"
    what = "training error" if path.risk == "error" else "impurity"
    what = what if rates else path.error_name
    cv_error = "CV error" if rates else f"CV {path.error_name}"
    error_text = "{:.1%}".format if rates else number_text
    validated = (
        [f"{cv_error} ({study.task.growing.n_folds} folds)", "choice"] if study.choices else []
    )
    grid = grid_of("alpha", "leaves", what, *validated)
    for column in grid.columns[:3]:
        column.justify = "right"
    shown = _positions(len(path), [_position(study, choice) for choice in study.choices])
    for i in shown:
        of_rows = path.risk == "error" or not rates
        risk = error_text(path.risks[i]) if of_rows else f"{path.risks[i]:.4f}"
        cells = [f"{path.alphas[i]:.3g}", str(path.n_leaves[i]), risk]
        if path.cv_errors is not None and path.cv_deviations is not None:
            marks = [MARKS[choice] for choice in study.choices if _position(study, choice) == i]
            spread = error_text(path.cv_deviations[i])
            cells += [f"{error_text(path.cv_errors[i])} {sign} {spread}"]
            cells += [", ".join(marks)]
        grid.add_row(*cells)
    page.print(grid)
    if len(shown) < len(path):
        page.print(f"{len(shown)} of {len(path)} trees shown. Print all with --json.")
    if study.choices:
        page.print(
            "minimum: minimum CV error; 1 SE: smallest tree within one standard error of the "
            "minimum"
        )


def _position(study: PruneStudy, choice: str) -> int:
    alphas: list[float] = study.path.alphas.tolist()
    return alphas.index(study.choices[choice])


def _positions(n: int, marked: Sequence[int]) -> list[int]:
    """The trees to show: all, or some at even distances and the marked ones."""
    if n <= TREES_SHOWN:
        return list(range(n))
    spaced = [round(i * (n - 1) / (TREES_SHOWN - 1)) for i in range(TREES_SHOWN)]
    return sorted({*spaced, *marked})


def _show_comparison(page: Page, study: PruneStudy) -> None:
    before, after = study.path.source, study.pruned
    grid = grid_of("", "grown", "pruned")
    grid.add_row("internal nodes", str(before.size), str(after.size))
    grid.add_row("leaves", str(before.n_leaves), str(after.n_leaves))
    grid.add_row("depth", str(before.depth), str(after.depth))
    if study.bits is not None:
        grid.add_row("bits", *(f"{bits:.1f}" for bits in study.bits))
    measured = [found for found in (study.training, study.validation) if found is not None]
    for found in measured:
        _add_metrics(grid, found)
    page.print(grid)
    for found in measured:
        page.print(baseline_text(found.before, found.before.measured_on))
    if study.task.method == "reduced_error":
        page.print(
            "The validation rows chose the pruned tree, so its values on them are optimistic."
        )


def _add_metrics(grid: Table, found: BeforeAfter) -> None:
    both = (found.before, found.after)
    rows = found.before.measured_on.removesuffix(" rows")
    counted = [errors_text(q.n_errors, q.n_rows) for q in both if isinstance(q, Quality)]
    if counted:
        grid.add_row(f"{rows} error", *counted)
    for metric in METRICS[found.before.task]:
        values = (metric.text(q.values[metric.key]) for q in both)
        grid.add_row(f"{rows} {metric.name}", *values)
