"""Studies as text in a terminal, or as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import isfinite, isnan
from pathlib import Path
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

import plaintree as pt
from plaintree.data.facts import ColumnFacts, shortened
from plaintree.data.words import line_width, plain, shown_schema
from plaintree.progress import Progress, no_progress
from plaintree.rules.extract import by_weight

from ..study.inspect import TableFacts
from .flags import as_typed
from .messages import is_quiet, without_color

if TYPE_CHECKING:
    from plaintree.evaluation.cross_validation import CrossValidation
    from plaintree.evaluation.quality import Quality

    from ..study.grow import Study
    from ..study.rules import RuleStudy

CLASSES_SHOWN = 12
CONFUSIONS_SHOWN = 10
ROOMY = 80
"""From this width on, the table of columns has room for examples."""
NODES_SHOWN = 300
"""A tree with more nodes is folded at the depth down to which it has at most these."""
RULES_SHOWN = 100
COLUMNS_SHOWN = 100
NOT_STRATIFIED = "The folds are not stratified: a class has fewer rows than there are folds."
_KINDS = ("numeric", "ordered", "categorical")


class Page(Console):
    """Standard output, without markup in names and values, and of a given width."""

    def __init__(self, width: int | None = None, *, everything: bool = False) -> None:
        self.everything = everything
        with as_typed({"width": "--width"}):
            self.columns = line_width(width)
        super().__init__(
            width=self.columns,
            markup=False,
            emoji=False,
            highlight=False,
            no_color=without_color(),
        )

    def on_broken_pipe(self) -> None:
        """Leave it to the caller, which sets the exit code."""
        raise BrokenPipeError

    @property
    def ascii(self) -> bool:
        """Whether the output can take ASCII only."""
        return not self.encoding.startswith("utf")

    def heading(self, text: str) -> None:
        """A line above a part of the output."""
        self.print()
        self.print(Text(text, style="bold"))

    def verbatim(self, text: str) -> None:
        """Text that has its line ends already."""
        self.print(Text(text), soft_wrap=True)


def write_json(data: Any) -> None:
    """Print one JSON object."""
    print(json_text(data))


def json_text(data: Any) -> str:
    """Data as JSON, which has no infinite numbers and no NaN: those become strings and null."""
    return json.dumps(_finite(data), indent=2, allow_nan=False)


def _finite(data: Any) -> Any:
    if isinstance(data, dict):
        return {str(key): _finite(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [_finite(value) for value in data]
    if isinstance(data, float) and not isfinite(data):
        return None if isnan(data) else str(data)
    return data


@contextmanager
def progress() -> Iterator[Progress]:
    """A progress callback; it draws bars if standard error is a terminal."""
    if is_quiet() or not sys.stderr.isatty():
        yield no_progress
        return
    from rich.progress import Progress as Bars

    with Bars(console=Console(stderr=True, no_color=without_color()), transient=True) as bars:
        tasks: dict[str, Any] = {}

        def report(stage: str, done: int, total: int | None) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage)
            bars.update(tasks[stage], completed=done, total=total)

        yield report


@contextmanager
def row_counter() -> Iterator[Progress]:
    """A progress callback for rows, of an unknown number."""
    if is_quiet() or not sys.stderr.isatty():
        yield no_progress
        return
    with Console(stderr=True, no_color=without_color()).status("reading") as status:
        yield lambda _stage, done, _total: status.update(f"{done:,} rows")


# -------------------------------------------------------------------- tables


def show_summary(page: Page, facts: TableFacts) -> None:
    """The table in one line."""
    features = facts.features
    kinds = [f"{n} {kind}" for kind in _KINDS if (n := sum(c.kind == kind for c in features))]
    missing = sum(c.n_missing for c in features)
    parts = [
        f"{Path(facts.source).name}: {count(facts.n_rows, 'row')}",
        f"{count(len(features), 'feature' if facts.target else 'column')}",
        count(missing, "missing value") if missing else "no missing values",
    ]
    parts[1] += f" ({', '.join(kinds)})" if kinds else ""
    parts += [f"target: {plain(facts.target)}"] if facts.target is not None else []
    page.print(", ".join(parts))


def show_table(page: Page, facts: TableFacts) -> None:
    """The columns and the classes."""
    show_summary(page, facts)
    page.print()
    roomy = page.columns >= ROOMY
    grid = grid_of("column", "kind", "unit", "missing", "values", *(["example"] if roomy else []))
    for part in grid.columns[1:4]:
        part.no_wrap = True
    target = [column for column in facts.columns if column.name == facts.target]
    others = [column for column in facts.columns if column.name != facts.target]
    if not page.everything and len(facts.columns) > COLUMNS_SHOWN:
        shown: Sequence[ColumnFacts] = [*others[: COLUMNS_SHOWN - len(target)], *target]
    else:
        shown = facts.columns
    for column in shown:
        cells = [
            plain(column.name) + (" (target)" if column.name == facts.target else ""),
            column.kind,
            column.unit,
            _percentage(column.n_missing, facts.n_rows) if column.n_missing else "-",
            column.values,
            shortened(column.example or "-"),
        ]
        grid.add_row(*cells[: len(grid.columns)])
    page.print(grid)
    left_out = len(facts.columns) - len(shown)
    if left_out:
        page.print(f"... and {count(left_out, 'more column')}. Print all with --all.")
    if facts.target is not None:
        page.print()
        _show_classes(page, facts)


def _show_classes(page: Page, facts: TableFacts) -> None:
    """The rows of each class; the most frequent ones if there are many."""
    grid = grid_of(plain(facts.target), "rows")
    shown = facts.classes
    if len(shown) > CLASSES_SHOWN:
        shown = tuple(sorted(shown, key=lambda pair: -pair[1])[: CLASSES_SHOWN - 1])
    for name, n in shown:
        grid.add_row(name, _percentage(n, facts.n_rows))
    if len(shown) < len(facts.classes):
        rest = sum(n for _, n in facts.classes) - sum(n for _, n in shown)
        grid.add_row(f"{len(facts.classes) - len(shown)} more", _percentage(rest, facts.n_rows))
    page.print(grid)


def count(n: int, what: str) -> str:
    """A number and what it counts, in the singular or plural."""
    return f"{n:,} {what}{'s' * (n != 1)}"


def _percentage(n: int, of: int) -> str:
    return f"{n} ({100 * n / of:.1f}%)"


def grid_of(*names: str) -> Table:
    """An empty table with these headings."""
    grid = Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 2, 0, 0),
        header_style="bold",
    )
    for name in names:
        grid.add_column(name, overflow="fold")
    return grid


# -------------------------------------------------------------------- studies


def show_study(page: Page, study: Study, *, rules: bool) -> None:
    """The tree, its rules if wanted, its size and its quality."""
    tree = study.model.tree_
    page.heading(f"Tree ({study.learner})")
    show_tree(page, tree)
    if rules:
        page.heading("Rules")
        _show_rules_of_tree(page, tree)
    leaves = f"{tree.n_leaves:,} {'leaf' if tree.n_leaves == 1 else 'leaves'}"
    page.print()
    page.print(f"Size: {count(tree.size, 'internal node')}, {leaves}, depth {tree.depth}")
    if not tree.size:
        page.print(
            f"The tree is a single leaf: it predicts {plain(tree.node(0).label)} for all rows."
        )
    page.print(f"Conventions: {tree.conventions}")
    show_quality(page, study)


def show_tree(page: Page, tree: pt.Tree, **options: Any) -> None:
    """The tree as text; a large one is folded without --all."""
    depth = None
    if not page.everything and tree.n_nodes > NODES_SHOWN:
        depth = int(tree.node_depths[NODES_SHOWN]) - 1  # nodes are numbered level by level
    width = page.columns
    page.verbatim(pt.export_text(tree, max_depth=depth, width=width, ascii=page.ascii, **options))
    if depth is not None:
        page.print()
        page.print(
            f"Folded at depth {depth}: the tree has {tree.n_nodes:,} nodes. "
            "Print it in full with --all."
        )


def _show_rules_of_tree(page: Page, tree: pt.Tree) -> None:
    rules = by_weight(tree)
    shown = rules if page.everything else rules[:RULES_SHOWN]
    schema = shown_schema(tree.schema)
    page.verbatim("\n".join(line for rule in shown for line in rule.lines(schema, page.columns)))
    _note_rules(page, len(rules) - len(shown), "of the tree")


def _note_rules(page: Page, n_left_out: int, which: str) -> None:
    if n_left_out > 0:
        page.print(f"... and {count(n_left_out, 'more rule')} {which}. Print all with --all.")


def show_rules(page: Page, study: RuleStudy) -> None:
    """The rules in their order, their number and their quality."""
    page.heading(f"Rules ({study.learner.method})")
    n_shown = len(study.rules) if page.everything else RULES_SHOWN
    shown = replace(study.rules, rules=study.rules.rules[:n_shown])
    page.verbatim(shown.describe(width=page.columns))
    _note_rules(page, len(study.rules) - n_shown, "before OTHERWISE")
    page.print()
    n_rules, n_dropped = len(study.rules), len(study.rules.dropped)
    dropped = f" ({count(n_dropped, 'rule')} dropped to reduce errors)" if n_dropped else ""
    page.print(f"Size: {count(n_rules, 'rule')}{dropped}")
    page.print(f"Default class: {plain(study.rules.default)}")
    if not n_rules:
        page.print(f"The list has no rules: it predicts {plain(study.rules.default)} for all rows.")
    show_quality(page, study)


def show_quality(page: Page, study: Study | RuleStudy) -> None:
    """Metrics on training rows and in cross-validation; each names its rows."""
    training = study.training
    page.print(f"Training error: {errors_text(training.n_errors, training.n_rows)}")
    if study.validation is not None:
        _show_validation(page, study.validation)
        return
    page.print(f"Training accuracy: {100 * training.accuracy:.1f}%")
    page.print(f"Training balanced accuracy: {100 * training.balanced_accuracy:.1f}%")
    page.print(baseline_text(training))


def errors_text(n: int, of: int) -> str:
    """Errors as a count and a percentage."""
    return f"{n} of {of} ({100 * n / of:.1f}%)"


def baseline_text(quality: Quality, rows: str = "") -> str:
    """The accuracy of always predicting the majority class."""
    where = f" on {rows}" if rows else ""
    majority, accuracy = plain(quality.majority_class), f"{100 * quality.baseline:.1f}%"
    return f"Baseline accuracy{where} (always {majority}): {accuracy}"


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
    page.print(
        f"CV accuracy: {100 * validation.mean:.1f}% {sign} {100 * validation.deviation:.1f}% "
        f"({validation.n_folds} folds)"
    )
    page.print(f"CV balanced accuracy: {100 * validation.balanced_mean:.1f}%")
    page.print(baseline_text(validation.quality))
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
